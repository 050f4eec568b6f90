"""`tf.while_loop`: in eager code and in functions; and Python's loops in functions."""

import collections

from programs.functions import kind_of_error, printed, told
from programs.mapped import both, gradient, second, unlogged

Pair = collections.namedtuple("Pair", "first second")


def kinds(tf, *statements):
    """What each statement gives eagerly, and the kind of error that it raises in a function."""
    return [[told(s), kind_of_error(tf.function(s, autograph=False))] for s in statements]


def below(n):
    return lambda i, *_: i < n


def structures(tf, np):
    t, w = tf.constant, tf.while_loop
    return both(
        tf,
        lambda: w(below(3), lambda i: (i + 1,), (t(0),)),
        lambda: w(below(3), lambda i: [i + 1], [t(0)]),
        lambda: w(below(3), lambda i, x: (i + 1, x * 2.0), (t(0), t(1.0))),
        lambda: w(below(3), lambda i, x: [i + 1, x * 2.0], [t(0), t(1.0)]),
        lambda: w(below(3), lambda i, p: (i + 1, (p[1], p[0])), (t(0), (t(1.0), t(2.0)))),
        lambda: w(
            below(3), lambda i, p: (i + 1, {"a": p["a"] * 2, "b": p["b"] + 1}),
            (t(0), {"b": t(2), "a": t(1.0)}),
        ),
        lambda: w(
            below(3), lambda i, p: (i + 1, Pair(p.second, p.first)), (t(0), Pair(t(1), t(2))),
        ),
        lambda: w(lambda a, b: a < 3, lambda a, b: Pair(a + 1, b * 2), Pair(t(0), t(2.0))),
        lambda: w(
            lambda d: d["i"] < 3, lambda d: [{"i": d["i"] + 1, "x": d["x"] * 2.0}],
            [{"i": t(0), "x": t(1.0)}],
        ),
    )  # fmt: skip


def numbers_and_arrays(tf, np):
    t, w = tf.constant, tf.while_loop
    v = tf.Variable(2.0)
    return both(
        tf,
        lambda: w(below(3), lambda i, x: (i + 1, x * 2.0), (0, 1.0)),
        lambda: w(below(0), lambda i, x: (i + 1, x * 2.0), (0, 1.0)),
        lambda: w(below(3), lambda i, x: (i + 1, x * 2.0), (np.int64(0), np.ones(2))),
        lambda: w(below(3), lambda i, x: (i + 1, x * 2.0), (0, t([1.0, 2.0]))),
        lambda: w(below(3), lambda i, x: (i + 1, x * 2.0), (t(0), v)),
        lambda: w(below(0), lambda i, x: (i + 1, x * 2.0), (t(0), v)),
        lambda: w(below(3), lambda i, x: (i + 1, x), (t(0), v)),
        lambda: w(below(2), lambda i, x: (i + 1, x + 1j), (t(0), t(1.0 + 0j))),
        lambda: w(
            below(t(2, tf.int64)), lambda i, x: (i + 1, x / 3), (t(0, tf.int64), t(1.0, tf.float64))
        ),
        lambda: w(lambda x: x < 3.0, lambda x: (x + 1.0,), (t(0.0, tf.float16),)),
        lambda: w(lambda x: x, lambda x: (tf.logical_not(x),), (t(True),)),
    )  # fmt: skip


def other_parts(tf, np):
    t, w = tf.constant, tf.while_loop
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    sparse = tf.sparse.from_dense([[1.0, 0.0]])
    return both(
        tf,
        lambda: w(below(3), lambda i, s: (i + 1, s + "a"), (t(0), t("b"))),
        lambda: w(below(3), lambda i, s: (i + 1, s * 2.0), (t(0), ragged)),
        lambda: w(below(3), lambda i, s: (i + 1, s), (t(0), sparse)),
    )


