"""`tape.find_nan` and `tf.debugging.enable_check_numerics`: planted faults, and the lines named."""

import linecache

import numpy as np
import pytest
from steps import counted, settle

import tapefacade as tf

INF = float("inf")


def source(line):
    """Returns what stands at a line of a report."""
    path, _, number = line.rpartition(":")
    return linecache.getline(path, int(number)).strip()


def variable(value=(0.0, 1.0, 4.0), **kwargs):
    return tf.Variable(value, name="v", **kwargs)


@pytest.fixture
def checked():
    settle()
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


# Forward.


def test_a_logarithm_of_zero():
    x = variable()
    with tf.GradientTape() as tape:
        y = x * 2.0
        z = tf.math.log(y)
        loss = tf.reduce_sum(z)
    found = tape.find_nan(loss)
    assert (found.op, found.kernel, found.direction) == ("tf.math.log", "Log", "forward")
    assert source(found.line) == "z = tf.math.log(y)"
    assert found.value.counts == {"-Inf": 1}
    assert found.index == (0,)
    assert (found.operands[0].low, found.operands[0].high) == (0.0, 8.0)
    assert "tf.math.log(x + 1e-7)" in found.advice
    assert found.where_line == ""
    assert str(found).startswith("-Inf in the result of tf.math.log, at test_finding_nan.py:")
    assert "operand 0: float32[3], from 0 to 8; 0 at [0]" in str(found)
    assert tape.gradient(loss, x) is not None  # the tape is not used up


def test_a_root_of_a_negative_number():
    x = variable([1.0, -2.0])
    with tf.GradientTape() as tape:
        y = tf.sqrt(x)
    found = tape.find_nan(y)
    assert source(found.line) == "y = tf.sqrt(x)"
    assert found.value.counts == {"NaN": 1}
    assert found.index == (1,)
    assert "tf.maximum(x, 0.0)" in found.advice


def test_the_op_that_overflows_and_not_the_one_that_divides():
    x = variable([1.0, 200.0])
    with tf.GradientTape() as tape:
        e = tf.exp(x)
        s = tf.reduce_sum(e)
        p = e / s
    found = tape.find_nan(p)
    assert source(found.line) == "e = tf.exp(x)"
    assert found.value.counts == {"+Inf": 1}
    assert "tf.nn.softmax" in found.advice
    assert source(found.first_nan.line) == "p = e / s"
    assert "The first NaN: NaN in the result of tf.math.truediv" in str(found)


def test_infinity_from_outside_is_named_only_where_it_makes_nan():
    mask = tf.constant([0.0, -INF, 0.0])
    x = variable()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.softmax(x + mask) ** 2)
    assert tape.find_nan(y) is None
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(mask - mask)
    found = tape.find_nan(y)
    assert found.kernel == "Sub"
    assert "Infinity minus infinity" in found.advice


