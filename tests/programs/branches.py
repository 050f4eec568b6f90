"""`tf.cond`, `tf.case`, `tf.switch_case`: in eager code and in functions."""

import collections

from programs.functions import kind_of_error, printed, told
from programs.mapped import both, gradient, second

Pair = collections.namedtuple("Pair", "first second")


def kinds(tf, *statements):
    """What each statement gives eagerly, and the kind of error that it raises in a function."""
    return [[told(s), kind_of_error(tf.function(s, autograph=False))] for s in statements]


def predicates(tf, np):
    t = tf.constant
    flag = tf.Variable(True)

    def ask(pred):
        return lambda: tf.cond(pred, lambda: t(1.0), lambda: t(2.0))

    return both(
        tf, ask(t(True)), ask(t(False)), ask(np.bool_(False)), ask(np.array(True)), ask(flag),
        ask(t([True])), ask([False]), ask(t(2.0) > t(1.0)),
    )  # fmt: skip


def predicates_of_python(tf, np):
    t = tf.constant
    found = []
    for pred in (True, False, 0, 1, 3, 0.0, 2.5, "", "a", t(0), t(2.5), t(""), None):
        found.append(told(lambda: tf.cond(pred, lambda: t(1.0), lambda: t(2.0))))  # noqa: B023
    return found


def refused_predicates(tf, np):
    t = tf.constant

    def ask(pred):
        return lambda: tf.cond(pred, lambda: t(1.0), lambda: t(2.0))

    return [
        told(tf.function(ask(True), autograph=False)),
        *[kind_of_error(tf.function(ask(p), autograph=False)) for p in (t(1), 3, 2.5, "a", None)],
    ]


def refused_functions(tf, np):
    t = tf.constant
    one = lambda: t(1.0)  # noqa: E731
    return both(
        tf,
        lambda: tf.cond(t(True), 1.0, one),
        lambda: tf.cond(t(True), one, 3),
        lambda: tf.cond(t(True)),
        lambda: tf.cond(t(True), one),
        lambda: tf.cond(t(True), true_fn=one, false_fn=one, name="x"),
    )


def results(tf, np):
    t = tf.constant

    def ask(first, other):
        return lambda: tf.cond(t(True), lambda: first, lambda: other)

    return both(
        tf, ask(None, None), ask((), ()), ask([], []), ask([t(1.0)], [t(2.0)]),
        ask((t(1.0),), (t(2.0),)), ask((t(1.0), None), (t(2.0), None)),
        ask({"a": t(1.0), "b": [t(2)]}, {"b": [t(3)], "a": t(2.0)}),
        ask(Pair(t(1.0), t(2)), Pair(t(3.0), t(4))), ask(t(1.0 + 2.0j), t(1j)),
        ask(t(1.0, tf.float64), t(2.0, tf.float64)), ask(t([True]), t([False])),
        ask(tf.zeros([0, 2]), tf.ones([0, 2])), ask(t("a"), t("b")),
    )  # fmt: skip


def results_of_other_shapes(tf, np):
    t = tf.constant

    def ask(pred, first, other):
        return lambda: tf.cond(t(pred), lambda: first, lambda: other)

    return both(
        tf, ask(True, t([1.0, 2.0]), t([3.0])), ask(False, t([1.0, 2.0]), t(3.0)),
        ask(False, [t([1, 2])], [t([[3]])]),
        ask(True, tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.ragged.constant([[1.0], [2.0]])),
    )  # fmt: skip


def results_that_differ(tf, np):
    t = tf.constant

    def ask(first, other):
        return lambda: tf.cond(t(True), lambda: first, lambda: other)

    return kinds(
        tf, ask(t(1), t(2.0)), ask((t(1.0), t(2.0)), [t(2.0), t(1.0)]), ask(None, t(1.0)),
        ask({"a": t(1.0)}, {"b": t(2.0)}), ask(t(1.0), None), ask((t(1.0), None), (t(2.0), t(3.0))),
        ask(object, object),
    )  # fmt: skip


def the_message_of_dtypes(tf, np):
    t = tf.constant
    ask = tf.function(lambda: tf.cond(t(True), lambda: t(1), lambda: t(2.0)), autograph=False)
    return told(ask)


