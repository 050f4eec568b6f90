"""Examples, and what is parsed of them."""

from programs.functions import kind_of_error
from programs.program import answers


def _feature(tf, values):
    train = tf.train
    if isinstance(values, train.Feature):
        return values
    if values and isinstance(values[0], bytes):
        return train.Feature(bytes_list=train.BytesList(value=values))
    if values and isinstance(values[0], float):
        return train.Feature(float_list=train.FloatList(value=values))
    return train.Feature(int64_list=train.Int64List(value=values))


def _example(tf, **features):
    made = {name: _feature(tf, values) for name, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


def _sequences(tf, context=None, **lists):
    made = {name: _feature(tf, values) for name, values in (context or {}).items()}
    parts = {
        name: tf.train.FeatureList(feature=[_feature(tf, values) for values in steps])
        for name, steps in lists.items()
    }
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=made),
        feature_lists=tf.train.FeatureLists(feature_list=parts),
    ).SerializeToString()


def descriptions(tf, np):
    fixed = tf.io.FixedLenFeature
    var = tf.io.VarLenFeature
    seq = tf.io.FixedLenSequenceFeature
    rag = tf.io.RaggedFeature
    sparse = tf.io.SparseFeature
    return answers(
        lambda: fixed([2], tf.int64),
        lambda: fixed([], tf.float32, default_value=1.0),
        lambda: var(tf.int64),
        lambda: seq([], tf.int64, allow_missing=True),
        lambda: rag(tf.int64),
        lambda: rag(tf.int64, partitions=[rag.RowSplits("s"), rag.UniformRowLength(2)]),
        lambda: sparse("i", "v", tf.float32, 10),
        lambda: fixed([], tf.int64, "a"),
        lambda: fixed([1]).dtype,
        lambda: var(),
        lambda: rag(tf.int64, partitions=3),
        lambda: rag(tf.int64, partitions=[rag.UniformRowLength(-1)]),
        lambda: rag(tf.int64, row_splits_dtype=tf.float32),
        lambda: sparse("i", "v", tf.float32, 10, 1),
    )


