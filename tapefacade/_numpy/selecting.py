"""Elements chosen by conditions and positions: `where`, `nonzero`, `select`, `take`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.error_texts import incompatible_shapes, index_out_of_range, invalid
from tapefacade._core.kernel_dtypes import INDICES
from tapefacade._core.tensor import from_host
from tapefacade._definition.argument_checks import first_bad, require_type, subscript
from tapefacade._definition.op import Check, IndexLike, TensorLike, function, op
from tapefacade._numpy.promotion import as_tensor, promoted
from tapefacade._numpy.shaping import atleast_1d, ravel
from tapefacade._ops.array import selecting
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.joining import unstack


@function("experimental.numpy.where")
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Takes elements of `x` where a condition holds and of `y` elsewhere.

    Args:
        condition: booleans, or numbers, of which all but 0 are true.
        x: a tensor, which broadcasts with the others; without it the positions of the true
            elements are returned, as by `nonzero`.
        y: another one.

    Returns:
        A tensor of the common dtype of `x` and `y`.

    Raises:
        ValueError: if just one of `x` and `y` is given.

    >>> tf.experimental.numpy.where([True, False], 1, 2.5).numpy()
    array([1. , 2.5])
    """
    if x is None and y is None:
        return nonzero(as_tensor(condition, bool))
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return selecting.where(as_tensor(condition, bool), *promoted(x, y))


@function("experimental.numpy.nonzero")
def nonzero(a: Any) -> list[Any]:
    """Finds the positions of the elements that are not 0. It looks at the values.

    Args:
        a: a tensor or what converts to one.

    Returns:
        A list of int64 vectors, one for each dimension.

    >>> [index.numpy() for index in tf.experimental.numpy.nonzero([0, 3, 4])]
    [array([1, 2])]
    """
    return unstack(selecting.where(atleast_1d(as_tensor(a, bool))), axis=1)


@function("experimental.numpy.select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Takes each element from the first of several tensors whose condition holds there.

    Args:
        condlist: a list of conditions.
        choicelist: a list of as many tensors, which broadcast with the conditions.
        default: what is taken where no condition holds.

    Returns:
        A tensor of the common dtype.

    Raises:
        ValueError: if there are no conditions, or not as many as tensors.

    >>> tf.experimental.numpy.select([[True, False], [True, True]], [1, 2]).numpy()
    array([1, 2])
    """
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})"
        )
    if not condlist:
        raise ValueError("condlist must be non-empty")
    *choices, result = promoted(*choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = selecting.where(as_tensor(condition, bool), choice, result)
    return result


@function("experimental.numpy.compress")
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """Takes the slices along an axis for which a condition holds. It looks at the condition.

    Args:
        condition: a vector, which may be shorter than the axis.
        a: a tensor or what converts to one.
        axis: the axis; by default the tensor is flattened.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        ValueError: if `condition` is no vector, or too long.

    >>> tf.experimental.numpy.compress([True, False, True], [1, 2, 3, 4]).numpy()
    array([1, 3])
    """
    chosen, value = as_tensor(condition, bool), as_tensor(a)
    if chosen.ndim != 1:
        raise ValueError("condition must be a 1-d array.")
    if axis is None:
        value, axis = ravel(value), 0
    size = value.shape[axis]
    if chosen.shape[0] > size:
        raise ValueError(incompatible_shapes(f"({size},)", f"({chosen.shape[0]},)"))
    return gather(value, from_host(np.flatnonzero(chosen.numpy())), axis=axis)


# By positions.


@op("_take_anywhere", kernel="GatherV2")
def _take_anywhere(a: TensorLike, indices: IndexLike, axis: int, mode: str) -> jax.Array:
    """Takes slices at positions, of which those out of range are moved into it."""
    require_type("out_type", indices.dtype, INDICES)
    return jnp.take(a, indices, axis=axis, mode=mode)


@function("experimental.numpy.take")
def take(a: Any, indices: Any, axis: Any = None, out: None = None, mode: str = "clip") -> Any:
    """Takes slices at positions along an axis.

    Args:
        a: a tensor or what converts to one.
        indices: the positions, integers of any shape.
        axis: the axis; by default the tensor is flattened.
        out: must be None.
        mode: "clip" takes the nearest position in range, 0 for negative ones; "wrap" counts on
            from the other end.

    Returns:
        A tensor of the dtype of `a`, in which the shape of `indices` is in the place of the axis.

    Raises:
        ValueError: if `out` is given, or `mode` is another one.

    >>> tf.experimental.numpy.take([10, 20, 30], [2, 0, 7]).numpy()
    array([30, 10, 30])
    """
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode '{mode}' for take")
    if mode == "raise":
        raise ValueError("The 'raise' mode to take is not supported.")
    value = as_tensor(a)
    if axis is None:
        value, axis = ravel(value), 0
    if not -value.ndim <= axis < value.ndim:
        raise invalid(f"slice index {axis} of dimension 0 out of bounds. [Op:StridedSlice] name: ")
    return _take_anywhere(value, as_tensor(indices), axis, mode)


def _counted_from_front(arr: Any, indices: Any, axis: int) -> Any:
    """Checks the arguments of `take_along_axis`; negative positions count from the end."""
    require_type("out_type", indices.dtype, INDICES)
    for rank in (arr.ndim, indices.ndim):
        if not -rank <= axis < rank:
            raise invalid(f"indices[0] = [{axis}] does not index into shape [{rank}]")
    size = np.asarray(arr.shape[axis], indices.dtype)
    return jnp.where(indices < 0, indices + size, indices)


def _test(arr: Any, indices: Any, axis: int) -> tuple[Any, ...]:
    found = jnp.moveaxis(_counted_from_front(arr, indices, axis), axis, -1)
    found = jnp.reshape(found, (-1, indices.shape[axis]))
    size = np.int64(arr.shape[axis])
    return (*first_bad((found < 0) | (found >= size.astype(found.dtype)), found), size)


def _error(position: Any, value: Any, size: Any, axis: int) -> Exception:
    return invalid(index_out_of_range(subscript(position), value, size))


@op("_take_along_axis", kernel="GatherV2", check=Check(("indices",), _test, _error))
def _take_along_axis(arr: TensorLike, indices: IndexLike, axis: int) -> jax.Array:
    """Takes elements at positions along an axis, another one for each of the other indices."""
    found = _counted_from_front(arr, indices, axis)
    return jnp.take_along_axis(arr, found, axis=axis, mode="clip")


@function("experimental.numpy.take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: Any) -> Any:
    """Takes elements at positions along an axis that differ along the other axes.

    Args:
        arr: a tensor or what converts to one.
        indices: the positions, integers; it broadcasts with `arr` but for the axis.
        axis: the axis; with None both are flattened.

    Returns:
        A tensor of the dtype of `arr`.

    Raises:
        InvalidArgumentError: if a position is out of range.

    >>> tf.experimental.numpy.take_along_axis([[1, 2], [3, 4]], [[1], [0]], 1).numpy()
    array([[2],
           [3]])
    """
    value, positions = as_tensor(arr), as_tensor(indices)
    if axis is None:
        value, positions, axis = ravel(value), ravel(positions), 0
    return _take_along_axis(value, positions, axis)
