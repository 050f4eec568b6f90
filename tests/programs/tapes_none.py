"""When a gradient is None, and when it is an error."""

from programs.program import caught


def _gradients(tf, function, *xs):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(xs)
        y = function(*xs)
    return caught(lambda: tape.gradient(y, list(xs)))


def ops_that_block(tf, np):
    x = tf.constant(2.0)
    functions = {
        "floor": tf.floor,
        "ceil": tf.math.ceil,
        "round": tf.round,
        "rint": tf.math.rint,
        "sign": tf.sign,
        "argmax": lambda x: tf.argmax([x]),
        "stop": tf.stop_gradient,
        "zeros_like": tf.zeros_like,
        "ones_like": tf.ones_like,
        "shape": tf.shape,
        "size": tf.size,
        "rank": tf.rank,
        "through int": lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
        "equal": lambda x: tf.cast(x == 2.0, tf.float32),
        "greater": lambda x: tf.cast(x > 1.0, tf.float32),
        "unrelated": lambda x: tf.constant(1.0),
        "times zero": lambda x: x * 0.0,
        "floormod": lambda x: tf.math.floormod(x, 3.0),
        "floordiv": lambda x: x // 3.0,
        "clip": lambda x: tf.clip_by_value(x, 0.0, 1.0),
        "where": lambda x: tf.where(x > 5, x, 1.0),
        "one_hot": lambda x: tf.one_hot(1, 3) * 1.0,
        "random": lambda x: tf.random.normal([]),
        "numpy": lambda x: tf.constant(x.numpy()),
        "python": lambda x: tf.constant(float(x)),
        "fill": lambda x: tf.fill([2], x),
        "eye": lambda x: tf.eye(2) * x,
        "logical": lambda x: tf.cast(tf.logical_and(x > 1, x < 3), tf.float32),
    }
    return {key: _gradients(tf, function, x) for key, function in functions.items()}


def no_gradient_registered(tf, np):
    x = tf.constant([[2.0, 1.0], [1.0, 3.0]])
    functions = {
        "lu": lambda x: tf.linalg.lu(x)[0],
        "unique": lambda x: tf.unique(tf.reshape(x, [-1]))[0],
        "bitcast": lambda x: tf.bitcast(x, tf.int32),
        "is_nan": lambda x: tf.cast(tf.math.is_nan(x), tf.float32),
        "is_finite": lambda x: tf.cast(tf.math.is_finite(x), tf.float32),
        "where is_finite": lambda x: tf.where(tf.math.is_finite(x), x, 0.0),
        "histogram": lambda x: tf.histogram_fixed_width(x, [0.0, 1.0]),
    }
    return {key: _gradients(tf, function, x) for key, function in functions.items()}


def adjust_contrast(tf, np):
    image, delta = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        new_image = tf.image.adjust_contrast(image, delta)
    return {
        "value": new_image,
        "gradient": caught(lambda: tape.gradient(new_image, [image, delta])),
    }


def an_unreached_op_without_gradient(tf, np):
    """A LookupError comes only if a gradient arrives at the op."""
    image = tf.Variable([[[0.5, 0.0, 0.0]]])
    with tf.GradientTape(persistent=True) as tape:
        bad = tf.image.adjust_contrast(image, 0.1)
        good = image * 2.0
        stopped = tf.stop_gradient(bad) + image
    return {
        "good": caught(lambda: tape.gradient(good, image)),
        "stopped": caught(lambda: tape.gradient(stopped, image)),
        "bad": caught(lambda: tape.gradient(bad, image)),
        "bad itself": caught(lambda: tape.gradient(bad, bad)),
    }


def integers(tf, np):
    x = tf.constant(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def integer_variables(tf, np):
    v = tf.Variable(3)
    with tf.GradientTape() as tape:
        y = v * v
    return {"gradient": tape.gradient(y, v), "watched": tape.watched_variables()}


def integer_target(tf, np):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.int32)
    return tape.gradient(y, x)


def integer_source_float_target(tf, np):
    i = tf.constant(2)
    with tf.GradientTape() as tape:
        tape.watch(i)
        y = tf.cast(i, tf.float32) * 2.0
    return tape.gradient(y, i)


def watching_an_integer_outside(tf, np):
    return caught(lambda: tf.GradientTape().watch(tf.constant(1)))


