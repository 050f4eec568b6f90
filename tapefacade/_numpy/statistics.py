"""Running sums, sorting, averages, and reductions that skip nan: `cumsum`, `sort`, `average`."""

from typing import Any

from tapefacade._core.error_texts import invalid
from tapefacade._definition.op import function
from tapefacade._numpy.arithmetic import subtract
from tapefacade._numpy.comparison import not_equal
from tapefacade._numpy.promotion import as_tensor, inexact, promoted
from tapefacade._numpy.reductions import along, max, mean, min, prod, sum, wide
from tapefacade._ops.array import sorting
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import ones_like, zeros_like
from tapefacade._ops.array.creation import fill
from tapefacade._ops.array.indexing import getitem
from tapefacade._ops.array.positions import count_nonzero as counted
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import broadcast_to, reshape
from tapefacade._ops.linalg.products import tensordot
from tapefacade._ops.math import cumulative
from tapefacade._ops.math.elementary import is_nan
from tapefacade._ops.math.reduction import reduce_sum


def _running(a: Any, axis: Any, dtype: Any, running: Any) -> Any:
    value = as_tensor(a, dtype)
    if not value.dtype.is_bool:
        value = wide(value, dtype, unsigned=False)
    return running(*along(value, axis))


@function("experimental.numpy.cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Computes running sums along an axis.

    Args:
        a: a tensor of numbers or what converts to one.
        axis: the axis; by default the tensor is flattened.
        dtype: the dtype to sum in; without it integers become int64.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if `axis` is out of range, or `a` is boolean.

    >>> tf.experimental.numpy.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6])
    """
    return _running(a, axis, dtype, cumulative.cumsum)


@function("experimental.numpy.cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Computes running products along an axis.

    Args:
        a: a tensor of numbers or what converts to one.
        axis: the axis; by default the tensor is flattened.
        dtype: the dtype to multiply in; without it integers become int64.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if `axis` is out of range, or `a` is boolean.

    >>> tf.experimental.numpy.cumprod([1, 2, 3]).numpy()
    array([1, 2, 6])
    """
    return _running(a, axis, dtype, cumulative.cumprod)


# Reductions that skip nan.


def _without_nan(a: Any, otherwise: Any) -> Any:
    value = as_tensor(a)
    return where(is_nan(value), otherwise(value), value) if value.dtype.is_floating else value


@function("experimental.numpy.nansum")
def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """Adds elements up over axes as if nan were 0.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.
        dtype: the dtype to sum in; without it integers and booleans become 64-bit integers.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.nansum([1.0, np.nan]).numpy()
    np.float64(1.0)
    """
    return sum(_without_nan(a, zeros_like), axis, dtype, keepdims)


@function("experimental.numpy.nanprod")
def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """Multiplies elements over axes as if nan were 1.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.
        dtype: the dtype to multiply in; without it integers and booleans become 64-bit integers.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.nanprod([2.0, np.nan]).numpy()
    np.float64(2.0)
    """
    return prod(_without_nan(a, ones_like), axis, dtype, keepdims)


@function("experimental.numpy.nanmean")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Computes the mean over axes of the elements that are not nan.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.
        dtype: the dtype to compute in; without it integers and booleans become float64.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor, nan where there is no other element.

    >>> tf.experimental.numpy.nanmean([1.0, np.nan]).numpy()
    np.float64(1.0)
    """
    value = as_tensor(a)
    if not value.dtype.is_floating:
        return mean(value, axis, dtype, keepdims=keepdims)
    total = nansum(value, axis, dtype, bool(keepdims))
    known = reduce_sum(cast(~is_nan(value), total.dtype), axis, bool(keepdims))
    return total / known


@function("experimental.numpy.ptp")
def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Computes the difference of the greatest and the smallest element over axes.

    Args:
        a: a real tensor or what converts to one.
        axis: an axis or several; all by default.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor of the dtype of `a`.

    >>> tf.experimental.numpy.ptp([[1, 2], [3, 9]], axis=1).numpy()
    array([1, 6])
    """
    value = as_tensor(a)
    return subtract(max(value, axis, keepdims), min(value, axis, keepdims))


