"""`tf.function`: ops whose results nobody uses, and results that come from outside."""

from programs.functions import kind_of_error


def raised(tf, unused):
    """What a function does in which an op is not used, and one in which its result is returned."""

    @tf.function
    def without(z):
        unused(z)
        return z + 1.0

    @tf.function
    def within(z):
        return unused(z)

    one = tf.constant(1.0)
    return [kind_of_error(lambda: without(one)), kind_of_error(lambda: within(one))]


def unused_ops_that_fail(tf, np):
    ints = tf.constant([1, 2])
    return {
        "inverse": raised(tf, lambda z: tf.linalg.inv(tf.zeros((2, 2)) * z)),
        "cholesky": raised(tf, lambda z: tf.linalg.solve(tf.zeros((2, 2)) * z, tf.ones((2, 1)))),
        "gather": raised(tf, lambda z: tf.gather(ints, tf.constant([7]))),
        "gather_nd": raised(tf, lambda z: tf.gather_nd(ints, tf.cast([z + 6.0], tf.int32))),
    }  # fmt: skip


def unused_ops_that_fail_on_the_host(tf, np):
    ints = tf.constant([1, 2])
    return {
        "division": raised(tf, lambda z: ints // tf.cast(z - 1.0, tf.int32)),
        "division of constants": raised(tf, lambda z: tf.constant([1]) // tf.constant([0])),
        "scatter": raised(tf, lambda z: tf.scatter_nd(tf.constant([[9]]), [z], [2])),
    }  # fmt: skip


def unused_programs_that_fail(tf, np):
    return {
        "loop": raised(tf, lambda z: tf.while_loop(
            lambda i: i < 1.0, lambda i: i + tf.linalg.inv(tf.zeros((2, 2)))[0, 0] + 1.0, [z - 1.0]
        )),
        "branch": raised(tf, lambda z: tf.cond(
            z > 0.0, lambda: tf.linalg.inv(tf.zeros((2, 2))), lambda: tf.zeros((2, 2))
        )),
        "function": raised(tf, tf.function(lambda z: tf.linalg.inv(tf.zeros((2, 2)) * z))),
    }  # fmt: skip


def unused_assertions(tf, np):
    debugging = tf.debugging
    asserted = {
        "positive": lambda z: debugging.assert_positive(-z),
        "Assert": lambda z: debugging.Assert(z < 0.0, [z]),
        "check_numerics": lambda z: debugging.check_numerics(z / 0.0, "m"),
        "branch": lambda z: tf.cond(
            z > 0.0, lambda: (debugging.assert_negative(z), z)[1], lambda: z
        ),
    }

    def called(unused):
        @tf.function
        def f(z):
            unused(z)
            return z + 1.0

        return kind_of_error(lambda: f(tf.constant(1.0)))

    return {name: called(unused) for name, unused in asserted.items()}


def an_unused_op_within_a_tape(tf, np):
    @tf.function
    def f(z):
        tf.linalg.inv(tf.zeros((2, 2)) * z)
        return z * z

    found = []
    for _ in range(3):
        z = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = f(z)
        found.append(tape.gradient(y, z))
    return found


def what_is_assigned_is_used(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(z):
        v.assign(tf.gather(tf.constant([1.0, 2.0]), tf.cast(z, tf.int32)))
        return z

    return [f(tf.constant(1.0)), v.numpy(), kind_of_error(lambda: f(tf.constant(9.0))), v.numpy()]


def gradients_for_a_captured_result(tf, np):
    x, y = tf.constant(1.0), tf.constant([2.0, 3.0])

    @tf.function
    def captured(x):
        return y

    @tf.function
    def several(x):
        return x, y, [y, x * y]

    @tf.function
    def nested(x):
        return captured(x)

    def gradient(f, is_watched):
        with tf.GradientTape() as tape:
            if is_watched:
                tape.watch(y)
            result = f(x)
        return tape.gradient(result, y)

    found = {}
    for name, f in {"captured": captured, "several": several, "nested": nested}.items():
        found[name] = [gradient(f, is_watched) for is_watched in (False, True, False, True)]
    return found


def a_captured_result_is_a_tensor_of_its_own(tf, np):
    x, y = tf.constant(1.0), tf.constant([2.0, 3.0])

    @tf.function
    def captured(x):
        return y

    found = [captured(x) is y]
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(y)
            result = captured(x)
            loss = tf.reduce_sum(y * y)
        found.append(tape.gradient(loss, [y, result]))
    return found
