"""Angles and hyperbolic functions: `sin`, `arctan2`, `tanh`, `hypot`, `sinc`."""

from typing import Any

import numpy as np

from tapefacade._definition.op import function
from tapefacade._numpy.promotion import inexact, pair, promoted
from tapefacade._ops.array.copying import ones_like
from tapefacade._ops.array.selecting import where
from tapefacade._ops.math import trigonometry
from tapefacade._ops.math.arithmetic import atan2
from tapefacade._ops.math.elementary import sqrt, square


@function("experimental.numpy.sin")
def sin(x: Any) -> Any:
    """Computes the sine of each element.

    Args:
        x: angles in radians; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.sin(1).numpy().round(4)
    np.float64(0.8415)
    """
    return trigonometry.sin(inexact(x))


@function("experimental.numpy.cos")
def cos(x: Any) -> Any:
    """Computes the cosine of each element.

    Args:
        x: angles in radians; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.cos(1).numpy().round(4)
    np.float64(0.5403)
    """
    return trigonometry.cos(inexact(x))


@function("experimental.numpy.tan")
def tan(x: Any) -> Any:
    """Computes the tangent of each element.

    Args:
        x: angles in radians; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.tan(1).numpy().round(4)
    np.float64(1.5574)
    """
    return trigonometry.tan(inexact(x))


@function("experimental.numpy.arcsin")
def arcsin(x: Any) -> Any:
    """Computes the angle in [-pi/2, pi/2] that has each element as its sine.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.arcsin(1).numpy().round(4)
    np.float64(1.5708)
    """
    return trigonometry.asin(inexact(x))


@function("experimental.numpy.arccos")
def arccos(x: Any) -> Any:
    """Computes the angle in [0, pi] that has each element as its cosine.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.arccos(0).numpy().round(4)
    np.float64(1.5708)
    """
    return trigonometry.acos(inexact(x))


@function("experimental.numpy.arctan")
def arctan(x: Any) -> Any:
    """Computes the angle in [-pi/2, pi/2] that has each element as its tangent.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.arctan(1).numpy().round(4)
    np.float64(0.7854)
    """
    return trigonometry.atan(inexact(x))


@function("experimental.numpy.sinh")
def sinh(x: Any) -> Any:
    """Computes the hyperbolic sine of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.sinh(1).numpy().round(4)
    np.float64(1.1752)
    """
    return trigonometry.sinh(inexact(x))


@function("experimental.numpy.cosh")
def cosh(x: Any) -> Any:
    """Computes the hyperbolic cosine of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.cosh(1).numpy().round(4)
    np.float64(1.5431)
    """
    return trigonometry.cosh(inexact(x))


@function("experimental.numpy.tanh")
def tanh(x: Any) -> Any:
    """Computes the hyperbolic tangent of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.tanh(1).numpy().round(4)
    np.float64(0.7616)
    """
    return trigonometry.tanh(inexact(x))


@function("experimental.numpy.arcsinh")
def arcsinh(x: Any) -> Any:
    """Computes the inverse hyperbolic sine of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.arcsinh(1).numpy().round(4)
    np.float64(0.8814)
    """
    return trigonometry.asinh(inexact(x))


@function("experimental.numpy.arccosh")
def arccosh(x: Any) -> Any:
    """Computes the inverse hyperbolic cosine of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.arccosh(2).numpy().round(4)
    np.float64(1.317)
    """
    return trigonometry.acosh(inexact(x))


@function("experimental.numpy.arctanh")
def arctanh(x: Any) -> Any:
    """Computes the inverse hyperbolic tangent of each element.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.arctanh(0.5).numpy().round(4)
    np.float64(0.5493)
    """
    return trigonometry.atanh(inexact(x))


@function("experimental.numpy.deg2rad")
def deg2rad(x: Any) -> Any:
    """Converts degrees to radians.

    Args:
        x: angles in degrees; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.deg2rad(180).numpy().round(4)
    np.float64(3.1416)
    """
    return inexact(x) * (np.pi / 180.0)


@function("experimental.numpy.rad2deg")
def rad2deg(x: Any) -> Any:
    """Converts radians to degrees.

    Args:
        x: angles in radians; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.rad2deg(np.pi).numpy().round(4)
    np.float64(180.0)
    """
    return inexact(x) * (180.0 / np.pi)


@function("experimental.numpy.arctan2")
def arctan2(x1: Any, x2: Any) -> Any:
    """Computes the angle of the point `(x2, x1)`, in radians.

    Args:
        x1: the second coordinates of the points.
        x2: the first coordinates, which broadcast with `x1`.

    Returns:
        A tensor of angles in [-pi, pi].

    Raises:
        InvalidArgumentError: if the common dtype is not floating.

    >>> tf.experimental.numpy.arctan2(1.0, -1.0).numpy().round(4)
    np.float64(2.3562)
    """
    return atan2(*pair(x1, x2))


@function("experimental.numpy.hypot")
def hypot(x1: Any, x2: Any) -> Any:
    """Computes the length of the hypotenuse, the square root of `x1**2 + x2**2`.

    Args:
        x1: one side; integers and booleans become float64.
        x2: the other side, which broadcasts with `x1`.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.hypot(3, 4).numpy()
    np.float64(5.0)
    """
    first, second = promoted(inexact(x1), inexact(x2))
    return sqrt(square(first) + square(second))


@function("experimental.numpy.sinc")
def sinc(x: Any) -> Any:
    """Computes `sin(pi * x) / (pi * x)` of each element, which is 1 at 0.

    The gradient at 0 is nan, as in TensorFlow.

    Args:
        x: a tensor or what converts to one; integers and booleans become float64.

    Returns:
        A tensor of the shape of `x`.

    >>> tf.experimental.numpy.sinc([0.0, 0.5]).numpy().round(4)
    array([1.    , 0.6366])
    """
    value = inexact(x) * np.pi
    one = ones_like(value)
    return where(value == 0, one, trigonometry.sin(value) / value)
