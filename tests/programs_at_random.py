"""Random small programs, and a tape of sixty lines that says what they give.

A program is a list of statements over a pool of values that grows: the first two are variables, the
next two are constants. `Facade` runs it on the package, `Oracle` on a naive tape that records every
op by itself (on 1,487 programs TensorFlow 2.21 gave what the oracle gives). All values are float64.
"""

import contextlib
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

import tapefacade as tf

START = (
    np.array([0.3, -0.7]),
    np.array([[0.5, 1.1], [-0.4, 0.2]]),
    np.array([1.2, 0.4]),
    np.array(0.6),
)
VARIABLES = 2


class Op(NamedTuple):
    name: str
    first: int
    second: int


class Look(NamedTuple):
    value: int


class Watch(NamedTuple):
    value: int


class Assign(NamedTuple):
    variable: int
    value: int


class Pause(NamedTuple):
    body: tuple


class Tape(NamedTuple):
    persistent: bool
    accessed: bool
    inside: bool  # the first gradient is asked for within the block
    body: tuple
    targets: tuple
    sources: tuple


# What each op is to us and to JAX. No value grows fast, and ties do not happen by accident. Shapes
# are (), (2,) and (2, 2).
UNARY = {
    "sin": (tf.sin, jnp.sin),
    "tanh": (tf.tanh, jnp.tanh),
    "sigmoid": (tf.sigmoid, jax.nn.sigmoid),
    "softplus": (tf.nn.softplus, jax.nn.softplus),
    "atan": (tf.atan, jnp.arctan),
    "square": (lambda x: tf.square(tf.sin(x)), lambda x: jnp.square(jnp.sin(x))),
    "cube": (lambda x: tf.tanh(x) ** 3, lambda x: jnp.tanh(x) ** 3),
    "exp": (lambda x: tf.exp(-x * x), lambda x: jnp.exp(-x * x)),
    "log1p": (lambda x: tf.math.log1p(x * x), lambda x: jnp.log1p(x * x)),
    "sqrt": (lambda x: tf.sqrt(x * x + 1.0), lambda x: jnp.sqrt(x * x + 1.0)),
    "scale": (lambda x: 0.5 * x - 0.25, lambda x: 0.5 * x - 0.25),
    "negative": (lambda x: -x, lambda x: -x),
    "relu": (lambda x: tf.nn.relu(x + 0.0371), lambda x: jax.nn.relu(x + 0.0371)),
    "abs": (lambda x: tf.abs(x - 0.0137), lambda x: jnp.abs(x - 0.0137)),
    "identity": (tf.identity, lambda x: x),
}
BINARY = {
    "add": (lambda x, y: x + y, jnp.add),
    "subtract": (tf.subtract, jnp.subtract),
    "multiply": (lambda x, y: x * y, jnp.multiply),
    "divide": (lambda x, y: x / (1.5 + tf.tanh(y)), lambda x, y: x / (1.5 + jnp.tanh(y))),
    "maximum": (
        lambda x, y: tf.maximum(x, y + 0.0123),
        lambda x, y: jnp.maximum(x, y + 0.0123),
    ),
    "where": (
        lambda x, y: tf.where(x > y + 0.0171, tf.sin(x), y),
        lambda x, y: jnp.where(x > y + 0.0171, jnp.sin(x), y),
    ),
    "matmul": (
        lambda x, y: x @ y if len(x.shape) == len(y.shape) == 2 else x * y,
        lambda x, y: x @ y if x.ndim == y.ndim == 2 else x * y,
    ),
}
SHAPING = {
    "sum": (tf.reduce_sum, jnp.sum),
    "mean": (
        lambda x: tf.reduce_mean(x, axis=-1) if len(x.shape) else x * 1.0,
        lambda x: jnp.mean(x, axis=-1) if x.ndim else x * 1.0,
    ),
    "logsumexp": (tf.reduce_logsumexp, jax.nn.logsumexp),
    "transpose": (tf.transpose, jnp.transpose),
    "row": (
        lambda x: x[1] if len(x.shape) else x + 1.0,
        lambda x: x[1] if x.ndim else x + 1.0,
    ),
    "stack": (
        lambda x: tf.stack([x, x * 0.5]) if len(x.shape) < 2 else tf.reverse(x, [0]),
        lambda x: jnp.stack([x, x * 0.5]) if x.ndim < 2 else x[::-1],
    ),
    "reshape": (
        lambda x: tf.reshape(tf.reshape(x, [-1]), tf.shape(x)),
        lambda x: x.reshape(-1).reshape(x.shape),
    ),
}
BLOCKING = {
    "stop_gradient": (tf.stop_gradient, lambda x: x),
    "floor": (lambda x: tf.floor(x * 1.7 + 0.31), lambda x: jnp.floor(x * 1.7 + 0.31)),
    "cast": (
        lambda x: tf.cast(tf.cast(x * 3.1 + 0.17, tf.int32), tf.float64),
        lambda x: (x * 3.1 + 0.17).astype(jnp.int32).astype(jnp.float64),
    ),
}
OPS = {**UNARY, **BINARY, **SHAPING, **BLOCKING}
SMOOTH = [n for n in (*UNARY, *BINARY, *SHAPING) if n not in ("relu", "abs", "maximum", "where")]


