"""The trace: how many programs a step is, what is kept, what JAX and NumPy see of it."""

import contextlib
import copy
import gc
import io
import pickle
import resource
import tracemalloc
import weakref
from contextlib import redirect_stdout

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from steps import Network, close_everything, counted, nothing_open, reference_step, settle

import tapefacade as tf
from tapefacade._core import logging as messages
from tapefacade._definition import fast_path
from tapefacade._trace import execution, execution_mode
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import MAX_PENDING, TREE

STEPS = 5


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()
    yield
    still_open = not nothing_open()
    close_everything()
    assert not still_open


def repeated(step, warm_up=3, steps=STEPS):
    """Takes a step a few times, then counts."""
    for k in range(warm_up):
        step(k)
    with counted() as count:
        for k in range(warm_up, warm_up + steps):
            step(k)
    return count


def assert_one_program(count, steps=STEPS, programs=1):
    assert (count.compiled, count.dispatched, count.recorded) == (0, programs * steps, 0)


# One program for each step.


def test_training_step_is_right():
    network = Network()
    state = network.state()
    for _ in range(STEPS):
        loss = network.step(network.x, network.y, 0.1)
        want, state = reference_step(state, network.x, network.y, 0.1)
        np.testing.assert_allclose(loss, want, rtol=1e-5)
    for got, want in zip(network.state(), state, strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=1e-5)  # float32, five steps


def _rates():
    variable = tf.Variable(1.0)

    def assigned(k):
        variable.assign(0.1 / (k + 1))
        return variable

    return {
        "constant": lambda k: 0.1,
        "Python float": lambda k: 0.1 / (k + 1),
        "tf.Variable": assigned,
        "NumPy scalar": lambda k: np.float32(0.1 / (k + 1)),
        "tf.constant": lambda k: tf.constant(0.1 / (k + 1)),
        "Python int": lambda k: k,
    }


@pytest.mark.parametrize("kind", list(_rates()))
def test_step_is_one_program_whatever_the_rate(kind):
    network, rate = Network(), _rates()[kind]
    state = network.state()

    def step(k):
        nonlocal state
        loss = network.step(network.x, network.y, rate(k)).numpy()
        value = k if kind == "Python int" else 0.1 if kind == "constant" else 0.1 / (k + 1)
        want, state = reference_step(state, network.x, network.y, value)
        np.testing.assert_allclose(loss, want, rtol=1e-3)  # float32, rates up to 7
        if kind == "Python int":  # such rates diverge
            for variable, initial in zip(network.variables, Network().state(), strict=True):
                variable.assign(initial)
            state = network.state()

    programs = 2 if kind == "Python int" else 1  # the second is for the state that is read
    count = repeated(step)
    assert (count.compiled, count.recorded) == (0, 0)
    assert count.dispatched <= programs * STEPS


DATA = {
    "NumPy batch": lambda rng: rng.normal(size=(8, 3)).astype(np.float32),
    "tf.constant": lambda rng: tf.constant(rng.normal(size=(8, 3)), tf.float32),
    "nested list": lambda rng: tf.constant(rng.normal(size=(8, 3)).tolist()),
    "jax.Array": lambda rng: tf.constant(jnp.asarray(rng.normal(size=(8, 3)), np.float32)),
}


@pytest.mark.parametrize("kind", list(DATA))
def test_step_is_one_program_with_new_data(kind):
    network, rng = Network(), np.random.default_rng(1)
    losses = []

    def step(k):
        losses.append(network.step(DATA[kind](rng), network.y, 0.1).numpy())

    assert_one_program(repeated(step))
    assert len(set(losses)) == len(losses)


