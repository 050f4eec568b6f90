"""What subscripts do to arrays: the parts of a spec, and how they are taken."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

# What is done to each dimension, in order (further dimensions are kept):
#   (start, count, step)  a slice at a place that is part of the program,
#   count > 0             a slice whose start is an input of the program,
#   0                     an index that is an input of the program: the dimension disappears,
#   -1 - index            an index that is part of the program,
#   None                  a new dimension of size 1.
Spec = tuple[Any, ...]


def dynamic_dimensions(spec: Spec) -> list[tuple[int, int]]:
    """Returns the dimensions of the input whose start is an input, and the sizes taken of them."""
    entries = [entry for entry in spec if entry is not None]
    return [(i, e or 1) for i, e in enumerate(entries) if isinstance(e, int) and e >= 0]


def sliced(x: jax.Array, spec: Spec, starts: Any) -> jax.Array:
    """Takes a part of an array; `starts` are the inputs that the spec names, in a vector."""
    dynamic = dynamic_dimensions(spec)
    if dynamic:
        starts = jnp.reshape(starts, (len(dynamic),))
        begin: list[Any] = [jnp.zeros((), starts.dtype)] * x.ndim
        sizes = list(x.shape)
        for place, (dimension, size) in enumerate(dynamic):
            begin[dimension], sizes[dimension] = starts[place], size
        x = lax.dynamic_slice(x, begin, sizes)
    entries = [entry for entry in spec if entry is not None]
    low, high, steps = [0] * x.ndim, list(x.shape), [1] * x.ndim
    turned = []
    for i, entry in enumerate(entries):
        if isinstance(entry, tuple):
            start, count, step = entry
            last = start + (count - 1) * step
            if count == 0:
                low[i] = high[i] = 0
            elif step > 0:
                low[i], high[i], steps[i] = start, last + 1, step
            else:
                low[i], high[i], steps[i] = last, start + 1, -step
                turned.append(i)
        elif entry < 0:
            low[i], high[i] = -1 - entry, -entry
    x = lax.slice(x, low, high, steps)
    if turned:
        x = lax.rev(x, turned)
    return jnp.reshape(x, shape_after(x.shape, spec))


def shape_after(shape: tuple[int, ...], spec: Spec) -> tuple[int, ...]:
    """Returns the shape with the dimensions of indices left out and the new ones put in."""
    remaining, result = iter(shape), []
    for entry in spec:
        if entry is None:
            result.append(1)
        else:
            size = next(remaining)
            if isinstance(entry, tuple) or entry > 0:
                result.append(size)
    return (*result, *remaining)


def numpy_key(spec: Spec, starts: Any) -> tuple[Any, ...]:
    """Returns the subscript for NumPy (or `jax.Array.at`) that a spec stands for."""
    remaining = iter(starts)
    key: list[Any] = []
    for entry in spec:
        if entry is None:
            key.append(None)
        elif isinstance(entry, tuple):
            start, count, step = entry
            stop = start + count * step
            key.append(slice(start, None if stop < 0 else stop, step) if count else slice(0, 0))
        elif entry > 0:
            begin = next(remaining)
            key.append(slice(begin, begin + entry))
        else:
            key.append(next(remaining) if entry == 0 else -1 - entry)
    return tuple(key)
