"""Sums of pixels, as in interpolation: all their derivatives are those of pixels looked up."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tapefacade._ops.image import resizing
from tapefacade._ops.image.sums_of_pixels import MAX_TAPS, sums_of_pixels

RNG = np.random.default_rng(6)
SIZES = [(4, 8), (8, 4), (5, 7), (7, 3), (1, 6), (6, 1), (2, 2 * MAX_TAPS + 8), (3, 3)]
METHODS = ["nearest", "bilinear", "bicubic"]
GRIDS = [resizing.HALVES, resizing.STARTS, resizing.CORNERS]


def pixels_and_weights(method, old, new, grid):
    if method == "nearest":
        return resizing._nearest(old, new, grid)[None], None
    return (resizing._bilinear if method == "bilinear" else resizing._bicubic)(old, new, grid)


def looked_up(x, places, weights, axis):
    shape = [-1 if k == axis else 1 for k in range(x.ndim)]
    scales = (
        [1] * len(places)
        if weights is None
        else [w.reshape(shape).astype(x.dtype) for w in weights]
    )
    return sum(jnp.take(x, p, axis) * s for p, s in zip(places, scales, strict=True))


def gradient(function):
    return jax.grad(lambda x: (function(x) ** 3).sum())


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("old", "new"), SIZES)
def test_derivatives(old, new, method, grid):
    known = pixels_and_weights(method, old, new, grid)
    with jax.enable_x64(True):
        x = jnp.asarray(RNG.normal(size=(2, old, 3)))
        own, other = (lambda x, f=f: f(x, *known, 1) for f in (sums_of_pixels, looked_up))
        for form in (
            lambda f: f(x), lambda f: jax.jit(gradient(f))(x),
            lambda f: jax.jvp(gradient(f), (x,), (x * x,)),
            lambda f: jax.vmap(gradient(f), 2)(jnp.stack([x, -2 * x, x + 1], 2)),
        ):  # fmt: skip
            for a, b in zip(*map(jax.tree.leaves, (form(own), form(other))), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)


def test_what_is_not_finite_stays_where_it_is():
    places, weights = resizing._bilinear(4, 8, resizing.HALVES)
    _, pull = jax.vjp(lambda x: sums_of_pixels(x, places, weights, 0), jnp.ones(4))
    (found,) = pull(jnp.array([np.nan, 1, 1, 1, 1, 1, 1, 1.0]))
    np.testing.assert_array_equal(np.isnan(found), [True, False, False, False])


@pytest.mark.parametrize("dtype", ["uint8", "int32", "bfloat16"])
def test_types_are_kept(dtype):
    x = jnp.arange(4).astype(dtype)
    found = sums_of_pixels(x, resizing._nearest(4, 6, resizing.HALVES)[None], None, 0)
    assert (found.dtype, found.tolist()) == (dtype, [0, 1, 1, 2, 3, 3])
