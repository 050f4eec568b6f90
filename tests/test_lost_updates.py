"""No update is lost or half done: threads that assign at the same time, and interrupts anywhere."""

import dis
import os
import sys
import threading

import numpy as np
import pytest
from steps import close_everything, nothing_open, settle

import tapefacade as tf
from tapefacade._trace.assignments import HOLDS
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import PACKAGE

THREADS = 4


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()
    yield
    close_everything()
    assert HOLDS == {}


@pytest.fixture
def often():
    """Threads take turns after every few bytecodes."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(*functions):
    """Calls functions at the same time, each in a thread; raises what one of them raises."""
    barrier, errors = threading.Barrier(len(functions)), []

    def call(function):
        barrier.wait()
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    for error in errors:
        raise error


@pytest.fixture
def fast_disk(monkeypatch):
    """Nobody waits until files are on the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def times(count, call):
    def repeat():
        for _ in range(count):
            call()

    return repeat


# Threads.


def test_threads_call_one_function(often):
    v = tf.Variable(0)

    @tf.function
    def add():
        v.assign_add(1)

    together(*[times(500, add)] * THREADS)  # the first call among them
    assert int(v) == 500 * THREADS


@pytest.mark.parametrize("autograph", [True, False])
def test_threads_call_a_function_whose_python_runs(often, autograph):
    """One thread records the first call while another, which knows that Python runs, assigns."""
    for _ in range(10):
        total = tf.Variable(0.0)

        @tf.function(autograph=autograph)
        def looks(n, total=total):
            total.assign_add(1.0)
            return tf.zeros([n])

        together(*[times(10, lambda looks=looks: looks(tf.constant(2)))] * THREADS)
        assert float(total) == 10.0 * THREADS


def test_threads_call_different_functions_and_plain_steps_on_shared_variables(often):
    a, b, c = (tf.Variable(0.0) for _ in range(3))

    @tf.function
    def first():
        a.assign_add(1.0)
        b.assign_add(1.0)

    @tf.function
    def second():
        b.assign_add(1.0)
        c.assign_add(1.0)

    @tf.function
    def third():
        c.assign_add(1.0)
        a.assign_add(1.0)

    def plain_steps():
        for _ in range(60):
            a.assign_add(1.0)
            b.assign_sub(-1.0)
            c.assign_add(1.0)

    together(times(200, first), times(200, second), times(200, third), plain_steps)
    assert [float(v) for v in (a, b, c)] == [460.0] * 3


def test_a_function_of_two_variables_assigns_both_at_one_moment(often):
    a, b = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def move():
        a.assign_add(1.0)
        b.assign(2.0 * a)

    move()
    together(*[times(300, move)] * THREADS)
    assert float(a) == 1.0 + 300 * THREADS
    assert float(b) == 2.0 * float(a)


def test_functions_within_tapes(often):
    v, x = tf.Variable(0.0), tf.Variable(3.0)

    @tf.function
    def loss():
        v.assign_add(1.0)
        return x * x

    def step():
        with tf.GradientTape() as tape:
            y = loss()
        assert float(tape.gradient(y, x)) == 6.0

    together(*[times(40, step)] * THREADS)
    assert float(v) == 40.0 * THREADS


def test_loops_and_branches(often):
    v = tf.Variable(0.0)

    def loop():
        tf.while_loop(lambda i: i < 3, lambda i: (v.assign_add(1.0), i + 1)[1:], [tf.constant(0)])

    @tf.function
    def branch(x):
        if x > 0:
            v.assign_add(1.0)
        else:
            v.assign_sub(1.0)

    def branches():
        tf.cond(tf.constant(1.0) > 0, lambda: v.assign_add(1.0), lambda: v.assign_sub(1.0))

    together(times(20, loop), times(60, lambda: branch(tf.constant(1.0))), times(20, branches))
    assert float(v) == 60.0 + 60.0 + 20.0


@pytest.mark.parametrize("rule", ["SGD", "Adam"])
@pytest.mark.parametrize("compiled", [False, True])
def test_optimizers(often, rule, compiled):
    keras = pytest.importorskip("keras")
    assert keras is not None
    v = tf.Variable([0.0, 0.0])
    optimizer = getattr(tf.keras.optimizers, rule)(1.0)
    optimizer.build([v])

    def step():
        optimizer.apply_gradients([(tf.constant([-1.0, -2.0]), v)])

    call = tf.function(step) if compiled else step
    together(*[times(30, call)] * THREADS)
    assert int(optimizer.iterations) == 30 * THREADS
    if rule == "SGD":
        assert v.numpy().tolist() == [30.0 * THREADS, 60.0 * THREADS]


