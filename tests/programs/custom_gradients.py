"""tf.custom_gradient, tf.RegisterGradient, tf.grad_pass_through, tf.recompute_grad."""

from programs.program import caught


def _gradient(tf, function, *xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
    return tape.gradient(y, list(xs))


def log1pexp(tf, np):
    @tf.custom_gradient
    def stable(x):
        e = tf.exp(x)

        def grad(upstream):
            return upstream * (1 - 1 / (1 + e))

        return tf.math.log(1 + e), grad

    def plain(x):
        return tf.math.log(1 + tf.exp(x))

    x = tf.constant(100.0)
    return {
        "plain": _gradient(tf, plain, x),
        "stable": _gradient(tf, stable, x),
        "value": stable(tf.constant(1.0)),
    }


def two_inputs_and_outputs(tf, np):
    @tf.custom_gradient
    def f(x, y):
        def grad(da, db):
            return da * 10.0 + db, da - db

        return (x * y, x + y), grad

    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        a, b = f(x, y)
        c = tf.reduce_sum(a * 3.0)
    return {
        "values": [a, b],
        "a": tape.gradient(a, [x, y]),
        "b": tape.gradient(b, [x, y]),
        "a b": tape.gradient([a, b], [x, y]),
        "c": tape.gradient(c, [x, y]),
    }


def lists_and_dicts(tf, np):
    @tf.custom_gradient
    def as_list(xs):
        return [2.0 * x for x in xs], lambda *d: [7.0 * v for v in d]

    xs = [tf.constant(1.0), tf.constant(2.0)]
    return {
        "list": caught(lambda: as_list(xs)),
        "gradient": caught(_gradient, tf, lambda *x: as_list(list(x)), *xs),
    }


def python_arguments(tf, np):
    @tf.custom_gradient
    def f(x, n):
        return x**n, lambda dy: (dy * 100.0, None)

    return caught(_gradient, tf, lambda x: f(x, 3), tf.constant(2.0))


def none_for_an_input(tf, np):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda dy: (None, dy * 5.0)

    return _gradient(tf, f, tf.constant(2.0), tf.constant(3.0))


def clipped_gradients(tf, np):
    @tf.custom_gradient
    def clip_gradients(y):
        def backward(dy):
            return tf.clip_by_norm(dy, 0.5)

        return y, backward

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        output = clip_gradients(v * v)
    return {"value": output, "gradient": tape.gradient(output, v)}


def straight_through(tf, np):
    @tf.custom_gradient
    def quantize(x):
        return tf.round(x), lambda dy: dy

    x = tf.constant([0.4, 1.6])
    return {
        "gradient": _gradient(tf, lambda x: quantize(x) ** 2, x),
        "value": quantize(x),
        "outside a tape": quantize(tf.constant(2.5)),
    }


def identity_as_the_value(tf, np):
    @tf.custom_gradient
    def reverse(x):
        return tf.identity(x), lambda dy: -dy

    @tf.custom_gradient
    def bare(x):
        return x, lambda dy: -dy

    x = tf.constant(3.0)
    return {
        "identity": _gradient(tf, lambda x: reverse(x) * x, x),
        "bare": _gradient(tf, lambda x: bare(x) * 2.0, x),
        "bare alone": _gradient(tf, bare, x),
    }


def nested_functions(tf, np):
    @tf.custom_gradient
    def inner(x):
        return x * 2.0, lambda dy: dy * 10.0

    @tf.custom_gradient
    def outer(x):
        return inner(x) + 1.0, lambda dy: dy * 100.0

    x = tf.constant(1.0)
    return {
        "outer": _gradient(tf, outer, x),
        "both": _gradient(tf, lambda x: outer(inner(x)), x),
        "value": outer(x),
    }


def second_derivatives(tf, np):
    """The gradient function is differentiated by an outer tape."""

    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * x * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    return {"first": first, "second": outer.gradient(first, x)}


def a_gradient_with_its_own_gradient(tf, np):
    x = tf.constant(3.0)

    @tf.custom_gradient
    def op_with_fused_backprop(x):
        y, x_grad = x**3, 3.0 * x**2

        def first_order_gradient(dy):
            @tf.custom_gradient
            def first_order_custom(unused_x):
                def second_order_and_transpose(ddy):
                    return 1000.0 * ddy

                return x_grad, second_order_and_transpose

            return dy * first_order_custom(x)

        return y, first_order_gradient

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = op_with_fused_backprop(x)
        first = inner.gradient(y, x)
    return {"first": first, "second": outer.gradient(first, x)}


def variables_of_the_function(tf, np):
    w = tf.Variable(2.0, name="w")

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * 10.0, [dy * 20.0 for _ in variables]

        return x * w, grad

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return {
        "gradient": tape.gradient(y, [x, w]),
        "watched": [v.name for v in tape.watched_variables()],
    }


def variables_that_are_told(tf, np):
    w, v, seen = tf.Variable(2.0, name="w"), tf.Variable(3.0, name="v"), []

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables):
            seen.extend(u.name for u in variables)
            return dy, [dy * float(k) for k, _ in enumerate(variables, 1)]

        return x * v * w, grad

    x = tf.constant(3.0)
    g = _gradient(tf, f, x)
    with tf.GradientTape() as tape:
        y = f(x)
    return {"x": g, "variables": tape.gradient(y, [w, v]), "seen": seen}


