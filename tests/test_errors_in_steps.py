"""Errors that depend on values, and exceptions and Ctrl-C anywhere in a step."""

import gc
import inspect
import weakref

import numpy as np
import pytest
from steps import (
    InjectedError,
    Network,
    close_everything,
    counted,
    interrupted,
    nothing_open,
    reference_step,
    settle,
)

import tapefacade as tf
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import PACKAGE

InvalidArgument = tf.errors.InvalidArgumentError


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()
    yield
    close_everything()


def pending(*values):
    """Integers that are not known on the host."""
    return tf.cast(tf.constant(values, tf.float32) * 1.0, tf.int32)


def here(offset=0):
    """The place of the caller's line, as a note gives it."""
    frame = inspect.currentframe().f_back
    return f"{__file__}:{frame.f_lineno + offset}"


def x():
    return tf.constant([1.0, 2.0, 3.0])


# What fails, with which integers, what the message says, the op that the note names.
FAILURES = {
    "gather": (
        lambda i: tf.gather(x(), i),
        (1, 9),
        r"indices\[1\] = 9 is not in \[0, 3\) \[Op:GatherV2\]",
        "gather",
    ),
    "gather negative": (
        lambda i: tf.gather(x(), i),
        (-1, 0),
        r"indices\[0\] = -1 is not in \[0, 3\)",
        "gather",
    ),
    "gather_nd": (
        lambda i: tf.gather_nd(x(), tf.reshape(i, [2, 1])),
        (1, 9),
        r"indices\[1\] = \[9\] does not index into param",
        "gather_nd",
    ),
    "embedding_lookup": (
        lambda i: tf.nn.embedding_lookup(tf.ones([3, 2]), i),
        (0, 3),
        r"indices\[1\] = 3 is not in \[0, 3\)",
        "gather",
    ),
    "subscript": (
        lambda i: x()[i[0]],
        (7, 0),
        r"slice index 7 of dimension 0 out of bounds",
        "slice",
    ),
    "floordiv": (
        lambda i: tf.constant([4, 2]) // i,
        (1, 0),
        r"Integer division by zero \[Op:FloorDiv\]",
        "math.floordiv",
    ),
    "mod": (
        lambda i: tf.constant([4, 2]) % i,
        (1, 0),
        r"Integer division by zero \[Op:FloorMod\]",
        "math.floormod",
    ),
    "scatter": (
        lambda i: tf.tensor_scatter_nd_update(x(), tf.reshape(i, [2, 1]), [0.0, 0.0]),
        (1, 9),
        r"indices\[1\] = \[9\] does not index into",
        "tensor_scatter_nd_update",
    ),
    "assert_positive": (
        lambda i: tf.debugging.assert_positive(i),
        (1, 0),
        "Condition x > 0 did not hold",
        "assert",
    ),
    "assert_equal": (
        lambda i: tf.debugging.assert_equal(i, [1, 1], message="of mine"),
        (1, 0),
        "of mine\nCondition x == y did not hold",
        "assert",
    ),
    "assert_less": (
        lambda i: tf.debugging.assert_less(i, 3),
        (1, 9),
        "Condition x < y did not hold",
        "assert",
    ),
    "Assert": (
        lambda i: tf.debugging.Assert(tf.reduce_all(i > 0), [i]),
        (1, 0),
        "Expected",
        "assert",
    ),
    "labels": (
        lambda i: tf.nn.sparse_softmax_cross_entropy_with_logits(i, tf.ones([2, 2])),
        (1, 5),
        "Received a label value of 5",
        "cross_entropy",
    ),
}
PARAMETERS = pytest.mark.parametrize(
    ("op", "values", "message", "name"), FAILURES.values(), ids=FAILURES.keys()
)


@PARAMETERS
def test_error_is_raised_at_the_op_when_values_are_known(op, values, message, name):
    v = tf.Variable(1.0)
    with counted() as count, pytest.raises(InvalidArgument, match=message):
        op(tf.constant(values))
    assert count.dispatched == 0
    with pytest.raises(InvalidArgument, match=message), tf.GradientTape():  # noqa: PT012
        v.assign_add(1.0)
        op(tf.constant(values))
    assert nothing_open()
    assert v.numpy() == 2.0