def test_nan_from_outside():
    data = tf.constant([[1.0, np.nan], [2.0, 3.0]])
    w = variable([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(data @ w)
    found = tape.find_nan(y)
    assert (found.direction, found.op) == ("input", "")
    assert found.index == (0, 1)
    assert source(found.line) == "y = tf.reduce_sum(data @ w)"
    w.assign([[INF], [2.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.constant([[1.0, 2.0]]) @ w)
    assert str(tape.find_nan(y)).startswith("+Inf in v, a value from outside")


def test_all_that_was_recorded_where_no_target_is_given():
    x = variable()
    with tf.GradientTape() as tape:
        good = x + 1.0
        tf.math.log(x)
    assert source(tape.find_nan().line) == "tf.math.log(x)"
    assert tape.find_nan(good) is None


@pytest.mark.parametrize("kind", ["float64", "float16", "bfloat16", "complex64"])
def test_other_types(kind):
    x = tf.cast(variable([1.0, 4.0]), kind)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x / (x - tf.cast(1.0, kind))
    found = tape.find_nan(y)
    assert source(found.line) == "y = x / (x - tf.cast(1.0, kind))"
    assert found.value.type == f"{kind}[2]"


def test_half_precision_that_overflows():
    x = tf.Variable(tf.constant([300.0], tf.float16))
    with tf.GradientTape() as tape:
        y = x * x
    assert "LossScaleOptimizer" in tape.find_nan(y).advice


# Backward.


def test_a_root_at_zero():
    x = variable()
    with tf.GradientTape() as tape:
        r = tf.sqrt(x)
        y = tf.reduce_sum(r)
    found = tape.find_nan(y, x)
    assert (found.op, found.kernel, found.direction) == ("tf.math.sqrt", "SqrtGrad", "backward")
    assert source(found.line) == "r = tf.sqrt(x)"
    assert found.value.counts == {"+Inf": 1}
    assert found.upstream[0].low == 1.0
    assert "tf.sqrt(x + 1e-12)" in found.advice
    assert np.isinf(tape.gradient(y, x).numpy()[0])


def test_a_norm_at_zero():
    x = variable()
    with tf.GradientTape() as tape:
        n = tf.norm(x * 0.0)
        y = n * 3.0
    found = tape.find_nan(y)  # by all that is watched
    assert source(found.line) == "n = tf.norm(x * 0.0)"
    assert found.direction == "backward"
    assert "tf.sqrt(tf.reduce_sum(x * x) + 1e-12)" in found.advice


def test_where_does_not_take_the_element():
    x = variable()
    with tf.GradientTape() as tape:
        r = tf.sqrt(x)
        z = tf.where(x > 0.5, r * 2.0, 0.0)
        y = tf.reduce_sum(z)
    found = tape.find_nan(y, x)
    assert source(found.line) == "r = tf.sqrt(x)"
    assert source(found.where_line) == "z = tf.where(x > 0.5, r * 2.0, 0.0)"
    assert found.value.counts == {"NaN": 1}
    assert "tf.where twice" in found.advice
    assert np.isnan(tape.gradient(y, x).numpy()[0])
    safe = tf.where(x > 0.5, x, 1.0)
    with tf.GradientTape() as tape:
        safe = tf.where(x > 0.5, x, 1.0)
        y = tf.reduce_sum(tf.where(x > 0.5, tf.sqrt(safe) * 2.0, 0.0))
    assert tape.find_nan(y, x) is None  # the cure is one


def test_where_does_not_take_what_is_infinite():
    x = variable()
    with tf.GradientTape() as tape:
        r = tf.sqrt(tf.square(x))
        z = tf.where(x > 0.5, tf.math.log(r), 0.0)
        y = tf.reduce_sum(z)
    found = tape.find_nan(y, x)
    assert (found.kernel, found.direction) == ("Log", "forward")
    assert source(found.where_line) == "z = tf.where(x > 0.5, tf.math.log(r), 0.0)"
    assert found.first_nan.kernel == "LogGrad"


def test_a_gradient_that_a_function_gives():
    @tf.custom_gradient
    def scaled(v):
        def grad(upstream):
            return upstream / tf.zeros_like(upstream)

        return v * 2.0, grad

    x = variable()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(scaled(x))
    found = tape.find_nan(y, x)
    assert source(found.line) == "return upstream / tf.zeros_like(upstream)"
    assert found.value.counts == {"+Inf": 3}


def test_a_gradient_of_a_gradient():
    x = variable([0.0, 1.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x**1.5)
        g = inner.gradient(y, x)
        z = tf.reduce_sum(g)
    found = outer.find_nan(z, x)
    assert np.isinf(outer.gradient(z, x).numpy()[0])
    assert source(found.line) == "y = tf.reduce_sum(x**1.5)"
    assert found.kernel == "PowGrad"


def test_upstream_gradients_that_are_wrong():
    x, u = variable(), variable([1.0, 0.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * 2.0
        loss = tf.reduce_sum(y / u)
    found = tape.find_nan(loss, [x, u])
    assert source(found.line) == "loss = tf.reduce_sum(y / u)"
    assert tape.gradient(loss, x) is not None
    assert source(tape.find_nan(loss, x).line) == "loss = tf.reduce_sum(y / u)"


def test_rows_of_an_embedding():
    table = variable(np.zeros((5, 3), np.float32))
    with tf.GradientTape() as tape:
        rows = tf.nn.embedding_lookup(table, [1, 2])
        y = tf.reduce_sum(tf.norm(rows, axis=1))
    assert source(tape.find_nan(y, table).line) == "y = tf.reduce_sum(tf.norm(rows, axis=1))"
    assert isinstance(tape.gradient(y, table), tf.IndexedSlices)


def test_an_op_without_a_gradient():
    x = variable([[2.0, 1.0], [1.0, 3.0]])
    with tf.GradientTape() as tape:
        factors, _ = tf.linalg.lu(x)
        y = tf.math.log(factors * 0.0)
    assert source(tape.find_nan(y).line) == "y = tf.math.log(factors * 0.0)"
    with pytest.raises(LookupError):
        tape.find_nan(y, x)


# Functions, loops, branches.


def test_in_a_function_that_was_compiled():
    w = variable([1.0, 2.0, 3.0])

    @tf.function
    def model(v):
        h = v * w
        return tf.reduce_sum(tf.sqrt(h))

    for _ in range(3):
        model(tf.ones(3))
    with tf.GradientTape() as tape:
        y = model(tf.constant([1.0, 0.0, 1.0]))
    found = tape.find_nan(y, w)
    assert source(found.line) == "return tf.reduce_sum(tf.sqrt(h))"
    assert found.index == (1,)


def test_within_a_function():
    x, seen = variable(), []

    @tf.function
    def step(scale):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sqrt(x * scale))
        seen.append(tape.find_nan(y, x))
        return tape.gradient(y, x)

    assert np.isinf(step(tf.constant(2.0)).numpy()[0])
    step(tf.constant(2.0))
    assert [source(found.line) for found in seen] == ["y = tf.reduce_sum(tf.sqrt(x * scale))"] * 2


def test_the_iteration_of_a_while_loop():
    x = variable(4.0)
    with tf.GradientTape() as tape:
        _, y = tf.while_loop(
            lambda i, v: i < 6,
            lambda i, v: (i + 1, tf.math.log(v)),
            [0, x * 1.0],
        )
    found = tape.find_nan(y)
    assert source(found.line) == "lambda i, v: (i + 1, tf.math.log(v)),"
    values, expected = 4.0, 0
    while values > 0.0:
        values, expected = np.log(values), expected + 1
    assert found.iterations == (expected,)
    assert f"in iteration {expected} of the loop" in str(found)


def test_a_while_loop_backward():
    x = variable()
    with tf.GradientTape() as tape:
        _, y = tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, tf.sqrt(v)), [0, x * 1.0])
        loss = tf.reduce_sum(y)
    found = tape.find_nan(loss, x)
    assert (found.kernel, found.direction) == ("SqrtGrad", "backward")
    assert source(found.line).startswith("_, y = tf.while_loop(")
    assert len(found.iterations) == 1


def test_loops_of_a_function():
    x = variable([0.5])

    @tf.function
    def repeated(v, n):
        for _ in tf.range(n):
            v = v - 0.25
            v = tf.math.log(v) * v
        return v

    repeated(x, tf.constant(1))
    repeated(x, tf.constant(1))
    with tf.GradientTape() as tape:
        y = repeated(x, tf.constant(3))
    found = tape.find_nan(y, x)
    assert source(found.line) == "v = tf.math.log(v) * v"


@pytest.mark.parametrize("loop", ["scan", "map_fn", "vectorized_map"])
def test_loops_over_rows(loop):
    x = variable([[1.0], [0.0], [4.0]])

    def body(*rows):
        return tf.sqrt(rows[-1] * 3.0)

    with tf.GradientTape() as tape:
        y = tf.scan(body, x) if loop == "scan" else getattr(tf, loop)(body, x)
        loss = tf.reduce_sum(y)
    found = tape.find_nan(loss, x)
    assert source(found.line) == "return tf.sqrt(rows[-1] * 3.0)"
    assert found.kernel == "SqrtGrad"


def test_a_branch():
    x = variable()
    with tf.GradientTape() as tape:
        y = tf.cond(
            tf.reduce_sum(x) > 1.0,
            lambda: tf.reduce_sum(tf.sqrt(x)),
            lambda: tf.reduce_sum(x),
        )
    found = tape.find_nan(y, x)
    assert source(found.line) == "lambda: tf.reduce_sum(tf.sqrt(x)),"


# What it does not do.


def test_no_python_runs_again():
    runs = []

    def model(v):
        runs.append(v)
        return tf.sqrt(v)

    x = variable()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(x))
    assert tape.find_nan(y, x) is not None
    assert len(runs) == 1


def test_nothing_is_printed_again(capfd):
    x = variable()
    with tf.GradientTape(persistent=True) as tape:
        y = tf.sqrt(x)
        tf.print("once")
    y.numpy()
    assert tape.find_nan(y, x) is not None
    settle()
    assert capfd.readouterr().err.count("once") == 1


def test_steps_compile_nothing_more_after_it():
    x = variable([1.0, 2.0, 3.0])

    def step(asks=False):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sqrt(x) * 2.0)
        if asks:
            assert tape.find_nan(y, x) is None
        x.assign_sub(0.01 * tape.gradient(y, x))

    for _ in range(3):
        step()
    settle()
    step(asks=True)
    step()
    settle()
    with counted() as count:
        step()
        settle()
    assert (count.compiled, count.recorded) == (0, 0)


def test_a_tape_that_is_used_up():
    x = variable()
    with tf.GradientTape() as tape:
        y = tf.sqrt(x)
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.find_nan(y, x)
    with pytest.raises(RuntimeError):
        tf.GradientTape().find_nan()


def test_a_persistent_tape_after_its_step():
    x = variable()
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.sqrt(x))
    assert np.isinf(tape.gradient(y, x).numpy()[0])
    x.assign([1.0, 1.0, 1.0])
    with tf.GradientTape():
        tf.reduce_sum(x).numpy()
    found = tape.find_nan(y, x)  # what the variable was then
    assert source(found.line) == "y = tf.reduce_sum(tf.sqrt(x))"


def test_within_the_block():
    x = variable()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sqrt(x))
        assert tape.find_nan(y, x).kernel == "SqrtGrad"
        z = y * 2.0
    assert np.isinf(tape.gradient(z, x).numpy()[0])


