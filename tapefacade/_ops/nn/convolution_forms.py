"""Convolutions that XLA computes slowly on a CPU, in other forms.

What XLA has for convolutions there is made for dense filters: gradients of grouped ones take 10 to
80 times as long as sums of shifted products or products of matrices, filters of one pixel twice as
long, and so do gradients of transposed ones with strides (`benchmarks/convolutions.py`). Others are
best as they are; but in a body, of a loop or a branch, XLA leaves the gradients of all convolutions
in a form for which it has nothing fast: those of products of matrices take a tenth of the time.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._trace.body_depth import is_within_body

# Of numbers of fewer bits XLA adds products in more.
DTYPES = (np.float32, np.float64)
# More patches than this (as numbers, 256 MiB) are too many.
MAX_PATCHES = 2**26


def in_other_form(
    input: jax.Array,
    filters: jax.Array,
    steps: Sequence[int],
    padding: Any,
    rates: Sequence[int],
    groups: int,
) -> jax.Array | None:
    """Convolves with checked arguments, channels last; a number for each spatial axis.

    Args:
        input: `[B, ..., C]`.
        filters: `[..., C / groups, O]`.
        steps: the strides.
        padding: `"SAME"`, `"VALID"`, or pairs of numbers.
        rates: the dilations.
        groups: into how many parts the channels are divided.

    Returns:
        The result; None if XLA's own form is the best.
    """
    if jax.default_backend() != "cpu" or input.dtype not in DTYPES:
        return None
    *window, inner, outer = filters.shape
    is_point = math.prod(window) == 1
    if groups == 1 and not is_point and not is_within_body():
        return None
    reach = [(size - 1) * rate + 1 for size, rate in zip(window, rates, strict=True)]
    spatial = input.shape[1:-1]
    is_named = isinstance(padding, str)
    pads = lax.padtype_to_pads(spatial, reach, steps, padding) if is_named else padding
    padded = [size + sum(pad) for size, pad in zip(spatial, pads, strict=True)]
    sizes = [(n - own) // step + 1 for n, own, step in zip(padded, reach, steps, strict=True)]
    if min(*sizes, input.shape[0], inner, outer) < 1:
        return None
    margins = [(0, 0, 0), *[(first, last, 0) for first, last in pads], (0, 0, 0)]

    def parts(input: jax.Array) -> Iterator[tuple[tuple[int, ...], jax.Array]]:
        """Gives for each pixel of the filters what it is multiplied with."""
        zero = input.dtype.type(0)
        whole = lax.pad(input, zero, margins) if any(map(any, pads)) else input
        for place in itertools.product(*map(range, window)):
            begins = [i * rate for i, rate in zip(place, rates, strict=True)]
            ends = [b + (n - 1) * step + 1 for b, n, step in zip(begins, sizes, steps, strict=True)]
            yield (
                place,
                lax.slice(
                    whole, (0, *begins, 0), (len(whole), *ends, whole.shape[-1]), (1, *steps, 1)
                ),
            )

    if is_point and groups == 1:
        ((place, part),) = parts(input)
        return jnp.matmul(part, filters[place])
    patches = math.prod((len(input), *sizes, *window, inner, groups))
    if patches > MAX_PATCHES and not _is_depthwise(filters, groups):
        return None

    def product(input: jax.Array, filters: jax.Array) -> jax.Array:
        return _product(parts(input), filters, groups)

    if is_within_body():  # a loop would keep the parts of all iterations for its gradient
        product = jax.checkpoint(product, prevent_cse=False)
    return product(input, filters)


def transposed_in_other_form(
    input: jax.Array,
    filters: jax.Array,
    steps: Sequence[int],
    before: Sequence[int],
    sizes: Sequence[int],
) -> jax.Array | None:
    """Applies the transpose of a convolution without dilations and groups, channels last.

    Of the results, every `steps`-th along an axis is a convolution of the input with every
    `steps`-th pixel of the filters.

    Args:
        input: `[B, ..., C]`.
        filters: `[..., O, C]`.
        steps: the strides.
        before: how many zeros the convolution has put before its input, for each spatial axis.
        sizes: the spatial sizes of the result.

    Returns:
        The result, `[B, *sizes, O]`; None if XLA's own form is the best.
    """
    if jax.default_backend() != "cpu" or input.dtype not in DTYPES:
        return None
    if max(steps) == 1 and not is_within_body():
        return None
    if min(*input.shape, *filters.shape, *sizes) < 1:
        return None
    spatial = len(steps)
    letters = "DHW"[-spatial:]
    counts = [-(-size // step) for size, step in zip(sizes, steps, strict=True)]

    def phase(offsets: tuple[int, ...]) -> jax.Array:
        """Returns the results at places that leave such remainders."""
        own, pads = filters, []
        for axis, offset in enumerate(offsets):
            step, count, start = steps[axis], counts[axis], offset + before[axis]
            pixels = list(range(start % step, filters.shape[axis], step))
            if not pixels:
                return jnp.zeros((len(input), *counts, filters.shape[-2]), input.dtype)
            own = lax.slice_in_dim(own, pixels[0], pixels[-1] + 1, step, axis)
            first, last = ((start - pixel) // step for pixel in (pixels[-1], pixels[0]))
            pads.append((-first, last + count - input.shape[1 + axis]))
        own, ones = jnp.flip(own, range(spatial)), (1,) * spatial
        found = in_other_form(input, jnp.swapaxes(own, -1, -2), ones, pads, ones, 1)
        if found is not None:
            return found
        return lax.conv_general_dilated(
            input, own, ones, pads,
            dimension_numbers=(f"N{letters}C", f"{letters}OI", f"N{letters}C"),
        )  # fmt: skip

    phases = [phase(offsets) for offsets in itertools.product(*map(range, steps))]
    whole = jnp.stack(phases, 1).reshape(len(input), *steps, *counts, filters.shape[-2])
    pairs = [axis for k in range(spatial) for axis in (1 + spatial + k, 1 + k)]
    whole = whole.transpose(0, *pairs, 2 * spatial + 1)
    whole = whole.reshape(
        len(input), *[n * step for n, step in zip(counts, steps, strict=True)], -1
    )
    return lax.slice(whole, [0] * whole.ndim, (len(input), *sizes, whole.shape[-1]))


def _is_depthwise(filters: jax.Array, groups: int) -> bool:
    return filters.shape[-2] == 1 and groups > 1


def _product(
    parts: Iterator[tuple[tuple[int, ...], jax.Array]], filters: jax.Array, groups: int
) -> jax.Array:
    """Multiplies each pixel of the filters with its part of the input, and adds up."""
    if _is_depthwise(filters, groups):
        return _shifted_products(parts, filters, groups)
    return _products_of_patches([part for _, part in parts], filters, groups)


def _shifted_products(
    parts: Iterator[tuple[tuple[int, ...], jax.Array]], filters: jax.Array, depth: int
) -> jax.Array:
    """Convolves each channel on its own."""
    several = filters.shape[-1] // depth

    def product(place: tuple[int, ...], part: jax.Array) -> jax.Array:
        of_place = filters[place]
        if several == 1:
            return part * of_place[0]
        return part[..., None] * of_place.reshape(depth, several)

    total = sum(product(place, part) for place, part in parts)
    assert isinstance(total, jax.Array)
    return total if several == 1 else total.reshape(*total.shape[:-2], depth * several)


def _products_of_patches(parts: Sequence[jax.Array], filters: jax.Array, groups: int) -> jax.Array:
    """Convolves groups of channels as products of matrices."""
    inner, outer = filters.shape[-2:]
    shape = parts[0].shape[:-1]
    patches = jnp.stack([part.reshape(*shape, groups, inner) for part in parts], -2)
    matrices = filters.reshape(len(parts) * inner, groups, outer // groups)
    found = jnp.einsum(
        "...gi,igo->...go", patches.reshape(*shape, groups, len(parts) * inner), matrices
    )
    return found.reshape(*shape, outer)