def variables_without_the_keyword(tf, np):
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * w, lambda dy: dy

    return {
        "in a tape": caught(_gradient, tf, f, tf.constant(1.0)),
        "outside": caught(lambda: f(tf.constant(1.0))),
    }


def a_variable_as_argument(tf, np):
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * 7.0

        return x * x, grad

    with tf.GradientTape() as tape:
        y = f(w)
    return caught(lambda: tape.gradient(y, w))


def a_variable_as_argument_read(tf, np):
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 7.0

    with tf.GradientTape() as tape:
        y = f(w.read_value())
        z = f(tf.identity(w) * 1.0)
    return tape.gradient(y + z, w)


def keyword_arguments(tf, np):
    @tf.custom_gradient
    def f(x, scale=1.0):
        return x * scale, lambda dy: dy * scale * 10.0

    @tf.custom_gradient
    def g(x, **keywords):
        return x * 1.0, lambda dy: dy

    x = tf.constant(2.0)
    return {
        "scale": caught(_gradient, tf, lambda x: f(x, scale=3.0), x),
        "default": caught(_gradient, tf, f, x),
        "keywords": caught(lambda: g(x, k=1)),
    }


def wrong_numbers_of_gradients(tf, np):
    def ask(returned):
        @tf.custom_gradient
        def f(x):
            return x * 1.0, lambda dy: returned(dy)

        return caught(_gradient, tf, f, tf.constant(1.0))

    return {
        "none": ask(lambda dy: []),
        "two": ask(lambda dy: [dy, dy]),
        "None": ask(lambda dy: None),
        "list": ask(lambda dy: [dy]),
        "tuple": ask(lambda dy: (dy,)),
        "another shape": ask(lambda dy: tf.constant([1.0, 2.0])),
        "a number": ask(lambda dy: 3.0),
        "numpy": ask(lambda dy: np.float32(4.0)),
    }


def functions_that_return_the_wrong_thing(tf, np):
    @tf.custom_gradient
    def no_gradient(x):
        return x * 1.0

    @tf.custom_gradient
    def vector(x):
        return x * 2.0

    @tf.custom_gradient
    def nothing(x):
        return None

    x = tf.constant(1.0)
    return {
        "scalar": caught(lambda: no_gradient(x)),
        "vector of two": caught(lambda: vector(tf.constant([1.0, 2.0]))),
        "nothing": caught(lambda: nothing(x)),
    }