def test_rematerialized_values():
    x = variable()
    with tf.GradientTape(rematerialize=True) as tape:
        y = tf.reduce_sum(tf.sqrt(x))
    assert source(tape.find_nan(y, x).line) == "y = tf.reduce_sum(tf.sqrt(x))"


def test_what_is_not_connected_and_what_is_no_tensor():
    x, other = variable(), variable()
    with tf.GradientTape(persistent=True) as tape:
        y = x * 2.0
    assert tape.find_nan(y, other) is None
    assert tape.find_nan(tf.constant(1.0), x) is None
    assert tape.find_nan([y, y], {"a": x, "b": [other]}) is None
    with pytest.raises(TypeError):
        tape.find_nan("y", x)


def test_programs_that_begin_alike_keep_their_lines():
    x = variable()
    with tf.GradientTape() as first:
        y = tf.reduce_sum(tf.sqrt(x))  # here
    with tf.GradientTape() as second:
        z = tf.reduce_sum(tf.sqrt(x))  # and there
    assert source(second.find_nan(z, x).line).endswith("# and there")
    assert all(row.line.endswith("# and there") for row in second.program().rows if row.op)
    with tf.GradientTape() as first:
        y = tf.reduce_sum(tf.sqrt(x))  # here again
    assert source(first.find_nan(y, x).line).endswith("# here again")


