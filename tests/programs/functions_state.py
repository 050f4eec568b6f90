"""`tf.function`: variables, training steps, errors and what they leave behind."""

from programs.functions import kind_of_error, told, traces


def assignments(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        before = v.read_value()
        v.assign_add(x)
        between = v + 0.0
        v.assign(v * 10.0)
        v.assign_sub(1.0)
        return before, between, v

    return f(tf.constant(1.0)), v.numpy(), f(tf.constant(2.0)), v


def results_of_assignments(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def last(x):
        return v.assign_add(x)

    @tf.function
    def kept(x):
        result = v.assign_add(x)
        twice = result * 2.0
        v.assign(0.0)
        return twice

    return last(tf.constant(1.0)), kept(tf.constant(1.0)), v


def a_counter(tf, np):
    v = tf.Variable(0)
    read_and_add = tf.function(lambda: v.assign_add(1))
    return read_and_add(), read_and_add(), read_and_add(), v


def assigning_parts(tf, np):
    table = tf.Variable(tf.zeros([3, 2]))

    @tf.function
    def f(i, row):
        table[1, :].assign(row)
        table.scatter_nd_add([[0]], [row])
        return table.sparse_read(i) + 0.0

    return f(tf.constant([0, 1]), tf.constant([1.0, 2.0])), f(tf.constant([1]), tf.ones([2])), table


def variables_created_once(tf, np):
    made, calls = [], []

    @tf.function
    def f(x):
        calls.append(len(made))
        if not made:
            made.append(tf.Variable(5.0, name="made"))
        made[0].assign_add(x)
        return made[0] * x

    x = tf.constant(1.0)
    counts = traces(f, *[lambda f: f(x)] * 2, lambda f: f(tf.constant([2.0])[0]))
    return counts, calls, made, f(x)


def variables_created_from_arguments(tf, np):
    class Average(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(tf.zeros_like(x), trainable=False)
            self.v.assign(0.5 * self.v + 0.5 * x)
            return self.v

    a = Average()
    return a(tf.constant([4.0, 8.0])), a(tf.constant([0.0, 0.0])), a.v.trainable


def variables_created_at_every_call(tf, np):
    @tf.function
    def f(x):
        v = tf.Variable(1.0)
        v.assign_add(x)
        return v

    return told(f, 1.0), told(f, 1.0), f.experimental_get_tracing_count()


def variables_created_later(tf, np):
    kept = []

    @tf.function
    def f(x):
        if len(x.shape) == 1:
            kept.append(tf.Variable(1.0))
        return x

    return f(tf.constant(1.0)), told(f, tf.constant([1.0])), f(tf.constant(2.0))


def variables_created_in_init_scope(tf, np):
    kept = []

    @tf.function
    def f(x):
        if not kept:
            with tf.init_scope():
                kept.append(tf.Variable(3.0))
        return x * kept[0]

    return f(tf.constant(1.0)), f(tf.constant(2.0)), f.experimental_get_tracing_count()


def a_linear_regression(tf, np):
    w, b = tf.Variable([[0.5], [-0.5]]), tf.Variable([0.0])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.0, -1.0]])
    y = tf.constant([[1.0], [2.0], [3.0]])

    @tf.function
    def step(x, y, rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w + b - y))
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(rate * dw)
        b.assign_sub(rate * db)
        return loss

    losses = [step(x, y, tf.constant(0.1 / (k + 1))) for k in range(5)]
    return losses, w, b, step.experimental_get_tracing_count()


def steps_over_lists_of_variables(tf, np):
    layers = [
        (tf.Variable(tf.ones(pair) / 3.0), tf.Variable(tf.zeros(pair[1:])))
        for pair in ([2, 3], [3, 1])
    ]
    variables = [v for layer in layers for v in layer]
    moments = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    @tf.function
    def predict(x):
        for k, (w, b) in enumerate(layers):
            x = x @ w + b
            if k < len(layers) - 1:
                x = tf.tanh(x)
        return x

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((predict(x) - y) ** 2)
        gradients = tape.gradient(loss, variables)
        for v, m, g in zip(variables, moments, gradients, strict=True):
            m.assign(0.9 * m + g)
            v.assign_sub(0.1 * m)
        return loss, tf.linalg.global_norm(gradients)

    x, y = tf.constant([[1.0, 2.0], [0.0, 1.0]]), tf.constant([[1.0], [0.0]])
    return [step(x, y) for _ in range(4)], variables


