"""Gradients made by hand within functions; tf.recompute_grad, tf.gradients, tf.hessians."""

import contextlib
import itertools
import math

from programs.functions import told
from programs.program import caught

_LINES = itertools.count(10_000)


def _function(tf, function):
    """A tf.function of its own, for which no other one's traces are counted."""

    def call(*args):
        return function(*args)

    call.__code__ = call.__code__.replace(co_firstlineno=next(_LINES))
    return tf.function(call, autograph=False)


def _traced(tf, function):
    """The function, in eager code and as a tf.function, which is called twice."""

    def twice(*args):
        made(*args)
        return made(*args)

    made = _function(tf, function)
    return {"eager": function, "function": made, "again": twice}


def _around(tf, function, *xs, sources=()):
    """Values and gradients by a tape around a function, in eager code and as tf.function."""
    found = {}
    for kind, call in _traced(tf, function).items():
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = call(*xs)
        found[kind] = [y, tape.gradient(y, [*xs, *sources])]
    return found


def _within(tf, function, *xs, sources=()):
    """Values and gradients by a tape within a tf.function."""

    def derived(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = function(*xs)
        return y, tape.gradient(y, [*xs, *sources])

    return {kind: call(*xs) for kind, call in _traced(tf, derived).items()}


def _second(tf, function, x):
    """First and second derivatives, with the tapes around and within a tf.function."""

    def derived(f, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    def slope(x):
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        return inner.gradient(y, x)

    with tf.GradientTape() as outer:
        outer.watch(x)
        mixed = _function(tf, slope)(x)
    return {
        "eager": derived(function, x),
        "around": derived(_function(tf, function), x),
        "within": _function(tf, lambda x: derived(function, x))(x),
        "mixed": (mixed, outer.gradient(mixed, x)),
    }


def _log1pexp(tf):
    @tf.custom_gradient
    def stable(x):
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    return stable


def log1pexp(tf, np):
    x = tf.constant([0.5, 100.0])
    return _around(tf, _log1pexp(tf), x), _within(tf, _log1pexp(tf), x)


def second_derivatives(tf, np):
    return _second(tf, _log1pexp(tf), tf.constant([0.5, 2.0]))


def third_derivatives(tf, np):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda upstream: upstream * x**3

    def derivative(g):
        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = g(x)
            return tape.gradient(y, x)

        return slope

    x = tf.constant(2.0)
    third = derivative(derivative(derivative(f)))
    inner = derivative(derivative(derivative(tf.function(f))))
    return third(x), tf.function(third)(x), inner(x)


def several_arguments_and_results(tf, np):
    @tf.custom_gradient
    def f(x, y):
        def grad(da, db):
            return da * 10.0 + db, (da - db) * x

        return (x * y, x + y), grad

    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    found = {}
    for kind, call in _traced(tf, f).items():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            a, b = call(x, y)
            c = tf.reduce_sum(a * 3.0)
        found[kind] = [tape.gradient(t, [x, y]) for t in (a, b, [a, b], c)]
    return found


def nested_arguments(tf, np):
    @tf.custom_gradient
    def f(items):
        return [item * 2.0 for item in items], lambda *up: [u * 7.0 for u in up]

    x, y = tf.constant(1.0), tf.constant(2.0)
    return _around(tf, lambda x, y: f([x, y])[1] * 3.0, x, y)


def none_for_an_argument(tf, np):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda upstream: (None, upstream * 5.0)

    @tf.custom_gradient
    def none(x):
        return x * 2.0, lambda upstream: None

    x, y = tf.constant(2.0), tf.constant(3.0)
    return _around(tf, f, x, y), _around(tf, none, x), _within(tf, f, x, y)


def integers_among_them(tf, np):
    @tf.custom_gradient
    def f(x, i):
        return (tf.gather(x, i), i + 1), lambda up, _: (tf.ones_like(x) * up, None)

    x, i = tf.constant([1.0, 2.0]), tf.constant(1)

    @tf.function
    def g(x, i):
        return f(x, i)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y, j = g(x, i)
    return y, j, tape.gradient(y, x)


def variables(tf, np):
    w, u = tf.Variable(2.0, name="w"), tf.Variable(5.0, trainable=False)

    @tf.custom_gradient
    def f(x):
        def grad(upstream, variables=None):
            return upstream * 10.0, [upstream * 20.0 * v for v in variables]

        return x * w * u, grad

    x = tf.constant(3.0)
    found = [_around(tf, f, x, sources=[w, u]), _within(tf, f, x, sources=[w, u])]
    w.assign(4.0)
    return [*found, _around(tf, f, x, sources=[w, u])]


def variables_are_refused(tf, np):
    w = tf.Variable(2.0, name="w")

    @tf.custom_gradient
    def f(x):
        return x * w, lambda upstream: upstream

    return told(lambda: tf.function(lambda x: f(x))(tf.constant(1.0)))


def variables_without_gradients(tf, np):
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * w, lambda upstream, variables=None: (upstream, [])

    def derived(call):
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        return tape.gradient(y, x)

    return told(derived, f), told(derived, tf.function(lambda x: f(x)))


def errors_belong_to_the_gradient(tf, np):
    @tf.custom_gradient
    def f(x):
        def grad(upstream):
            raise KeyError("no gradient today")

        return x * 2.0, grad

    def derived(call):
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        return tape.gradient(y, x)

    made = tf.function(lambda x: f(x))
    return made(tf.constant(3.0)), caught(derived, made), told(tf.function(lambda: derived(f)))


def intermediate_values(tf, np):
    """The gradient function uses what the function has computed on the way."""

    @tf.custom_gradient
    def f(x):
        squared = x * x
        rooted = tf.sqrt(squared + 1.0)

        def grad(upstream):
            return upstream * squared / rooted

        return rooted, grad

    x = tf.constant(2.0)
    return _around(tf, f, x), _second(tf, f, x)


def captured_tensors(tf, np):
    scale, x = tf.constant(3.0), tf.constant(2.0)

    @tf.custom_gradient
    def f(x):
        return x * scale, lambda upstream: upstream * scale * scale

    found = {}
    for kind, call in _traced(tf, lambda x: f(x) * 1.0).items():
        with tf.GradientTape() as outer:
            outer.watch([x, scale])
            with tf.GradientTape() as inner:
                inner.watch([x, scale])
                y = call(x)
            first = inner.gradient(y, [x, scale])
        found[kind] = first, outer.gradient(first[0], scale)
    return found


def nested_functions(tf, np):
    @tf.custom_gradient
    def inner(x):
        return x * 2.0, lambda upstream: upstream * 10.0

    @tf.custom_gradient
    def outer(x):
        return inner(x) + 1.0, lambda upstream: upstream * 100.0

    @tf.custom_gradient
    def within_gradient(x):
        return x * 3.0, lambda upstream: inner(upstream * x)

    x = tf.constant(1.5)
    return [
        _around(tf, outer, x), _around(tf, lambda x: outer(inner(x)), x),
        _around(tf, within_gradient, x), _second(tf, within_gradient, x),
    ]  # fmt: skip


def a_gradient_with_its_own_gradient(tf, np):
    @tf.custom_gradient
    def op_with_fused_backprop(x):
        y, x_grad = x**3, 3.0 * x**2

        def first_order_gradient(dy):
            @tf.custom_gradient
            def first_order_custom(unused_x):
                return x_grad, lambda ddy: 1000.0 * ddy

            return dy * first_order_custom(x)

        return y, first_order_gradient

    return _second(tf, op_with_fused_backprop, tf.constant(3.0))


def a_tape_in_the_gradient(tf, np):
    @tf.custom_gradient
    def f(x):
        def grad(upstream):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.sin(x) * x
            return upstream * tape.gradient(y, x) * 2.0

        return tf.sin(x) * x, grad

    return _second(tf, f, tf.constant(1.0))


def functions_in_the_gradient(tf, np):
    w = tf.Variable(2.0)
    square = tf.function(lambda x: x * x)
    scaled = tf.function(lambda x: x * w)

    @tf.custom_gradient
    def f(x):
        return square(x), lambda upstream: scaled(upstream) * square(x)

    x = tf.constant(3.0)
    return _around(tf, f, x), _second(tf, f, x)


def not_linear(tf, np):
    """Gradient functions that are not linear in what they are given."""

    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda upstream: tf.clip_by_norm(upstream * 2.0 * x, 1.0)

    @tf.custom_gradient
    def squared(x):
        return x * 3.0, lambda upstream: upstream * upstream * x

    @tf.custom_gradient
    def constant(x):
        return x * x, lambda upstream: tf.ones_like(x) * 7.0

    @tf.custom_gradient
    def signs(x):
        return x * x, lambda upstream: tf.sign(upstream) * x

    x = tf.constant([1.0, -2.0])

    def derived(f):
        return [_around(tf, lambda x: f(x) * 3.0, x), _within(tf, f, x), _second(tf, f, x)]

    return [derived(f) for f in (clipped, squared, constant, signs)]


def reversal(tf, np):
    """The gradient reversal of domain adaptation."""

    @tf.custom_gradient
    def reverse(x):
        return tf.identity(x), lambda upstream: -upstream

    @tf.custom_gradient
    def bare(x):
        return x, lambda upstream: -upstream

    x = tf.constant(3.0)
    return [
        _around(tf, lambda x: reverse(x) * x, x), _around(tf, bare, x),
        _within(tf, lambda x: bare(x) * x, x),
    ]  # fmt: skip


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
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * gradient)
        return loss, gradient

    return [[*step(tf.constant([1.0, 2.0, 3.0])), w.numpy()] for _ in range(3)]


def looks_at_values(tf, np):
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(upstream):
            seen.append(float(upstream) if hasattr(upstream, "numpy") else None)
            return upstream * 2.0

        return x * x, grad

    x = tf.constant(3.0)
    made = tf.function(lambda x: f(x))
    found = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = made(x)
        found.append(tape.gradient(y, x))
    return made(x), found


def assigns_in_the_gradient(tf, np):
    norm = tf.Variable(0.0)

    @tf.custom_gradient
    def f(x):
        def grad(upstream, variables=None):
            norm.assign(tf.norm(upstream))
            return upstream * 2.0

        return tf.identity(x), grad

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x) * [3.0, 4.0])
        return tape.gradient(y, x)

    return step(tf.constant([1.0, 1.0])), norm