def an_error_inside(tf, np):
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            raise KeyError("in the gradient")

        return x * x, grad

    @tf.custom_gradient
    def g(x):
        raise KeyError("in the function")

    x = tf.constant(2.0)
    return {
        "gradient": caught(_gradient, tf, f, x),
        "function": caught(_gradient, tf, g, x),
        "after": _gradient(tf, tf.square, x),
    }


def methods_and_names(tf, np):
    class Layer:
        scale = 3.0

        @tf.custom_gradient
        def call(self, x):
            """Multiplies."""
            return x * self.scale, lambda dy: (None, dy)

    @tf.custom_gradient
    def documented(x):
        """What it does."""
        return x, lambda dy: dy

    return {
        "name": documented.__name__,
        "doc": documented.__doc__,
        "method": caught(_gradient, tf, lambda x: Layer().call(x), tf.constant(1.0)),
        "as a call": tf.custom_gradient(lambda x: (x * 2.0, lambda dy: dy * 9.0))(tf.constant(1.0)),
        "with nothing": caught(lambda: callable(tf.custom_gradient())),
    }


def upstream_values(tf, np):
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            seen.append((tuple(dy.shape), dy.dtype.name, dy))
            return dy

        return tf.reduce_sum(x) * tf.ones([2]), grad

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(f(x * 1.0) * tf.constant([3.0, 4.0]))
    return {"gradient": caught(lambda: tape.gradient(y, x)), "seen": seen}


def unused_outputs(tf, np):
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(da, db):
            seen.append((da, db))
            return da + db

        return (x * 2.0, x * 3.0), grad

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, _ = f(x)
    return {"gradient": tape.gradient(a, x), "seen": seen}


def how_often_they_run(tf, np):
    runs = []

    @tf.custom_gradient
    def f(x):
        runs.append("forward")

        def grad(dy):
            runs.append("backward")
            return dy

        return x * x, grad

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    tape.gradient(y, x)
    tape.gradient(y, x)
    tape.gradient(tf.constant(1.0), x)
    return runs


def python_state_in_the_gradient(tf, np):
    """A fresh closure at each step; the number it holds is not a constant of the program."""
    out = []
    for step in range(3):

        @tf.custom_gradient
        def f(x, step=step):
            return x * x, lambda dy, step=step: dy * float(step)

        out.append(caught(_gradient, tf, lambda x, f=f: f(x), tf.constant(2.0)))
    return out


def captured_tensors(tf, np):
    k = tf.constant(5.0)

    @tf.custom_gradient
    def f(x):
        return x * k, lambda dy: dy * k * 2.0

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = f(x)
    return tape.gradient(y, [x, k])


def captured_intermediates(tf, np):
    """Forward results used by the gradient keep their own way back under an outer tape."""
    x = tf.constant(2.0)

    @tf.custom_gradient
    def f(x):
        e = tf.exp(x)
        return e, lambda dy: dy * e

    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = f(x)
            d1 = t1.gradient(y, x)
        d2 = t2.gradient(d1, x)
    return {"first": d1, "second": d2, "third": t3.gradient(d2, x)}


def jacobians_through_it(tf, np):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 10.0

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x)


def register_gradient(tf, np):
    """One more gradient for an op without; what is registered stays registered."""
    image, factor = tf.Variable([[[0.5, 0.1, 0.0]], [[0.2, 0.3, 0.4]]]), tf.Variable(0.5)

    def ask():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.image.adjust_saturation(image, factor) * 2.0)
        return tape.gradient(y, [image, factor])

    before = caught(ask)

    def rule(op, grad):
        return grad * 3.0, tf.reduce_sum(grad)

    return {
        "before": before,
        "registered": caught(lambda: tf.RegisterGradient("AdjustSaturation")(rule) is rule),
        "after": caught(ask),
        "again": caught(lambda: tf.RegisterGradient("AdjustSaturation")(rule) is rule),
        "not a name": caught(lambda: tf.RegisterGradient(3)),
        "known": caught(lambda: tf.RegisterGradient("Mul")(rule)),
    }


