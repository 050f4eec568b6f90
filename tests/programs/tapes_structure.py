"""Nested targets and sources, output gradients, unconnected gradients, odd arguments."""

from programs.program import caught


def nested_sources(tf, np):
    w, b = tf.Variable([[1.0], [2.0]]), tf.Variable([3.0])
    with tf.GradientTape(persistent=True) as tape:
        y = [[1.0, 2.0]] @ w + b
    return {
        "list": tape.gradient(y, [w, b]),
        "tuple": tape.gradient(y, (w, b)),
        "dict": tape.gradient(y, {"w": w, "b": b}),
        "deep": tape.gradient(y, [w, {"b": b, "more": [(w,), []]}]),
        "empty list": tape.gradient(y, []),
        "empty dict": tape.gradient(y, {}),
        "list of one": tape.gradient(y, [w]),
    }


def nested_targets(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y0, y1 = x**2, 1 / x
    return {
        "dict": tape.gradient({"y0": y0, "y1": y1}, x),
        "list": tape.gradient([y0, y1], x),
        "deep": tape.gradient([y0, {"a": (y1, y0)}], x),
        "empty": caught(lambda: tape.gradient([], x)),
        "with an unconnected one": tape.gradient([y0, tf.constant(1.0)], x),
    }


def named_tuples(tf, np):
    import collections

    pair = collections.namedtuple("Pair", "a b")
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = x * x * y
    g = tape.gradient(z, pair(x, y))
    return {"type": type(g).__name__, "a": g.a, "b": g.b}


def vector_targets_are_summed(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        m = tf.tensordot(x, x * x, 0)
    return {"vector": tape.gradient(y, x), "matrix": tape.gradient(m, x)}


def output_gradients(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, tf.reduce_sum(x * x * x)
    return {
        "one": tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0])),
        "list": tape.gradient([y], x, output_gradients=[tf.constant([1.0, 10.0])]),
        "two": tape.gradient(
            [y, z], x, output_gradients=[tf.constant([0.0, 1.0]), tf.constant(2.0)]
        ),
        "none among them": caught(
            lambda: tape.gradient([y, z], x, output_gradients=[None, tf.constant(2.0)])
        ),
        "python list": caught(lambda: tape.gradient(y, x, output_gradients=[1.0, 10.0])),
        "numpy": caught(
            lambda: tape.gradient(y, x, output_gradients=np.array([1.0, 10.0], np.float32))
        ),
        "zeros": tape.gradient(y, x, output_gradients=tf.zeros(2)),
        "too few": caught(lambda: tape.gradient([y, z], x, output_gradients=[tf.ones(2)])),
        "another shape": caught(lambda: tape.gradient(y, x, output_gradients=tf.constant(3.0))),
        "too long": caught(lambda: tape.gradient(z, x, output_gradients=tf.constant([1.0, 2.0]))),
        "another dtype": caught(
            lambda: tape.gradient(y, x, output_gradients=tf.constant([1.0, 2.0], tf.float64))
        ),
    }


def unconnected(tf, np):
    x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    i = tf.Variable([1, 2])
    zero = tf.UnconnectedGradients.ZERO
    with tf.GradientTape(persistent=True) as tape:
        z = y**2
    return {
        "none": tape.gradient(z, x),
        "zero": tape.gradient(z, x, unconnected_gradients=zero),
        "name": tape.gradient(z, [x, y], unconnected_gradients="zero"),
        "none by name": tape.gradient(z, x, unconnected_gradients="none"),
        "enumeration none": tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.NONE),
        "integers": caught(lambda: tape.gradient(z, i, unconnected_gradients=zero)),
        "wrong": caught(lambda: tape.gradient(z, x, unconnected_gradients="x")),
        "wrong kind": caught(lambda: tape.gradient(z, x, unconnected_gradients=None)),
        "jacobian": tape.jacobian(z, x, unconnected_gradients=zero),
        "jacobian none": tape.jacobian(z, x),
    }


