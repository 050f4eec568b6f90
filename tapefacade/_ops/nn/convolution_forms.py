"""Convolutions that XLA computes slowly on a CPU, in other forms.

What XLA has for convolutions there is made for dense filters on images: gradients of grouped ones
take 10 to 80 times as long as sums of shifted products or other convolutions, those of volumes 10
times as long as those of images, filters of one pixel twice as long, and so do gradients of
transposed ones with strides (`benchmarks/convolutions.py`). Others are best as they are; but in a
body, of a loop or a branch, XLA leaves the gradients of all convolutions in a form for which it has
nothing fast: those of products of matrices take a tenth of the time.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._ops.nn.depthwise_products import shifted_products
from tapefacade._ops.nn.filter_places import Places, spread
from tapefacade._trace.body_depth import is_within_body

# Of numbers of fewer bits XLA adds products in more.
DTYPES = (np.float32, np.float64)
# More patches than this (as numbers, 256 MiB) are too many.
MAX_PATCHES = 2**26
# Convolutions of which a transposed one is made.
MAX_PHASES = 64
# Of groups: as many channels together, in as many convolutions.
BLOCK, MAX_BLOCKS = 32, 4


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
    is_plain = groups == 1 and not is_point and not is_within_body()
    if is_plain and len(window) < 3:
        return None
    reach = list(map(spread, window, rates))
    spatial, ones = input.shape[1:-1], (1,) * len(window)
    is_named = isinstance(padding, str)
    pads = lax.padtype_to_pads(spatial, reach, steps, padding) if is_named else padding
    pairs = tuple((first, last) for first, last in pads)
    places = Places(spatial, tuple(window), ones, pairs, tuple(rates), tuple(steps))
    if min(*places.found, input.shape[0], inner, outer) < 1:
        return None
    if is_point and groups == 1:
        ((pixel, part),) = places.parts(input)
        return jnp.matmul(part, filters[pixel])
    if inner == 1 and groups > 1:
        whole = input if outer == groups else jnp.repeat(input, outer // groups, -1)
        return shifted_products(whole, lax.squeeze(filters, [-2]), places)
    if is_plain:
        return _convolved(input, filters, places)
    if not is_within_body():
        return _in_blocks(input, filters, places, groups)
    if math.prod((len(input), *places.found, *window, inner, groups)) > MAX_PATCHES:
        return None
    # Without a checkpoint a loop would keep the parts of all iterations for its gradient.
    product = jax.checkpoint(_products_of_patches, prevent_cse=False, static_argnums=(2, 3))
    return product(input, filters, places, groups)


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
    if max(steps) == 1 and len(steps) < 3 and not is_within_body():
        return None
    if min(*input.shape, *filters.shape, *sizes) < 1 or math.prod(steps) > MAX_PHASES:
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


def _convolved(input: jax.Array, filters: jax.Array, places: Places) -> jax.Array:
    """Convolves with dense filters: of a volume, what filters see of its depth are channels.

    So volumes are images. XLA's own form takes ten times as long for the gradient.
    """
    if len(places.window) < 3:
        return places.convolve(input, filters)
    depth, rest = places.along(slice(1)), places.along(slice(1, None))
    parts = [part for _, part in depth.parts(input)]
    images = lax.collapse(lax.concatenate(parts, input.ndim - 1), 0, 2)
    own = jnp.moveaxis(filters, 0, -3)
    found = rest.convolve(images, lax.collapse(own, own.ndim - 3, own.ndim - 1))
    return found.reshape(len(input), *places.found, filters.shape[-1])


def _in_blocks(input: jax.Array, filters: jax.Array, places: Places, groups: int) -> jax.Array:
    """Convolves some groups at a time, as one whose filters are zeros between the groups.

    Where a number is not finite, it spreads to the groups of its block.
    """
    *_, inner, outer = filters.shape
    channels = max(inner * groups, outer)
    counts = [count for count in range(1, MAX_BLOCKS + 1) if groups % count == 0]
    count = next((n for n in counts if channels <= n * BLOCK), counts[-1])
    each = groups // count
    between = np.eye(each, dtype=input.dtype)[:, None, :, None]

    def block(input: jax.Array, filters: jax.Array) -> jax.Array:
        own = filters.reshape(*places.window, 1, inner, each, outer // groups) * between
        return _convolved(input, own.reshape(*places.window, each * inner, outer // count), places)

    pairs = zip(jnp.split(input, count, -1), jnp.split(filters, count, -1), strict=True)
    return lax.concatenate([block(*pair) for pair in pairs], input.ndim - 1)


def _products_of_patches(
    input: jax.Array, filters: jax.Array, places: Places, groups: int
) -> jax.Array:
    """Convolves groups of channels as products of matrices."""
    inner, outer = filters.shape[-2:]
    parts = [part.reshape(-1, groups, inner) for _, part in places.parts(input)]
    patches = lax.concatenate(parts, 2).swapaxes(0, 1)
    matrices = filters.reshape(patches.shape[-1], groups, outer // groups).swapaxes(0, 1)
    found = jnp.matmul(patches, matrices).swapaxes(0, 1)
    return found.reshape(len(input), *places.found, outer)
