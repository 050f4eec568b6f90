"""Ragged and sparse arguments, results and captures of functions, with and without signatures."""

from programs.program import shown


def ragged_arguments(tf, np):
    @tf.function
    def f(x):
        return tf.reduce_sum(x, 1), x * 2, x.row_lengths()

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def g(x):
        return x.to_tensor(), x.with_values(x.values + 1), tf.concat([x, x], 0)

    a = tf.ragged.constant([[1.0, 2.0], [3.0]])
    b = tf.ragged.constant([[1.0], [3.0, 4.0, 5.0], []])
    found = [shown(h(x)) for h in (f, g) for x in (a, b, a)]
    return [*found, f.experimental_get_tracing_count(), g.experimental_get_tracing_count()]


def ragged_captures(tf, np):
    a = tf.ragged.constant([[1.0, 2.0], [3.0]])

    @tf.function
    def f(y):
        return a * y, a.row_lengths()

    y = tf.constant(2.0)
    found = [shown(f(y)), shown(f(tf.constant(3.0)))]
    with tf.GradientTape() as tape:
        tape.watch(y)
        total = tf.reduce_sum(f(y)[0])
    return [*found, tape.gradient(total, y), f.experimental_get_tracing_count()]


def gradients_of_ragged_arguments(tf, np):
    v = tf.Variable(2.0)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def f(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * v * v)
        return tape.gradient(loss, v), loss

    first = f(tf.ragged.constant([[1.0, 2.0], [3.0]]))
    return [first, f(tf.ragged.constant([[1.0], [3.0, 4.0, 5.0], []]))]


def sparse_arguments(tf, np):
    @tf.function
    def f(x):
        return tf.sparse.to_dense(x), x * 2.0, tf.sparse.reduce_sum(x, 1), x.dense_shape

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 2], tf.float32)])
    def g(x):
        return tf.sparse.to_dense(x), x, tf.sparse.sparse_dense_matmul(x, tf.ones([2, 1]))

    @tf.function(input_signature=[tf.SparseTensorSpec(None, tf.float32)])
    def h(x):
        return tf.sparse.reduce_sum(x)

    a = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    b = tf.sparse.from_dense([[1.0, 3.0], [0.0, 2.0]])
    c = tf.sparse.from_dense([[1.0, 3.0, 0.0], [0.0, 2.0, 0.0]])

    @tf.function
    def k(y):
        return tf.sparse.sparse_dense_matmul(a, y), a

    found = [shown(function(x)) for function in (f, g, h) for x in (a, b)]
    found += [shown(f(c)), shown(h(c)), shown(k(tf.ones([2, 1]))), shown(k(tf.ones([2, 2])))]
    return [*found, g.experimental_get_tracing_count(), h.experimental_get_tracing_count()]


def nests_and_keywords(tf, np):
    a = tf.ragged.constant([[1.0, 2.0], [3.0]])
    s = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])

    @tf.function
    def f(x, *, y, z=None):
        return {"x": x["a"][0] * 2.0, "y": y, "z": z}

    found = [shown(f({"a": [a]}, y=s)), shown(f({"a": [a]}, y=a, z=s))]
    return [*found, f.experimental_get_tracing_count()]


def within_loops_and_branches(tf, np):
    def loop(x):
        return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), [0, x])[1]

    def branch(x, p):
        return tf.cond(p, lambda: x, lambda: x * 3.0)

    found = []
    for value in (
        tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
    ):  # fmt: skip
        found += [shown(loop(value)), shown(tf.function(loop)(value))]
        for p in (True, False):
            found.append(shown(branch(value, tf.constant(p))))
            found.append(shown(tf.function(branch)(value, tf.constant(p))))
    return found


def results_for_specs_of_ragged_and_sparse_tensors(tf, np):
    """The types of results are told before any call, with None for the sizes of other values."""

    def told(function, *specs):
        made = tf.function(function).get_concrete_function(*specs)
        found = tf.nest.map_structure(
            lambda r: [str(tf.TensorShape(r.shape)), r.dtype.name], made.structured_outputs
        )
        return [found, len(made.outputs), [str(i.shape) for i in made.inputs][:3]]

    ragged, sparse = tf.RaggedTensorSpec, tf.SparseTensorSpec
    rows, numbers = ragged([None, None], tf.float32), ragged([None, None], tf.int32)
    return [
        told(lambda r: (tf.reduce_sum(r, 1), r * 2.0, r.row_lengths(), r.values), rows),
        told(lambda r: (r.to_tensor(), r.flat_values, tf.reduce_mean(r, -1)),
             ragged([None, None, None], tf.float32)),
        told(lambda r: (r.to_tensor(), tf.concat([r, r], 0), tf.concat([r, r], 1)),
             ragged([4, None], tf.int32)),
        told(lambda r: (r.to_tensor(shape=[None, 6, 2]), r.values),
             ragged([None, None, 2], tf.float32, ragged_rank=1)),
        told(lambda r, x: tf.gather(x, r.to_tensor()), numbers, tf.TensorSpec([7, 3])),
        told(lambda r, x: (r.to_tensor(), x * 2.0), numbers, tf.TensorSpec([None, 3])),
        told(lambda r, q: tf.concat([r, q], 1), numbers, numbers),
        told(lambda s: (tf.sparse.sparse_dense_matmul(s, tf.ones([3, 2])), s.values, s),
             sparse([None, 3], tf.float32)),
        told(lambda r: (tf.strings.length(r), r), ragged([None, None], tf.string)),
        told(lambda r: r.to_tensor() if tf.reduce_sum(r) > 0 else -r.to_tensor(), rows),
    ]  # fmt: skip


def variables_before_a_call(tf, np):
    """Which variables are used, and what is returned, is told for specs of all kinds."""
    v, w = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable(3.0)
    floats = tf.TensorSpec([], tf.float32)

    def told(function, spec):
        made = tf.function(function, input_signature=[spec]).get_concrete_function()
        used = [id(variable) for variable in made.variables]
        names = [name for name, own in (("v", v), ("w", w)) if id(own) in used]
        return [names, tf.nest.map_structure(str, made.output_shapes)]

    def assigned(x):
        w.assign_add(tf.reduce_sum(x))
        return x * w

    def assigned_sparse(x):
        w.assign_add(tf.sparse.reduce_sum(x))
        return tf.sparse.sparse_dense_matmul(x, v)

    def summed(elements):
        total = 0.0
        for element in elements:
            total += element * w
        return total

    return [
        told(assigned, tf.RaggedTensorSpec([None, None], tf.float32)),
        told(assigned_sparse, tf.SparseTensorSpec([None, 2], tf.float32)),
        told(summed, tf.data.DatasetSpec(floats)),
        told(lambda rows: next(rows)[0] * w,
             tf.data.IteratorSpec((tf.TensorSpec([None, 3]), floats))),
        told(lambda rows: next(iter(rows.skip(1)))[1] * w,
             tf.data.DatasetSpec((floats, tf.TensorSpec([None, 3])))),
        v.numpy().tolist(), w.numpy().item(),
    ]  # fmt: skip


def datasets_as_results_before_a_call(tf, np):
    def told(function, spec):
        made = tf.function(function).get_concrete_function(tf.data.DatasetSpec(spec))
        return [str(one.element_spec) for one in tf.nest.flatten(made.structured_outputs)]

    rows = tf.TensorSpec([None], tf.float32)
    return [
        told(lambda elements: elements.batch(2), rows),
        told(lambda elements: (elements.map(lambda x: (x, tf.shape(x))), elements.take(1)), rows),
        told(lambda elements: [elements.padded_batch(2), elements.repeat()], rows),
    ]