@PARAMETERS
def test_error_of_pending_values_is_raised_when_something_is_looked_at(op, values, message, name):
    before = x() * 2.0
    if name == "assert":
        with pytest.raises(InvalidArgument, match=message) as raised:  # at its own call
            op(pending(*values))
        after = before * 10.0
    else:
        with counted() as count:
            result = op(pending(*values))
        assert count.dispatched == 0
        after = before * 10.0
        with pytest.raises(InvalidArgument, match=message) as raised:
            result.numpy()
        for _ in range(2):
            with pytest.raises(InvalidArgument, match=message):
                result.numpy()
        with pytest.raises(InvalidArgument, match=message):
            str(result)
    notes = "\n".join(raised.value.__notes__)
    assert name in notes
    assert f"{__file__}:" in notes
    assert before.numpy().tolist() == [2.0, 4.0, 6.0]
    assert after.numpy().tolist() == [20.0, 40.0, 60.0]
    settle()  # nothing is left to raise
    assert nothing_open()


@PARAMETERS
def test_values_that_are_right_pass(op, values, message, name):
    right = {"Condition x == y": (1, 1), "Condition x < y": (1, 2)}
    good = next((v for text, v in right.items() if text in message), (1, 1))
    known, unknown = op(tf.constant(good)), op(pending(*good))
    if known is not None:
        np.testing.assert_array_equal(known, unknown)
    (x() * 2.0).numpy()


@PARAMETERS
def test_error_is_the_same_with_deferral_off(op, values, message, name):
    tf.config.run_ops_immediately(True)
    try:
        with pytest.raises(InvalidArgument, match=message):
            op(pending(*values))
        assert (x() * 2.0).numpy().tolist() == [2.0, 4.0, 6.0]
    finally:
        tf.config.run_ops_immediately(False)


def test_note_names_the_line():
    values = tf.constant([[1.0, 2.0, 3.0, 4.0, 5.0]]) * 3.25
    index = pending(0, 7, 0)
    result = tf.gather(values, index, axis=1)
    line = here(-1)
    total = tf.reduce_sum(result)
    with pytest.raises(InvalidArgument) as raised:
        float(total)
    assert any(line in note for note in raised.value.__notes__)


def test_only_dependents_fail():
    good = x() * 2.0
    bad = tf.gather(good, pending(5))
    worse = bad * 2.0
    fine = good + 1.0
    with pytest.raises(InvalidArgument, match="= 5 is not in"):
        worse.numpy()
    assert fine.numpy().tolist() == [3.0, 5.0, 7.0]
    assert good.numpy().tolist() == [2.0, 4.0, 6.0]
    for _ in range(2):
        for tensor in (bad, worse):
            with pytest.raises(InvalidArgument, match="= 5 is not in"):
                tensor.numpy()


def test_traceback_does_not_grow():
    bad = tf.gather(x(), pending(5))

    def frames():
        with pytest.raises(InvalidArgument) as raised:
            bad.numpy()
        return len(raised.traceback)

    frames()
    assert frames() == frames()


def test_failed_step_is_let_go():
    def fail():
        data = tf.constant([1.0, 2.0, 3.0])
        with pytest.raises(InvalidArgument):
            tf.gather(data * 2.0, pending(5)).numpy()
        return weakref.ref(data)

    held = fail()
    before = THREAD.recording.at.depth
    fail()
    gc.collect()
    assert THREAD.recording.at.depth == before
    assert held() is None


def test_two_errors_in_one_program():
    first = tf.gather(x(), pending(5))
    second = tf.gather(x(), pending(-6))
    both = first + second
    fine = x() + 1.0
    with pytest.raises(InvalidArgument, match="= 5 is not in"):
        first.numpy()
    with pytest.raises(InvalidArgument, match="= -6 is not in"):
        second.numpy()
    with pytest.raises(InvalidArgument, match="is not in"):
        both.numpy()
    assert fine.numpy().tolist() == [2.0, 3.0, 4.0]


def test_error_that_nobody_has_the_result_of():
    tf.gather(x(), pending(5))  # TensorFlow raises here
    fine = x() + 1.0
    assert fine.numpy().tolist() == [2.0, 3.0, 4.0]
    with pytest.raises(InvalidArgument, match="= 5 is not in"):
        settle()  # where the next step begins
    settle()


