"""Faults planted in small programs of research: each is found, at its own line."""

import pathlib

import numpy as np
import pytest

import tapefacade as tf

LINES = pathlib.Path(__file__).read_text(encoding="utf-8").splitlines()


def line_of(text):
    """The number of the line that ends with a comment."""
    (found,) = [n for n, line in enumerate(LINES, 1) if line.endswith(f"# {text}")]
    return found


def is_at(line, text):
    return line.endswith(f":{line_of(text)}")


# -- numbers that are not finite: the tape, what is differentiated and its source ------------------


def quotient(x):
    return tf.reduce_sum(1.0 / x)  # quotient


def share(x):
    total = tf.reduce_sum(tf.nn.relu(-x))
    return tf.reduce_sum(tf.nn.relu(-x) / total)  # share


def unit_vector(x):
    return tf.reduce_sum(x * 0.0 / tf.norm(x * 0.0))  # unit vector


def entropy(x):
    return -tf.reduce_sum(x * tf.math.log(x))  # entropy


def cross_entropy(x):
    p = tf.nn.softmax(x * 300.0)
    return -tf.math.log(p[0])  # cross entropy


def soft_maximum(x):
    e = tf.exp(x * 100.0)  # soft maximum
    return tf.reduce_max(e / tf.reduce_sum(e))


def root_in_where(x):
    return tf.reduce_sum(tf.where(x > 0.0, tf.sqrt(x), 0.0))  # root in where


def power_in_where(x):
    return tf.reduce_sum(tf.where(x > 1.0, (x - 1.0) ** 0.5, 0.0))  # power in where


def logarithm_in_python_loop(x):
    total = 0.0
    for step in range(4):
        total += tf.math.log(x[1] - float(step))  # logarithm in Python's loop
    return total


@tf.function
def logarithm_in_loop(x):
    total = 0.0
    for step in tf.range(4):
        total += tf.math.log(x[1] - tf.cast(step, tf.float32))  # logarithm in a loop
    return total


def logarithm_in_while(x):
    def body(step, total):
        return step + 1.0, total + tf.math.log(x[1] - step)  # logarithm in while

    return tf.while_loop(lambda step, _: step < 4.0, body, (tf.constant(0.0), tf.constant(0.0)))[1]


def angle(x):
    return tf.reduce_sum(tf.acos(x / 2.0))  # angle


def deviation(x):
    return tf.math.reduce_std(x * 0.0)  # deviation


def product(x):
    for _ in range(8):
        x = x * x * 100.0  # product
    return tf.reduce_sum(x)


def second_derivative(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.abs(x) ** 1.5)  # second derivative
    return tf.reduce_sum(tape.gradient(y, x))


def masked_row(x):
    scores = tf.where(tf.constant([False, False]), x, -np.inf)
    return tf.reduce_sum(tf.nn.softmax(scores) ** 2)  # masked row


def not_definite(x):
    matrix = tf.reshape(tf.stack([x[0], x[1], x[1], x[0]]), (2, 2))
    return tf.reduce_sum(tf.linalg.cholesky(matrix))  # not definite


def cosine(x):
    return tf.reduce_sum(tf.math.acosh(x))  # cosine


def inverse_root(x):
    return tf.reduce_sum(tf.math.rsqrt(x))  # inverse root


def direction(x):
    return tf.math.atan2(x[0], x[0] * 2.0)  # direction


def normalized(x):
    mean, variance = tf.nn.moments(x[None], [0])
    return tf.reduce_sum(tf.nn.batch_normalization(x, mean, variance, None, None, 0.0))  # spread


@tf.custom_gradient
def by_hand(x):
    def gradient(upstream):
        return upstream / (x - x)  # by hand

    return x * 2.0, gradient


def by_hand_in_loop(x):
    return tf.reduce_sum(tf.map_fn(by_hand, x))


