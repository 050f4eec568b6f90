"""Functions of ragged and sparse specs, and what these specs say of themselves."""

import pickle

from programs.functions import kind_of_error
from programs.program import caught, shown


def concrete_functions_of_ragged_specs(tf, np):
    @tf.function
    def f(x):
        return tf.reduce_sum(x, 1), x * 2.0

    concrete = f.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32))
    a = tf.ragged.constant([[1.0, 2.0], [3.0]])
    b = tf.ragged.constant([[1.0], [3.0, 4.0, 5.0], []])
    return {
        "called": [shown(concrete(x)) for x in (a, b, a)],
        "traces": f.experimental_get_tracing_count(),
        "by the function": [shown(f(x)) for x in (a, b)],
        "of parts": shown(concrete(tf.constant([1.0, 2.0]), tf.constant([0, 0, 2], tf.int64))),
        "signature": repr(concrete.structured_input_signature),
        "printed": concrete.pretty_printed_signature(False).split(" -> ")[0],
        "wrong dtype": kind_of_error(lambda: concrete(tf.ragged.constant([[1, 2]]))),
        "dense": kind_of_error(lambda: concrete(tf.ones([2, 2]))),
        "nothing": kind_of_error(concrete),
    }


def concrete_functions_of_ragged_values(tf, np):
    @tf.function
    def f(x, k):
        return x * k

    a = tf.ragged.constant([[1.0, 2.0], [3.0]])
    concrete = f.get_concrete_function(a, 2.0)
    return {
        "called": [shown(concrete(a, 2.0)), shown(concrete(a + 1.0, 2.0))],
        "by name": shown(concrete(x=a, k=2.0)),
        "another number": kind_of_error(lambda: concrete(a, 3.0)),
        "signature": repr(concrete.structured_input_signature),
    }


def concrete_functions_of_sparse_specs(tf, np):
    @tf.function
    def f(x, y):
        return {"product": tf.sparse.sparse_dense_matmul(x, y), "x": x}

    concrete = f.get_concrete_function(
        tf.SparseTensorSpec([None, 2], tf.float32), tf.TensorSpec([2, 1])
    )
    a = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    b = tf.sparse.from_dense([[1.0, 3.0], [0.0, 2.0], [0.0, 1.0]])
    y = tf.ones([2, 1])
    return {
        "called": [shown(concrete(x, y)) for x in (a, b, a)],
        "by name": shown(concrete(x=a, y=y)),
        "traces": f.experimental_get_tracing_count(),
        "signature": repr(concrete.structured_input_signature),
        "printed": concrete.pretty_printed_signature(False).split(" -> ")[0],
        "wrong dtype": kind_of_error(lambda: concrete(tf.cast(a, tf.int32), y)),
        "dense": kind_of_error(lambda: concrete(tf.ones([2, 2]), y)),
    }


def concrete_functions_of_sparse_values(tf, np):
    @tf.function
    def f(x):
        return x * 2.0

    a = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    concrete = f.get_concrete_function(a)
    return {
        "called": [shown(concrete(a)), shown(concrete(a * 3.0))],
        "signature": repr(concrete.structured_input_signature),
    }


def signatures_that_do_not_fit(tf, np):
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def ragged(x):
        return tf.reduce_sum(x)

    @tf.function(input_signature=[tf.RaggedTensorSpec([2, None], tf.float32)])
    def two(x):
        return tf.reduce_sum(x)

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 2], tf.float32)])
    def sparse(x):
        return tf.sparse.reduce_sum(x)

    a = tf.ragged.constant([[1.0, 2.0], [3.0]])
    s = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    wide = tf.sparse.from_dense([[1.0, 0.0, 1.0]])
    deep = tf.ragged.constant([[[1.0]]])
    given = {
        "a": a, "three": tf.ragged.constant([[1.0], [2.0], []]), "s": s, "wide": wide,
        "deep": deep, "ints": tf.ragged.constant([[1, 2]]), "dense": tf.ones([2, 2]),
        "list": [[1.0, 2.0]], "none": None, "int splits": tf.ragged.constant(
            [[1.0]], row_splits_dtype=tf.int32), "ints sparse": tf.cast(s, tf.int32),
        "rows": tf.RaggedTensor.from_row_splits(tf.ones([3, 2]), [0, 1, 3]),
    }  # fmt: skip
    return {
        name: [kind_of_error(lambda f=f, x=x: f(x)) for f in (ragged, two, sparse)]
        for name, x in given.items()
    }


def what_is_said_of_what_does_not_fit(tf, np):
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def ragged(x):
        return tf.reduce_sum(x)

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 2], tf.float32)])
    def sparse(x):
        return tf.sparse.reduce_sum(x)

    return [
        caught(lambda f=f, x=x: f(x))
        for f in (ragged, sparse)
        for x in (tf.ones([2, 2]), tf.ragged.constant([[1, 2]]), 1)
    ]


