"""Batchable extension types: tf.map_fn, tf.data, encoders of their own."""

import typing

from programs.extension_types import _answers, _masked, _told


def _batchable(tf):
    class MaskedTensor(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    return MaskedTensor


def specs(tf, np):
    e = tf.experimental

    class Inner(e.BatchableExtensionType):
        t: tf.Tensor

    class Kind(e.BatchableExtensionType):
        a: tf.Tensor
        r: tf.RaggedTensor
        i: Inner
        shape: tf.TensorShape
        n: int
        m: typing.Mapping[str, tf.Tensor]
        u: tuple[tf.Tensor, ...]

    value = Kind(
        [1, 2],
        tf.ragged.constant([[1], [2, 3]]),
        Inner([5.0, 6.0]),
        [2],
        3,
        {"k": [7, 8]},
        ([1, 2],),
    )
    spec = value._type_spec
    encoder = Kind.Spec.__batch_encoder__
    return _answers(
        tf,
        lambda: spec,
        lambda: type(encoder).__name__,
        lambda: encoder.batch(spec, 5),
        lambda: encoder.batch(spec, None),
        lambda: encoder.unbatch(spec),
        lambda: encoder.unbatch(encoder.unbatch(spec)),
        lambda: encoder.encode(spec, value),
        lambda: encoder.encoding_specs(spec),
        lambda: encoder.decode(spec, encoder.encode(spec, value)),
        lambda: spec._batch(4),
        lambda: spec._unbatch(),
        lambda: isinstance(encoder, e.ExtensionTypeBatchEncoder),
        lambda: tf.type_spec_from_value([Inner([1]), Inner([2, 3])]),
        lambda: tf.type_spec_from_value([tf.constant([1]), tf.constant([2, 3])]),
        lambda: tf.type_spec_from_value([[tf.constant([1])], [tf.constant([2])]]),
        lambda: tf.type_spec_from_value([tf.constant([1]), tf.constant([2.0])]),
        lambda: tf.type_spec_from_value([value.r, value.r]),
        lambda: tf.type_spec_from_value([1, 2]),
    )


def encoders_that_are_refused(tf, np):
    e = tf.experimental

    def plain():
        class Plain(e.ExtensionType):
            t: tf.Tensor
            __batch_encoder__ = e.ExtensionTypeBatchEncoder()

    def within():
        class Within(e.ExtensionType):
            t: tf.Tensor

            class Spec:
                __batch_encoder__ = e.ExtensionTypeBatchEncoder()

    class Own(e.ExtensionTypeBatchEncoder):
        pass

    class Kind(e.BatchableExtensionType):
        t: tf.Tensor
        __batch_encoder__ = Own()

    class Narrow(Kind):
        n: int

    return _answers(
        tf,
        plain,
        within,
        lambda: type(Kind.Spec.__batch_encoder__).__name__,
        lambda: type(Narrow.Spec.__batch_encoder__).__name__,
    )


def mapped(tf, np):
    masked = _batchable(tf)

    class Nested(tf.experimental.BatchableExtensionType):
        m: masked
        n: int
        shape: tf.TensorShape

    x = masked([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[True, False], [True, True], [False, False]])
    spec = masked.Spec(tf.TensorSpec([2], tf.float32), tf.TensorSpec([2], tf.bool))
    nested = Nested(x, 7, [3, 2])

    def twice(m):
        return masked(m.values * 2.0, ~m.mask)

    def total(m):
        return tf.reduce_sum(tf.where(m.mask, m.values, 0.0))

    found = _answers(
        tf,
        lambda: tf.map_fn(total, x, fn_output_signature=tf.float32),
        lambda: tf.map_fn(twice, x),
        lambda: tf.map_fn(twice, x, fn_output_signature=spec),
        lambda: tf.map_fn(
            lambda v: masked(v, v > 1.0), tf.constant([[1.0, 2.0]]), fn_output_signature=spec
        ),
        lambda: tf.map_fn(lambda n: n.m.values, nested, fn_output_signature=tf.float32),
        lambda: tf.map_fn(lambda n: n, nested),
        lambda: tf.map_fn(
            lambda a: a["m"].values + a["v"],
            {"m": x, "v": tf.constant([1.0, 2.0, 3.0])},
            fn_output_signature=tf.float32,
        ),
        lambda: tf.map_fn(lambda m: (m, m.values), x, fn_output_signature=(spec, tf.float32)),
        lambda: tf.function(lambda x: tf.map_fn(twice, x))(x),
        lambda: tf.vectorized_map(total, x),
        lambda: tf.vectorized_map(twice, x),
        lambda: tf.vectorized_map(lambda a: a[0].values * a[1], (x, tf.constant([1.0, 2.0, 3.0]))),
        lambda: tf.function(lambda x: tf.map_fn(total, x, fn_output_signature=tf.float32))(x),
    )
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        loss = tf.reduce_sum(tf.map_fn(twice, x).values ** 2)
    found.append(tape.gradient(loss, x.values))
    refused = _answers(
        tf,
        lambda: tf.map_fn(lambda m: m.values, masked(1.0, True), fn_output_signature=tf.float32),
        lambda: tf.map_fn(lambda m: m.values, x, fn_output_signature=spec),
        lambda: tf.map_fn(lambda m: m, _masked(tf)([1], [True])),
        lambda: tf.map_fn(
            lambda m: m.values, masked([1.0], [True, False]), fn_output_signature=tf.float32
        ),
    )  # fmt: skip
    return found + [item.name if hasattr(item, "name") else item for item in refused]


def datasets(tf, np):
    masked = _batchable(tf)
    data = tf.data.Dataset
    x = masked([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[True, False], [True, True], [False, False]])

    def twice(m):
        return masked(m.values * 2.0, ~m.mask)

    def pairs(key, window):
        return window.batch(2)

    rows = data.from_tensor_slices(x)
    return _answers(
        tf,
        lambda: list(data.from_tensors(x)),
        lambda: data.from_tensors(x).element_spec,
        lambda: list(rows),
        lambda: rows.element_spec,
        lambda: list(rows.map(twice)),
        lambda: rows.map(twice).element_spec,
        lambda: list(rows.map(lambda m: m.values)),
        lambda: list(rows.batch(2)),
        lambda: rows.batch(2).element_spec,
        lambda: rows.batch(2, drop_remainder=True).element_spec,
        lambda: list(rows.batch(2).map(twice)),
        lambda: list(rows.batch(2).unbatch()),
        lambda: list(rows.batch(2).unbatch().batch(3)),
        lambda: list(rows.repeat(2).skip(1).take(2)),
        lambda: list(rows.enumerate())[1][1],
        lambda: list(rows.filter(lambda m: tf.reduce_all(m.mask))),
        lambda: list(data.zip((rows, data.range(3))).map(lambda m, i: m.values[i % 2])),
        lambda: list(data.range(2).map(lambda i: masked([i], [i > 0]))),
        lambda: list(data.range(4).map(lambda i: masked([i], [i > 1])).batch(2)),
        lambda: list(data.from_tensor_slices({"a": x, "b": [1, 2, 3]}).map(lambda d: d["a"])),
        lambda: rows.reduce(0.0, lambda total, m: total + tf.reduce_sum(m.values)),
        lambda: list(rows.concatenate(rows).cache().shuffle(1).prefetch(1))[4],
        lambda: list(rows.flat_map(lambda m: data.from_tensors(m))),
        lambda: list(rows.scan(0.0, lambda s, m: (s + m.values[0], s + m.values[1]))),
        lambda: rows.cardinality(),
        lambda: next(iter(rows)),
        lambda: rows.take(1).get_single_element(),
        lambda: list(rows.ragged_batch(2)),
        lambda: list(
            rows.group_by_window(lambda m: 0 * rows.cardinality(), lambda k, w: w.batch(2), 2)
        ),
        lambda: next(rows.as_numpy_iterator()),
        lambda: list(
            data.from_generator(
                lambda: iter([masked([1.0], [True])]),
                output_signature=masked.Spec(tf.TensorSpec([1]), tf.TensorSpec([1], tf.bool)),
            )
        ),
    )


def datasets_of_plain_types(tf, np):
    masked = _masked(tf)
    data = tf.data.Dataset
    x = masked([[1.0, 2.0], [3.0, 4.0]], [[True, False], [True, True]])
    found = _answers(
        tf,
        lambda: list(data.from_tensors(x)),
        lambda: data.from_tensors(x).element_spec,
        lambda: list(data.from_tensors(x).map(lambda m: m.replace_mask(~m.mask))),
        lambda: list(data.range(2).map(lambda i: masked(i, i > 0))),
        lambda: list(data.from_tensors(x).repeat(2).map(lambda m: m.values[0])),
    )
    refused = _answers(
        tf,
        lambda: list(data.from_tensor_slices(x)),
        lambda: list(data.from_tensors(x).batch(2)),
        lambda: list(data.from_tensors(x).unbatch()),
    )
    return found + [item.name if hasattr(item, "name") else item for item in refused]


def loops_over_datasets(tf, np):
    masked = _batchable(tf)
    x = masked([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[True, False], [True, True], [False, False]])
    rows = tf.data.Dataset.from_tensor_slices(x)

    @tf.function
    def total(dataset):
        result = tf.constant(0.0)
        for m in dataset:
            result += tf.reduce_sum(tf.where(m.mask, m.values, 0.0))
        return result

    @tf.function
    def first(iterator):
        return next(iterator)

    return _answers(
        tf,
        lambda: total(rows),
        lambda: total(rows.skip(1)),
        lambda: first(iter(rows)),
    )


def encoders_of_their_own(tf, np):
    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):
        """Keeps the matrix as one row, so that batches of different sizes are ragged."""

        def batch(self, spec, batch_size):
            return Network.Spec(tf.TensorShape([batch_size]).concatenate(spec.shape))

        def unbatch(self, spec):
            return Network.Spec(spec.shape[1:])

        def encode(self, spec, value, minimum_rank=0):
            return [value.work * 10.0, value.work]

        def decode(self, spec, encoded_value):
            return Network(encoded_value[1], spec.shape)

        def encoding_specs(self, spec):
            size = spec.shape.concatenate([2])
            return [tf.TensorSpec(size, tf.float32), tf.TensorSpec(size, tf.float32)]

    class Network(tf.experimental.BatchableExtensionType):
        work: tf.Tensor
        shape: tf.TensorShape
        __batch_encoder__ = Encoder()

        def __init__(self, work, shape=None):
            self.work = work
            self.shape = tf.TensorShape(work.shape[:-1] if shape is None else shape)

        class Spec:
            def __init__(self, shape):
                self.shape = tf.TensorShape(shape)
                self.work = tf.TensorSpec(self.shape.concatenate([2]), tf.float32)

    nets = [Network(tf.constant([1.0, 2.0])), Network(tf.constant([3.0, 4.0]))]
    both = Network(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    rows = tf.data.Dataset.from_tensor_slices(both)
    return _answers(
        tf,
        lambda: nets,
        lambda: both,
        lambda: list(rows),
        lambda: list(rows.batch(2)),
        lambda: rows.batch(2).element_spec,
        lambda: tf.map_fn(lambda n: tf.reduce_sum(n.work), both, fn_output_signature=tf.float32),
        lambda: tf.map_fn(
            lambda n: Network(n.work * 3.0), both, fn_output_signature=Network.Spec([])
        ),
    )


def ragged_fields(tf, np):
    class Rows(tf.experimental.BatchableExtensionType):
        r: tf.RaggedTensor
        s: tf.SparseTensor
        t: tf.Tensor

    x = Rows(
        tf.ragged.constant([[[1], [2, 3]], [[4, 5], []]]),
        tf.sparse.from_dense([[1, 0], [0, 2]]),
        ["a", "b"],
    )
    rows = tf.data.Dataset.from_tensor_slices(x)
    return _answers(
        tf,
        lambda: [_told(tf, [m.r, m.t]) for m in rows],
        lambda: [tf.sparse.to_dense(m.s) for m in rows],
        lambda: rows.element_spec,
        lambda: [_told(tf, [m.r, m.t]) for m in rows.batch(2)],
        lambda: tf.map_fn(
            lambda m: m.r, x, fn_output_signature=tf.RaggedTensorSpec([None, None], tf.int32)
        ),
    )