NON_FINITE = [
    (masked_row, "masked row", "tf.nn.softmax", "mask with a large negative number"),
    (not_definite, "not definite", "tf.linalg.cholesky", "not positive definite"),
    (cosine, "cosine", "tf.math.acosh", "defined from 1 on"),
    (inverse_root, "inverse root", "tf.math.rsqrt", "tf.math.rsqrt(x + 1e-12)"),
    (direction, "direction", "tf.math.atan2", "no derivative at the origin"),
    (normalized, "spread", "tf.nn.batch_normalization", "add a small `epsilon`"),
    (by_hand_in_loop, "by hand", "tf.math.truediv", "divide_no_nan"),
    (quotient, "quotient", "tf.math.truediv", "divide_no_nan"),
    (share, "share", "tf.math.truediv", "0 / 0 is NaN"),
    (unit_vector, "unit vector", "tf.math.truediv", "tf.math.l2_normalize"),
    (entropy, "entropy", "tf.math.log", "tf.math.xlogy(p, p)"),
    (cross_entropy, "cross entropy", "tf.math.log", "from_logits=True"),
    (soft_maximum, "soft maximum", "tf.math.exp", "tf.nn.softmax"),
    (
        root_in_where,
        "root in where",
        "tf.math.sqrt",
        "tf.where(condition, tf.math.sqrt(safe), 0.0)",
    ),
    (power_in_where, "power in where", "tf.math.pow", "tf.math.pow(safe, y)"),
    (logarithm_in_python_loop, "logarithm in Python's loop", "tf.math.log", "x + 1e-7"),
    (logarithm_in_loop, "logarithm in a loop", "tf.math.log", "x + 1e-7"),
    (logarithm_in_while, "logarithm in while", "tf.math.log", "x + 1e-7"),
    (angle, "angle", "tf.math.acos", "tf.clip_by_value"),
    (deviation, "deviation", "tf.math.reduce_std", "reduce_variance"),
    (product, "product", "tf.math.multiply", "It overflows: scale"),
    (second_derivative, "second derivative", "tf.math.pow", "no finite derivative at 0"),
]


@pytest.mark.parametrize(
    ("program", "line", "op", "cure"), NON_FINITE, ids=[row[1] for row in NON_FINITE]
)
def test_the_first_number_that_is_not_finite(program, line, op, cure):
    x = tf.Variable([0.0, 2.0])
    for _ in range(2):  # anew, and as a program that is known
        with tf.GradientTape() as tape:
            y = program(tf.identity(x) if program is second_derivative else x)
        found = tape.find_nan(y, x)
        assert is_at(found.line, line)
        assert found.op == op
        assert cure in " ".join(repr(found).split())


def test_of_two_faults_the_first_is_named():
    """The program that runs may compute the other one first."""
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = logarithm_in_python_loop(tf.stack([x, x]))
    found = tape.find_nan(y)
    assert list(found.value.counts) == ["-Inf"]
    assert found.operands[0].low == 0.0
    assert list(found.first_nan.value.counts) == ["NaN"]
    assert found.first_nan.operands[0].low == -1.0


def test_a_loss_of_fit_that_is_not_finite():
    pytest.importorskip("keras")
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])

    def loss(wanted, found):
        return tf.reduce_mean(tf.math.log(found - found))  # loss of fit

    model.compile("sgd", loss)
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match='op "Log"') as raised:
            model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    finally:
        tf.debugging.disable_check_numerics()
    assert f"test_planted_faults.py:{line_of('loss of fit')}" in raised.value.__notes__[0]