def test_large_variables(often):
    v = tf.Variable(tf.zeros([600, 600]) * 1.0)  # more than a MiB: its buffer is handed over

    @tf.function
    def add():
        v.assign_add(tf.ones([600, 600]))

    together(*[times(30, add)] * THREADS, times(30, lambda: v.assign_add(tf.ones([600, 600]))))
    assert (v.numpy() == 30.0 * (THREADS + 1)).all()


def test_variables_while_another_thread_records_a_function():
    v = tf.Variable(10.0)
    begun, go_on = threading.Event(), threading.Event()

    @tf.function
    def slow():
        v.assign_add(1.0)
        begun.set()
        assert go_on.wait(60)
        v.assign_add(1.0)

    thread = threading.Thread(target=slow)
    thread.start()
    assert begun.wait(60)
    assert float(v) == 10.0  # recorded, not done
    v.assign_add(100.0)
    other = tf.function(lambda: v.assign_add(1000.0))
    other()
    other()
    assert float(v) == 2110.0
    go_on.set()
    thread.join(60)
    assert float(v) == 2112.0
    slow()
    assert float(v) == 2114.0
    assert slow.experimental_get_tracing_count() == 1


def test_two_threads_record_functions_that_assign_one_variable():
    v = tf.Variable(0.0)
    inside = [threading.Event(), threading.Event()]

    def make(number, amount):
        @tf.function
        def function():
            v.assign_add(amount)
            inside[number].set()
            assert inside[1 - number].wait(60)
            v.assign_add(amount)

        return function

    functions = [make(0, 1.0), make(1, 10.0)]
    together(*functions)
    assert float(v) == 22.0
    for function in functions:
        function()
    assert float(v) == 44.0


def test_locks_that_are_shared_later():
    variables = [tf.Variable(0.0) for _ in range(6)]

    def pair(i, j):
        def add():
            variables[i].assign_add(1.0)
            variables[j].assign_add(1.0)

        return tf.function(add)

    calls = [pair(i, (i + 1) % 6) for i in range(6)]
    together(*[times(50, call) for call in calls])
    assert len({id(v._lock) for v in variables}) == 1
    assert [float(v) for v in variables] == [100.0] * 6


# Interrupts.

# Python ignores an interrupt within `__del__`, and tells of a file that nobody has closed.
UNRAISED = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
CHECKED = ("RESUME", "JUMP_BACKWARD")  # where Python looks for signals, and after every call


def interrupt(place, call):
    """Calls, and raises KeyboardInterrupt at the n-th bytecode at which a signal can be noticed.

    Returns:
        Where it was raised; None if there were fewer.
    """
    found, count, after_call = None, 0, {}
    names = {}

    def trace(frame, event, argument):
        nonlocal found, count
        if not frame.f_code.co_filename.startswith((PACKAGE, __file__)):
            return None
        frame.f_trace_opcodes = True
        if event != "opcode":
            return trace
        code = frame.f_code
        if code not in names:
            names[code] = {i.offset: i.opname for i in dis.get_instructions(code)}
        name = names[code][frame.f_lasti]
        if after_call.pop(frame, False) or name in CHECKED:
            count += 1
            if count == place:
                found = f"{code.co_filename}:{frame.f_lineno} in {code.co_name}"
                raise KeyboardInterrupt("injected")
        if name.startswith("CALL"):
            after_call[frame] = True
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return found


class Together:
    """Variables that one call counts up together."""

    def __init__(self):
        self.a, self.b = tf.Variable(0.0), tf.Variable(0.0)
        self.n = tf.Variable(0)

    def step(self):
        self.a.assign_add(1.0)
        self.b.assign_sub(1.0)
        self.n.assign_add(1)

    def state(self):
        return float(self.a), float(self.b), int(self.n)


def torn_by_interrupts(make, wanted, stride=1):
    """Interrupts a call everywhere; returns where the state was no whole number of steps.

    Args:
        make: makes the call and a function that returns its state.
        wanted: tells whether a state is right.
        stride: the distance of the places.
    """
    wrong, place = [], 1
    call, state = make()
    while True:
        where = interrupt(place, call)
        try:
            found = state()
            if not wanted(found):
                wrong.append(f"{where}: {found}")
                call, state = make()
            elif not nothing_open() or HOLDS or THREAD.functions or THREAD.journals:
                wrong.append(f"{where}: something is open")
                close_everything()
                THREAD.functions.clear()
                THREAD.journals.clear()
                call, state = make()
            call()
            if not wanted(state()):
                wrong.append(f"{where}: {state()} after another call")
                call, state = make()
        except Exception as error:
            wrong.append(f"{where}: {type(error).__name__}: {error}")
            close_everything()
            call, state = make()
        if where is None:
            return wrong
        place += stride


