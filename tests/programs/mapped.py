"""`tf.map_fn` and `tf.vectorized_map`: results, structures, errors, gradients, state."""

import collections
import functools
import gc
import pathlib

from programs.functions import kind_of_error, printed, told
from programs.program import Caught, in_a_new_directory, shown


def unlogged(program):
    """Leaves out what TensorFlow's logger says of its own arrays, whenever these are collected."""

    @functools.wraps(program)
    def run(tf, np):
        logger = tf.get_logger()
        logger.disabled = True
        try:
            return program(tf, np)
        finally:
            gc.collect()
            logger.disabled = False

    return run


def both(tf, *statements):
    """What each statement gives in eager code and in a function."""

    def in_function(statement):
        return told(tf.function(statement, autograph=False))

    return [[shown(told(s)), shown(in_function(s))] for s in statements]


def gradient(tf, f, x, **kwargs):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, **kwargs)


def second(tf, f, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        d = gradient(tf, f, x)
    return None if d is None else outer.gradient(d, x)


def results(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return both(
        tf,
        lambda: tf.map_fn(lambda t: t * t, x),
        lambda: tf.map_fn(tf.reduce_sum, m),
        lambda: tf.map_fn(lambda t: t + 1, np.arange(3)),
        lambda: tf.map_fn(lambda t: t * 2, np.ones((2, 2))),
        lambda: tf.map_fn(lambda t: t > 1, x, fn_output_signature=tf.bool),
        lambda: tf.map_fn(lambda t: tf.cast(t, tf.int32), x, dtype=tf.int32),
        lambda: tf.map_fn(lambda t: 1.0, x),
        lambda: tf.map_fn(lambda t: 1, x),
        lambda: tf.map_fn(lambda t: np.ones(2, np.float32), x),
        lambda: tf.map_fn(lambda t: tf.complex(t, t), x, fn_output_signature=tf.complex64),
        lambda: tf.map_fn(lambda t: t, x[:1]),
        lambda: tf.map_fn(lambda t: t, x, None, None, False, True, False, "n"),
        lambda: tf.map_fn(lambda t: t + "a", tf.constant(["a", "b"])),
    )


def structures(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    pair = collections.namedtuple("pair", "a b")
    two = (tf.float32, tf.float32)
    return both(
        tf,
        lambda: tf.map_fn(lambda t: t[0] * t[1], (x, x), fn_output_signature=tf.float32),
        lambda: tf.map_fn(lambda t: (t, -t), x, fn_output_signature=two),
        lambda: tf.map_fn(lambda t: [t, [-t]], x, fn_output_signature=[tf.float32, [tf.float32]]),
        lambda: tf.map_fn(
            lambda t: {"b": t["x"], "a": -t["y"]},
            {"y": x, "x": x * 2},
            fn_output_signature={"a": tf.float32, "b": tf.float32},
        ),
        lambda: list(tf.map_fn(lambda t: pair(t.a + t.b, t.b), pair(x, x))),
        lambda: tf.map_fn(lambda t: (t[1], t[0]), (x, x * 2)),
        lambda: tf.map_fn(
            lambda t: t[0], (x, x), fn_output_signature=tf.TensorSpec([], tf.float32)
        ),
    )


def empty(tf, np):
    return both(
        tf,
        lambda: tf.map_fn(lambda t: t * t, tf.zeros([0, 2])),
        lambda: tf.map_fn(tf.reduce_sum, tf.zeros([0, 2])),
        lambda: tf.map_fn(
            lambda t: t, tf.zeros([0, 2]), fn_output_signature=tf.TensorSpec([2], tf.float32)
        ),
        lambda: tf.vectorized_map(lambda t: t * 2, tf.zeros([0, 2])),
    )


@unlogged
def errors(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    ints = tf.constant([1, 2, 3])
    return [
        told(lambda: tf.map_fn(lambda t: t, tf.constant(1.0))),
        told(lambda: tf.map_fn(lambda t: t, [1.0, 2.0])),
        told(lambda: tf.map_fn(lambda t: t, [])),
        told(lambda: tf.map_fn(lambda t: t, ())),
        told(lambda: tf.map_fn(3, x)),
        told(lambda: tf.map_fn(lambda t: t[0], (x, x[:2]), fn_output_signature=tf.float32)),
        told(lambda: tf.map_fn(lambda t: tf.cast(t, tf.int32), x)),
        told(lambda: tf.map_fn(lambda t: 1.5, ints)),
        told(lambda: tf.map_fn(lambda t: None, x)),
        told(lambda: tf.map_fn(lambda t: t[0], (x, x))),
        told(lambda: tf.map_fn(lambda t: (t, t), x)),
        told(lambda: tf.map_fn(lambda t: [t, t], x, fn_output_signature=(tf.float32,) * 2)),
        told(lambda: tf.map_fn(lambda t: (t,), x, fn_output_signature=(tf.float32,) * 2)),
        told(lambda: tf.map_fn(lambda t: t, x, fn_output_signature=(tf.float32,))),
        told(lambda: tf.map_fn(lambda n: tf.range(n), ints)),
        told(lambda: tf.map_fn(lambda n: tf.range(n), ints, infer_shape=False)),
        told(lambda: tf.map_fn(lambda t: t, x, fn_output_signature=tf.TensorSpec([2]))),
        told(lambda: tf.map_fn(lambda t: t, x, fn_output_signature=3.5)),
        told(lambda: tf.map_fn(lambda t: t, None)),
        told(lambda: tf.map_fn(lambda t: tf.reshape(t, [2]), x)),
        told(lambda: tf.map_fn(lambda t: t + tf.constant(1), x)),
    ]


@unlogged
def errors_in_functions(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    ints = tf.constant([1, 2, 3])

    def ask(statement, tell=told):
        return tell(tf.function(statement, autograph=False))

    return [
        ask(lambda: tf.map_fn(lambda t: t, tf.constant(1.0))),
        ask(lambda: tf.map_fn(lambda t: t, [])),
        ask(lambda: tf.map_fn(3, x)),
        ask(lambda: tf.map_fn(lambda t: t, x, fn_output_signature=tf.TensorSpec([2]))),
        ask(lambda: tf.map_fn(lambda t: t[0], (x, x[:2]), fn_output_signature=tf.float32)),
        ask(lambda: tf.map_fn(lambda t: t[0], (x, x)), kind_of_error),
        ask(lambda: tf.map_fn(lambda t: [t, t], x, fn_output_signature=(tf.float32,) * 2),
            kind_of_error),
        ask(lambda: tf.map_fn(lambda t: tf.gather(x, t), ints + 1, tf.float32), kind_of_error),
        ask(lambda: tf.map_fn(lambda t: [][1], x)),
    ]  # fmt: skip


@unlogged
def checks(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])

    def below(t):
        tf.debugging.assert_less(t, 2.0)
        return t

    def two_checks(t):
        tf.debugging.assert_less(t, 3.0, message="second")
        tf.debugging.assert_greater(t, 1.0, message="first")
        return t

    def ask(f, *args):  # AutoGraph indents what it repeats
        found = told(lambda: tf.map_fn(f, *args))
        if isinstance(found, Caught):
            found.text = " ".join(found.text.split())
        return found

    return [
        ask(lambda i: tf.gather(x, i), tf.constant([0, 5, 7]), tf.float32),
        ask(below, x),
        ask(below, x[:1]),
        ask(two_checks, tf.constant([2.0, 1.0, 3.0])),
        ask(two_checks, tf.constant([2.0, 3.0, 1.0])),
    ]


@unlogged
def checks_in_functions(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    f = tf.function(lambda i: tf.map_fn(lambda k: tf.gather(x, k), i, tf.float32), autograph=False)
    return f(tf.constant([1, 2])), kind_of_error(f, tf.constant([0, 5])), f(tf.constant([0, 0]))


def ragged(tf, np):
    r = tf.ragged.constant([[1, 2], [3]])
    ints = tf.constant([1, 2, 3])
    return both(
        tf,
        lambda: tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.int32),
        lambda: tf.map_fn(lambda t: t + 1, r),
        lambda: tf.map_fn(lambda t: t * 2, tf.ragged.constant([[[1], [2, 4]], [[3]]])),
        lambda: tf.map_fn(
            lambda n: tf.range(n), ints, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)
        ),
        lambda: tf.map_fn(
            lambda t: tf.reduce_sum(t[0]) + t[1], (r, ints[:2]), fn_output_signature=tf.int32
        ),
        lambda: tf.map_fn(
            lambda t: t[:1], r, fn_output_signature=tf.TensorSpec([1], tf.int32)
        ),
        lambda: tf.map_fn(
            lambda n: tf.sparse.from_dense([n, 0]), ints,
            fn_output_signature=tf.SparseTensorSpec([2], tf.int32),
        ),
        lambda: tf.map_fn(
            lambda t: tf.sparse.reduce_sum(t), tf.sparse.from_dense([[1.0, 2.0], [0.0, 3.0]]),
            fn_output_signature=tf.float32,
        ),
        lambda: tf.map_fn(lambda n: n, tf.sparse.from_dense([[1, 0], [0, 2]])),
    )  # fmt: skip


def ragged_errors(tf, np):
    return told(lambda: tf.map_fn(tf.reduce_sum, tf.ragged.constant([[1, 2], [3]])))


def gradients(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    two = (tf.float32, tf.float32)
    fs = {
        "cube": lambda v: tf.map_fn(lambda t: t * t * t, v),
        "constant": lambda v: tf.map_fn(lambda t: 1.0, v),
        "floor": lambda v: tf.map_fn(tf.floor, v),
        "stopped": lambda v: tf.map_fn(tf.stop_gradient, v),
        "other output": lambda v: tf.map_fn(lambda t: (t, 1.0), v, two)[1],
        "relu": lambda v: tf.map_fn(tf.nn.relu, v - 2.0),
        "capture": lambda v: tf.map_fn(lambda t: t * v, tf.constant([1.0, 2.0])),
        "capture of other output": lambda v: tf.map_fn(lambda t: (t * v, t), x, two)[1],
        "unused": lambda v: tf.map_fn(lambda t: t * 2.0, x),
        "empty": lambda v: tf.map_fn(lambda t: t * v, tf.zeros([0])),
        "float64": lambda v: tf.map_fn(lambda t: t * t, tf.cast(v, tf.float64)),
        "linear": lambda v: tf.map_fn(lambda t: 3.0 * t, v),
        "nested": lambda v: tf.map_fn(lambda t: tf.map_fn(lambda s: s * t, v), v),
        "max": lambda v: tf.map_fn(lambda t: tf.maximum(t, 2.0), v),
    }
    found = {}
    for name, f in fs.items():
        found[name] = told(lambda f=f: gradient(tf, f, x))
        found[f"{name} in a function"] = told(
            tf.function(lambda v, f=f: gradient(tf, f, v), autograph=False), x
        )
    for name in ("cube", "capture", "linear", "nested", "relu"):
        found[f"second {name}"] = told(lambda name=name: second(tf, fs[name], x))
    g = tf.function(fs["cube"], autograph=False)
    found["tape around a function"] = gradient(tf, g, x)
    found["second around a function"] = second(tf, g, x)
    return found


def back_prop(tf, np):
    x = tf.constant([1.0, 2.0])

    def f(v):
        return tf.map_fn(lambda t: t * t, v, back_prop=False)

    return gradient(tf, f, x), tf.function(lambda v: gradient(tf, f, v), autograph=False)(x)


@unlogged
def without_a_registered_gradient(tf, np):
    x = tf.constant([[[2.0, 1.0], [1.0, 3.0]]] * 2)
    f = tf.function(
        lambda v: gradient(tf, lambda u: tf.map_fn(lambda t: tf.linalg.lu(t)[0], u), v),
        autograph=False,
    )
    return [
        told(lambda: gradient(tf, lambda u: tf.map_fn(lambda t: tf.linalg.lu(t)[0], u), x)),
        told(lambda: tf.map_fn(lambda t: tf.linalg.lu(t)[0], x)),
        kind_of_error(f, x),
    ]


def forward(tf, np):
    x, t = tf.constant([1.0, 2.0]), tf.constant([1.0, 10.0])
    with tf.autodiff.ForwardAccumulator(x, t) as acc:
        y = tf.map_fn(lambda s: s * s * x[0], x)
        z = tf.vectorized_map(lambda s: s * s * x[0], x)
    return acc.jvp(y), acc.jvp(z)


def jacobians(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.map_fn(lambda s: s * x, x)
    return tape.jacobian(y, x)


def variables(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    v, n = tf.Variable(3.0), tf.Variable(0.0, trainable=False)
    found = {}

    def step(t):
        n.assign_add(t)
        return t * v * n

    with tf.GradientTape() as tape:
        y = tf.map_fn(step, x)
    found["read"] = [y, tape.gradient(y, v), n.numpy()]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.map_fn(step, x)
    found["of elements"] = [tape.gradient(y, x), n.numpy()]

    def assigning(t):
        v.assign_add(t)
        return t * v

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.map_fn(assigning, x)
    found["trainable"] = [y, tape.gradient(y, v), tape.gradient(y, x), v.numpy()]
    y = tf.map_fn(assigning, x)
    found["without a tape"] = [y, v.numpy()]
    tf.map_fn(lambda t: v.assign(t) * 0.0, x)
    found["only assigned"] = v.numpy()

    @tf.function
    def f(t):
        return tf.map_fn(step, t)

    found["in a function"] = [f(x), n.numpy(), f(x), n.numpy()]
    found["never"] = [tf.map_fn(assigning, x[:0]).shape.rank, v.numpy()]
    return found


def python_side_effects(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    count, kept, numbers = [0], [], iter([10.0, 20.0, 30.0])

    def counting(t):
        count[0] += 1
        return t * count[0]

    found = [tf.map_fn(counting, x), count[0]]
    found.append(tf.map_fn(lambda t: t * next(numbers), x))
    y = tf.map_fn(lambda t: kept.append(t * 2.0) or t, x)
    found += [y, [float(k) for k in kept], len(kept)]
    with tf.GradientTape() as tape:
        tape.watch(x)
        kept.clear()
        tf.map_fn(lambda t: kept.append(t * t) or t, x)
        z = kept[0] + kept[1] + kept[2]
    found.append(tape.gradient(z, x))
    found.append(tf.map_fn(lambda t: t if t > 1.5 else -t, x))
    found.append(tf.map_fn(lambda t: float(t) * 2.0, x))
    found.append([str(s) for s in tf.map_fn(lambda t: tf.constant(f"{t}"), x, tf.string).numpy()])
    return found


def random_numbers(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    found = []
    tf.random.set_seed(1)
    found.append(tf.map_fn(lambda t: t + tf.random.uniform([2]), x, infer_shape=True))
    found.append(tf.random.uniform([]))
    tf.random.set_seed(2)
    found.append(tf.map_fn(lambda t: tf.random.uniform([]) - tf.random.uniform([], seed=3), x))
    tf.random.set_seed(3)
    found.append(tf.map_fn(lambda t: tf.random.shuffle(tf.range(4)), x, tf.int32))
    tf.random.set_seed(4)
    found.append(
        tf.map_fn(
            lambda t: tf.map_fn(lambda s: s + tf.random.uniform([]), x) + tf.random.uniform([]), x
        )
    )
    tf.random.set_seed(5)
    f = tf.function(lambda: tf.map_fn(lambda t: t + tf.random.uniform([]), x), autograph=False)
    found += [tf.sort(f() - x), tf.sort(f() - x)]  # TensorFlow's graph takes the rows in any order
    tf.random.set_seed(6)
    found.append(tf.map_fn(lambda t: tf.random.uniform([]) if t > 1.0 else t, x))
    return found


@in_a_new_directory
def printing(tf, np):
    x = tf.constant([1.0, 2.0])

    def loud(t):
        tf.print("row", t, output_stream="file://out")
        return t * t

    f = tf.function(lambda v: tf.map_fn(loud, v), autograph=False)
    found = []
    for statement in (
        lambda: tf.map_fn(loud, x),
        lambda: f(x),
        lambda: gradient(tf, lambda v: tf.map_fn(loud, v), x),
        lambda: gradient(tf, f, x),
    ):
        pathlib.Path("out").write_text("")
        found.append([statement(), pathlib.Path("out").read_text()])
    found.append(printed(lambda: tf.map_fn(lambda t: print(t) or t, x)))  # noqa: T201
    return found


@unlogged
def vectorized(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    V = tf.vectorized_map  # noqa: N806
    return both(
        tf,
        lambda: V(lambda t: t * t, x),
        lambda: V(lambda t: t[0] + t[1], (x, tf.ones([1, 2]))),
        lambda: V(lambda t: t[0] + t[1], (tf.ones([1]), tf.ones([1, 2]))),
        lambda: V(lambda t: 1.0, x),
        lambda: V(lambda t: tf.constant([1.0, 2.0]), x),
        lambda: V(lambda t: None, x),
        lambda: V(lambda t: (t, None), x),
        lambda: V(lambda t: {"a": [t["x"], t["x"] * 2.0]}, {"x": x}),
        lambda: V(lambda t: t * 2.0, tf.zeros([1, 2])),
        lambda: V(lambda t: t * 2.0, np.ones((2, 2))),
        lambda: V(lambda t: t + "a", tf.constant(["a", "b"])),
        lambda: V(lambda n: V(lambda m: m * n, x), x),
        lambda: V(lambda n: tf.map_fn(lambda m: m * n, x), x),
        lambda: tf.map_fn(lambda n: V(lambda m: m * n, x), x),
        lambda: V(lambda n: tf.constant(1.0 if tf.executing_eagerly() else 0.0), x),
        lambda: V(tf.linalg.inv, tf.eye(2, batch_shape=[2])),
        lambda: V(lambda t: t, x, False, False),
        lambda: V(lambda t: tf.random.uniform([2]) < 2.0, x),
    )


@unlogged
def vectorized_errors(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    V = tf.vectorized_map  # noqa: N806
    return [
        kind_of_error(lambda: V(lambda t: t[0] + t[1], (x, tf.ones([2])))),
        kind_of_error(lambda: V(lambda n: n[0] + n[1], (tf.ones([1]), tf.ones([0, 2])))),
        told(lambda: V(lambda t: t, tf.constant(1.0))),
        told(lambda: V(lambda t: t, [[1.0, 2.0]])),
        told(lambda: V(lambda t: t, [])),
        told(lambda: V(3, x)),
        kind_of_error(lambda: V(lambda i: tf.gather(x, i), tf.constant([0, 5]))),
    ]


def vectorized_gradients(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    v = tf.Variable(2.0)

    def cube(u):
        return tf.vectorized_map(lambda t: t * t * t, u)

    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda t: t * v, x)
    return [
        gradient(tf, cube, x), second(tf, cube, x), tape.gradient(y, v),
        gradient(tf, lambda u: tf.vectorized_map(lambda t: x * u[0], u), x),
        gradient(tf, lambda u: tf.vectorized_map(lambda t: t * 2.0, x), v),
    ]  # fmt: skip
