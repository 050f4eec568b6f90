"""Problems for optimizers of second order: each is made anew and gives a loss and its variables."""


def rosenbrock(tf, np):
    x = tf.Variable([-1.2, 1.0], dtype=tf.float64)
    return lambda: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2, [x]


def chained_rosenbrock(tf, np):
    parts = [tf.Variable(np.tile([-1.2, 1.0], 3)), tf.Variable([[1.0], [-1.2]], dtype=tf.float64)]

    def loss():
        x = tf.concat([tf.reshape(part, [-1]) for part in parts], 0)
        return tf.reduce_sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    return loss, parts


def ill_conditioned(tf, np):
    x = tf.Variable(np.ones(20))
    scale = tf.constant(np.logspace(0, 4, 20))
    return lambda: tf.reduce_sum(scale * x**2) / 2 - tf.reduce_sum(x), [x]


def logistic_regression(tf, np):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(80, 5))
    labels = (features @ rng.normal(size=5) + rng.normal(size=80) > 0).astype(float)
    features, labels = tf.constant(features), tf.constant(labels)
    weights, bias = tf.Variable(tf.zeros([5, 1], tf.float64)), tf.Variable(0.0, dtype=tf.float64)

    def loss():
        logits = tf.squeeze(features @ weights, 1) + bias
        cross = tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)
        return tf.reduce_mean(cross) + 1e-3 * tf.reduce_sum(weights**2)

    return loss, [weights, bias]


def _physics(tf, np):
    """A net for u'' = -36 sin(6 x) with u(0) = 0 and u(1) = sin 6: what is wrong, and weights."""
    rng = np.random.default_rng(1)
    shapes = [(1, 8), (8,), (8, 8), (8,), (8, 1), (1,)]
    parts = [tf.Variable(rng.normal(size=shape) * 0.7) for shape in shapes]
    points = tf.constant(np.linspace(0, 1, 24)[:, None])
    ends = tf.constant(np.array([[0.0], [1.0]]))
    values = tf.sin(6 * ends)

    def net(x):
        hidden = tf.tanh(tf.tanh(x @ parts[0] + parts[1]) @ parts[2] + parts[3])
        return hidden @ parts[4] + parts[5]

    def wrong():
        with tf.GradientTape() as outer:
            outer.watch(points)
            with tf.GradientTape() as inner:
                inner.watch(points)
                u = net(points)
            slope = inner.gradient(u, points)
        curvature = outer.gradient(slope, points)
        return curvature + 36 * tf.sin(6 * points), net(ends) - values

    return wrong, parts


def physics(tf, np):
    wrong, parts = _physics(tf, np)

    def loss():
        residual, at_ends = wrong()
        return tf.reduce_mean(residual**2) + tf.reduce_mean(at_ends**2)

    return loss, parts


def physics_as_squares(tf, np):
    """Half of the same loss, as squares."""
    wrong, parts = _physics(tf, np)

    def residuals():
        residual, at_ends = wrong()
        return [residual / tf.sqrt(tf.constant(24.0, tf.float64)), at_ends / 2**0.5]

    return residuals, parts


PROBLEMS = (rosenbrock, chained_rosenbrock, ill_conditioned, logistic_regression, physics)


def decay(tf, np):
    """The sum of two exponentials, whose rates lie near each other."""
    times = tf.constant(np.linspace(0, 4, 30))
    noise = np.random.default_rng(2).normal(size=30) * 0.01
    seen = 2 * tf.exp(-0.7 * times) + tf.exp(-2.0 * times) + tf.constant(noise)
    heights = tf.Variable([1.0, 1.0], dtype=tf.float64)
    rates = tf.Variable([0.3, 3.0], dtype=tf.float64)

    def residuals():
        shapes = tf.exp(-rates * times[:, None])
        return tf.linalg.matvec(shapes, heights) - seen

    return residuals, [heights, rates]


def valley(tf, np):
    """Rosenbrock's function as squares."""
    x = tf.Variable([-1.2, 1.0], dtype=tf.float64)
    return lambda: tf.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]]), [x]


def helix(tf, np):
    """The helical valley of Fletcher and Powell."""
    x = tf.Variable([-1.0, 0.0, 0.0], dtype=tf.float64)

    def residuals():
        turn = tf.atan2(x[1], x[0]) / (2 * np.pi)
        turn = tf.where(turn < -0.25, turn + 1, turn)
        return tf.stack([10 * (x[2] - 10 * turn), 10 * (tf.norm(x[:2]) - 1), x[2]])

    return residuals, [x]


LEAST_SQUARES = (decay, valley, helix)
