"""Training steps that several modules take, and exact counts of what the engine did."""

import contextlib
import sys

import jax
import numpy as np

import tapefacade as tf
from tapefacade._trace import execution
from tapefacade._trace.execution import STATISTICS
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import PACKAGE

SHAPES = [(3, 4), (4,), (4, 4), (4,), (4, 1), (1,)]


class Count:
    """How many programs were compiled and dispatched, how many instructions were new."""

    compiled = dispatched = recorded = -1


@contextlib.contextmanager
def counted():
    count, before = Count(), dict(vars(STATISTICS))
    yield count
    for name, value in before.items():
        setattr(count, name, getattr(STATISTICS, name) - value)


def settle():
    """Ends what this thread has pending, so that the next count begins with nothing."""
    recording = THREAD.recording
    try:
        recording.flush()
    finally:
        if THREAD.recording is recording and not recording.is_held:
            recording.close()


def nothing_open():
    """Whether no tape of this thread is open."""
    recording = THREAD.recording
    return not recording.is_held and recording.watchers() == []


def close_everything():
    """Forgets what an unsuccessful test has left."""
    THREAD.recording.blocks.clear()
    THREAD.recording.close()


class Network:
    """Six variables, the same at every construction."""

    def __init__(self, seed=0, dtype=np.float32):
        rng = np.random.default_rng(seed)
        self.variables = [tf.Variable(rng.normal(size=s).astype(dtype)) for s in SHAPES]
        self.x = rng.normal(size=(8, 3)).astype(dtype)
        self.y = rng.normal(size=(8, 1)).astype(dtype)

    def __call__(self, x):
        a, b, c, d, e, f = self.variables
        return tf.tanh(tf.tanh(x @ a + b) @ c + d) @ e + f

    def loss(self, x, y):
        return tf.reduce_mean(tf.square(self(x) - y))

    def step(self, x, y, rate):
        with tf.GradientTape() as tape:
            loss = self.loss(x, y)
        gradients = tape.gradient(loss, self.variables)
        for variable, gradient in zip(self.variables, gradients, strict=True):
            variable.assign_sub(rate * gradient)
        return loss

    def state(self):
        return [variable.numpy() for variable in self.variables]


def reference_step(state, x, y, rate):
    """The same step in float64 NumPy: the loss, and the new state."""
    a, b, c, d, e, f = (np.asarray(v, np.float64) for v in state)
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    h1 = np.tanh(x @ a + b)
    h2 = np.tanh(h1 @ c + d)
    error = h2 @ e + f - y
    up = 2 * error / error.size
    g2 = (up @ e.T) * (1 - h2**2)
    g1 = (g2 @ c.T) * (1 - h1**2)
    gradients = [x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ up, up.sum(0)]
    new = [v - rate * g for v, g in zip((a, b, c, d, e, f), gradients, strict=True)]
    return np.mean(error**2), new


class InjectedError(Exception):
    """Stands for anything that may go wrong anywhere."""


def interrupted(line, error, call):
    """Calls, and raises at the n-th line that runs within the package.

    Returns:
        Where it was raised (None: the call had fewer lines), and how many lines ran.
    """
    place, ran = None, 0

    def trace(frame, event, argument):
        nonlocal place, ran
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            ran += 1
            if ran == line:
                name = frame.f_code.co_filename[len(PACKAGE) :]
                place = f"{name}:{frame.f_lineno} in {frame.f_code.co_name}"
                raise error("injected")
        return trace

    before, x64 = sys.gettrace(), jax.config.jax_enable_x64
    sys.settrace(trace)
    try:
        call()
    except error as raised:
        if str(raised) != "injected":
            raise
    finally:
        sys.settrace(before)
        # A trace function may raise between the body of `with jax.enable_x64(True)` and its exit,
        # where neither a signal nor an error can: the setting would stay for this thread.
        if jax.config.jax_enable_x64 != x64:
            jax.enable_x64(x64).__enter__()
    return place, ran


def temporaries(step, x, monkeypatch):
    """The bytes that the last program takes beside arguments and results; and the results."""
    programs = []
    execute = execution.Program.execute

    def noting(self, arguments, first=None):
        programs.append((self, arguments))
        return execute(self, arguments, first)

    with monkeypatch.context() as patched:
        patched.setattr(execution.Program, "execute", noting)
        found = [value.numpy() for value in step(x)]
    program, arguments = programs[-1]
    with jax.enable_x64(True):
        compiled = jax.jit(program.executable._run).lower(*arguments).compile()
    return compiled.memory_analysis().temp_size_in_bytes, found
