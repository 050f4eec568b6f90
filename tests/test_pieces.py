"""Programs that run in pieces: what does not repeat, what is very long; and who decides it."""

import contextlib
import itertools
import threading
import time

import hypothesis
import jax
import numpy as np
import pytest
from hypothesis import strategies as st
from programs_at_random import programs
from steps import counted, settle
from test_properties import assert_same, facade

import tapefacade as tf
from tapefacade._trace import executables, execution, execution_mode, segments, tree
from tapefacade._trace.background_compilation import BACKGROUND_COMPILER
from tapefacade._trace.program_in_pieces import MIN_COMPILED_TOGETHER, ProgramInPieces
from tapefacade._trace.recording import THREAD
from tapefacade._trace.segment_cuts import cheapest_cut
from tapefacade._trace.segments import Cutter, repetitions
from tapefacade._trace.unfolding import unfold

# What JAX calls the event of a compilation.
COMPILING = "/jax/core/compile/backend_compile_duration"


@pytest.fixture(autouse=True)
def no_evidence(monkeypatch):
    """What other tests have run does not speak for pieces, and nothing replaces them."""
    monkeypatch.setattr(BACKGROUND_COMPILER, "is_on", False)
    execution_mode.EXECUTION_MODES.forget()


class Always(execution_mode.ExecutionModes):
    """Runs everything step by step, or cut as it is cheapest."""

    def __init__(self, single):
        super().__init__()
        self.single = single
        self.ran = 0

    def choose(self, executable, repeats, is_episode=False):
        if executable.acts:
            return None
        unfolded = unfold(executable.part)
        part, layout = unfolded.part, executable.layout
        pieces = cheapest_cut(part, layout, 1, self._missing).pieces
        if self.single:
            cutter = Cutter(part, layout)
            pieces = [cutter.alone(index) for index in range(len(part.steps))]
        self.ran += 1
        return ProgramInPieces(part, layout, pieces, unfolded.origins)


@contextlib.contextmanager
def everything_in_pieces(single):
    """Everything runs in pieces, and nothing that was compiled as a whole is there."""
    settle()
    found, always = executables._Executables(), Always(single)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(executables, "EXECUTABLES", found)
        patched.setattr(execution, "EXECUTABLES", found)
        patched.setattr(tree, "MAX_NODES", -1)  # no program that a node knows
        patched.setattr(execution, "EXECUTION_MODES", always)
        THREAD.recording.close()
        yield always
        settle()


@pytest.fixture(params=[True, False], ids=["steps", "cut"])
def in_pieces(request):
    with everything_in_pieces(request.param) as always:
        yield
        settle()
        assert always.ran


def chain(x, v, length):
    for _ in range(length):
        x = x + 0.01 * tf.tanh(v * x)
    return x