def conditions(tf, np):
    t, w = tf.constant, tf.while_loop
    return both(
        tf,
        lambda: w(lambda i: False, lambda i: (i + 1,), (t(0),)),
        lambda: w(lambda i: t(False), lambda i: (i + 1,), (t(0),)),
        lambda: w(lambda i: tf.stack([i < 3]), lambda i: (i + 1,), (t(0),)),
        lambda: w(lambda x: tf.reduce_sum(x) < 9.0, lambda x: (x + 1.0,), (t([1.0, 2.0]),)),
        lambda: w(
            lambda i, x: tf.logical_and(i < 5, x < 6.0), lambda i, x: (i + 1, x * 2.0),
            (t(0), t(1.0)),
        ),
        lambda: w(lambda i: i > -3, lambda i: (i - 1,), (t(2),)),
        lambda: w(lambda i: i >= -3, lambda i: (i - 2,), (t(2),)),
        lambda: w(lambda i: i <= 5, lambda i: (2 + i,), (t(0),)),
        lambda: w(lambda i: i < 5, lambda i: (i + 2,), (t(0),)),
        lambda: w(lambda i, n: i < n, lambda i, n: (i + 1, n), (t(0), t(4))),
        lambda: w(lambda i, n: n > i, lambda i, n: (i + 1, n), (t(0), t(4))),
        lambda: w(lambda i, n: i < n, lambda i, n: (i + 1, n - 1), (t(0), t(4))),
        lambda: w(lambda i: i < 100, lambda i: (i * 2,), (t(1),)),
        lambda: w(lambda i: i < 3, lambda i: (i + 1,), (t(7),)),
    )  # fmt: skip


def limits(tf, np):
    t, w = tf.constant, tf.while_loop
    v = tf.Variable(2)

    def ask(limit, n=3):
        return lambda: w(below(n), lambda i: (i + 1,), (t(0),), maximum_iterations=limit)

    return [
        *both(tf, ask(2), ask(0), ask(9), ask(-1), ask(t(2)), ask(v), ask(np.int32(2))),
        *kinds(tf, ask(2.5), ask("a")),
        *[told(ask(limit)) for limit in (t(2.5), t(2, tf.int64), [2])],
        *both(
            tf,
            lambda: w(below(3), lambda i, j: [i + 1, j * 2], [t(0), t(1)], maximum_iterations=2),
            lambda: w(
                lambda i, x: x < 100.0, lambda i, x: (i + 1, x * 2.0), (t(0), t(1.0)),
                maximum_iterations=3,
            ),
        ),
    ]  # fmt: skip


def other_arguments(tf, np):
    t, w = tf.constant, tf.while_loop

    def ask(**kwargs):
        return lambda: w(below(3), lambda i: (i + 1,), (t(0),), **kwargs)

    return [
        *both(tf, ask(parallel_iterations=1, back_prop=False, swap_memory=True, name="n")),
        *kinds(tf, ask(parallel_iterations=0), ask(parallel_iterations="a")),
    ]


def refused(tf, np):
    t, w = tf.constant, tf.while_loop
    return [
        *both(
            tf,
            lambda: w(1, lambda i: (i + 1,), (t(0),)),
            lambda: w(below(3), 1, (t(0),)),
        ),
        told(lambda: w(below(3), lambda i: (i + 1,), [])),
        told(lambda: w(below(3), lambda i: i + 1, [t(0)])),
        tf.function(lambda: w(below(3), lambda i: i + 1, [t(0)]))(),
        *kinds(
            tf,
            lambda: w(below(3), lambda i: (i + 1, i), (t(0),)),
            lambda: w(below(3), lambda i, j: (i + 1,), (t(0), t(1))),
            lambda: w(below(3), lambda i, j: (i + 1, [j]), (t(0), t(1))),
            lambda: w(below(3), lambda i, j: (i + 1, [j[0]]), (t(0), (t(1),))),
            lambda: w(below(3), lambda i, j: (i + 1, {"b": j["a"]}), (t(0), {"a": t(1)})),
            lambda: w(lambda i, j: i < 3, lambda i: (i + 1,), (t(0),)),
            lambda: w(below(3), lambda i, j: (i + 1,), (t(0),)),
            lambda: w(below(3), lambda i, x: (i + 1, x), (t(0), None)),
            lambda: w(lambda i: tf.stack([i < 3, i < 2]), lambda i: (i + 1,), (t(0),)),
        ),
    ]


def conditions_of_numbers(tf, np):
    t, w = tf.constant, tf.while_loop
    return kinds(tf, lambda: w(lambda i: 3 - i, lambda i: (i + 1,), (t(0),)))


