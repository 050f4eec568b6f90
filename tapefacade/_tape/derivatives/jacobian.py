"""Jacobians from derivatives along basis vectors: all at once, or some at a time to save memory."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tapefacade._core.tensor_type import TensorType

# Bytes that one vectorized computation of a Jacobian may take, by a rough count: all rows times
# all intermediate values. On a 2-core x86 machine it hardly matters how many rows are computed at
# a time (2,048 rows of four layers: 0.07 to 0.10 s with 8 to 1,024 at a time, 0.16 s with 2, 0.13 s
# with all, which are 160 MiB), while an accelerator wants as many as possible. 1 GiB leaves room on
# either, and most Jacobians are computed at once.
MAX_BYTES = 1 << 30


def rows_of(
    pull_back: Callable[[Any], Sequence[Any]],
    sources: Sequence[TensorType],
    target: TensorType,
    steps: Sequence[TensorType],
    chunk: int | None,
    batch: bool,
) -> list[Any]:
    """Computes a Jacobian by rows.

    Args:
        pull_back: gives the gradients for the sources of an upstream gradient.
        sources: the types of the sources.
        target: the type of the target.
        steps: the types of the intermediate values.
        chunk: how many rows to compute at a time; None: as many as memory allows.
        batch: whether example i of the target depends on example i of each source only, so that
            one row serves all examples.

    Returns:
        For each source an array of shape `target.shape + source.shape`; with `batch` the source's
        first dimension is missing.
    """
    count = target.size // max(target.shape[0], 1) if batch else target.size
    shape = (1, *target.shape[1:]) if batch else target.shape

    def row(place: Any) -> list[Any]:
        vector = jax.nn.one_hot(place, count, dtype=target.numpy_dtype).reshape(shape)
        return list(pull_back(jnp.broadcast_to(vector, target.shape)))

    results = mapped(row, count, bytes_of(steps) + bytes_of(sources), chunk)
    if batch:
        results = [jnp.moveaxis(result, 0, 1) for result in results]
    shapes = [target.shape + type_.shape[batch:] for type_ in sources]
    return [result.reshape(s) for result, s in zip(results, shapes, strict=True)]


def columns_of(
    push: Callable[[list[Any]], Any],
    sources: Sequence[TensorType],
    target: TensorType,
    steps: Sequence[TensorType],
    chunk: int | None,
) -> list[Any]:
    """Computes a Jacobian by columns.

    Args:
        push: gives the tangent of the target of those of the sources.
        sources: the types of the sources.
        target: the type of the target.
        steps: the types of the intermediate values.
        chunk: how many columns to compute at a time; None: as many as memory allows.

    Returns:
        For each source an array of shape `target.shape + source.shape`.
    """
    results = []
    for index, source in enumerate(sources):

        def column(place: Any, index: int = index, source: TensorType = source) -> list[Any]:
            vectors = [jnp.zeros(type_.shape, type_.numpy_dtype) for type_ in sources]
            vector = jax.nn.one_hot(place, source.size, dtype=source.numpy_dtype)
            vectors[index] = vector.reshape(source.shape)
            return [push(vectors)]

        (found,) = mapped(column, source.size, bytes_of(steps) + bytes_of([target]), chunk)
        columns = jnp.moveaxis(found, 0, -1).reshape(target.shape + source.shape)
        results.append(lax.convert_element_type(columns, source.numpy_dtype))
    return results


def mapped(
    function: Callable[[Any], list[Any]], count: int, bytes_each: int, chunk: int | None
) -> list[Any]:
    """Applies a function to 0, 1, ... `count` - 1, vectorized as far as memory allows.

    Args:
        function: from an index to a list of arrays.
        count: how often to apply it.
        bytes_each: what one application takes.
        chunk: how many to apply at a time; None: as many as `MAX_BYTES` allows.

    Returns:
        Arrays with a new first dimension.
    """
    if chunk is None:
        chunk = max(MAX_BYTES // max(bytes_each, 1), 1)
    places = jnp.arange(count)
    if count <= chunk:
        return jax.vmap(function)(places)
    return lax.map(function, places, batch_size=chunk)


def bytes_of(types: Sequence[TensorType]) -> int:
    """Returns how much memory the differentiable values of these types take."""
    return sum(type_.size * type_.numpy_dtype.itemsize for type_ in types if type_.inexact)