def test_step_with_random_data_is_one_program():
    network, losses = Network(), []

    def step(k):
        with tf.GradientTape() as tape:
            loss = network.loss(tf.random.normal([8, 3]), network.y)
        gradients = tape.gradient(loss, network.variables)
        for variable, gradient in zip(network.variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
        losses.append(loss.numpy())

    assert_one_program(repeated(step))
    assert len(set(losses)) == len(losses)


def test_data_drawn_before_the_tape_are_a_program_of_their_own():
    # Entering the outermost tape ends a step: what is pending is dispatched there.
    network, losses = Network(), []

    def step(k):
        losses.append(network.step(tf.random.normal([8, 3]), network.y, 0.1).numpy())

    assert_one_program(repeated(step), programs=2)
    assert len(set(losses)) == len(losses)


def test_step_that_is_not_looked_at_is_one_program():
    network = Network()
    count = repeated(lambda k: network.step(network.x, network.y, 0.1))
    assert_one_program(count)
    with counted() as last:
        network.state()
    assert last.dispatched == 1  # all six variables by one program


def test_steps_not_looked_at_give_the_same_values():
    looked, unseen = Network(), Network()
    for _ in range(STEPS):
        looked.step(looked.x, looked.y, 0.1).numpy()
        unseen.step(unseen.x, unseen.y, 0.1)
    for a, b in zip(looked.state(), unseen.state(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_adam_on_variables_is_one_program():
    network = Network()
    first = [tf.Variable(tf.zeros_like(v), trainable=False) for v in network.variables]
    second = [tf.Variable(tf.zeros_like(v), trainable=False) for v in network.variables]
    counter = tf.Variable(0, dtype=tf.int64, trainable=False)
    settle()
    losses = []

    def step(k):
        with tf.GradientTape() as tape:
            loss = network.loss(network.x, network.y)
        gradients = tape.gradient(loss, network.variables)
        counter.assign_add(1)
        t = tf.cast(counter, tf.float32)
        rate = 0.01 * tf.sqrt(1.0 - 0.999**t) / (1.0 - 0.9**t)
        for v, g, m, s in zip(network.variables, gradients, first, second, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * g * g)
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))
        losses.append(loss.numpy())

    assert_one_program(repeated(step))
    assert counter.numpy() == 3 + STEPS
    assert losses[-1] < losses[0]


def test_adam_is_right():
    x, m, s = tf.Variable(1.0), 0.0, 0.0
    mv, sv, counter = tf.Variable(0.0), tf.Variable(0.0), tf.Variable(0)
    want = 1.0
    for t in range(1, 6):
        with tf.GradientTape() as tape:
            y = x**3
        g = tape.gradient(y, x)
        counter.assign_add(1)
        power = tf.cast(counter, tf.float32)
        mv.assign(0.9 * mv + 0.1 * g)
        sv.assign(0.999 * sv + 0.001 * g * g)
        x.assign_sub(0.1 * (mv / (1 - 0.9**power)) / (tf.sqrt(sv / (1 - 0.999**power)) + 1e-7))
        slope = 3 * want**2
        m, s = 0.9 * m + 0.1 * slope, 0.999 * s + 0.001 * slope**2
        want -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(s / (1 - 0.999**t)) + 1e-7)
    np.testing.assert_allclose(x, want, rtol=1e-4)  # 1 - 0.999**t in float32