def test_a_layer_whose_numbers_overflow():
    pytest.importorskip("keras")
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(8, name="wide"), tf.keras.layers.Dense(1, name="narrow")]
    )
    model.build((None, 4))
    model.layers[1].kernel.assign(np.full((8, 1), 3e38, np.float32))
    model.layers[0].kernel.assign(np.ones((4, 8), np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(tf.ones((2, 4))))  # two layers
    found = tape.find_nan(y)
    assert is_at(found.line, "two layers")
    assert "# two layers  (layer narrow)" in repr(found)


def test_checks_of_numbers_that_were_not_finite_before():
    w = tf.Variable([1.0, np.nan])

    @tf.function
    def step(x):
        return tf.reduce_sum(-x * w)  # before

    step(tf.constant(1.0))
    step(tf.constant(1.0))
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            step(tf.constant(1.0))
    finally:
        tf.debugging.disable_check_numerics()
    (note,) = raised.value.__notes__
    assert "NaN in a tensor or variable, a value from outside" in note
    assert f"test_planted_faults.py:{line_of('before')}" in note


def test_functions_of_checked_programs_are_recorded_when_checks_are_off():
    runs = []

    @tf.function
    def step(x):
        runs.append(1)
        return tf.exp(x) * 2.0

    tf.debugging.enable_check_numerics()
    try:
        step(tf.constant(1.0))
    finally:
        tf.debugging.disable_check_numerics()
    for _ in range(4):
        step(tf.constant(1.0))
    assert len(runs) == 2


# -- gradients that are None, zero or tiny --------------------------------------------------------


def test_a_recurrent_network_whose_gradient_vanishes():
    w = tf.Variable(tf.eye(3) * 0.2, name="recurrent")
    with tf.GradientTape() as tape:
        state = tf.ones([1, 3])
        for _ in range(12):
            state = tf.tanh(state @ w)  # recurrence
        y = tf.reduce_sum(state)
    sizes = tape.gradient_sizes(y, w)
    through = [row for row in sizes.rows if row.op == "tf.linalg.matmul" and row.operand == 0]
    assert len(through) == 11
    assert all(is_at(row.line, "recurrence") and row.factor < 0.21 for row in through)
    assert sizes.sources["recurrent"] < 1e-6


def test_a_network_whose_units_are_dead():
    w = tf.Variable([[1.0, 1.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.relu(w - 5.0))  # dead
    (row,) = tape.gradient_sizes(y, w).zeros
    assert is_at(row.line, "dead")
    assert "dead" in row.reason


def test_a_layer_whose_units_are_dead():
    pytest.importorskip("keras")
    tf.keras.utils.set_random_seed(0)  # all units of the first layer may be dead as well
    dead = tf.keras.initializers.Constant(-50.0)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(4, "relu", name="alive"),
         tf.keras.layers.Dense(4, "relu", name="dead", bias_initializer=dead)]
    )  # fmt: skip
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(tf.ones((2, 3))))
    (row,) = [row for row in tape.gradient_sizes(y).rows if "dead: " in row.reason]
    assert "(layer dead)" in repr(tape.gradient_sizes(y))
    assert row.op == "tf.nn.relu"


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda w: tf.reduce_max(w) ** 2, "50%: not the element that is chosen"),
        (lambda w: tf.reduce_sum(tf.sign(w)), "as that of tf.sign"),
        (lambda w: tf.reduce_sum(w * 3.0 - w * 3.0), "what arrives adds up to 0"),
        (
            lambda w: tf.cast(tf.reduce_sum(tf.cast(w, tf.float16) * 1e-5), tf.float32) * 1e-4,
            "LossScaleOptimizer",
        ),
    ],
    ids=["choice", "sign", "sum", "half precision"],
)
def test_why_a_gradient_is_zero(program, text):
    w = tf.Variable([1.0, 2.0], name="w")
    with tf.GradientTape() as tape:
        y = program(w)
    assert text in " ".join(repr(tape.gradient_sizes(y, w)).split())


def python_sine(x):
    return tf.numpy_function(np.sin, [x], tf.float32)  # NumPy's sine


def class_index(x):
    return tf.cast(tf.argmax(x), tf.float32) * 2.0  # index


def integer_cast(x):
    return tf.reduce_sum(tf.cast(tf.cast(x, tf.int32), tf.float32))  # cast


def stopped(x):
    return tf.reduce_sum(tf.stop_gradient(x * 2.0))  # stopped


def rounded(x):
    return tf.reduce_sum(tf.round(x))  # rounded


STATE = tf.Variable([0.0, 0.0])


def assigned(x):
    STATE.assign(x * 3.0)
    return tf.reduce_sum(STATE * STATE)