def registered_gradients(tf, np):
    """An op without a gradient gets one; functions see it as well."""
    x = tf.constant([[2.0, 1.0], [1.0, 3.0]])

    def f(x):
        return tf.reduce_sum(tf.linalg.lu(x)[0])

    def derived(call):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        return tape.gradient(y, x)

    made = tf.function(f)
    missing = [told(derived, f), *(type(told(derived, g)).__name__ for g in (made, made))]
    with contextlib.suppress(KeyError):  # the next program registers it, too

        @tf.RegisterGradient("Lu")
        def gradient(op, upstream, _):
            return upstream * op.inputs[0]

    return missing, derived(f), derived(made), tf.function(lambda: derived(f))()


def pass_through(tf, np):
    v, z = tf.Variable(1.0), tf.Variable(3.0)
    g = tf.grad_pass_through(lambda x: tf.round(x) * v)
    x = tf.constant([1.4, 2.6])

    def assigning():
        with tf.GradientTape() as tape:
            y = tf.grad_pass_through(v.assign)(z**2)
        return y * 1.0, tape.gradient(y, [z, v])

    return [
        _around(tf, lambda x: g(x) * 3.0, x, sources=[v]), _within(tf, g, x, sources=[v]),
        assigning(), tf.function(assigning)(), v,
    ]  # fmt: skip


