"""Sums of some pixels with weights, as in interpolation, and their gradients.

For the gradient JAX would add to the pixels that were looked up, one after the other. But it is a
sum of some pixels as well, which takes a tenth of the time (`benchmarks/convolutions.py`).
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.interpreters import ad, batching

from tapefacade._definition.jax_primitive import LinearPrimitive

# More pixels for one take longer, and longer to compile, than a product with a whole matrix.
MAX_TAPS = 16


class Taps(NamedTuple):
    """Which old pixels, along an axis, become each of the new ones."""

    axis: int
    old: int
    new: int
    places: bytes  # int32, `[taps, new]`; what is not among the old pixels is zero
    weights: bytes | None  # float32, `[taps, new]`; ones if None

    def arrays(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Returns the places and the weights."""
        places = np.frombuffer(self.places, np.int32).reshape(-1, self.new)
        if self.weights is None:
            return places, None
        return places, np.frombuffer(self.weights, np.float32).reshape(-1, self.new)

    def matrix(self) -> np.ndarray:
        """Returns the weights of all old pixels in each new one, `[new, old]`."""
        places, weights = self.arrays()
        found = np.zeros((self.new, self.old + 1), np.float32)
        rows = np.broadcast_to(np.arange(self.new), places.shape)
        np.add.at(found, (rows, places), 1 if weights is None else weights)
        return found[:, : self.old]


@functools.lru_cache(maxsize=256)
def _transposed(taps: Taps) -> Taps:
    """Returns which new pixels each of the old ones has become."""
    places, weights = taps.arrays()
    given = np.ones(places.shape, np.float32) if weights is None else weights
    taken, made = np.nonzero((places < taps.old) & (given != 0))
    rows = places[taken, made]
    order = np.argsort(rows, kind="stable")
    rows, made, taken = rows[order], made[order], taken[order]
    counts = np.bincount(rows, minlength=taps.old)
    ranks = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    found = np.full((max(1, counts.max()), taps.old), taps.new, np.int32)
    found[ranks, rows] = made
    kept = None
    if weights is not None:
        kept = np.zeros(found.shape, np.float32)
        kept[ranks, rows] = weights[taken, made]
    bytes_ = None if kept is None else kept.tobytes()
    return Taps(taps.axis, taps.new, taps.old, found.tobytes(), bytes_)


def sums_of_pixels(
    images: jax.Array, places: np.ndarray, weights: np.ndarray | None, axis: int
) -> jax.Array:
    """Sums `weights[k]` times the pixels at `places[k]`.

    Args:
        images: any numbers.
        places: int32, `[K, new size]`.
        weights: float32, `[K, new size]`; None for ones.
        axis: along which the places are.

    Returns:
        As many pixels as there are places along the axis, of the same dtype.
    """
    given = None if weights is None else weights.astype(np.float32).tobytes()
    old, new = images.shape[axis], places.shape[1]
    return SUMS(images, how=Taps(axis, old, new, places.astype(np.int32).tobytes(), given))


def weighted(images: jax.Array, weights: np.ndarray, axis: int) -> jax.Array:
    """Sums all pixels along an axis with the weights that each new pixel gives them.

    Args:
        images: any numbers.
        weights: `[new size, old size]`.
        axis: along which they are summed.
    """
    matrix, dimensions = jnp.asarray(weights, images.dtype), (((axis,), (1,)), ((), ()))
    product = lax.dot_general(images, matrix, dimensions, precision=lax.Precision.HIGHEST)
    return jnp.moveaxis(product, -1, axis)


def _sums(images: jax.Array, taps: Taps) -> jax.Array:
    places, weights = taps.arrays()
    if len(places) > MAX_TAPS:
        return weighted(images, taps.matrix(), taps.axis)
    shape = [1] * images.ndim
    shape[taps.axis] = taps.new
    parts = []
    for number, place in enumerate(places):
        mode = "fill" if place.max(initial=0) >= taps.old else "clip"
        part = jnp.take(images, place, taps.axis, mode=mode, fill_value=0)
        if weights is not None:
            part *= weights[number].reshape(shape).astype(images.dtype)
        parts.append(part)
    return functools.reduce(jnp.add, parts)


SUMS = LinearPrimitive(
    "sums_of_pixels",
    _sums,
    lambda images, taps: (*images.shape[: taps.axis], taps.new, *images.shape[taps.axis + 1 :]),
)
ad.deflinear2(SUMS.primitive, lambda cotangent, _, how: [SUMS(cotangent, how=_transposed(how))])


def _mapped(arrays: tuple[jax.Array], axes: tuple[int], how: Taps) -> tuple[jax.Array, int]:
    rows = jnp.moveaxis(arrays[0], axes[0], 0)
    return SUMS(rows, how=how._replace(axis=how.axis + 1)), 0


batching.primitive_batchers[SUMS.primitive] = _mapped