def unwatched(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


def kinds_of_sources(tf, np):
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    return {
        "gradients": tape.gradient(y, [x0, x1, x2, x3]),
        "watched": [v.name for v in tape.watched_variables()],
    }


def a_variable_replaced_by_a_tensor(tf, np):
    x, out = tf.Variable(2.0), []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        out.append((isinstance(x, tf.Variable), tape.gradient(y, x)))
        x = x + 1
    return out


def stop_gradient(tf, np):
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape(persistent=True) as tape:
        z = x * tf.stop_gradient(y)
        w = x * tf.stop_gradient(x * y) + y
        s = tf.stop_gradient(y)
        u = s * x
    return {
        "z": tape.gradient(z, [x, y]),
        "w": tape.gradient(w, [x, y]),
        "through the stopped": tape.gradient(u, [s, x, y]),
    }


def no_gradient(tf, np):
    return [caught(lambda: tf.no_gradient("NoSuchOpAtAll")), tf.no_gradient is not None]


def one_of_two_outputs(tf, np):
    x = tf.constant([3.0, 1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        values, indices = tf.math.top_k(x, 2)
        a, b = tf.split(x, [1, 2])
    return {
        "values": tape.gradient(values, x),
        "indices": tape.gradient(indices, x),
        "b": tape.gradient(b, x),
        "a b": tape.gradient([a, b], x),
        "b a": tape.gradient(b, a),
    }


def gathers(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    m = tf.constant([[1.0, 2.0]])
    functions = {
        "gather": (lambda x: tf.gather(x, [0, 0]), x),
        "gather axis": (lambda x: tf.gather(x, [0], axis=1), m),
        "getitem": (lambda x: x[0], x),
        "gather and dense": (lambda x: tf.reduce_sum(tf.gather(x, [0])) + tf.reduce_sum(x), x),
        "variable": (lambda x: tf.gather(x, [0, 0]), v),
        "embedding": (lambda x: tf.nn.embedding_lookup(x, [0]), v),
        "variable getitem": (lambda x: x[0], v),
        "gather_nd": (lambda x: tf.gather_nd(x, [[0]]), v),
    }
    return {key: _gradients(tf, function, x) for key, (function, x) in functions.items()}


def ties_and_edges(tf, np):
    def at(function, *values):
        return _gradients(tf, function, *(tf.constant(v) for v in values))

    return {
        "clip edge": [at(lambda x: tf.clip_by_value(x, 0.0, 1.0), v) for v in (0.0, 1.0, 1.5)],
        "reduce_max": at(tf.reduce_max, [1.0, 1.0]),
        "maximum": at(tf.maximum, 1.0, 1.0),
        "minimum": at(tf.minimum, 1.0, 1.0),
        "relu": at(tf.nn.relu, 0.0),
        "abs": at(tf.abs, 0.0),
        "sqrt": at(tf.sqrt, 0.0),
        "norm": at(tf.norm, [0.0, 0.0]),
        "pow 0": at(lambda x, y: x**y, 0.0, 2.0),
        "pow 0 0": at(lambda x, y: x**y, 0.0, 0.0),
        "pow 0 1": at(lambda x, y: x**y, 0.0, 1.0),
        "pow negative": at(lambda x, y: x**y, -2.0, 2.0),
        "log where": at(lambda x: tf.where(x > 0, tf.math.log(x), 0.0), 0.0),
        "prod": at(tf.reduce_prod, [0.0, 2.0, 3.0]),
        "prod two": at(tf.reduce_prod, [0.0, 0.0, 3.0]),
        "nan": at(lambda x: x * x, float("nan")),
        "inf": at(lambda x: 1.0 / x, 0.0),
    }


def complex_numbers(tf, np):
    def at(function, *values):
        return _gradients(tf, function, *(tf.constant(v) for v in values))

    return {
        "square": at(lambda z: z * z, 1 + 2j),
        "abs": at(tf.abs, 3 + 4j),
        "conj": at(lambda z: tf.math.conj(z) * z, 1 + 2j),
        "real": at(tf.math.real, 1 + 2j),
        "imag": at(tf.math.imag, 1 + 2j),
        "exp": at(tf.exp, 1 + 2j),
    }


def real_to_complex(tf, np):
    x = tf.constant(1.0)
    return _gradients(tf, lambda x: tf.cast(x, tf.complex64) * tf.constant(2j, tf.complex64), x)


def integer_sources(tf, np):
    def slopes(source, watch, target):
        with tf.GradientTape(persistent=True) as tape:
            if watch:
                tape.watch(source)
            y = target(source)
        return tape.gradient(y, source), tape.gradient(source, source)

    return {
        (kind.name, of, watch, name): slopes(make(tf.cast([1] * 100, kind)), watch, target)
        for kind in (tf.int32, tf.bool)
        for of, make in (("tensor", tf.identity), ("variable", tf.Variable))
        for watch in (False, True)
        for name, target in (
            ("cast", lambda x: tf.cast(x, tf.float32) * 2.0),
            ("same", lambda x: x),
            ("gathered", lambda x: tf.gather([2.0, 3.0], tf.cast(x, tf.int32))),
        )
    }


def sources_from_after_the_block(tf, np):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(v**2)
    return tape.gradient(y, [v, v[0], v * 1.0, tf.identity(v), y, y * 2.0])


def targets_that_are_inputs_of_ops_without_a_gradient(tf, np):
    """A tape knows nothing of x: the gradient of x is 1, unless an op on the way takes it."""
    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.5, 0.5])

    def slopes(value):
        with tf.GradientTape() as tape:
            y = value()
        return tape.gradient([x, y], [x, v])

    return {
        "greater": slopes(lambda: tf.where(x > v, tf.sin(v), v)),
        "equal": slopes(lambda: tf.where(tf.equal(x, v), v, v * 2.0)),
        "floor": slopes(lambda: tf.floor(x * v) * v),
        "floor of v": slopes(lambda: tf.floor(v) * x),
        "is_nan": slopes(lambda: tf.where(tf.math.is_nan(x * v), v, v)),
        "division": slopes(lambda: (x // v) * v),
        "stopped": slopes(lambda: tf.stop_gradient(x * v) * v),
        "cast": slopes(lambda: tf.cast(x > v, tf.float32) * v),
        "and": slopes(lambda: tf.where(tf.logical_and(x > v, v > 0.0), v, v)),
        "beside": slopes(lambda: (x * v, v * 2.0)[1]),
    }
