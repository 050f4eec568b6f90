"""Threads: each records for itself, and what they share stays right."""

import concurrent.futures
import os
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest
from steps import Network, nothing_open, reference_step, settle

import tapefacade as tf
from tapefacade._checkpoint import deferred_values
from tapefacade._trace.recording import THREAD

THREADS = 8


def together(function, *arguments):
    """Calls a function once for each argument, all at the same time, each in a thread."""
    barrier = threading.Barrier(len(arguments))

    def call(argument):
        barrier.wait()
        try:
            result = function(argument)
        except Exception:
            traceback.print_exc()  # of every thread: what one leaves undone another may find
            raise
        assert nothing_open()
        return result

    with concurrent.futures.ThreadPoolExecutor(len(arguments)) as pool:
        return list(pool.map(call, arguments, timeout=120))


def elsewhere(function):
    """Calls a function in a thread of its own."""
    return together(lambda _: function(), None)[0]


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()
    yield
    assert nothing_open()


@pytest.fixture(autouse=True)
def whole_tracebacks():
    # What goes wrong once in a hundred runs has to say where.
    tf.debugging.disable_traceback_filtering()
    yield
    tf.debugging.enable_traceback_filtering()


def data(seed):
    return np.random.default_rng(seed).normal(size=(8, 3)).astype(np.float32)


def gradients(network, seed):
    with tf.GradientTape() as tape:
        loss = network.loss(data(seed), network.y)
    found = tape.gradient(loss, network.variables)
    return [loss.numpy(), *[g.numpy() for g in found]]


def jacobians(network, seed):
    with tf.GradientTape(persistent=True) as tape:
        y = network(data(seed))
    return [g.numpy() for g in tape.jacobian(y, network.variables[:2])]


def third_derivative(network, seed):
    x = tf.constant(data(seed))
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = network(x)
            first = t1.gradient(y, x)
        second = t2.gradient(first, x)
    return [t3.gradient(second, x).numpy()]


def looks(network, seed):
    chosen = []
    with tf.GradientTape() as tape:
        total = tf.constant(0.0)
        for row in data(seed):
            y = network(row[None])[0, 0]
            chosen.append(float(y) > 0)
            total += y if chosen[-1] else -y
    return [np.array(chosen), *[g.numpy() for g in tape.gradient(total, network.variables)]]


@pytest.mark.parametrize("what", [gradients, jacobians, third_derivative, looks])
def test_threads_with_their_own_tapes_on_shared_variables(what):
    network = Network()
    seeds = [k % 5 for k in range(THREADS)]

    def work(seed):
        return [what(network, seed + round_) for round_ in range(3)]

    want = [work(seed) for seed in seeds]
    got = together(work, *seeds)
    for a, b in zip(got, want, strict=True):
        for rounds in zip(a, b, strict=True):
            for x, y in zip(*rounds, strict=True):
                # Not the same bits: programs that look are put together as what followed before.
                np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def test_first_calls_at_the_same_time():
    # Programs that nobody has seen before: the tree grows from eight threads at once.
    def work(size):
        x = tf.Variable(np.linspace(0.1, 1.0, size))
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sin(x) * tf.exp(x))
        return tape.gradient(y, x).numpy()

    for sizes in ([97] * THREADS, list(range(80, 80 + THREADS))):
        for size, got in zip(sizes, together(work, *sizes), strict=True):
            v = np.linspace(0.1, 1.0, size)
            np.testing.assert_allclose(got, np.exp(v) * (np.sin(v) + np.cos(v)), rtol=1e-12)


def test_assign_add_loses_nothing():
    total, counter = tf.Variable([0.0, 0.0]), tf.Variable(0)

    def work(k):
        for _ in range(100):
            total.assign_add([1.0, 2.0])
            counter.assign_add(1)
        return None

    together(work, *range(THREADS))
    assert counter.numpy() == 100 * THREADS
    assert total.numpy().tolist() == [100.0 * THREADS, 200.0 * THREADS]