def pass_through_several(tf, np):
    g = tf.grad_pass_through(lambda x, y: (x * y, x + y))
    one = tf.grad_pass_through(lambda x, y: x * y)
    stacked = tf.grad_pass_through(lambda x: tf.stack([x, x]))
    keyword = tf.grad_pass_through(lambda x, k=1.0: x * k)
    x, y = tf.constant(2.0), tf.constant(5.0)

    def derived(call, *xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            z = call(*xs)
        return tape.gradient(z, xs)

    return [
        _around(tf, g, x, y), caught(derived, one, x, y), derived(stacked, x),
        derived(lambda x, k: keyword(x, k=k), x, y), g.__name__, callable(g.__wrapped__),
        type(caught(lambda: callable(tf.grad_pass_through(3)))).__name__,
    ]  # fmt: skip


# tf.recompute_grad


def _block(tf, v):
    def f(x, scale=1.0):
        for _ in range(3):
            x = tf.tanh(x * v) + tf.sin(x) * scale
        return x

    return f


def recomputed(tf, np):
    v, x = tf.Variable(0.7), tf.constant([1.0, 2.0])
    f = tf.recompute_grad(_block(tf, v))
    return [
        _around(tf, lambda x: f(f(x)) * 2.0, x, sources=[v]), _within(tf, f, x, sources=[v]),
        f(x), f.__name__, callable(f.__wrapped__),
    ]  # fmt: skip


def recomputed_is_the_same(tf, np):
    v, x = tf.Variable(0.7), tf.constant([1.0, 2.0])
    plain = _block(tf, v)
    return [_around(tf, f, x, sources=[v]) for f in (plain, tf.recompute_grad(plain))]


def recomputed_nests(tf, np):
    v, x, y = tf.Variable(2.0), tf.constant(3.0), tf.constant(5.0)

    @tf.recompute_grad
    def f(items):
        return {"a": items["a"] * v, "b": [items["b"] * items["a"], items["b"]]}

    @tf.recompute_grad
    def two(x, y):
        return x * y, tf.sin(x)

    def first(x, y):
        found = f({"a": x, "b": y})
        return found["a"] + found["b"][0]

    return [
        _around(tf, first, x, y, sources=[v]), f({"a": x, "b": y}),
        _around(tf, lambda x, y: two(x, y)[0], x, y), _around(tf, lambda x, y: two(x, y)[1], x, y),
    ]  # fmt: skip


def recomputed_with_keywords(tf, np):
    """What is no positional argument is constant to it."""
    v, x, k, c = tf.Variable(2.0), tf.constant(3.0), tf.constant(5.0), tf.constant(7.0)
    f = tf.recompute_grad(lambda x, k=1.0: x * x * v * k * c)
    found = []
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, k, c])
        found += [f(x), f(x, k=k), f(x, k=4.0)]
    return [[y, tape.gradient(y, [x, v, k, c])] for y in found]


