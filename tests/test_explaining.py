"""`tape.explain`, `tape.program` and `concrete.program`: what was recorded, told to people."""

import gc
import linecache
import weakref

import numpy as np
import pytest
from steps import counted, settle

import tapefacade as tf
from tapefacade._trace.program_listing import place
from tapefacade._trace.tree import TREE


def reason(tape, target, source):
    (finding,) = tape.explain(target, source).findings
    assert finding.connected == (tape.gradient(target, source) is not None)
    return finding


def variable(value=2.0, **kwargs):
    return tf.Variable(value, name="v", **kwargs)


# The ways of TensorFlow's guide: https://www.tensorflow.org/guide/autodiff.


def test_a_variable_replaced_by_a_tensor():
    x = variable()
    for epoch in range(2):
        with tf.GradientTape() as tape:
            y = x + 1.0
        found = reason(tape, y, x)
        assert found.connected == (epoch == 0)
        x = x + 1.0
    assert "does not watch it" in found.reason
    assert "x.assign_add(1)" in found.advice
    assert "tape.watch" in found.advice


def test_computed_with_numpy():
    x = variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_mean(np.mean(x**2, axis=0), axis=0)
    found = reason(tape, y, x)
    assert "nothing that was recorded leads from it" in found.reason
    assert found.places[0].endswith("tf.math.pow, the last op that depends on it")
    assert found.places[1].endswith("the target depends on float32[2]")
    assert "y = tf.reduce_mean(np.mean" in found.places[1]
    assert "NumPy" in found.advice


@pytest.mark.parametrize("kind", [tf.int32, tf.bool, tf.int64])
def test_integers(kind):
    x = tf.cast(variable(), kind)
    with tf.GradientTape() as tape:
        y = tf.cast(x, tf.float32) * 2.0
    assert reason(tape, y, x).reason == f"because its dtype is {kind.name}."


def test_an_integer_target():
    x = variable()
    with tf.GradientTape() as tape:
        y = tf.cast(x, tf.int32)
    assert "the target's dtype is int32" in reason(tape, y, x).reason


def test_an_integer_on_the_way():
    x = variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.cast(tf.cast(x, tf.int32), tf.float32)
    found = reason(tape, y, x)
    assert found.places[0].endswith("tf.cast gives int32[2]")
    assert "Keep the values floating" in found.advice


def test_through_the_state_of_a_variable():
    first, second = variable(3.0), tf.Variable(0.0, name="second")
    with tf.GradientTape() as tape:
        second.assign_add(first)
        y = second**2
    found = tape.explain(y, [first, second]).findings
    assert [f.connected for f in found] == [False, True]
    assert any(place.endswith("the target depends on second") for place in found[0].places)
    assert found[0].advice.startswith("Gradients stop where a variable is read")


def test_through_a_computed_state():
    first, second = variable(3.0), tf.Variable(0.0, name="second")
    with tf.GradientTape() as tape:
        second.assign(first * 2.0)
        y = second**2
    found = reason(tape, y, first)
    assert found.places[0].endswith("it goes through a variable")
    assert found.places[1].endswith("y = second**2: tf.math.pow uses the variable")
    assert "use the tensor that was assigned" in found.advice


# The other ways.


def test_not_watched():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert "does not watch it" in reason(tape, y, x).reason


def test_watched_too_late():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(x)
    found = reason(tape, y, x)
    assert found.places[0].endswith("tf.math.multiply uses it before the tape watches it")


def test_not_trainable():
    x = variable(trainable=False)
    with tf.GradientTape() as tape:
        y = x * x
    found = reason(tape, y, x)
    assert "not trainable" in found.reason
    assert "`tape.watch(v)`" in found.advice


def test_variables_not_watched():
    x = variable()
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = x * x
    assert "watch_accessed_variables=False" in reason(tape, y, x).reason


def test_not_read():
    x, other = variable(), variable()
    with tf.GradientTape() as tape:
        y = x * x
    assert "nothing in the block reads it" in reason(tape, y, other).reason


