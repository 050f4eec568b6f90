"""`tf.function`: gradients through it, within it, and of it."""

from programs.functions import told


def through_a_function(tf, np):
    v, u = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    x, t = tf.constant(2.0), tf.constant(5.0)

    @tf.function
    def f(x):
        return x * x * v * u * t

    found = []
    for _ in range(2):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, t])
            y = f(x)
        found.append(
            [y, tape.gradient(y, [x, v, u, t]), [w is v for w in tape.watched_variables()]]
        )
    return found


def watching_by_hand(tf, np):
    v, w = tf.Variable(3.0), tf.Variable(4.0)

    @tf.function
    def f(x):
        return x * v * w

    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = f(tf.constant(2.0))
    return tape.gradient(y, [v, w])


def tape_within(tf, np):
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3 * v
        return y, tape.gradient(y, {"x": x, "v": v})

    return f(tf.constant(2.0)), f(tf.constant(1.0))


def persistent_tape_within(tf, np):
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            y = x * v
            z = y * y
        return tape.gradient(z, y), tape.gradient(z, v), tape.gradient(y, v), tape.gradient(v, y)

    return f(tf.constant(2.0))


def persistent_tape_around(tf, np):
    x = tf.constant([1.0, 2.0])

    @tf.function
    def f(x):
        return tf.reduce_sum(x**2)

    @tf.function
    def g(y):
        return tf.exp(-y)

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
        z = g(y)
    return tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, y), tape.gradient(z, [x, y])


def tape_from_outside(tf, np):
    x = tf.constant(2.0)
    tape = tf.GradientTape()

    @tf.function
    def f(x):
        with tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    return f(x), f(tf.constant(5.0))


def gradient_of_an_outer_tape_within(tf, np):
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v

    @tf.function
    def f():
        return tape.gradient(y, v) * 2.0

    return f(), f()


def variables_created_while_watched(tf, np):
    class Layer(tf.Module):
        @tf.function
        def __call__(self, x):
            if not hasattr(self, "w"):
                self.w = tf.Variable(2.0, name="w")
            return x * self.w

    layer, x = Layer(), tf.constant(3.0)
    found = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = layer(x)
        found.append(tape.gradient(y, layer.trainable_variables))
    return found


def variables_as_arguments(tf, np):
    v, w = tf.Variable(3.0), tf.Variable([1.0, 2.0])

    @tf.function
    def f(a, b):
        return a * tf.reduce_sum(b * b)

    with tf.GradientTape(persistent=True) as tape:
        y = f(v, w)
        z = f(v.read_value(), w)
    return tape.gradient(y, [v, w]), tape.gradient(z, [v, w])


def structures(tf, np):
    x, y = tf.constant(2.0), tf.constant(3.0)

    @tf.function
    def f(d):
        return {"product": d["a"] * d["b"][0], "list": [d["a"] ** 2]}

    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        found = f({"a": x, "b": (y,)})
        same = f({"a": x, "b": (x,)})
    return {
        "product": tape.gradient(found["product"], {"x": x, "y": y}),
        "list": tape.gradient(found["list"], x),
        "sum": tape.gradient(found, x),
        "same": tape.gradient(same["product"], x),
    }


def outputs_that_depend_on_others(tf, np):
    """TensorFlow differentiates the call as one op: zeros, where inline code has None."""
    x, v = tf.constant(2.0), tf.Variable(3.0)

    @tf.function
    def f(x):
        return x * v, x * x, 3.0

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b, c = f(x)
    return {
        "a": tape.gradient(a, [x, v]),
        "b": tape.gradient(b, x),
        "b v": tape.gradient(b, v),
        "c": tape.gradient(c, x),
    }


def unconnected(tf, np):
    x, y, v = tf.constant(2.0), tf.constant(3.0), tf.Variable(1.0)

    @tf.function
    def f(x, y):
        _ = v * y
        return x * 2.0

    @tf.function
    def integer(x):
        return tf.cast(x, tf.int32), x > 0.0, tf.stop_gradient(x)

    @tf.function
    def constant(x):
        return tf.constant(1.0)

    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        a, b, c = f(x, y), integer(x), constant(x)
    return {
        "unused": tape.gradient(a, [y, v]),
        "integer": [tape.gradient(z, x) for z in b],
        "constant": tape.gradient(c, x),
        "zero": tape.gradient(c, x, unconnected_gradients=tf.UnconnectedGradients.ZERO),
        "watched": len(tape.watched_variables()),
    }