def recomputed_in_itself(tf, np):
    v, x = tf.Variable(2.0), tf.constant(3.0)
    inner = tf.recompute_grad(lambda x: tf.sin(x) * v)
    outer = tf.recompute_grad(lambda x: inner(inner(x)) * x)
    within = tf.function(tf.recompute_grad(lambda x: inner(x) * x))
    return [
        _around(tf, outer, x, sources=[v]), _around(tf, within, x, sources=[v]),
        _around(tf, tf.recompute_grad(tf.function(lambda x: x * x * v)), x, sources=[v]),
    ]  # fmt: skip


def recomputed_by_python(tf, np):
    """The function looks at a value."""
    v, x = tf.Variable(2.0), tf.constant(3.0)

    @tf.recompute_grad
    def f(x):
        return x * v if float(x) > 0 else -x

    found = []
    for _ in range(2):
        for value in (x, -x):
            with tf.GradientTape() as tape:
                tape.watch(value)
                y = f(value) * 2.0
            found.append([y, tape.gradient(y, [value, v])])
    return found


def recomputed_errors(tf, np):
    def bad(x):
        raise KeyError("boo")

    x = tf.constant(1.0)

    def derived(f):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    gather = tf.recompute_grad(lambda x: tf.gather([1.0, 2.0], 7) * x)
    return [
        caught(tf.recompute_grad(bad), x), caught(derived, tf.recompute_grad(bad)),
        *(type(caught(derived, f)).__name__ for f in (gather, tf.recompute_grad(3))),
        caught(derived, tf.recompute_grad(lambda x: None)),
    ]  # fmt: skip


# tf.gradients and tf.hessians


def symbolic(tf, np):
    x, v, u = tf.constant(2.0), tf.Variable(3.0), tf.Variable(4.0, trainable=False)

    @tf.function
    def f(x):
        a = x * v
        y = a * x * u
        g = tf.gradients
        return [
            g(y, x), g(y, [x, v, u, a]), g([y, a], (x, v)), g((y, y * 2.0), [x]), g(x, x),
            g([x, x * 2.0], x), g(v, v), g(a, y), g(a, [u, tf.constant(1.0)]),
        ]  # fmt: skip

    return f(x), f(tf.constant(5.0))


def symbolic_upstream(tf, np):
    x = tf.constant([1.0, 2.0])

    @tf.function
    def f(x):
        g, y, z = tf.gradients, x * x, x * 3.0
        return [
            g(y, x, grad_ys=tf.constant([10.0, 20.0])), g(y, x, grad_ys=[[1.0, 0.5]]),
            g([y, z], x, grad_ys=[tf.ones([2]) * 5.0, None]), g(y, x, None),
        ]  # fmt: skip

    return f(x)