def alike(state):
    a, b, n = state
    return a == -b == n


def compiled():
    model = Together()
    step = tf.function(model.step)
    step()
    return step, model.state


def python_mode():
    model = Together()

    @tf.function
    def step():
        if float(model.a) > -1.0:
            model.step()

    step()
    step()
    return step, model.state


def looks_between():
    """What a look has computed is taken back as well."""
    model = Together()

    @tf.function
    def step():
        model.a.assign_add(1.0)
        if float(model.a) > -1.0:
            model.b.assign_sub(1.0)
        int(model.n)
        model.n.assign_add(1)

    step()
    step()
    return step, model.state


def calls_between():
    """A function that is called within one whose Python runs assigns at once."""
    model = Together()

    @tf.function
    def inner():
        model.b.assign_sub(1.0)

    @tf.function
    def step():
        model.a.assign_add(1.0)
        float(model.a)
        inner()
        model.n.assign_add(1)

    step()
    step()
    return step, model.state


def many_ops():
    model = Together()

    @tf.function
    def step():
        float(model.a)
        model.a.assign_add(1.0)
        y = tf.constant(1.0)
        for _ in range(300):  # more than what is recorded without being computed
            y = y * 1.0
        model.b.assign_sub(y)
        model.n.assign_add(1)

    step()
    step()
    return step, model.state


def printing():
    """JAX makes an error of its own of Ctrl-C in Python that a program calls."""
    model = Together()

    @tf.function
    def step():
        model.a.assign_add(1.0)
        tf.print(model.a)
        model.b.assign_sub(1.0)
        model.n.assign_add(1)

    step()
    step()
    return step, model.state


def first_call():
    model = Together()
    return lambda: tf.function(model.step)(), model.state


def within_a_tape():
    model = Together()
    x = tf.Variable(1.0)

    @tf.function
    def loss():
        model.step()
        return x * x

    def step():
        with tf.GradientTape() as tape:
            y = loss()
        tape.gradient(y, x)

    step()
    step()
    return step, model.state


def in_a_loop():
    model = Together()

    def body(i):
        model.step()
        return [i + 1]

    def step():
        tf.while_loop(lambda i: i < 2, body, [tf.constant(0)])

    step()
    return step, model.state