def test_op_on_a_failed_value():
    bad = tf.gather(x(), pending(5))
    with pytest.raises(InvalidArgument):
        bad.numpy()
    settle()
    fine = x() * 5.0

    def use():
        return (bad + 1.0).numpy()

    for _ in range(2):
        with pytest.raises(InvalidArgument, match="= 5 is not in"):
            use()
    assert fine.numpy().tolist() == [5.0, 10.0, 15.0]
    with tf.GradientTape() as tape:
        start = x()
        tape.watch(start)
        y = start * start
        with pytest.raises(InvalidArgument, match="= 5 is not in"):
            use()
    assert tape.gradient(y, start).numpy().tolist() == [2.0, 4.0, 6.0]


def test_gradient_of_a_failed_value():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        bad = tf.reduce_sum(tf.gather(v, pending(5)))
        fine = tf.reduce_sum(v * v)
    with pytest.raises(InvalidArgument, match="= 5 is not in"):
        bad.numpy()
    assert tape.gradient(fine, v).numpy().tolist() == [2.0, 4.0, 6.0]
    for _ in range(2):
        with pytest.raises(InvalidArgument, match="= 5 is not in"):
            tape.gradient(bad, v).numpy()
    settle()
    with pytest.raises(InvalidArgument, match="= 5 is not in"):
        tape.gradient(bad, v).numpy()
    assert tape.gradient(fine, v).numpy().tolist() == [2.0, 4.0, 6.0]


def test_gradient_alone_is_looked_at():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, pending(5)))
    gradient = tape.gradient(y, v)
    del y
    with pytest.raises(InvalidArgument, match="= 5 is not in"):
        tf.convert_to_tensor(gradient).numpy()


# Steps that fail.


class Failing(Network):
    """A network whose step gathers rows, by pending indices."""

    def step_at(self, *rows, look=True):
        index = pending(*rows)
        with tf.GradientTape() as tape:
            error = tf.gather(self(self.x) - self.y, index)
            loss = tf.reduce_mean(error * error)
        gradients = tape.gradient(loss, self.variables)
        for variable, gradient in zip(self.variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
        return float(loss) if look else loss

    def assert_next_is_right(self, state):
        for _ in range(2):
            want, state = reference_step(state, self.x[[1, 2]], self.y[[1, 2]], 0.1)
            np.testing.assert_allclose(self.step_at(1, 2), want, rtol=1e-4)
        for got, want in zip(self.state(), state, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-5)  # float32, two steps


def assert_same(got, want):
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a, b)


def test_failed_step_leaves_the_variables_as_before():
    network = Failing()
    for _ in range(2):
        network.step_at(1, 2)
        state = network.state()
        with pytest.raises(InvalidArgument, match=r"indices\[1\] = 8 is not in \[0, 8\)"):
            network.step_at(1, 8)
        assert nothing_open()
        assert_same(network.state(), state)
        network.assert_next_is_right(state)


def test_failed_step_that_is_not_looked_at():
    network = Failing()
    network.step_at(1, 2)
    state = network.state()
    network.step_at(1, 8, look=False)
    with pytest.raises(InvalidArgument, match="= 8 is not in"):
        network.step_at(1, 2)  # a step begins where the pending one is run
    assert nothing_open()
    assert_same(network.state(), state)
    network.assert_next_is_right(state)


def test_failed_step_of_which_the_variables_are_looked_at():
    network = Failing()
    network.step_at(1, 2)
    state = network.state()
    network.step_at(1, 8, look=False)
    with pytest.raises(InvalidArgument, match="= 8 is not in"):
        network.variables[0].numpy()
    assert_same(network.state(), state)
    network.assert_next_is_right(state)


