"""Bits and divisors of integers, limits, polynomials: `gcd`, `bitwise_and`, `clip`, `polyval`."""

from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._definition.op import NotDifferentiable, TensorLike, function, op
from tapefacade._numpy.arithmetic import maximum, minimum
from tapefacade._numpy.promotion import as_tensor, promoted
from tapefacade._ops.array.copying import zeros_like
from tapefacade._ops.array.joining import unstack
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.math import bits, comparison
from tapefacade._ops.math.clipping import clip_by_value


@op("_gcd", gradient=NotDifferentiable())
def _gcd(x1: TensorLike, x2: TensorLike) -> jax.Array:
    """Computes the greatest common divisor."""
    return jnp.gcd(x1, x2)


@op("_lcm", gradient=NotDifferentiable())
def _lcm(x1: TensorLike, x2: TensorLike) -> jax.Array:
    """Computes the least common multiple."""
    return jnp.lcm(x1, x2)


def _integers(name: str, x1: Any, x2: Any) -> tuple[Any, Any]:
    first, second = promoted(x1, x2)
    if not first.dtype.is_integer:
        raise ValueError(f"Arguments to {name} must be integers.")
    return first, second


@function("experimental.numpy.gcd")
def gcd(x1: Any, x2: Any) -> Any:
    """Finds the greatest common divisor of integers; that of 0 and 0 is 0.

    Args:
        x1: a tensor of integers or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        ValueError: if an argument holds no integers.

    >>> tf.experimental.numpy.gcd(12, [18, 5]).numpy()
    array([6, 1])
    """
    return _gcd(*_integers("gcd", x1, x2))


@function("experimental.numpy.lcm")
def lcm(x1: Any, x2: Any) -> Any:
    """Finds the least common multiple of integers; it is 0 if one of them is 0.

    Args:
        x1: a tensor of integers or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        ValueError: if an argument holds no integers.

    >>> tf.experimental.numpy.lcm(4, [6, 0]).numpy()
    array([12,  0])
    """
    return _lcm(*_integers("lcm", x1, x2))


@function("experimental.numpy.bitwise_and")
def bitwise_and(x1: Any, x2: Any) -> Any:
    """Computes the and of the bits of integers, or of booleans.

    Args:
        x1: a tensor of integers or booleans, or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if an argument is neither integer nor boolean.

    >>> tf.experimental.numpy.bitwise_and(5, 3).numpy()
    np.int64(1)
    """
    first, second = promoted(x1, x2)
    if first.dtype.is_bool:
        return comparison.logical_and(first, second)
    return bits.bitwise_and(first, second)


@function("experimental.numpy.bitwise_or")
def bitwise_or(x1: Any, x2: Any) -> Any:
    """Computes the or of the bits of integers, or of booleans.

    Args:
        x1: a tensor of integers or booleans, or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if an argument is neither integer nor boolean.

    >>> tf.experimental.numpy.bitwise_or(5, 3).numpy()
    np.int64(7)
    """
    first, second = promoted(x1, x2)
    if first.dtype.is_bool:
        return comparison.logical_or(first, second)
    return bits.bitwise_or(first, second)


@function("experimental.numpy.bitwise_xor")
def bitwise_xor(x1: Any, x2: Any) -> Any:
    """Computes the exclusive or of the bits of integers, or of booleans.

    Args:
        x1: a tensor of integers or booleans, or what converts to one.
        x2: another one, which broadcasts with `x1`.

    Returns:
        A tensor of the common dtype.

    Raises:
        InvalidArgumentError: if an argument is neither integer nor boolean.

    >>> tf.experimental.numpy.bitwise_xor(5, 3).numpy()
    np.int64(6)
    """
    first, second = promoted(x1, x2)
    if first.dtype.is_bool:
        return comparison.logical_xor(first, second)
    return bits.bitwise_xor(first, second)


@function("experimental.numpy.bitwise_not")
def bitwise_not(x: Any) -> Any:
    """Inverts the bits of integers, or booleans.

    Args:
        x: a tensor of integers or booleans, or what converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        InvalidArgumentError: if `x` is neither integer nor boolean.

    >>> tf.experimental.numpy.bitwise_not([0, 5]).numpy()
    array([-1, -6])
    """
    value = as_tensor(x)
    return comparison.logical_not(value) if value.dtype.is_bool else bits.invert(value)


@function("experimental.numpy.clip")
def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Raises elements to a lower limit and lowers them to an upper one.

    Args:
        a: a tensor or what converts to one.
        a_min: the lower limit, which broadcasts with `a`; None for none.
        a_max: the upper limit, which broadcasts with `a`; None for none.

    Returns:
        A tensor of the common dtype.

    Raises:
        ValueError: if both limits are None.

    >>> tf.experimental.numpy.clip([1, 5, 9], 2, 6).numpy()
    array([2, 5, 6])
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return minimum(a, a_max)
    if a_max is None:
        return maximum(a, a_min)
    value, low, high = promoted(a, a_min, a_max)
    both = [low.shape, high.shape]
    if all(shape.rank == 0 for shape in both):
        return clip_by_value(value, low, high)
    return maximum(minimum(value, high), low)


@function("experimental.numpy.polyval")
def polyval(p: Any, x: Any) -> Any:
    """Computes the values of a polynomial by Horner's rule.

    Args:
        p: the coefficients, those of the highest power first, along the first axis.
        x: where to compute it.

    Returns:
        A tensor of the common dtype.

    >>> tf.experimental.numpy.polyval([1, 2, 3], 2).numpy()
    np.int64(11)
    """
    tensor, value = promoted(p, x)
    coefficients = unstack(reshape(tensor, [-1]) if tensor.ndim == 0 else tensor)
    result = zeros_like(value)
    if coefficients:
        result = coefficients[0] + result
    for coefficient in coefficients[1:]:
        result = coefficient + result * value
    return result
