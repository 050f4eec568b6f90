"""Signs, roundings, and the parts of complex numbers: `abs`, `floor`, `round`, `real`."""

from builtins import abs as abs_of
from typing import Any

import numpy as np

from tapefacade._definition.op import function
from tapefacade._numpy.promotion import as_tensor, inexact
from tapefacade._ops.array import casting
from tapefacade._ops.array.creation import fill
from tapefacade._ops.array.selecting import where as select
from tapefacade._ops.math import elementary


@function("experimental.numpy.abs", "experimental.numpy.absolute", "experimental.numpy.fabs")
def abs(x: Any) -> Any:
    """Computes the absolute value of each element.

    Args:
        x: a tensor of numbers or what converts to one.

    Returns:
        A tensor of the shape of `x`; real if `x` is complex.

    Raises:
        InvalidArgumentError: if `x` is boolean or unsigned.

    >>> tf.experimental.numpy.abs([-1, 2]).numpy()
    array([1, 2])
    """
    return elementary.abs(as_tensor(x))


absolute = fabs = abs  # integers stay integers, also for `fabs`


@function("experimental.numpy.negative")
def negative(x: Any) -> Any:
    """Changes the sign of each element.

    Args:
        x: a tensor of numbers or what converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is boolean or unsigned.

    >>> tf.experimental.numpy.negative([1, -2]).numpy()
    array([-1,  2])
    """
    return elementary.negative(as_tensor(x))


@function("experimental.numpy.positive")
def positive(x: Any) -> Any:
    """Returns the elements as they are.

    Args:
        x: a tensor of numbers or what converts to one.

    Returns:
        A tensor: `x` itself if it is one.

    >>> tf.experimental.numpy.positive([1, -2]).numpy()
    array([ 1, -2])
    """
    return as_tensor(x)


@function("experimental.numpy.ceil")
def ceil(x: Any) -> Any:
    """Rounds each element up to an integer.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.ceil(1.2).numpy()
    np.float64(2.0)
    """
    return elementary.ceil(inexact(x))


@function("experimental.numpy.floor")
def floor(x: Any) -> Any:
    """Rounds each element down to an integer.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.floor(1.8).numpy()
    np.float64(1.0)
    """
    return elementary.floor(inexact(x))


@function("experimental.numpy.fix")
def fix(x: Any) -> Any:
    """Rounds each element towards 0 to an integer.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.fix([-1.5, 1.5]).numpy()
    array([-1.,  1.])
    """
    value = inexact(x)
    return select(value < 0, elementary.ceil(value), elementary.floor(value))


@function("experimental.numpy.signbit")
def signbit(x: Any) -> Any:
    """Tells for each element whether it is below 0.

    Unlike NumPy it is not for the negative zero.

    Args:
        x: a tensor of numbers or what converts to one.

    Returns:
        A bool tensor of the shape of `x`.

    >>> tf.experimental.numpy.signbit([-1.0, 2.0]).numpy()
    array([ True, False])
    """
    value = as_tensor(x)
    if value.dtype.is_bool:
        return fill(value.shape, False)
    return value < 0


@function("experimental.numpy.conj", "experimental.numpy.conjugate")
def conj(x: Any) -> Any:
    """Changes the sign of the imaginary part of each element.

    Args:
        x: a tensor of numbers or what converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> tf.experimental.numpy.conj(1 + 2j).numpy()
    np.complex128(1-2j)
    """
    return casting.conj(as_tensor(x))


conjugate = conj


@function("experimental.numpy.real")
def real(val: Any) -> Any:
    """Takes the real part of each element.

    Args:
        val: a tensor of numbers or what converts to one.

    Returns:
        A real tensor of the shape of `val`.

    >>> tf.experimental.numpy.real(1 + 2j).numpy()
    np.float64(1.0)
    """
    return casting.real(as_tensor(val))


@function("experimental.numpy.imag")
def imag(val: Any) -> Any:
    """Takes the imaginary part of each element, 0 for real numbers.

    Args:
        val: a tensor of numbers or what converts to one.

    Returns:
        A real tensor of the shape of `val`.

    >>> tf.experimental.numpy.imag(1 + 2j).numpy()
    np.float64(2.0)
    """
    return casting.imag(as_tensor(val))


@function("experimental.numpy.angle")
def angle(z: Any, deg: bool = False) -> Any:
    """Computes the angle of complex numbers to the positive real axis.

    Args:
        z: a tensor of numbers or what converts to one; integers and booleans become float32.
        deg: whether to give degrees instead of radians.

    Returns:
        A real tensor of the shape of `z`.

    >>> tf.experimental.numpy.angle(1j, deg=True).numpy()
    np.float64(90.0)
    """
    result = casting.angle(inexact(z, np.float32))
    return result * (180.0 / np.pi) if deg else result


@function("experimental.numpy.sign")
def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Computes the sign of each element: -1, 0 or 1, or the direction of a complex number.

    Args:
        x: a tensor of numbers or what converts to one.
        out: must be None.
        where: must be None.
        **kwargs: further arguments of NumPy's, which are refused.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: if `out`, `where` or another argument is given.
        InvalidArgumentError: if `x` is boolean or unsigned.

    >>> tf.experimental.numpy.sign([-2, 0, 5]).numpy()
    array([-1,  0,  1])
    """
    if out is not None:
        raise ValueError("tf.numpy doesnt support setting out.")
    if where is not None:
        raise ValueError("tf.numpy doesnt support setting where.")
    if kwargs:
        raise ValueError(f"tf.numpy doesnt support setting {kwargs.keys()}")
    return elementary.sign(as_tensor(x))


def _rounded(a: Any, decimals: int) -> Any:
    value = as_tensor(a)
    wanted = value.dtype
    if decimals == 0:
        return elementary.round(value) if not wanted.is_bool else value
    value, factor = inexact(value), 10.0 ** abs_of(decimals)
    if decimals < 0:
        return as_tensor(elementary.round(value / factor) * factor, wanted)
    return as_tensor(elementary.round(value * factor) / factor, wanted)


@function("experimental.numpy.around", "experimental.numpy.round")
def around(a: Any, decimals: Any = 0) -> Any:
    """Rounds each element to a number of decimals; halves go to the even neighbour.

    Args:
        a: a tensor of numbers or what converts to one.
        decimals: how many; negative numbers round to tens, hundreds and so on.

    Returns:
        A tensor of the shape and dtype of `a`.

    >>> tf.experimental.numpy.around([2.567, 1.25], 1).numpy()
    array([2.6, 1.2])
    """
    return _rounded(a, int(decimals))


round = around