def types_that_change(tf, np):
    t, w = tf.constant, tf.while_loop
    return kinds(
        tf,
        lambda: w(below(3), lambda i, j: (i + 1, t(1.0)), (t(0), t(1))),
        lambda: w(below(3), lambda i, j: (i + 1, 1.5), (t(0), t(1))),
        lambda: w(below(3), lambda i, j: (i + 1, 1), (t(0), t(1.0))),
        lambda: w(below(3), lambda i, j: (i + 1, tf.concat([j, j], 0)), (t(0), t([1]))),
        lambda: w(below(3), lambda i, j: (i + 1, tf.stack([j, j])), (t(0), t([1]))),
    )


def invariants(tf, np):
    t, w = tf.constant, tf.while_loop
    none = tf.TensorShape([None])

    def ask(shapes, grow=True):
        def body(i, j):
            return i + 1, tf.concat([j, j], 0) if grow else j * 2

        return lambda: w(lambda i, j: i < 3, body, (t(0), t([1])), shape_invariants=shapes)

    scalar = tf.TensorShape([])
    return [
        *both(
            tf, ask((scalar, none)), ask((scalar, none), False), ask((scalar, tf.TensorShape(None)))
        ),
        *both(tf, ask((tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32)))),
        *kinds(
            tf, ask((scalar, tf.TensorShape([2]))), ask((scalar, tf.TensorShape([1]))),
            ask((scalar,)), ask([scalar, none]),
        ),
        *kinds(tf, ask((tf.TensorSpec([]), tf.TensorSpec([None], tf.int32)))),
    ]  # fmt: skip


def messages(tf, np):
    t, w = tf.constant, tf.while_loop

    def ask(body, **kwargs):
        found = told(
            tf.function(lambda: w(below(3), body, (t(0), t([1])), **kwargs), autograph=False)
        )
        return found.text.replace("Const_1:0", "Const:0")

    return [
        ask(lambda i, j: (i + 1, tf.concat([j, j], 0))),
        ask(lambda i, j: (i + 1, tf.cast(j, tf.float32))),
    ]


def functions(tf, np):
    @tf.function
    def f(x, n):
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (0, x))

    @tf.function
    def collatz(n):
        def step(n, k):
            return tf.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), k + 1

        return tf.while_loop(lambda n, k: n > 1, step, (n, tf.constant(0)))[1]

    @tf.function
    def root(a):
        return tf.while_loop(
            lambda x: tf.abs(x * x - a) > 1e-4, lambda x: (0.5 * (x + a / x),), (a,)
        )[0]

    t = tf.constant
    return [
        [f(t(3.0), t(n)) for n in (0, 1, 4)], f(t(2.0, tf.float64), t(3)),
        [collatz(t(n)) for n in (1, 6, 27)], [root(t(a)) for a in (1.0, 2.0, 100.0)],
    ]  # fmt: skip


def nested(tf, np):
    w = tf.while_loop

    def f(n):
        def outer(i, total):
            def inner(j, s):
                s = tf.cond(j % 2 == 0, lambda: s + j, lambda: s - i)
                return j + 1, s

            return i + 1, w(lambda j, s: j < i, inner, (tf.constant(0), total))[1]

        return w(lambda i, s: i < n, outer, (tf.constant(0), tf.constant(0)))[1]

    return [
        [f(tf.constant(n)) for n in (0, 3, 6)],
        [tf.function(f)(tf.constant(n)) for n in (0, 3, 6)], tf.function(lambda: f(5))(),
    ]  # fmt: skip


def derivatives(tf, f, x):
    compiled = tf.function(f)
    return [
        gradient(tf, f, x), gradient(tf, compiled, x),
        tf.function(lambda x: gradient(tf, f, x))(x), second(tf, f, x), second(tf, compiled, x),
        tf.function(lambda x: second(tf, f, x))(x),
    ]  # fmt: skip


def gradients_of_counting_loops(tf, np):
    def powers(x):
        return tf.while_loop(below(4), lambda i, y: (i + 1, y * x), (tf.constant(0), x))[1]

    def vectors(x):
        m = tf.constant([[0.5, -1.0], [0.25, 1.0]])
        return tf.while_loop(
            below(3), lambda i, y: (i + 1, tf.tanh(tf.linalg.matvec(m, y) + x)), (0, tf.zeros([2]))
        )[1]

    return [
        derivatives(tf, powers, tf.constant(1.5)),
        derivatives(tf, powers, tf.constant(1.5, tf.float64)),
        derivatives(tf, vectors, tf.constant([1.0, -0.5])),
    ]