def values(tf, np):
    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: x * 2.0, lambda: -x)

    @tf.function
    def g(x, y):
        return tf.cond(
            tf.reduce_sum(x) > tf.reduce_sum(y),
            lambda: {"more": x - y, "n": tf.size(x)},
            lambda: {"more": y - x, "n": tf.size(y) + 1},
        )

    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, -4.0])
    return [
        [f(tf.constant(v)) for v in (2.0, -3.0, 0.0, float("nan"))],
        f(tf.constant(2.0, tf.float64)), g(a, b), g(b, a),
    ]  # fmt: skip


def gradients(tf, np):
    y = tf.constant(4.0)

    def f(x):
        return tf.cond(x > 0, lambda: x * x * y, lambda: tf.exp(x))

    found = []
    for v in (3.0, -1.0):
        x = tf.constant(v)
        compiled = tf.function(f)
        inside = tf.function(lambda x: gradient(tf, f, x))
        found.append([
            gradient(tf, f, x), gradient(tf, compiled, x), inside(x), second(tf, f, x),
            second(tf, compiled, x), tf.function(lambda x: second(tf, f, x))(x),
        ])  # fmt: skip
    return found


def gradients_of_variables(tf, np):
    v, w = tf.Variable(2.0), tf.Variable([1.0, 3.0])

    def f(p):
        return tf.cond(p, lambda: v * v + w[0], lambda: tf.reduce_sum(w) * v)

    def ask(f, p):
        with tf.GradientTape() as tape:
            y = f(p)
        return [tf.convert_to_tensor(g) for g in tape.gradient(y, [v, w])]

    p, q = tf.constant(True), tf.constant(False)
    inside = tf.function(lambda p: ask(f, p))
    return [ask(f, p), ask(f, q), ask(tf.function(f), p), ask(tf.function(f), q), inside(p)]


def no_nan_of_the_other_branch(tf, np):
    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: tf.math.log(x), lambda: tf.sqrt(-x))

    return [gradient(tf, f, tf.constant(v)) for v in (2.0, -4.0)]


def none_where_nothing_leads(tf, np):
    def ask(wrap):
        x, y, z = tf.constant(2.0), tf.constant(3.0), tf.constant(5.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y, z])
            f = wrap(lambda x, y: tf.cond(x > 0, lambda: (x * 2.0, y), lambda: (y * 3.0, y)))
            a, b = f(x, y)
        return [[tape.gradient(t, s) for s in (x, y, z)] for t in (a, b)]

    return [ask(lambda f: f), ask(tf.function)]


def assignments(tf, np):
    v, w = tf.Variable(1.0), tf.Variable([1, 2], trainable=False)

    @tf.function
    def f(p, x):
        def first():
            v.assign_add(x)
            return v * 10.0

        def other():
            w.assign(w * 2)
            v.assign(x)
            return v + 0.5

        return tf.cond(p, first, other), v * 1.0

    found = []
    for p, x in ((True, 2.0), (False, 7.0), (False, 1.0), (True, 0.5)):
        found.append([f(tf.constant(p), tf.constant(x)), v.numpy(), w.numpy()])
    return found


