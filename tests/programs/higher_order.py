"""Jacobians: structures, options, errors, and derivatives of them."""

from programs.program import caught


def jacobian(tf, target, sources, watched, persistent=True, **options):
    tf.get_logger().setLevel("ERROR")  # TensorFlow's vectorization warns of itself
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(watched)
        y = target()
    return tape.jacobian(y, sources, **options)


def batch_jacobian(tf, target, source, watched, persistent=True, **options):
    tf.get_logger().setLevel("ERROR")  # TensorFlow's vectorization warns of itself
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(watched)
        y = target()
    return tape.batch_jacobian(y, source, **options)


def nests_of_sources(tf, np):
    x, s, v = tf.constant([1.0, 2.0]), tf.constant(3.0), tf.Variable([2.0, 3.0])
    found = []
    for vectorized in (True, False):
        options = {"experimental_use_pfor": vectorized}
        sources = {"a": x, "b": (s, [v, x])}
        found.append(jacobian(tf, lambda: x * s * v, sources, [x, s], **options))
        found.append(jacobian(tf, lambda: s * s, s, [s], **options))
        found.append(jacobian(tf, lambda: x * s, [], [x, s], **options))
    return found


def targets(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([2.0, 3.0])
    cases = {
        "variable": (lambda: v, v),
        "array": (lambda: np.ones(2, np.float32), x),
    }
    return {name: jacobian(tf, *case, [x]) for name, case in cases.items()}


def targets_row_by_row(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([2.0, 3.0])
    cases = {
        "variable": (lambda: v, v),
        "variable for another": (lambda: v, x),
        "source": (lambda: x, x),
        "integers": (lambda: tf.cast(x, tf.int32), x),
        "step": (lambda: tf.floor(x), x),
    }
    options = {"experimental_use_pfor": False}
    return {name: jacobian(tf, *case, [x], **options) for name, case in cases.items()}


def targets_that_are_no_tensor(tf, np):
    x = tf.constant([1.0, 2.0])
    cases = {
        "list": lambda: [x * x],
        "tuple": lambda: (x * x, x),
        "dict": lambda: {"a": x},
        "None": lambda: None,
        "float": lambda: 1.0,
    }
    return {key: caught(lambda t=t: jacobian(tf, t, x, [x])) for key, t in cases.items()}


def unconnected(tf, np):
    x, s, v = tf.constant([1.0, 2.0]), tf.constant(3.0), tf.Variable([2.0, 3.0])
    found = []
    for p in (True, False):
        for option in ("none", "zero", tf.UnconnectedGradients.ZERO, "z"):
            found.append(
                caught(
                    lambda p=p, o=option: jacobian(
                        tf, lambda: x * x, [x, s, v], [x, s], experimental_use_pfor=p,
                        unconnected_gradients=o,
                    )
                )
            )  # fmt: skip
    return found


def parallel_iterations(tf, np):
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = {}
    for p in (True, False):
        for k in (None, 1, 2, 3, 100, 0, -1):
            options = {"experimental_use_pfor": p, "parallel_iterations": k}
            found[f"{p} {k}"] = caught(
                lambda o=options: jacobian(tf, lambda: x * x * x[0, 0], x, [x], **o)
            )
            found[f"batch {p} {k}"] = caught(
                lambda o=options: batch_jacobian(tf, lambda: tf.cumsum(x * x, 1), x, [x], **o)
            )
    options = {"experimental_use_pfor": False, "parallel_iterations": "a"}
    found["text"] = caught(lambda: jacobian(tf, lambda: x * x, x, [x], **options))
    return found


def tapes_that_are_not_persistent(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    options = {"persistent": False, "experimental_use_pfor": False}
    return [
        jacobian(tf, lambda: x * x, x, [x], persistent=False),
        batch_jacobian(tf, lambda: x * x, x, [x], persistent=False),
        caught(lambda: jacobian(tf, lambda: x * x, x, [x], **options)),
        caught(lambda: batch_jacobian(tf, lambda: x * x, x, [x], **options)),
    ]


def batches(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    v, s = tf.Variable([2.0, 3.0]), tf.constant(3.0)
    found = {}
    for p in (True, False):
        cases = {
            "square": (lambda: x * x, x),
            "rank 3": (lambda: x[:, None] * 2.0, x),
            "mixed": (lambda: tf.reverse(x * x, [0]) + x, x),
            "unconnected": (lambda: x * 1.0, tf.identity(x)),
            "vector": (lambda: v * x[0], v),
            "scalar": (lambda: s * s, s),
            "sizes": (lambda: x * x, tf.ones([3, 2])),
            "list": (lambda: [x * x], x),
            "list of sources": (lambda: x * x, [x]),
            "None": (lambda: None, x),
        }
        for name, (target, source) in cases.items():
            found[f"{name} {p}"] = caught(
                lambda t=target, c=source, p=p: batch_jacobian(
                    tf, t, c, [x, s], experimental_use_pfor=p
                )
            )
    found["wrong option"] = caught(
        lambda: batch_jacobian(tf, lambda: x * x, x, [x], unconnected_gradients="z")
    )
    return found


def complex_targets(tf, np):
    x = tf.constant([1.0, 2.0])
    z = tf.constant([1 + 2j, 3 - 1j])
    return [
        jacobian(tf, lambda: tf.complex(x, x * x), x, [x]),
        jacobian(tf, lambda: z * z, z, [z]),
        jacobian(tf, lambda: tf.abs(z), z, [z]),
    ]


def jacobian_of_a_jacobian(tf, np):
    tf.get_logger().setLevel("ERROR")
    x = tf.constant([0.5, 1.0, 2.0])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.sin(x) * tf.reduce_sum(x * x)
        first = inner.jacobian(y, x)
    return [first, outer.jacobian(first, x), outer.gradient(first, x)]


def gradient_of_a_batch_jacobian(tf, np):
    tf.get_logger().setLevel("ERROR")
    x, w = tf.constant([[0.5, 1.0], [2.0, 3.0]]), tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.sin(x @ w)
        first = inner.batch_jacobian(y, x)
        loss = tf.reduce_sum(tf.linalg.trace(first) ** 2)
    return [first, outer.gradient(loss, w), outer.jacobian(first, w)]


def hessian_of_a_layer(tf, np):
    tf.get_logger().setLevel("ERROR")
    rng = np.random.default_rng(1)
    x = tf.constant(rng.normal(size=(3, 2)).astype("f"))
    w = tf.Variable(rng.normal(size=(2, 3)).astype("f"))
    b = tf.Variable(rng.normal(size=3).astype("f"))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_mean(tf.nn.softplus(x @ w + b) ** 2)
        gradient = inner.gradient(loss, w)
    return outer.jacobian(gradient, [w, b])


def an_accumulator_around_a_jacobian(tf, np):
    tf.get_logger().setLevel("ERROR")
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3 * x[0]
        j = tape.jacobian(y, x)
    return [j, accumulator.jvp(j)]


def rows_of_a_table(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    target = lambda: tf.gather(table, [1, 0, 1]) * 2.0  # noqa: E731
    return [
        jacobian(tf, target, table, [table], experimental_use_pfor=False),
    ]