def test_computed_before_the_block():
    x = variable()
    y = x * x
    with tf.GradientTape() as tape:
        z = y * 2.0
    assert "does not watch it" in tape.explain(z, y).findings[0].reason
    assert "nothing in the block reads it" in reason(tape, z, x).reason


def test_recorded_while_the_tape_paused():
    x = variable()
    with tf.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            z = y * 3.0
        w = z + 1.0
    found = reason(tape, w, x)
    assert found.places[0].endswith("tf.math.multiply not recorded by the tape")
    assert "stop_recording" in found.advice


@pytest.mark.parametrize(
    ("stop", "text"),
    [
        (tf.stop_gradient, "tf.stop_gradient stops gradients"),
        (lambda x: tf.one_hot(tf.argmax(x), 2), "tf.math.argmax gives int64"),
    ],
)
def test_ops_that_stop_gradients(stop, text):
    x = variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = stop(x) * 2.0
    found = reason(tape, y, x)
    assert found.places[0].endswith(text)
    assert ("tf.custom_gradient" in found.advice) == (stop is not tf.stop_gradient)


def test_an_operand_without_a_gradient():
    x = variable(2.5)
    with tf.GradientTape() as tape:
        y = tf.math.zeta(x, 1.5)
    assert reason(tape, y, x).places[0].endswith("tf.math.zeta has no gradient for this operand")


def test_an_op_without_a_gradient():
    x = variable([[2.0]])
    with tf.GradientTape() as tape:
        y, _ = tf.linalg.lu(x)
    (found,) = tape.explain(y, x).findings
    assert found.places[0].endswith("tf.linalg.lu has no gradient")
    assert "LookupError" in found.advice
    assert str(found).startswith("v: LookupError, because")
    with pytest.raises(LookupError):
        tape.gradient(y, x)


def test_a_derivative_that_is_constant():
    x = variable()
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = 3.0 * x
        slope = inner.gradient(y, x)
    found = reason(outer, slope, x)
    assert found.places[0].endswith("GradientTape.gradient does not depend on it")
    assert "unconnected_gradients" in found.advice


def test_computed_after_the_block():
    x = variable()
    with tf.GradientTape() as tape:
        y = x * x
    z = y * 2.0
    assert "in the block computes the target" in reason(tape, z, x).reason


def test_a_gradient_taken_after_the_outer_block():
    x = variable()
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = x**3.0
    slope = inner.gradient(y, x)  # too late
    found = reason(outer, slope, x)
    taken, last = found.places
    assert "slope = inner.gradient(y, x)  # too late: GradientTape.gradient computes it" in taken
    assert "y = x**3.0: the last op of the block" in last
    assert "within the block of the outer" in found.advice


def test_numpy_functions():
    x = variable()
    with tf.GradientTape(persistent=True) as tape:
        y = tf.numpy_function(np.sin, [x], tf.float32)
        z = y * 2.0
    found = reason(tape, y, x)
    text = "y = tf.numpy_function(np.sin, [x], tf.float32): tf.numpy_function runs Python"
    assert found.places[0].endswith(text)
    assert any(place.endswith(text) for place in reason(tape, z, x).places)


def test_a_branch_that_is_constant():
    x = variable()
    with tf.GradientTape() as tape:
        y = tf.cond(x > 0.0, lambda: tf.constant(3.0), lambda: x * 2.0)
    found = reason(tape, y, x)
    assert "y = tf.cond(x > 0.0" in found.places[0]
    assert found.places[0].endswith("this branch of tf.cond gives a constant")
    assert "depends on nothing" in found.advice