# Programs.


def ops(names=tuple(OPS)):
    index = st.integers(0, 30)
    return st.builds(Op, st.sampled_from(names), index, index)


def _bodies(depth):
    index = st.integers(0, 30)
    statements = [ops(), ops(), ops(), st.builds(Look, index)]
    statements.append(st.builds(Assign, st.integers(0, VARIABLES - 1), index))
    if depth < 3:
        statements.append(st.builds(Watch, index))
        statements.append(
            st.builds(Pause, st.lists(st.one_of(ops(), st.builds(Look, index)), max_size=2))
        )
    if depth:
        statements.append(_tapes(depth))
    return st.lists(st.one_of(*statements), min_size=1, max_size=4).map(tuple)


def _tapes(depth):
    indices = st.lists(st.integers(0, 30), min_size=1, max_size=2).map(tuple)
    sources = st.lists(st.integers(0, 30), max_size=2).map(lambda rest: (0, 2, *rest))
    return st.builds(
        Tape, st.booleans(), st.sampled_from([True, True, False]), st.booleans(),
        _bodies(depth - 1), indices, sources,
    )  # fmt: skip


def programs():
    return st.tuples(st.lists(ops(), max_size=2), _tapes(3), st.lists(ops(), max_size=2)).map(
        lambda parts: (*parts[0], parts[1], *parts[2])
    )


def without_looks(body):
    """The same program, in which nobody looks at a value on the way."""
    kept = []
    for statement in body:
        if isinstance(statement, Pause | Tape):
            kept.append(statement._replace(body=without_looks(statement.body)))
        elif not isinstance(statement, Look):
            kept.append(statement)
    return tuple(kept)


class Machine:
    """Runs programs; a subclass says what the statements mean."""

    def __init__(self, start=START):
        self.pool = self.begin(start)
        self.given: list[Any] = []  # the gradients: a list for each time
        self.tapes: list[Any] = []

    def begin(self, start) -> list[Any]:
        raise NotImplementedError

    def __getitem__(self, index):
        # The last values are the most interesting.
        return self.pool[index if index < 4 else -1 - (index - 4) % len(self.pool)]

    def run(self, body):
        for statement in body:
            match statement:
                case Op(name, first, second):
                    arguments = [self[first], self[second]][: 2 if name in BINARY else 1]
                    self.pool.append(self.apply(name, arguments))
                case Look(value):
                    self.look(self[value])
                case Watch(value):
                    if self.tapes:
                        self.watch(self.tapes[-1], self[value])
                case Assign(variable, value):
                    self.assign(self.pool[variable], self[value])
                case Pause(inner):
                    if self.tapes:
                        with self.paused(self.tapes[-1]):
                            self.run(inner)
                    else:
                        self.run(inner)
                case Tape():
                    self.run_tape(statement)

    def run_tape(self, statement):
        tape = self.tape(statement.persistent, statement.accessed)
        with self.recording(tape):
            self.tapes.append(tape)
            self.run(statement.body)
            if statement.inside:
                self.ask(tape, statement)
            self.tapes.pop()
        if statement.persistent or not statement.inside:
            self.ask(tape, statement)

    def ask(self, tape, statement):
        targets = [self[i] for i in statement.targets]
        sources = [self[i] for i in statement.sources]
        found = self.gradient(tape, targets, sources)
        self.given.append(found)
        self.pool.extend(g for g in found if g is not None)

    def results(self, body):
        """Runs, and returns the gradients, the last value and the variables as arrays."""
        self.run(body)
        last, variables = self.pool[-1], self.pool[:VARIABLES]
        self.pool = []  # nothing else is wanted any more
        gradients = [[None if g is None else self.array(g) for g in found] for found in self.given]
        return gradients, self.array(last), [self.array(v) for v in variables]