def symbolic_stops(tf, np):
    x, v = tf.constant(2.0), tf.Variable(3.0)

    @tf.function
    def f(x):
        g = tf.gradients
        a = x * 1.0
        b = 2.0 * a
        c = b * b * v
        return [
            g(a + b, [a, b]), g(a + b, [a, b], stop_gradients=[a, b]),
            g(a + b, [a, b], stop_gradients=b), g(c * b, [x, b, v], stop_gradients=[c]),
            g(c * b, [x, a], stop_gradients=[b, c]), g(tf.stop_gradient(c) * a, [x, v]),
        ]  # fmt: skip

    return f(x)


def symbolic_none_or_zero(tf, np):
    x, v, i = tf.constant(2.0), tf.Variable(3.0), tf.constant(3)

    @tf.function
    def f(x, i):
        g, w = tf.gradients, tf.constant([1.0, 2.0])
        return [
            g(x * x, [v, w]), g(x * x, [v, w, x], unconnected_gradients="zero"),
            g(x * x, [v], unconnected_gradients=tf.UnconnectedGradients.ZERO), g(x * x, []),
            g(tf.cast(x, tf.int32), x), g(tf.cast(i, tf.float32) * x, [i, x]), g([], x),
            g(tf.floor(x), x), g(2.0, x), g(x * x, [np.ones(2, np.float32)]),
        ]  # fmt: skip

    return f(x, i)


def symbolic_higher_orders(tf, np):
    x, v = tf.constant(2.0), tf.Variable(3.0)

    @tf.function
    def f(x):
        y = x**4 * v
        (first,) = tf.gradients(y, x)
        second = tf.gradients(first, [x, v])
        return first, second, tf.gradients(second[0], x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        first, second, _ = f(x)
    return f(x), tape.gradient([first, second[0]], [x, v])


def symbolic_and_tapes(tf, np):
    x, v = tf.constant(2.0), tf.Variable(3.0)

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3 * v
            (slope,) = tf.gradients(y, x)
        return slope, tape.gradient(slope, [x, v]), tf.gradients(tape.gradient(y, x), [x, v])

    return told(f, x)


def symbolic_assignments(tf, np):
    x, v = tf.constant(2.0), tf.Variable(3.0)

    @tf.function
    def f(x):
        a = v * 2.0
        v.assign(5.0)
        b = v * v
        first = tf.gradients(a + b, v)
        v.assign(x * 2.0)
        second = tf.gradients(v * v * 1.0, [x, v])
        v.assign(3.0)
        return first, second, tf.gradients(a * b, [v])

    return [f(x), f(x)], v


def symbolic_closures(tf, np):
    x, y = tf.constant(2.0), tf.constant(3.0) * 2.0

    @tf.function
    def f():
        return tf.gradients(x * x * y, [x, y])

    @tf.function
    def outer(x):
        y = x * x

        @tf.function
        def inner():
            return tf.gradients(y * x, [x, y])

        return inner(), tf.gradients(tf.function(lambda z: z * z * y)(x), x)

    return f(), outer(x)


def symbolic_slices(tf, np):
    table, x = tf.Variable([1.0, 2.0, 3.0]), tf.constant([1.0, 2.0])

    @tf.function
    def f(x):
        found = [
            tf.gradients(tf.gather(x, [0, 0]), x)[0],
            tf.gradients(tf.nn.embedding_lookup(table, [0, 2]) ** 2, table)[0],
        ]
        return [tf.convert_to_tensor(gradient) for gradient in found]

    return f(x)


def symbolic_errors(tf, np):
    x = tf.constant(2.0)

    def said(make, x=x):
        return told(lambda: tf.function(make)(x))

    g = tf.gradients
    return {
        "eager": told(lambda: g(x, x)),
        "hessians": told(lambda: tf.hessians(x, x)),
        "unknown": said(lambda x: g(x * x, x, unconnected_gradients="nonsense")),
        "length": said(lambda x: g([x * x, x], x, grad_ys=[tf.constant(1.0)])),
        "method": said(lambda x: g(x * x + x, x, aggregation_method=7)),
        "complex": said(lambda x: g(x * x, x), tf.constant(1.0 + 2.0j)),
        "none y": said(lambda x: g(None, x)),
        "none x": said(lambda x: g(x, None)),
        "dtype": type(said(lambda x: g(x * x, x, grad_ys=tf.constant(1)))).__name__,
        "accepted": said(
            lambda x: g(x * x, x, None, "n", True, tf.AggregationMethod.EXPERIMENTAL_TREE)
        ),
    }


def symbolic_custom_gradients(tf, np):
    x = tf.constant(2.0)

    @tf.custom_gradient
    def f(x):
        return x * x, lambda upstream: upstream * 10.0 * x

    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda upstream: tf.clip_by_value(upstream, -1.0, 1.0)

    @tf.function
    def g(x):
        (first,) = tf.gradients(f(x) * x, x)
        return first, tf.gradients(first, x), tf.gradients(clipped(x) * 5.0, x)

    return g(x)


def hessians(tf, np):
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant(2.0)
    matrix = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def f(x, y, matrix):
        h = tf.hessians
        return [
            h(tf.reduce_sum(x**3) * y**2, [x, y]), h(x**3, x), h(y**3, y), h(y**4, (y,)),
            h([tf.reduce_sum(x**3), tf.reduce_prod(x)], x), h(tf.reduce_prod(matrix), matrix),
            h(y**3, y, True, 1, "named"),
        ]  # fmt: skip

    empty = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3), x))(tf.zeros([0]))
    return f(x, y, matrix), empty