@pytest.mark.parametrize("persistent", [False, True])
def test_a_gradient_function_that_returns_none(persistent):
    @tf.custom_gradient
    def scaled(v, w):
        return v * w, lambda upstream: (upstream * w, None)

    v, w = variable(), tf.Variable(3.0, name="w")
    with tf.GradientTape(persistent=persistent) as tape:
        y = scaled(v, w) * 2.0
    of_v, of_w = tape.explain(y, [v, w]).findings
    assert (of_v.connected, of_w.connected) == (True, False)
    assert "y = scaled(v, w) * 2.0: tf.custom_gradient has a gradient function" in of_w.places[0]
    assert tape.gradient(y, [v, w])[1] is None
    assert [f.connected for f in tape.explain(y, [v, w]).findings] == [True, False]


def test_a_gradient_function_that_returns_none_after_the_gradient():
    @tf.custom_gradient
    def scaled(v):
        return v * 2.0, lambda upstream: None

    v = variable()
    with tf.GradientTape() as tape:
        y = scaled(v)
    assert tape.gradient(y, v) is None
    assert "returned None" in tape.explain(y, v).findings[0].places[0]


def test_ops_within_loops():
    x = variable()
    with tf.GradientTape() as tape:
        _, y = tf.while_loop(
            lambda i, v: i < 3,
            lambda i, v: (i + 1, tf.floor(v) * 1.5),
            [0, x * 2.0],
        )
    outer, inner = reason(tape, y, x).places
    assert outer.endswith("tf.while_loop has no gradient for this operand")
    assert "lambda i, v: (i + 1, tf.floor(v) * 1.5)," in inner
    assert inner.endswith("tf.math.floor, within it, has no gradient")


def test_the_line_after_which_it_is_watched():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        y = x * x
        z = y + 1.0
        tape.watch(x)
    places = reason(tape, z, x).places
    assert "y = x * x: tf.math.multiply uses it before" in places[0]
    assert places[1].endswith("z = y + 1.0 is the last op before it is watched")


def test_variables_and_layers_of_keras():
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, name="first")])
    with tf.GradientTape() as tape:
        logits = model(tf.ones((2, 3)))  # called here
        y = tf.reduce_mean(tf.cast(tf.argmax(logits, 1), tf.float32))
    for _ in range(2):
        found = tape.explain(y, model.trainable_variables).findings
        names = [finding.source.rpartition("first")[2] for finding in found]
        assert names == ["/kernel", "/bias"]
        assert not any(finding.connected for finding in found)
        assert "tf.math.argmax gives int64" in found[0].places[0]
        if tape._trace is not None:
            lines = [row.line for row in tape.program().rows if row.op == "tf.linalg.matmul"]
            assert lines[0].endswith("# called here  (layer first)")
            tape.gradient(y, model.trainable_variables)  # used up


def test_none_as_an_error():
    x, other = variable(), tf.Variable(1.0, name="other")
    for ask in ("gradient", "jacobian"):
        with tf.GradientTape(persistent=True) as tape:
            y = x * 2.0
        with pytest.raises(ValueError, match="other: None, because nothing in the block reads it"):
            getattr(tape, ask)(y, [x, other], unconnected_gradients="raise")
        (found,) = getattr(tape, ask)(y, [x], unconnected_gradients="raise")
        assert found.numpy() == 2.0


def test_explanations_are_wrapped():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert max(map(len, repr(tape.explain(y, x)).splitlines())) <= 100


# What has a gradient.


def test_several_sources():
    x, c = variable(), tf.constant(2.0)
    with tf.GradientTape() as tape:
        h = x * c
        y = tf.sin(h)
    found = tape.explain(y, {"x": x, "h": h, "c": c, "y": y}).findings
    by_name = dict(zip(["c", "h", "x", "y"], found, strict=True))
    assert [f.connected for f in by_name.values()] == [False, True, True, True]
    assert by_name["x"].reason == "through 2 ops."
    assert by_name["h"].reason == "through 1 op."
    assert "target itself" in by_name["y"].reason
    assert str(by_name["c"]).startswith("source 0 (float32): None, because")


