"""Tensors and variables in functions that JAX transforms."""

import gc

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapefacade as tf


def looked(*values):
    """What somebody sees who looks at them."""
    return [np.asarray(value).tolist() for value in values]


# Where values are computed.


def test_a_large_variable_assigned_before_a_transformed_function_reads_it():
    v = tf.Variable(tf.zeros([1_000_000]))
    for _ in range(3):  # what is known to repeat takes the buffer of the variable
        v.assign_add(tf.ones([1_000_000]))
        v[0].numpy()
    v.assign_add(tf.ones([1_000_000]))
    seen = []
    jax.jit(lambda x: (seen.append(v[0].numpy()), x)[1])(jnp.ones(3))
    assert (seen, v[0].numpy()) == ([4.0], 4.0)


def test_jvp_and_jacfwd_of_functions_that_return_tensors():
    x = tf.constant([1.0, 2.0])
    want = np.diag(np.cos([1.0, 2.0]))
    value, slope = jax.jvp(tf.sin, (x,), (x,))
    assert isinstance(value, tf.Tensor)
    np.testing.assert_allclose(value, np.sin([1.0, 2.0]), rtol=1e-6)
    np.testing.assert_allclose(slope, np.cos([1.0, 2.0]) * [1, 2], rtol=1e-6)
    np.testing.assert_allclose(jax.jacfwd(tf.sin)(jnp.asarray(x)), want, rtol=1e-6)
    again = jax.jit(lambda x: jax.jvp(lambda y: jax.jvp(tf.sin, (y,), (x,))[1], (x,), (x,)))(x)
    np.testing.assert_allclose(again[1], -np.sin([1.0, 2.0]) * [1, 4], rtol=1e-6)
    mapped = jax.vmap(lambda a: jax.jvp(tf.sin, (a,), (a,))[1])
    got = jax.grad(lambda x: jnp.sum(jnp.asarray(mapped(x))))(x)
    np.testing.assert_allclose(got, np.cos([1, 2]) - np.sin([1, 2]) * [1, 2], rtol=1e-6)


def test_jvp_of_a_function_with_a_tape():
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3)
        return tape.gradient(y, x), y

    x = tf.constant([1.0, 2.0])
    (first, value), (second, _) = jax.jvp(slope, (x,), (tf.ones([2]),))
    assert looked(first, value, second) == [[3.0, 12.0], 9.0, [6.0, 12.0]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = jax.jvp(tf.square, (x,), (tf.ones([2]),))[1] * x  # constant for the tape
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_values_of_an_outer_trace_are_not_computed_in_an_inner_one():
    inner = jax.jit(lambda b: jnp.asarray(tf.cos(b)))

    def f(x):
        y = tf.sin(x)  # pending when the inner function is traced
        return jnp.asarray(y + inner(jnp.ones([])))

    assert float(jax.grad(f)(tf.constant(1.0)).numpy()) == pytest.approx(np.cos(1.0))


def test_a_value_kept_after_its_trace_does_not_spoil_what_follows():
    kept = []

    @jax.jit
    def f(x):
        kept.append(x * 2.0)
        raise KeyError("inside")

    for _ in range(2):
        with pytest.raises(KeyError):
            f(tf.constant(1.0))
        assert (tf.constant(2.0) * 3.0).numpy() == 6.0
        assert tf.function(lambda x: x + 1.0)(tf.constant(2.0)).numpy() == 3.0
    with pytest.raises(jax.errors.TracerArrayConversionError):
        kept[0].numpy()


def test_traces_are_not_kept():
    def tracers():
        gc.collect()
        return [o for o in gc.get_objects() if isinstance(o, jax.core.Tracer)]

    before = len(tracers())
    jax.jit(lambda x: tf.sin(x) * 2.0)(tf.constant(1.0))
    jax.jvp(tf.sin, (tf.constant(1.0),), (tf.constant(1.0),))
    assert len(tracers()) == before