def hessians_in_a_tape(tf, np):
    x = tf.constant(2.0)

    @tf.function
    def f(x):
        return tf.hessians(x**4, x)[0]

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


def hessians_of_nothing(tf, np):
    x, v = tf.constant(2.0), tf.constant(3.0)
    return [
        type(told(lambda f=f: tf.function(f)(x, v))).__name__
        for f in (
            lambda x, v: tf.hessians(v**3, x),
            lambda x, v: tf.hessians(x * 3.0, x),
            lambda x, v: tf.hessians(x * 3.0, None),
        )
    ]


# In the bodies of branches and loops.


def in_branches(tf, np):
    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda upstream: upstream * 10.0 * x

    @tf.custom_gradient
    def clipped(x):
        return x * 2.0, lambda upstream: tf.clip_by_value(upstream * 3.0, -1.0, 1.0)

    def branch(x):
        return tf.cond(x > 0.0, lambda: f(x) * clipped(x), lambda: x * x)

    return [[branch(x), _within(tf, branch, x)] for x in (tf.constant(2.0), tf.constant(-2.0))]


def second_derivatives_in_branches(tf, np):
    f = _log1pexp(tf)
    return _second(tf, lambda x: tf.cond(x > 0.0, lambda: f(x) * x, lambda: x), tf.constant(2.0))


def in_loops(tf, np):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda upstream: upstream * 10.0

    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda upstream: tf.clip_by_value(upstream, -2.0, 2.0)

    def looped(f):
        return lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, f(y)), [0, x])[1]

    x = tf.constant(1.5)
    return [_around(tf, looped(g), x) for g in (f, clipped)]


def in_maps(tf, np):
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def grad(upstream, variables=None):
            return upstream * 10.0 * x, [upstream * 3.0]

        return x * v, grad

    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda upstream: tf.clip_by_value(upstream * 3.0, -2.0, 2.0)

    x = tf.constant([1.0, 2.0])
    return [
        _around(tf, lambda x: tf.map_fn(f, x), x, sources=[v]),
        _around(tf, lambda x: tf.map_fn(clipped, x) * 5.0, x),
        _second(tf, lambda x: tf.reduce_sum(tf.map_fn(_log1pexp(tf), x)), x),
        _around(tf, lambda x: tf.scan(lambda s, e: f(s) * e, x, tf.constant(1.0)), x, sources=[v]),
    ]


def recomputed_in_bodies(tf, np):
    """TensorFlow cannot do it with variables."""
    x, y = tf.constant([1.0, 2.0]), tf.constant(2.0)
    f = tf.recompute_grad(_block(tf, 0.7))
    return [
        _around(tf, lambda x: tf.map_fn(f, x), x),
        _within(tf, lambda y: tf.cond(y > 0.0, lambda: f(y), lambda: y), y),
        _around(tf, lambda x: tf.foldl(lambda s, e: f(s) * e, x), x),
    ]


def symbolic_in_bodies(tf, np):
    x = tf.constant(2.0)

    @tf.function
    def f(x):
        g = tf.gradients
        y = x * x
        return [
            tf.cond(x > 0.0, lambda: g(x * x * x, x)[0], lambda: x),
            tf.cond(x > 0.0, lambda: g(y, x)[0], lambda: x),
            g(tf.cond(x > 0.0, lambda: x * x, lambda: x), x),
            tf.while_loop(lambda i, z: i < 2, lambda i, z: (i + 1, g(z * z, z)[0]), [0, x])[1],
            g(tf.while_loop(lambda i, z: i < 2, lambda i, z: (i + 1, z * z), [0, x])[1], x),
        ]

    return f(x)