def gradients_of_searching_loops(tf, np):
    def grow(x):
        return tf.while_loop(lambda y: y < 50.0, lambda y: (y * x,), (x,))[0]

    def root(a):
        def better(x, _):
            new = 0.5 * (x + a / x)
            return new, tf.abs(new - x)

        return tf.while_loop(lambda x, e: e > 1e-5, better, (a, a))[0]

    return [derivatives(tf, f, tf.constant(v)) for f in (grow, root) for v in (3.0, 7.0)]


def gradients_with_a_limit(tf, np):
    def grow(x):
        return tf.while_loop(lambda y: y < 50.0, lambda y: (y * x,), (x,), maximum_iterations=10)[0]

    def cut(x):
        return tf.while_loop(lambda y: y < 50.0, lambda y: (y * x,), (x,), maximum_iterations=2)[0]

    return [derivatives(tf, f, tf.constant(3.0)) for f in (grow, cut)]


def gradients_of_what_is_captured(tf, np):
    v, w = tf.Variable(2.0), tf.Variable([1.0, 3.0])

    def f(x):
        def body(i, y):
            return i + 1, y * v + tf.reduce_sum(w) * x

        return tf.while_loop(below(3), body, (tf.constant(0), x))[1]

    def ask(f):
        x = tf.constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return [tf.convert_to_tensor(g) for g in tape.gradient(y, [x, v, w])]

    return [ask(f), ask(tf.function(f)), tf.function(lambda: ask(f))()]


def none_where_nothing_leads(tf, np):
    def ask(wrap, n):
        x, y, z = tf.constant(2.0), tf.constant(3.0), tf.constant(5.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y, z])

            def f(x, y):
                def body(i, a, b, c):
                    return i + 1, a * 2.0, b * y, a

                return tf.while_loop(below(n), body, (tf.constant(0), x, y, y))[1:]

            results = wrap(f)(x, y)
        return [[tape.gradient(t, s) for s in (x, y, z)] for t in results]

    return [ask(wrap, n) for wrap in (lambda f: f, tf.function) for n in (1, 3)]


def second_derivative_of_what_is_linear(tf, np):
    def f(x):
        return tf.while_loop(below(3), lambda i, y: (i + 1, y * 2.0), (tf.constant(0), x))[1]

    return [second(tf, f, tf.constant(2.0)), second(tf, tf.function(f), tf.constant(2.0))]


def no_gradients_wanted(tf, np):
    def f(x):
        return tf.while_loop(
            below(3), lambda i, y: (i + 1, y * 2.0), (tf.constant(0), x), back_prop=False
        )[1]

    x = tf.constant(2.0)
    return [gradient(tf, f, x), gradient(tf, tf.function(f), x)]


def no_nan_after_the_end(tf, np):
    def f(x):
        return tf.while_loop(
            lambda y: y > 1.0, lambda y: (tf.sqrt(y - 1.0),), (x,), maximum_iterations=20
        )[0]

    x = tf.constant(7.0)
    return [gradient(tf, f, x), tf.function(lambda x: gradient(tf, f, x))(x)]


def nan_and_zero_iterations(tf, np):
    def f(x):
        return tf.while_loop(lambda y: y < 10.0, lambda y: (y * 2.0,), (x,))[0]

    compiled = tf.function(f)
    values = [tf.constant(v) for v in (float("nan"), 20.0, 3.0)]
    return [[g(x), gradient(tf, g, x)] for x in values for g in (f, compiled)]


def assignments(tf, np):
    v, n = tf.Variable(1.0), tf.Variable(0, trainable=False)

    def f(x):
        def body(i, y):
            v.assign_add(x)
            n.assign_add(2)
            return i + 1, y + v

        return tf.while_loop(below(3), body, (tf.constant(0), x))[1] + v

    found = []
    for g in (f, tf.function(f)):
        for x in (0.5, 2.0):
            found.append([g(tf.constant(x)), v.numpy(), n.numpy()])
    return found


def assignments_that_end_it(tf, np):
    v = tf.Variable(1.0)

    def f():
        def body(i):
            v.assign(v * 2.0)
            return (i + 1,)

        return tf.while_loop(lambda i: v < 20.0, body, (tf.constant(0),))[0]

    found = []
    for g in (f, tf.function(f)):
        v.assign(1.0)
        found.append([g(), v.numpy()])
    return found


