"""Numbers rounded as if they had few bits, for training: `tf.quantization.fake_quant_*`.

The gradients are those of Jacob et al., "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference", 2017: they pass where a number lies within the limits.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.convert import convert
from tapefacade._core.dtypes import float32
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid, written
from tapefacade._ops.op import FreeTensor, NotDifferentiable, function, op

Limits = tuple[jax.Array, jax.Array, jax.Array]


def _quotient(x: Any, y: Any) -> jax.Array:
    """Divides in double precision, for XLA may multiply with the reciprocal of a constant.

    The last bit decides where 0 comes to lie: between the limits -6 and 6 it is halfway between two
    numbers.
    """
    wide = jnp.asarray(x).astype(np.float64) / jnp.asarray(y).astype(np.float64)
    return wide.astype(np.float32)


def _product(x: Any, y: Any) -> jax.Array:
    """Multiplies so that the product is rounded before anything is added to it."""
    return jnp.minimum(x * y, np.finfo(np.float32).max)


def _nudged(low: Any, high: Any, num_bits: int, narrow_range: bool) -> Limits:
    """Moves the limits so that 0 is one of the numbers; returns them and the step."""
    least, most = np.float32(1 if narrow_range else 0), np.float32(2**num_bits - 1)
    step = _quotient(high - low, most - least)
    zero = least - _quotient(low, step)
    rounded = jnp.trunc(zero + np.float32(0.5))
    zero = jnp.where(zero < least, least, jnp.where(zero > most, most, rounded))
    return (least - zero) * step, (most - zero) * step, step


def _rounded(
    x: jax.Array, low: Any, high: Any, num_bits: int, narrow_range: bool, fixed: bool
) -> jax.Array:
    """Rounds numbers.

    TensorFlow multiplies with the inverse of the step where the limits are fixed, and divides by
    the step where they are learned: what is halfway between two numbers may go either way.
    """
    least, most, step = _nudged(low, high, num_bits, narrow_range)
    half = np.float32(0.5)
    shifted = jnp.maximum(jnp.minimum(x, most), least) - least
    if fixed:
        inverse = _quotient(np.float32(2**num_bits - 1 - int(narrow_range)), high - low)
        places = _product(shifted, inverse) - jnp.floor(_product(-least, inverse) + half)
    else:
        places = shifted / step - jnp.round(-least / step)
    found = jnp.floor(places + half) * step
    return jnp.where((low == 0) & (high == 0), jnp.zeros_like(x), found)


def masks(x: jax.Array, low: Any, high: Any, num_bits: int, narrow_range: bool) -> Limits:
    """Tells where the gradients go: to the numbers, the lower limit, the upper limit."""
    least, most, _ = _nudged(low, high, num_bits, narrow_range)
    off = (low == 0) & (high == 0)
    within = (x >= least) & (x <= most)
    return within | off, (x < least) & ~off, (x > most) & ~off


def _fake_quant_jvp(
    num_bits: int, narrow_range: bool, fixed: bool, primals: Any, tangents: Any
) -> Any:
    x, low, high = primals
    found = masks(x, low, high, num_bits, narrow_range)
    zero = jnp.zeros((), x.dtype)
    parts = [jnp.where(mask, dot, zero) for mask, dot in zip(found, tangents, strict=True)]
    return _rounded(x, low, high, num_bits, narrow_range, fixed), parts[0] + parts[1] + parts[2]


fake_quant = jax.custom_jvp(_rounded, nondiff_argnums=(3, 4, 5))
fake_quant.defjvp(_fake_quant_jvp)


def check_bits(num_bits: int) -> None:
    """Raises if there are no integers of so many bits."""
    if not 2 <= num_bits <= 16:
        raise invalid("num_bits must be between 2 and 16, inclusive")


def _check_order(low: float, high: float) -> None:
    if low >= high:
        raise invalid(f"min has to be smaller than max, was: {low:g} >= {high:g}")


# With limits that are numbers.


@op("_fake_quant_args", kernel="FakeQuantWithMinMaxArgs")
def _args(inputs: FreeTensor, low: float, high: float, num_bits: int, narrow: bool) -> jax.Array:
    """Rounds numbers; the limits are static."""
    check_bits(num_bits)
    _check_order(low, high)
    least, most = (jnp.asarray(limit, np.float32) for limit in (low, high))
    return fake_quant(inputs, least, most, num_bits, narrow, True)


@op(
    "_fake_quant_args_gradient",
    kernel="FakeQuantWithMinMaxArgsGradient",
    gradient=NotDifferentiable(),
)
def _args_gradient(
    gradients: FreeTensor, inputs: FreeTensor, low: float, high: float, num_bits: int, narrow: bool
) -> jax.Array:
    """Computes the gradient of `_args`."""
    kernel = "FakeQuantWithMinMaxArgsGradient"
    check_bits(num_bits)
    _check_order(low, high)
    if gradients.shape != inputs.shape:
        raise invalid(
            f"Inputs to operation {kernel} of type {kernel} must have the same size and shape.  "
            f"Input 0: {written(gradients.shape)} != input 1: {written(inputs.shape)}"
        )
    least, most = (jnp.asarray(limit, np.float32) for limit in (low, high))
    within, _, _ = masks(inputs, least, most, num_bits, narrow)
    return jnp.where(within, gradients, jnp.zeros_like(gradients))


@function("quantization.fake_quant_with_min_max_args")
def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: None = None,
) -> EagerTensor:
    """Rounds numbers to those that integers of a few bits stand for, between two limits.

    The limits are moved a little, so that 0 is one of these numbers.

    Args:
        inputs: a float32 tensor.
        min: the lower limit.
        max: the upper limit.
        num_bits: how many bits the integers have, from 2 to 16.
        narrow_range: leave out the lowest integer.
        name: ignored.

    Returns:
        A tensor of the shape and type of `inputs`. The gradient passes between the limits.

    Raises:
        InvalidArgumentError: if `num_bits` or a limit is wrong.
        ValueError: if `inputs` is a tensor of another type.

    >>> tf.quantization.fake_quant_with_min_max_args([-9.0, 0.4, 2.6], -3, 4, num_bits=3).numpy()
    array([-3.,  0.,  3.], dtype=float32)
    """
    bits, narrow = int(num_bits), bool(narrow_range)
    return _args(convert(inputs, float32), float(min), float(max), bits, narrow)


@function("quantization.fake_quant_with_min_max_args_gradient")
def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: None = None,
) -> EagerTensor:
    """Computes the gradient of `tf.quantization.fake_quant_with_min_max_args`.

    Args:
        gradients: the gradient for the result, float32.
        inputs: the numbers that were rounded, of the same shape.
        min: the lower limit.
        max: the upper limit.
        num_bits: how many bits the integers have.
        narrow_range: leave out the lowest integer.
        name: ignored.

    Returns:
        `gradients` where `inputs` lies between the limits, 0 elsewhere.

    Raises:
        InvalidArgumentError: if an argument is wrong.

    >>> ones = tf.ones([3])
    >>> tf.quantization.fake_quant_with_min_max_args_gradient(ones, [-9.0, 0.4, 2.6]).numpy()
    array([0., 1., 1.], dtype=float32)
    """
    gradients, inputs = convert(gradients, float32), convert(inputs, float32)
    bits, narrow = int(num_bits), bool(narrow_range)
    return _args_gradient(gradients, inputs, float(min), float(max), bits, narrow)
