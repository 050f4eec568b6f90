"""`tf.scan`, `tf.foldl` and `tf.foldr`: results, structures, errors, gradients, state."""

import collections

from programs.functions import kind_of_error, told
from programs.mapped import both, gradient, second, unlogged


def results(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return both(
        tf,
        lambda: tf.scan(lambda a, t: a + t, x),
        lambda: tf.scan(lambda a, t: a + t, x, 10.0),
        lambda: tf.scan(lambda a, t: a + 2.0 * t, x, 10.0, reverse=True),
        lambda: tf.scan(lambda a, t: a + 2.0 * t, x, reverse=True),
        lambda: tf.scan(lambda a, t: a * t, m),
        lambda: tf.scan(lambda a, t: a @ a * t, m, tf.eye(2)),
        lambda: tf.scan(lambda a, t: a + tf.cast(t, tf.int32), x, 0),
        lambda: tf.scan(lambda a, t: a + t, np.array([1.0, 2.0]), np.float64(0.0)),
        lambda: tf.scan(lambda a, t: a + t, x[:1]),
        lambda: tf.scan(lambda a, t: a + t, x[:1], 1.0),
        lambda: tf.scan(tf.add, x, None, 1, True, False, True, False, "n"),
        lambda: tf.foldl(lambda a, t: 2.0 * a + t, x),
        lambda: tf.foldl(lambda a, t: 2.0 * a + t, x, 10.0),
        lambda: tf.foldr(lambda a, t: 2.0 * a + t, x),
        lambda: tf.foldr(lambda a, t: 2.0 * a + t, x, 10.0),
        lambda: tf.foldl(lambda a, t: a @ t, tf.ones([3, 2, 2])),
        lambda: tf.foldl(lambda a, t: 2.0 * a + t, x[:1]),
        lambda: tf.foldl(tf.add, tf.range(5)),
    )


def structures(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    pair = collections.namedtuple("pair", "a b")
    return both(
        tf,
        lambda: tf.scan(lambda a, t: (a[0] + t, a[1] * t), x, (0.0, 1.0)),
        lambda: tf.scan(lambda a, t: a + t[0] * t[1], (x, x), 0.0),
        lambda: tf.scan(lambda a, t: (a[0] + t[0], a[1] + t[1]), (x, 2.0 * x)),
        lambda: tf.scan(lambda a, t: [a[0] + t, a[1] * t], x, [0.0, 1.0]),
        lambda: tf.scan(lambda a, t: {"a": a["a"] + t["a"]}, {"a": x}),
        lambda: list(tf.scan(lambda a, t: pair(a.a + t, a.b), x, pair(0.0, 1.0))),
        lambda: tf.foldl(lambda a, t: (a[0] + t, a[1] - t), x, (0.0, 1.0)),
        lambda: tf.foldr(lambda a, t: (a[0] + t[0], a[1] - t[1]), (x, x)),
        lambda: tf.foldl(lambda a, t: {"n": a["n"] + 1, "s": [a["s"][0] + t]}, x,
                         {"n": 0, "s": [0.0]}),
    )  # fmt: skip


def empty(tf, np):
    nothing = tf.zeros([0])
    found = both(
        tf,
        lambda: tf.scan(lambda a, t: a + t, nothing, 0.0),
        lambda: tf.scan(lambda a, t: a + t, tf.zeros([0, 2]), tf.zeros([2])),
        lambda: tf.foldl(lambda a, t: a + t, nothing, 1.0),
    )
    found.append(told(lambda: tf.scan(lambda a, t: a + t, nothing)))
    found.append(told(lambda: tf.scan(lambda a, t: a + t, nothing, reverse=True)))
    found.append(told(lambda: tf.foldl(lambda a, t: a + t, nothing)))
    found.append(told(lambda: tf.foldr(lambda a, t: a + t, nothing)))
    f = tf.function(lambda: tf.scan(lambda a, t: a + t, nothing), autograph=False)
    return [*found, kind_of_error(f)]


@unlogged
def errors(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    return [
        told(lambda: tf.scan(lambda a, t: a + t, x, 10)),
        told(lambda: tf.scan(lambda a, t: (a[0] + t, a[1] * t), x, [0.0, 1.0])),
        told(lambda: tf.scan(lambda a, t: a[0] + t, x, (0.0, 1.0))),
        told(lambda: tf.scan(lambda a, t: (a, t), x, 0.0)),
        told(lambda: tf.scan(lambda a, t: tf.cast(a + t, tf.int32), x, 0.0)),
        told(lambda: tf.scan(lambda a, t: 1, x, 0.0)),
        told(lambda: tf.scan(lambda a, t: 1.5, x, 0)),
        told(lambda: tf.scan(lambda a, t: tf.concat([a, [t]], 0), x, tf.zeros([0]))),
        told(lambda: tf.scan(lambda a, t: tf.concat([a, [t]], 0), x, tf.zeros([1]),
                             infer_shape=False)),
        told(lambda: tf.scan(lambda a, t: a + t, tf.ones([3, 2]), 0.0)),
        told(lambda: tf.scan(lambda a, t: a, tf.constant(1.0), 0.0)),
        told(lambda: tf.scan(3, x)),
        told(lambda: tf.scan(lambda a, t: None, x)),
        told(lambda: tf.scan(lambda a, t: a, (x, x[:2]), 0.0)),
        told(lambda: tf.scan(lambda a, t: a, (x[:2], x), 0.0)),
        told(lambda: tf.scan(lambda a, t: a, [], 0.0)),
        told(lambda: tf.scan(lambda a, t: tf.gather(x, t), tf.constant([0, 5, 7]), 0.0)),
        told(lambda: tf.scan(lambda a, t: [][1], x, 0.0)),
        told(lambda: tf.scan(lambda a, t: a, tf.ragged.constant([[1]]), 0)),
        told(lambda: tf.foldl(lambda a, t: tf.cast(t, tf.int32), x, 0.0)),
        told(lambda: tf.foldl(lambda a, t: tf.concat([a, [t]], 0), x, tf.zeros([0]))),
        told(lambda: tf.foldr(lambda a, t: tf.concat([a, [t]], 0), x, tf.zeros([0]))),
        told(lambda: tf.foldl(lambda a, t: 1, x, 0.0)),
        told(lambda: tf.foldl(lambda a, t: a[0] + t, x, (0.0, 1.0))),
        told(lambda: tf.foldl(3, x)),
        told(lambda: tf.foldr(3, x)),
        told(lambda: tf.foldl(lambda a, t: a, (x, x[:2]), 0.0)),
        told(lambda: tf.foldl(lambda a, t: a, tf.constant(1.0), 0.0)),
        told(lambda: tf.foldl(lambda a, t: a, [], 0.0)),
        told(lambda: tf.foldl(lambda a, t: None, x, 0.0)),
        told(lambda: tf.foldl(lambda a, t: {}["k"], x, 0.0)),
    ]  # fmt: skip


@unlogged
def errors_in_functions(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])

    def ask(statement, tell=told):
        return tell(tf.function(statement, autograph=False))

    return [
        ask(lambda: tf.scan(lambda a, t: (a[0], a[1]), x, [0.0, 1.0]), kind_of_error),
        ask(lambda: tf.scan(lambda a, t: tf.cast(a + t, tf.int32), x, 0.0)),
        ask(lambda: tf.scan(lambda a, t: tf.concat([a, [t]], 0), x, tf.zeros([0]))),
        ask(lambda: tf.scan(lambda a, t: a + t, tf.ones([3, 2]), 0.0)),
        ask(lambda: tf.scan(lambda a, t: a, (x, x[:2]), 0.0)),
        ask(lambda: tf.scan(lambda a, t: a, (x[:2], x), 0.0)),
        ask(lambda: tf.scan(lambda a, t: a, tf.constant(1.0), 0.0)),
        ask(lambda: tf.scan(3, x)),
        ask(lambda: tf.foldl(lambda a, t: tf.cast(t, tf.int32), x, 0.0), kind_of_error),
        ask(lambda: tf.foldl(lambda a, t: tf.concat([a, [t]], 0), x, tf.zeros([0])),
            kind_of_error),
        ask(lambda: tf.foldl(lambda a, t: a[0] + t, x, (0.0, 1.0)), kind_of_error),
        ask(lambda: tf.scan(lambda a, t: [][1], x, 0.0)),
        ask(lambda: tf.scan(lambda a, t: tf.gather(x, t), tf.constant([0, 5]), 0.0), kind_of_error),
    ]  # fmt: skip


def gradients(tf, np):
    x, k = tf.constant([1.0, 2.0, 3.0]), tf.constant(2.0)
    ones = tf.ones([2])

    def shift(a, t):
        return a[1], a[2], t

    fs = {
        "sum of cubes": (lambda v: tf.scan(lambda a, t: a + t * t * t, v), x),
        "product": (lambda v: tf.scan(lambda a, t: a * t, v), x),
        "reversed": (lambda v: tf.scan(lambda a, t: a * t, v, reverse=True), x),
        "constant": (lambda v: tf.scan(lambda a, t: a, v, 1.0), x),
        "first": (lambda v: tf.scan(lambda a, t: a, v), x),
        "last": (lambda v: tf.scan(lambda a, t: t, v), x),
        "other": (lambda v: tf.scan(lambda a, t: (a[0] + 1.0, a[1] * t), v, (1.0, 2.0))[0], x),
        "initial": (lambda v: tf.scan(lambda a, t: a * t, x, v), k),
        "initial unused": (lambda v: tf.scan(lambda a, t: t, x, v), k),
        "capture": (lambda v: tf.scan(lambda a, t: a * v + t, x, 1.0), k),
        "capture of other": (
            lambda v: tf.scan(lambda a, t: (a[0] * v, t), x, (1.0, 1.0))[1], k),
        "empty": (lambda v: tf.scan(lambda a, t: a * t, tf.zeros([0]), v), k),
        "delayed": (lambda v: tf.scan(shift, ones, (0.0, 0.0, v))[0], k),
        "too late": (lambda v: tf.scan(shift, ones[:1], (0.0, 0.0, v))[0], k),
        "fold": (lambda v: tf.foldl(lambda a, t: a * t, v), x),
        "fold right": (lambda v: tf.foldr(lambda a, t: a * t + t, v), x),
        "fold constant": (lambda v: tf.foldl(lambda a, t: a, v, 1.0), x),
        "fold first": (lambda v: tf.foldl(lambda a, t: a, v), x),
        "fold last": (lambda v: tf.foldl(lambda a, t: t, v), x),
        "fold initial unused": (lambda v: tf.foldl(lambda a, t: t, x, v), k),
        "fold empty": (lambda v: tf.foldl(lambda a, t: a * t, tf.zeros([0]), v), k),
        "fold delayed": (lambda v: tf.foldl(shift, ones, (0.0, 0.0, v))[0], k),
        "fold too late": (
            lambda v: tf.foldl(shift, ones[:1], (0.0, 0.0, v))[0], k),
        "floor": (lambda v: tf.scan(lambda a, t: tf.floor(a * t), v), x),
        "linear": (lambda v: tf.scan(lambda a, t: a + 2.0 * t, v), x),
        "float64": (lambda v: tf.scan(lambda a, t: a * t, tf.cast(v, tf.float64)), x),
        "nested": (
            lambda v: tf.scan(
                lambda a, t: a + tf.reduce_sum(tf.map_fn(lambda s: s * t * a, v)), v, 1.0), x),
        "tanh": (lambda v: tf.scan(lambda a, t: tf.tanh(a * v[0] + t), v, 0.5), x),
    }  # fmt: skip
    found = {}
    for name, (f, v) in fs.items():
        found[name] = told(lambda f=f, v=v: gradient(tf, f, v))
        found[f"{name} in a function"] = told(
            tf.function(lambda v, f=f: gradient(tf, f, v), autograph=False), v
        )
    for name in (
        "sum of cubes",
        "product",
        "initial",
        "capture",
        "fold",
        "linear",
        "tanh",
        "nested",
    ):
        f, v = fs[name]
        found[f"second {name}"] = told(lambda f=f, v=v: second(tf, f, v))
    f, v = fs["tanh"]
    g = tf.function(f, autograph=False)
    found["tape around a function"] = gradient(tf, g, v)
    found["second around a function"] = second(tf, g, v)
    return found


def forward(tf, np):
    x, t = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 10.0, 100.0])
    with tf.autodiff.ForwardAccumulator(x, t) as acc:
        y = tf.scan(lambda a, s: a * s + x[0], x)
        z = tf.foldl(lambda a, s: a * s, x, 2.0)
    return acc.jvp(y), acc.jvp(z)