@pytest.mark.parametrize(
    ("make", "stride"),
    [
        (compiled, 1),
        (python_mode, 5),
        (looks_between, 17),
        (calls_between, 17),
        (many_ops, 397),
        (printing, 5),
        (first_call, 17),
        (within_a_tape, 7),
        (in_a_loop, 29),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_call_that_is_interrupted_assigns_all_or_nothing(make, stride):
    assert torn_by_interrupts(make, alike, stride) == []


def test_an_optimizer_that_is_interrupted():
    pytest.importorskip("keras")

    def make():
        variables = [tf.Variable(0.0), tf.Variable(0.0)]
        optimizer = tf.keras.optimizers.SGD(1.0)
        gradients = [tf.constant(-1.0), tf.constant(-1.0)]

        def step():
            optimizer.apply_gradients(zip(gradients, variables, strict=True))

        step()
        step()

        def state():
            return [float(v) for v in (*variables, optimizer.iterations)]

        return step, state

    assert torn_by_interrupts(make, lambda state: len(set(state)) == 1, 23) == []


@UNRAISED
@UNRAISED
def test_a_metric_that_is_interrupted():
    def make():
        mean = tf.keras.metrics.Mean()
        mean.update_state([2.0])
        return lambda: mean.update_state([2.0, 2.0]), lambda: (float(mean.total), int(mean.count))

    assert torn_by_interrupts(make, lambda state: state[0] == 2 * state[1], 23) == []


def test_restoring_a_checkpoint_that_is_interrupted(tmp_path):
    saved = Together()
    for _ in range(3):
        saved.step()
    path = tf.train.Checkpoint(**vars(saved)).save(tmp_path / "c")

    def make():
        model = Together()
        checkpoint = tf.train.Checkpoint(**vars(model))

        return lambda: checkpoint.read(path), model.state

    assert torn_by_interrupts(make, lambda s: s in ((0.0, 0.0, 0), (3.0, -3.0, 3)), 13) == []


@UNRAISED
def test_writing_over_a_checkpoint_that_is_interrupted(tmp_path, fast_disk):
    model = Together()
    model.step()
    checkpoint = tf.train.Checkpoint(**vars(model))
    path = checkpoint.write(tmp_path / "c")

    def state():
        read = Together()
        tf.train.Checkpoint(**vars(read)).read(path).assert_consumed()
        return read.state(), len(os.listdir(tmp_path))

    def make():
        return lambda: checkpoint.write(path), state

    assert torn_by_interrupts(make, lambda found: found == ((1.0, -1.0, 1), 2), 11) == []


@UNRAISED
def test_a_manager_that_is_interrupted_keeps_no_more_than_it_may(tmp_path, fast_disk):
    model = Together()
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(**vars(model)), tmp_path, 2)

    def left():
        return {name for name in os.listdir(tmp_path) if name != "checkpoint"}

    def make():
        manager.save()
        manager.save()
        return manager.save, lambda: None

    assert torn_by_interrupts(make, lambda _: True, 23) == []
    manager.save()
    assert len(left()) == 4  # an index and values for each
    assert all(tf.io.gfile.exists(f"{path}.index") for path in manager.checkpoints)


@UNRAISED
def test_weights_and_files_of_keras_that_are_interrupted(tmp_path, fast_disk):
    pytest.importorskip("keras")
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    numbers = iter(range(10_000))

    def set_weights():
        number = float(next(numbers))
        model.set_weights([np.full(tuple(w.shape), number, np.float32) for w in model.weights])

    def state():
        return {float(w.numpy().ravel()[0]) for w in model.weights}

    set_weights()
    assert torn_by_interrupts(lambda: (set_weights, state), lambda s: len(s) == 1, 11) == []
    path = tmp_path / "m.weights.h5"
    model.save_weights(path)
    saved = state()

    def load():
        model.load_weights(path)

    def loaded():
        found = state()
        set_weights()
        return found | (state() if len(found) > 1 else set())

    assert torn_by_interrupts(lambda: (load, loaded), lambda s: len(s) == 1, 83) == []
    model.load_weights(path)
    for name, read in (
        ("m.weights.h5", model.load_weights),
        ("m.keras", tf.keras.models.load_model),
        ("m.h5", tf.keras.models.load_model),
    ):
        file = tmp_path / name
        save = model.save_weights if "weights" in name else model.save
        save(file)

        def kept(file=file, read=read):
            read(file)
            return os.listdir(tmp_path)

        def make(file=file, save=save, kept=kept):
            return lambda: save(file), kept

        assert (
            torn_by_interrupts(make, lambda names: not any(".part" in n for n in names), 307) == []
        )
    assert state() == saved


def test_fit_that_is_interrupted():
    pytest.importorskip("keras")

    def make():
        model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        x = np.ones((1, 1), np.float32)
        model.train_on_batch(x, x)
        seen = []

        def state():
            weights = tuple(float(w.numpy().ravel()[0]) for w in model.weights)
            seen.append((int(model.optimizer.iterations), weights))
            return seen

        def whole(seen):
            # One number of steps has one set of weights.
            return len({count for count, _ in seen}) == len(set(seen))

        make.whole = whole
        return lambda: model.train_on_batch(x, x), state

    make()
    assert torn_by_interrupts(make, lambda seen: make.whole(seen), 41) == []


@pytest.mark.parametrize("assigns_again", [False, True])
def test_what_another_thread_assigns_stays_when_a_call_is_interrupted(assigns_again):
    """The journal of the call notes it: it gives back what the other thread has assigned."""
    first, second = tf.Variable(0.0), tf.Variable(0.0)
    has_assigned, may_end = threading.Event(), threading.Event()

    @tf.function(autograph=False)
    def call(x):
        float(x)  # from here on Python runs, and nothing is recorded
        first.assign_add(1.0)
        second.assign_add(1.0)
        has_assigned.set()
        assert may_end.wait(60.0)
        if assigns_again:
            first.assign_add(1.0)
        raise KeyboardInterrupt

    def assign():
        assert has_assigned.wait(60.0)
        first.assign(100.0)
        float(first)
        may_end.set()

    other = threading.Thread(target=assign)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        call(tf.constant(1.0))
    other.join()
    assert [float(first), float(second)] == [100.0, 0.0]
