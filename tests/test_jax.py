"""Tensors and variables in functions that JAX transforms."""

import gc

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapefacade as tf

TRANSFORMS = {
    "jit": jax.jit,
    "vmap": lambda f: lambda x: jax.vmap(f)(tf.reshape(x, [1])),
    "grad": lambda f: jax.grad(lambda x: jnp.asarray(f(x))),
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (x,)),
}
every_transform = pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
REFUSED = "Variable .* is assigned in a function that JAX transforms .* made outside"


def looked(*values):
    """What somebody sees who looks at them."""
    return [np.asarray(value).tolist() for value in values]


# Assignments.


@every_transform
@pytest.mark.parametrize(
    "assign",
    [
        lambda v, x: v.assign([x, x]),
        lambda v, x: v.assign_add([x, x]),
        lambda v, x: v.assign_sub([1.0, 1.0]),  # nothing that JAX traces
        lambda v, x: v[0].assign(x),
        lambda v, x: v.scatter_nd_add([[1]], [x]),
    ],
)
def test_assigning_a_captured_variable_in_a_transformed_function_is_refused(transform, assign):
    v = tf.Variable([1.0, 2.0])

    def f(x):
        assign(v, x)
        return 2.0 * x

    for _ in range(2):
        with pytest.raises(jax.errors.UnexpectedTracerError, match=REFUSED):
            transform(f)(tf.constant(3.0))
        assert looked(v, v + 1.0) == [[1.0, 2.0], [2.0, 3.0]]
    f(tf.constant(3.0))
    assert v.numpy().tolist() != [1.0, 2.0]


@every_transform
def test_a_tf_function_that_assigns_is_refused_in_a_transformed_function(transform):
    v = tf.Variable(1.0)
    step = tf.function(lambda x: v.assign_add(x) * 2.0)
    for _ in range(2):  # while its Python runs, and when it is one program
        with pytest.raises(jax.errors.UnexpectedTracerError, match=REFUSED):
            transform(step)(tf.constant(2.0))
        step(tf.constant(1.0))
    assert v.numpy() == 3.0


@every_transform
def test_variables_of_a_transformed_function_can_be_assigned(transform):
    def f(x):
        made, counter = tf.Variable(x), tf.Variable(0.0)
        made.assign_add(2.0)
        step = tf.function(lambda y: made.assign_add(y))
        step(x)
        step(x)
        tf.while_loop(lambda i: i < 3, lambda i: (counter.assign_add(1.0), i + 1)[1:], [0])
        return made + counter

    for found in jax.tree.leaves(transform(f)(tf.constant(2.0))):
        assert float(jnp.squeeze(found)) in (3.0, 6.0, 11.0)  # derivatives, and the value


def test_what_the_error_says_to_write_works():
    @jax.jit
    def f(variable, x):
        variable.assign_add(x)
        return variable.value()

    variable = tf.Variable(1.0)
    for _ in range(3):
        variable.assign(f(variable, tf.constant(2.0)))
    assert variable.numpy() == 7.0


def test_a_variable_of_the_outer_function_is_refused_in_an_inner_one():
    @jax.jit
    def f(variable):
        jax.grad(lambda x: jnp.asarray(variable.assign(x) * 2.0))(1.0)

    with pytest.raises(jax.errors.UnexpectedTracerError, match=REFUSED):
        f(tf.Variable(1.0))


def test_reading_a_captured_variable_in_a_transformed_function():
    v = tf.Variable(2.0)
    pending = v.assign_add(1.0) * 2.0
    assert jax.jit(lambda x: x * v * pending)(tf.constant(2.0)).numpy() == 36.0
    v.assign(5.0)
    assert v.numpy() == 5.0


def test_a_large_variable_assigned_before_a_transformed_function_reads_it():
    v = tf.Variable(tf.zeros([1_000_000]))
    for _ in range(3):  # what is known to repeat takes the buffer of the variable
        v.assign_add(tf.ones([1_000_000]))
        v[0].numpy()
    v.assign_add(tf.ones([1_000_000]))
    seen = []
    jax.jit(lambda x: (seen.append(v[0].numpy()), x)[1])(jnp.ones(3))
    assert (seen, v[0].numpy()) == ([4.0], 4.0)


# Where values are computed.


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
    with pytest.raises(jax.errors.TracerArrayConversionError) as caught:
        kept[0].numpy()
    assert "return it from the function" in caught.value.__notes__[0]


def test_traces_are_not_kept():
    def tracers():
        gc.collect()
        return [o for o in gc.get_objects() if isinstance(o, jax.core.Tracer)]

    before = len(tracers())
    jax.jit(lambda x: tf.sin(x) * 2.0)(tf.constant(1.0))
    jax.jvp(tf.sin, (tf.constant(1.0),), (tf.constant(1.0),))
    assert len(tracers()) == before


# Derivatives whose structures JAX composes.


