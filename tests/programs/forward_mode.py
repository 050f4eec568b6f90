"""ForwardAccumulator: what it watches, what it gives, and how it nests with itself and tapes."""

from programs.program import caught


def along(tf, function, primal, tangent=1.0):
    """The derivative of a function in a direction, and what is caught on the way."""
    with tf.autodiff.ForwardAccumulator(primal, tf.constant(tangent)) as accumulator:
        y = function(primal)
    return accumulator.jvp(y)


def first_derivatives(tf, np):
    x, m = tf.constant(3.0), tf.constant([[1.0, 2.0], [3.0, 4.5]])
    ones = [[1.0, 1.0], [0.5, 2.0]]
    return {
        "square": along(tf, lambda x: x * x, x),
        "itself": along(tf, lambda x: x, x),
        "chain": along(tf, lambda x: tf.sin(tf.exp(x) / x), x),
        "matmul": along(tf, lambda m: m @ m, m, ones),
        "inverse": along(tf, tf.linalg.inv, m, ones),
        "softmax": along(tf, tf.nn.softmax, m, ones),
        "max": along(tf, lambda m: tf.reduce_max(m, 1), m, ones),
        "gather": along(tf, lambda m: tf.gather(m, [1, 1, 0]), m, ones),
        "concat": along(tf, lambda m: tf.concat([m, m * m], 0), m, ones),
        "split": along(tf, lambda m: tf.split(m * m, 2)[1], m, ones),
        "slice": along(tf, lambda m: m[1:, ::-1] ** 2, m, ones),
        "sparse loss": along(
            tf, lambda m: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], m), m, ones
        ),
    }


def none_patterns(tf, np):
    x, m = tf.constant([1.5, -2.0]), [1.0, 1.0]
    functions = {
        "constant": lambda x: tf.constant(2.0),
        "stop_gradient": tf.stop_gradient,
        "floor": tf.floor,
        "sign": tf.sign,
        "times sign": lambda x: x * tf.sign(x),
        "argmax": tf.argmax,
        "cast": lambda x: tf.cast(x, tf.int32),
        "cast and back": lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
        "comparison": lambda x: x > 0.0,
        "where finite": lambda x: tf.where(tf.math.is_finite(x), x, 0.0),
        "is_finite": tf.math.is_finite,
        "ones_like": tf.ones_like,
        "shape": tf.shape,
        "zero times": lambda x: x * 0.0,
        "minus itself": lambda x: x - x,
        "remainder": lambda x: x % 2.0,
        "second of two": lambda x: tf.math.top_k(x)[1],
    }
    return {name: along(tf, function, x, m) for name, function in functions.items()}


def unconnected(tf, np):
    x, v = tf.constant(3.0), tf.Variable(2.0)
    accumulator = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    others = [tf.constant([1.0, 2.0]), tf.constant(1), v]
    return {
        "none": accumulator.jvp(others),
        "zero": accumulator.jvp(others, unconnected_gradients="zero"),
        "enum": accumulator.jvp(others, tf.UnconnectedGradients.ZERO),
        "text": accumulator.jvp(x, "none"),
        "wrong": caught(lambda: accumulator.jvp(x, unconnected_gradients="zer")),
    }


def nests(tf, np):
    x, y, v = tf.constant(3.0), tf.constant([1.0, 2.0]), tf.Variable(2.0)
    primals = {"x": x, "rest": (y, [v])}
    tangents = {"x": 1.0, "rest": (tf.constant([1.0, 10.0]), [tf.constant(5.0)])}
    with tf.autodiff.ForwardAccumulator(primals, tangents) as accumulator:
        z = tf.reduce_sum(x * y * v)
        w = {"a": x * v, "b": [y + v, tf.constant(1.0)]}
    return {
        "z": accumulator.jvp(z),
        "w": accumulator.jvp(w),
        "primals": accumulator.jvp({"v": v, "x": (x, y)}),
        "empty": accumulator.jvp([]),
        "twice": accumulator.jvp([z, z]),
    }


def nests_that_do_not_match(tf, np):
    x, v = tf.constant(3.0), tf.Variable(2.0)
    make = tf.autodiff.ForwardAccumulator
    found = {
        "kinds": caught(lambda: make([x, (v,)], [1.0, [2.0]])),
        "lengths": caught(lambda: make([x, v], [1.0])),
        "single": caught(lambda: make([x, v], 1.0)),
    }
    # The repr of a tensor in these texts ends otherwise in TensorFlow.
    return {key: [error.name, error.text[:60]] for key, error in found.items()}