def test_custom_gradients_and_loops():
    x = variable([1.0, 2.0])

    @tf.custom_gradient
    def doubled(t):
        return 2.0 * t, lambda upstream: 2.0 * upstream

    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.map_fn(lambda row: row * row, doubled(x)))
    assert reason(tape, y, x).connected


def test_nested_and_persistent():
    x = variable()
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = x**3.0
        slope = inner.gradient(y, x)
    assert outer.explain(slope, x).findings[0].connected
    assert outer.gradient(slope, x).numpy() == 12.0
    assert outer.explain(slope, x).findings[0].connected  # a second time, after the gradient
    assert "GradientTape.gradient" in repr(outer.program())


def test_within_the_block_and_after_a_look():
    x = variable()
    with tf.GradientTape() as tape:
        y = x * x
        assert tape.explain(y, x).findings[0].connected
        assert float(y) == 4.0
        z = y * x
        assert tape.explain(z, x).findings[0].connected
    assert tape.gradient(z, x).numpy() == 12.0


def test_in_a_function():
    x, told = variable(), []

    @tf.function
    def slope():
        with tf.GradientTape() as tape:
            y = tf.cast(tf.cast(x, tf.int32), tf.float32) * x
            told.append(repr(tape.explain(y, x)))
            told.append(repr(tape.program()))
        return tape.gradient(y, x)

    assert slope().numpy() == slope().numpy() == 2.0
    assert len(told) == 2
    assert told[0] == "v: has a gradient, through 1 op."
    assert "tf.math.multiply" in told[1]


def test_nothing_is_computed_or_recorded():
    x = variable([1.0, 2.0])

    def step(explained):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        if explained:
            repr(tape.explain(y, x)), repr(tape.program()), tape._repr_html_()
        return tape.gradient(y, x).numpy()

    for _ in range(6):
        step(False)
    size = TREE.size
    settle()
    with counted() as plain:
        step(False)
    with counted() as explained:
        step(True)
    assert vars(explained) == vars(plain)
    assert size == TREE.size


def test_refusals():
    x = variable()
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(TypeError, match="Cannot convert"):
        tape.explain(None, x)
    with pytest.raises(TypeError, match="Cannot convert"):
        tape.explain(y, None)
    with pytest.raises(AttributeError, match="no attribute '_id'"):
        tape.explain(y, [1.0])
    tape.gradient(y, x)
    for ask in (tape.program, tf.GradientTape().program, lambda: tf.GradientTape().explain(y, x)):
        with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used"):
            ask()
    assert tape._repr_html_() is None


# Programs.