class _Adam:
    """As people write it by hand: slots made at the first step."""

    def __init__(self, tf, rate):
        self.tf, self.rate, self.slots = tf, rate, {}
        self.t = tf.Variable(0.0, trainable=False)

    def apply(self, pairs):
        tf = self.tf
        self.t.assign_add(1.0)
        for g, v in pairs:
            if v.ref() not in self.slots:
                zeros = tf.zeros_like(v)
                self.slots[v.ref()] = (tf.Variable(zeros), tf.Variable(zeros))
            m, s = self.slots[v.ref()]
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.99 * s + 0.01 * g * g)
            corrected = m / (1.0 - tf.pow(0.9, self.t))
            v.assign_sub(self.rate * corrected / (tf.sqrt(s / (1.0 - 0.99**self.t)) + 1e-7))


def an_optimizer_by_hand(tf, np):
    v, w = tf.Variable([1.0, -2.0]), tf.Variable(3.0)
    optimizer = _Adam(tf, 0.1)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v**2) * w
        optimizer.apply(zip(tape.gradient(loss, [v, w]), [v, w], strict=True))
        return loss

    return [step() for _ in range(4)], v, w, optimizer.t


def batches_of_other_sizes(tf, np):
    w = tf.Variable([[1.0], [2.0]])

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w - y) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    xs = np.arange(20, dtype=np.float32).reshape(10, 2) / 20.0
    ys = xs.sum(axis=1, keepdims=True)
    losses = [step(xs[k : k + 4], ys[k : k + 4]) for _ in range(2) for k in range(0, 10, 4)]
    return losses, w, step.experimental_get_tracing_count()


def a_loop_of_steps_inside(tf, np):
    w = tf.Variable(5.0)

    @tf.function
    def train(n):
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                loss = (w - 1.0) ** 2
            w.assign_sub(0.25 * tape.gradient(loss, w))
        return loss, w

    return train(tf.constant(1)), train(tf.constant(3)), w


def early_stopping(tf, np):
    w = tf.Variable(5.0)

    @tf.function
    def train(limit):
        steps = 0
        loss = (w - 1.0) ** 2
        while loss > limit and steps < 100:
            w.assign_sub(0.5 * (w - 1.0))
            loss = (w - 1.0) ** 2
            steps += 1
        return steps, loss

    return train(tf.constant(0.5)), train(tf.constant(1e-3)), w


def assigning_in_branches(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        if x > 0.0:
            v.assign_add(x)
        else:
            v.assign(0.0)
        return v

    return [f(tf.constant(k)) for k in (1.0, 2.0, -1.0, 3.0)], v


def accumulating_gradients(tf, np):
    w = tf.Variable([1.0, 2.0])
    total = tf.Variable(tf.zeros([2]), trainable=False)

    @tf.function
    def accumulate(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * x) ** 2
        total.assign_add(tape.gradient(loss, w))

    @tf.function
    def apply():
        w.assign_sub(0.01 * total)
        total.assign(tf.zeros_like(total))

    for k in range(3):
        accumulate(tf.constant([1.0, float(k)]))
    seen = total.numpy()
    apply()
    return seen, w, total


def target_networks(tf, np):
    online = [tf.Variable([1.0, 2.0]), tf.Variable(3.0)]
    target = [tf.Variable(tf.zeros_like(v), trainable=False) for v in online]

    @tf.function
    def update(rate):
        for a, b in zip(target, online, strict=True):
            a.assign(rate * b + (1.0 - rate) * a)

    update(tf.constant(1.0))
    for v in online:
        v.assign(v * 10.0)
    update(tf.constant(0.5))
    return target


def an_exception_while_tracing(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(x, bad):
        v.assign_add(x)
        if bad:
            raise ValueError("bad")
        return v

    found = [told(f, 1.0, True)]
    after = v.numpy()
    found += [f.experimental_get_tracing_count(), f(1.0, False), told(f, 1.0, True)]
    return found, after, v, f(1.0, False)


def an_exception_while_running(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(x, i):
        y = tf.gather(x, i)
        return y * v

    x = tf.constant([1.0, 2.0])
    found = [f(x, tf.constant(1)), told(f, x, tf.constant(7)), f(x, tf.constant(0))]
    v.assign(10.0)
    return found, f(x, tf.constant(1)), f.experimental_get_tracing_count()


def an_exception_of_an_outer_function(tf, np):
    @tf.function
    def inner(x):
        return tf.debugging.check_numerics(x, "inner")

    @tf.function
    def outer(x):
        return inner(x) + 1.0

    return (
        outer(tf.constant(1.0)),
        kind_of_error(outer, tf.constant(np.nan)),
        outer(tf.constant(2.0)),
    )


def tables(tf, np):
    keys, values = tf.constant(["a", "b"]), tf.constant([1, 2])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)

    @tf.function
    def f(x):
        return table.lookup(x)

    return f(tf.constant(["b", "c", "a"])), f(tf.constant(["a"]))