@function("experimental.numpy.average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Computes the weighted mean along an axis.

    Args:
        a: a tensor or what converts to one; integers and booleans become float64.
        axis: the axis; by default the mean of all elements is computed.
        weights: the weights of the elements, of the shape of `a`, or a vector with one for each
            place along the axis; all 1 by default.
        returned: whether to return the sum of the weights as well.

    Returns:
        A tensor; with `returned` a tuple of two.

    Raises:
        ValueError: if `axis` is no integer.
        InvalidArgumentError: if the shapes of `a` and `weights` do not fit.

    >>> tf.experimental.numpy.average([1.0, 2.0], weights=[3, 1]).numpy()
    np.float64(1.25)
    """
    if axis is not None and not isinstance(axis, int):
        raise ValueError(
            f"Argument `axis` must be an integer. Received axis={axis} (of type {type(axis)})"
        )
    value = inexact(a)
    if weights is None:
        result = mean(value, axis)
        size = value._type.size / (result._type.size or 1)
        total = fill(result.shape, cast(size, result.dtype))
        return (result, total) if returned else result
    value, factors = (inexact(v) for v in promoted(value, weights))
    result, total = _weighted(value, factors, axis)
    return (result, broadcast_to(total, result.shape)) if returned else result


def _weighted(value: Any, weights: Any, axis: Any) -> tuple[Any, Any]:
    """Returns the weighted means and the sums of the weights."""
    if value.shape == weights.shape or (axis is None and weights.ndim == 1):
        total = reduce_sum(weights, axis)
        return reduce_sum(value * weights, axis) / total, total
    if weights.ndim != 1:
        raise invalid(
            "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
            + "\n".join(str(v.shape.as_list())[1:-1] for v in (value, weights))
        )
    total = reduce_sum(weights)
    return tensordot(value, weights, [[axis % value.ndim], [0]]) / total, total


@function("experimental.numpy.count_nonzero")
def count_nonzero(a: Any, axis: Any = None) -> Any:
    """Counts the elements over axes that are not 0.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.

    Returns:
        An int64 tensor.

    >>> tf.experimental.numpy.count_nonzero([[0, 2], [3, 4]], axis=0).numpy()
    array([1, 2])
    """
    return counted(not_equal(as_tensor(a), 0), axis)


# Order.


def _sorted_along(a: Any, axis: Any) -> tuple[Any, int]:
    value = as_tensor(a)
    return (reshape(value, [-1]), -1) if axis is None else (value, axis)


def _refuse_order(order: Any) -> None:
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


@function("experimental.numpy.sort")
def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: None = None) -> Any:
    """Sorts elements along an axis.

    Args:
        a: a real tensor or what converts to one.
        axis: the axis; None for the flattened tensor.
        kind: must be "quicksort".
        order: must be None.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        ValueError: if `kind` or `order` is another value.

    >>> tf.experimental.numpy.sort([3, 1, 2]).numpy()
    array([1, 2, 3])
    """
    if kind != "quicksort":
        raise ValueError(
            'Invalid value for argument `kind`. Only kind="quicksort" is supported. '
            f"Received: kind={kind}"
        )
    _refuse_order(order)
    return sorting.sort(*_sorted_along(a, axis))


@function("experimental.numpy.argsort")
def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: None = None) -> Any:
    """Finds the positions of the elements in sorted order along an axis.

    Args:
        a: a real tensor or what converts to one.
        axis: the axis; None for the flattened tensor.
        kind: "quicksort", or "stable" to keep the order of equal elements.
        order: must be None.

    Returns:
        An int64 tensor.

    Raises:
        ValueError: if `kind` or `order` is another value.

    >>> tf.experimental.numpy.argsort([3, 1, 2]).numpy()
    array([1, 2, 0])
    """
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            'Invalid value for argument `kind`. Only kind="quicksort" and kind="stable" are '
            f"supported. Received: kind={kind}"
        )
    _refuse_order(order)
    value, axis = _sorted_along(a, axis)
    if value.ndim == 0:
        value = reshape(value, [1])
    return cast(sorting.argsort(value, axis, stable=kind == "stable"), "int64")


@function("experimental.numpy.diff")
def diff(a: Any, n: Any = 1, axis: Any = -1) -> Any:
    """Computes the differences of neighbours along an axis.

    Args:
        a: a tensor or what converts to one; booleans tell where neighbours differ.
        n: how many times to do so.
        axis: the axis, which loses one element each time.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        ValueError: if `n` is negative, or `axis` is out of range.

    >>> tf.experimental.numpy.diff([1, 4, 9]).numpy()
    array([3, 5])
    """
    value, n = as_tensor(a), int(n)
    rank = value.ndim
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer. Received: axis={n}")
    if not -rank <= axis < rank:
        raise ValueError(
            f"Argument `axis` (received axis={axis}) is out of bounds for input {value.numpy()} "
            f"of rank {rank}."
        )
    before, parts = (slice(None),) * (axis % rank), (slice(1, None), slice(-1))
    for _ in range(n):
        later, earlier = (getitem(value, (*before, part)) for part in parts)
        value = later ^ earlier if value.dtype.is_bool else subtract(later, earlier)
    return value