def unconnected_within(tf, np):
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            y = v * x
        gradients = tape.gradient(y, [v, w])
        return gradients, gradients[1] is None

    return f(tf.constant(3.0))


def closing_over_an_intermediate(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        between = x * x
        f = tf.function(lambda z: z * between)
        y = f(x)
    return y, tape.gradient(y, [x, between])


def assigning_on_the_way(tf, np):
    v, x = tf.Variable(3.0), tf.constant(2.0)

    @tf.function
    def f(x):
        before = v * x
        v.assign(x * 2.0)
        return before + v * x

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, [x, v]), v


def stopping(tf, np):
    v, x = tf.Variable(3.0), tf.constant(2.0)

    @tf.function
    def f(x):
        return tf.stop_gradient(x * v) * x

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    with tf.GradientTape() as other:
        with other.stop_recording():
            z = f(v)
        w = z * v
    return tape.gradient(y, [x, v]), other.gradient(w, v)


def stopping_within(tf, np):
    @tf.function
    def f(v):
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                y = v * v
            z = y * v
        return tape.gradient(z, v)

    return f(tf.Variable(3.0))


def indexed_slices(tf, np):
    table = tf.Variable(tf.ones([4, 2]))

    @tf.function
    def outside(i):
        return tf.reduce_sum(tf.nn.embedding_lookup(table, i) ** 2)

    @tf.function
    def inside(i):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, i) ** 2)
        return tape.gradient(loss, table)

    i = tf.constant([1, 1, 3])
    with tf.GradientTape() as tape:
        y = outside(i)
    gradients = [tape.gradient(y, table), inside(i)]
    return [type(g).__name__ for g in gradients], [tf.convert_to_tensor(g) for g in gradients]


def concrete(tf, np):
    v, x = tf.Variable(3.0), tf.constant([1.0, 2.0])

    @tf.function
    def f(x):
        return tf.reduce_sum(x * x) * v

    g = f.get_concrete_function(tf.TensorSpec([None]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = g(x)
    return y, tape.gradient(y, [x, v])


def tape_used_twice(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x), tape.gradient(y, x)

    return told(f, tf.constant(1.0))


def symbolic_gradients(tf, np):
    @tf.function
    def f(x):
        y = x**3
        return tf.gradients(y, x), tf.gradients([y, y * 2.0], [x], grad_ys=None)

    eager = told(lambda: tf.gradients(tf.constant(1.0), tf.constant(1.0)))
    return f(tf.constant(2.0)), eager


def clipping(tf, np):
    v = [tf.Variable([3.0, 4.0]), tf.Variable(12.0)]

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum(u * u) / 2.0 for u in v])
        clipped, norm = tf.clip_by_global_norm(tape.gradient(loss, v), 1.0)
        for u, g in zip(v, clipped, strict=True):
            u.assign_sub(g)
        return norm

    return [step(), step()], v


def adversarial_steps(tf, np):
    """Two tapes over one call, two lists of variables."""
    g, d = tf.Variable([1.0, 0.5]), tf.Variable([0.3, -0.2])

    @tf.function
    def step(noise, real):
        with tf.GradientTape() as tape_g, tf.GradientTape() as tape_d:
            fake = g * noise
            real_score, fake_score = tf.reduce_sum(d * real), tf.reduce_sum(d * fake)
            loss_g = -tf.math.log_sigmoid(fake_score)
            loss_d = -tf.math.log_sigmoid(real_score) - tf.math.log_sigmoid(-fake_score)
        dg, dd = tape_g.gradient(loss_g, g), tape_d.gradient(loss_d, d)
        g.assign_sub(0.1 * dg)
        d.assign_sub(0.1 * dd)
        return loss_g, loss_d

    noise, real = tf.constant([1.0, -1.0]), tf.constant([2.0, 1.0])
    return [step(noise, real) for _ in range(3)], g, d


def derivatives_of_what_python_decides(tf, np):
    @tf.function
    def of_branches(x):
        y = x * x
        z = y
        if y > 4.0:
            z = y * x
        return tf.gradients(z, x)[0]

    @tf.function
    def of_loops(x):
        y = x * x
        while y < 100.0:
            y = y * x
        return tf.gradients(y, [x, y])

    @tf.function
    def of_ranges(x):
        y = x * x
        for i in tf.range(tf.cast(y, tf.int32)):
            y = y + x * tf.cast(i, tf.float32)
        return tf.gradients(y, x)[0]

    three, one = tf.constant(3.0), tf.constant(1.0)
    return [
        [of_branches(three), of_branches(one), of_loops(three), of_ranges(three)] for _ in range(3)
    ]