def test_the_program_of_a_tape():
    x, c = variable([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = tf.reduce_sum(tf.sinh(x * c))
    program = tape.program()
    assert [row.op for row in program.rows if row.op] == [
        "tf.math.multiply", "tf.math.sinh", "tf.math.reduce_sum",
    ]  # fmt: skip
    assert {row.type for row in program.rows if not row.op} == {
        "float32[2] v (watched)", "float32[2] watched",
    }  # fmt: skip
    heading = "Recorded program: 3 ops, 2 values from outside"
    assert repr(program).startswith(f"{heading}; 6 FLOP, results of 20 B\n")
    assert repr(tape.program(full=True)).startswith(f"{heading}\n")
    assert "y = tf.reduce_sum(tf.sinh(x * c))" in program.rows[-1].line
    assert "<td>tf.math.sinh</td>" in tape.program(full=True)._repr_html_()
    assert "<td>tf.math.multiply, tf.math.sinh, tf.math.reduce_sum</td>" in tape._repr_html_()
    assert tape.gradient(y, c) is not None


def test_programs_name_functions_of_users_and_show_scalars():
    x = variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        tf.where(x > 1.0, x**2, tf.cast(tf.one_hot(1, 2) * 0.25, tf.float32))
        rows = tape.program().rows
    ops = {row.op for row in rows}
    assert {"tf.math.greater", "tf.math.multiply"} <= ops
    assert not any("_" in op.removeprefix("tf.").split(".")[-1][:1] for op in ops)
    assert "float32 1.0" in {row.type for row in rows}


def test_an_empty_program():
    with tf.GradientTape() as tape:
        pass
    assert repr(tape.program()).startswith("Recorded program: 0 ops, 0 values from outside")


def test_long_programs_are_cut_in_notebooks():
    x = variable()
    with tf.GradientTape() as tape:
        y = x
        for _ in range(100):
            y = tf.sin(y)
    assert len(tape.program().rows) == 101
    assert "<td>41 more</td>" in tape.program(full=True)._repr_html_()
    assert "<td>100 x tf.math.sin</td>" in tape._repr_html_()


def test_the_program_of_a_function():
    v = variable([1.0, 2.0])

    @tf.function
    def scaled(x, times=2):
        for _ in range(times):
            x = tf.sin(x) * v
        v.assign_add(x)
        return x

    concrete = scaled.get_concrete_function(tf.TensorSpec([2], tf.float32))
    program = concrete.program()
    assert [row.op for row in program.rows if row.op] == [
        "tf.math.sin", "tf.math.multiply", "tf.math.sin", "tf.math.multiply", "tf.math.add",
    ]  # fmt: skip
    assert [row.type for row in program.rows if not row.op] == ["float32[2] x", "float32[2] v"]


def test_repeated_lines_are_folded():
    w, y = variable(np.eye(4, dtype=np.float32)), tf.ones([8, 4])
    with tf.GradientTape() as tape:
        for _ in range(30):
            y = y @ w  # a product
            y = tf.tanh(y) + 1.0
            for _ in range(3):
                y = tf.sin(y)  # within
                y = y * y
        loss = tf.reduce_sum(y)
    fold, last = tape.program().parts
    assert (fold.times, fold.ops, last.text) == (30, 30 * 9, "tf.math.reduce_sum")
    product, tanh, inner = fold.parts
    assert linecache.getline(*line_of(product)).endswith("# a product\n")
    assert (product.text, product.ops) == ("tf.linalg.matmul", 30)
    assert product.flops == 30 * 2 * 8 * 4 * 4
    assert product.bytes == 30 * 8 * 4 * 4
    assert (tanh.text, tanh.ops, tanh.flops) == ("tf.math.tanh, tf.math.add", 60, 60 * 32)
    assert (inner.times, inner.ops) == (3, 30 * 6)
    assert linecache.getline(*line_of(inner.parts[0])).endswith("# within\n")
    first = line_of(product)[1]
    shown = repr(tape.program())
    assert f"30 times lines {first}-{first + 4}, 9 ops:" in shown
    assert f"  3 times lines {first + 3}-{first + 4}, 2 ops:" in shown
    assert "30 x float32 1.0" in shown
    assert "; 15.4k FLOP, results of 33.8 KiB" in shown  # 30 * (2 * 8 * 4 * 4 + 8 * 32) + 32
    assert "30 times lines" in tape._repr_html_()
    assert len(tape.program(full=True).rows) > 271
    assert "times" not in repr(tape.program(full=True))
    assert tape.gradient(loss, w) is not None


def line_of(part):
    path, _, number = part.line.rpartition(":")
    return path, int(number)


def test_a_function_called_again_is_folded_from_its_first_line():
    def block(y):
        y = tf.cos(y)
        return y * 2.0

    with tf.GradientTape() as tape:
        y = block(tf.sin(variable()))
        for _ in range(4):
            y = block(y)
        y = tf.cos(y)
    start, fold, end = tape.program().parts
    assert (start.text, fold.times, end.text) == ("tf.math.sin", 5, "tf.math.cos")
    assert [part.text for part in fold.parts] == ["tf.math.cos", "tf.math.multiply"]


def test_layers_have_lines_of_their_own():
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), tf.keras.layers.Dense(4, name="first", activation="tanh"),
         tf.keras.layers.Dense(2, name="second")]
    )  # fmt: skip
    with tf.GradientTape() as tape:
        y = model(tf.ones((5, 3)))  # called here
    parts = [part for part in tape.program().parts if part.layer]
    assert [part.layer for part in parts] == ["first", "second"]
    assert all(linecache.getline(*line_of(p)).endswith("# called here\n") for p in parts)
    assert [part.flops for part in parts] == [2 * 5 * 3 * 4 + 2 * 20, 2 * 5 * 4 * 2 + 10]
    assert "# called here  (layer second)" in repr(tape.program())
    assert y.shape == (5, 2)


