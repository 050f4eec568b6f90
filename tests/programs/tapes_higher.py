"""Gradients of gradients, gradients inside a tape's own block, jacobians."""

from programs.program import caught


def second_derivative(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        first = inner.gradient(y, x)
    return {"first": first, "second": outer.gradient(first, x)}


def four_deep(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as t4:
        t4.watch(x)
        with tf.GradientTape() as t3:
            t3.watch(x)
            with tf.GradientTape() as t2:
                t2.watch(x)
                with tf.GradientTape() as t1:
                    t1.watch(x)
                    y = x**5 + tf.sin(x)
                d1 = t1.gradient(y, x)
            d2 = t2.gradient(d1, x)
        d3 = t3.gradient(d2, x)
    return [d1, d2, d3, t4.gradient(d3, x)]


def four_deep_with_variables(tf, np):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(0.5)
    with tf.GradientTape(persistent=True) as t4:
        with tf.GradientTape(persistent=True) as t3:
            with tf.GradientTape(persistent=True) as t2:
                with tf.GradientTape(persistent=True) as t1:
                    y = tf.reduce_sum(tf.tanh(v * w) * v)
                d1 = t1.gradient(y, [v, w])
            d2 = t2.gradient(d1, [v, w])
        d3 = t3.gradient(d2, [v, w])
    return [d1, d2, d3, t4.gradient(d3, [v, w])]


def cross_derivatives(tf, np):
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape(persistent=True) as inner:
            f = tf.square(x) + 2 * tf.square(y) + x * y * y
        fx, fy = inner.gradient(f, [x, y])
    return {
        "xx": outer.gradient(fx, x),
        "xy": outer.gradient(fx, y),
        "yx": outer.gradient(fy, x),
        "yy": outer.gradient(fy, y),
        "f": outer.gradient(f, [x, y]),
    }


def a_list_of_first_gradients(tf, np):
    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape(persistent=True) as inner:
            f = tf.square(x) + 2 * tf.square(y) + 1
        first = inner.gradient(f, [x, y])
    return {"first": first, "second": [outer.gradient(first, [x, y])]}


def none_patterns_of_second_derivatives(tf, np):
    functions = {
        "linear": lambda x: 3.0 * x,
        "identity": tf.identity,
        "relu": tf.nn.relu,
        "maximum": lambda x: tf.maximum(x, 0.0),
        "reduce_max": lambda x: tf.reduce_max(x),
        "abs": tf.abs,
        "square": tf.square,
        "reduce_sum": tf.reduce_sum,
        "where": lambda x: tf.where(x > 0, x, 0.0),
        "where square": lambda x: tf.where(x > 0, x * x, 0.0),
        "sin": tf.sin,
        "pow": lambda x: x**2,
        "pow 1": lambda x: x**1.0,
        "clip": lambda x: tf.clip_by_value(x, -1.0, 3.0),
        "leaky": tf.nn.leaky_relu,
        "concat": lambda x: tf.concat([x, x], 0),
        "negative": lambda x: -x,
        "divide": lambda x: x / 2.0,
        "divide by": lambda x: 2.0 / x,
        "matmul": lambda x: tf.reshape(x, [1, 2]) @ tf.reshape(x, [2, 1]),
        "cast": lambda x: tf.cast(x, tf.float64),
        "stop": lambda x: x * tf.stop_gradient(x),
    }
    x, out = tf.constant([1.5, -0.5]), {}
    for key, function in functions.items():
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            first = inner.gradient(y, x)
        out[key] = [first, outer.gradient(first, x)]
    return out


def an_inner_tape_that_does_not_watch(tf, np):
    x, v = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            y = x * v * v
        dv = inner.gradient(y, v)
        dx = inner.gradient if False else None
    return {"dv": dv, "dx": dx, "outer": outer.gradient(dv, [x, v])}


def an_outer_tape_closed_early(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
    first = inner.gradient(y, x)
    return {"first": first, "outer": outer.gradient(first, x)}


def gradient_inside_persistent(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        first = tape.gradient(y, x)
        second = tape.gradient(first, x)
        z = first * x
    return {
        "first": first,
        "second": second,
        "second outside": tape.gradient(first, x),
        "third outside": tape.gradient(second, x),
        "z": tape.gradient(z, x),
    }


def gradient_inside(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        first = tape.gradient(y, x)
        z = x * x * x
        recording = tape._recording
        stopping = caught(lambda: tape.stop_recording().__enter__())
    return {
        "first": first,
        "recording": recording,
        "stopping": stopping,
        "again": caught(lambda: tape.gradient(z, x)),
        "watch": caught(tape.watch, x),
    }


def gradient_inside_another_tape(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
            first = inner.gradient(y, x)
        z = first + x
    return {"first": first, "z": outer.gradient(z, x)}


def gradient_penalty(tf, np):
    w, x = tf.Variable([[1.0, -1.0], [0.5, 2.0]]), tf.constant([[1.0, 2.0], [3.0, -1.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.tanh(x @ w), axis=1)
        g = inner.gradient(y, x)
        penalty = tf.reduce_mean((tf.norm(g, axis=1) - 1.0) ** 2)
    return {"penalty": penalty, "gradient": outer.gradient(penalty, w)}


def input_gradient_regularization(tf, np):
    x, w = tf.constant([[1.0, 2.0]]), tf.Variable([[0.5], [0.25]])
    with tf.GradientTape() as t2:
        with tf.GradientTape(watch_accessed_variables=False) as t1:
            t1.watch(x)
            out = tf.reduce_sum(tf.sigmoid(x @ w))
        g1 = t1.gradient(out, x)
        g1_mag = tf.norm(g1)
    return {"magnitude": g1_mag, "gradient": t2.gradient(g1_mag, w)}


def a_derivative_as_a_field(tf, np):
    """A physics-informed loss: u, u_x, u_xx and the gradient of their residual."""
    w, b = tf.Variable([[0.7, -0.3]]), tf.Variable([0.1, 0.2])
    x = tf.constant([[0.0], [0.5], [1.0]])
    with tf.GradientTape() as training:
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                u = tf.reduce_sum(tf.tanh(x @ w + b), axis=1, keepdims=True)
            u_x = t1.gradient(u, x)
        u_xx = t2.gradient(u_x, x)
        loss = tf.reduce_mean(tf.square(u_xx + u))
    return {"u_x": u_x, "u_xx": u_xx, "loss": loss, "gradient": training.gradient(loss, [w, b])}


def hessian_vector_product(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.constant([0.5, -1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x**3) * x[0]
        g = inner.gradient(y, x)
    return outer.gradient(g, x, output_gradients=v)


def jacobian(tf, np):
    x, delta = tf.linspace(-1.0, 1.0, 3), tf.Variable(0.0)
    w = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(w)
        y = tf.nn.sigmoid(x + delta)
        z = w @ w
        s = tf.reduce_sum(z)
    return {
        "vector by scalar": tape.jacobian(y, delta),
        "matrix by matrix": tape.jacobian(z, w),
        "scalar by matrix": tape.jacobian(s, w),
        "nested": tape.jacobian(z, {"w": w, "d": [delta]}),
        "unconnected": tape.jacobian(y, w),
        "no pfor": tape.jacobian(z, w, experimental_use_pfor=False),
        "parallel": tape.jacobian(y, delta, parallel_iterations=2),
    }


def jacobian_errors(tf, np):
    def ask(function, **keywords):
        with tf.GradientTape() as tape:
            x = tf.constant([[1.0]])
            tape.watch(x)
            y = function(x)
        return caught(lambda: tape.jacobian(y, x, **keywords))

    return {
        "list": ask(lambda x: [x * x, x]),
        "not persistent, no pfor": ask(lambda x: x * x, experimental_use_pfor=False),
        "integers": ask(lambda x: tf.cast(x, tf.int32)),
        "unconnected": ask(lambda x: tf.constant(1.0)),
        "wrong": ask(lambda x: x, unconnected_gradients="x"),
    }


def jacobian_used_up(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return {"first": tape.jacobian(y, x), "again": caught(lambda: tape.jacobian(y, x))}


def hessian(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x**3) + x[0] * x[1]
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


def jacobian_of_a_jacobian(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        j = inner.jacobian(y, x)
    return {"jacobian": j, "second": outer.jacobian(j, x)}


def gradient_of_a_jacobian(tf, np):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = v**3 * tf.reduce_sum(v)
        j = inner.jacobian(y, v)
        trace = tf.linalg.trace(j)
    return {"trace": trace, "gradient": outer.gradient(trace, v)}


def batch_jacobian(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * tf.constant([[1.0, 10.0]])
        z = tf.stack([x[:, 0] * x[:, 1], x[:, 0], x[:, 1]], axis=1)
    return {
        "y": tape.batch_jacobian(y, x),
        "z": tape.batch_jacobian(z, x),
        "no pfor": tape.batch_jacobian(y, x, experimental_use_pfor=False),
        "unconnected": tape.batch_jacobian(tf.ones([2, 2]), x),
    }


def batch_jacobian_errors(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    v = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, v])
        y = tf.reduce_sum(x, axis=0)[:1]
        z = tf.reduce_sum(x * v)
    return {
        "batch": caught(lambda: tape.batch_jacobian(y, x)),
        "scalar target": caught(lambda: tape.batch_jacobian(z, x)),
        "scalar source": caught(lambda: tape.batch_jacobian(x, v)),
        "list": caught(lambda: tape.batch_jacobian(x, [x])),
    }


def batch_jacobian_of_layers(tf, np):
    x = tf.constant([[0.1, -0.2, 0.3], [1.0, 0.5, -0.5]])
    w = tf.Variable([[0.5, -0.5], [1.0, 0.25], [0.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.nn.relu(x @ w) @ tf.transpose(w)
    return {"batch": tape.batch_jacobian(y, x), "weights": tape.jacobian(y, w)}


def third_derivatives_of_eigenvalues(tf, np):
    x = tf.constant([[2.0, 1.0], [1.0, 3.0]])
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = tf.linalg.eigvalsh(x) ** 3
            d1 = t1.gradient(y, x)
        d2 = t2.gradient(d1, x)
    return [np.round(d, 3) for d in (d1, d2, t3.gradient(d2, x))]
