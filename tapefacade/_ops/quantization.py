"""Numbers rounded as if they had few bits: `tf.quantization`.

The gradients of `fake_quant_*` are those of Jacob et al., "Quantization and Training of Neural
Networks for Efficient Integer-Arithmetic-Only Inference", 2017: they pass where a number lies
within the limits.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.dtypes import float32
from tapefacade._core.error_texts import (
    below_minimum,
    input_rank_too_low,
    invalid,
    refused_by_kernel,
    refused_choice,
    refused_input,
    refused_type,
    shape_text,
)
from tapefacade._core.kernel_dtypes import FLOATS
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import (
    Check,
    Differentiable,
    FreeTensor,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    TensorList,
    function,
    op,
)

MODES = ("HALF_TO_EVEN", "HALF_UP")
Static = tuple[bool, int, bool, str, bool, int]


def _check(x: Any, low: Any, high: Any, static: Static) -> None:
    signed, bits, given, mode, _, axis = static
    if mode not in MODES:
        raise invalid(refused_choice("round_mode", mode, MODES))
    if axis >= x.ndim:
        raise invalid(input_rank_too_low(axis + 1, x.ndim))
    if not 0 < bits < (62 if signed else 63):
        raise invalid(f"num_bits is out of range: {bits} with signed_input_ {int(signed)}")
    if given:
        for name, limit in (("input_min", low), ("input_max", high)):
            if limit.ndim:
                raise invalid(f"{name} must be a scalar.")


def _test(input: Any, input_min: Any, input_max: Any, static: Static) -> tuple[Any, ...]:
    _check(input, input_min, input_max, static)
    if not static[2]:
        return True, input_min, input_max
    return jnp.logical_not(input_min > input_max), input_min, input_max


def _error(low: Any, high: Any, **static: Any) -> Exception:
    return invalid(f"Invalid range: input_min {float(low):g} > input_max {float(high):g}")


def _steps(low: Any, high: Any, signed: bool, bits: int, narrow: bool) -> tuple[Any, Any, Any, Any]:
    """Returns the limits, moved so that 0 is a number between them, and the steps in 1 and back."""
    least = -(2 ** (bits - 1)) + int(narrow) if signed else 0
    most = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
    dtype = low.dtype
    greatest = jnp.asarray(jnp.finfo(dtype).max, dtype)
    one = jnp.ones((), dtype)
    from_low = jnp.where(least * low > 0, least / jnp.where(low == 0, one, low), greatest)
    from_high = jnp.where(most * high > 0, most / jnp.where(high == 0, one, high), greatest)
    by_low = from_low < from_high
    back = jnp.where(by_low, low / (least or 1), high / (most or 1))
    high = jnp.where(by_low, most * back, high)
    low = jnp.where(by_low, low, least * back)
    return low, high, jnp.where(by_low, from_low, from_high), back


def _rounded(x: jax.Array, low: jax.Array, high: jax.Array, static: Static) -> jax.Array:
    signed, bits, given, mode, narrow, axis = static
    if not given:
        axes = tuple(a for a in range(x.ndim) if a != axis)
        low, high = jnp.min(x, axes, keepdims=True), jnp.max(x, axes, keepdims=True)
    low, high, scale, back = _steps(low, high, signed, bits, narrow)
    if given:
        x = jnp.maximum(jnp.minimum(x, high), low)
    scaled = x * scale
    whole = jnp.round(scaled) if mode == "HALF_TO_EVEN" else jnp.floor(scaled + 0.5)
    return whole * back


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def _passing(x: jax.Array, low: jax.Array, high: jax.Array, static: Static) -> jax.Array:
    """Rounds; the gradient passes as if nothing were rounded."""
    return _rounded(x, low, high, static)


@_passing.defjvp
def _passing_jvp(static: Static, primals: Any, tangents: Any) -> Any:
    return _rounded(*primals, static=static), tangents[0]


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def _limited(x: jax.Array, low: jax.Array, high: jax.Array, static: Static) -> jax.Array:
    """Rounds; the gradient passes between the limits."""
    return _rounded(x, low, high, static)


@_limited.defjvp
def _limited_jvp(static: Static, primals: Any, tangents: Any) -> Any:
    x, low, high = primals
    zero = jnp.zeros_like(x)
    within = (x >= low) & (x <= high)
    limits = jnp.where(within & ~within, tangents[1] + tangents[2], zero)  # zeros, not None
    return _rounded(*primals, static=static), jnp.where(within, tangents[0], zero) + limits


@op(
    "_quantize_and_dequantize",
    kernel="QuantizeAndDequantizeV3",
    dtypes=FLOATS,
    gradient=Differentiable(except_for=("input_min", "input_max")),
    check=Check(("input_min", "input_max"), _test, _error),
)
def _first(
    input: TensorLike, input_min: TensorLike, input_max: TensorLike, static: Static
) -> jax.Array:
    """Rounds numbers for `quantize_and_dequantize`."""
    _check(input, input_min, input_max, static)
    return _passing(input, input_min, input_max, static) if input.size else input


@op(
    "_quantize_and_dequantize_v2",
    kernel="QuantizeAndDequantizeV4",
    dtypes=FLOATS,
    check=Check(("input_min", "input_max"), _test, _error),
)
def _second(
    input: TensorLike, input_min: TensorLike, input_max: TensorLike, static: Static
) -> jax.Array:
    """Rounds numbers for `quantize_and_dequantize_v2`."""
    _check(input, input_min, input_max, static)
    return _limited(input, input_min, input_max, static) if input.size else input


@function("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> EagerTensor:
    """Rounds numbers as if they were stored as integers and read again.

    Unlike TensorFlow, the gradient can be differentiated, and float16 and bfloat16 are known on
    the CPU as well.

    Args:
        input: a floating tensor.
        input_min: the lower limit, a scalar of the same type; used with `range_given`, and by the
            gradient.
        input_max: the upper limit, likewise.
        signed_input: whether the integers may be negative.
        num_bits: how many bits they have.
        range_given: use the limits; else the least and the greatest number of `input`.
        round_mode: `"HALF_TO_EVEN"` or `"HALF_UP"`.
        name: ignored.
        narrow_range: leave out the lowest of signed integers.
        axis: a dimension whose slices have steps of their own.

    Returns:
        A tensor of the shape and type of `input`. The gradient passes where `input` lies between
        the limits; it is 0 for the limits.

    Raises:
        InvalidArgumentError: if an argument is wrong.

    >>> tf.quantization.quantize_and_dequantize_v2(
    ...     [-9.0, 0.4, 2.6], -4.0, 3.0, num_bits=3, range_given=True).numpy()
    array([-4.,  0.,  3.], dtype=float32)
    """
    static = _static(signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return _second(input, input_min, input_max, static)


@function("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> EagerTensor:
    """Rounds numbers as if they were stored as integers and read again; its gradient is 1.

    Args:
        input: a floating tensor.
        input_min: the lower limit, a scalar of the same type, used with `range_given`.
        input_max: the upper limit, likewise.
        signed_input: whether the integers may be negative.
        num_bits: how many bits they have.
        range_given: use the limits; else the least and the greatest number of `input`.
        round_mode: `"HALF_TO_EVEN"` or `"HALF_UP"`.
        name: ignored.
        narrow_range: leave out the lowest of signed integers.
        axis: a dimension whose slices have steps of their own.

    Returns:
        A tensor of the shape and type of `input`. The gradient passes everywhere, see
        `tf.quantization.quantize_and_dequantize_v2` for another one.

    Raises:
        InvalidArgumentError: if an argument is wrong.

    >>> tf.quantization.quantize_and_dequantize([-4.0, 0.4, 3.0], 0.0, 0.0, num_bits=3).numpy()
    array([-4.,  0.,  3.], dtype=float32)
    """
    static = _static(signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return _first(input, input_min, input_max, static)


def _static(signed: Any, bits: Any, given: Any, mode: str, narrow: Any, axis: int | None) -> Static:
    place = -1 if axis is None else int(axis)
    return bool(signed), int(bits), bool(given), mode, bool(narrow), place


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


def _rounded_between(
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
    return _rounded_between(x, low, high, num_bits, narrow_range, fixed), parts[0] + parts[
        1
    ] + parts[2]


fake_quant = jax.custom_jvp(_rounded_between, nondiff_argnums=(3, 4, 5))
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
            f"Input 0: {shape_text(gradients.shape)} != input 1: {shape_text(inputs.shape)}"
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


KERNEL = "FakeQuantWithMinMaxVars"
KERNEL_PER_CHANNEL = "FakeQuantWithMinMaxVarsPerChannel"


class FakeQuantWithMinMaxVarsGradient(NamedTuple):
    """What `tf.quantization.fake_quant_with_min_max_vars_gradient` returns."""

    backprops_wrt_input: EagerTensor
    backprop_wrt_min: EagerTensor
    backprop_wrt_max: EagerTensor


class FakeQuantWithMinMaxVarsPerChannelGradient(NamedTuple):
    """What `tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient` returns."""

    backprops_wrt_input: EagerTensor
    backprop_wrt_min: EagerTensor
    backprop_wrt_max: EagerTensor


def _inputs(kernel: str, *values: Any) -> list[EagerTensor]:
    """Converts the inputs of a kernel: Python and NumPy values become float32.

    Raises:
        InvalidArgumentError: if one is a tensor of another type.
    """
    tensors = [convert(v) if hasattr(v, "_type") else convert(v, float32) for v in values]
    for place, tensor in enumerate(tensors):
        if tensor.dtype is not float32:
            raise refused_input(kernel, place, "float", tensor.dtype.kernel_name)
    return tensors


def _check_limits(inputs: Any, low: Any, high: Any, num_bits: int, per_channel: bool) -> None:
    check_bits(num_bits)
    rank = int(per_channel)
    for name, limit in (("min", low), ("max", high)):
        if limit.ndim != rank:
            raise invalid(f"`{name}` must be rank {rank} but is rank {limit.ndim}")
    if not per_channel:
        return
    if inputs.ndim == 0:
        raise invalid("inputs must be at least of rank 1")
    for name, limit in (("min", low), ("max", high)):
        if limit.shape[0] != inputs.shape[-1]:
            raise invalid(
                f"{name} has incorrect size, expected {inputs.shape[-1]} was {limit.shape[0]}"
            )


@op("_fake_quant_vars", kernel=KERNEL)
def _vars(
    inputs: FreeTensor, low: FreeTensor, high: FreeTensor, num_bits: int, narrow: bool
) -> jax.Array:
    """Rounds numbers between the same limits."""
    _check_limits(inputs, low, high, num_bits, False)
    return fake_quant(inputs, low, high, num_bits, narrow, False)


@op("_fake_quant_channels", kernel=KERNEL_PER_CHANNEL)
def _channels(
    inputs: FreeTensor, low: FreeTensor, high: FreeTensor, num_bits: int, narrow: bool
) -> jax.Array:
    """Rounds numbers between limits of their own for each channel."""
    _check_limits(inputs, low, high, num_bits, True)
    return fake_quant(inputs, low, high, num_bits, narrow, False)


Gradients = tuple[jax.Array, jax.Array, jax.Array]


@op("_fake_quant_vars_gradient", kernel=f"{KERNEL}Gradient", gradient=NotDifferentiable())
def _vars_gradient(
    gradients: FreeTensor,
    inputs: FreeTensor,
    low: FreeTensor,
    high: FreeTensor,
    num_bits: int,
    narrow: bool,
) -> Gradients:
    """Computes the gradient of `_vars`."""
    _check_gradients(gradients, inputs)
    _check_limits(inputs, low, high, num_bits, False)
    parts = _parts(gradients, inputs, low, high, num_bits, narrow)
    return parts[0], jnp.sum(parts[1]), jnp.sum(parts[2])


@op(
    "_fake_quant_channels_gradient",
    kernel=f"{KERNEL_PER_CHANNEL}Gradient",
    gradient=NotDifferentiable(),
)
def _channels_gradient(
    gradients: FreeTensor,
    inputs: FreeTensor,
    low: FreeTensor,
    high: FreeTensor,
    num_bits: int,
    narrow: bool,
) -> Gradients:
    """Computes the gradient of `_channels`."""
    _check_gradients(gradients, inputs)
    _check_limits(inputs, low, high, num_bits, True)
    parts = _parts(gradients, inputs, low, high, num_bits, narrow)
    axes = tuple(range(inputs.ndim - 1))
    return parts[0], jnp.sum(parts[1], axes), jnp.sum(parts[2], axes)


def _check_gradients(gradients: Any, inputs: Any) -> None:
    if gradients.shape != inputs.shape:
        raise invalid("gradient and input must be the same size")


def _parts(gradients: jax.Array, *arguments: Any) -> list[jax.Array]:
    zero = jnp.zeros_like(gradients)
    return [jnp.where(mask, gradients, zero) for mask in masks(*arguments)]


@function("quantization.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: None = None,
) -> EagerTensor:
    """Rounds numbers to those that integers of a few bits stand for, between two learned limits.

    The limits are moved a little, so that 0 is one of these numbers.

    Args:
        inputs: a float32 tensor.
        min: the lower limit, a float32 scalar.
        max: the upper limit, a float32 scalar.
        num_bits: how many bits the integers have, from 2 to 16.
        narrow_range: leave out the lowest integer.
        name: ignored.

    Returns:
        A tensor of the shape of `inputs`. The gradient goes to `inputs` between the limits, outside
        to the limit.

    Raises:
        InvalidArgumentError: if a type, a shape or `num_bits` is wrong.

    >>> limits = -3.0, 4.0
    >>> tf.quantization.fake_quant_with_min_max_vars([-9.0, 0.4, 2.6], *limits, num_bits=3).numpy()
    array([-3.,  0.,  3.], dtype=float32)
    """
    tensors = _inputs(KERNEL, inputs, min, max)
    return _vars(*tensors, num_bits=int(num_bits), narrow=bool(narrow_range))


@function("quantization.fake_quant_with_min_max_vars_per_channel")
def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: None = None,
) -> EagerTensor:
    """Rounds numbers as `fake_quant_with_min_max_vars` does, each channel between its own limits.

    Args:
        inputs: a float32 tensor of shape `[..., C]`.
        min: the lower limits, float32 `[C]`.
        max: the upper limits, float32 `[C]`.
        num_bits: how many bits the integers have, from 2 to 16.
        narrow_range: leave out the lowest integer.
        name: ignored.

    Returns:
        A tensor of the shape of `inputs`. The gradient goes to `inputs` between the limits, outside
        to the limit.

    Raises:
        InvalidArgumentError: if a type, a shape or `num_bits` is wrong.

    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(
    ...     [[2.6, 2.6]], [-3.0, -2.0], [4.0, 1.5], num_bits=3).numpy()
    array([[3. , 1.5]], dtype=float32)
    """
    tensors = _inputs(KERNEL_PER_CHANNEL, inputs, min, max)
    return _channels(*tensors, num_bits=int(num_bits), narrow=bool(narrow_range))


@function("quantization.fake_quant_with_min_max_vars_gradient")
def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: None = None,
) -> FakeQuantWithMinMaxVarsGradient:
    """Computes the gradients of `tf.quantization.fake_quant_with_min_max_vars`.

    Args:
        gradients: the gradient for the result, float32.
        inputs: the numbers that were rounded, of the same shape.
        min: the lower limit, a float32 scalar.
        max: the upper limit, a float32 scalar.
        num_bits: how many bits the integers have.
        narrow_range: leave out the lowest integer.
        name: ignored.

    Returns:
        A named tuple of the gradients for `inputs`, `min` and `max`.

    Raises:
        InvalidArgumentError: if a type, a shape or `num_bits` is wrong.

    >>> found = tf.quantization.fake_quant_with_min_max_vars_gradient(
    ...     [1.0, 1.0, 1.0], [-9.0, 0.4, 2.6], -3.0, 4.0)
    >>> found.backprops_wrt_input.numpy(), found.backprop_wrt_min.numpy()
    (array([0., 1., 1.], dtype=float32), np.float32(1.0))
    """
    tensors = _inputs(f"{KERNEL}Gradient", gradients, inputs, min, max)
    found = _vars_gradient(*tensors, num_bits=int(num_bits), narrow=bool(narrow_range))
    return FakeQuantWithMinMaxVarsGradient(*found)


@function("quantization.fake_quant_with_min_max_vars_per_channel_gradient")
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: None = None,
) -> FakeQuantWithMinMaxVarsPerChannelGradient:
    """Computes the gradients of `tf.quantization.fake_quant_with_min_max_vars_per_channel`.

    Args:
        gradients: the gradient for the result, float32.
        inputs: the numbers that were rounded, of the same shape `[..., C]`.
        min: the lower limits, float32 `[C]`.
        max: the upper limits, float32 `[C]`.
        num_bits: how many bits the integers have.
        narrow_range: leave out the lowest integer.
        name: ignored.

    Returns:
        A named tuple of the gradients for `inputs`, `min` and `max`.

    Raises:
        InvalidArgumentError: if a type, a shape or `num_bits` is wrong.

    >>> found = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(
    ...     [[1.0, 1.0]], [[2.6, 2.6]], [-3.0, -2.0], [4.0, 1.5])
    >>> found.backprops_wrt_input.numpy(), found.backprop_wrt_max.numpy()
    (array([[1., 0.]], dtype=float32), array([0., 1.], dtype=float32))
    """
    tensors = _inputs(f"{KERNEL_PER_CHANNEL}Gradient", gradients, inputs, min, max)
    found = _channels_gradient(*tensors, num_bits=int(num_bits), narrow=bool(narrow_range))
    return FakeQuantWithMinMaxVarsPerChannelGradient(*found)


# Integers that stand for numbers. An element of a quantized type is held as the integer it is.

STORED = {
    dtypes.qint8: np.dtype("int8"), dtypes.quint8: np.dtype("uint8"),
    dtypes.qint32: np.dtype("int32"), dtypes.qint16: np.dtype("int16"),
    dtypes.quint16: np.dtype("uint16"),
}  # fmt: skip
QUANTIZED = tuple(kind.kernel_name for kind in STORED)
RANGE_MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
ROUND_MODES = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")
LARGEST_INT32 = np.float32(2147483520)  # the greatest float32 that is an int32


class QuantizeV2(NamedTuple):
    """What `tf.quantization.quantize` returns."""

    output: EagerTensor
    output_min: EagerTensor
    output_max: EagerTensor


class QuantizedConcat(NamedTuple):
    """What `tf.quantization.quantized_concat` returns."""

    output: EagerTensor
    output_min: EagerTensor
    output_max: EagerTensor


class IntegerStorage(NamedTuple):
    """How numbers are stored: the type of the integers, and what decides their steps."""

    kind: np.dtype
    mode: str
    axis: int
    narrow_range: bool

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest integer."""
        info = np.iinfo(self.kind)
        narrow = self.narrow_range and self.mode == "SCALED"
        return int(info.min) + int(narrow), int(info.max)

    def along_axis(self, limit: jax.Array, rank: int) -> jax.Array:
        """Gives limits the shape in which they go with a tensor."""
        if self.axis < 0:
            return jnp.reshape(limit, ())
        return jnp.reshape(limit, [-1 if place == self.axis else 1 for place in range(rank)])

    def check_axis(self, kernel: str) -> None:
        """Raises for a mode that knows no axis."""
        if self.axis >= 0 and self.mode == "MIN_FIRST":
            message = f"MIN_FIRST mode is not implemented for {kernel} with axis != -1."
            raise errors.UnimplementedError(None, None, message)


