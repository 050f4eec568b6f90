"""Random programs with functions, branches, loops and nested tapes together.

`Compiled` runs a program with `tf.function`, `tf.cond`, `tf.while_loop` and `tf.map_fn`, `Plain`
with Python's own calls, `if` and `for`: the same numbers come out. All values are float64.
"""

from typing import NamedTuple

from hypothesis import strategies as st
from programs_at_random import VARIABLES, Facade, _bodies, ops

import tapefacade as tf


class Call(NamedTuple):
    body: tuple
    times: int


class Branch(NamedTuple):
    value: int
    yes: tuple
    no: tuple


class Loop(NamedTuple):
    value: int
    count: int
    body: tuple


class Map(NamedTuple):
    value: int
    body: tuple


def _statements(depth):
    index = st.integers(0, 30)
    inner = _programs(depth - 1) if depth else st.lists(ops(), min_size=1, max_size=2).map(tuple)
    structured = [
        st.builds(Call, inner, st.integers(1, 3)),
        st.builds(Branch, index, inner, inner),
        st.builds(Loop, index, st.integers(0, 3), inner),
        st.builds(Map, index, inner),
    ]
    return st.one_of(ops(), *structured, _bodies(2).map(lambda body: body[0]))


def _programs(depth):
    return st.lists(_statements(depth), min_size=1, max_size=3).map(tuple)


def programs():
    return _programs(2)


class Plain(Facade):
    """Python's own calls and loops."""

    def run(self, body):
        for statement in body:
            match statement:
                case Call(inner, times):
                    self.call(inner, times)
                case Branch(value, yes, no):
                    x = tf.reduce_sum(self[value])
                    self.pool.append(self.branch(x, self.on(yes), self.on(no)))
                case Loop(value, count, inner):
                    x = tf.tanh(tf.reduce_sum(self[value]))
                    self.pool.append(self.loop(x, count, self.on(inner)))
                case Map(value, inner):
                    x = tf.convert_to_tensor(self[value])
                    rows = self.each(tf.reshape(x, [-1]), self.on(inner))
                    self.pool.append(tf.reshape(rows, x.shape))
                case _:
                    super().run((statement,))

    def on(self, body):
        """Makes a function of a scalar: runs a program on it, and gives a scalar."""

        def function(x):
            inner = self.inside([*self.pool[: VARIABLES + 2], x])
            inner.run(body)
            return tf.tanh(tf.reduce_sum(inner.pool[-1]))

        return function

    def inside(self, pool):
        machine = object.__new__(type(self))
        machine.pool, machine.given, machine.tapes = pool, [], []
        return machine

    def body(self, body):
        """Makes a function of the tensors in the pool."""

        def function(*tensors):
            inner = self.inside([*self.pool[:VARIABLES], *tensors])
            inner.run(body)
            given = [g for found in inner.given for g in found]
            return [tf.convert_to_tensor(inner.pool[-1]), given]

        return function

    def call(self, body, times):
        function = self.decorated(self.body(body))
        for _ in range(times):
            last, given = function(*self.pool[VARIABLES : VARIABLES + 2], self.pool[-1] * 1.0)
            self.pool.append(last)
            self.given.append(given)
            self.pool.extend(g for g in given if g is not None)

    def decorated(self, function):
        return function

    def branch(self, x, yes, no):
        return yes(x) if x > 0.0 else no(x)

    def loop(self, x, count, step):
        for _ in range(count):
            x = step(x)
        return x

    def each(self, x, function):
        return tf.stack([function(row) for row in x])


class Compiled(Plain):
    """Functions, and control flow made of ops."""

    def decorated(self, function):
        return tf.function(function)

    def branch(self, x, yes, no):
        return tf.cond(x > 0.0, lambda: yes(x), lambda: no(x))

    def loop(self, x, count, step):
        return tf.while_loop(lambda i, x: i < count, lambda i, x: (i + 1, step(x)), (0, x))[1]

    def each(self, x, function):
        return tf.map_fn(function, x)
