"""Arithmetic of two operands: `add`, `divide`, `mod`, `power`, `maximum`."""

from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._definition.op import function
from tapefacade._numpy.promotion import (
    as_tensor,
    inexact,
    inexact_pair,
    is_tensor_like,
    pair,
    promoted,
)
from tapefacade._ops.array.selecting import where
from tapefacade._ops.math import arithmetic, comparison
from tapefacade._ops.math.division import floordiv, floormod, truediv
from tapefacade._ops.math.elementary import pow


def _booleans(operand: Any) -> bool:
    return is_tensor_like(operand) and operand._type.dtype is dtypes.bool


def _without_booleans(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Converts two operands to their common dtype, or int8 instead of bool."""
    first, second = pair(x1, x2)
    if _booleans(first):
        return as_tensor(first, dtypes.int8), as_tensor(second, dtypes.int8)
    return first, second


@function("experimental.numpy.add")
def add(x1: Any, x2: Any) -> Any:
    """Adds numbers; for booleans it is a logical or.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.add([1, 2], 0.5).numpy()
    array([1.5, 2.5])
    """
    first, second = pair(x1, x2)
    if _booleans(first):
        return comparison.logical_or(first, second)
    return arithmetic.add(first, second)


@function("experimental.numpy.subtract")
def subtract(x1: Any, x2: Any) -> Any:
    """Subtracts numbers.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or both are boolean.

    >>> tf.experimental.numpy.subtract([1, 2], 0.5).numpy()
    array([0.5, 1.5])
    """
    return arithmetic.subtract(*pair(x1, x2))


@function("experimental.numpy.multiply")
def multiply(x1: Any, x2: Any) -> Any:
    """Multiplies numbers; for booleans it is a logical and.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.multiply([1, 2], 0.5).numpy()
    array([0.5, 1. ])
    """
    first, second = pair(x1, x2)
    if _booleans(first):
        return comparison.logical_and(first, second)
    return arithmetic.multiply(first, second)


@function("experimental.numpy.true_divide")
def true_divide(x1: Any, x2: Any) -> Any:
    """Divides numbers.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A floating or complex tensor: float32 for integers of up to 16 bits, float64 for others.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.true_divide(1, 2).numpy()
    np.float64(0.5)
    """
    first, second = pair(x1, x2)
    if _booleans(first):
        first, second = inexact(first), inexact(second)
    return truediv(first, second)


@function("experimental.numpy.divide")
def divide(x1: Any, x2: Any) -> Any:
    """Divides numbers, as `true_divide` does.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A floating or complex tensor: float32 for integers of up to 16 bits, float64 for others.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.divide(1, 2).numpy()
    np.float64(0.5)
    """
    return true_divide(x1, x2)


@function("experimental.numpy.floor_divide")
def floor_divide(x1: Any, x2: Any) -> Any:
    """Divides numbers and rounds down; booleans become int8.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or an integer is divided by 0.

    >>> tf.experimental.numpy.floor_divide(7, -2).numpy()
    np.int64(-4)
    """
    return floordiv(*_without_booleans(x1, x2))


@function("experimental.numpy.mod")
def mod(x1: Any, x2: Any) -> Any:
    """Computes the remainder of a division, which has the sign of `x2`; booleans become int8.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or an integer is divided by 0.

    >>> tf.experimental.numpy.mod(7, -2).numpy()
    np.int64(-1)
    """
    return floormod(*_without_booleans(x1, x2))


@function("experimental.numpy.remainder")
def remainder(x1: Any, x2: Any) -> Any:
    """Computes the remainder of a division, as `mod` does.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or an integer is divided by 0.

    >>> tf.experimental.numpy.remainder(7, -2).numpy()
    np.int64(-1)
    """
    return mod(x1, x2)


@function("experimental.numpy.divmod")
def divmod(x1: Any, x2: Any) -> Any:
    """Computes the rounded quotient and the remainder of a division.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        Two tensors, as of `floor_divide` and `mod`.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or an integer is divided by 0.

    >>> tf.experimental.numpy.divmod(7, -2)
    (<tf.Tensor: shape=(), dtype=int64, numpy=-4>, <tf.Tensor: shape=(), dtype=int64, numpy=-1>)
    """
    return floor_divide(x1, x2), mod(x1, x2)


@function("experimental.numpy.power")
def power(x1: Any, x2: Any) -> Any:
    """Computes `x1` to the power of `x2`.

    Args:
        x1: the bases.
        x2: the exponents, which broadcast with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or an integer has a negative exponent.

    >>> tf.experimental.numpy.power(2, [1, 3]).numpy()
    array([2, 8])
    """
    return pow(*pair(x1, x2))


@function("experimental.numpy.float_power")
def float_power(x1: Any, x2: Any) -> Any:
    """Computes `x1` to the power of `x2`, as `power` does: integers stay integers.

    Args:
        x1: the bases.
        x2: the exponents, which broadcast with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast, or an integer has a negative exponent.

    >>> tf.experimental.numpy.float_power(2, [1, 3]).numpy()
    array([2, 8])
    """
    return power(x1, x2)


@function("experimental.numpy.maximum")
def maximum(x1: Any, x2: Any) -> Any:
    """Takes the greater one of two numbers, nan if one is; for booleans it is a logical or.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.maximum(2, 5.0).numpy()
    np.float64(5.0)
    """
    first, second = pair(x1, x2)
    if _booleans(first):
        return comparison.logical_or(first, second)
    return arithmetic.maximum(first, second)


@function("experimental.numpy.minimum")
def minimum(x1: Any, x2: Any) -> Any:
    """Takes the smaller one of two numbers, nan if one is; for booleans it is a logical and.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.minimum(2, 5.0).numpy()
    np.float64(2.0)
    """
    first, second = pair(x1, x2)
    if _booleans(first):
        return comparison.logical_and(first, second)
    return arithmetic.minimum(first, second)


@function("experimental.numpy.heaviside")
def heaviside(x1: Any, x2: Any) -> Any:
    """Computes the step function: 0 below 0, 1 above it, and `x2` at 0.

    Unlike with NumPy it is `x2` at nan, too.

    Args:
        x1: a tensor or what converts to one; integers and booleans become float64.
        x2: the values at 0, which broadcast with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    >>> tf.experimental.numpy.heaviside([-1.0, 0.0, 2.0], 0.5).numpy()
    array([0. , 0.5, 1. ])
    """
    first, second = inexact_pair(x1, x2)
    zero = convert_to_tensor(0.0, first.dtype)
    one = convert_to_tensor(1.0, first.dtype)
    return where(first < 0.0, zero, where(first > 0.0, one, second))


@function("experimental.numpy.nextafter")
def nextafter(x1: Any, x2: Any) -> Any:
    """Finds the next number after `x1` in the direction of `x2`.

    Args:
        x1: a tensor or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if the common dtype is neither float32 nor float64.

    >>> tf.experimental.numpy.nextafter(1.0, 2.0).numpy() - 1.0
    np.float64(2.220446049250313e-16)
    """
    return arithmetic.nextafter(*promoted(x1, x2))