def gradient_of_chain(length, v, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(chain(x, v, length))
    return [loss.numpy(), tape.gradient(loss, v).numpy()]


def close(a, b, rtol=1e-5):
    for one, other in zip(a, b, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-6)


# The same results.


@hypothesis.settings(max_examples=25)
@hypothesis.given(programs(), st.booleans())
def test_random_programs(program, single):
    want = facade(program)
    with everything_in_pieces(single):
        assert_same(facade(program), want)


def test_second_and_third_derivatives(in_pieces):
    x = tf.Variable([0.3, 0.5])
    with tf.GradientTape() as third, tf.GradientTape() as second, tf.GradientTape() as first:
        y = tf.reduce_sum(tf.sin(x) * x**3)
    # y' = cos(x) x^3 + 3 x^2 sin(x), and so on.
    with tf.GradientTape() as third:
        with tf.GradientTape() as second:
            with tf.GradientTape() as first:
                y = tf.reduce_sum(tf.sin(x) * x**3)
            g = first.gradient(y, x)
            total = tf.reduce_sum(g)
        h = second.gradient(total, x)
        total = tf.reduce_sum(h)
    t = third.gradient(total, x)
    v = np.array([0.3, 0.5])
    s, c = np.sin(v), np.cos(v)
    close([g.numpy()], [c * v**3 + 3 * v**2 * s])
    close([h.numpy()], [-s * v**3 + 6 * v**2 * c + 6 * v * s])
    close([t.numpy()], [-c * v**3 - 9 * v**2 * s + 18 * v * c + 6 * s])


def test_a_source_within_has_a_gradient_of_its_own(in_pieces):
    """Equal steps are one, but not where a gradient is taken with respect to one of them."""
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        a = tf.tanh(x)
        b = tf.tanh(x)
        y = a * b * b
    da, dx = tape.gradient(y, [a, x])
    t = np.tanh(0.5)
    close([da.numpy(), dx.numpy()], [t**2, 3 * t**2 * (1 - t**2)])


def test_what_is_constant_for_the_tape_stays_constant(in_pieces):
    x = tf.Variable(0.5)
    before = tf.tanh(x)
    with tf.GradientTape() as tape:
        y = before * tf.tanh(x)
    t = np.tanh(0.5)
    close([tape.gradient(y, x).numpy()], [t * (1 - t**2)])


def test_a_gradient_that_is_its_input(in_pieces):
    w, x = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = w * x
        g = inner.gradient(y, x)  # w itself
        z = g * g * w
    dg, dw = outer.gradient(z, [g, w])
    assert (dg.numpy(), dw.numpy()) == (18.0, 27.0)


def test_upstream_gradients_and_several_targets(in_pieces):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        a, b = tf.sin(x), x * x
    upstream = [tf.constant([1.0, 10.0]), tf.ones([2])]
    (g,) = tape.gradient([a, b], [x], output_gradients=upstream)
    close([g.numpy()], [np.cos([1.0, 2.0]) * [1, 10] + [2.0, 4.0]])


@pytest.mark.parametrize("dtype", [tf.float16, tf.float64, tf.complex64])
def test_dtypes(in_pieces, dtype):
    x = tf.constant([1.0, 2.0], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x * x)
    g = tape.gradient(y, x)
    assert g.dtype is dtype
    np.testing.assert_allclose(g.numpy(), [3.0, 12.0], rtol=1e-2)


def test_integers_and_empty_tensors_on_the_way(in_pieces):
    x, empty = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(tf.zeros([0, 2]))
    with tf.GradientTape() as tape:
        places = tf.argsort(tf.cast(x * 10.0, tf.int32), direction="DESCENDING")
        y = tf.reduce_sum(tf.gather(x, places[:2]) ** 2) + tf.reduce_sum(empty)
    dx, de = tape.gradient(y, [x, empty])
    np.testing.assert_array_equal(tf.convert_to_tensor(dx).numpy(), [0.0, 4.0, 6.0])
    assert de.numpy().shape == (0, 2)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_steps_that_only_move_data(in_pieces, axis):
    x = tf.Variable(np.arange(36.0, dtype="f").reshape(6, 6))
    with tf.GradientTape() as tape:
        rows = tf.unstack(x, axis=axis)
        some = [row * float(k) for k, row in enumerate(rows) if k != 2]
        y = tf.stack([*some, rows[1]], axis=axis)
        z = tf.concat([y, x, x, x, tf.tanh(x)], axis)
        loss = tf.reduce_sum(z * z)
    got = tape.gradient(loss, x).numpy()
    v = x.numpy()
    weights = np.moveaxis(np.zeros((6, 6)), axis, 0)
    weights += (np.array([0, 1, 0, 3, 4, 5.0]) ** 2 + np.array([0, 1, 0, 0, 0, 0]))[:, None]
    t = np.tanh(v)
    close([got], [2 * v * np.moveaxis(weights, 0, axis) + 6 * v + 2 * t * (1 - t**2)], 1e-4)


def test_one_row_of_many(in_pieces):
    x = tf.Variable(np.arange(16.0, dtype="f").reshape(8, 2))
    with tf.GradientTape() as tape:
        row = tf.unstack(x * 2.0)[5]
        loss = tf.reduce_sum(row * row)
    np.testing.assert_array_equal(row.numpy(), [20.0, 22.0])
    want = np.zeros((8, 2))
    want[5] = [80.0, 88.0]
    np.testing.assert_array_equal(tape.gradient(loss, x).numpy(), want)


def test_checks_that_fail(in_pieces):
    x, place = tf.Variable([1.0, 2.0]), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        good = tf.reduce_sum(x * x)
        bad = tf.reduce_sum(tf.gather(x, tf.cast(place, tf.int32)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices = 5 is not in") as raised:
        bad.numpy()
    assert any("test_pieces.py" in note for note in raised.value.__notes__)
    assert good.numpy() == 5.0
    np.testing.assert_array_equal(tape.gradient(good, x), [2.0, 4.0])


def test_nan_and_infinity(in_pieces):
    x = tf.Variable([0.0, -1.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sqrt(x) + tf.math.log(x))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [np.inf, np.nan])


def test_functions_loops_and_random_numbers(in_pieces):
    x = tf.Variable(1.5)

    @tf.function
    def power(x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]

    with tf.GradientTape() as tape:
        y = power(x) * tf.reduce_sum(tf.nn.dropout(tf.ones([8]), 0.0))
    close([tape.gradient(y, x).numpy()], [8 * 4 * 1.5**3])


# What repeats within.


def test_repetitions():
    assert repetitions([1, 2, 3, 4]) == []
    assert repetitions([1, 1, 1]) == []  # too few
    assert repetitions([5, *([1, 2, 3] * 4), 6, *([7, 8] * 5)]) == [(1, 3, 4), (14, 2, 5)]
    assert repetitions([1] * 10) == [(0, 1, 10)]


@pytest.mark.parametrize("length", [400, 800, 1600])
def test_a_loop_compiles_in_time_that_does_not_grow(length, monkeypatch):
    monkeypatch.setattr(execution_mode, "MAX_STEPS_AS_WHOLE", 100)
    size = 1000 + length // 100  # of no other test
    x = tf.ones([size])
    v = tf.Variable(np.linspace(-1, 1, size, dtype="f"))
    settle()
    with counted() as count:
        got = gradient_of_chain(length, v, x)
    assert count.compiled <= 16
    assert count.dispatched <= 30 + 2 * 4 * length * 3 // segments.STEPS_IN_PIECE
    with counted() as count:
        close(gradient_of_chain(length + 7, v, x), gradient_of_chain(length + 7, v, x))
    assert count.compiled <= 3  # another length needs next to nothing
    want = [np.ones(size), np.zeros(size)]
    for _ in range(length):
        y, d = want
        t = np.tanh(v.numpy() * y)
        want = [y + 0.01 * t, d + 0.01 * (1 - t * t) * (y + v.numpy() * d)]
    np.testing.assert_allclose(got[0], want[0].sum(), rtol=1e-4)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-3)


# The decisions.


def test_a_program_that_repeats_is_compiled_once():
    v = tf.Variable(np.ones(1203, "f"))
    x = tf.ones([1203])
    x.numpy()
    with counted() as count:
        for _ in range(5):
            gradient_of_chain(8, v, x)
    assert count.compiled <= 4  # a gradient after a look is foreseen from the third time on
    assert count.dispatched == 2 * 2 + 3


def test_programs_that_do_not_repeat_stop_compiling():
    """Two layers in any order: each tree of them is another program."""
    size = 17
    rng = np.random.default_rng(0)
    w = tf.Variable(rng.normal(size=(2 * size, size)).astype("f") / size)

    def tree(leaves):
        if leaves == 1:
            return tf.constant(rng.normal(size=(1, size)).astype("f"))
        left = int(rng.integers(1, leaves))
        return tf.tanh(tf.concat([tree(left), tree(leaves - left)], 1) @ w)

    compiled = []
    for _ in range(30):
        with counted() as count:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tree(12) ** 2)
            w.assign_sub(0.01 * tape.gradient(loss, w))
            loss.numpy()
        compiled.append(count.compiled)
    assert sum(compiled[-10:]) == 0
    assert np.isfinite(w.numpy()).all()


def test_a_history_that_grows_outside_of_tapes_stops_compiling():
    """The two loops of L-BFGS (Nocedal and Wright, algorithm 7.4): each step's are longer."""
    size, compiled = 23, []
    rng = np.random.default_rng(0)

    def dot(a, b):
        return tf.reduce_sum(a * b)

    steps, changes = [], []
    for _ in range(30):
        steps.append(tf.constant(rng.normal(size=size).astype("f")))
        changes.append(steps[-1] * 2.0)
        with counted() as count:
            q, factors = tf.ones([size]), []
            for s, y in zip(reversed(steps), reversed(changes), strict=True):
                factors.append(dot(s, q) / dot(y, s))
                q = q - factors[-1] * y
            for s, y, factor in zip(steps, changes, reversed(factors), strict=True):
                q = q + s * (factor - dot(y, q) / dot(y, s))
            assert np.isfinite(dot(q, q).numpy())
        compiled.append(count.compiled)
    assert sum(compiled) < 20
    assert sum(compiled[-10:]) <= 1


@pytest.fixture
def slow_machine(monkeypatch):
    """Whatever is measured takes ten seconds, as it may where others compute as well."""
    monkeypatch.setattr(time, "perf_counter", itertools.count(step=10.0).__next__)


class Adam:
    """Its variables are made by the first step; it takes many kinds of steps."""

    def __init__(self, variables):
        self.variables = variables
        self.slots = None

    def apply(self, gradients):
        if self.slots is None:
            made = [[tf.Variable(tf.zeros_like(v)) for v in self.variables] for _ in range(2)]
            self.slots, self.count = list(zip(*made, strict=True)), tf.Variable(0.0)
        self.count.assign_add(1.0)
        rate = 0.01 * tf.sqrt(1.0 - 0.999**self.count) / (1.0 - 0.9**self.count)
        for v, (m, s), g in zip(self.variables, self.slots, gradients, strict=True):
            m.assign_add(0.1 * (g - m))
            s.assign_add(0.001 * (tf.square(g) - s))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


class Training:
    """Steps of a network; each is one program, that computes the loss and all assignments."""

    def __init__(self, size):
        rng = np.random.default_rng(0)
        shapes = [[size, size], [size]] * 2
        self.variables = [tf.Variable(rng.normal(size=s).astype("f") / size) for s in shapes]
        self.optimizer = Adam(self.variables)
        self.x = tf.constant(rng.normal(size=(3, size)).astype("f"))
        settle()

    def dispatched(self, activations, extra=0):
        """Takes a step through layers, making `extra` metrics; counts."""
        with counted() as count:
            with tf.GradientTape() as tape:
                h = self.x
                for activation, first in zip(activations, itertools.cycle([0, 2]), strict=False):
                    w, b = self.variables[first : first + 2]
                    h = activation(h @ w + b)
                loss = tf.reduce_mean(tf.square(h))
            self.optimizer.apply(tape.gradient(loss, self.variables))
            for _ in range(extra):
                tf.Variable(0.0).assign_add(loss)
            loss.numpy()
        return count.dispatched


@pytest.mark.alone
def test_a_training_whose_first_steps_differ_is_compiled_as_a_whole(slow_machine):
    training = Training(19)
    with counted() as count:
        steps = [training.dispatched([tf.tanh] * 4, extra) for extra in (3, 2, 1, *[0] * 8)]
    assert steps == [1] * 11
    assert count.compiled == 4


@pytest.mark.alone
def test_as_many_programs_that_do_not_repeat_as_are_needed_go_before_pieces(slow_machine):
    """Activations in another order each time: as long as each other, as the steps of a training."""
    training = Training(18)
    kinds = [tf.tanh, tf.sigmoid, tf.nn.relu, tf.sin]
    orders = list(itertools.permutations(kinds))[:12]
    steps = [training.dispatched(order) > 1 for order in orders]
    assert steps.index(True) == execution_mode.PROGRAMS_AS_EVIDENCE + 1
    assert all(steps[execution_mode.PROGRAMS_AS_EVIDENCE + 1 :])


@pytest.mark.alone
def test_programs_of_any_length_go_to_pieces_sooner(slow_machine):
    training = Training(16)
    steps = [training.dispatched([tf.tanh] * length) > 1 for length in (3, 20, 6, 9, 2, 14)]
    assert steps == [False, False, True, True, True, True]


def test_sequences_of_any_length_stop_compiling(slow_machine):
    size = 15
    w = tf.Variable(np.eye(size, dtype="f") / 2)
    compiled = []
    for length in (12, 30, 21, 17, 26, 35, 14, 33):
        x = tf.constant(np.ones((length, 2, size), "f"))
        settle()
        with counted() as count:
            with tf.GradientTape() as tape:
                h = tf.zeros([2, size])
                for row in tf.unstack(x):
                    h = tf.tanh(h @ w + row)
                loss = tf.reduce_mean(tf.square(h))
            w.assign_sub(0.1 * tape.gradient(loss, w))
            loss.numpy()
        compiled.append(count.compiled)
    assert compiled[0] == 1
    assert sum(compiled[2:]) == 0


def test_pieces_that_turn_out_to_repeat_become_a_whole(monkeypatch):
    monkeypatch.setattr(
        execution_mode, "MAX_SECONDS_OF_FIRST_COMPILATION", 0.0
    )  # nobody waits for a whole
    v, x = tf.Variable(np.ones(1204, "f")), tf.ones([1204])
    settle()
    found, dispatched = [], []
    for _ in range(execution_mode.MAX_RUNS_IN_A_ROW + 3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(chain(x, v, 80))
        gradient = tape.gradient(loss, v)
        with counted() as count:
            found.append(gradient.numpy())
        dispatched.append(count.dispatched)
    close(found[1:], found[:-1])
    assert min(dispatched[: execution_mode.MAX_RUNS_IN_A_ROW]) > 1
    assert dispatched[execution_mode.MAX_RUNS_IN_A_ROW :] == [1, 1, 1]


def test_on_accelerators_pieces_are_compiled_side_by_side_and_the_whole_later(monkeypatch):
    monkeypatch.setattr(BACKGROUND_COMPILER, "is_on", True)
    monkeypatch.setattr(execution_mode, "MAX_STEPS_AS_WHOLE", 100)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    v, x = tf.Variable(np.ones(1209, "f")), tf.ones([1209])
    settle()
    threads = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, *_, **__: (
            threads.append(threading.current_thread().name) if event == COMPILING else None
        )
    )

    @tf.function
    def gradient():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(chain(x, v, 80))
        return tape.gradient(loss, v)

    with counted() as count:
        want = gradient().numpy()
    assert len(threads) == count.compiled  # each piece once
    assert sum("ThreadPool" in name for name in threads) >= MIN_COMPILED_TOGETHER
    dispatched = []
    for _ in range(execution_mode.MAX_RUNS_IN_A_ROW + 2):
        with counted() as count:
            close([gradient().numpy()], [want])
        dispatched.append(count.dispatched)
    assert dispatched[0] > 1
    assert dispatched[-1] == 1


@pytest.mark.parametrize("most", [100, execution_mode.MAX_STEPS_LATER_AS_WHOLE])
def test_long_programs_that_run_again_and_again_become_a_whole(monkeypatch, most):
    monkeypatch.setattr(execution_mode, "MAX_STEPS_AS_WHOLE", 100)
    monkeypatch.setattr(execution_mode, "MAX_STEPS_LATER_AS_WHOLE", most)
    monkeypatch.setattr(
        execution_mode, "SECONDS_LOST_PER_STEP", 2e-3
    )  # few calls take as long as compiling
    v, x = tf.Variable(np.ones(1208, "f")), tf.ones([1208])

    @tf.function
    def gradient():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(chain(x, v, 80))
        return tape.gradient(loss, v)

    want = gradient().numpy()
    dispatched = []
    for _ in range(6):
        with counted() as count:
            close([gradient().numpy()], [want])
        dispatched.append(count.dispatched)
    assert dispatched[0] > 1
    assert (dispatched[-1] == 1) == (most > 100)


def test_evidence_is_withdrawn_when_a_program_runs_again():
    v, x = tf.Variable(np.ones(1205, "f")), tf.ones([1205])
    gradient_of_chain(10, v, x)
    assert sum(execution.EXECUTION_MODES._credit.values()) > 0
    gradient_of_chain(10, v, x)
    execution.EXECUTION_MODES._withdraw()
    assert sum(execution.EXECUTION_MODES._credit.values()) < 1e-3


def test_an_interrupt_between_the_pieces_loses_nothing(monkeypatch):
    monkeypatch.setattr(execution_mode, "MAX_STEPS_AS_WHOLE", 100)
    v, x = tf.Variable(np.ones(1206, "f")), tf.ones([1206])
    want = gradient_of_chain(200, v, x)
    run = ProgramInPieces.run

    def interrupted(self, arguments):
        self.calls[5][0].call = None
        prepare = self.calls[5][0].prepare
        self.calls[5][0].prepare = lambda: (_ for _ in ()).throw(KeyboardInterrupt)
        try:
            return run(self, arguments)
        finally:
            self.calls[5][0].prepare = prepare

    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(chain(x, v, 200))
    with monkeypatch.context() as patched:
        patched.setattr(ProgramInPieces, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            loss.numpy()
    close([loss.numpy(), tape.gradient(loss, v).numpy()], want)


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(execution_mode, "MAX_CALLS_REMEMBERED", 50)
    monkeypatch.setattr(execution_mode, "MAX_STEPS_AS_WHOLE", 100)
    v, x = tf.Variable(np.ones(1207, "f")), tf.ones([1207])
    for length in range(120, 130):
        gradient_of_chain(length, v, x)
        assert (
            sum(
                len(c.in_pieces.calls)
                for c in execution.EXECUTION_MODES._choices.values()
                if c.in_pieces
            )
            < 200
        )