# Keras.


def test_a_layer_of_a_model():
    class Spread(tf.keras.layers.Layer):
        def call(self, inputs):
            center = tf.reduce_mean(inputs, axis=-1, keepdims=True)
            return tf.sqrt(tf.reduce_sum((inputs - center) ** 2, axis=-1))

    model = tf.keras.Sequential([tf.keras.layers.Dense(3, kernel_initializer="zeros"), Spread()])
    model(tf.ones((2, 4)))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(tf.ones((2, 4))))
    found = tape.find_nan(loss, model.trainable_variables)
    assert source(found.line) == "return tf.sqrt(tf.reduce_sum((inputs - center) ** 2, axis=-1))"
    assert found.kernel == "SqrtGrad"


def test_fit_with_checks(checked):
    def activation(x):
        return tf.sqrt(x * 0.0)

    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, activation)])
    model.compile("sgd", "mse")
    with pytest.raises(tf.errors.InvalidArgumentError, match='op "SqrtGrad"') as caught:
        model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0)
    assert "return tf.sqrt(x * 0.0)" in caught.value.__notes__[-1]


# tf.debugging.enable_check_numerics.


def test_checks_name_the_backward_op(checked):
    x = variable()
    with tf.GradientTape() as tape:
        r = tf.norm(x * 0.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN values") as caught:
        tape.gradient(r, x)
    note = caught.value.__notes__[-1]
    assert "in the gradient of tf.linalg.norm" in note
    assert "r = tf.norm(x * 0.0)" in note


def test_checks_of_a_function_that_was_compiled_before():
    w = variable(1.0)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.math.log(w * x)
        return tape.gradient(loss, w)

    step(tf.constant(1.0))
    step(tf.constant(1.0))
    settle()
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r'op "Log(Grad)?"') as caught:
            step(tf.constant(0.0))
    finally:
        tf.debugging.disable_check_numerics()
    assert "loss = tf.math.log(w * x)" in caught.value.__notes__[-1]


def test_checks_of_forward_ops_have_the_cure(checked):
    with pytest.raises(tf.errors.InvalidArgumentError, match='op "Log"') as caught:
        tf.math.log(tf.constant([1.0, 0.0]))
    assert "Write `tf.math.log(x + 1e-7)`" in caught.value.__notes__[-1]


@pytest.mark.parametrize("label", [-1, 3])
def test_labels_of_no_class_are_refused_where_keras_takes_them(label):
    # Keras's loss of such a label is 0: nothing else tells of one that a program computes.
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = tf.zeros([2, 3])
    computed = tf.cast(tf.math.floor([0.5, label + 0.5]), tf.int32)
    without = loss(computed, logits).numpy()
    np.testing.assert_allclose(without, np.log(3.0) / 2, rtol=1e-6)
    tf.debugging.enable_check_numerics()
    try:
        np.testing.assert_allclose(loss(np.array([0, 2]), logits), np.log(3.0), rtol=1e-6)
        text = rf"a label value of {label} which is outside the valid range of \[0, 3\)"
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            loss(computed, logits)
    finally:
        tf.debugging.disable_check_numerics()
