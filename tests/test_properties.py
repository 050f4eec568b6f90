"""Properties of random small programs: what a user can see does not depend on how they are run."""

import math

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from functions_at_random import Compiled, Plain, programs as programs_with_functions
from hypothesis import given, strategies as st
from programs_at_random import (
    OPS,
    SMOOTH,
    Facade,
    Op,
    Oracle,
    Tape,
    Watch,
    ops,
    programs,
    without_looks,
)
from steps import close_everything, nothing_open, settle

import tapefacade as tf

hypothesis.settings.register_profile(
    "tapefacade", derandomize=True, deadline=None, database=None, print_blob=False,
    suppress_health_check=list(hypothesis.HealthCheck), report_multiple_bugs=False,
    phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
)  # fmt: skip
hypothesis.settings.load_profile("tapefacade")


@pytest.fixture(autouse=True)
def nothing_left():
    settle()
    yield
    still_open = not nothing_open()
    close_everything()
    assert not still_open


def assert_same(got, want):
    gradients, last, variables = got
    assert [[g is None for g in found] for found in gradients] == [
        [g is None for g in found] for found in want[0]
    ]
    for found, expected in zip(gradients, want[0], strict=True):
        for a, b in zip(found, expected, strict=True):
            if a is not None:
                assert_close(a, b)
    for a, b in zip([last, *variables], [want[1], *want[2]], strict=True):
        assert_close(a, b)


def assert_close(a, b):
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


def facade(program, immediately=False):
    tf.config.run_ops_immediately(immediately)
    try:
        return Facade().results(program)
    finally:
        tf.config.run_ops_immediately(False)


@hypothesis.settings(max_examples=150)
@given(programs())
def test_deferral_and_looks_change_nothing(program):
    deferred = facade(program)
    assert_same(facade(without_looks(program)), deferred)
    assert_same(facade(program, immediately=True), deferred)


@hypothesis.settings(max_examples=80)
@given(programs_with_functions())
def test_functions_branches_and_loops_change_nothing(program):
    assert_same(Compiled().results(program), Plain().results(program))


@hypothesis.settings(max_examples=250)
@given(programs())
def test_tapes_do_what_a_naive_tape_does(program):
    gradients, last, variables = facade(program)
    with jax.enable_x64(True):
        want, want_last, want_variables = Oracle().results(program)
    for found, expected in zip(gradients, want, strict=True):
        for a, b in zip(found, expected, strict=True):
            if a is None and b is not None:
                # The naive tape takes every op to depend on all of its inputs, so it has zeros
                # where the derivative of a linear op depends on nothing and TensorFlow says None.
                assert not b.any()
                return  # from here on the programs differ
            assert (a is None) == (b is None)
            if a is not None:
                assert_close(a, b)
    for a, b in zip(variables, want_variables, strict=True):
        assert_close(a, b)
    assert last.shape == want_last.shape


def test_values_that_a_gradient_leaves_out_are_computed():
    """A gradient gave values to the program that it got from another one, or not at all."""
    inner = Tape(False, False, False, (Op("where", 1, 9),), (6,), (5,))
    program = (Tape(True, True, True, (Watch(2), inner), (4, 2), (1, 2)),)
    got = facade(program)
    with jax.enable_x64(True):
        want = Oracle().results(program)
    assert_close(got[1], want[1])
    for found, expected in zip(got[0], want[0], strict=True):
        for a, b in zip(found, expected, strict=True):
            if a is not None:
                assert_close(a, b)


def _function(steps, table):
    """A function of two arrays, made of ops of the table; 0 is us, 1 is JAX."""

    def function(x, y):
        pool = [x, y]
        for name, first, second in steps:
            two = name in ("add", "subtract", "multiply", "divide", "maximum", "where", "matmul")
            arguments = [pool[first % len(pool)], pool[second % len(pool)]][: 2 if two else 1]
            pool.append(OPS[name][table](*arguments))
        last = pool[-1]
        return tf.reduce_sum(last) if table == 0 else jnp.sum(last)

    return function


POINT = (np.array([0.3, -0.7]), np.array([[0.5, 1.1], [-0.4, 0.2]]))


@hypothesis.settings(max_examples=60)
@given(st.lists(ops(tuple(SMOOTH)), min_size=1, max_size=6), st.integers(1, 3))
def test_gradients_are_those_of_jax(steps, order):
    ours, theirs = _function(steps, 0), _function(steps, 1)

    def derived(n):
        """The function, then the sum of its gradient, and so on."""
        if n == 0:
            return theirs
        inner = derived(n - 1)
        return lambda x, y: sum(jnp.sum(g) for g in jax.grad(inner, argnums=(0, 1))(x, y))

    with jax.enable_x64(True):
        want = jax.grad(derived(order - 1), argnums=(0, 1))(*map(jnp.asarray, POINT))
    x, y = map(tf.Variable, POINT)

    def taped(n):
        with tf.GradientTape() as tape:
            value = ours(x, y) if n == 1 else sum_of(taped(n - 1))
        return tape.gradient(value, [x, y], unconnected_gradients="zero")

    def sum_of(gradients):
        return tf.add_n([tf.reduce_sum(g) for g in gradients])

    for a, b in zip(taped(order), want, strict=True):
        assert_close(np.asarray(a), np.asarray(b))


@hypothesis.settings(max_examples=40)
@given(st.lists(ops(tuple(SMOOTH)), min_size=1, max_size=5))
def test_gradients_are_finite_differences(steps):
    ours = _function(steps, 0)
    x, y = map(tf.Variable, POINT)
    with tf.GradientTape() as tape:
        value = ours(x, y)
    gradients = tape.gradient(value, [x, y], unconnected_gradients="zero")
    h = 1e-6
    for place, (start, gradient) in enumerate(zip(POINT, gradients, strict=True)):
        direction = np.cos(np.arange(start.size)).reshape(start.shape)
        ends = []
        for sign in (1.0, -1.0):
            moved = [*POINT]
            moved[place] = start + sign * h * direction
            ends.append(float(ours(*map(tf.constant, moved))))
        numeric = (ends[0] - ends[1]) / (2 * h)
        slope = float(tf.reduce_sum(gradient * direction))
        assert math.isclose(slope, numeric, rel_tol=1e-5, abs_tol=1e-7)  # h**2, rounding / h


@hypothesis.settings(max_examples=30)
@given(st.lists(ops(tuple(SMOOTH)), min_size=1, max_size=5))
def test_jacobian_rows_are_gradients(steps):
    x, y = map(tf.Variable, POINT)
    with tf.GradientTape(persistent=True) as tape:
        pool = [x, y]
        for name, first, second in steps:
            two = name in ("add", "subtract", "multiply", "divide", "matmul")
            arguments = [pool[first % len(pool)], pool[second % len(pool)]][: 2 if two else 1]
            pool.append(OPS[name][0](*arguments))
        target = pool[-1]
        parts = tf.unstack(tf.reshape(target, [-1]))
    rows = [tape.gradient(part, [x, y]) for part in parts]
    jacobians = tape.jacobian(target, [x, y])
    for place, jacobian in enumerate(jacobians):
        column = [row[place] for row in rows]
        assert all((g is None) == (jacobian is None) for g in column)
        if jacobian is not None:
            want = np.stack(column).reshape(tuple(jacobian.shape))
            np.testing.assert_allclose(jacobian, want, rtol=1e-7, atol=1e-10)
