"""Buffers of variables are given to the step that computes their next values; nothing is lost."""

import copy
import threading

import numpy as np
import pytest
from steps import InjectedError, close_everything, interrupted, nothing_open, settle

import tapefacade as tf
from tapefacade._trace import buffer_donation


@pytest.fixture(autouse=True)
def every_buffer(monkeypatch):
    """Small ones, too, so that the tests are fast."""
    monkeypatch.setattr(buffer_donation, "MIN_DONATED_BYTES", 1)


_BATCH = iter(range(3, 1000))  # each model has programs of its own


class Model:
    """Two layers whose values are on the device."""

    def __init__(self, compiled=False):
        rng = np.random.default_rng(0)
        self.variables = [
            tf.Variable(tf.constant(rng.normal(size=(5, 5)), tf.float32) * 1.0) for _ in range(2)
        ]
        self.x = tf.constant(rng.normal(size=(next(_BATCH), 5)), tf.float32)
        self.step = tf.function(self._step) if compiled else self._step

    def _step(self):
        with tf.GradientTape() as tape:
            y = self.x
            for v in self.variables:
                y = tf.tanh(y @ v)
            loss = tf.reduce_mean(tf.square(y - 1.0))
        for v, g in zip(self.variables, tape.gradient(loss, self.variables), strict=True):
            v.assign_sub(0.1 * g)
        return loss

    def warm(self):
        """The program is compiled, and the values are results of it."""
        for _ in range(3):
            self.step().numpy()
        return self

    def buffers(self):
        return [v._tensor._value.unsafe_buffer_pointer() for v in self.variables]

    def state(self):
        return [v.numpy() for v in self.variables]


@pytest.fixture(params=[False, True], ids=["plain", "function"])
def model(request):
    return Model(request.param).warm()


def test_a_step_writes_over_the_old_values(model):
    before = model.buffers()
    model.step().numpy()
    assert sorted(model.buffers()) == sorted(before)


def test_the_values_are_those_of_steps_that_keep_the_buffers(model, monkeypatch):
    start = model.state()
    found = [model.step().numpy() for _ in range(4)], model.state()
    monkeypatch.setattr(buffer_donation, "MIN_DONATED_BYTES", 1 << 60)
    other = Model()
    other.x = model.x
    for v, value in zip(other.variables, start, strict=True):
        v.assign(value)
    wanted = [other.step().numpy() for _ in range(4)], other.state()
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-5)


@pytest.mark.parametrize(
    "keep",
    [
        lambda v: v.value(),
        lambda v: v.read_value(),
        lambda v: tf.identity(v),
        lambda v: np.asarray(v.value()),
        lambda v: v.__jax_array__(),
        lambda v: v._tensor,
        lambda v: tf.Variable(v),
        copy.deepcopy,
        lambda v: v * 1.0,
        lambda v: [v.value(), v.value()],
        lambda v: tf.constant(v.value()),
    ],
)  # fmt: skip
def test_what_somebody_keeps_stays(model, keep):
    wanted = model.variables[0].numpy()
    kept = keep(model.variables[0])
    for _ in range(2):
        model.step().numpy()
    kept = kept[-1] if isinstance(kept, list) else kept
    np.testing.assert_array_equal(np.asarray(kept), wanted)
    assert np.abs(model.variables[0].numpy() - wanted).max() > 0


def test_a_tape_that_can_still_be_asked_keeps_the_values():
    model = Model().warm()
    a, b = model.variables
    settle()
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum((model.x @ a) @ b)
    wanted = tf.convert_to_tensor(tape.gradient(loss, a)).numpy()
    with tf.GradientTape() as unused:
        tf.reduce_sum(a * b)
    for v in model.variables:
        v.assign_sub(0.1 * v)
    model.step().numpy()
    np.testing.assert_array_equal(tape.gradient(loss, a), wanted)
    del unused


def test_two_variables_of_one_value():
    model = Model().warm()
    a, b = model.variables
    b.assign(a)
    for _ in range(3):
        model.step().numpy()
    shared = Model()
    shared.x = model.x
    assert np.isfinite(model.state()).all()
    assert np.abs(a.numpy() - b.numpy()).max() > 0


def test_a_variable_that_is_assigned_to_another():
    a, b = Model().warm().variables
    a.assign_add(b)
    b.numpy()
    wanted = a.numpy(), b.numpy()
    for _ in range(3):
        new = a * 2.0
        a.assign(b * 3.0)
        b.assign(new)
        a.numpy()
        wanted = wanted[1] * 3.0, wanted[0] * 2.0
        np.testing.assert_allclose(a.numpy(), wanted[0], rtol=1e-6)
        np.testing.assert_allclose(b.numpy(), wanted[1], rtol=1e-6)


def test_a_step_that_fails_restores_the_values():
    model = Model().warm()
    a = model.variables[0]
    before = model.state()
    place = tf.Variable(7.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(a, tf.cast(place, tf.int32)))
    a.assign_sub(tf.convert_to_tensor(tape.gradient(loss, a)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        a.numpy()
    np.testing.assert_array_equal(model.state(), before)


@pytest.mark.parametrize("error", [KeyboardInterrupt, InjectedError])
def test_an_interrupt_anywhere_loses_nothing(model, error):
    _, ran = interrupted(0, InjectedError, lambda: model.step().numpy())
    wrong = []
    for line in range(1, ran + 1):
        settle()
        before = model.state()
        copied = [tf.constant(value) for value in before]
        model.step().numpy()
        after = model.state()
        for v, value in zip(model.variables, copied, strict=True):
            v.assign(value * 1.0)  # a buffer of its own
        settle()
        place, _ = interrupted(line, error, lambda: model.step().numpy())
        if not nothing_open():
            wrong.append(f"{place}: a tape is open")
            close_everything()
        try:
            state = model.state()
        except Exception as raised:
            wrong.append(f"{place}: {type(raised).__name__}: {raised}")
            close_everything()
            for v, value in zip(model.variables, copied, strict=True):
                v.assign(value * 1.0)
            continue
        for value, old, new in zip(state, before, after, strict=True):
            if not np.allclose(value, old, 1e-5) and not np.allclose(value, new, 1e-5):
                wrong.append(f"{place}: a variable has a value of neither")
    assert not wrong


def test_other_threads_see_old_or_new_values(model):
    stop, wrong = threading.Event(), []

    def look():
        while not stop.is_set():
            try:
                value = model.variables[0].numpy()
            except Exception as error:
                wrong.append(repr(error))
                return
            if not np.isfinite(value).all():
                wrong.append(value)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        model.step().numpy()
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
