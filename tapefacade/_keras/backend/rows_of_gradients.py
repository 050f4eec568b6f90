"""Keras's elementwise functions of `tf.IndexedSlices`, the gradients of tables.

Which results have rows again is Keras's choice (`keras.src.backend.tensorflow.sparse`), and seen in
the numbers: where a row is there twice, the sum of squares is not the square of the sum.
"""

import functools
from collections.abc import Callable
from typing import Any

from tapefacade._ops.array.gathering import gather
from tapefacade._state.indexed_slices import IndexedSlices


def _of_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of a function of one argument, whose value for zero is zero."""

    @functools.wraps(function)
    def each(x: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(x, IndexedSlices):
            return IndexedSlices(function(x.values, *args, **kwargs), x.indices, x.dense_shape)
        return function(x, *args, **kwargs)

    return each


def _of_two(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of a sum and the like: of rows at the same places."""

    @functools.wraps(function)
    def both(x1: Any, x2: Any) -> Any:
        if _are_alike(x1, x2):
            return IndexedSlices(function(x1.values, x2.values), x1.indices, x1.dense_shape)
        return function(x1, x2)

    return both


def _of_product(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of a product: of rows and numbers, or a tensor of the whole's shape, as well."""
    of_alike, of_first = _of_two(function), _of_quotient(function)
    of_second = _of_quotient(lambda x2, x1: function(x1, x2))

    @functools.wraps(function)
    def both(x1: Any, x2: Any) -> Any:
        if _are_alike(x1, x2):
            return of_alike(x1, x2)
        return of_second(x2, x1) if isinstance(x2, IndexedSlices) else of_first(x1, x2)

    return both


def _of_quotient(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of a quotient: of rows by numbers, or by a tensor of the whole's shape."""

    @functools.wraps(function)
    def both(x1: Any, x2: Any) -> Any:
        if isinstance(x1, IndexedSlices) and not isinstance(x2, IndexedSlices):
            found = _beside(x2, x1)
            if found is not None:
                return IndexedSlices(function(x1.values, found), x1.indices, x1.dense_shape)
        return function(x1, x2)

    return both


def _are_alike(x1: Any, x2: Any) -> bool:
    """Whether both are rows, at the same places."""
    both = isinstance(x1, IndexedSlices) and isinstance(x2, IndexedSlices)
    return both and x1.indices is x2.indices


def _beside(x: Any, rows: IndexedSlices) -> Any:
    """Returns what of a number or a tensor stands beside rows; None if that is not to be told."""
    shape = tuple(getattr(x, "shape", ()))
    if not shape:
        return x
    return gather(x, rows.indices) if shape == tuple(rows.shape) else None


# For functions of `keras.src.backend.jax.numpy`, by their names, what makes them such ones.
FUNCTIONS_OF_ROWS: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    **dict.fromkeys(
        (
            "abs", "absolute", "arcsin", "arcsinh", "arctan", "arctanh", "ceil", "clip", "conj",
            "conjugate", "copy", "expm1", "floor", "imag", "log1p", "negative", "real", "round",
            "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
        ),
        _of_one,
    ),
    **dict.fromkeys(("add", "maximum", "minimum", "subtract"), _of_two),
    "multiply": _of_product,
    "divide": _of_quotient,
}  # fmt: skip