def variables(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    w, n = tf.Variable(0.5), tf.Variable(0, trainable=False)
    found = []

    def step(a, t):
        n.assign_add(1)
        return tf.tanh(a * w - 0.1 * t) * tf.cast(n, tf.float32) * 0.1

    with tf.GradientTape() as tape:
        y = tf.scan(step, x, 0.0)
    found += [y, tape.gradient(y, w), n.numpy()]
    f = tf.function(lambda: tf.scan(step, x, 0.0), autograph=False)
    found += [f(), n.numpy(), f(), n.numpy()]
    with tf.GradientTape() as tape:
        y = f()
    found += [y, tape.gradient(y, w), n.numpy()]
    with tf.GradientTape() as tape:
        y = tf.foldl(lambda a, t: (w.assign_add(t), a * w)[1], x, 1.0)
    return [*found, y, tape.gradient(y, w), w.numpy()]


def python_side_effects(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    count, kept = [0], []

    def counting(a, t):
        count[0] += 1
        return a + t * count[0]

    found = [tf.scan(counting, x), count[0], tf.foldl(counting, x, 0.0), count[0]]
    y = tf.scan(lambda a, t: kept.append(a * 2.0) or a + t, x, 0.0)
    found += [y, [float(k) for k in kept]]
    found.append(tf.scan(lambda a, t: a + t if a > 2.0 else a - t, x, 2.5))
    found.append(tf.foldl(lambda a, t: a + float(t), x, 0.0))
    found.append(tf.scan(lambda a, t: a + t, tf.constant(["a", "b"])))
    return found


def random_numbers(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    found = []
    tf.random.set_seed(1)
    found.append(tf.scan(lambda a, t: a + tf.random.uniform([2]) * t, x, tf.zeros([2])))
    found.append(tf.foldl(lambda a, t: a + tf.random.normal([]) * tf.random.uniform([]), x, 0.0))
    found.append(tf.random.uniform([]))
    tf.random.set_seed(2)
    found.append(
        tf.scan(lambda a, t: a + tf.map_fn(lambda s: s + tf.random.uniform([]), x) * t, x,
                tf.zeros([3]))
    )  # fmt: skip
    tf.random.set_seed(3)
    f = tf.function(
        lambda: tf.scan(lambda a, t: a + tf.random.uniform([]), x, 0.0, 1), autograph=False
    )
    found += [f(), f()]
    return found


def a_small_rnn(tf, np):
    rng = np.random.default_rng(0)

    def normal(*shape):
        return tf.Variable(rng.normal(size=shape).astype("float32"))

    wx, wh, b = normal(3, 4), normal(4, 4), normal(4)
    xs = tf.constant(rng.normal(size=(5, 2, 3)).astype("float32"))

    def step(h, x):
        return tf.tanh(x @ wx + h @ wh + b)

    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            hs = tf.scan(step, xs, tf.zeros([2, 4]))
            loss = tf.reduce_mean(hs[-1] ** 2)
        for v, g in zip([wx, wh, b], tape.gradient(loss, [wx, wh, b]), strict=True):
            v.assign_sub(0.1 * g)
        losses.append(loss.numpy())
    return losses, wh