def single(tf, np):
    train = tf.train
    fixed = tf.io.FixedLenFeature
    var = tf.io.VarLenFeature
    seq = tf.io.FixedLenSequenceFeature
    rag = tf.io.RaggedFeature
    sparse = tf.io.SparseFeature
    a = _example(tf, x=[1, 2], y=[1.5], s=[b"t"])
    b = _example(tf, x=[3, 4], y=[2.5], s=[b"u", b"v"])
    e0 = _example(tf)
    single_ = tf.io.parse_single_example
    return answers(
        lambda: single_(a, {"x": fixed([2], tf.int64), "y": fixed([], tf.float32)}),
        lambda: single_(a, {"s": fixed([], tf.string), "y": fixed([1], tf.float32)}),
        lambda: single_(a, {"x": var(tf.int64)}),
        lambda: single_(a, {"z": fixed([], tf.int64)}),
        lambda: single_(a, {"z": fixed([], tf.int64, default_value=7)}),
        lambda: single_(a, {"z": fixed([2], tf.int64, default_value=[7, 8])}),
        lambda: single_(a, {"z": fixed([2], tf.int64, default_value=7)}),
        lambda: single_(a, {"z": fixed([2, 2], tf.string, default_value="")}),
        lambda: single_(a, {"z": fixed([2], tf.int64, default_value=[1, 2, 3])}),
        lambda: single_(a, {"x": fixed([3], tf.int64)}),
        lambda: single_(a, {"x": fixed([2], tf.float32)}),
        lambda: single_(a, {"x": fixed([2], tf.string)}),
        lambda: single_(a, {"x": fixed([2], tf.int32)}),
        lambda: single_(a, {"z": var(tf.int64)}),
        lambda: single_(a, {"z": var(tf.float32)}),
        lambda: single_(a, {"y": var(tf.int64)}),
        lambda: single_(a, {"x": seq([], tf.int64, allow_missing=True)}),
        lambda: single_(a, {"x": seq([2], tf.int64, allow_missing=True)}),
        lambda: single_(a, {"x": seq([], tf.int64)}),
        lambda: single_(a, {"x": seq([3], tf.int64, allow_missing=True)}),
        lambda: single_(a, {"z": seq([], tf.int64, allow_missing=True)}),
        lambda: single_(a, {"z": seq([], tf.int64, allow_missing=True, default_value=5)}),
        lambda: single_(b"garbage", {"x": fixed([], tf.int64)}),
        lambda: single_([a], {"x": fixed([2], tf.int64)}),
        lambda: single_(a, {}),
        lambda: single_(a, None),
        lambda: single_(a, {"x": 5}),
        lambda: single_(a, {"x": rag(tf.int64)}),
        lambda: single_(a, {"x": fixed([None], tf.int64)}),
        lambda: single_(a, {"x": fixed(None, tf.int64)}),
        lambda: single_(a, {"x": fixed([1, 2], tf.int64)}),
        lambda: single_(a, {"x": fixed(2, tf.int64)}),
        lambda: single_(a, {"x": fixed((2,), "int64")}),
        lambda: single_(1, {"x": fixed([2], tf.int64)}),
        lambda: single_(a, {"x": fixed([2], tf.int64)}, example_names="n"),
        lambda: single_(e0, {"x": fixed([2], tf.int64)}, example_names="n"),
        lambda: single_(
            _example(tf, i=[3, 0], v=[1.5, 2.5]), {"sp": sparse("i", "v", tf.float32, 10)}
        ),
        lambda: single_(
            _example(tf, i=[3, 0], v=[1.5, 2.5]),
            {"sp": sparse("i", "v", tf.float32, 10, already_sorted=True)},
        ),
        lambda: single_(_example(tf, i=[3, 0], v=[1.5]), {"sp": sparse("i", "v", tf.float32, 10)}),
        lambda: single_(
            _example(tf, i=[3, 10], v=[1.5, 2.5]), {"sp": sparse("i", "v", tf.float32, 10)}
        ),
        lambda: single_(
            _example(tf, v=[1, 2, 3], s=[0, 1, 3]),
            {"r": rag(tf.int64, value_key="v", partitions=[rag.RowSplits("s")])},
        ),
        lambda: single_(a, {"x": fixed([], tf.int64)}),
        lambda: single_(a, {"s": fixed([2], tf.string)}),
        lambda: single_(a, {"y": fixed([2], tf.float32)}),
        lambda: single_(b, {"s": fixed([], tf.string)}),
        lambda: single_(a, {"x": fixed([1], tf.int64)}),
        lambda: single_(_example(tf, x=train.Feature()), {"x": fixed([1], tf.int64)}),
        lambda: single_(
            _example(tf, x=train.Feature()), {"x": fixed([1], tf.int64, default_value=[9])}
        ),
        lambda: single_(_example(tf, x=[]), {"x": fixed([1], tf.int64)}),
        lambda: single_(_example(tf, x=[]), {"x": var(tf.int64)}),
        lambda: single_(_example(tf, x=[]), {"x": var(tf.float32)}),
        lambda: single_(_example(tf, y=[b"q"]), {"y": rag(tf.float32)}),
        lambda: single_(a, {"x": var(tf.int32)}),
        lambda: single_(a, {"x": rag(tf.int32)}),
        lambda: single_(a, {"x": fixed([2], tf.int64), "v": var(tf.string), "r": rag(tf.float32)}),
        lambda: single_(
            _example(tf, v=[1, 2, 3, 4], s=[0, 0, 1, 3]),
            {"r": rag(tf.int64, value_key="v", partitions=[rag.ValueRowIds("s")])},
        ),
        lambda: single_(
            _example(tf, v=[1, 2, 3, 4], s=[0, 3]),
            {"r": rag(tf.int64, value_key="v", partitions=[rag.RowStarts("s")])},
        ),
        lambda: single_(
            _example(tf, v=[1, 2, 3, 4], s=[3, 4]),
            {"r": rag(tf.int64, value_key="v", partitions=[rag.RowLimits("s")])},
        ),
    )