def register_gradient_reads_the_op(tf, np):
    x = tf.Variable([[[0.5, 0.1, 0.0]], [[0.2, 0.3, 0.4]]])
    seen = {}

    @tf.RegisterGradient("AdjustHue")
    def rule(op, grad):
        seen["inputs"] = [tuple(t.shape) for t in op.inputs]
        seen["outputs"] = [tuple(t.shape) for t in op.outputs]
        seen["type"] = getattr(op, "type", None)
        return grad * 2.0, None

    with tf.GradientTape() as tape:
        z = tf.image.adjust_hue(x, 0.2)
    return {"gradient": caught(lambda: tape.gradient(z, x)), "seen": seen}


def gradients_that_are_each_others(tf, np):
    """The gradient of each function calls the other one, without end."""
    calls = []

    @tf.custom_gradient
    def sine(x):
        calls.append(1)
        return tf.sin(x), lambda upstream: upstream * cosine(x)

    @tf.custom_gradient
    def cosine(x):
        calls.append(1)
        return tf.cos(x), lambda upstream: -upstream * sine(x)

    def derivative(x, order):
        if order == 0:
            return sine(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(x, order - 1)
        return tape.gradient(y, x)

    def looped(x, order):
        total = tf.zeros([])
        for _ in tf.range(3):
            total += derivative(x, order)
        return total

    x = tf.constant(0.3)
    found = {"eager": [derivative(x, order) for order in range(4)]}
    for order in range(4):
        function = tf.function(lambda x, n=order: derivative(x, n))
        found[f"function {order}"] = [function(x), function(x)]
    loop = tf.function(looped)
    found["loop"] = [[loop(x, order), loop(x, order)] for order in range(3)]
    calls.clear()
    tf.function(lambda x: sine(x))(x)
    found["few calls"] = len(calls) < 5
    return found


def tapes_in_gradient_functions_in_loops(tf, np):
    """As GPflow's `SamplingHelper`: a density is given variables, and asked for its gradient."""
    x = np.float32([[0.1, 0.4], [0.5, -0.3], [0.2, 0.9]])
    weights, scale = tf.Variable(tf.zeros(2)), tf.Variable(1.0)
    variables = [weights, scale]

    def density():
        return -tf.reduce_sum((scale * tf.linalg.matvec(x, weights) - 1.0) ** 2) - scale**4

    @tf.custom_gradient
    def given(*values):
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch([weights, scale])
            found = density()

        @tf.function
        def slopes(upstream, variables=None):
            return tape.gradient(found, [weights, scale]), [None] * len(variables)

        return found, slopes

    def step(k, w, s):
        with tf.GradientTape() as tape:
            tape.watch([w, s])
            value = given(w, s)
        slope_w, slope_s = tape.gradient(value, [w, s])
        return k + 1, w + 0.1 * slope_w, s + 0.1 * slope_s

    @tf.function
    def climb(w, s):
        return tf.while_loop(lambda k, w, s: k < 5, step, [0, w, s])

    found = [climb(tf.constant([0.5, 0.5]), tf.constant(start)) for start in (1.0, 0.5, 2.0)]
    return found, weights, scale


def loops_of_gradient_functions_that_assign(tf, np):
    seen = tf.Variable(0.0)

    @tf.custom_gradient
    def doubled(x):
        seen.assign_add(1.0)

        def slope(upstream, variables=None):
            return 3.0 * upstream, [None] * len(variables)

        return 2.0 * x, slope

    @tf.function
    def in_loop(x, n):
        return tf.while_loop(lambda k, y: k < n, lambda k, y: (k + 1, doubled(y)), [0, x])[1]

    x = tf.constant(1.5)
    values, slopes = [in_loop(x, tf.constant(2))], []
    for n in (2, 3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            values.append(in_loop(x, tf.constant(n)))
        slopes.append(tape.gradient(values[-1], x))
        slopes.append(seen.read_value())
    values.append(in_loop(x, tf.constant(4)))
    return values, slopes
