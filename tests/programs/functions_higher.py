"""`tf.function`: higher derivatives, custom gradients, gradients of loops and branches."""


def second_order_within(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.sin(x) * x
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    return f(tf.constant(1.0)), f(tf.constant([1.0, 2.0]))


def second_order_around(tf, np):
    v, x = tf.Variable(3.0), tf.constant(2.0)

    @tf.function
    def f(x):
        return x**3 * v**2

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, [x, v])
    return first, outer.gradient(first, [x, v])


def second_order_mixed(tf, np):
    v, x = tf.Variable(3.0), tf.constant(2.0)

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3 * v
        return tape.gradient(y, x)

    with tf.GradientTape() as outer:
        outer.watch(x)
        first = slope(x)
    return first, outer.gradient(first, [x, v])


def third_order(tf, np):
    def derivative(f):
        @tf.function
        def df(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return tape.gradient(y, x)

        return df

    f = derivative(derivative(derivative(lambda x: x**5)))
    return f(tf.constant(2.0)), f(tf.constant([1.0, 2.0]))


def custom_gradients(tf, np):
    @tf.custom_gradient
    def clip(x):
        return x * 1.0, lambda upstream: upstream * 10.0

    @tf.function
    def outside(x):
        return clip(x * 2.0)

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clip(x * 2.0)
        return tape.gradient(y, x)

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outside(x)
    return tape.gradient(y, x), inside(x)


def custom_gradients_decorated(tf, np):
    @tf.function
    @tf.custom_gradient
    def seven(x):
        return x * x, lambda upstream: upstream * 7.0

    @tf.function
    def square(x):
        return x * x

    @tf.custom_gradient
    def hundred(x):
        return square(x), lambda upstream: upstream * square(tf.constant(10.0))

    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = seven(x), hundred(x)
    return y, z, tape.gradient(y, x), tape.gradient(z, x)


def straight_through(tf, np):
    w = tf.Variable([0.3, -0.7, 2.0])

    @tf.custom_gradient
    def sign(x):
        def backward(upstream):
            return tf.where(tf.abs(x) <= 1.0, upstream, 0.0)

        return tf.sign(x), backward

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(sign(w) * x)
        return loss, tape.gradient(loss, w)

    return step(tf.constant([1.0, 2.0, 3.0])), step(tf.constant([1.0, 1.0, 1.0]))


def jacobians(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])

    @tf.function
    def f(x):
        return x**2 * tf.reduce_sum(x)

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x), inside(x)


def hessians(tf, np):
    @tf.function
    def hessian(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_prod(x) + tf.reduce_sum(x**3)
            gradient = inner.gradient(y, x)
        return gradient, outer.jacobian(gradient, x)

    return hessian(tf.constant([1.0, 2.0, 3.0]))


def batch_jacobians(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x @ tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        return tape.batch_jacobian(y, x)

    return f(tf.constant([[0.1, 0.2], [0.0, -0.1]]))


def forward_mode(tf, np):
    x = tf.constant(2.0)

    @tf.function
    def f(x):
        return x**3

    @tf.function
    def inside(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = f(x)
        return accumulator.jvp(y)

    with tf.autodiff.ForwardAccumulator(x, tf.constant(5.0)) as accumulator:
        y = f(x)
    return accumulator.jvp(y), inside(x)


def physics(tf, np):
    """A residual of derivatives, as networks of physics have it."""
    w = [tf.Variable([[0.5, -1.0]]), tf.Variable([0.1, 0.2]), tf.Variable([[1.0], [0.5]])]

    @tf.function
    def u(x):
        return tf.tanh(x @ w[0] + w[1]) @ w[2]

    @tf.function
    def residual(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = u(x)
            dy = inner.gradient(y, x)
        return outer.gradient(dy, x) + y

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(residual(x) ** 2)
        return loss, tape.gradient(loss, w)

    x = tf.constant([[0.0], [0.5], [1.0]])
    return step(x), step(x)


def loops(tf, np):
    x = tf.constant(2.0)

    @tf.function
    def power(x, n):
        y = x
        for _ in tf.range(n):
            y = y * x
        return y

    @tf.function
    def until(x):
        while x < 100.0:
            x = x * x
        return x

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = power(x, tf.constant(3)), until(x)
    return y, z, tape.gradient(y, x), tape.gradient(z, x)


def branches(tf, np):
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x if x > 0.0 else -x
        return tape.gradient(y, x)

    return [slope(tf.constant(k)) for k in (3.0, -3.0)]


def tensor_arrays(tf, np):
    w = tf.Variable(0.5)

    @tf.function
    def states(x, n):
        found = tf.TensorArray(tf.float32, size=n)
        for k in tf.range(n):
            x = tf.tanh(x * w)
            found = found.write(k, x)
        return found.stack()

    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(states(tf.constant([1.0, 2.0]), tf.constant(3)))
    return loss, tape.gradient(loss, w)


def meta_learning(tf, np):
    w = tf.Variable(1.0)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = (w * x - y) ** 2
            adapted = w - 0.1 * inner.gradient(loss, w)
            again = (adapted * x - y) ** 2
        return again, outer.gradient(again, w)

    return step(tf.constant(2.0), tf.constant(3.0))