@pytest.mark.parametrize(
    ("program", "line", "text"),
    [
        (python_sine, "NumPy's sine", "What tf.numpy_function computes has no gradient"),
        (class_index, "index", "tf.nn.softmax in the place of tf.argmax"),
        (integer_cast, "cast", "int32"),
        (stopped, "stopped", "Leave tf.stop_gradient out"),
        (rounded, "rounded", "has no gradient"),
        (assigned, "", "use the tensor that was assigned"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
@pytest.mark.parametrize("is_used", [False, True], ids=["before", "after the gradient"])
def test_why_a_gradient_is_none(program, line, text, is_used):
    x = tf.Variable([0.5, 2.0], name="x")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(program(x))
    if is_used:
        assert tape.gradient(y, x) is None
    found = repr(tape.explain(y, x))
    assert text in " ".join(found.split())
    assert not line or f"test_planted_faults.py:{line_of(line)}" in found


def test_a_head_that_the_loss_leaves_out():
    a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
    with tf.GradientTape() as tape:
        first, _ = tf.sin(a), tf.cos(b)  # two heads
        y = first * 2.0
    (found,) = tape.explain(y, b).findings
    assert found.places[0].endswith("tf.math.cos, the last op that depends on it")
    assert f"test_planted_faults.py:{line_of('two heads')}" in found.places[0]
    assert found.advice.startswith("Compute the target from that")


def test_a_variable_made_after_the_block():
    early = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = early * 2.0
        unused = tf.Variable(1.0)
    late = tf.Variable(1.0)
    reasons = [found.reason for found in tape.explain(y, [unused, late]).findings]
    assert reasons == [
        "because nothing in the block reads it.",
        "because it was made after the block had ended.",
    ]


def test_both_lines_of_a_value_that_was_assigned():
    x, state = tf.Variable(2.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        state.assign(x * 3.0)  # put there
        y = state * state  # used there
    (found,) = tape.explain(y, x).findings
    for place, line in zip(found.places, ("put there", "used there"), strict=True):
        assert f"test_planted_faults.py:{line_of(line)}" in place


def test_several_targets():
    x, z = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        targets = {"a": x * 2.0, "b": tf.round(z)}
    first, second = tape.explain(targets, [x, z]).findings
    assert (first.source, first.connected) == ("Variable (source 0)", True)
    assert (second.source, second.connected) == ("Variable (source 1)", False)
    assert "tf.math.round has no gradient" in second.places[0]
    assert "tf.round(z)" in repr(tape.drawing(targets, z))
    with pytest.raises(ValueError, match=r"tf\.math\.round has no gradient"):
        tape.gradient(targets, [x, z], unconnected_gradients="raise")


def test_each_line_that_gives_none_is_warned_of_once(caplog):
    x, other = tf.Variable(2.0, name="x"), tf.Variable(3.0, name="other")
    before = tf.GradientTape.gradient
    tf.debugging.enable_none_warnings()
    try:
        for _ in range(3):
            with tf.GradientTape(persistent=True) as tape:
                y = tf.round(x) + other
            tape.gradient(y, [x, other])  # one of two
            tape.gradient(y, {"a": x})  # another line
            tape.gradient(y, other)
    finally:
        tf.debugging.disable_none_warnings()
    first, second = [record.getMessage() for record in caplog.records]
    assert f"test_planted_faults.py:{line_of('one of two')}" in first
    assert f"test_planted_faults.py:{line_of('another line')}" in second
    assert "tf.math.round has no gradient" in first
    assert "\nother: " not in first
    assert tf.GradientTape.gradient is before


# -- functions and Jacobians ----------------------------------------------------------------------


def test_a_jacobian_along_the_wrong_axis():
    x = tf.constant(np.arange(6.0).reshape(3, 2))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.softmax(x, axis=0)  # wrong axis
    with pytest.raises(ValueError, match=r"tf\.nn\.softmax at\n") as refused:
        tape.batch_jacobian(y, x, check=True)
    assert f"test_planted_faults.py:{line_of('wrong axis')}" in str(refused.value)


def test_a_function_that_python_numbers_record_anew():
    @tf.function
    def scaled(x, factor):
        return x * factor

    for step in range(3):
        scaled(tf.constant(1.0), 0.5 * step)  # rate
    text = repr(scaled.trace_report())
    assert "was recorded 3 times" in text
    assert "factor was the float 0.5 and is the float 1.0" in text
    assert f"test_planted_faults.py:{line_of('rate')}" in text


def test_a_gradient_by_hand_that_is_wrong():
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda upstream: upstream * 2.0 * x**2  # wrong gradient

    with pytest.raises(AssertionError, match="DIFFERS"):
        tf.debugging.check_gradients(cube, [np.array([0.5, 2.0])])
