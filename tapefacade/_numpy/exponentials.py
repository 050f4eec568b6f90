"""Exponentials, logarithms, powers of fixed exponents: `exp`, `log`, `sqrt`, `square`."""

import math
from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._definition.op import function
from tapefacade._numpy.promotion import SETTINGS, as_tensor, inexact, inexact_pair, promoted
from tapefacade._ops.array.selecting import where
from tapefacade._ops.math import elementary
from tapefacade._ops.math.arithmetic import maximum
from tapefacade._ops.math.elementary import is_nan, pow


def _to_base(base: float, logarithm: Any) -> Any:
    """Converts natural logarithms; where operators promote, the result is float64, as they do."""
    divisor = math.log(base)
    return logarithm / (as_tensor(divisor) if SETTINGS.promotes else divisor)


@function("experimental.numpy.exp")
def exp(x: Any) -> Any:
    """Computes e to the power of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.exp(1).numpy().round(4)
    np.float64(2.7183)
    """
    return elementary.exp(inexact(x))


@function("experimental.numpy.expm1")
def expm1(x: Any) -> Any:
    """Computes e to the power of each element, minus 1, exactly where that is near 0.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.expm1(1).numpy().round(4)
    np.float64(1.7183)
    """
    return elementary.expm1(inexact(x))


@function("experimental.numpy.exp2")
def exp2(x: Any) -> Any:
    """Computes 2 to the power of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.exp2(3).numpy()
    np.float64(8.0)
    """
    value = inexact(x)
    return pow(convert_to_tensor(2.0, value.dtype), value)


@function("experimental.numpy.log")
def log(x: Any) -> Any:
    """Computes the natural logarithm of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.log(10).numpy().round(4)
    np.float64(2.3026)
    """
    return elementary.log(inexact(x))


@function("experimental.numpy.log2")
def log2(x: Any) -> Any:
    """Computes the logarithm to the base 2 of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.log2(8).numpy()
    np.float64(3.0)
    """
    return _to_base(2.0, elementary.log(inexact(x)))


@function("experimental.numpy.log10")
def log10(x: Any) -> Any:
    """Computes the logarithm to the base 10 of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.log10(100).numpy()
    np.float64(2.0)
    """
    return _to_base(10.0, elementary.log(inexact(x)))


@function("experimental.numpy.log1p")
def log1p(x: Any) -> Any:
    """Computes the natural logarithm of 1 plus each element, exactly where that is near 1.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.log1p(1).numpy().round(4)
    np.float64(0.6931)
    """
    return elementary.log1p(inexact(x))


@function("experimental.numpy.sqrt")
def sqrt(x: Any) -> Any:
    """Computes the square root of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.sqrt(4).numpy()
    np.float64(2.0)
    """
    return elementary.sqrt(inexact(x))


@function("experimental.numpy.cbrt")
def cbrt(x: Any) -> Any:
    """Computes the cube root of each element, which is negative for negative ones.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.cbrt(-8).numpy()
    np.float64(-2.0)
    """
    value = inexact(x)
    root = pow(elementary.abs(value), 1.0 / 3.0)
    return where(value < 0, -root, root)


@function("experimental.numpy.square")
def square(x: Any) -> Any:
    """Computes the square of each element.

    Args:
        x: a tensor of numbers or what converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is boolean.

    >>> tf.experimental.numpy.square([1, 3]).numpy()
    array([1, 9])
    """
    return elementary.square(as_tensor(x))


@function("experimental.numpy.reciprocal")
def reciprocal(x: Any) -> Any:
    """Computes 1 divided by each element.

    Args:
        x: a floating or complex tensor or what converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        NotFoundError: if `x` holds integers.

    >>> tf.experimental.numpy.reciprocal(2.0).numpy()
    np.float64(0.5)
    """
    return elementary.reciprocal(as_tensor(x))


@function("experimental.numpy.logaddexp")
def logaddexp(x1: Any, x2: Any) -> Any:
    """Computes the logarithm of `exp(x1) + exp(x2)` without overflow.

    Args:
        x1: a tensor or what converts to one; integers and booleans become float64.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.logaddexp(0, 0).numpy().round(4)
    np.float64(0.6931)
    """
    first, second = inexact_pair(x1, x2)
    distance = elementary.abs(first - second)
    result = maximum(first, second) + elementary.log1p(elementary.exp(-distance))
    return where(is_nan(distance), *promoted(first + second, result))


@function("experimental.numpy.logaddexp2")
def logaddexp2(x1: Any, x2: Any) -> Any:
    """Computes the logarithm to the base 2 of `2**x1 + 2**x2` without overflow.

    Args:
        x1: a tensor or what converts to one; integers and booleans become float64.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.logaddexp2(1, 1).numpy().round(4)
    np.float64(2.0)
    """
    first, second = inexact_pair(x1, x2)
    distance = elementary.abs(first - second)
    result = maximum(first, second) + _to_base(2.0, elementary.log1p(exp2(-distance)))
    return where(is_nan(distance), *promoted(first + second, result))