def _away_from_zero(x: jax.Array) -> jax.Array:
    return lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)


def _counted_from_least(x: jax.Array, low: Any, high: Any, kind: np.dtype) -> jax.Array:
    """Finds the integers of the mode `MIN_FIRST`: the step is a part of the whole range."""
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    scale = _quotient(float(most) - float(least), high - low)
    scale = jnp.where(high == low, np.float32(0), scale)
    first = _away_from_zero(low * scale)
    found = _away_from_zero(x * scale) - (first - np.float32(least))
    return jnp.clip(found, np.float32(least), min(np.float32(most), LARGEST_INT32)).astype(kind)


def _read_from_least(x: jax.Array, low: Any, high: Any, kind: np.dtype) -> jax.Array:
    """Reads what the mode `MIN_FIRST` has stored."""
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    step = _quotient(high - low, float(most) - float(least))
    first = jnp.where(high == low, low, _away_from_zero(low / step) * step)
    return _product(x.astype(np.float32) - np.float32(least), step) + first


def _check_limits_of_axis(input: Any, low: Any, high: Any, axis: int) -> None:
    if axis >= input.ndim:
        raise refused_by_kernel(
            "Axis is on a zero-based index, so its value must always be less than number of "
            f"input's dims, but given axis value was {axis} and input's dims was {input.ndim}"
        )
    for name, limit in (("min_range", low), ("max_range", high)):
        if axis < 0 and limit.size != 1:
            raise refused_by_kernel(
                f"If axis is not specified, {name} must contain a single float element, but it "
                f"contains {limit.size} elements"
            )
        begin = (
            f"If axis is specified, {name} must be a 1-D tensor whose size matches the axis "
            f"dimension of the input and output tensors, but {name} "
        )
        if axis >= 0 and limit.ndim != 1:
            raise refused_by_kernel(f"{begin}dims are {limit.ndim}")
        if axis >= 0 and limit.size != input.shape[axis]:
            raise refused_by_kernel(
                f"{begin}is a 1-D tensor of size {limit.size} and input's axis dimension is of "
                f"size {input.shape[axis]}"
            )