def gradients_through_assignments(tf, np):
    v, m = tf.Variable(2.0), tf.Variable(1.0, trainable=False)

    def f():
        def body(i, a):
            v.assign_add(1.0)
            m.assign(m * 0.5 + a)
            return i + 1, a * v + m

        return tf.while_loop(below(3), body, (tf.constant(0), tf.constant(1.0)))[1]

    found = []
    for g in (f, tf.function(f)):
        with tf.GradientTape() as tape:
            y = g()
        found.append([y, tape.gradient(y, v), v.numpy(), m.numpy()])
    return found


def checks(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])

    def take(n):
        return tf.while_loop(
            below(n), lambda i, s: (i + 1, s + tf.gather(x, i)), (tf.constant(0), tf.constant(0.0))
        )[1]

    def positive(y):
        def body(i, y):
            tf.debugging.assert_positive(y)
            return i + 1, y - 1.0

        return tf.while_loop(below(3), body, (tf.constant(0), y))[1]

    t = tf.constant
    return [
        take(t(3)), tf.function(take)(t(3)), told(take, t(5)),
        kind_of_error(tf.function(take), t(5)),
        positive(t(3.5)), tf.function(positive)(t(3.5)), kind_of_error(positive, t(1.5)),
        kind_of_error(tf.function(positive), t(1.5)),
    ]  # fmt: skip


def printing(tf, np):
    @tf.function
    def f(n):
        def body(i, x):
            tf.print("at", i, x)
            return i + 1, x * 2.0

        return tf.while_loop(below(n), body, (tf.constant(0), tf.constant(1.0)))[1]

    @tf.function
    def g():
        def body(i):
            tf.cond(i > 0, lambda: tf.print("odd", i), lambda: tf.print("zero"))
            return (i + 1,)

        return tf.while_loop(below(2), body, (tf.constant(0),))

    return [printed(f, tf.constant(3)), printed(f, tf.constant(0)), printed(g)]


def python_in_the_body(tf, np):
    def collecting():
        seen = []

        def body(i, x):
            seen.append(x)
            return i + 1, x * 2.0

        last = tf.while_loop(below(4), body, (tf.constant(0), tf.constant(1.0)))
        return last, [x.numpy() for x in seen]

    def counting():
        steps = iter(range(1, 100))

        def body(i, x):
            return i + 1, x + float(next(steps))

        return tf.while_loop(below(5), body, (tf.constant(0), tf.constant(0.0)))

    def looking():
        def body(i, x):
            return i + 1, x * 2.0 if x > 3.0 else x + 1.5

        return tf.while_loop(below(4), body, (tf.constant(0), tf.constant(1.0)))

    return collecting(), counting(), looking()


def random_numbers(tf, np):
    def f(n):
        def body(i, s):
            return i + 1, s * 0.5 + tf.random.uniform([2]) + tf.random.normal([], seed=3)

        return tf.while_loop(below(n), body, (tf.constant(0), tf.zeros([2])))[1]

    def until():
        return tf.while_loop(
            lambda s, k: s < 2.0, lambda s, k: (s + tf.random.uniform([]), k + 1),
            (tf.constant(0.0), tf.constant(0)),
        )  # fmt: skip

    tf.random.set_seed(1)
    found = [
        f(tf.constant(4)),
        f(tf.constant(0)),
        f(tf.constant(1)),
        tf.random.uniform([]),
        until(),
    ]
    generator = tf.random.Generator.from_seed(7)

    def g():
        return tf.while_loop(
            below(3),
            lambda i, s: (i + 1, s + generator.uniform([])),
            (tf.constant(0), tf.zeros([])),
        )[1]

    return [*found, g(), tf.function(g)(), generator.uniform([])]


def random_branches_and_dropout(tf, np):
    def f():
        def body(i, s):
            drawn = tf.random.stateless_uniform([], [1, i])
            return i + 1, tf.cond(drawn > 0.5, lambda: s + 1, lambda: s - 1)

        return tf.while_loop(below(10), body, (tf.constant(0), tf.constant(0)))[1]

    return [f(), tf.function(f)()]