def symbolic_gradients_where_python_runs(tf, np):
    """Python, texts and looks: the function runs its Python, and `tf.gradients` goes on."""
    tf.get_logger().setLevel("ERROR")  # that it does is said here alone
    x, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)

    def called(x):
        y = tf.py_function(lambda a: a * a * 3.0, [x], tf.float32)
        return tf.gradients(y, x)

    def blocked(x):
        y = tf.numpy_function(lambda a: a * 2, [x], tf.float32)
        none = tf.gradients(y, x)[0] is None
        return none, tf.gradients(y + x, x)

    def two(x):
        a, b = tf.py_function(lambda a: (a * 2.0, a * a), [x], [tf.float32, tf.float32])
        return tf.gradients([a, b], [x], grad_ys=[tf.constant([2.0, 3.0]), None])

    def variables(x):
        y = tf.py_function(lambda a: a * v, [x * v], tf.float32)
        return tf.gradients(y, [x, v])

    return _three_calls(tf, x, called, blocked, two, variables)


def _three_calls(tf, x, *steps):
    found = {}
    for step in steps:
        f = tf.function(step)
        found[step.__name__] = [f(x), f(-x), f(x)]
    return found


def symbolic_gradients_where_python_runs_for_other_reasons(tf, np):
    tf.get_logger().setLevel("ERROR")
    x = tf.constant([1.0, 2.0])

    def constants(x):
        z = x * x
        y = tf.py_function(lambda a: a * 2.0, [z], tf.float32)
        return tf.gradients(y * x, [x], stop_gradients=[z])

    def branch(x):
        y = x
        if x[0] > 0.0:
            y = tf.py_function(lambda a: a * 2.0, [x], tf.float32)
        return tf.gradients(y, x)

    def text(x, text="3"):
        y = x * tf.strings.to_number(tf.strings.join([text, "0"]))
        return tf.gradients(y * y, [x, y])

    def zero(x):
        y = tf.py_function(lambda a: a * 2.0, [x], tf.float32)
        return tf.gradients(y, [x, tf.constant(1.0)], unconnected_gradients="zero")

    def integers(x):
        y = tf.py_function(lambda a: tf.cast(a, tf.int32), [x], tf.int32)
        return tf.gradients(tf.cast(y, tf.float32), x)[0] is None

    def wide(x):
        y = tf.py_function(lambda a: tf.math.log(a), [tf.cast(x, tf.float64) - 1.0], tf.float64)
        return tf.gradients(y, x)

    def square(x):
        return tf.gradients(tf.numpy_function(np.abs, [x], tf.float32) * x * x, x)

    found = _three_calls(tf, x, constants, branch, text, zero, integers, wide)
    found["empty"] = tf.function(zero)(tf.zeros([0]))
    found["texts"] = tf.function(lambda x, t: text(x, t))(x, tf.constant("2"))
    found["nested"] = tf.function(lambda x: tf.function(wide)(x * 2.0))(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(square)(x)
    found["within a tape"] = y, tape.gradient(y, x)
    return found


def loops_of_gradients_of_what_came_before(tf, np):
    """As in `tfp.math.diag_jacobian`: the loop needs what lies before it, so its Python runs."""

    def diagonal(x, y):
        def step(k, found):
            (slopes,) = tf.gradients(y[k], x)
            return k + 1, found.write(k, tf.zeros([]) if slopes is None else slopes[k])

        loop = (0, tf.TensorArray(tf.float32, 2))
        return tf.while_loop(lambda k, _: k < 2, step, loop)[1].stack()

    def both(x):
        first = diagonal(x, 1.0 / (1.0 + x**2))
        moved = x + first
        return first, diagonal(moved, 1.0 / (1.0 + moved**2)), diagonal(x, tf.ones([2]) + 0.0 * x)

    x = tf.constant([0.5, -1.0])
    by_default, as_written = tf.function(both), tf.function(both, autograph=False)
    return [f(value) for f in (by_default, as_written) for value in (x, 2.0 * x)]