@pytest.mark.parametrize("jacobian", [jax.jacrev, jax.jacfwd])
@pytest.mark.parametrize(
    "argument", [tf.constant, tf.Variable, jnp.asarray], ids=["tensor", "variable", "array"]
)
def test_jacobians_by_tensors_of_tensors(jacobian, argument):
    x = argument(np.float32([1.0, 2.0]))
    want = np.diag(np.cos([1.0, 2.0]))
    found = jacobian(tf.sin)(x)
    assert isinstance(found, tf.Tensor)
    assert (found.shape, found.dtype) == ((2, 2), tf.float32)
    np.testing.assert_allclose(found, want, rtol=1e-6)
    np.testing.assert_allclose(found * 2.0, 2 * want, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jacobian(tf.sin))(x), want, rtol=1e-6)
    np.testing.assert_allclose(jacobian(lambda a: jnp.asarray(tf.sin(a)))(x), want, rtol=1e-6)
    found, aux = jacobian(lambda a: (tf.sin(a), tf.cos(a)), has_aux=True)(x)
    np.testing.assert_allclose(found, want, rtol=1e-6)
    np.testing.assert_allclose(aux, np.cos([1.0, 2.0]), rtol=1e-6)


def test_hessians_by_tensors_of_tensors():
    x = tf.constant([1.0, 2.0])
    want = [[6.0, 0.0], [0.0, 12.0]]
    cubes = lambda a: tf.reduce_sum(a**3)  # noqa: E731
    for hessian in (jax.hessian(cubes), jax.jacrev(jax.jacfwd(cubes)), jax.jit(jax.hessian(cubes))):
        assert hessian(x).numpy().tolist() == want
    third = jax.jacrev(jax.jacrev(jax.jacrev(cubes)))(x)
    assert third.numpy().tolist() == [[[6.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 6.0]]]


def test_vjp_and_linearize_with_integers_among_the_arguments():
    x, k = tf.constant([1.0, 2.0]), tf.constant([2, 3])
    f = lambda x, k: tf.sin(x) * tf.cast(k, tf.float32)  # noqa: E731
    slope, none = jax.vjp(f, x, k)[1](x)
    np.testing.assert_allclose(slope, np.cos([1, 2]) * [2, 6], rtol=1e-6)
    assert none.numpy().tolist() == [False, False]
    pushed = jax.linearize(f, x, k)[1](x, none)
    np.testing.assert_allclose(pushed, np.cos([1, 2]) * [2, 6], rtol=1e-6)
    np.testing.assert_allclose(jax.jvp(f, (x, k), (x, none))[1], pushed, rtol=1e-6)


@pytest.mark.parametrize("jacobian", [jax.jacrev, jax.jacfwd])
def test_jacobians_by_several_tensors(jacobian):
    x, s = tf.constant([1.0, 2.0]), tf.constant(0.5)
    by_x, by_s = jacobian(lambda x, s: jnp.asarray(x * s), argnums=(0, 1))(x, s)
    assert looked(by_x, by_s) == [[[0.5, 0.0], [0.0, 0.5]], [1.0, 2.0]]
    found = jacobian(lambda d: {"y": jnp.asarray(d["x"] * 2.0)})({"x": x})
    assert looked(found["y"]["x"]) == [[[2.0, 0.0], [0.0, 2.0]]]
    # JAX puts a tuple in the place of the result's array: a tensor cannot stand for that.
    found = jacobian(lambda x, s: x * s, argnums=(0, 1))(x, s)
    for look in (lambda: found.shape, lambda: found[0], lambda: [*found], lambda: found * 2.0):
        with pytest.raises(AttributeError, match=r"(?s)no array.*jnp.asarray\(tensor\)"):
            look()
    for look in (found.numpy, lambda: str(found), lambda: tf.sin(found)):
        with pytest.raises(TypeError, match=r"(?s)no array.*jnp.asarray\(tensor\)"):
            look()


def test_tree_map_with_ops():
    x = tf.constant([1.0, 2.0])
    found = jax.tree.map(tf.square, {"x": x})
    assert looked(jax.tree.map(tf.add, found, {"x": x})["x"]) == [[2.0, 6.0]]
    assert jax.tree.structure(found) == jax.tree.structure({"x": x})


# What errors say.


@pytest.mark.parametrize(
    "look",
    [
        bool, float, np.asarray, np.array, tf.print, "{:.2f}".format,
        lambda x: [1, 2][tf.cast(x, tf.int32)],
        lambda x: tf.while_loop(lambda i: i < x, lambda i: [i + 1.0], [0.0]),
        lambda x: tf.Variable(x).numpy(),
    ],
)  # fmt: skip
def test_looking_at_what_jax_traces_says_what_to_do(look):
    with pytest.raises(jax.errors.TracerArrayConversionError) as caught:
        jax.jit(lambda x: (look(x * 2.0), x)[1])(tf.constant(1.0))
    assert "return it from the function" in caught.value.__notes__[0]


def test_variables_and_tensors_that_jax_traces_can_be_printed():
    shown = []
    jax.jit(lambda v, x: shown.extend([repr(v), repr(x * 2.0)]))(tf.Variable(1.0), tf.ones([2]))
    assert "Tracer" in shown[0]
    assert "shape=(2,)" in shown[1]


def test_indices_of_jax_take_from_tensors():
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert x[:, jnp.asarray(1)].numpy().tolist() == [2.0, 5.0]
    assert jax.jit(lambda k: jnp.asarray(x[1, k]))(2) == 6.0
    total = jax.lax.fori_loop(0, 3, lambda k, s: s + jnp.asarray(x[:, k]), jnp.zeros(2))
    assert total.tolist() == [6.0, 15.0]
    with pytest.raises(TypeError, match="Only integers, slices"):
        x[jnp.asarray([0, 1])]
    with pytest.raises(TypeError, match="Only integers, slices"):
        x[jnp.asarray(1.0)]