def test_assign_add_with_looks_loses_nothing():
    total = tf.Variable(0.0)

    def work(k):
        seen = []
        for _ in range(60):
            total.assign_add(1.0)
            seen.append(float(total))
        return seen

    for seen in together(work, *range(THREADS)):
        assert seen == sorted(seen)
    assert total.numpy() == 60.0 * THREADS


def test_scatter_updates_lose_nothing():
    table = tf.Variable(tf.zeros([4, 2]))

    def work(k):
        for _ in range(10):
            table.scatter_nd_add([[k]], [[1.0, 2.0]])

    together(work, *range(4))
    assert table.numpy().tolist() == [[10.0, 20.0]] * 4


def test_variables_of_each_thread():
    def work(seed):
        network = Network(seed)
        losses = [float(network.step(network.x, network.y, 0.1)) for _ in range(10)]
        return losses, network.state()

    for seed, (losses, state) in enumerate(together(work, *range(THREADS))):
        network = Network(seed)
        want = network.state()
        for loss in losses:
            expected, want = reference_step(want, network.x, network.y, 0.1)
            np.testing.assert_allclose(loss, expected, rtol=1e-3)  # float32, ten steps
        for a, b in zip(state, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-2, atol=1e-3)


def test_training_on_shared_variables_stays_sane():
    # Updates interleave as they like, but each is a whole one.
    x = tf.Variable(8.0)

    def work(k):
        for _ in range(20):
            with tf.GradientTape() as tape:
                y = x * x
            x.assign_sub(0.01 * tape.gradient(y, x))

    together(work, *range(4))
    # One after the other: 8 * 0.98 ** 80. A gradient may be of an older value.
    assert 0.2 < x.numpy() < 4.0


def test_values_that_their_own_thread_computes_meanwhile():
    # Between a look that finds no value and the computation the other thread may end its step.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(60):
            x = tf.Variable(8.0)

            def work(k, x=x):
                for _ in range(10):
                    y = x * x
                    x.assign_sub(0.001 * y)
                return y.numpy()

            assert all(0.0 < value <= 64.0 for value in together(work, *range(4)))
    finally:
        sys.setswitchinterval(interval)


def test_pending_tensor_is_looked_at_in_another_thread():
    x = tf.constant([1.0, 2.0]) * 3.0
    y = x + 1.0
    assert elsewhere(lambda: y.numpy()).tolist() == [4.0, 7.0]
    assert x.numpy().tolist() == [3.0, 6.0]
    z = elsewhere(lambda: tf.constant([1.0, 2.0]) * 5.0)
    assert z.numpy().tolist() == [5.0, 10.0]


def test_pending_tensor_is_used_in_another_thread():
    x = tf.constant([1.0, 2.0]) * 3.0
    y = elsewhere(lambda: x * x)
    assert (y + x).numpy().tolist() == [12.0, 42.0]
    assert elsewhere(lambda: (y - x).numpy()).tolist() == [6.0, 30.0]


def test_pending_variable_is_looked_at_in_another_thread():
    v = tf.Variable([1.0, 2.0])
    v.assign_add([1.0, 1.0])
    assert elsewhere(lambda: v.numpy()).tolist() == [2.0, 3.0]
    elsewhere(lambda: v.assign(v * 2.0))
    v.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [5.0, 7.0]


def test_many_threads_look_at_one_pending_tensor():
    for round_ in range(10):
        x = tf.constant([1.0, 2.0]) * float(round_)
        for seen in together(lambda _, x=x: x.numpy(), *range(THREADS)):
            assert seen.tolist() == [round_, 2.0 * round_]


def test_looking_while_the_owner_records():
    # One thread goes on recording while others look at what it has recorded.
    made, stop = [], threading.Event()

    def work(k):
        if k == 0:
            x = tf.Variable(1.0)
            for n in range(100):
                made.append((n, x * float(n)))
            stop.set()
            return 0
        seen = 0
        while not stop.is_set() or seen < 5:
            if made:
                n, tensor = made[np.random.default_rng(seen).integers(len(made))]
                assert tensor.numpy() == n
                seen += 1
        return seen

    assert min(together(work, *range(4))[1:]) > 0


