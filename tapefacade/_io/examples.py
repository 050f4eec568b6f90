"""The messages of data sets: `tf.train.Example`, `SequenceExample` and their parts."""

from typing import Any, NamedTuple

from tapefacade._core import dtypes
from tapefacade._io.messages import MessageField, MessageFile, MessageType

EXAMPLES = MessageFile(
    "tensorflow/core/example/example.proto",
    MessageType(
        "BytesList",
        """Texts of a feature.

        Args:
            value: a list of `bytes`.

        >>> tf.train.BytesList(value=[b"ab", b"c"]).value
        [b'ab', b'c']
        """,
        (MessageField("value", 1, "bytes", repeated=True),),
    ),
    MessageType(
        "FloatList",
        """Numbers of a feature, of float32.

        Args:
            value: a list of numbers.

        >>> tf.train.FloatList(value=[1.5, 2]).value
        [1.5, 2.0]
        """,
        (MessageField("value", 1, "float", repeated=True),),
    ),
    MessageType(
        "Int64List",
        """Integers of a feature.

        Args:
            value: a list of integers.

        >>> tf.train.Int64List(value=[1, -2]).value
        [1, -2]
        """,
        (MessageField("value", 1, "int64", repeated=True),),
    ),
    MessageType(
        "Feature",
        """The values of a feature, of one of three kinds.

        Args:
            bytes_list: a `BytesList`, or
            float_list: a `FloatList`, or
            int64_list: an `Int64List`.

        >>> tf.train.Feature(int64_list=tf.train.Int64List(value=[7])).WhichOneof("kind")
        'int64_list'
        """,
        (
            MessageField("bytes_list", 1, "message", "BytesList", oneof="kind"),
            MessageField("float_list", 2, "message", "FloatList", oneof="kind"),
            MessageField("int64_list", 3, "message", "Int64List", oneof="kind"),
        ),
    ),
    MessageType(
        "Features",
        """Features by their names.

        Args:
            feature: a dictionary of `Feature`s.

        >>> features = tf.train.Features()
        >>> features.feature["x"].float_list.value.append(0.5)
        >>> list(features.feature)
        ['x']
        """,
        (MessageField("feature", 1, "map", "Feature"),),
    ),
    MessageType(
        "FeatureList",
        """A sequence of features.

        Args:
            feature: a list of `Feature`s.

        >>> len(tf.train.FeatureList(feature=[tf.train.Feature()]).feature)
        1
        """,
        (MessageField("feature", 1, "message", "Feature", repeated=True),),
    ),
    MessageType(
        "FeatureLists",
        """Sequences of features by their names.

        Args:
            feature_list: a dictionary of `FeatureList`s.

        >>> len(tf.train.FeatureLists().feature_list)
        0
        """,
        (MessageField("feature_list", 1, "map", "FeatureList"),),
    ),
    MessageType(
        "Example",
        """A record of a data set.

        Args:
            features: a `Features`.

        >>> label = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
        >>> example = tf.train.Example(features=tf.train.Features(feature={"label": label}))
        >>> tf.train.Example.FromString(example.SerializeToString()) == example
        True
        """,
        (MessageField("features", 1, "message", "Features"),),
    ),
    MessageType(
        "SequenceExample",
        r"""A record of a data set with sequences.

        Args:
            context: a `Features`.
            feature_lists: a `FeatureLists`.

        >>> example = tf.train.SequenceExample()
        >>> example.feature_lists.feature_list["x"].feature.add().int64_list.value.append(3)
        >>> example.SerializeToString()
        b'\x12\x0e\n\x0c\n\x01x\x12\x07\n\x05\x1a\x03\n\x01\x03'
        """,
        (
            MessageField("context", 1, "message", "Features"),
            MessageField("feature_lists", 2, "message", "FeatureLists"),
        ),
    ),
    module="tapefacade.train",
)
# Their examples are run as those of other docstrings.
__test__ = EXAMPLES.docs()
LIST_FIELDS = {
    dtypes.string: "bytes_list",
    dtypes.float32: "float_list",
    dtypes.int64: "int64_list",
}
LIST_DTYPES = {name: dtype for dtype, name in LIST_FIELDS.items()}


class FeatureValues(NamedTuple):
    """The values of a feature: their dtype, and a list of them."""

    dtype: dtypes.DType
    items: list[Any]


def read_example(data: bytes) -> dict[str, FeatureValues]:
    """Reads an `Example`.

    Args:
        data: its bytes.

    Returns:
        The features that have values, by name.

    Raises:
        DecodeError: protobuf's, if it is none.
    """
    return _read_features(EXAMPLES["Example"].FromString(data).features)


def read_sequence_example(
    data: bytes,
) -> tuple[dict[str, FeatureValues], dict[str, list[FeatureValues | None]]]:
    """Reads a `SequenceExample`.

    Args:
        data: its bytes.

    Returns:
        The features of its context, and the lists of features; None for one without values.

    Raises:
        DecodeError: protobuf's, if it is none.
    """
    example = EXAMPLES["SequenceExample"].FromString(data)
    lists = {
        key: [_read_feature(feature) for feature in listed.feature]
        for key, listed in example.feature_lists.feature_list.items()
    }
    return _read_features(example.context), lists


def _read_features(features: Any) -> dict[str, FeatureValues]:
    found = {}
    for key, feature in features.feature.items():
        values = _read_feature(feature)
        if values is not None:
            found[key] = values
    return found


def _read_feature(feature: Any) -> FeatureValues | None:
    kind = feature.WhichOneof("kind")
    return (
        None if kind is None else FeatureValues(LIST_DTYPES[kind], getattr(feature, kind).value[:])
    )