def batches(tf, np):
    fixed = tf.io.FixedLenFeature
    var = tf.io.VarLenFeature
    seq = tf.io.FixedLenSequenceFeature
    rag = tf.io.RaggedFeature
    sparse = tf.io.SparseFeature
    a = _example(tf, x=[1, 2], y=[1.5], s=[b"t"])
    b = _example(tf, x=[3, 4], y=[2.5], s=[b"u", b"v"])
    e0 = _example(tf)
    parse = tf.io.parse_example
    return answers(
        lambda: parse([a, b], {"x": fixed([2], tf.int64), "y": fixed([], tf.float32)}),
        lambda: parse([a, b], {"s": var(tf.string)}),
        lambda: parse([a, b], {"s": rag(tf.string)}),
        lambda: parse([a, b, e0], {"s": rag(tf.string), "x": var(tf.int64)}),
        lambda: parse([a, e0], {"x": fixed([2], tf.int64)}),
        lambda: parse([a, e0], {"x": fixed([2], tf.int64, default_value=[0, 0])}),
        lambda: parse([a, _example(tf, x=[1])], {"x": fixed([2], tf.int64)}),
        lambda: parse([a, _example(tf, x=[1])], {"x": seq([], tf.int64, allow_missing=True)}),
        lambda: parse(
            [a, _example(tf, x=[1])], {"x": seq([], tf.int64, allow_missing=True, default_value=-1)}
        ),
        lambda: parse(
            [a, _example(tf, x=[1])],
            {"x": seq([2], tf.int64, allow_missing=True, default_value=-1)},
        ),
        lambda: parse([], {"x": fixed([2], tf.int64)}),
        lambda: parse(
            tf.constant([], tf.string), {"x": fixed([2], tf.int64), "v": var(tf.float32)}
        ),
        lambda: parse([a, b"xx"], {"x": fixed([2], tf.int64)}),
        lambda: parse([[a, b]], {"x": fixed([2], tf.int64)}),
        lambda: parse(a, {"x": fixed([2], tf.int64)}),
        lambda: parse([a, _example(tf, x=[1.5, 2.5])], {"x": fixed([2], tf.int64)}),
        lambda: parse(
            [_example(tf, i=[0, 3], v=[1.5, 2.5]), _example(tf, i=[9, 1], v=[1.0, 2.0])],
            {"sp": sparse("i", "v", tf.float32, 10)},
        ),
        lambda: parse(
            [_example(tf, i=[0, 3], v=[1.5, 2.5])], {"sp": sparse(["i"], "v", tf.float32, [10])}
        ),
        lambda: parse(
            [_example(tf, i=[0, 3], j=[1, 2], v=[1.5, 2.5])],
            {"sp": sparse(["i", "j"], "v", tf.float32, [10, 4])},
        ),
        lambda: parse(
            [_example(tf, v=[1, 2, 3], s=[0, 1, 3]), _example(tf, v=[4], s=[0, 1])],
            {"r": rag(tf.int64, value_key="v", partitions=[rag.RowSplits("s")])},
        ),
        lambda: parse(
            [_example(tf, v=[1, 2, 3], s=[1, 2]), _example(tf, v=[4], s=[1])],
            {"r": rag(tf.int64, value_key="v", partitions=[rag.RowLengths("s")])},
        ),
        lambda: parse(
            [_example(tf, v=[1, 2, 3, 4]), _example(tf, v=[4, 5])],
            {"r": rag(tf.int64, value_key="v", partitions=[rag.UniformRowLength(2)])},
        ),
        lambda: parse([a, b], {"x": rag(tf.int64, row_splits_dtype=tf.int64)}),
        lambda: parse([a, a], {"y": fixed([], tf.float32)}, example_names=["q", "r"]),
        lambda: parse([a, e0], {"y": fixed([], tf.float32)}, example_names=["q", "r"]),
        lambda: parse([b"garbage"], {"x": fixed([1], tf.int64)}),
        lambda: parse([a, b"garbage"], {"x": var(tf.int64)}, example_names=["p", "q"]),
        lambda: parse([a, _example(tf, y=[b"q"])], {"y": var(tf.float32)}),
        lambda: parse([a, _example(tf, y=[b"q"])], {"y": rag(tf.float32)}),
        lambda: parse([a, _example(tf, x=[1, 2, 3])], {"x": fixed([2], tf.int64)}),
        lambda: parse([a], {"x": seq([], tf.int64)}),
        lambda: parse([a], {"x": fixed([2], tf.int64, default_value="a")}),
        lambda: parse([a], {"x": fixed([2], tf.float32, default_value=[1, 2])}),
        lambda: parse(
            [_example(tf, v=[1, 2, 3, 4], s=[0, 0, 1, 3]), _example(tf, v=[1], s=[1])],
            {"r": rag(tf.int64, value_key="v", partitions=[rag.ValueRowIds("s")])},
        ),
        lambda: parse(
            [_example(tf, v=[1, 2, 3, 4], s=[0, 3]), _example(tf, v=[1], s=[0, 1])],
            {"r": rag(tf.int64, value_key="v", partitions=[rag.RowStarts("s")])},
        ),
        lambda: parse(
            [_example(tf, v=[1, 2, 3, 4], s=[3, 4]), _example(tf, v=[1], s=[0, 1])],
            {"r": rag(tf.int64, value_key="v", partitions=[rag.RowLimits("s")])},
        ),
        lambda: parse(
            [
                _example(tf, v=[1, 2, 3, 4], s=[1, 3], t=[2]),
                _example(tf, v=[1], s=[0, 1], t=[1, 1]),
            ],
            {
                "r": rag(
                    tf.int64, value_key="v", partitions=[rag.RowLengths("t"), rag.RowLengths("s")]
                )
            },
        ),
        lambda: parse(
            [_example(tf, v=[1, 2, 3, 4], s=[1, 3]), _example(tf, v=[1], s=[0, 1])],
            {
                "r": rag(
                    tf.int64,
                    value_key="v",
                    partitions=[rag.UniformRowLength(2), rag.RowLengths("s")],
                )
            },
        ),
        lambda: (
            parse(
                [_example(tf, v=[1, 2, 3, 4]), _example(tf, v=[1, 3])],
                {"r": rag(tf.int64, value_key="v", partitions=[rag.UniformRowLength(2)])},
            )["r"].shape
        ),
        lambda: parse(
            [_example(tf, v=[1, 2, 3, 4], s=[1, 2]), _example(tf, v=[1], s=[0, 1])],
            {"r": rag(tf.int64, value_key="v", partitions=[rag.RowLengths("s")], validate=True)},
        ),
        lambda: parse([_example(tf, i=[0, 3], v=[1.5])], {"sp": sparse("i", "v", tf.float32, 10)}),
        lambda: parse([_example(tf, i=[0], v=[1.5])], {"sp": sparse(["i"], "v", tf.float32, 10)}),
        lambda: parse(
            [_example(tf, i=[0], v=[1.5])], {"sp": sparse(["i"], "v", tf.float32, [10, 4])}
        ),
        lambda: parse(
            [_example(tf, i=[0], v=[1.5])],
            {"sp": sparse("i", "v", tf.float32, 10), "v": var(tf.float32)},
        ),
        lambda: parse(
            [_example(tf, i=[0], v=[1.5])],
            {"sp": sparse("i", "v", tf.float32, 10), "v": fixed([1], tf.float32)},
        ),
    )