def test_tensor_of_an_open_tape_is_looked_at_in_another_thread():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        assert elsewhere(lambda: y.numpy()).tolist() == [1.0, 4.0]
        z = y * x
    assert tape.gradient(z, x).numpy().tolist() == [3.0, 12.0]


def test_other_threads_do_not_record_on_a_tape():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
        z = elsewhere(lambda: x * x * x)
    assert tape.gradient([y, z], x).numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize("looked", [False, True])
def test_tape_used_in_another_thread(looked):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * v
        z = tf.reduce_sum(y)
    if looked:
        z.numpy()
    dx, dv = elsewhere(lambda: tape.gradient(z, [x, v]))
    assert dx.numpy().tolist() == [6.0, 16.0]
    assert dv.numpy().tolist() == [1.0, 4.0]
    rows = elsewhere(lambda: tape.jacobian(y, x).numpy())
    assert rows.tolist() == [[6.0, 0.0], [0.0, 16.0]]
    assert tape.gradient(y, v).numpy().tolist() == [1.0, 4.0]


def test_tape_recorded_elsewhere_is_used_here():
    def record():
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape, x, y

    tape, x, y = elsewhere(record)
    assert tape.gradient(y, x).numpy() == 27.0


def test_tape_used_in_another_thread_within_a_tape():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**3

    def work():
        w = tf.Variable(2.0)
        with tf.GradientTape() as other:
            g = tape.gradient(y, x) * w * w
        return other.gradient(g, w).numpy()

    assert elsewhere(work) == 27.0 * 4


def test_error_belongs_to_the_thread_that_looks():
    v = tf.Variable([1.0, 2.0, 3.0])

    def work(k):
        index = tf.cast(tf.constant(float(k)) * 1.0, tf.int32)
        with tf.GradientTape() as tape:
            y = tf.gather(v, index)
        g = tape.gradient(y, v)
        try:
            return tf.convert_to_tensor(g).numpy().tolist()
        except tf.errors.InvalidArgumentError as error:
            return str(error)

    for k, got in enumerate(together(work, *range(6))):
        if k < 3:
            assert got == np.eye(3)[k].tolist()
        else:
            assert f"indices = {k} is not in [0, 3)" in got
    assert v.numpy().tolist() == [1.0, 2.0, 3.0]


def test_variables_that_are_made_while_a_checkpoint_waits(monkeypatch, tmp_path):
    # They look for a value when they are read first; here that takes long, and all read at once.
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).save(str(tmp_path / "saved"))
    waiting = tf.train.Checkpoint()
    status = waiting.restore(path)
    resolve_all = deferred_values.resolve_all

    def slowly():
        time.sleep(0.1)
        resolve_all()

    monkeypatch.setattr(deferred_values, "resolve_all", slowly)
    other, v = tf.Variable([3.0, 4.0]), tf.Variable([0.0, 0.0])
    assert together(lambda _: (other + 1.0).numpy().tolist(), *range(4)) == [[4.0, 5.0]] * 4
    waiting.v = v
    assert together(lambda _: (v * 2.0).numpy().tolist(), *range(4)) == [[2.0, 4.0]] * 4
    status.assert_consumed()


def test_first_look_at_a_variable_is_interrupted_while_a_checkpoint_waits(monkeypatch, tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).save(str(tmp_path / "saved"))
    waiting = tf.train.Checkpoint()
    waiting.restore(path)
    other = tf.Variable([3.0, 4.0])
    with monkeypatch.context() as patched:

        def interrupted():
            raise KeyboardInterrupt

        patched.setattr(deferred_values, "resolve_all", interrupted)
        with pytest.raises(KeyboardInterrupt):
            other.numpy()
    assert other.numpy().tolist() == [3.0, 4.0]


