"""What is said when somebody waits for two seconds: what is going on, for how many ops, once."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import tapefacade as tf
from tapefacade._trace import execution, wait_watch
from tapefacade._trace.background_compilation import BACKGROUND_COMPILER
from tapefacade._trace.wait_watch import WAIT_WATCH, WaitWatch

COMPILING, BY_NUMPY = "Compiling it.", "NumPy computes it."


@pytest.fixture
def at_once(monkeypatch):
    """Every wait is too long for a message to wait for its end."""
    monkeypatch.setattr(wait_watch, "SECONDS_BEFORE_MESSAGE", 0.0)
    monkeypatch.setattr(wait_watch, "SECONDS_OF_ONE_WAIT", 0.0)
    monkeypatch.setattr(WAIT_WATCH, "_is_told", False)
    monkeypatch.setattr(WAIT_WATCH, "_waits", wait_watch._Waits())


@pytest.fixture
def clock(monkeypatch):
    """The time, which passes when a test says so; `left` is what the timers were set to."""
    clock = SimpleNamespace(now=100.0, left=[])
    timer = SimpleNamespace(start=lambda: None, cancel=lambda: None)
    monkeypatch.setattr(wait_watch.time, "perf_counter", lambda: clock.now)

    def make_timer(seconds, tell, arguments):
        clock.left.append(seconds)
        clock.tell = lambda: tell(*arguments)
        return timer

    monkeypatch.setattr(wait_watch.threading, "Timer", make_timer)
    return clock


def wait_for(records):
    for _ in range(500):
        if records:
            break
        threading.Event().wait(0.01)


def test_a_wait_is_told_once_while_it_lasts(at_once, caplog):
    for title in ("first", "second"):
        with WAIT_WATCH.over(lambda title=title: f"Compiling {title}."):
            wait_for(caplog.records)
    (record,) = caplog.records
    assert record.name == "tensorflow"
    assert record.getMessage() == "Compiling first. (This is said once.)"


def test_what_is_told_is_what_goes_on_within(clock, caplog):
    over = WaitWatch().over
    # What is around a brief wait waits longer.
    with over(lambda: COMPILING), over(lambda: BY_NUMPY), over(lambda: "brief", is_brief=True):
        clock.tell()
    assert caplog.messages == [f"{BY_NUMPY} (This is said once.)"]


def test_waits_of_a_step_are_one(clock, monkeypatch):
    # A model makes its variables by many programs, none of which takes two seconds.
    watch = WaitWatch()
    for pause in (0.0, 0.25, 0.25, 5.0):
        clock.now += pause
        with watch.over(lambda: COMPILING):
            clock.now += 0.5
    assert clock.left == [2.0, 1.5, 1.0, 2.0]
    monkeypatch.setattr(wait_watch.STATISTICS, "steps", wait_watch.STATISTICS.steps + 1)
    with watch.over(lambda: COMPILING):
        pass
    assert clock.left[-1] == 2.0


def test_small_programs_are_told_of_if_there_is_nothing_else(clock, caplog):
    watch = WaitWatch()
    for _ in range(9):
        assert not caplog.messages
        with watch.over(lambda: COMPILING):
            clock.now += 0.45
    assert clock.left[-4:] == [0.5] * 4
    assert caplog.messages == [f"{COMPILING} (This is said once.)"]


def test_brief_waits_need_no_timer_and_are_told_at_their_end(clock, caplog):
    watch = WaitWatch()
    for _ in range(4):
        assert not caplog.messages
        with watch.over(lambda: "Recording.", is_brief=True):
            clock.now += 0.5
    assert clock.left == []
    assert caplog.messages == ["Recording. (This is said once.)"]


def test_waits_of_threads_are_apart(clock):
    watch = WaitWatch()

    def wait():
        with watch.over(lambda: COMPILING):
            clock.now += 0.5

    with watch.over(lambda: COMPILING):
        other = threading.Thread(target=wait)
        other.start()
        other.join()
    assert clock.left == [2.0, 2.0]


def test_no_thread_is_left():
    before = threading.active_count()
    watch = WaitWatch()
    with watch.over(lambda: COMPILING):
        assert threading.active_count() == before + 1
        timer = threading.enumerate()[-1]
    timer.join(60)
    assert threading.active_count() == before


def test_who_waits_for_a_recording_is_told_of_it(at_once, caplog):
    x = tf.Variable(np.ones([1307], np.float32))
    with tf.GradientTape() as tape:
        y = tf.sin(x)
    tape.gradient(y, x)
    (text,) = caplog.messages
    assert text.startswith(f"Recording step {wait_watch.STATISTICS.steps + 1:,} (")
    assert "test_wait_watch.py" in text
    assert text.endswith(", as it is new; then it is compiled, kept for next time. "
                         "(This is said once.)")  # fmt: skip


def test_who_waits_for_numpy_is_told_what_for(monkeypatch, caplog):
    model = tf.keras.Sequential([tf.keras.Input((8, 8, 1)), *[
        tf.keras.layers.Conv2D(3, 3, padding="same") for _ in range(7)
    ]])  # fmt: skip
    x = tf.constant(np.ones((2, 8, 8, 1), np.float32))
    told = spied(monkeypatch)
    model(x).numpy()
    assert told[-1].startswith("NumPy computes a program (")
    assert "until XLA has compiled it in the background, kept for next time. It has not" in told[-1]


def test_a_wait_says_if_nothing_is_kept(monkeypatch):
    monkeypatch.setattr(wait_watch.CACHE, "folder", lambda: None)
    monkeypatch.setattr(wait_watch, "JAX_CONFIG", SimpleNamespace(jax_compilation_cache_dir=None))
    told = spied(monkeypatch)
    tf.sin(tf.constant(np.ones([1308], np.float32))).numpy()
    assert "not kept on disk" in told[-1]


def spied(monkeypatch):
    """What would be told of each wait that is not brief."""
    told = []
    over = WAIT_WATCH.over

    def spy(text, is_brief=False):
        if not is_brief:
            told.append(text())
        return over(text, is_brief)

    monkeypatch.setattr(WAIT_WATCH, "over", spy)
    return told


def test_what_is_compiled_is_a_step_with_a_number_and_a_reason(monkeypatch):
    monkeypatch.setattr(BACKGROUND_COMPILER, "is_on", False)
    monkeypatch.setattr(execution.STATISTICS, "steps", 0)
    told = spied(monkeypatch)
    w = tf.Variable(tf.ones([3]))
    for length in (1306, 1306, 1307):
        x = tf.constant(np.ones([length, 3], np.float32))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(x * w))
        tape.gradient(loss, w).numpy()
    steps = [text for text in told if text.startswith("Compiling step")]
    first, third = dict.fromkeys(steps)
    assert first.startswith("Compiling step 1 (4 ops, the first at ")
    assert first.endswith(", kept for next time. It has not run before.")
    assert third.startswith("Compiling step 3 (4 ops, the first at ")
    assert "It has not run before with shape (1307, 3) at " in third
    assert "pad, or" in third


def test_ops_of_loops_count(monkeypatch):
    @tf.function
    def loop(x, n):
        while n > 0:
            x, n = tf.sin(x) + 1.0, n - 1
        return x

    x, n = tf.ones([1309]), tf.constant(3)
    loop(x, n).numpy()  # by Python
    told = spied(monkeypatch)
    loop(x, n).numpy()
    assert told[-1].startswith("Compiling a program (5 ops, the first at ")