def orders(tf, np):
    fixed = tf.io.FixedLenFeature
    var = tf.io.VarLenFeature
    a = _example(tf, x=[1, 2], y=[1.5], s=[b"t"])
    b = _example(tf, x=[3, 4], y=[2.5], s=[b"u", b"v"])
    single_ = tf.io.parse_single_example
    parse = tf.io.parse_example
    return answers(
        lambda: (
            sorted(parse([a, b], {"y": fixed([], tf.float32), "x": fixed([2], tf.int64)}).keys()),
            list(parse([a, b], {"y": fixed([], tf.float32), "x": fixed([2], tf.int64)})),
        ),
        lambda: list(
            single_(
                a, {"y": fixed([], tf.float32), "x": var(tf.int64), "a": fixed([], tf.int64, 1)}
            )
        ),
    )


def sequences(tf, np):
    fixed = tf.io.FixedLenFeature
    var = tf.io.VarLenFeature
    seq = tf.io.FixedLenSequenceFeature
    rag = tf.io.RaggedFeature
    s1 = _sequences(tf, {"c": [5]}, f=[[1, 2], [3, 4]], g=[[1.5], [2.5, 3.5]])
    one = tf.io.parse_single_sequence_example
    return answers(
        lambda: one(s1, {"c": fixed([], tf.int64)}, {"f": seq([2], tf.int64)}),
        lambda: one(s1, {"c": fixed([], tf.int64)}, {"f": var(tf.int64), "g": var(tf.float32)}),
        lambda: one(s1, None, {"g": rag(tf.float32)}),
        lambda: one(s1, {"c": var(tf.int64)}),
        lambda: one(s1),
        lambda: one(
            s1,
            {"c": fixed([], tf.int64), "d": fixed([1], tf.int64, [3])},
            {"h": seq([2], tf.int64, allow_missing=True)},
        ),
        lambda: one(s1, {"c": fixed([], tf.int64)}, {"h": seq([2], tf.int64)}),
        lambda: one(s1, {"d": fixed([], tf.int64)}),
        lambda: one(s1, None, {"f": seq([3], tf.int64)}),
        lambda: one(s1, None, {"f": seq([2], tf.float32)}),
        lambda: one(s1, None, {"f": fixed([2], tf.float32)}),
        lambda: one(b"garbage", None, {"f": seq([2], tf.int64)}),
        lambda: one([s1], None, {"f": seq([2], tf.int64)}),
    )


