"""A look at the loss before the gradient is asked for: the forward part runs once all the same."""

import numpy as np
import pytest
from steps import InjectedError, counted, settle

import tapefacade as tf
from tapefacade._trace import execution, speculative_gradients

STEPS = speculative_gradients.TIMES_BEFORE_GUESS + 3


class Model:
    """Three layers; the same at every construction."""

    def __init__(self, batch=4):
        rng = np.random.default_rng(0)
        self.variables = [tf.Variable(rng.normal(size=(8, 8)).astype("f")) for _ in range(3)]
        self.x = tf.constant(rng.normal(size=(batch, 8)).astype("f"))

    def loss(self):
        y = self.x
        for v in self.variables:
            y = tf.tanh(y @ v)
        return tf.reduce_mean(tf.square(y - 1.0))

    def step(self, look="last", persistent=False, rate=0.1):
        with tf.GradientTape(persistent=persistent) as tape:
            loss = self.loss()
            if look == "within":
                loss.numpy()
        if look in ("before", "only"):
            loss.numpy()
        if look == "only":  # an evaluation that opens a tape and asks for nothing
            return loss.numpy()
        gradients = tape.gradient(loss, self.variables)
        if persistent:
            again = tape.gradient(loss, self.variables)
            gradients = [(a + b) / 2.0 for a, b in zip(gradients, again, strict=True)]
        for v, gradient in zip(self.variables, gradients, strict=True):
            v.assign_sub(rate * gradient)
        return loss.numpy()

    def state(self):
        return [v.numpy() for v in self.variables]


@pytest.fixture
def noted(monkeypatch):
    """For each program that has run, how many gradients it computes, and how many products."""
    found = []
    execute = execution.Program.execute

    def noting(self, arguments, first=None):
        if first is None:
            kernels = [step.operation.kernel for step in self.executable.part.steps]
            found.append((kernels.count("GradientTape"), kernels.count("MatMul")))
        return execute(self, arguments, first)

    monkeypatch.setattr(execution.Program, "execute", noting)
    return found


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("look", ["within", "before"])
def test_the_results_are_those_of_a_step_that_does_not_look(look, persistent):
    plain, looking = Model(), Model()
    for _ in range(STEPS):
        np.testing.assert_allclose(looking.step(look, persistent), plain.step(), rtol=1e-6)
    for a, b in zip(looking.state(), plain.state(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("look", ["within", "before"])
def test_what_follows_the_look_computes_no_gradient(look, noted):
    model = Model()
    for _ in range(STEPS):
        model.step(look)
    settle()
    noted.clear()
    with counted() as count:
        model.step(look)
        settle()
    assert (count.compiled, count.dispatched, count.recorded) == (0, 2, 0)
    (gradients, products), update = noted
    assert (gradients, products) == (1, 3)
    assert update == (0, 0)


def test_nothing_is_foreseen_before_it_has_happened_twice(noted):
    model = Model(batch=5)  # of no other test
    for number in range(speculative_gradients.TIMES_BEFORE_GUESS + 1):
        noted.clear()
        model.step("before")
        settle()
        assert [gradients for gradients, _ in noted] == ([0, 1], [1, 0])[
            number == speculative_gradients.TIMES_BEFORE_GUESS
        ]


def test_a_wrong_guess_is_not_made_again(noted):
    model = Model()
    for _ in range(STEPS):
        model.step("before")
    settle()
    noted.clear()
    for _ in range(3):
        model.step("only")
    assert [gradients for gradients, _ in noted] == [1, 0, 0]


def test_a_block_elsewhere_is_not_taken_for_the_step(noted):
    model = Model()
    for _ in range(STEPS):
        model.step("before")
    settle()
    noted.clear()
    with tf.GradientTape() as tape:
        loss = model.loss()
    loss.numpy()
    del tape
    assert [gradients for gradients, _ in noted] == [0]


def test_without_a_tape_nothing_is_foreseen(noted):
    model = Model()
    for _ in range(STEPS):
        model.step("before")
    settle()
    noted.clear()
    model.loss().numpy()
    assert [gradients for gradients, _ in noted] == [0]


def test_another_gradient_after_the_same_look():
    model = Model()
    for _ in range(STEPS):
        model.step("before", rate=0.0)
    with tf.GradientTape() as tape:
        loss = model.loss()
    loss.numpy()
    (first,) = tape.gradient(loss, model.variables[:1])
    with tf.GradientTape() as tape:
        loss = model.loss()
    np.testing.assert_allclose(first, tape.gradient(loss, model.variables)[0], rtol=1e-6)


def test_second_derivatives_of_what_was_foreseen():
    x = tf.Variable(2.0)
    for _ in range(STEPS):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x * x * x
            assert y.numpy() == 8.0
            first = inner.gradient(y, x)
            z = first * x
        assert z.numpy() == 24.0
        assert outer.gradient(z, x).numpy() == 36.0


def test_a_function_that_is_recorded_after_the_look():
    x = tf.Variable(2.0)

    @tf.function
    def square(g):
        return g * g

    for number in range(STEPS):
        with tf.GradientTape() as tape:
            y = x * x
        y.numpy()
        assert square(tape.gradient(y, x)).numpy() == 4 * x.numpy() ** 2
        x.assign(float(number))


def test_checks_that_fail_are_those_of_the_look():
    x = tf.Variable([1.0, 2.0])
    place = tf.Variable([0.0, 1.0])
    for number in range(STEPS + 1):
        if number == STEPS:
            place.assign([0.0, 7.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(x, tf.cast(place, tf.int32)) ** 2)
        if number < STEPS:
            assert y.numpy() == 5.0
            np.testing.assert_array_equal(tf.convert_to_tensor(tape.gradient(y, x)), [2.0, 4.0])
            continue
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
            y.numpy()
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
            tf.convert_to_tensor(tape.gradient(y, x)).numpy()


def test_an_interrupt_while_it_is_computed_loses_nothing(monkeypatch):
    model = Model()
    for _ in range(STEPS):
        model.step("before", rate=0.0)
    before, wanted = model.state(), model.step("last", rate=0.0)
    settle()

    def interrupt(*arguments, **others):
        raise InjectedError

    with tf.GradientTape() as tape:
        loss = model.loss()
    with monkeypatch.context() as patched:
        patched.setattr(execution.Program, "execute", interrupt)
        with pytest.raises(InjectedError):
            loss.numpy()
    del tape
    for a, b in zip(model.state(), before, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(model.step("before", rate=0.0), wanted)
