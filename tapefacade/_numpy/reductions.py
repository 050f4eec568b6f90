"""Reductions over axes: `sum`, `prod`, `mean`, `max`, `std`, `var`, `all`, `any`, `argmax`."""

from typing import Any

from tapefacade._core import dtypes
from tapefacade._definition.op import function
from tapefacade._numpy.promotion import as_tensor, inexact
from tapefacade._ops.array import positions
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.math import reduction


def refuse_out(out: Any) -> None:
    """Raises the error for an `out`: tensors never change."""
    if out is not None:
        raise ValueError("Setting out is not supported.")


def wide(a: Any, dtype: Any, unsigned: bool = True) -> Any:
    """Converts to the dtype in which sums are computed: integers are added up in 64 bits."""
    value = as_tensor(a, dtype)
    if dtype is not None or not (value.dtype.is_integer or value.dtype.is_bool):
        return value
    keeps_sign = unsigned and value.dtype.is_unsigned
    return as_tensor(value, dtypes.uint64 if keeps_sign else dtypes.int64)


@function("experimental.numpy.sum")
def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Adds elements up over axes.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.
        dtype: the dtype to sum in; without it integers and booleans become 64-bit integers.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if an axis is out of range.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])
    """
    return reduction.reduce_sum(wide(a, dtype), axis, bool(keepdims))


@function("experimental.numpy.prod")
def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Multiplies elements over axes.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.
        dtype: the dtype to multiply in; without it integers and booleans become 64-bit integers.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if an axis is out of range.

    >>> tf.experimental.numpy.prod([[1, 2], [3, 4]], axis=0).numpy()
    array([3, 8])
    """
    return reduction.reduce_prod(wide(a, dtype), axis, bool(keepdims))


@function("experimental.numpy.mean")
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: Any = None
) -> Any:
    """Computes the mean over axes.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.
        dtype: the dtype to compute in; without it integers and booleans become float64.
        out: must be None.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor.

    Raises:
        ValueError: if `out` is given.
        InvalidArgumentError: if an axis is out of range.

    >>> tf.experimental.numpy.mean([[1, 2], [3, 4]], axis=0).numpy()
    array([2., 3.])
    """
    refuse_out(out)
    value = inexact(a) if dtype is None else as_tensor(a, dtype)
    return reduction.reduce_mean(value, axis, bool(keepdims))


def _extreme(name: str, a: Any, axis: Any, keepdims: Any) -> Any:
    value = as_tensor(a)
    if value.dtype.is_bool:
        reduce = reduction.reduce_any if name == "max" else reduction.reduce_all
    else:
        reduce = reduction.reduce_max if name == "max" else reduction.reduce_min
    return reduce(value, axis, bool(keepdims))