def _ranges_in_order(min_range: Any, max_range: Any, **_: Any) -> tuple[Any]:
    if jnp.shape(min_range) != jnp.shape(max_range):
        return (True,)  # refused when it was recorded
    return (jnp.all(min_range <= max_range),)


def _falling_range(**_: Any) -> Exception:
    return invalid("input_max_range must be larger than input_min_range.")


@op(
    "_quantize",
    kernel="QuantizeV2",
    gradient=NoGradient("QuantizeV2"),
    check=Check(("min_range", "max_range"), _ranges_in_order, _falling_range),
)
def _quantize(
    input: FreeTensor,
    min_range: FreeTensor,
    max_range: FreeTensor,
    storage: IntegerStorage,
    round_mode: str,
    ensure_minimum_range: float,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Stores numbers as integers."""
    _check_limits_of_axis(input, min_range, max_range, storage.axis)
    storage.check_axis("Quantize")
    zero, one = np.float32(0), np.float32(1)
    least_width = jnp.maximum(one, jnp.maximum(jnp.abs(min_range), jnp.abs(max_range)))
    low = jnp.minimum(zero, min_range)
    high = jnp.maximum(max_range, low + least_width * np.float32(ensure_minimum_range))
    high = jnp.maximum(zero, high)
    low, high = (storage.along_axis(limit, input.ndim) for limit in (low, high))
    least, most = storage.limits
    if storage.mode == "MIN_FIRST":
        output = _counted_from_least(input, low, high, storage.kind)
    elif storage.mode == "SCALED":
        greatest = np.finfo(np.float32).max
        by_low = jnp.where(least * low > 0, least / low, greatest)
        scale = jnp.minimum(by_low, jnp.where(most * high > 0, most / high, greatest))
        low, high = least / scale, most / scale
        scaled = jnp.maximum(jnp.minimum(input, high), low) * scale
        rounded = jnp.round if round_mode == "HALF_TO_EVEN" else _away_from_zero
        output = rounded(scaled).astype(storage.kind)
    else:
        scale = _quotient(np.float32(float(most) - float(least)), high - low)
        scaled = _product(jnp.maximum(jnp.minimum(input, high), low) - low, scale)
        if least < 0:
            half = np.float32((float(most) - float(least) + 1) / 2)
            output = _away_from_zero(scaled - half).astype(storage.kind)
        else:
            output = jnp.floor(scaled + np.float32(0.5)).astype(storage.kind)
    return output, jnp.reshape(low, min_range.shape), jnp.reshape(high, min_range.shape)


@function("quantization.quantize")
def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,  # noqa: N803
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeV2:
    """Stores the numbers between two limits as integers.

    Unlike TensorFlow, the integers have the type that they are stored in: int8 for `tf.qint8`,
    uint8 for `tf.quint8`, and so on. `tf.quantization.dequantize` takes them. What lies at the
    upper limit is not stored as the least integer of 32 bits.

    Args:
        input: a float32 tensor.
        min_range: the lower limit, a float32 number; with `axis` one for each of its elements. 0
            always lies between the limits: one above it becomes 0.
        max_range: the upper limit, likewise.
        T: the type: `tf.qint8`, `tf.quint8`, `tf.qint16`, `tf.quint16` or `tf.qint32`.
        mode: `"MIN_COMBINED"` gives the limits the least and the greatest integer, `"MIN_FIRST"` as
            well, and one of them to 0; with `"SCALED"` the integer 0 stands for 0.
        round_mode: `"HALF_AWAY_FROM_ZERO"`, or with `"SCALED"` also `"HALF_TO_EVEN"`.
        name: ignored.
        narrow_range: with `"SCALED"`, leave out the lowest integer.
        axis: a dimension whose slices have limits of their own.
        ensure_minimum_range: how far apart the limits are at least, in relation to the greater one
            or 1.

    Returns:
        A named tuple: the integers in the shape of `input`, and the limits that were used.

    Raises:
        InvalidArgumentError: if an argument is wrong.
        UnimplementedError: for an axis with `"MIN_FIRST"`.

    >>> found = tf.quantization.quantize([-1.0, 0.1, 0.6], -1.0, 1.0, tf.quint8)
    >>> found.output.numpy()
    array([  0, 140, 204], dtype=uint8)
    """
    input, low, high = _inputs("QuantizeV2", input, min_range, max_range)
    wanted = dtypes.as_dtype(T)
    if wanted not in STORED:
        raise refused_type("T", wanted.kernel_name, QUANTIZED)
    storage = _storage(STORED[wanted], mode, axis, narrow_range, input)
    if round_mode not in ROUND_MODES:
        raise invalid(refused_choice("round_mode", round_mode, ROUND_MODES))
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise refused_by_kernel(
            f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'."
        )
    return QuantizeV2(*_quantize(input, low, high, storage, round_mode, ensure_minimum_range))


def _storage(
    kind: np.dtype, mode: str, axis: int | None, narrow: Any, input: Any
) -> IntegerStorage:
    if mode not in RANGE_MODES:
        raise invalid(refused_choice("mode", mode, RANGE_MODES))
    place = -1 if axis is None else int(axis)
    if axis is not None and place < 0:
        place %= input.shape.ndims
    return IntegerStorage(kind, mode, place, bool(narrow))


@op("_dequantize", kernel="Dequantize", gradient=NoGradient("Dequantize"))
def _dequantize(
    input: FreeTensor,
    min_range: FreeTensor,
    max_range: FreeTensor,
    storage: IntegerStorage,
    dtype: Any,
) -> jax.Array:
    """Reads numbers that are stored as integers."""
    axis = storage.axis
    if axis >= input.ndim:
        raise refused_by_kernel(f"Axis must be less than input dimension({input.ndim}), got {axis}")
    wanted = 1 if axis < 0 else input.shape[axis]
    for name, limit in (("min", min_range), ("max", max_range)):
        if limit.size != wanted:
            raise refused_by_kernel(
                f"input_{name}_tensor must have as many elements as input on the dequantization "
                f"axis ({axis}), got {limit.size}, expected {wanted}"
            )
    storage.check_axis("Dequantize")
    low, high = (storage.along_axis(limit, input.ndim) for limit in (min_range, max_range))
    least, most = storage.limits
    numbers = input.astype(np.float32)
    if storage.mode == "MIN_FIRST":
        found = _read_from_least(input, low, high, storage.kind)
    elif storage.mode == "SCALED":
        scale = high / np.float32(most)
        found = numbers * (jnp.maximum(low / np.float32(least), scale) if least else scale)
    else:
        step = (high - low) / np.float32(float(most) - float(least))
        half = np.float32(0 if least == 0 else (float(most) - float(least) + 1) / 2)
        found = _product(numbers + half, step) + low
    return found.astype(dtype.as_numpy_dtype)


@function("quantization.dequantize")
def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = float32,
) -> EagerTensor:
    """Reads numbers that `tf.quantization.quantize` has stored as integers.

    Unlike TensorFlow, the integers have the type that they are stored in, see
    `tf.quantization.quantize`, and `"SCALED"` takes int32.

    Args:
        input: the integers: int8, uint8, int16, uint16 or int32.
        min_range: the lower limit, as it was used; with `axis` one for each of its elements.
        max_range: the upper limit, likewise.
        mode: as it was used.
        name: ignored.
        axis: the dimension whose slices have limits of their own.
        narrow_range: as it was used.
        dtype: `tf.float32`, or with `"MIN_COMBINED"` also `tf.bfloat16`.

    Returns:
        A tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if an argument is wrong.
        UnimplementedError: for an axis with `"MIN_FIRST"`.

    >>> stored = tf.constant([0, 140, 204], tf.uint8)
    >>> tf.quantization.dequantize(stored, -1.0, 1.0).numpy().round(4)
    array([-1.   ,  0.098,  0.6  ], dtype=float32)
    """
    input = convert(input)
    kind = input.dtype.as_numpy_dtype
    if np.dtype(kind) not in STORED.values():
        raise refused_type("T", input.dtype.kernel_name, QUANTIZED)
    wanted = dtypes.as_dtype(dtype)
    if wanted not in (dtypes.bfloat16, float32):
        raise refused_type("dtype", wanted.kernel_name, ("bfloat16", "float"))
    if wanted is dtypes.bfloat16 and mode != RANGE_MODES[0]:
        raise refused_by_kernel(
            f"When output type is bfloat16, Mode string must be '{RANGE_MODES[0]}', is '{mode}'"
        )
    low, high = convert(min_range, float32), convert(max_range, float32)
    storage = _storage(np.dtype(kind), mode, axis, narrow_range, input)
    return _dequantize(input, low, high, storage, wanted)


@op("_quantized_concat", kernel="QuantizedConcat", gradient=NoGradient("QuantizedConcat"))
def _quantized_concat(
    values: TensorList, lows: FreeTensor, highs: FreeTensor, axis: int
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Joins integers that stand for numbers between limits of their own."""
    first = values[0]
    if not 0 <= axis < first.ndim:
        raise refused_by_kernel(
            "ConcatOp : Expected concatenating dimensions in the range "
            f"[0, {first.ndim}), but got {axis}"
        )
    for place, value in enumerate(values[1:], 1):
        sizes = [shape[:axis] + shape[axis + 1 :] for shape in (first.shape, value.shape)]
        if sizes[0] != sizes[1]:
            raise refused_by_kernel(
                f"ConcatOp : Dimensions of inputs should match: shape[0] = "
                f"{shape_text(first.shape)} vs. shape[{place}] = {shape_text(value.shape)}"
            )
    kind = np.dtype(first.dtype)
    low, high = jnp.minimum(np.float32(0), jnp.min(lows)), jnp.max(highs)
    if np.iinfo(kind).min < 0:
        high = jnp.maximum(jnp.abs(low), jnp.abs(high))
        low = -high
    parts = [
        jnp.where(
            (lows[place] == low) & (highs[place] == high),
            value,
            _counted_from_least(
                _read_from_least(value, lows[place], highs[place], kind), low, high, kind
            ),
        )
        for place, value in enumerate(values)
    ]
    return jnp.concatenate(parts, axis), low, high


@function("quantization.quantized_concat")
def quantized_concat(
    concat_dim: Any, values: Sequence[Any], input_mins: Any, input_maxes: Any, name: None = None
) -> QuantizedConcat:
    """Joins tensors of integers that stand for numbers, each between limits of its own.

    Unlike TensorFlow, the integers have the type that they are stored in, see
    `tf.quantization.quantize`, and all of these types are known.

    Args:
        concat_dim: the dimension, 0 or greater.
        values: two or more tensors of one type, equal in the other dimensions.
        input_mins: the lower limit of each, float32.
        input_maxes: the upper limit of each, float32.
        name: ignored.

    Returns:
        A named tuple: the integers, and the limits that they are between now.

    Raises:
        InvalidArgumentError: if an argument is wrong.

    >>> stored = tf.constant([0, 255], tf.uint8)
    >>> tf.quantization.quantized_concat(0, [stored, stored], [0.0, 0.0], [1.0, 2.0]).output.numpy()
    array([  0, 128,   0, 255], dtype=uint8)
    """
    tensors = [convert(value) for value in values]
    if len(tensors) < 2:
        raise invalid(below_minimum("N", len(tensors), 2))
    for place, tensor in enumerate(tensors):
        if np.dtype(tensor.dtype.as_numpy_dtype) not in STORED.values():
            raise refused_type("T", tensor.dtype.kernel_name, QUANTIZED)
        if tensor.dtype is not tensors[0].dtype:
            raise refused_input(
                "QuantizedConcat", place + 1, tensors[0].dtype.kernel_name, tensor.dtype.kernel_name
            )
    for limits in (input_mins, input_maxes):
        if len(limits) != len(tensors):
            raise invalid(
                f"QuantizedConcat takes {len(tensors)} limits for {len(tensors)} tensors, "
                f"not {len(limits)}"
            )
    lows, highs = (convert(list(limits), float32) for limits in (input_mins, input_maxes))
    return QuantizedConcat(*_quantized_concat(tensors, lows, highs, int(concat_dim)))