def wrong_primals(tf, np):
    x, v = tf.constant(3.0), tf.Variable(2.0)
    make = tf.autodiff.ForwardAccumulator
    return {
        "twice": caught(lambda: make([x, x], [1.0, 1.0])),
        "nested twice": caught(lambda: make([x, {"a": x}], [1.0, {"a": 1.0}])),
        "variable twice": caught(lambda: make([v, v], [1.0, 1.0])),
        "float": caught(lambda: make(1.0, 1.0)),
        "None": caught(lambda: make(None, 1.0)),
        "text": caught(lambda: make("a", 1.0)),
        "numpy": caught(lambda: make(np.float32(1.0), 1.0)),
        "nothing": make([], []).jvp(x),
        "no tangents": caught(lambda: make(x)).name,
    }


def tangents(tf, np):
    x, v = tf.constant(3.0), tf.Variable(2.0)
    make = tf.autodiff.ForwardAccumulator
    return {
        "int": make(x, 2).jvp(x),
        "numpy": make(x, np.float64(2.0)).jvp(x),
        "numpy int": make(x, np.array(2)).jvp(x),
        "variable": make(x, v).jvp(x),
        "for a variable": make(v, x).jvp(v),
        "keywords": make(primals=x, tangents=2.0).jvp(primals=x, unconnected_gradients="none"),
        "float64": caught(lambda: make(x, tf.constant(1.0, tf.float64))),
        "int32": caught(lambda: make(x, tf.constant(1))),
        "complex": caught(lambda: make(x, 1j)),
        "text": caught(lambda: make(x, "a")),
        "None": caught(lambda: make(x, None)),
    }


def wrong_targets(tf, np):
    accumulator = tf.autodiff.ForwardAccumulator(tf.constant(3.0), 1.0)
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [0, 0])
    rows = tape.gradient(y, v)
    return {
        "float": caught(lambda: accumulator.jvp(1.0)),
        "None": caught(lambda: accumulator.jvp(None)),
        "within": caught(lambda: accumulator.jvp([tf.constant(1.0), None])),
        "text": caught(lambda: accumulator.jvp("a")),
        "numpy": caught(lambda: accumulator.jvp(np.float32(1.0))),
        "IndexedSlices": caught(lambda: accumulator.jvp(rows)),
    }


def integer_primals(tf, np):
    p = tf.constant(3)
    with tf.autodiff.ForwardAccumulator(p, 2) as accumulator:
        y, z = p * p, tf.cast(p, tf.float32) * 2.0
    return accumulator.jvp([p, y, z])


def complex_numbers(tf, np):
    p = tf.constant(3 + 1j)
    with tf.autodiff.ForwardAccumulator(p, tf.constant(0.5 + 2j, tf.complex128)) as accumulator:
        results = [
            p * p, tf.abs(p), tf.math.conj(p), tf.math.real(p), tf.math.imag(p), tf.exp(p),
            tf.math.angle(p), p / tf.constant(1j, tf.complex128),
        ]  # fmt: skip
    return accumulator.jvp([p, *results])


def from_real_to_complex_and_back(tf, np):
    p = tf.constant(0.5)
    with tf.autodiff.ForwardAccumulator(p, 2.0) as accumulator:
        y = tf.complex(p, p * p)
        w = tf.exp(y)
    return accumulator.jvp([y, w]), along(tf, lambda p: tf.math.real(tf.exp(tf.complex(p, p))), p)


def dtypes(tf, np):
    found = {}
    for dtype in (tf.float64, tf.float16, tf.bfloat16):
        x = tf.constant([1.0, 2.0], dtype)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5], dtype)) as accumulator:
            y, z = x * x, tf.cast(x, tf.float32) * 3.0
        found[dtype.name] = [tf.cast(t, tf.float32) for t in accumulator.jvp([y, z])]
        found[f"{dtype.name} kept"] = accumulator.jvp(y).dtype
    return found


def the_block(tf, np):
    x = tf.constant(3.0)
    accumulator = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    before = accumulator.jvp(x)
    with accumulator as entered:
        y = x * x
        inside = accumulator.jvp(y)
        again = accumulator.jvp(inside)
    z = y * y
    return {
        "before": before,
        "itself": entered is accumulator,
        "inside": inside,
        "again": again,
        "after": accumulator.jvp(y),
        "outside": accumulator.jvp(z),
        "exit again": accumulator.__exit__(None, None, None),
    }


