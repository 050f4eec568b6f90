"""Depthwise convolutions on a CPU, as sums of shifted products.

Their gradients are of the same kind: that of the input is such a sum, that of the filters a sum for
each pixel of a filter. JAX's own transposition finds sums of padded arrays and a sum at a time,
which take 2 to 10 times as long (`benchmarks/convolutions.py`), so they are primitives of JAX,
which a program can transpose, map and lower like any other.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

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
    if jax.sharding.get_abstract_mesh().manual_axes:  # what differs there has types of its own
        return _sum_of_products(input, filters, places)
    return PRODUCTS.bind(input, filters, places=places)


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


def _flipped(filters: jax.Array) -> jax.Array:
    return jnp.flip(filters, range(filters.ndim - 1))


def _of_input(filters: jax.Array, cotangent: jax.Array, places: Places) -> jax.Array:
    return shifted_products(cotangent, _flipped(filters), places.transposed)


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
    primitive: Primitive, arrays: Sequence[jax.Array], axes: Sequence[int | None], places: Places
) -> tuple[jax.Array, int]:
    if primitive is PRODUCTS and axes[1] is None:  # more examples of a batch
        input = jnp.moveaxis(arrays[0], axes[0] or 0, 0)
        found = primitive.bind(lax.collapse(input, 0, 2), arrays[1], places=places)
        return found.reshape(*input.shape[:2], *found.shape[1:]), 0
    (first, axis), *_ = [
        (a, axis) for a, axis in zip(arrays, axes, strict=True) if axis is not None
    ]
    found = primitive.bind(*_beside_channels(arrays, axes), places=places)
    return found.reshape(*found.shape[:-1], first.shape[axis], -1), found.ndim - 1


def _primitive(name: str, function: Callable[..., jax.Array]) -> Primitive:
    made = Primitive(name)
    made.def_impl(jax.jit(function, static_argnames="places"))
    batching.primitive_batchers[made] = functools.partial(_mapped, made)
    mlir.register_lowering(made, mlir.lower_fun(function, multiple_results=False))
    return made


PRODUCTS = _primitive("shifted_products", _products)
SUMS = _primitive("sums_of_shifted_products", _sums)


@PRODUCTS.def_abstract_eval
def _type_of_products(input: ShapedArray, filters: ShapedArray, places: Places) -> ShapedArray:
    return input.update(shape=(input.shape[0], *places.found, input.shape[-1]))


@SUMS.def_abstract_eval
def _type_of_sums(input: ShapedArray, cotangent: ShapedArray, places: Places) -> ShapedArray:
    return input.update(shape=(*places.window, input.shape[-1]))


ad.defbilinear(
    PRODUCTS,
    lambda cotangent, _, filters, places: _of_input(filters, cotangent, places),
    lambda cotangent, input, _, places: SUMS.bind(input, cotangent, places=places),
)
ad.defbilinear(
    SUMS,
    lambda filters, _, cotangent, places: _of_input(filters, cotangent, places),
    lambda filters, input, _, places: shifted_products(input, filters, places),
)