@function("experimental.numpy.max")
def max(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Finds the greatest element over axes.

    Args:
        a: a real tensor or what converts to one.
        axis: an axis or several; all by default.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        InvalidArgumentError: if an axis is out of range, or `a` is complex.

    >>> tf.experimental.numpy.max([[1, 2], [3, 4]], axis=0).numpy()
    array([3, 4])
    """
    return _extreme("max", a, axis, keepdims)


@function("experimental.numpy.min")
def min(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Finds the smallest element over axes.

    Args:
        a: a real tensor or what converts to one.
        axis: an axis or several; all by default.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        InvalidArgumentError: if an axis is out of range, or `a` is complex.

    >>> tf.experimental.numpy.min([[1, 2], [3, 4]], axis=0).numpy()
    array([1, 2])
    """
    return _extreme("min", a, axis, keepdims)


@function("experimental.numpy.amax")
def amax(a: Any, axis: Any = None, out: None = None, keepdims: Any = None) -> Any:
    """Finds the greatest element over axes, as `max` does.

    Args:
        a: a real tensor or what converts to one.
        axis: an axis or several; all by default.
        out: must be None.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        ValueError: if `out` is given.
        InvalidArgumentError: if an axis is out of range, or `a` is complex.

    >>> tf.experimental.numpy.amax([[1, 2], [3, 4]], axis=0).numpy()
    array([3, 4])
    """
    refuse_out(out)
    return _extreme("max", a, axis, keepdims)


@function("experimental.numpy.amin")
def amin(a: Any, axis: Any = None, out: None = None, keepdims: Any = None) -> Any:
    """Finds the smallest element over axes, as `min` does.

    Args:
        a: a real tensor or what converts to one.
        axis: an axis or several; all by default.
        out: must be None.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        ValueError: if `out` is given.
        InvalidArgumentError: if an axis is out of range, or `a` is complex.

    >>> tf.experimental.numpy.amin([[1, 2], [3, 4]], axis=0).numpy()
    array([1, 2])
    """
    refuse_out(out)
    return _extreme("min", a, axis, keepdims)


@function("experimental.numpy.std")
def std(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Computes the standard deviation over axes: the root of the mean square deviation.

    Args:
        a: a tensor or what converts to one; integers and booleans become float64.
        axis: an axis or several; all by default.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A real tensor.

    Raises:
        InvalidArgumentError: if an axis is out of range.

    >>> tf.experimental.numpy.std([1, 3]).numpy()
    np.float64(1.0)
    """
    return reduction.reduce_std(inexact(a), axis, bool(keepdims))


@function("experimental.numpy.var")
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: None = None,
    ddof: Any = 0,
    keepdims: Any = None,
) -> Any:
    """Computes the variance over axes: the mean square deviation from the mean.

    Beyond TensorFlow's, which fails without a dtype then, this takes a `ddof` other than 0.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.
        dtype: the dtype to compute in; without it integers and booleans become float64.
        out: must be None.
        ddof: what is subtracted from the number of elements, by which the sum is divided.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A real tensor.

    Raises:
        ValueError: if `out` is given.
        TypeError: if `dtype` is an integer.
        InvalidArgumentError: if an axis is out of range.

    >>> tf.experimental.numpy.var([1, 3]).numpy()
    np.float64(1.0)
    """
    refuse_out(out)
    value = inexact(a) if dtype is None else as_tensor(a, dtype)
    result = reduction.reduce_variance(value, axis, bool(keepdims))
    if not ddof:
        return result
    count = value._type.size // (result._type.size or 1)
    left = count - ddof
    return result * (count / left if left else float("inf"))


@function("experimental.numpy.all")
def all(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Tells whether all elements over axes are true, that is, not 0.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A bool tensor.

    >>> tf.experimental.numpy.all([[True, False], [True, True]], axis=0).numpy()
    array([ True, False])
    """
    return reduction.reduce_all(as_tensor(a, bool), axis, bool(keepdims))


@function("experimental.numpy.any")
def any(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Tells whether one of the elements over axes is true, that is, not 0.

    Args:
        a: a tensor or what converts to one.
        axis: an axis or several; all by default.
        keepdims: whether the axes stay, with size 1.

    Returns:
        A bool tensor.

    >>> tf.experimental.numpy.any([[True, False], [True, False]], axis=0).numpy()
    array([ True, False])
    """
    return reduction.reduce_any(as_tensor(a, bool), axis, bool(keepdims))


def along(a: Any, axis: Any) -> tuple[Any, Any]:
    """Returns a tensor and an axis of it; it is flattened if the axis is None or it has none."""
    value = as_tensor(a)
    if axis is None or value.ndim == 0:
        return reshape(value, [-1]), 0
    return value, axis


@function("experimental.numpy.argmax")
def argmax(a: Any, axis: Any = None) -> Any:
    """Finds where the greatest element is along an axis, the first of equal ones.

    Args:
        a: a real tensor or what converts to one.
        axis: the axis; by default the tensor is flattened.

    Returns:
        An int64 tensor.

    Raises:
        InvalidArgumentError: if there is no element, or `axis` is out of range.

    >>> tf.experimental.numpy.argmax([[1, 5], [7, 2]]).numpy()
    np.int64(2)
    """
    return positions.argmax(*along(a, axis))


@function("experimental.numpy.argmin")
def argmin(a: Any, axis: Any = None) -> Any:
    """Finds where the smallest element is along an axis, the first of equal ones.

    Args:
        a: a real tensor or what converts to one.
        axis: the axis; by default the tensor is flattened.

    Returns:
        An int64 tensor.

    Raises:
        InvalidArgumentError: if there is no element, or `axis` is out of range.

    >>> tf.experimental.numpy.argmin([[5, 1], [7, 2]]).numpy()
    np.int64(1)
    """
    return positions.argmin(*along(a, axis))
