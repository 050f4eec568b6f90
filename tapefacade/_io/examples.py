"""The messages of data sets: `tf.train.Example`, `SequenceExample` and their parts."""

from tapefacade._definition.op import function
from tapefacade._io.messages import Field, Message


@function("train.BytesList")
class BytesList(Message):
    """Texts of a feature.

    Args:
        value: a list of `bytes`.

    >>> tf.train.BytesList(value=[b"ab", b"c"]).value
    [b'ab', b'c']
    """

    __slots__ = ()
    FIELDS = (Field("value", 1, "bytes", repeated=True),)


@function("train.FloatList")
class FloatList(Message):
    """Numbers of a feature, of float32.

    Args:
        value: a list of numbers.

    >>> tf.train.FloatList(value=[1.5, 2]).value
    [1.5, 2.0]
    """

    __slots__ = ()
    FIELDS = (Field("value", 1, "float", repeated=True),)


@function("train.Int64List")
class Int64List(Message):
    """Integers of a feature.

    Args:
        value: a list of integers.

    >>> tf.train.Int64List(value=[1, -2]).value
    [1, -2]
    """

    __slots__ = ()
    FIELDS = (Field("value", 1, "int64", repeated=True),)


@function("train.Feature")
class Feature(Message):
    """The values of a feature, of one of three kinds.

    Args:
        bytes_list: a `BytesList`, or
        float_list: a `FloatList`, or
        int64_list: an `Int64List`.

    >>> tf.train.Feature(int64_list=tf.train.Int64List(value=[7])).WhichOneof("kind")
    'int64_list'
    """

    __slots__ = ()
    FIELDS = (
        Field("bytes_list", 1, "message", BytesList, group="kind"),
        Field("float_list", 2, "message", FloatList, group="kind"),
        Field("int64_list", 3, "message", Int64List, group="kind"),
    )


@function("train.Features")
class Features(Message):
    """Features by their names.

    Args:
        feature: a dictionary of `Feature`s.

    >>> features = tf.train.Features()
    >>> features.feature["x"].float_list.value.append(0.5)
    >>> list(features.feature)
    ['x']
    """

    __slots__ = ()
    FIELDS = (Field("feature", 1, "map", Feature),)


@function("train.FeatureList")
class FeatureList(Message):
    """A sequence of features.

    Args:
        feature: a list of `Feature`s.

    >>> len(tf.train.FeatureList(feature=[tf.train.Feature()]).feature)
    1
    """

    __slots__ = ()
    FIELDS = (Field("feature", 1, "message", Feature, repeated=True),)


@function("train.FeatureLists")
class FeatureLists(Message):
    """Sequences of features by their names.

    Args:
        feature_list: a dictionary of `FeatureList`s.

    >>> len(tf.train.FeatureLists().feature_list)
    0
    """

    __slots__ = ()
    FIELDS = (Field("feature_list", 1, "map", FeatureList),)


@function("train.Example")
class Example(Message):
    """A record of a data set.

    Unlike TensorFlow, messages write and show their maps in the order in which (or of the keys
    by which) they were filled; that library's order is none.

    Args:
        features: a `Features`.

    >>> label = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"label": label}))
    >>> tf.train.Example.FromString(example.SerializeToString()) == example
    True
    """

    __slots__ = ()
    FIELDS = (Field("features", 1, "message", Features),)


@function("train.SequenceExample")
class SequenceExample(Message):
    r"""A record of a data set with sequences.

    Args:
        context: a `Features`.
        feature_lists: a `FeatureLists`.

    >>> example = tf.train.SequenceExample()
    >>> example.feature_lists.feature_list["x"].feature.add().int64_list.value.append(3)
    >>> example.SerializeToString()
    b'\x12\x0e\n\x0c\n\x01x\x12\x07\n\x05\x1a\x03\n\x01\x03'
    """

    __slots__ = ()
    FIELDS = (
        Field("context", 1, "message", Features),
        Field("feature_lists", 2, "message", FeatureLists),
    )