class Facade(Machine):
    """The package."""

    def begin(self, start):
        return [*map(tf.Variable, start[:VARIABLES]), *map(tf.constant, start[VARIABLES:])]

    def apply(self, name, arguments):
        return OPS[name][0](*arguments)

    def look(self, value):
        value.numpy()

    def watch(self, tape, value):
        tape.watch(value)

    def assign(self, variable, value):
        variable.assign(tf.broadcast_to(tf.reduce_mean(value), variable.shape))

    def paused(self, tape):
        return tape.stop_recording()

    def tape(self, persistent, accessed):
        return tf.GradientTape(persistent, accessed)

    def recording(self, tape):
        return tape

    def gradient(self, tape, targets, sources):
        return tape.gradient(targets, sources)

    def array(self, value):
        return np.asarray(value)


class Value:
    """A value of the oracle, or a variable."""

    def __init__(self, array, variable=False):
        self.array = array
        self.variable = variable


class NaiveTape:
    def __init__(self, accessed):
        self.accessed = accessed
        self.records = []
        self.tracked = set()
        self.paused = False


class Oracle(Machine):
    """What TensorFlow's eager tape does, one op after the other."""

    def begin(self, start):
        self.active: list[NaiveTape] = []
        self.kept = []  # so that no id is used twice
        return [Value(jnp.asarray(a), k < VARIABLES) for k, a in enumerate(start)]

    def record(self, function, inputs, blocking=False):
        output = Value(function(*[v.array for v in inputs]))
        self.kept.append(output)
        for tape in self.active:
            if blocking or tape.paused:
                continue
            if any(id(v) in tape.tracked for v in inputs):
                tape.records.append((function, inputs, output))
                tape.tracked.add(id(output))
        return output

    def read(self, value):
        if not value.variable:
            return value
        for tape in self.active:
            if tape.accessed and not tape.paused:
                tape.tracked.add(id(value))
        return self.record(lambda array: array, [value])

    def apply(self, name, arguments):
        return self.record(OPS[name][1], [self.read(a) for a in arguments], name in BLOCKING)

    def look(self, value):
        self.read(value)

    def watch(self, tape, value):
        if not tape.paused:
            tape.tracked.add(id(value))

    def assign(self, variable, value):
        mean = self.record(jnp.mean, [self.read(value)])
        variable.array = jnp.broadcast_to(mean.array, variable.array.shape)

    @contextlib.contextmanager
    def paused(self, tape):
        tape.paused = True
        yield
        tape.paused = False

    def tape(self, persistent, accessed):
        self.persistent = persistent
        return NaiveTape(accessed)

    @contextlib.contextmanager
    def recording(self, tape):
        tape.persistent = self.persistent
        self.active.append(tape)
        yield
        if tape in self.active:
            self.active.remove(tape)

    def gradient(self, tape, targets, sources):
        if not tape.persistent and tape in self.active:
            self.active.remove(tape)  # asking ends the recording
        gradients: dict[int, Value] = {}

        def add(value, gradient):
            before = gradients.get(id(value))
            total = gradient if before is None else self.record(jnp.add, [before, gradient])
            gradients[id(value)] = total

        for target in targets:  # a variable is not read for this
            add(target, Value(jnp.ones(target.array.shape)))
        for function, inputs, output in reversed(list(tape.records)):
            upstream = gradients.get(id(output))
            if upstream is None:
                continue
            for place, value in enumerate(inputs):
                if id(value) in tape.tracked:
                    add(value, self.record(_pull_back(function, place), [upstream, *inputs]))
        self.kept.extend(gradients.values())
        return [gradients.get(id(source)) for source in sources]

    def array(self, value):
        return np.asarray(value.array)


def _pull_back(function, place):
    def pulled(upstream, *inputs):
        return jax.vjp(function, *inputs)[1](upstream)[place]

    return pulled