def entering_twice(tf, np):
    x = tf.constant(3.0)

    def twice():
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator, accumulator:
            pass

    return caught(twice)


def entering_again(tf, np):
    x = tf.constant(3.0)
    accumulator = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    with accumulator:
        y = x * x
    z = y * y
    with accumulator:
        w = y * y
        u = z * y
    return accumulator.jvp([y, z, w, u])


def values_looked_at(tf, np):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = x * x
        first = float(accumulator.jvp(y))
        if y > 3.0:
            y = y * x
    y.numpy()
    return {"first": first, "y": accumulator.jvp(y), "unknown": accumulator.jvp(y + 1.0)}


def variables(tf, np):
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.autodiff.ForwardAccumulator(v, tf.constant(5.0)) as accumulator:
        y = v * v * w
        read = v.read_value()
        v.assign(9.0)
        z = v * v
        v.assign_add(1.0)
        u = v * w
    return {"found": accumulator.jvp([y, read, z, u, v, w]), "sum": accumulator.jvp(v + 0.0)}


def untrainable_variables(tf, np):
    v = tf.Variable(2.0, trainable=False)
    with tf.autodiff.ForwardAccumulator(v, tf.constant(5.0)) as accumulator:
        y = v * v
        v.assign(3.0)
        z = v * v
    return accumulator.jvp([y, z, v])


def state_blocks_history(tf, np):
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(5.0)) as accumulator:
        v.assign(x * x)
        y, read = v * v, v.read_value()
    return accumulator.jvp([y, read, v])


def forward_over_forward(tf, np):
    x = tf.constant(3.0)
    make = tf.autodiff.ForwardAccumulator
    with make(x, tf.constant(1.0)) as outer:
        with make(x, tf.constant(1.0)) as inner:
            y = x * x * x
        first = inner.jvp(y)
    return {
        "first": first,
        "second": outer.jvp(first),
        "outer": outer.jvp(y),
        "wrong way": inner.jvp(outer.jvp(y)),
    }


def asked_after_both_blocks(tf, np):
    x = tf.constant(3.0)
    make = tf.autodiff.ForwardAccumulator
    with make(x, tf.constant(1.0)) as outer, make(x, tf.constant(2.0)) as inner:
        y = x * x * x
    first = inner.jvp(y)
    return [first, outer.jvp(first), outer.jvp(y), inner.jvp(outer.jvp(y))]


def asked_within_both_blocks(tf, np):
    x = tf.constant(3.0)
    make = tf.autodiff.ForwardAccumulator
    with make(x, tf.constant(1.0)) as outer, make(x, tf.constant(2.0)) as inner:
        y = x * x * x
        a, b = outer.jvp(y), inner.jvp(y)
        found = [inner.jvp(a), outer.jvp(b), outer.jvp(b * 2.0)]
    return found


def third_order(tf, np):
    x = tf.constant(0.5)
    make = tf.autodiff.ForwardAccumulator
    with make(x, tf.constant(1.0)) as third:
        with make(x, tf.constant(1.0)) as second:
            with make(x, tf.constant(1.0)) as first:
                y = tf.sin(x) * x**4
            a = first.jvp(y)
        b = second.jvp(a)
    return [a, b, third.jvp(b), third.jvp(a), second.jvp(third.jvp(y))]


def the_order_of_entering_counts(tf, np):
    x = tf.constant(3.0)
    a = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    b = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    with b, a:
        y = x * x * x
    return [a.jvp(b.jvp(y)), b.jvp(a.jvp(y))]


def entered_again_around_another(tf, np):
    x = tf.constant(2.0)
    first = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    with first, tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as second:
        y = x * x * x
    with first:
        z = y * y
    return [first.jvp(second.jvp(y)), second.jvp(first.jvp(y)), second.jvp(z), first.jvp(z)]


def forward_over_reverse(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 2.0])) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_prod(x) ** 2
        gradient = tape.gradient(y, x)
    return {"y": accumulator.jvp(y), "hvp": accumulator.jvp(gradient)}


def hessian_times_vector_of_a_network(tf, np):
    rng = np.random.default_rng(0)
    w = tf.Variable(rng.normal(size=(3, 4)).astype("f"))
    b = tf.Variable(rng.normal(size=4).astype("f"))
    x = tf.constant(rng.normal(size=(5, 3)).astype("f"))
    vectors = [tf.ones_like(w), tf.ones_like(b)]
    with tf.autodiff.ForwardAccumulator([w, b], vectors) as accumulator:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.softmax(tf.tanh(x @ w + b))[:, 0])
        gradients = tape.gradient(loss, [w, b])
    return [*gradients, *accumulator.jvp(gradients)]


