"""Comparisons and logic: `equal`, `less`, `logical_and`, `isclose`, `array_equal`."""

from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._definition.op import function
from tapefacade._numpy.promotion import as_tensor, is_tensor_like, pair, promoted
from tapefacade._ops.math import comparison, elementary
from tapefacade._ops.math.elementary import is_nan
from tapefacade._ops.math.reduction import reduce_all


def _ordered(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Converts two operands to their common dtype, or int32 instead of bool."""
    first, second = pair(x1, x2)
    if is_tensor_like(first) and first._type.dtype is dtypes.bool:
        return as_tensor(first, dtypes.int32), as_tensor(second, dtypes.int32)
    return first, second


@function("experimental.numpy.equal")
def equal(x1: Any, x2: Any) -> Any:
    """Tells where elements are equal.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.equal([1, 2], 2.0).numpy()
    array([False,  True])
    """
    return comparison.equal(*pair(x1, x2))


@function("experimental.numpy.not_equal")
def not_equal(x1: Any, x2: Any) -> Any:
    """Tells where elements differ.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.not_equal([1, 2], 2.0).numpy()
    array([ True, False])
    """
    return comparison.not_equal(*pair(x1, x2))


@function("experimental.numpy.greater")
def greater(x1: Any, x2: Any) -> Any:
    """Tells where elements of `x1` are greater.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or the numbers are complex.

    >>> tf.experimental.numpy.greater([1, 3], 2.5).numpy()
    array([False,  True])
    """
    return comparison.greater(*_ordered(x1, x2))


@function("experimental.numpy.greater_equal")
def greater_equal(x1: Any, x2: Any) -> Any:
    """Tells where elements of `x1` are greater or equal.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or the numbers are complex.

    >>> tf.experimental.numpy.greater_equal([1, 3], 3).numpy()
    array([False,  True])
    """
    return comparison.greater_equal(*_ordered(x1, x2))


@function("experimental.numpy.less")
def less(x1: Any, x2: Any) -> Any:
    """Tells where elements of `x1` are smaller.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or the numbers are complex.

    >>> tf.experimental.numpy.less([1, 3], 2.5).numpy()
    array([ True, False])
    """
    return comparison.less(*_ordered(x1, x2))


@function("experimental.numpy.less_equal")
def less_equal(x1: Any, x2: Any) -> Any:
    """Tells where elements of `x1` are smaller or equal.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or the numbers are complex.

    >>> tf.experimental.numpy.less_equal([1, 3], 1).numpy()
    array([ True, False])
    """
    return comparison.less_equal(*_ordered(x1, x2))


@function("experimental.numpy.logical_and")
def logical_and(x1: Any, x2: Any) -> Any:
    """Tells where both elements are true, that is, not 0.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.logical_and([1, 0], 2.0).numpy()
    array([ True, False])
    """
    return comparison.logical_and(as_tensor(x1, bool), as_tensor(x2, bool))


@function("experimental.numpy.logical_or")
def logical_or(x1: Any, x2: Any) -> Any:
    """Tells where one of the elements or both are true, that is, not 0.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.logical_or([1, 0], 2.0).numpy()
    array([ True,  True])
    """
    return comparison.logical_or(as_tensor(x1, bool), as_tensor(x2, bool))


@function("experimental.numpy.logical_xor")
def logical_xor(x1: Any, x2: Any) -> Any:
    """Tells where just one of the elements is true, that is, not 0.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.logical_xor([1, 0], 2.0).numpy()
    array([False,  True])
    """
    return comparison.logical_xor(as_tensor(x1, bool), as_tensor(x2, bool))


@function("experimental.numpy.logical_not")
def logical_not(x: Any) -> Any:
    """Tells where elements are false, that is, 0.

    Args:
        x: a tensor or what converts to one.

    Returns:
        A bool tensor.

    >>> tf.experimental.numpy.logical_not([1, 0]).numpy()
    array([False,  True])
    """
    return comparison.logical_not(as_tensor(x, bool))


@function("experimental.numpy.isclose")
def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Tells where elements differ by no more than `atol + rtol * abs(b)`.

    Unlike NumPy's, an infinity as `b` is close only to the infinity of the other sign, as in
    TensorFlow.

    Args:
        a: a tensor or what converts to one.
        b: another one, which broadcasts with `a`.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
        equal_nan: whether nan is close to nan.

    Returns:
        A bool tensor.

    >>> tf.experimental.numpy.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).numpy()
    array([ True, False])
    """
    first, second = promoted(a, b)
    if not first._type.inexact:
        return comparison.equal(first, second)
    distance = elementary.abs(first - second)
    size = elementary.abs(second)
    result = distance <= convert_to_tensor(atol, size.dtype) + rtol * size
    if equal_nan:
        return result | (is_nan(first) & is_nan(second))
    return result


@function("experimental.numpy.allclose")
def allclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Tells whether all elements are close, as `isclose` tells it.

    Args:
        a: a tensor or what converts to one.
        b: another one, which broadcasts with `a`.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
        equal_nan: whether nan is close to nan.

    Returns:
        A scalar bool tensor.

    >>> tf.experimental.numpy.allclose([1.0, 2.0], [1.0 + 1e-9, 2.0]).numpy()
    np.True_
    """
    return reduce_all(isclose(a, b, rtol, atol, equal_nan))


@function("experimental.numpy.array_equal")
def array_equal(a1: Any, a2: Any) -> Any:
    """Tells whether two tensors have the same shape and equal elements.

    Args:
        a1: a tensor or what converts to one.
        a2: another one.

    Returns:
        A scalar bool tensor.

    >>> tf.experimental.numpy.array_equal([1, 2], [1.0, 2.0]).numpy()
    np.True_
    """
    first, second = promoted(a1, a2)
    if first.shape != second.shape:
        return convert_to_tensor(False)
    return reduce_all(comparison.equal(first, second))