@unlogged
def arrays(tf, np):
    t, w = tf.constant, tf.while_loop

    def ask(make, body, n=3, finish=lambda a: a.stack()):
        return lambda: finish(w(below(n), body, (t(0), make()))[1])

    def of(size, **kwargs):
        return lambda: tf.TensorArray(tf.float32, size=size, **kwargs)

    def write(i, a):
        return i + 1, a.write(i, tf.cast(i, tf.float32) * 2.0)

    def vectors(i, a):
        return i + 1, a.write(i, tf.range(2.0) + tf.cast(i, tf.float32))

    def chain(i, a):
        return i + 1, a.write(i + 1, a.read(i) * 2.0)

    return both(
        tf,
        ask(of(3), write), ask(of(4), write), ask(of(0, dynamic_size=True), write),
        ask(of(3), vectors), ask(of(3), vectors, finish=lambda a: a.concat()),
        ask(lambda: of(4, clear_after_read=False)().write(0, 1.0), chain),
        ask(of(4, element_shape=[]), write, 0), ask(of(3), write, finish=lambda a: a.read(2)),
        ask(of(3), write, finish=lambda a: a.gather([2, 0])),
        ask(of(3), write, finish=lambda a: a.size()),
    )  # fmt: skip


@unlogged
def arrays_out_of_range(tf, np):
    t, w = tf.constant, tf.while_loop

    def write(size, value):
        array = tf.TensorArray(tf.float32, size=size)
        return w(below(3), lambda i, a: (i + 1, a.write(i, value(i))), (t(0), array))[1].stack()

    return [
        told(lambda: write(2, lambda i: 1.0)), told(lambda: write(3, lambda i: i)),
        told(lambda: write(3, lambda i: tf.zeros([2]))),
    ]  # fmt: skip


@unlogged
def arrays_that_are_captured(tf, np):
    t, w = tf.constant, tf.while_loop

    def read():
        array = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
        return w(below(3), lambda i, s: (i + 1, s * 2.0 + array.read(i)), (t(0), t(0.0)))[1]

    return both(tf, read)


@unlogged
def gradients_of_arrays(tf, np):
    def f(x):
        array = tf.TensorArray(tf.float32, size=3)

        def body(i, s, a):
            return i + 1, s * x, a.write(i, s * s)

        _, s, array = tf.while_loop(below(3), body, (tf.constant(0), x, array))
        return tf.reduce_sum(array.stack() * [1.0, 2.0, 3.0]) + s

    def g(x):
        inputs = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)

        def body(i, s):
            return i + 1, s * 0.5 + inputs.read(i) ** 2

        return tf.while_loop(below(3), body, (tf.constant(0), tf.constant(0.0)))[1]

    x = tf.constant([1.0, 2.0, 3.0])
    return [
        derivatives(tf, f, tf.constant(1.5)), gradient(tf, g, x), gradient(tf, tf.function(g), x)
    ]  # fmt: skip


@unlogged
def a_recurrent_network(tf, np):
    weights = tf.Variable([[0.5, -0.5], [0.25, 1.0]])
    xs = tf.reshape(tf.range(12, dtype=tf.float32), [3, 2, 2]) / 10.0

    def run(xs):
        inputs = tf.TensorArray(tf.float32, size=3).unstack(xs)
        outputs = tf.TensorArray(tf.float32, size=3)

        def body(k, state, outputs):
            state = tf.tanh(inputs.read(k) + state @ weights)
            return k + 1, state, outputs.write(k, state)

        _, state, outputs = tf.while_loop(
            below(3), body, (tf.constant(0), tf.zeros([2, 2]), outputs)
        )
        return outputs.stack(), state

    def train(xs):
        with tf.GradientTape() as tape:
            outputs, state = run(xs)
            loss = tf.reduce_sum(outputs**2) + tf.reduce_sum(state)
        return loss, tape.gradient(loss, weights)

    return [run(xs), tf.function(run)(xs), train(xs), tf.function(train)(xs)]


def loops_of_python(tf, np):
    @tf.function
    def f(x, n):
        total = tf.zeros([])
        for i in tf.range(n):
            if x > 6.0:
                break
            if i % 2 == 0:
                continue
            total += x * tf.cast(i, tf.float32)
            x = x * 1.5
        while total > 10.0:
            total -= 3.0
        return total

    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        y = f(x, tf.constant(9))
    return [
        f(tf.constant(v), tf.constant(n)) for v, n in ((1.0, 3), (5.0, 8), (9.0, 2))
    ], tape.gradient(y, x)
