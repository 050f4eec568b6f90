"""Maxima and averages of windows in the form that is best on a CPU: they are XLA's own."""

import jax
import numpy as np
import pytest

import tapefacade as tf
from tapefacade._ops.nn import windows as form
from tapefacade._ops.nn.windows import WindowPlaces

# Shape, sizes, steps, pads, rates.
CASES = [
    ((2, 6, 7, 3), (1, 3, 3, 1), (1, 1, 1, 1), ((0, 0), (1, 1), (1, 1), (0, 0)), (1, 1, 1, 1)),
    ((2, 6, 7, 3), (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0),) * 4, (1, 1, 1, 1)),
    ((2, 6, 7, 3), (1, 3, 2, 1), (1, 2, 3, 1), ((0, 0), (0, 1), (1, 0), (0, 0)), (1, 1, 1, 1)),
    ((2, 7, 9, 2), (1, 2, 3, 1), (1, 1, 1, 1), ((0, 0),) * 4, (1, 3, 2, 1)),
    ((2, 3, 3, 4), (1, 1, 1, 2), (1, 1, 1, 2), ((0, 0),) * 4, (1, 1, 1, 1)),
    ((2, 5, 4), (1, 1, 1), (1, 2, 1), ((0, 0),) * 3, (1, 1, 1)),
    ((1, 4, 5, 4, 2), (1, 2, 3, 2, 1), (1, 2, 1, 2, 1), ((0, 0),) * 5, (1, 1, 1, 1, 1)),
    ((2, 3, 3, 2), (1, 4, 2, 1), (1, 1, 1, 1), ((0, 0),) * 4, (1, 1, 1, 1)),  # none
    ((1, 12, 12, 2), (1, 9, 1, 1), (1, 1, 1, 1), ((0, 0),) * 4, (1, 1, 1, 1)),  # XLA's own
]


def assert_alike(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.fixture
def in_xlas_form(monkeypatch):
    """Computes in the form of other platforms."""

    def computed(function, *args):
        with monkeypatch.context() as patch:
            patch.setattr(form, "LONGEST", 0)
            return function(*args)

    return computed


@pytest.mark.parametrize("function", [form.maxima, form.sums])
@pytest.mark.parametrize(("shape", "sizes", "steps", "pads", "rates"), CASES)
def test_form_is_the_pool(function, shape, sizes, steps, pads, rates, in_xlas_form):
    rng = np.random.default_rng(3)
    where = WindowPlaces(sizes, steps, pads, rates)

    def values(x):
        return function(x, where), jax.vmap(lambda x: function(x[None], where)[0])(x)

    def slope(x):
        return jax.grad(lambda x: (function(x, where) ** 3).sum())(x)

    def higher(x, tangent):
        _, moved = jax.jvp(lambda x: function(x, where) ** 3, (x,), (tangent,))
        return moved, jax.grad(lambda x: (slope(x) ** 2).sum())(x)

    with jax.enable_x64(True):
        for x in (rng.normal(size=shape), rng.integers(0, 3, shape) * 1.0):
            tangent = rng.normal(size=shape)
            assert_alike(values(x), in_xlas_form(values, x))
            moved, bent = higher(x, tangent)
            np.testing.assert_allclose(moved.sum(), (slope(x) * tangent).sum(), rtol=1e-9)
            if set(rates) != {1}:  # of which XLA's own form has no gradients
                continue
            assert_alike([slope(x)], [in_xlas_form(slope, x)])
            # XLA's own moves the last of equal ones, and has the gradient of the first.
            if len(np.unique(x)) == x.size:
                assert_alike([moved, bent], in_xlas_form(higher, x, tangent))


def test_the_first_of_equal_ones_has_the_gradient():
    x = tf.Variable([[[[1.0], [2.0], [2.0]], [[2.0], [2.0], [0.0]]]])
    with tf.GradientTape() as tape:
        y = tf.nn.max_pool2d(x, [2, 3], 1, "VALID")
    assert y.numpy().item() == 2
    wanted = [[0, 1, 0], [0, 0, 0]]
    np.testing.assert_array_equal(tape.gradient(y, x)[0, ..., 0], wanted)


def test_nan_is_the_greatest_and_has_the_gradient():
    x = tf.Variable([[[1.0], [np.nan], [2.0], [np.nan]]])
    with tf.GradientTape() as tape:
        y = tf.nn.max_pool1d(x, 4, 1, "VALID")
    assert np.isnan(y.numpy().item())
    np.testing.assert_array_equal(tape.gradient(y, x)[0, :, 0], [0, 1, 0, 0])


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float16"])
def test_other_types(dtype, in_xlas_form):
    x = tf.cast(np.random.default_rng(3).integers(-90, 90, (2, 5, 6, 3)) % 120, dtype)
    found = tf.nn.max_pool2d(x, 3, 2, "SAME")
    wanted = in_xlas_form(lambda: tf.nn.max_pool2d(tf.identity(x), 3, 2, "SAME").numpy())
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize(
    ("name", "size", "strides", "shape"),
    [
        ("MaxPool2D", 3, 1, (2, 6, 7, 3)), ("MaxPool2D", (2, 3), None, (2, 6, 7, 3)),
        ("AveragePooling2D", 3, 2, (2, 6, 7, 3)), ("MaxPool1D", 3, 2, (2, 7, 3)),
        ("AveragePooling1D", 2, None, (2, 7, 3)), ("MaxPool3D", 2, 1, (1, 3, 4, 3, 2)),
        ("AveragePooling3D", 3, 1, (1, 3, 4, 3, 2)),
    ],
)  # fmt: skip
def test_layers_of_keras_take_it(name, size, strides, shape, padding, monkeypatch):
    x = tf.Variable(np.random.default_rng(1).integers(0, 4, shape), dtype=tf.float32)
    layer = getattr(tf.keras.layers, name)(size, strides, padding)
    calls = []
    reduced = form._reduced
    monkeypatch.setattr(form, "_reduced", lambda *args: calls.append(args) or reduced(*args))
    steps = size if strides is None else strides
    op = getattr(tf.nn, {"M": "max_pool", "A": "avg_pool"}[name[0]])
    with tf.GradientTape(persistent=True) as tape:
        y = layer(x)
        assert calls
        z = op(x, size, steps, padding.upper())
        losses = tf.reduce_sum(tf.sin(y)), tf.reduce_sum(tf.sin(z))
    np.testing.assert_array_equal(y, z)
    first, second = (tape.gradient(loss, x) for loss in losses)
    np.testing.assert_allclose(first, second, rtol=1e-6)