def ragged_specs(tf, np):
    spec = tf.RaggedTensorSpec
    one, other = spec([None, None]), spec([2, None])
    a = tf.ragged.constant([[1.0, 2.0], [3.0]])
    full = spec([None, None, 3], tf.int32, 1, tf.int32)
    flat = spec(None, None, 1, flat_values_spec=tf.TensorSpec([None, 2], tf.float32))
    given = [
        one,
        other,
        full,
        spec([None, None], tf.int32),
        spec([3, None]),
        spec(None, ragged_rank=2),
    ]
    return {
        "reprs": [[repr(s), str(s)] for s in [*given, flat]],
        "equal": [[s == t for t in given] for s in given],
        "different": [one != other, one != spec([None, None]), one == 1, one == tf.TensorSpec([2])],
        "hash": [hash(one) == hash(spec([None, None])), len({one, spec([None, None]), other})],
        "compatible": [[s.is_compatible_with(t) for t in [*given, a]] for s in given],
        "subtype": [[s.is_subtype_of(t) for t in given] for s in given],
        "common": [
            repr(other.most_specific_common_supertype([spec([3, None])])),
            repr(other.most_specific_common_supertype([spec([3, None], tf.int32)])),
            repr(other.most_specific_compatible_type(spec([3, None]))),
        ],
        "nothing common": kind_of_error(lambda: one.most_specific_compatible_type(full)),
        "pickled": [repr(pickle.loads(pickle.dumps(s))) for s in given],
        "pickled equal": [pickle.loads(pickle.dumps(s)) == s for s in given],
        "attributes": [[str(s.shape), s.dtype.name, s.ragged_rank, s.row_splits_dtype.name,
                        s.flat_values_spec, s.value_type is tf.RaggedTensor] for s in given],
        "from_value": [repr(spec.from_value(a)), repr(tf.type_spec_from_value(a))],
        "wrong": [caught(lambda: spec()), caught(lambda: spec([2], ragged_rank=3)),
                  caught(lambda: spec([None, None], ragged_rank="a")),
                  caught(lambda: spec([None], None))],
        "rank 0": [repr(spec([None, 2], ragged_rank=0)),
                   spec([None, 2], ragged_rank=0).is_compatible_with(tf.ones([3, 2]))],
        "tensors": len(one.to_tensors(a)),
    }  # fmt: skip


def sparse_specs(tf, np):
    spec = tf.SparseTensorSpec
    one, other = spec([None, 2]), spec([3, 2])
    s = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    given = [one, other, spec([None, 2], tf.int32), spec(), spec([None, None]), spec([4, 2])]
    return {
        "reprs": [[repr(t), str(t)] for t in given],
        "equal": [[a == b for b in given] for a in given],
        "different": [one != other, one != spec([None, 2]), one == 1, one == tf.TensorSpec([2])],
        "hash": [hash(one) == hash(spec([None, 2])), len({one, spec([None, 2]), other})],
        "compatible": [[a.is_compatible_with(b) for b in [*given, s]] for a in given],
        "subtype": [[a.is_subtype_of(b) for b in given] for a in given],
        "common": [
            repr(other.most_specific_common_supertype([spec([4, 2])])),
            repr(other.most_specific_common_supertype([spec([4, 2], tf.int32)])),
            repr(other.most_specific_compatible_type(spec([4, 2]))),
        ],
        "nothing common": kind_of_error(
            lambda: one.most_specific_compatible_type(spec([1, 2], tf.int32))
        ),
        "pickled": [repr(pickle.loads(pickle.dumps(a))) for a in given],
        "pickled equal": [pickle.loads(pickle.dumps(a)) == a for a in given],
        "attributes": [
            [str(a.shape), a.dtype.name, a.value_type is tf.SparseTensor] for a in given
        ],
        "from_value": [repr(spec.from_value(s)), repr(tf.type_spec_from_value(s))],
        "tensors": len(one.to_tensors(s)),
        "made": repr(one.from_tensors(iter(one.to_tensors(s)))) == repr(s),
    }


def traces_of_ragged_and_sparse_values(tf, np):
    @tf.function
    def f(x):
        return x * 2.0

    values = [
        tf.ragged.constant([[1.0, 2.0], [3.0]]),
        tf.ragged.constant([[1.0], [3.0]]),
        tf.ragged.constant([[1.0], [3.0], []]),
        tf.ragged.constant([[1.0], [3.0], [4.0, 5.0]]),
        tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
        tf.sparse.from_dense([[1.0, 0.0], [3.0, 2.0]]),
        tf.sparse.from_dense([[1.0, 0.0, 0.0], [3.0, 2.0, 0.0]]),
    ]
    found = []
    for value in values:
        found += [shown(f(value)), f.experimental_get_tracing_count()]
    return found