def test_failed_assertion_leaves_the_variables_as_before():
    network = Network()
    state = network.state()

    def step(limit):
        with tf.GradientTape() as tape:
            loss = network.loss(network.x, network.y)
        tf.debugging.assert_less(loss, limit)
        gradients = tape.gradient(loss, network.variables)
        for variable, gradient in zip(network.variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
        return float(loss)

    with pytest.raises(InvalidArgument, match="x < y did not hold"):
        step(0.0)
    assert_same(network.state(), state)
    want, state = reference_step(state, network.x, network.y, 0.1)
    np.testing.assert_allclose(step(1e6), want, rtol=1e-5)
    for a, b in zip(network.state(), state, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_failed_look_within_the_block_closes_the_tapes():
    v = tf.Variable([1.0, 2.0])

    def step(index):
        with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as inner:
            y = tf.gather(v, pending(index))
            if float(y[0]) < 0:
                return None
            z = y * y
        del inner
        return tf.convert_to_tensor(outer.gradient(z, v))

    for _ in range(2):
        with pytest.raises(InvalidArgument, match="= 3 is not in"):
            step(3)
        assert nothing_open()
        assert step(1).numpy().tolist() == [0.0, 4.0]


def test_error_caught_within_the_block_leaves_the_tape_right():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
        with pytest.raises(InvalidArgument, match="= 3 is not in"):
            tf.gather(v, pending(3)).numpy()
        with pytest.raises(InvalidArgument, match="Incompatible shapes"):
            y + tf.ones([3])
        with pytest.raises(InvalidArgument, match="= 3 is not in"):
            tf.gather(v, [3])
        z = y * v
    assert tape.gradient(z, v).numpy().tolist() == [3.0, 12.0]
    assert nothing_open()


def test_integers_assigned_before_a_failure_are_restored_or_done():
    counter, total = tf.Variable(0), tf.Variable([1.0, 2.0])
    counter.assign_add(1)
    total.assign(tf.gather(total, pending(0, 9)))
    counter.assign_add(1)
    with pytest.raises(InvalidArgument):
        total.numpy()
    assert total.numpy().tolist() == [1.0, 2.0]
    assert counter.numpy() in (0, 2)
    total.assign_add([1.0, 1.0])
    assert total.numpy().tolist() == [2.0, 3.0]


def test_variable_made_in_the_failed_step_is_readable():
    total = tf.Variable([1.0, 2.0])
    bad = tf.gather(total, pending(9))
    made, spoilt = tf.Variable(total * 2.0), tf.Variable(bad)
    with pytest.raises(InvalidArgument):
        bad.numpy()
    assert made.numpy().tolist() == [2.0, 4.0]
    with pytest.raises(InvalidArgument):
        spoilt.numpy()
    spoilt.assign([7.0])
    assert spoilt.numpy() == 7.0


def test_error_in_a_loop_of_many_ops():
    total = tf.Variable(0.0)

    def loop():
        for k in range(600):  # more than may be pending
            total.assign_add(1.0)
            if k == 100:
                tf.gather(x(), pending(5))
        return total.numpy()

    with pytest.raises(InvalidArgument, match="= 5 is not in"):
        loop()
    value = total.numpy()
    assert 0.0 <= value <= 600.0
    total.assign_add(1.0)
    assert total.numpy() == value + 1.0


def test_exception_of_the_user_in_the_block():
    network = Network()
    network.step(network.x, network.y, 0.1)
    state = network.state()

    def fail():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = network.loss(network.x, network.y)
                raise KeyError("mine")
            inner.gradient(loss, network.variables)
        return outer

    with pytest.raises(KeyError, match="mine"):
        fail()
    assert nothing_open()
    assert_same(network.state(), state)
    want, _ = reference_step(state, network.x, network.y, 0.1)
    np.testing.assert_allclose(network.step(network.x, network.y, 0.1), want, rtol=1e-5)


def test_exception_in_a_generator_and_in_stop_recording():
    v = tf.Variable(2.0)

    def halves():
        with tf.GradientTape() as tape:
            y = v * v
            with tape.stop_recording():
                yield y
        yield tape.gradient(y, v)

    steps = halves()
    assert next(steps).numpy() == 4.0
    steps.close()  # GeneratorExit in the block
    assert nothing_open()
    with pytest.raises(KeyError), tf.GradientTape() as tape, tape.stop_recording():
        raise KeyError
    assert nothing_open()


def test_exception_in_a_custom_gradient():
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def forward(a):
        raise KeyError("forward")

    @tf.custom_gradient
    def backward(a):
        def gradient(upstream):
            raise KeyError("backward")

        return a * a, gradient

    with pytest.raises(KeyError, match="forward"), tf.GradientTape() as tape:
        forward(v)
    assert nothing_open()
    with tf.GradientTape() as tape:
        y = backward(v)
    with pytest.raises(KeyError, match="backward"):
        tape.gradient(y, v)
    assert nothing_open()
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v).numpy() == 4.0


@pytest.mark.parametrize("size", [1 << 45, 1 << 61])
def test_memory_that_the_users_python_wants_is_an_error_of_python(size):
    @tf.function
    def wants(x):
        return x + np.zeros(size, np.int8).sum()

    with pytest.raises((MemoryError, ValueError), match=r"allocate|too big|exceeded"):
        wants(tf.constant(1.0))


def test_op_that_cannot_be_compiled(monkeypatch):
    network = Network()
    network.step(network.x, network.y, 0.1).numpy()
    state = network.state()

    text = "def fail(*arguments):\n    raise MemoryError('as if')"
    names = {}
    exec(compile(text, f"{PACKAGE}as_if.py", "exec"), names)  # an error of the user's would stay
    operation = tf.tanh.op
    with monkeypatch.context() as patch:
        patch.setattr(operation, "evaluate", names["fail"])
        with pytest.raises(tf.errors.ResourceExhaustedError):
            network.step(np.ones((5, 3), np.float32), np.ones((5, 1), np.float32), 0.1).numpy()
    assert nothing_open()
    assert_same(network.state(), state)
    x, y = np.ones((5, 3), np.float32), np.ones((5, 1), np.float32)
    want, _ = reference_step(state, x, y, 0.1)
    np.testing.assert_allclose(network.step(x, y, 0.1), want, rtol=1e-5)


COUNT = tf.Variable(0)
ACTING = {
    "summary": lambda image: tf.summary.image("image", image[None], step=0),
    "assign": lambda image: tf.compat.v1.assign(
        COUNT, tf.size(image) + tf.cast(image[0, 0, 0], tf.int32)
    ),
    "assert": lambda image: tf.debugging.assert_all_finite(tf.cast(image, tf.float32), ""),
}


@pytest.mark.parametrize("act", ACTING.values(), ids=ACTING.keys())
def test_what_acts_on_a_value_that_fails_in_a_function_fails(act, tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def f(text):
        with writer.as_default():
            act(tf.io.decode_png(text))

    for _ in range(2):
        with pytest.raises(InvalidArgument):
            f(tf.constant("no image"))
    assert nothing_open()


# Interrupts anywhere.


def updated(network, tape, loss):
    gradients = tape.gradient(loss, network.variables)
    for variable, gradient in zip(network.variables, gradients, strict=True):
        variable.assign_sub(0.1 * gradient)
    return loss.numpy()


def plain(network):
    return network.step(network.x, network.y, 0.1).numpy()


def nested(network):
    x = tf.constant(network.x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            u = network(x)
        slope = inner.gradient(u, x)
        loss = tf.reduce_mean(slope * slope) + tf.reduce_mean(u * u)
    return updated(network, outer, loss)


def persistent(network):
    with tf.GradientTape(persistent=True) as tape:
        half = network.loss(network.x, network.y)
        with tape.stop_recording():
            assert float(half) >= 0.0
        loss = half * 2.0
    return updated(network, tape, loss)


@tf.custom_gradient
def squared(a):
    return a * a, lambda upstream: upstream * 2.0 * a


def custom(network):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(squared(network(network.x) - network.y))
    return updated(network, tape, loss)


def gathered(network):
    index = pending(1, 2)
    with tf.GradientTape() as tape:
        error = tf.gather(network(network.x) - network.y, index)
        loss = tf.reduce_mean(error * error)
    return updated(network, tape, loss)


def jacobian(network):
    with tf.GradientTape() as tape:
        error = network(network.x) - network.y
        loss = tf.reduce_mean(error * error)
    for variable, slope in zip(
        network.variables, tape.jacobian(loss, network.variables), strict=True
    ):
        variable.assign(variable - 0.1 * slope)
    return loss.numpy()


def put(network, state):
    for variable, value in zip(network.variables, state, strict=True):
        variable.assign(value)
    settle()


def close(a, b):
    return all(np.allclose(x, y, rtol=1e-4, atol=1e-4) for x, y in zip(a, b, strict=True))


class Interrupts:
    """Interrupts a step at many lines, and collects what is wrong afterwards."""

    def __init__(self, step):
        self.step = step
        self.network = Network()
        self.old = self.network.state()
        step(self.network)
        self.new = self.network.state()
        self.wrong = []
        self._follow = {}

    def following(self, state):
        """Two steps from a state, uninterrupted."""
        put(self.network, state)
        losses = [self.step(self.network) for _ in range(2)]
        return losses, self.network.state()

    def lines(self):
        put(self.network, self.old)
        return interrupted(0, InjectedError, lambda: self.step(self.network))[1]

    def at(self, line, error):
        put(self.network, self.old)
        place, _ = interrupted(line, error, lambda: self.step(self.network))
        gc.collect(0)
        try:
            self.check(place)
        except Exception as raised:
            self.wrong.append(f"{place}: then {type(raised).__name__}: {raised}")
            close_everything()

    def check(self, place):
        if not nothing_open():
            self.wrong.append(f"{place}: a tape is open")
            close_everything()
        state = self.network.state()
        pattern = []
        for value, old, new in zip(state, self.old, self.new, strict=True):
            same = [close([value], [old]), close([value], [new])]
            if not any(same):
                self.wrong.append(f"{place}: a variable has a value of neither")
            pattern.append(same[0])
        losses = [self.step(self.network) for _ in range(2)]
        last = self.network.state()
        key = tuple(pattern)
        if key not in self._follow:
            self._follow[key] = self.following(state)
        if not close(losses, self._follow[key][0]) or not close(last, self._follow[key][1]):
            self.wrong.append(f"{place}: the next steps are wrong")


WARM = {plain: 1, nested: 7, persistent: 5, custom: 13, gathered: 7, jacobian: 7}


@pytest.mark.parametrize("error", [KeyboardInterrupt, InjectedError])
@pytest.mark.parametrize("step", WARM, ids=lambda step: step.__name__)
def test_exception_anywhere_in_a_step(step, error):
    interrupts = Interrupts(step)
    stride = WARM[step] + 4 * (error is InjectedError)
    lines = interrupts.lines()
    assert lines > 500
    for line in range(1, lines + 1, stride):
        interrupts.at(line, error)
    assert interrupts.wrong == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, InjectedError])
@pytest.mark.parametrize("step", [plain, gathered], ids=lambda step: step.__name__)
def test_exception_anywhere_in_a_step_that_compiles(step, error):
    # A new batch size each time, so that everything is inferred, planned and compiled again.
    network = Network()
    old = network.state()
    step(network)
    wrong = []
    for place in range(7, 12_000, 1709):
        put(network, old)
        network.x = np.concatenate([network.x, network.x[:1]])
        network.y = np.concatenate([network.y, network.y[:1]])
        where, _ = interrupted(place, error, lambda: step(network))
        gc.collect(0)
        if not nothing_open():
            wrong.append(f"{where}: a tape is open")
            close_everything()
        rows = slice(None) if step is plain else [1, 2]
        state = network.state()
        _, new = reference_step(old, network.x[rows], network.y[rows], 0.1)
        for value, before, after in zip(state, old, new, strict=True):
            if not close([value], [before]) and not close([value], [after]):
                wrong.append(f"{where}: a variable has a value of neither")
        for _ in range(2):
            want, state = reference_step(state, network.x[rows], network.y[rows], 0.1)
            if not close([step(network)], [want]):
                wrong.append(f"{where}: the next step is wrong")
        if where is None:
            break
    assert wrong == []


def test_the_text_of_a_failed_assertion_is_bare():
    with pytest.raises(InvalidArgument) as raised:
        tf.debugging.assert_equal([1, 2], [1, 3])
    assert str(raised.value).startswith("Condition x == y did not hold.")
    assert str(raised.value).endswith("[1 3]")


def test_eval_raises_the_error_of_the_value_first():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 5 is not in"):
        tf.gather([1.0], [5]).eval()
    with pytest.raises(NotImplementedError, match=r"is \.numpy\(\) what you're looking for"):
        tf.gather([1.0], [0]).eval()
