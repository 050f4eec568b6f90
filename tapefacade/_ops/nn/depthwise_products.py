"""Depthwise convolutions on a CPU, as sums of shifted products.

Their gradients are of the same kind: that of the input is such a sum, that of the filters a sum for
each pixel of a filter. JAX's own transposition finds sums of padded arrays and a sum at a time,
which take 2 to 10 times as long (`benchmarks/convolutions.py`), so they are primitives of JAX,
which a program can transpose, map and lower like any other.
"""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.interpreters import ad, batching

from tapefacade._definition.jax_primitive import LinearPrimitive
from tapefacade._ops.nn.filter_places import Places


def shifted_products(input: jax.Array, filters: jax.Array, places: Places) -> jax.Array:
    """Convolves each channel on its own.

    Args:
        input: `[B, ..., C]`.
        filters: `[..., C]`.
        places: where they lie.

    Returns:
        `[B, ..., C]`, of the same dtype.
    """
    return PRODUCTS(input, filters, how=places)


def _products(input: jax.Array, filters: jax.Array, places: Places) -> jax.Array:
    """Convolves one example after the other.

    In one step XLA would compute the sum again in each step that takes its result.
    """
    return lax.map(lambda one: _sum_of_products(one[None], filters, places)[0], input)


def _sum_of_products(input: jax.Array, filters: jax.Array, places: Places) -> jax.Array:
    total = sum(part * filters[pixel] for pixel, part in places.parts(input))
    assert isinstance(total, jax.Array)
    return total


def _sums(input: jax.Array, cotangent: jax.Array, places: Places) -> jax.Array:
    """Sums for each pixel of the filters the products of the cotangent with its part.

    The sums of a row are found in one pass; and first along one axis, so that what is read again is
    still in the processor's cache.
    """
    products = [part * cotangent for _, part in places.parts(input)]
    axis, row = input.ndim - 2, places.window[-1]
    zeros = (input.dtype.type(0),) * row
    found = [
        lax.reduce(tuple(products[first : first + row]), zeros, _added, (axis,))
        for first in range(0, len(products), row)
    ]
    rows = jnp.stack([each for sums in found for each in sums])
    return rows.sum(range(1, rows.ndim - 1)).reshape(*places.window, input.shape[-1])


def _added(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(lax.add, a, b))


def _of_input(filters: jax.Array, cotangent: jax.Array, places: Places) -> jax.Array:
    flipped = jnp.flip(filters, range(filters.ndim - 1))
    return shifted_products(cotangent, flipped, places.transposed)


def _beside_channels(arrays: Sequence[jax.Array], axes: Sequence[int | None]) -> list[jax.Array]:
    """Makes channels of the rows of a `jax.vmap`: each has filters of its own."""
    pairs = list(zip(arrays, axes, strict=True))
    (count,) = {array.shape[axis] for array, axis in pairs if axis is not None}
    found = []
    for array, axis in pairs:
        if axis is None:
            array, axis = jnp.broadcast_to(array, (count, *array.shape)), 0
        array = jnp.moveaxis(array, axis, -2)
        found.append(array.reshape(*array.shape[:-2], count * array.shape[-1]))
    return found


def _mapped(
    arrays: Sequence[jax.Array], axes: Sequence[int | None], how: Places, function: LinearPrimitive
) -> tuple[jax.Array, int]:
    (first, axis), *_ = [
        (a, axis) for a, axis in zip(arrays, axes, strict=True) if axis is not None
    ]
    found = function(*_beside_channels(arrays, axes), how=how)
    return found.reshape(*found.shape[:-1], first.shape[axis], -1), found.ndim - 1


def _mapped_products(
    arrays: Sequence[jax.Array], axes: Sequence[int | None], how: Places
) -> tuple[jax.Array, int]:
    if axes[1] is not None:
        return _mapped(arrays, axes, how, PRODUCTS)
    input = jnp.moveaxis(arrays[0], axes[0] or 0, 0)  # more examples of a batch
    found = shifted_products(lax.collapse(input, 0, 2), arrays[1], how)
    return found.reshape(*input.shape[:2], *found.shape[1:]), 0


PRODUCTS = LinearPrimitive(
    "shifted_products",
    _products,
    lambda input, _, places: (input.shape[0], *places.found, input.shape[-1]),
    _sum_of_products,
)
SUMS = LinearPrimitive(
    "sums_of_shifted_products", _sums, lambda input, _, places: (*places.window, input.shape[-1])
)
batching.primitive_batchers[PRODUCTS.primitive] = _mapped_products
batching.primitive_batchers[SUMS.primitive] = functools.partial(_mapped, function=SUMS)
ad.defbilinear(
    PRODUCTS.primitive,
    lambda cotangent, _, filters, how: _of_input(filters, cotangent, how),
    lambda cotangent, input, _, how: SUMS(input, cotangent, how=how),
)
ad.defbilinear(
    SUMS.primitive,
    lambda filters, _, cotangent, how: _of_input(filters, cotangent, how),
    lambda filters, input, _, how: shifted_products(input, filters, how),
)