def indexed_slices(tf, np):
    spec = tf.IndexedSlicesSpec([4, 2], tf.float32, tf.int32)

    @tf.function
    def f(x):
        return tf.convert_to_tensor(x), x

    @tf.function(input_signature=[spec])
    def g(x):
        return x.values * 2.0, x.indices

    x = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 3]), tf.constant([4, 2]))
    y = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([4, 2]))
    found = [f(x), f(y), f(x), kind_of_error(lambda: g(y))]
    return [*found, f.experimental_get_tracing_count()]


def variables_as_arguments(tf, np):
    @tf.function
    def f(v, x):
        v.assign_add(x)
        return v * x

    v, w, x = tf.Variable(1.0), tf.Variable(5.0), tf.constant(2.0)
    return [f(v, x), f(w, x), f(v, x), v.numpy(), w.numpy()]


def tensor_arrays_within(tf, np):
    @tf.function
    def f(x):
        array = tf.TensorArray(tf.float32, 3)
        for i in tf.range(3):
            array = array.write(i, x * tf.cast(i, tf.float32))
        return array.stack()

    return [f(tf.constant(2.0)), f(tf.constant([1.0, 2.0]))]


def ragged_results_of_dense_arguments(tf, np):
    @tf.function
    def f(x, lengths):
        ragged = tf.RaggedTensor.from_tensor(x, lengths=lengths)
        return ragged, ragged.row_lengths(), tf.sparse.from_dense(x), [ragged.to_sparse()]

    x = tf.constant([[1.0, 0.0, 3.0], [0.0, 5.0, 6.0]])
    found = [shown(f(x, tf.constant(n))) for n in ([1, 2], [3, 0], [0, 0])]
    return [[repr(part) for part in result] for result in found]


def specs_in_nests(tf, np):
    @tf.function(input_signature=[{
        "r": tf.RaggedTensorSpec([None, None], tf.float32),
        "s": (tf.SparseTensorSpec([None, 2], tf.float32), tf.TensorSpec([None])),
    }])  # fmt: skip
    def f(x):
        return tf.reduce_sum(x["r"]) + tf.sparse.reduce_sum(x["s"][0]) + tf.reduce_sum(x["s"][1])

    a = tf.ragged.constant([[1.0, 2.0], [3.0]])
    s = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    b = tf.ragged.constant([[1.0], [], [3.0, 4.0]])
    return [
        f({"r": a, "s": (s, tf.ones(2))}), f({"r": b, "s": (s, [1.0])}),
        f.experimental_get_tracing_count(),
        repr(f.get_concrete_function().structured_input_signature),
        kind_of_error(lambda: f({"r": s, "s": (a, tf.ones(2))})),
    ]  # fmt: skip


def specs_of_results_with_unknown_sizes(tf, np):
    def shape_of(make, *specs):
        found = tf.function(make, input_signature=list(specs)).get_concrete_function()
        return str(found.structured_outputs.shape)

    text, image = tf.TensorSpec([None], tf.string), tf.TensorSpec([None, None, 3])
    return {
        "padded texts": shape_of(lambda s: tf.pad(s, [[1, 1]]), text),
        "padded image": shape_of(lambda x: tf.image.pad_to_bounding_box(x, 1, 1, 5, 5), image),
        "rows": shape_of(tf.RaggedTensor.from_tensor, tf.TensorSpec([None, 2])),
        "rows of texts": shape_of(tf.RaggedTensor.from_tensor, tf.TensorSpec([None, 2], tf.string)),
    }


def specs_of_results_of_functions_that_look(tf, np):
    """Functions that make datasets of arguments, or loop over what changes its shape."""
    dataset, rows = tf.data.Dataset, tf.TensorSpec([None, 2])

    def result(make, *specs):
        return tf.function(make, input_signature=list(specs)).get_concrete_function()

    def element(make, *specs):
        return str(result(make, *specs).structured_outputs.element_spec)

    def doubled(n):
        x = tf.ones([1, 2])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None, 2]))]
            )
            x = tf.concat([x, x], 0)
        return x

    total = result(
        lambda x: dataset.from_tensor_slices(x).reduce(0.0, lambda s, row: s + row[0]), rows
    )
    first = result(lambda x: next(iter(dataset.from_tensor_slices(x))), rows)
    return {
        "slices": element(dataset.from_tensor_slices, rows),
        "whole": element(dataset.from_tensors, rows),
        "mapped": element(lambda x: dataset.from_tensor_slices(x).map(lambda r: r * 2.0), rows),
        "batches": element(lambda x: dataset.from_tensor_slices(x).batch(3), rows),
        "full batches": element(lambda x: dataset.from_tensor_slices(x).batch(3, True), rows),
        "windows": element(lambda x: dataset.from_tensor_slices(x).window(2), rows),
        "range": element(dataset.range, tf.TensorSpec([], tf.int64)),
        "repeated": element(lambda n: dataset.range(3).repeat(n), tf.TensorSpec([], tf.int64)),
        "total": [str(total.structured_outputs.shape), total.output_dtypes],
        "first": str(first.structured_outputs.shape),
        "loop": str(result(doubled, tf.TensorSpec([], tf.int32)).structured_outputs.shape),
    }