def assignment_without_results(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def clip(limit):
        tf.cond(v > limit, lambda: v.assign(limit), lambda: v.read_value())

    found = []
    for limit in (0.5, 3.0):
        v.assign(2.0)
        clip(tf.constant(limit))
        found.append(v.numpy())
    return found


def nested(tf, np):
    @tf.function
    def f(x, y):
        def inner():
            return tf.cond(y > 0, lambda: x + y, lambda: x * y)

        return tf.cond(x > 0, inner, lambda: tf.cond(y > x, lambda: y, inner))

    return [
        [f(tf.constant(a), tf.constant(b)) for b in (-2.0, 3.0)] for a in (-5.0, 0.0, 4.0)
    ]  # fmt: skip


def checks_in_branches(tf, np):
    @tf.function
    def f(p, k):
        return tf.cond(p, lambda: tf.gather([1.0, 2.0], k), lambda: tf.constant(0.0))

    @tf.function
    def g(x):
        def checked():
            tf.debugging.assert_positive(x)
            return tf.sqrt(x)

        return tf.cond(x < 10.0, checked, lambda: x)

    t = tf.constant
    return [
        f(t(True), t(1)), f(t(False), t(7)), kind_of_error(f, t(True), t(7)),
        g(t(4.0)), g(t(11.0)), kind_of_error(g, t(-4.0)), f(t(True), t(0)),
    ]  # fmt: skip


def printing(tf, np):
    @tf.function
    def f(x):
        def positive():
            tf.print("positive", x)
            return x

        def negative():
            tf.print("negative", x, -x)
            return -x

        y = tf.cond(x > 0, positive, negative)
        tf.print("done")
        return y

    def ask():
        for v in (1.0, -2.0, 3.0):
            f(tf.constant(v))
        x = tf.constant(-1.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        tape.gradient(y, x)

    return printed(ask)


def python_runs_for_both(tf, np):
    seen = []

    @tf.function
    def f(p):
        def branch(name, value):
            seen.append(name)
            return tf.constant(value)

        return tf.cond(p, lambda: branch("a", 1), lambda: branch("b", 2))

    found = [f(tf.constant(True)), f(tf.constant(False))]
    tf.cond(tf.constant(False), lambda: seen.append("c"), lambda: seen.append("d"))
    return found, seen


def errors_of_python(tf, np):
    def broken():
        raise KeyError("broken")

    t = tf.constant
    return kinds(
        tf,
        lambda: tf.cond(t(True), broken, lambda: t(1.0)),
        lambda: tf.cond(t(True), lambda x: x, lambda: t(1.0)),
        lambda: tf.cond(t(True), lambda: 1 / 0, lambda: t(1.0)),
    )


def cases(tf, np):
    t = tf.constant
    a, b, c = (lambda: t(1.0)), (lambda: t(2.0)), (lambda: t(3.0))
    true, false = t(True), t(False)
    return both(
        tf,
        lambda: tf.case([(false, a), (true, b)], default=c),
        lambda: tf.case([(false, a), (false, b)], default=c),
        lambda: tf.case([(true, a), (true, b)], default=c),
        lambda: tf.case([(false, a), (true, b)]),
        lambda: tf.case([(false, a), (true, b)], default=c, exclusive=True),
        lambda: tf.case(((false, a), (true, b)), default=c, name="x"),
        lambda: tf.case([(true, a)]),
        lambda: tf.case([(false, a)], default=b),
        lambda: tf.case([(true, lambda: [t(1.0)])], default=lambda: [t(2.0)], strict=True),
        lambda: tf.case([(false, lambda: t([1, 2]))], default=lambda: t(2)),
    )


def cases_of_one_result(tf, np):
    t = tf.constant
    return [tf.case([(t(k), lambda: [t(1.0)])], default=lambda: (t(2.0),)) for k in (True, False)]


def cases_that_fail(tf, np):
    t = tf.constant
    a, b, c = (lambda: t(1.0)), (lambda: t(2.0)), (lambda: t(3.0))
    true, false = t(True), t(False)
    flag = tf.Variable(True)
    return kinds(
        tf,
        lambda: tf.case([(false, a), (false, b)]),
        lambda: tf.case([(false, a)]),
        lambda: tf.case([(true, a), (true, b)], default=c, exclusive=True),
        lambda: tf.case([(False, a), (True, b)], default=c),
        lambda: tf.case([(np.bool_(True), a)], default=b),
        lambda: tf.case([(flag, a)], default=b),
        lambda: tf.case([], default=c),
        lambda: tf.case("ab", default=c),
        lambda: tf.case([(true, a)], default=1),
        lambda: tf.case([(t(True), 1)], default=a),
        lambda: tf.case([(t(1), a)], default=a),
        lambda: tf.case([(true, a), [true, a]], default=a),
    )


def switches(tf, np):
    t = tf.constant
    branches = [lambda: t(1.0), lambda: t(2.0), lambda: t(3.0)]
    a, b, c = branches

    def ask(index, fns, **kwargs):
        return lambda: tf.switch_case(t(index), fns, **kwargs)

    return both(
        tf, *[ask(k, branches) for k in (-5, -1, 0, 1, 2, 7)], ask(7, [a, b], default=c),
        ask(-1, [a, b], default=c), ask(1, {0: a, 1: b}), ask(0, [(1, a), (0, b)]), ask(5, [a]),
        ask(1, [lambda: 1, lambda: 2]), ask(0, [lambda: [t(1.0)], lambda: [t(2.0)]], name="x"),
        ask(1, [lambda: {"a": t(1)}, lambda: {"a": t(2)}]),
    )  # fmt: skip


def switches_that_fail(tf, np):
    t = tf.constant
    a, b, c = (lambda: t(1.0)), (lambda: t(2.0)), (lambda: t(3.0))
    index = tf.Variable(1)

    def ask(index, fns, **kwargs):
        return lambda: tf.switch_case(index, fns, **kwargs)

    return kinds(
        tf, ask(t(1), {0: a, 2: b}), ask(t(1), {3: a, 5: b}, default=c),
        ask(t(0), [(1, a), (1, b)]),
        ask(1, [a, b]), ask(np.int32(1), [a, b]), ask(t(1.0), [a, b]), ask(t(True), [a, b]),
        ask(index, [a, b]), ask("a", [a, b]), ask(t(0), []), ask(t(0), {}), ask(t(0), a),
        ask(t(0), {"a": a}), ask(t(0), [lambda: t(1.0), lambda: t(1)]), ask(t(1, tf.int64), [a, b]),
        ask(t(0), [lambda: None, lambda: t(1.0)]),
    )  # fmt: skip


def gradients_of_switches(tf, np):
    def f(x, k):
        return tf.switch_case(k, [lambda: x * x, lambda: tf.sin(x), lambda: 3.0 * x])

    found = []
    for k in range(4):
        x, index = tf.constant(2.0), tf.constant(k)
        compiled = tf.function(f)
        found.append([gradient(tf, lambda x: g(x, index), x) for g in (f, compiled)])  # noqa: B023
        found.append(second(tf, lambda x: compiled(x, index), x))  # noqa: B023
    return found


def gradients_of_cases(tf, np):
    def f(x):
        return tf.case([(x < 0, lambda: -x), (x < 1, lambda: x * x)], default=lambda: x**3)

    return [
        [gradient(tf, g, tf.constant(v)) for g in (f, tf.function(f))] for v in (-2.0, 0.5, 3.0)
    ]  # fmt: skip


def arrays_in_branches(tf, np):
    @tf.function
    def f(p):
        array = tf.TensorArray(tf.float32, size=2).write(0, 1.0)
        array = tf.cond(p, lambda: array.write(1, 5.0), lambda: array.write(1, 7.0))
        return array.stack()

    return [f(tf.constant(p)) for p in (True, False, True)]


def python_ifs(tf, np):
    @tf.function
    def f(x, n):
        total = tf.zeros([])
        for i in tf.range(n):
            if x > 3.0:
                break
            if i % 2 == 0:
                total += x
            x = x + 1.0
        while total > 10.0:
            total /= 2.0
        return total, x

    return [f(tf.constant(a), tf.constant(n)) for a, n in ((0.5, 3), (0.0, 10), (30.0, 4))]


def texts(tf, np):
    """In a function the chosen branch gives its text, also where all are constants."""
    functions = [
        lambda x: tf.cond(x < 0, lambda: "below", lambda: tf.constant("above")),
        lambda x: tf.cond(x < 0, lambda: {"t": "a", "n": x}, lambda: {"t": "b", "n": -x}),
        lambda x: tf.cond(x < 0, lambda: "same", lambda: "same"),
        lambda x: tf.switch_case(x + 1, [lambda: "a", lambda: "b", lambda: "c"]),
        lambda x: tf.case([(x < 0, lambda: "neg"), (x > 0, lambda: "pos")], default=lambda: "no"),
        lambda x: tf.strings.join([tf.cond(x < 0, lambda: "a", lambda: "b"), "!"]),
        lambda x: tf.cond(x < 0, lambda: tf.strings.as_string(x), lambda: "above"),
    ]

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, text = tf.cond(x < 0, lambda: (x * x, "square"), lambda: (3.0 * x, "line"))
        return tape.gradient(y, x), text

    calls = [[tf.function(f), (-1, 0, 1, -1)] for f in functions]
    calls.append([tf.function(slope), (-1.0, 2.0, -1.0)])
    return [[f(tf.constant(x)) for x in values] for f, values in calls]


def options_of_variables_of_graphs(tf, np):
    return [
        tf.Variable(1.0, use_resource=True),
        tf.Variable(1.0, collections=["a"], expected_shape=[], validate_shape=False),
    ]