def test_failed_tensor_in_another_thread():
    bad = tf.gather([1.0, 2.0], tf.cast(tf.constant([5.0]) * 1.0, tf.int32))

    def look():
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
            bad.numpy()

    elsewhere(look)
    look()


ENDING = """
import threading, time
import tapefacade as tf
def work():
    while True:
        (tf.random.normal([50, 50]) @ tf.ones([50, 50])).numpy()
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(1.0)
print("end")
"""
FORKED = """
import os
import tapefacade as tf
known = tf.ones([200, 200]) @ tf.ones([200, 200])
large = tf.Variable(tf.zeros([600, 600]))
@tf.function
def step():
    large.assign_add(tf.ones([600, 600]))
def assign():
    large.assign(large + 1.0)
    large.numpy()
calls = (step, assign, lambda: tf.reduce_sum(known @ known).numpy())
for call in calls * 3:
    call()
if os.fork() == 0:
    print(known.numpy()[0, 0], flush=True)
    for call in calls * 2:
        try:
            call()
        except tf.errors.FailedPreconditionError as error:
            print(str(error)[:46], flush=True)
    print(large.numpy()[0, 0], flush=True)
    os._exit(0)
os.wait()
"""


def of_another_process(program):
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_process_ends_while_a_daemon_thread_computes():
    for _ in range(3):
        assert of_another_process(ENDING) == ["end"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_says_that_it_cannot_compute():
    refused = "This process was forked from one in which JAX "
    assert of_another_process(FORKED) == ["200.0", *[refused] * 6, "6.0"]


def test_threads_end_with_what_they_leave_pending():
    def work(k):
        return tf.constant([1.0, 2.0]) * float(k), tf.Variable(0.0).assign_add(1.0)

    for k, (product, variable) in enumerate(together(work, *range(THREADS))):
        assert product.numpy().tolist() == [k, 2.0 * k]
        assert variable.numpy() == 1.0
    assert THREAD.recording is not elsewhere(lambda: THREAD.recording)


def test_a_coordinator_raises_the_first_error_when_threads_are_joined():
    coordinator, counted = tf.train.Coordinator(), []

    def count():
        with coordinator.stop_on_exception():
            while not coordinator.should_stop():
                counted.append(1)
                coordinator.wait_for_stop(0.001)

    def fail():
        with coordinator.stop_on_exception():
            raise ValueError("broken")

    threads = [threading.Thread(target=count), threading.Thread(target=fail)]
    coordinator.register_thread(threads[0])
    for thread in threads:
        thread.start()
    with pytest.raises(ValueError, match="broken"):
        coordinator.join(threads[1:])
    assert coordinator.joined
    assert not any(thread.is_alive() for thread in threads)
    with pytest.raises(ValueError, match="broken"):
        coordinator.raise_requested_exception()
    with pytest.raises(KeyError):
        coordinator.request_stop(KeyError("later"))
    coordinator.clear_stop()
    assert not coordinator.should_stop()
    assert not coordinator.joined


def test_a_coordinator_takes_the_end_of_data_for_no_error():
    coordinator = tf.train.Coordinator()
    with coordinator.stop_on_exception():
        raise tf.errors.OutOfRangeError(None, None, "end")
    assert coordinator.should_stop()
    coordinator.join()
    other = tf.train.Coordinator(clean_stop_exception_types=(StopIteration,))
    other.request_stop(StopIteration())
    other.join()
    with pytest.raises(ValueError, match="ex must be a tuple"):
        tf.train.Coordinator().request_stop("no error")


def test_a_coordinator_names_threads_that_do_not_stop():
    coordinator, end = tf.train.Coordinator(), threading.Event()
    thread = threading.Thread(target=end.wait, name="stubborn")
    thread.start()
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="threads still running: stubborn"):
        coordinator.join([thread], stop_grace_period_secs=0.01)
    coordinator.join([thread], stop_grace_period_secs=0.01, ignore_live_threads=True)
    end.set()
    thread.join()