def reverse_over_forward(tf, np):
    x, direction = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, direction])
        with tf.autodiff.ForwardAccumulator(x, direction) as accumulator:
            y = x * x * x
        inside = accumulator.jvp(y) * x
    after = accumulator.jvp(y)
    return {
        "inside": tape.gradient(inside, [x, direction]),
        "after": tape.gradient(after, [x, direction]),
        "computed after": tape.gradient(after * 2.0, x),
        "y": tape.gradient(y, x),
    }


def reverse_over_forward_over_reverse(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**5
            gradient = inner.gradient(y, x)
        second = accumulator.jvp(gradient)
    return [second, outer.gradient(second, x)]


def a_tape_within(tf, np):
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x * x
            inside = accumulator.jvp(y)
        gradient = tape.gradient(y, x)
    return {
        "tangents are not on it": tape.gradient(inside, x),
        "nor later ones": tape.gradient(accumulator.jvp(y), x),
        "gradient": gradient,
        "second": accumulator.jvp(gradient),
    }


def an_intermediate_watched_within(tf, np):
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        p = x * x
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(p)
            y = p * p * p
        gradient = tape.gradient(y, p)
    tangent = accumulator.jvp(y)
    return [tangent, gradient, accumulator.jvp(gradient), tape.gradient(tangent, p)]


def an_older_tape(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        p = x * x
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        gradient = tape.gradient(p, x)
    return [gradient, accumulator.jvp(gradient)]


def a_hessian_within(tf, np):
    tf.get_logger().setLevel("ERROR")  # TensorFlow's vectorization warns of itself
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 1.0])) as accumulator:
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(x**4) * x[0]
            gradient = inner.gradient(y, x)
        hessian = outer.jacobian(gradient, x)
    return accumulator.jvp([y, gradient, hessian])


def pauses(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tape.stop_recording(), tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as first:
            y = x * x * x
        z = first.jvp(y) * x
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as second:
            with tape.stop_recording():
                u = x * x * x
            with tf.init_scope():
                w = x * x * x
            t = x * x * x
    return {
        "around": tape.gradient(z, x),
        "within": second.jvp([u, w, t]),
        "not on the tape": tape.gradient(second.jvp(u), x),
        "resumed within": tape.gradient(second.jvp(t), x),
    }


def created_before_a_tape(tf, np):
    x = tf.constant(3.0)
    accumulator = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    tape = tf.GradientTape(persistent=True)
    with tape, accumulator:
        tape.watch(x)
        y = x * x * x
    with accumulator, tf.GradientTape(persistent=True) as within:
        within.watch(x)
        z = x * x * x
    return [tape.gradient(accumulator.jvp(y), x), within.gradient(accumulator.jvp(z), x)]


def tangents_that_are_computed(tf, np):
    x, scale = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, scale])
        with tf.autodiff.ForwardAccumulator(x, scale * scale) as accumulator:
            y = x * x
    return tape.gradient(accumulator.jvp(y), [x, scale])


SECOND = {
    "linear": lambda tf, x: 3.0 * x,
    "identity": lambda tf, x: tf.identity(x),
    "relu": lambda tf, x: tf.nn.relu(x),
    "maximum": lambda tf, x: tf.maximum(x, 0.0),
    "where": lambda tf, x: tf.where(x > 0, x, 0.0),
    "square": lambda tf, x: tf.square(x),
    "twice": lambda tf, x: x * tf.constant(2.0) + x,
    "half": lambda tf, x: x / 4.0,
    "reciprocal": lambda tf, x: 2.0 / x,
    "sqrt": lambda tf, x: tf.sqrt(x),
    "sum": lambda tf, x: tf.reduce_sum(x),
    "stack": lambda tf, x: tf.stack([x, x * x]),
    "step": lambda tf, x: tf.floor(x),
    "times step": lambda tf, x: tf.floor(x) * x,
    "remainder": lambda tf, x: x % 2.0,
    "to the first": lambda tf, x: x**1.0,
    "matmul": lambda tf, x: tf.matmul([[x, 1.0]], [[x], [x]]),
    "softplus": lambda tf, x: tf.nn.softplus(x),
    "cast": lambda tf, x: tf.cast(x, tf.float64),
    "difference": lambda tf, x: x - x,
}


