"""Maxima and sums of the windows of an array, in the form that is best where they are computed.

On a CPU, XLA looks at each number of each window on its own, and at all of them again for the
gradient of a maximum: windows of 3 x 3 take 5 to 30 times as long as the maxima of shifted arrays,
first along one axis, then along the next (`benchmarks/convolutions.py`).
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._ops.nn.activation import endless_ones

LONGEST = 8  # along an axis; more shifted arrays take long to compile
# Of numbers of fewer bits XLA adds in more.
DTYPES = (np.float32, np.float64, np.int32, np.int64)


class WindowPlaces(NamedTuple):
    """Where windows lie: a number, or a pair of them, for each axis."""

    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    rates: tuple[int, ...]  # how far what is in one window lies apart


class Shifts(NamedTuple):
    """Where windows along one axis lie, and how many there are."""

    axis: int
    size: int
    step: int
    rate: int
    number: int

    def parts(self, x: jax.Array) -> list[jax.Array]:
        """Returns the first of each window, the second of each, and so on."""
        begins = [place * self.rate for place in range(self.size)]
        reach = (self.number - 1) * self.step + 1
        return [lax.slice_in_dim(x, b, b + reach, self.step, self.axis) for b in begins]


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def maxima(x: jax.Array, windows: WindowPlaces) -> jax.Array:
    """Takes the greatest of each window; the gradient goes to the first of equal ones.

    Args:
        x: numbers; nan is greater than all others.
        windows: where they lie. What is padded is less than all numbers.

    Returns:
        An array of the type of `x`.
    """
    return _plain_maxima(x, windows)


@maxima.defjvp
def _maxima_jvp(
    windows: WindowPlaces, primals: tuple, tangents: tuple
) -> tuple[jax.Array, jax.Array]:
    """Takes the tangents where the maxima are; higher derivatives are zeros, not None."""
    (x,), (tangent,) = primals, tangents
    chosen = jax.jvp(lambda x: _plain_maxima(x, windows), (x,), (tangent * endless_ones(x),))[1]
    return maxima(x, windows), chosen


def _plain_maxima(x: jax.Array, windows: WindowPlaces) -> jax.Array:
    low = -jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
    return _reduced(x, windows, np.asarray(low, x.dtype), lax.max, _greatest)


def sums(x: jax.Array, windows: WindowPlaces) -> jax.Array:
    """Adds up each window.

    Args:
        x: numbers.
        windows: where they lie; what is padded is zero.

    Returns:
        An array of the type of `x`.
    """
    return _reduced(x, windows, np.zeros((), x.dtype), lax.add, _total)


def _reduced(
    x: jax.Array,
    windows: WindowPlaces,
    start: np.ndarray,
    function: Callable[..., jax.Array],
    along: Callable[[jax.Array, Shifts], jax.Array],
) -> jax.Array:
    sizes, steps, pads, rates = windows
    counts = [
        (length + sum(pad) - (size - 1) * rate - 1) // step + 1
        for length, size, step, pad, rate in zip(x.shape, *windows, strict=True)
    ]
    is_small = max(sizes) <= LONGEST and min(counts) > 0
    if not is_small or jax.default_backend() != "cpu" or x.dtype not in DTYPES:
        return lax.reduce_window(x, start, function, sizes, steps, pads, window_dilation=rates)
    if any(map(any, pads)):
        x = lax.pad(x, start, [(*pad, 0) for pad in pads])
    # The last axis first: of equal maxima the first in the order of rows is found.
    for axis in reversed(range(x.ndim)):
        if (sizes[axis], steps[axis]) != (1, 1):
            x = along(x, Shifts(axis, sizes[axis], steps[axis], rates[axis], counts[axis]))
    return x


def _total(x: jax.Array, shifts: Shifts) -> jax.Array:
    return functools.reduce(lax.add, shifts.parts(x))


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _greatest(x: jax.Array, shifts: Shifts) -> jax.Array:
    return functools.reduce(lax.max, shifts.parts(x))


@_greatest.defjvp
def _greatest_jvp(shifts: Shifts, primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x,), (tangent,) = primals, tangents
    greatest = _greatest(x, shifts)
    (*tangents_before, chosen), parts = shifts.parts(tangent), shifts.parts(x)
    for part, of_part in reversed(list(zip(parts, tangents_before, strict=False))):
        is_greatest = (part == greatest) | (part != part)
        chosen = lax.select(is_greatest, of_part, chosen)
    return greatest, chosen