def the_enumeration(tf, np):
    u = tf.UnconnectedGradients
    return [str(u.NONE), repr(u.ZERO), u.ZERO.value, [m.name for m in u], caught(lambda: u("x"))]


def odd_sources(tf, np):
    def ask(source):
        with tf.GradientTape() as tape:
            x = tf.constant(2.0)
            tape.watch(x)
            y = x * x
        return caught(lambda: tape.gradient(y, source))

    return {
        "float": ask(1.0),
        "none": ask(None),
        "ndarray": ask(np.ones(1)),
        "bool tensor": ask(tf.constant(True)),
        "list of none": ask([None]),
        "text": ask("x"),
    }


def odd_targets(tf, np):
    def ask(make):
        with tf.GradientTape() as tape:
            x = tf.constant(2.0)
            tape.watch(x)
            y = x * x
        return caught(lambda: tape.gradient(make(y), x))

    return {
        "none": ask(lambda y: None),
        "float": ask(lambda y: 3.0),
        "list of float": ask(lambda y: [3.0]),
        "list with none": ask(lambda y: [y, None]),
        "ndarray": ask(lambda y: np.ones(2, np.float32)),
        "constant": ask(lambda y: tf.constant(1.0)),
    }


def odd_watches(tf, np):
    tape = tf.GradientTape()
    return {
        "ndarray": caught(tape.watch, np.ones(2)),
        "float": caught(tape.watch, 1.0),
        "none": caught(tape.watch, None),
        "text": caught(tape.watch, "x"),
        "list of float": caught(tape.watch, [1.0, 2.0]),
        "empty": caught(tape.watch, []),
    }


def odd_arguments(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return {
        "no sources": caught(lambda: tape.gradient(y)),
        "keywords": tape.gradient(sources=x, target=y),
        "unknown": caught(lambda: tape.gradient(y, x, nonsense=1)),
        "persistent positional": caught(lambda: tf.GradientTape(True).gradient(y, x)),
    }


def variables_as_targets(tf, np):
    v, w = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v
        z = v * w
    return {
        "itself": tape.gradient(y, v),
        "another": tape.gradient(v, w),
        "both": tape.gradient([v, z], [v, w]),
    }


def an_unread_variable_as_target(tf, np):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(v)
    return caught(lambda: tape.gradient(v, v))


def an_assignment_as_target(tf, np):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w.assign_add(1.0)
    return {"gradient": tape.gradient(y, w), "watched": tape.watched_variables()}


def numpy_functions_of_variables(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        x2 = x**2
        y = tf.reduce_mean(np.mean(x2, axis=0), axis=0)
    return {"y": y, "gradient": tape.gradient(y, x)}


def mixed_dtypes(tf, np):
    x, y = tf.Variable(3.0), tf.Variable(4, dtype=tf.int32)
    z = tf.Variable(2.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        r = tf.cast(x, tf.float64) * z * tf.cast(y, tf.float64)
    return tape.gradient(r, [x, y, z])


def half_precision(tf, np):
    out = {}
    for dtype in (tf.float16, tf.bfloat16, tf.float64):
        x = tf.Variable([1.5, 2.0], dtype=dtype)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        out[dtype.name] = tape.gradient(y, x)
    return out


def empty_tensors(tf, np):
    x = tf.zeros([0, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x) + 1.0
    return {"y": y, "gradient": tape.gradient(y, x)}


def broadcasting(tf, np):
    a, b, c = tf.ones([2, 3]), tf.ones([3]), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b, c])
        y = (a + b) * c - b / c
    return tape.gradient(y, [a, b, c])


def a_source_of_another_tape(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as one:
        one.watch(x)
        y = x * x
    with tf.GradientTape() as two:
        two.watch(x)
        z = y * x
    return {"two": two.gradient(z, [x, y]), "one": one.gradient(z, [x, y])}


def a_target_made_after_the_tape(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    z = y * y
    return {"z x": tape.gradient(z, x), "z y": tape.gradient(z, y), "z z": tape.gradient(z, z)}