def test_costs_of_ops():
    image, kernel = tf.ones([2, 8, 8, 3]), tf.Variable(tf.ones([3, 3, 3, 5]))
    with tf.GradientTape() as inner:
        y = tf.nn.conv2d(image, kernel, 1, "VALID")
        y = tf.reshape(y, [-1, 5])
        y = tf.linalg.cholesky(tf.eye(6)) if y is None else tf.reduce_sum(y, 0)
    convolution, moved, total = [part.flops for part in inner.program().parts]
    assert convolution == 2 * (2 * 6 * 6 * 5) * 27
    assert (moved, total) == (0, 2 * 6 * 6 * 5)

    @tf.function
    def slope(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.scan(lambda s, row: s + row * row, x, tf.zeros([3]))[-1]
        return tape.gradient(y, x)

    slope(tf.ones([7, 3]), 2)
    parts = {part.text: part for part in slope.program().parts}
    loop = next(part for text, part in parts.items() if "scan" in text.lower())
    assert loop.flops >= 7 * 2 * 3
    backward = parts["GradientTape.gradient"]
    assert 7 * 3 <= backward.flops <= 10 * loop.flops


def test_the_program_of_the_last_signature():
    @tf.function
    def squared(x, power=2):
        return x**power

    with pytest.raises(ValueError, match=r"squared .*has not been called, so nothing is recorded"):
        squared.program()
    squared(tf.ones([3]))
    squared(tf.ones([4]))
    assert squared.program().rows[0].type == "float32[4] x"
    assert squared.program(tf.ones([3])).rows[0].type == "float32[3] x"
    assert "value" in repr(squared.program(full=True))
    spec = tf.TensorSpec([5], tf.float32)
    signed = tf.function(lambda x: x + 1.0, input_signature=[spec])
    assert signed.program().rows[0].type == "float32[5] x"
    assert [p.ops for p in signed.get_concrete_function().program().parts] == [1]


def test_a_function_that_is_no_program():
    @tf.function(autograph=False)
    def branch(x):
        return x if x > 0 else -x

    concrete = branch.get_concrete_function(tf.TensorSpec([], tf.float32))
    with pytest.raises(ValueError, match=r"branch is not one program: .*looked at a value"):
        concrete.program()


def test_places():
    assert place("<unknown>") == "<unknown>"
    assert place("/tmp/ipykernel_7/123.py:4") == "line 4"
    long = place(f"{__file__}:{place.__code__.co_firstlineno}")
    assert long.startswith("test_explaining.py:")


CELL = """
def positive(x):
    return x if x > 0.0 else -x

def factors(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        return tape.gradient(tf.linalg.lu(x)[0], x)

def checked(x):
    tf.debugging.assert_less(x, 0.0)
    return x

def loop(x):
    step = lambda i: [i + (1 if x > 0.0 else 2)]
    return tf.while_loop(lambda i: i < 3, step, [0])
"""


@pytest.mark.parametrize("path", ["/tmp/ipykernel_7/123.py", "<ipython-input-1-0a>", "/a.py"])
def test_in_a_notebook_messages_show_what_stands_in_the_cell(path, monkeypatch, caplog):
    def line(number):
        text = CELL.splitlines()[number - 1].strip()
        return f"{path}:{number}" if path == "/a.py" else f"cell line {number}: `{text}`"

    monkeypatch.setitem(linecache.cache, path, (len(CELL), None, CELL.splitlines(True), path))
    names = {"tf": tf}
    exec(compile(CELL, path, "exec"), names)
    size = len(path)  # what was recorded before is known by its first line
    tf.function(names["positive"], autograph=False)(tf.constant(1.0))
    assert f"like these: {line(3)} looked at a value" in caplog.text
    tf.function(names["loop"], autograph=False)(tf.constant(1.0))
    assert f"({line(15)})" in caplog.text
    with pytest.raises(LookupError) as missing:
        names["factors"](tf.constant(np.eye(size)))
    assert f"The op was recorded at {line(8)}. Write" in missing.value.__notes__[0]
    with pytest.raises(tf.errors.InvalidArgumentError) as failed:
        tf.function(names["checked"])(tf.constant(np.ones(size)))
    assert failed.value.__notes__[0].endswith(f"called at {line(11)}.")


# Tables in notebooks.


def test_matrices_are_tables():
    shown = tf.constant([[1.0, 2.5], [float("nan"), -1e-9]])._repr_html_()
    assert shown.startswith("<div>tf.Tensor: shape=(2, 2), dtype=float32</div><table")
    assert "<td>2.5</td>" in shown
    assert "<td>nan</td><td>-1e-09</td>" in shown
    large = tf.reshape(tf.range(10000), [100, 100])._repr_html_()
    assert large.count("<tr>") == 12
    assert large.count("<th>") == 14
    assert "<td>9999</td>" in large
    assert (
        tf.constant([["<b>"]])
        ._repr_html_()
        .endswith("<td>b&#x27;&lt;b&gt;&#x27;</td></tr></table>")
    )


def test_variables_are_tables():
    shown = tf.Variable([[1, 2]], name="w", trainable=False)._repr_html_()
    assert "tf.Variable &#x27;w:0&#x27;: shape=(1, 2), dtype=int32, not trainable" in shown


@pytest.mark.parametrize("value", [1.0, [1.0, 2.0], [[[1.0]]], np.zeros((0, 3))])
def test_other_tensors_are_texts(value):
    assert tf.constant(value)._repr_html_() is None
    assert tf.Variable(value)._repr_html_() is None


def test_what_has_no_value_is_text():
    shown = []

    @tf.function
    def noted(x):
        v = tf.Variable(x) if not shown else None
        shown.append(x._repr_html_())
        if v is not None:
            shown.append(v._repr_html_())
        return x * 2.0

    concrete = tf.function(lambda x: shown.append(x._repr_html_())).get_concrete_function(
        tf.TensorSpec([2, 2], tf.float32)
    )
    assert shown == [None]
    assert concrete.outputs == []


def test_a_tape_that_has_been_used_is_asked():
    x, unused = tf.Variable([1.0, 2.0], name="x"), tf.Variable(1.0, name="unused")
    c = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = tf.round(x * c)
        z = c * c
    before = repr(tape.explain(y, [x, c, unused]))
    assert "x: None, because the gradient stops" in before
    assert tape.gradient(y, [x, c, unused]) == [None] * 3
    assert repr(tape.explain(y, [x, c, unused])) == before
    with tf.GradientTape():
        pass  # the next step begins
    assert repr(tape.explain(y, [x, c, unused])) == before
    assert tape.explain(z, c).findings[0].connected
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(z, c)


def test_a_tape_that_has_been_used_keeps_no_values():

    def used():
        c = tf.constant([1.0, 2.0]) * 3.0
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = c * c
        tape.gradient(y, c)
        return tape, weakref.ref(c)

    tape, value = used()
    with tf.GradientTape():
        pass
    gc.collect()
    assert value() is None
    del tape


def test_variables_of_keras_are_explained():
    pytest.importorskip("keras")
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    with tf.GradientTape() as tape:
        y = tf.round(model(tf.ones((2, 3))))
    tape.gradient(y, model.trainable_variables)
    text = repr(tape.explain(y, model.trainable_variables))
    assert text.count("None, because the gradient stops") == 2
    assert "kernel" in text