def batches_of_sequences(tf, np):
    fixed = tf.io.FixedLenFeature
    var = tf.io.VarLenFeature
    seq = tf.io.FixedLenSequenceFeature
    rag = tf.io.RaggedFeature
    s1 = _sequences(tf, {"c": [5]}, f=[[1, 2], [3, 4]], g=[[1.5], [2.5, 3.5]])
    s2 = _sequences(tf, {"c": [6]}, f=[[7, 8]], g=[])
    many = tf.io.parse_sequence_example
    return answers(
        lambda: many([s1, s2], {"c": fixed([], tf.int64)}, {"f": seq([2], tf.int64)}),
        lambda: many([s1, s2], {"c": fixed([], tf.int64)}, {"f": var(tf.int64)}),
        lambda: many([s1, s2], {"c": rag(tf.int64)}, {"f": rag(tf.int64), "g": rag(tf.float32)}),
        lambda: many([s1, s2], None, {"g": var(tf.float32)}),
        lambda: many([s1, _sequences(tf)], None, {"f": seq([2], tf.int64)}),
        lambda: many([s1, _sequences(tf)], None, {"f": seq([2], tf.int64, allow_missing=True)}),
        lambda: many(
            [s1, _sequences(tf)],
            None,
            {"f": seq([2], tf.int64, allow_missing=True, default_value=-1)},
        ),
        lambda: many([s1, _sequences(tf)], {"c": fixed([], tf.int64)}),
        lambda: many([s1, _sequences(tf)], {"c": fixed([], tf.int64, -5)}),
        lambda: many(s1, {"c": fixed([], tf.int64)}, {"f": seq([2], tf.int64)}),
        lambda: many([s1], None, None),
        lambda: many([b"garbage"], None, {"f": seq([2], tf.int64)}),
        lambda: many([s1], None, {"f": seq([3], tf.int64)}),
        lambda: many([s1], None, {"f": seq([2], tf.string)}),
    )


def features_of_several_kinds(tf, np):
    """One feature cannot become tensors of two kinds."""
    fixed, sparse = tf.io.FixedLenFeature([2], tf.int64), tf.io.VarLenFeature(tf.int64)
    ragged = tf.io.RaggedFeature(tf.int64, value_key="n")
    split = tf.io.RaggedFeature(tf.int64, "v", partitions=[tf.io.RaggedFeature.RowSplits("n")])
    kinds = [fixed, sparse, ragged, split]
    example = tf.train.Example()
    example.features.feature["n"].int64_list.value.extend([0, 1])
    example.features.feature["v"].int64_list.value.extend([7])
    text = example.SerializeToString()
    return [
        kind_of_error(lambda a=a, b=b: sorted(tf.io.parse_single_example(text, {"n": a, "m": b})))
        for a in kinds[:2]
        for b in kinds[2:]
    ]
