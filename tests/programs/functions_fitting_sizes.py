"""Specs that leave sizes open, where these meet sizes that are given: in functions and maps.

The functions are recorded without values, and so with no error that a later call would not raise.
"""


def _shapes(tf, function, *specs):
    signed = tf.function(function, input_signature=list(specs)).get_concrete_function()
    plain = tf.function(function).get_concrete_function(*specs)
    found = [tf.nest.map_structure(lambda s: str(s.shape), c.structured_outputs)
             for c in (plain, signed)]  # fmt: skip
    assert found[0] == found[1]
    return found[0]


def open_sizes_that_meet_given_ones(tf, np):
    given, rows = tf.ones([5, 3]), tf.TensorSpec([None, 3])
    programs = {
        "add": lambda x: x + given,
        "product": lambda x: tf.transpose(x) @ given,
        "concat": lambda x: tf.concat([x, given], 1),
        "where": lambda x: tf.where(given > 0.0, x, given),
        "ensured": lambda x: tf.ensure_shape(x, [5, 3]),
        "split": lambda x: tf.split(x, 5)[0],
        "pairs": lambda x: tf.reshape(x, [-1, 2]),
        "sevens": lambda x: tf.reshape(x, [-1, 7]),
        "half": lambda x: x[::2],
        "few": lambda x: x[:2],
        "rows": lambda x: tf.stack([x, x]),
    }
    return {name: _shapes(tf, function, rows) for name, function in programs.items()}


def several_open_sizes(tf, np):
    kernel = tf.ones([2, 2, 4, 1])
    square, image = tf.TensorSpec([None, None]), tf.TensorSpec([None, None, None, None])
    return [
        _shapes(tf, lambda x: x @ tf.ones([4, 2]), square),
        _shapes(tf, lambda x: tf.nn.bias_add(x, tf.ones([4])), square),
        _shapes(tf, lambda x, y: x @ y, square, square),
        _shapes(tf, lambda x, y: x + y, tf.TensorSpec([None, 3]), tf.TensorSpec([4, 3])),
        _shapes(tf, lambda x: tf.nn.conv2d(x, kernel, 1, "SAME"), image),
        _shapes(tf, lambda x: tf.nn.depth_to_space(x, 2), tf.TensorSpec([None, None, None, 8])),
        _shapes(tf, lambda x: tf.linalg.matvec(given_matrix(tf), x), tf.TensorSpec([None])),
        _shapes(tf, lambda x: tf.linalg.qr(x), tf.TensorSpec([None, 3])),
    ]


def given_matrix(tf):
    return tf.ones([5, 3])


def sizes_that_are_like_stand_ins(tf, np):
    specs = [tf.TensorSpec([2018, 504]), tf.TensorSpec([1009, 840]), tf.TensorSpec([None])]
    return _shapes(tf, lambda x, y, z: (x, y, z), *specs)


def unknown_ranks(tf, np):
    return [
        _shapes(tf, lambda x: x * 2.0, tf.TensorSpec(None)),
        _shapes(tf, lambda x: tf.reduce_sum(x, 1), tf.TensorSpec(None)),
        _shapes(tf, lambda x: tf.reshape(x, [-1]), tf.TensorSpec(None)),
        _shapes(tf, lambda x: tf.reduce_sum(x), tf.TensorSpec(None)),
    ]


def what_does_not_fit_any_size(tf, np):
    f = tf.function(lambda x: x @ tf.ones([4, 2]))
    try:
        f.get_concrete_function(tf.TensorSpec([None, 3]))
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        return "1009" in str(error)


def results_that_values_decide(tf, np):
    found = []
    rows, numbers = tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int32)
    x, i = tf.ones([5, 3]), tf.constant([0, 1, 1, 2, 3])
    programs = [
        (lambda i: tf.unique(i).y, [numbers], [i]),
        (lambda i: tf.where(i > 1), [numbers], [i]),
        (lambda i: tf.boolean_mask(i, i > 1), [numbers], [i]),
        (lambda i: tf.math.bincount(i), [numbers], [i]),
        (lambda i: tf.sequence_mask(i), [numbers], [i]),
        (lambda i: tf.math.confusion_matrix(i, i), [numbers], [i]),
        (lambda x, i: tf.repeat(x, i, axis=0), [rows, numbers], [x, i]),
        (lambda x, i: tf.math.segment_sum(x, i), [rows, numbers], [x, i]),
        (lambda x, i: tf.dynamic_partition(x, i, 4), [rows, numbers], [x, i]),
    ]
    for function, specs, arguments in programs:
        f = tf.function(function, input_signature=specs)
        f(*arguments)
        outputs = f.get_concrete_function().structured_outputs
        found.append(tf.nest.map_structure(lambda s: str(s.shape), outputs))
    return found


def stacked_arrays(tf, np):
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        array = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        for k in tf.range(tf.shape(x)[0]):
            array = array.write(k, x[k] * 2.0)
        grown = tf.TensorArray(tf.float32, size=0, dynamic_size=True).unstack(x)
        seen.append([str(array.stack().shape), str(grown.concat().shape), str(grown.stack().shape)])
        return array.stack()

    return f(tf.ones([5, 3])), seen[-1], str(f.get_concrete_function().structured_outputs.shape)


def maps_over_batches_of_open_sizes(tf, np):
    batches = tf.data.Dataset.from_tensor_slices(np.ones([4, 3], np.float32)).batch(2)
    functions = [
        lambda x: x + tf.ones([2, 3]),
        lambda x: tf.reshape(x, [-1, 2]),
        lambda x: tf.split(x, 2)[0],
        lambda x: {"a": x[:1], "b": x[0]},
        lambda x: tf.transpose(x) @ tf.ones([2, 5]),
        lambda x: tf.ensure_shape(x, [2, 3]),
        lambda x: tf.zeros([tf.shape(x)[0], 2]),
        lambda x: tf.matmul(x, x, transpose_b=True),
    ]
    found = []
    for function in functions:
        mapped = batches.map(function)
        specs = tf.nest.map_structure(lambda spec: str(spec.shape), mapped.element_spec)
        found.append((specs, next(iter(mapped))))
    return found