def physics(tf, np):
    """The second derivative of a network along its input, in a function."""
    w = [tf.Variable([[0.3, -0.5]]), tf.Variable([[0.7], [0.2]])]

    @tf.function
    def residual(x):
        u = tf.tanh(x @ w[0]) @ w[1]
        (du,) = tf.gradients(u, x)
        (ddu,) = tf.gradients(du, x)
        loss = tf.reduce_mean((ddu + u * math.pi) ** 2)
        return loss, tf.gradients(loss, w)

    return residual(tf.constant([[0.1], [0.5]]))


def ragged_tensors(tf, np):
    """Gradient functions get and give what carries the gradient of a ragged tensor: its values."""
    x = tf.constant([1.0, 2.0, 3.0])

    def derived(wrapped):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = wrapped(tf.RaggedTensor.from_row_lengths(x, [1, 2]))
            total = tf.reduce_sum(y.flat_values)
        return repr(y), tape.gradient(total, x)

    return [
        derived(tf.grad_pass_through(lambda r: r * 2.0)),
        derived(tf.custom_gradient(lambda r: (r * 2.0, lambda u: u * 10.0))),
    ]


def kernels_of_gradients(tf, np):
    upstream = tf.constant([1.0, -2.0, 3.0, float("nan")])
    values = tf.constant([-0.5, 0.0, 0.9, 0.2])

    def answer(kernel, **arguments):
        names, tensors = list(arguments), [tf.constant(value) for value in arguments.values()]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = getattr(tf.raw_ops, kernel)(**dict(zip(names, tensors, strict=True)))
        return result, tape.gradient(result, tensors)

    def refused(kernel, **arguments):
        try:
            return answer(kernel, **arguments)
        except tf.errors.InvalidArgumentError as error:
            return error.message.split("\n")[0]

    return {
        "relu": answer("ReluGrad", gradients=upstream, features=values),
        "relu float64": answer("ReluGrad", gradients=np.ones(2), features=np.array([-1.0, 2.0])),
        "relu integers": answer("ReluGrad", gradients=[1, 2], features=[1, -2])[0],
        "relu special": answer("ReluGrad", gradients=[1.0, 2.0], features=[np.nan, np.inf]),
        "relu shapes": refused("ReluGrad", gradients=[1.0, 2.0], features=[1.0]),
        "relu complex": refused("ReluGrad", gradients=[1j], features=[1j]),
        **{
            (kernel, name): ask(kernel, y=y, dy=dy)
            for kernel in ("SigmoidGrad", "TanhGrad")
            for name, ask, y, dy in (
                ("values", answer, values, upstream),
                ("float64", answer, np.array([0.3, 0.8]), np.array([1.0, 2.0])),
                ("complex", answer, [0.3 + 1j, 2.0], [1 + 2j, -1j]),
                ("empty", answer, np.zeros(0, np.float32), np.zeros(0, np.float32)),
                ("scalar", answer, 0.5, 3.0),
                ("shapes", refused, [1.0, 2.0], [1.0, 2.0, 3.0]),
                ("integers", refused, [1], [1]),
            )
        },
    }


def guided_backpropagation(tf, np):
    @tf.custom_gradient
    def guided_relu(x):
        y = tf.nn.relu(x)

        def gradient(upstream):
            passed = tf.raw_ops.ReluGrad(gradients=upstream, features=y)
            return tf.raw_ops.ReluGrad(gradients=passed, features=upstream)

        return y, gradient

    x = tf.constant([[-1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(guided_relu(x) * [1.0, -1.0, 2.0])
    return tape.gradient(y, x)


def a_source_that_is_given_twice(tf, np):
    c, v = tf.constant([1.0, 1.0]), tf.Variable([3.0, 1.0])
    found = []
    for target in (lambda: [v, c], lambda: [c], lambda: c * 2.0, lambda: v * 2.0, lambda: v * c):
        for _ in range(2):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(c)
                first = tape.gradient(target(), [v, c, c, v])
                same = [first[1] is first[2], first[0] is first[3]]
                again = [
                    None if one is None else tape.gradient([one, other], one)
                    for one, other in (first[:1] + first[3:], first[1:3])
                ]
            found.append([first, same, again])
    return found