def test_three_nested_tapes_are_one_program():
    x = tf.Variable(0.5)
    got = []

    def step(k):
        x.assign(0.1 * k)
        with tf.GradientTape() as t3:
            with tf.GradientTape() as t2:
                with tf.GradientTape() as t1:
                    y = tf.sin(x) * x
                first = t1.gradient(y, x)
            second = t2.gradient(first, x)
        third = t3.gradient(second, x)
        got.append(third.numpy())

    assert_one_program(repeated(step))
    want = [-3 * np.sin(v) - v * np.cos(v) for v in 0.1 * np.arange(len(got))]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_second_order_training_is_one_program():
    # A physics-informed network: the derivative of the network is in the loss.
    network = Network()

    def step(k):
        x = tf.constant(network.x)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                u = network(x)
            slope = inner.gradient(u, x)
            loss = tf.reduce_mean(tf.square(slope)) + tf.reduce_mean(tf.square(u))
        gradients = outer.gradient(loss, network.variables)
        for variable, gradient in zip(network.variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss.numpy()

    assert_one_program(repeated(step))


def test_jacobian_is_one_program():
    w, x = tf.Variable(np.eye(3, dtype=np.float32)), tf.constant([[1.0, 2.0, 3.0]])

    def step(k):
        with tf.GradientTape() as tape:
            y = tf.tanh(x @ w)
        w.assign_sub(0.01 * tf.reduce_sum(tape.jacobian(y, w), axis=[0, 1]))

    count = repeated(lambda k: (step(k), w.numpy()))
    assert_one_program(count)


def test_loss_looked_at_before_the_gradient():
    # The forward part is one program, the gradient and the update are another.
    network = Network()
    state = network.state()

    def step(k):
        nonlocal state
        with tf.GradientTape() as tape:
            loss = network.loss(network.x, network.y)
        value = loss.numpy()
        gradients = tape.gradient(loss, network.variables)
        for variable, gradient in zip(network.variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
        got = network.state()
        want, state = reference_step(state, network.x, network.y, 0.1)
        np.testing.assert_allclose(value, want, rtol=1e-4)
        for a, b in zip(got, state, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-3, atol=1e-4)  # float32, eight steps

    assert_one_program(repeated(step), programs=2)


def test_loss_looked_at_within_the_tape():
    network = Network()

    def step(k):
        with tf.GradientTape() as tape:
            loss = network.loss(network.x, network.y)
            assert float(loss) > 0
        gradients = tape.gradient(loss, network.variables)
        for variable, gradient in zip(network.variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
        network.state()

    assert_one_program(repeated(step), programs=2)


def test_gradients_looked_at_before_the_update():
    network = Network()

    def step(k):
        with tf.GradientTape() as tape:
            loss = network.loss(network.x, network.y)
        gradients = tape.gradient(loss, network.variables)
        assert all(np.isfinite(g.numpy()).all() for g in gradients)
        for variable, gradient in zip(network.variables, gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
        network.state()

    assert_one_program(repeated(step), programs=2)


def test_looking_twice_runs_nothing_again():
    x = tf.constant([1.0, 2.0]) * 3.0
    with counted() as first, redirect_stdout(io.StringIO()) as text:
        print(x)  # noqa: T201
    with counted() as second, redirect_stdout(text):
        print(x)  # noqa: T201
    assert (first.dispatched, second.dispatched) == (1, 0)
    lines = text.getvalue().splitlines()
    assert lines == ["tf.Tensor([3. 6.], shape=(2,), dtype=float32)"] * 2


LOOKS = {
    "numpy": lambda x: x.numpy(),
    "repr": repr,
    "str": str,
    "format": lambda x: f"{x:.2f}",
    "bool": bool,
    "int": int,
    "float": float,
    "complex": complex,
    "np.asarray": np.asarray,
    "np.array": lambda x: np.array(x, dtype=np.float64),
    "jnp.asarray": jnp.asarray,
    "dlpack": np.from_dlpack,
    "pickle": pickle.dumps,
    "np.sum": np.sum,
    "==": lambda x: bool(x == x),
    "tolist": lambda x: x.numpy().tolist(),
}


@pytest.mark.parametrize("look", list(LOOKS))
def test_every_way_to_look_runs_one_program(look):
    x = tf.constant(3.0) * 2.0 + 1.0
    other = x * 5.0  # pending and referenced: computed together
    with counted() as count:
        LOOKS[look](x)
    assert count.dispatched == 1
    with counted() as count:
        assert other.numpy() == 35.0
        assert x.numpy() == 7.0
    assert count.dispatched == 0


def test_index_looks():
    x = tf.range(tf.constant(3)) + tf.cast(tf.constant([0.0, 1.0, 2.0]) * 2.0, tf.int32)
    assert [10, 11, 12, 13, 14, 15, 16][x[2]] == 16
    assert list(range(x[1])) == [0, 1, 2]


def test_what_is_not_referenced_is_not_computed():
    kept = tf.constant([1.0]) * 2.0
    for _ in range(3):
        tf.constant([1.0]) / 3.0
    program = THREAD.recording
    wanted = [slot for slot, reference in program.owners.items() if reference() is not None]
    assert wanted == [kept._slot]
    assert kept.numpy() == 2.0


def test_shape_and_dtype_are_known_without_running():
    x = tf.ones([4, 3]) * 2.0
    with counted() as count:
        y = tf.transpose(x) @ x
        assert (y.shape, y.dtype, y.ndim, len(y)) == ([3, 3], tf.float32, 2, 3)
        assert tf.is_tensor(y)
        assert isinstance(y, tf.Tensor)
        with pytest.raises(TypeError, match="unhashable"):
            hash(y)
        rows = list(y)
        assert [row.shape for row in rows] == [[3]] * 3
    assert count.dispatched == 0


def test_shape_arithmetic_dispatches_nothing():
    x = tf.ones([4, 6]) * 2.0
    settle()

    def arithmetic():
        rows = tf.shape(x)[0] * 2 // 4 + tf.size(x) - 24
        columns = tf.reduce_prod(tf.shape(x)[:1]) % 3
        shape = tf.concat([[rows], tf.stack([columns, -1])], axis=0)
        y = tf.reshape(x, shape)
        if tf.shape(y)[0] > 1 and tf.rank(x) == 2:
            y = y[: tf.shape(y)[0] - 1]
        return tf.cast(tf.shape(y), tf.int64), y

    with counted() as count:
        shape, y = arithmetic()
        assert shape.numpy().tolist() == [1, 1, 12]
        assert y.shape == [1, 1, 12]
    assert count.dispatched == 0
    assert y.numpy().tolist() == [[[2.0] * 12]]
    with counted() as count:
        for _ in range(3):
            arithmetic()[1].numpy()
    assert count.compiled == 0


@pytest.mark.alone
def test_loop_counters_dispatch_nothing():
    step, total = tf.Variable(0), tf.constant(0)
    with counted() as count:
        while step < 10:
            step.assign_add(1)
            total += step
        assert int(total) == 55
    assert (count.compiled, count.dispatched) == (0, 0)


def test_episode_of_looks_in_one_tape_compiles_once():
    w = tf.Variable(np.full((4, 2), 0.1, np.float32))
    states = np.random.default_rng(0).normal(size=(40, 1, 4)).astype(np.float32)

    def episode(length, offset):
        with tf.GradientTape(persistent=True) as tape:
            chosen, total = [], tf.constant(0.0)
            for state in states[offset : offset + length]:
                logits = tf.constant(state) @ w
                action = int(tf.argmax(logits, axis=1)[0])  # looks
                log_probability = tf.nn.log_softmax(logits)[0, action]
                chosen.append(action)
                total += log_probability
        return chosen, tape.gradient(total, w)

    def looks(length, offset):
        with counted() as count:
            episode(length, offset)
        return count.compiled

    first = looks(4, 0)
    assert looks(4, 4) == 0
    longer = looks(12, 10)  # the body once: the looks compile nothing that 4 of them have not
    assert first <= 4
    assert longer <= 1  # nothing has been asked of the 12-step gradient yet
    chosen, gradient = episode(12, 10)
    want = np.zeros((4, 2))
    for state, action in zip(states[10:22], chosen, strict=True):
        logits = state.astype(np.float64) @ w.numpy()
        p = np.exp(logits) / np.exp(logits).sum()
        want += state.T @ (np.eye(2)[[action]] - p)
    np.testing.assert_allclose(gradient, want, rtol=1e-4, atol=1e-5)


def test_same_program_at_another_prefix_compiles_nothing():
    def part(x):
        return tf.sin(x) * tf.cos(x) + 0.123

    first = part(tf.constant([1.0, 2.0, 3.0])).numpy()
    a = tf.constant([[5.0, 1.0]]) + 1.0
    assert a.numpy().tolist() == [[6.0, 2.0]]
    with tf.GradientTape():  # the looks within a tape do not end the recording
        b = (tf.constant([9.0]) - 1.0).numpy()
        with counted() as count:
            second = part(tf.constant([1.0, 2.0, 3.0])).numpy()
            third = part(tf.constant([1.0, 2.0, 3.0])).numpy()
    assert b == 8.0
    assert (count.compiled, count.dispatched) == (0, 2)
    assert first.tolist() == second.tolist() == third.tolist()


def test_pending_limit_lets_a_loop_run_that_nobody_looks_into():
    total, delta = tf.Variable(0.0), tf.constant(1.0)
    with counted() as count:
        for _ in range(10_000):
            total.assign_add(delta)
        assert total.numpy() == 10_000.0
    assert count.compiled <= 3
    # A read and an addition each; the first stretches and the last one run in pieces.
    in_pieces = (execution_mode.MAX_RUNS_IN_A_ROW + 1) * MAX_PENDING
    assert count.dispatched <= 2 * 10_000 // MAX_PENDING + 2 + in_pieces
    assert count.recorded <= 2 * MAX_PENDING


def test_pending_limit_within_a_tape():
    # A tape needs the whole of its window; the loop must run all the same.
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.constant(0.0)
        for _ in range(3 * MAX_PENDING):
            y = y + x
    assert tape.gradient(y, x).numpy() == 3 * MAX_PENDING
    assert y.numpy() == 3 * MAX_PENDING


# What is kept.


def test_kept_losses_do_not_keep_the_data():
    network, losses, data = Network(), [], []
    rng = np.random.default_rng(0)
    for _ in range(6):
        x = tf.constant(rng.normal(size=(8, 3)), tf.float32)
        data.append(weakref.ref(x))
        losses.append(network.step(x, network.y, 0.1))
        del x
    losses[-1].numpy()
    gc.collect()
    assert [reference() for reference in data] == [None] * 6
    assert all(np.isfinite(loss.numpy()) for loss in losses)


def test_tape_that_is_not_persistent_lets_go_of_its_data():
    x = tf.constant([1.0, 2.0])
    held = weakref.ref(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    gradient = tape.gradient(y, x)
    gradient.numpy()
    del x
    gc.collect()
    assert held() is None
    assert gradient.numpy().tolist() == [2.0, 4.0]


def test_dead_tape_keeps_nothing():
    x = tf.constant([1.0, 2.0])
    held = weakref.ref(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    y.numpy()
    del x, tape
    gc.collect()
    assert held() is None


def test_variables_are_let_go():
    variable = tf.Variable([1.0, 2.0])
    held = weakref.ref(variable)
    with tf.GradientTape() as tape:
        y = variable * variable
    tape.gradient(y, variable).numpy()
    variable.assign_add([1.0, 1.0])
    variable.numpy()
    del variable, tape, y
    settle()
    gc.collect()
    assert held() is None


def _steps_memory(steps):
    """Bytes that Python has more after many identical steps, and how the tree has grown."""
    network = Network()
    x, y = tf.constant(network.x), tf.constant(network.y)
    for _ in range(50):
        network.step(x, y, 0.01).numpy()
    gc.collect()
    size = TREE.size
    tracemalloc.start()
    try:
        for k in range(steps):
            network.step(x, y, 0.01 / (k + 1))
            if k == steps // 10:
                gc.collect()
                before = tracemalloc.get_traced_memory()[0]
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    return after - before, TREE.size - size


def test_memory_is_flat_over_2000_steps():
    grown, nodes = _steps_memory(2000)
    assert grown < 20_000  # a step that leaked one tensor would leave 100 bytes a step
    assert nodes == 0


@pytest.mark.slow
def test_memory_of_the_process_is_flat_over_20000_steps():
    network = Network()
    rng = np.random.default_rng(0)

    def train(steps):
        for k in range(steps):
            network.step(rng.normal(size=(8, 3)).astype(np.float32), network.y, 0.01 / (k + 1))
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in KiB

    before = train(5000)
    grown = train(15_000) - before
    assert grown < 5_000


def test_failing_calls_do_not_grow_the_tree():
    x = tf.constant([1.0, 2.0])
    settle()

    def fail():
        with pytest.raises(tf.errors.InvalidArgumentError):
            x + tf.constant([1.0, 2.0, 3.0])
        (x * 2.0).numpy()

    fail()
    size = TREE.size
    for _ in range(10):
        fail()
    assert TREE.size == size


def test_lambdas_made_anew_do_not_grow_the_tree():
    x = tf.Variable([1.0, 2.0])

    def step():
        @tf.custom_gradient
        def square(value):
            return value * value, lambda upstream: upstream * 3.0

        with tf.GradientTape() as tape:
            y = square(x)
        return tape.gradient(y, x).numpy()

    step(), step()
    size = TREE.size
    with counted() as count:
        for _ in range(5):
            assert step().tolist() == [3.0, 3.0]
    assert TREE.size == size
    assert count.compiled == 0


SHORT_WAY = {
    "one tensor": lambda x, v: tf.tanh(x),
    "static parameters": lambda x, v: tf.reshape(x, [2, 1]),
    "operator with a number": lambda x, v: 2.0 * x,
    "variable": lambda x, v: x + v,
    "list": lambda x, v: tf.stack([x, v]),
    "three tensors": lambda x, v: tf.where(x > 1.0, x, v),
    "optional tensors": lambda x, v: tf.nn.batch_normalization(x, v, v, None, x, 0.5),
    "random": lambda x, v: tf.random.normal([2, 3]),
}


@pytest.mark.parametrize("kind", list(SHORT_WAY))
def test_a_call_that_repeats_converts_nothing(kind, monkeypatch):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([0.5, 0.25])
    for _ in range(2):
        want = SHORT_WAY[kind](x, v).numpy()
    monkeypatch.setattr(fast_path, "record", None)  # the general way
    got = SHORT_WAY[kind](x, v).numpy()
    if kind != "random":
        np.testing.assert_array_equal(got, want)


# Values.


def test_array_changed_after_constant_does_not_change_results():
    a = np.array([1.0, 2.0], np.float32)
    x, v = tf.constant(a), tf.Variable(a)
    y, z, w = x * 2.0, v * 2.0, tf.constant([0.0, 0.0]) + a
    with tf.GradientTape() as tape:
        tape.watch(x)
        u = x * x * a
    a[:] = 99.0
    assert tape.gradient(u, x).numpy().tolist() == [2.0, 8.0]
    assert x.numpy().tolist() == v.numpy().tolist() == [1.0, 2.0]
    assert y.numpy().tolist() == z.numpy().tolist() == [2.0, 4.0]
    assert w.numpy().tolist() == [1.0, 2.0]
    v.assign(a)
    a[:] = -1.0
    assert v.numpy().tolist() == [99.0, 99.0]


def test_array_that_numpy_gives_is_the_callers_own():
    x = tf.constant([1.0, 2.0])
    x.numpy()[:] = 7.0
    with contextlib.suppress(ValueError):  # from Python 3.12 on it is read-only, as TensorFlow's
        np.asarray(x)[:] = 8.0
    np.array(x)[:] = 9.0
    y = x * 1.0
    y.numpy()[:] = 7.0
    assert x.numpy().tolist() == y.numpy().tolist() == [1.0, 2.0]
    v = tf.Variable([1.0, 2.0])
    v.numpy()[:] = 7.0
    assert v.numpy().tolist() == [1.0, 2.0]


def test_two_variables_from_one_array_are_distinct():
    a = np.array([1.0, 2.0], np.float32)
    shared = tf.constant(a)
    first, second = tf.Variable(shared), tf.Variable(shared)
    with tf.GradientTape() as tape:
        y = first * first * second
    one, two = tape.gradient(y, [first, second])
    assert one.numpy().tolist() == [2.0, 8.0]
    assert two.numpy().tolist() == [1.0, 4.0]
    first.assign_add([1.0, 1.0])
    assert second.numpy().tolist() == shared.numpy().tolist() == [1.0, 2.0]


def test_two_tensors_from_one_array_are_distinct():
    a = np.array([1.0, 2.0], np.float32)
    x, y = tf.constant(a), tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * x * y
    gradients = [g.numpy().tolist() for g in tape.gradient(z, [x, y])]
    assert gradients == [[2.0, 8.0], [1.0, 4.0]]
    array = jnp.asarray(a)
    x, y = tf.constant(array), tf.constant(array)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = x * y
    assert tape.gradient(z, [x, y])[1] is None


def test_value_kept_from_a_variable_does_not_change():
    v = tf.Variable(1.0)
    before, product = v.read_value(), v * 1.0
    v.assign(5.0)
    after = v.value()
    assert (before.numpy(), product.numpy(), after.numpy()) == (1.0, 1.0, 5.0)


# JAX.


def test_global_settings_of_jax_are_untouched():
    tf.constant(1.0, tf.float64).numpy()
    assert jax.config.jax_enable_x64 is False
    assert jnp.ones(2).dtype == np.float32
    assert jnp.arange(2).dtype == np.int32


@pytest.mark.parametrize("flag", [False, True])
def test_64_bits_are_real_whatever_the_flag(flag):
    with jax.enable_x64(flag):
        x = tf.constant([1.0, 2.0], tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.exp(x) * tf.constant(1e-20, tf.float64) + 1.0 / 3.0
        g = tape.gradient(y, x)
        big = tf.constant([2**40, 1]) * 3
        assert (y.dtype, g.dtype, big.dtype) == (tf.float64, tf.float64, tf.int64)
        np.testing.assert_allclose(g, np.exp([1.0, 2.0]) * 1e-20, rtol=1e-14)
        np.testing.assert_allclose(y, [1 / 3, 1 / 3], rtol=1e-15)
        assert big.numpy().tolist() == [3 * 2**40, 3]
        assert (tf.ones([2]) * 2.0).dtype == tf.float32
        v = tf.Variable(2**40)
        v.assign_add(1)
        assert v.numpy() == 2**40 + 1
        z = tf.cast(tf.complex(x, x), tf.complex128) * 1j
        assert z.numpy().dtype == np.complex128


def test_tensors_through_jit():
    calls = []

    @jax.jit
    def f(x, scale):
        calls.append(isinstance(x, tf.Tensor))
        y = tf.sin(x) * scale
        return {"y": y, "sum": tf.reduce_sum(y)}

    for k in range(3):
        x = tf.constant([1.0, 2.0]) + float(k)
        result = f(x, tf.constant(2.0))
        assert isinstance(result["y"], tf.Tensor)
        np.testing.assert_allclose(result["y"], np.sin([1.0 + k, 2.0 + k]) * 2, rtol=1e-6)
        np.testing.assert_allclose(result["sum"], result["y"].numpy().sum(), rtol=1e-6)
    assert calls == [True]


def test_jax_arrays_through_jit_around_facade_code():
    f = jax.jit(lambda a: jnp.cos(tf.sin(a) * 2.0))
    a = np.array([0.5, 1.0], np.float32)
    np.testing.assert_allclose(f(a), np.cos(np.sin(a) * 2), rtol=1e-5)
    np.testing.assert_allclose(f(tf.constant(a)), np.cos(np.sin(a) * 2), rtol=1e-5)


def test_tape_within_jit():
    captured = tf.Variable(3.0)

    @jax.jit
    def f(x, w):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x * w) * captured
        return tape.gradient(y, [x, w])

    x, w = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    dx, dw = f(x, w)
    assert isinstance(dx, tf.Tensor)
    assert dx.numpy().tolist() == [18.0, 48.0]
    assert dw.numpy().tolist() == [3.0, 12.0]
    assert nothing_open()


def test_nested_tapes_within_jit():
    @jax.jit
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**3
            g = inner.gradient(y, x)
        return outer.gradient(g, x)

    assert f(tf.constant(2.0)).numpy() == 12.0
    assert f(tf.constant(3.0)).numpy() == 18.0


def test_variables_within_jit():
    v = tf.Variable([1.0, 2.0])

    @jax.jit
    def f(variable, x):
        assert isinstance(variable, tf.Variable)
        variable.assign_add(x)
        return variable * 2.0, variable

    y, new = f(v, tf.constant([1.0, 1.0]))
    assert y.numpy().tolist() == [4.0, 6.0]
    assert isinstance(new, tf.Variable)
    assert new.numpy().tolist() == [2.0, 3.0]
    assert v.numpy().tolist() == [1.0, 2.0]  # what JAX passes is a copy


def test_code_after_jit_is_not_affected():
    v = tf.Variable(1.0)
    before = v * 2.0  # pending while JAX traces

    @jax.jit
    def f(x):
        return x * 3.0 + tf.ones([])

    inside = f(tf.constant(2.0))
    after = v + before
    assert (before.numpy(), inside.numpy(), after.numpy()) == (2.0, 7.0, 3.0)
    assert nothing_open()


def test_error_within_jit_leaves_nothing_behind():
    @jax.jit
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            x * x
            raise KeyError("inside")
        return tape

    with pytest.raises(KeyError):
        f(tf.constant(2.0))
    assert nothing_open()
    assert (tf.constant(2.0) * 2.0).numpy() == 4.0


def test_looking_within_jit_is_jax_s_error():
    @jax.jit
    def f(x):
        return float(x * 2.0)

    with pytest.raises((jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError)):
        f(tf.constant(2.0))
    assert (tf.constant(2.0) * 2.0).numpy() == 4.0


def test_tensors_through_vmap():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    got = jax.vmap(lambda row: tf.reduce_sum(row * row))(x)
    assert isinstance(got, tf.Tensor)
    assert got.numpy().tolist() == [5.0, 25.0]
    assert got.shape == [2]

    def slope(row):
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.reduce_sum(row**3)
        return tape.gradient(y, row)

    assert jax.vmap(slope)(x).numpy().tolist() == [[3.0, 12.0], [27.0, 48.0]]


def test_tensors_through_grad():
    def f(x, w):
        return jnp.asarray(tf.reduce_sum(tf.tanh(x) * w))

    x, w = tf.constant([0.5, 1.0]), tf.Variable([2.0, 3.0])
    dx, dw = jax.grad(f, argnums=(0, 1))(x, w)
    assert isinstance(dx, tf.Tensor)
    assert isinstance(dw, tf.Variable)
    tanh = np.tanh([0.5, 1.0])
    np.testing.assert_allclose(dx, (1 - tanh**2) * [2, 3], rtol=1e-5)
    np.testing.assert_allclose(dw, tanh, rtol=1e-6)
    value, (again, _) = jax.value_and_grad(f, argnums=(0, 1))(x, w)
    np.testing.assert_allclose(value, (tanh * [2, 3]).sum(), rtol=1e-6)
    np.testing.assert_allclose(again, dx, rtol=1e-6)


def test_grad_of_a_tape_is_its_derivative():
    def slope(a):
        x = tf.constant(a)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return jnp.asarray(tape.gradient(y, x))

    assert float(jax.grad(slope)(2.0)) == pytest.approx(12.0)
    assert float(jax.jit(jax.grad(slope))(2.0)) == pytest.approx(12.0)


def test_jnp_functions_take_tensors_and_variables():
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    assert jnp.sum(x * 2.0) == 6.0
    assert jnp.dot(x, v) == 11.0
    assert (jnp.ones(2) * jnp.asarray(v)).tolist() == [3.0, 4.0]
    assert jnp.asarray(tf.constant([2**40])).dtype == np.int64
    assert isinstance(jnp.exp(x), jax.Array)


def test_pytrees():
    x, v = tf.constant([1.0]) * 2.0, tf.Variable([3.0], name="w", trainable=False)
    leaves, structure = jax.tree.flatten({"x": x, "v": v})
    assert all(isinstance(leaf, jax.Array) for leaf in leaves)
    back = jax.tree.unflatten(structure, leaves)
    assert isinstance(back["x"], tf.Tensor)
    assert (back["v"].name, back["v"].trainable) == ("w:0", False)
    doubled = jax.tree.map(lambda a: a * 2, {"x": x, "v": v})
    assert doubled["x"].numpy() == 4.0
    assert doubled["v"].numpy() == 6.0
    assert jax.tree.structure([x, x]) == jax.tree.structure([x + 1.0, x])


def test_dlpack_both_ways():
    x = tf.constant([1.0, 2.0]) * 2.0
    assert np.from_dlpack(x).tolist() == [2.0, 4.0]
    assert jnp.from_dlpack(x).tolist() == [2.0, 4.0]
    v = tf.Variable([1.0, 2.0])
    assert np.from_dlpack(v.value()).tolist() == [1.0, 2.0]
    assert tf.constant(jnp.from_dlpack(np.array([1.0, 2.0]))).numpy().tolist() == [1.0, 2.0]


def test_dlpack_functions():
    x = tf.constant([1.0, 2.0]) * 2.0
    back = tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(x))
    assert isinstance(back, tf.Tensor)
    assert back.numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool", "complex64"])
def test_pickle_and_copies_of_tensors(dtype):
    x = tf.cast(tf.constant([0, 1, 2]) * 2, dtype)
    pending = tf.identity(x)
    for copied in (pickle.loads(pickle.dumps(pending)), copy.deepcopy(pending), copy.copy(pending)):
        assert isinstance(copied, tf.Tensor)
        assert copied.dtype == x.dtype
        assert copied.numpy().tolist() == x.numpy().tolist()
    both = pickle.loads(pickle.dumps({"a": pending, "b": [pending]}))
    assert both["a"].numpy().tolist() == both["b"][0].numpy().tolist()


def test_pickle_and_copies_of_variables():
    v = tf.Variable([1.0, 2.0], name="weights", trainable=False)
    v.assign_add([1.0, 1.0])  # pending
    for copied in (pickle.loads(pickle.dumps(v)), copy.deepcopy(v)):
        assert isinstance(copied, tf.Variable)
        assert (copied.name, copied.trainable, copied.dtype) == ("weights:0", False, tf.float32)
        copied.assign_add([1.0, 1.0])
        assert copied.numpy().tolist() == [3.0, 4.0]
        assert v.numpy().tolist() == [2.0, 3.0]
    a = copy.deepcopy([v, v])
    assert a[0] is a[1]
    free = tf.Variable([1.0], shape=tf.TensorShape(None))
    back = pickle.loads(pickle.dumps(free))
    back.assign([1.0, 2.0])
    assert back.shape == tf.TensorShape(None)


def test_deepcopy_is_another_source():
    v = tf.Variable(2.0)
    w = copy.deepcopy(v)
    with tf.GradientTape() as tape:
        y = v * v * w
    assert [g.numpy() for g in tape.gradient(y, [v, w])] == [8.0, 4.0]


def test_a_variable_handed_to_jax_within_a_tape_is_told(caplog, monkeypatch):
    monkeypatch.setattr(messages, "_WARNING_COUNTS", {})
    v, array = tf.Variable([1.0], name="v"), jnp.ones([1])
    jnp.sin(v)
    assert not caplog.records
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * array) + tf.reduce_sum(tf.constant(array * v))
    assert tape.gradient(y, v).numpy() == [1.0]  # not 2: the second product is JAX's
    assert "Variable v:0 is handed to a JAX function within a tape" in caplog.text


def test_a_refused_argument_does_not_spoil_the_right_one():
    """2 == 2.0: what is known of one must not be taken for the other."""
    tf.fill([2], tf.constant(1.5)).numpy()
    for _ in range(2):
        x = tf.constant(1.0) + 0.5  # at this place only the wrong call has been tried
        with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
            tf.fill([2.0], x)
        assert x.numpy() == 1.5
    x = tf.constant(1.0) + 0.5
    assert tf.fill([2], x).numpy().tolist() == [1.5, 1.5]


def test_equal_numbers_of_a_long_program_share_an_input(monkeypatch):
    monkeypatch.setattr(execution, "MIN_NUMBERS", 4)
    variables = [tf.Variable([float(k), 2.0]) for k in range(3)]
    compiled = []
    for rate, last in ((0.1, 0.5), (0.2, 0.5), (0.3, 0.5), (0.4, 0.25), (0.25, 0.125), (0.1, 0.5)):
        before = np.array([one.numpy() for one in variables])
        settle()
        with counted() as count:
            for one, factor in zip(variables, (0.5, 0.5, last), strict=True):
                one.assign(one * factor + rate * tf.tanh(one + 0.0) + -0.0)
            found = [one.numpy() for one in variables]
        compiled.append(count.compiled)
        np.testing.assert_allclose(
            found, before * [[0.5], [0.5], [last]] + rate * np.tanh(before), 1e-6
        )
    # Numbers that are equal no more get an input each, once and for all.
    assert compiled == [1, 0, 0, 1, 0, 0]


def test_equal_numbers_of_large_variables_are_equal_no_more(monkeypatch):
    """Whose buffers the program takes."""
    monkeypatch.setattr(execution, "MIN_NUMBERS", 3)
    v = tf.Variable(tf.ones([1024, 300]))
    v.numpy()
    for factors in ((2.0, 2.0, 2.0), (2.0, 2.0, 2.0), (0.5, 0.25, 1.0)):
        before = v.numpy()[0, 0]
        with tf.GradientTape():
            for factor in factors:
                v.assign(v * factor)
        with tf.GradientTape():
            pass
        assert v.numpy()[0, 0] == before * np.prod(factors)