def none_patterns_forward_over_forward(tf, np):
    x, found = tf.constant(3.0), {}
    for name, function in SECOND.items():
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as outer:
            with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as inner:
                y = function(tf, x)
            first = inner.jvp(y)
        found[name] = [first, None if first is None else outer.jvp(first)]
    return found


def none_patterns_reverse_over_forward(tf, np):
    x, found = tf.constant(3.0), {}
    for name, function in SECOND.items():
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
                y = function(tf, x)
            first = accumulator.jvp(y)
        found[name] = [first, None if first is None else tape.gradient(first, x)]
    # The sign of a zero differs.
    return {k: [a, b if b is None else b + 0.0] for k, (a, b) in found.items()}


def none_patterns_forward_over_reverse(tf, np):
    x, found = tf.constant(3.0), {}
    for name, function in SECOND.items():
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(tf, x)
            first = tape.gradient(y, x)
        found[name] = [first, None if first is None else accumulator.jvp(first)]
    return found


def custom_gradients(tf, np):
    def made(value, gradient):
        @tf.custom_gradient
        def function(x):
            return value(x), gradient(x)

        return function

    x = tf.constant([1.0, 2.0])
    square, constant = (lambda x: x * x), (lambda x: tf.constant([5.0, 6.0]))
    functions = {
        "what it computes counts": made(square, lambda x: lambda u: u * 5.0 * x),
        "with None": made(square, lambda x: lambda u: None),
        "stopped": made(lambda x: tf.stop_gradient(x * x), lambda x: lambda u: u * 7.0),
        "constant": made(constant, lambda x: lambda u: u * x),
        "not linear": made(constant, lambda x: lambda u: u * 7.0 + u * u * 10.0 + 1.0),
        "straight through": made(tf.floor, lambda x: lambda u: u),
    }
    found = {name: along(tf, function, x, [1.0, 2.0]) for name, function in functions.items()}
    through = functions["straight through"]
    found["in the middle"] = along(tf, lambda x: tf.sin(through(3.0 * x) * x), x, [1.0, 2.0])
    return found


def custom_gradients_and_tapes(tf, np):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda upstream: upstream * 5.0 * x

    x = tf.constant(3.0)
    make = tf.autodiff.ForwardAccumulator
    with make(x, tf.constant(1.0)) as outer:
        with make(x, tf.constant(1.0)) as inner:
            y = square(x)
        first = inner.jvp(y)
    with make(x, tf.constant(1.0)) as around:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square(x)
        gradient = tape.gradient(y, x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with make(x, tf.constant(1.0)) as within:
            y = square(x)
        tangent = within.jvp(y)
    return [first, outer.jvp(first), gradient, around.jvp(gradient), tape.gradient(tangent, x)]


def in_a_loop(tf, np):
    x = s = tf.constant(3.0)
    found = []
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        for _ in range(4):
            s = s * x
            found.append(accumulator.jvp(s))
    return found


def in_a_function(tf, np):
    @tf.function
    def slope(x, v):
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            y = tf.sin(x) * x
        return accumulator.jvp(y)

    found = [slope(tf.constant(k), tf.constant(2.0)) for k in (1.0, 2.0, 3.0)]
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = slope(x, tf.constant(1.0)) * x
    return [found, tape.gradient(y, x)]


def a_function_within(tf, np):
    @tf.function
    def value(x):
        return tf.sin(x) * x

    x, found = tf.constant(0.5), []
    for k in range(3):
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0 + k)) as accumulator:
            y = value(x)
        found.append(accumulator.jvp(y))
    return found


def a_registered_name(tf, np):
    cls = tf.autodiff.ForwardAccumulator
    return [cls.__name__, tf.autodiff.GradientTape is tf.GradientTape]


def loops_of_unknown_length(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.constant([1.0, 10.0])

    def value(x):
        y = tf.while_loop(lambda y: tf.reduce_sum(y) < 100.0, lambda y: (y * x * 2.0,), [x])
        return tf.reduce_sum(y)

    def forward():
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            y = value(x)
        return accumulator.jvp(y)

    def forward_over_reverse():
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = value(x)
            slope = tape.gradient(y, x)
        return accumulator.jvp(slope)

    def reverse_over_forward():
        with tf.GradientTape() as tape:
            tape.watch(x)
            slope = forward()
        return tape.gradient(slope, x)

    return [
        forward(),
        forward_over_reverse(),
        reverse_over_forward(),
    ]
