"""`tf.py_function`, `tf.numpy_function` and `tf.parallel_stack`."""

from programs.functions import told
from programs.mapped import gradient, unlogged
from programs.program import Caught, shown


def first_line(statement):
    """What it gives or raises, without the traceback in the text and without numbers of calls."""
    found = told(statement)
    if isinstance(found, Caught):
        line = found.text.split("\n")[0]
        found.text = " ".join("pyfunc" if w.startswith("pyfunc_") else w for w in line.split())
    return shown(found)


def both(tf, *statements):
    return [[first_line(s), first_line(tf.function(s, autograph=False))] for s in statements]


@unlogged
def results(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    P = tf.py_function  # noqa: N806
    return both(
        tf,
        lambda: P(lambda t: t * 2.0, [x], tf.float32),
        lambda: P(lambda t: (t * 2.0, t), [x], [tf.float32, tf.float32]),
        lambda: P(lambda t: (t * 2.0, t), [x], (tf.float32, tf.float32)),
        lambda: P(lambda t: t * 2.0, [x], [tf.float32]),
        lambda: P(lambda t: [t * 2.0], [x], [tf.float32]),
        lambda: P(lambda t: [t * 2.0], [x], tf.float32),
        lambda: P(lambda t: (t * 2.0, t), [x], tf.float32),
        lambda: P(lambda t: (t, t, t), [x], [tf.float32, tf.float32]),
        lambda: P(lambda t: 3.0, [x], tf.float32),
        lambda: P(lambda t: 3, [x], tf.float32),
        lambda: P(lambda t: np.float64(3), [x], tf.float32),
        lambda: P(lambda t: t.numpy().astype("float64"), [x], tf.float32),
        lambda: P(lambda t: "a", [x], tf.string),
        lambda: P(lambda t: t.numpy() + b"c", [tf.constant("ab")], tf.string),
        lambda: P(lambda: tf.constant(1.0), [], tf.float32),
        lambda: P(func=lambda t: t, inp=[1.0], Tout=tf.float32),
        lambda: P(lambda t: t, [x], tf.TensorSpec([3], tf.float32)),
        lambda: P(lambda t: tf.ragged.constant([[1, 2], [3]]), [x],
                  tf.RaggedTensorSpec([None, None], tf.int32)),
        lambda: P(lambda t: t * 2, [tf.ragged.constant([[1, 2], [3]])],
                  tf.RaggedTensorSpec([None, None], tf.int32)),
        lambda: P(lambda t: tf.constant(tf.executing_eagerly()), [x], tf.bool),
        lambda: P(lambda t: tf.constant(tf.inside_function()), [x], tf.bool),
        lambda: P(Tout=tf.float32)(lambda t: t if t[0] > 0.0 else -t)(x),
    )  # fmt: skip


@unlogged
def errors(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    v = tf.Variable(2.0)
    P = tf.py_function  # noqa: N806

    def raising(error):
        def f(t):
            raise error

        return f

    def ask(error):
        return lambda: P(raising(error), [x], tf.float32)

    return both(
        tf,
        lambda: P(lambda t: (t * 2.0,), [x], [tf.float32, tf.float32]),
        lambda: P(lambda t: t * 2.0, [x], [tf.float32, tf.float32]),
        lambda: P(lambda t: tf.cast(t, tf.int32), [x], tf.float32),
        lambda: P(lambda t: 3.5, [x], tf.int32),
        lambda: P(lambda t: None, [x], tf.float32),
        lambda: P(lambda t: t, [x], None),
        lambda: P(lambda: 1.0, [x], tf.float32),
        lambda: P(3, [x], tf.float32),
        lambda: P(None, [x], tf.float32),
        lambda: P(lambda t: v, [x], tf.float32),
        lambda: P(lambda t: {"a": t}, [x], {"a": tf.float32}),
        lambda: P(lambda t: tf.reshape(t, [2]), [x], tf.float32),
        ask(ZeroDivisionError("a")),
        ask(ValueError("a")),
        ask(TypeError("a")),
        ask(KeyError("a")),
        ask(IndexError("a")),
        ask(StopIteration("a")),
        ask(NotImplementedError("a")),
        ask(MemoryError("a")),
        ask(tf.errors.NotFoundError(None, None, "a")),
    )


@unlogged
def gradients(tf, np):
    x, v = tf.constant([1.0, 2.0, 3.0]), tf.Variable(2.0)
    P = tf.py_function  # noqa: N806
    found = []
    for f, of in (
        (lambda u: P(lambda t: t * t * t, [u], tf.float32), x),
        (lambda u: P(lambda t: t * t if t[0] > 0.0 else t, [u], tf.float32), x),
        (lambda u: P(lambda t: (t * t, t * 3.0), [u], [tf.float32] * 2), x),
        (lambda u: P(lambda t, i: t * i, [u, 3.0], tf.float32), x),
        (lambda u: P(lambda t: t * t, [v], tf.float32), v),
        (lambda u: P(lambda t: t * u, [tf.constant(1.0)], tf.float32), x),
        (lambda u: P(lambda t: t * v, [tf.constant(1.0)], tf.float32), v),
        (lambda u: P(lambda t: t * v, [u * v], tf.float32), v),
        (lambda u: tf.numpy_function(lambda t: t * 2.0, [u], tf.float32), x),
        (lambda u: tf.numpy_function(lambda t: t * 2, [u], tf.float32) * u, x),
    ):
        found.append(told(lambda f=f, of=of: gradient(tf, f, of)))
    for f in (
        lambda: gradient(tf, lambda u: P(lambda t: t * t * t, [u], tf.float32), x),
        lambda: gradient(tf, lambda u: P(lambda t: t * v, [u * v], tf.float32), v),
        lambda: gradient(tf, lambda u: tf.numpy_function(lambda t: t, [u], tf.float32), x),
    ):
        found.append(told(tf.function(f, autograph=False)))
    return found


@unlogged
def numpy_functions(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    N = tf.numpy_function  # noqa: N806
    return both(
        tf,
        lambda: N(lambda t: t * np.float32(2.0), [x], tf.float32),
        lambda: N(lambda t: (t, -t), [x], [tf.float32, tf.float32]),
        lambda: N(lambda t: (t, -t), [x], (tf.float32, tf.float32)),
        lambda: N(lambda t: t, [x], [tf.float32]),
        lambda: N(lambda t: [t], [x], tf.float32),
        lambda: N(lambda t: t.astype("float64"), [x], tf.float32),
        lambda: N(lambda t: 3.0, [x], tf.float32),
        lambda: N(lambda t: 3, [x], tf.int64),
        lambda: N(lambda t: 3, [x], tf.int32),
        lambda: N(lambda t: (t, t), [x], tf.float32),
        lambda: N(lambda t: t, [x], [tf.float32, tf.float32]),
        lambda: N(lambda t: None, [x], tf.float32),
        lambda: N(lambda t: t + b"z", [tf.constant(b"a")], tf.string),
        lambda: N(lambda t: np.array(["a", "b"]), [x], tf.string),
        lambda: N(lambda t: str(type(t)), [x], tf.string),
        lambda: N(lambda t: str(type(t)), [tf.constant(1.0)], tf.string),
        lambda: N(lambda t: t, [x], tf.float32, stateful=False),
        lambda: N(lambda t: t, [x, 1], tf.float32),
        lambda: N(lambda t: 1 / 0, [x], tf.float32),
        lambda: N(3, [x], tf.float32),
        lambda: N(None, [x], tf.float32),
        lambda: N(lambda t: t, [x], None),
        lambda: N(Tout=tf.float32)(lambda t: t)(x),
    )


def calls(tf, np):
    """The Python runs at every call."""
    count = [0]

    def counted(t):
        count[0] += 1
        return t * count[0]

    @tf.function
    def f(t):
        return tf.py_function(counted, [t], tf.float32) + 1.0

    @tf.function
    def g(t):
        return tf.numpy_function(lambda a: np.float32(a * count[0]), [t], tf.float32)

    return f(1.0), f(1.0), g(1.0), count[0], f(2.0), g(1.0)


def within_loops(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    seen = []

    def f(t):
        return tf.py_function(lambda s: seen.append(float(s)) or s * 2.0, [t], tf.float32)

    found = [tf.map_fn(f, x), sorted(seen)]
    found.append(gradient(tf, lambda u: tf.map_fn(f, u), x))
    return [*found, tf.function(lambda: tf.map_fn(f, x), autograph=False)()]


@unlogged
def parallel_stack(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    return both(
        tf,
        lambda: tf.parallel_stack([x, x * 2.0]),
        lambda: tf.parallel_stack([[1, 2], [3, 4]]),
        lambda: tf.parallel_stack([x, tf.ones([2])]),
        lambda: tf.parallel_stack([]),
        lambda: gradient(tf, lambda u: tf.parallel_stack([u, u * u]), x),
    )
