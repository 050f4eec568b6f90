"""Numbers rounded as if they had few bits, between limits that are learned."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tapefacade._core.convert import convert
from tapefacade._core.dtypes import float32
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid
from tapefacade._ops.fake_quantization import check_bits, fake_quant, masks
from tapefacade._ops.op import FreeTensor, NotDifferentiable, function, op

VARS = "FakeQuantWithMinMaxVars"
CHANNELS = "FakeQuantWithMinMaxVarsPerChannel"


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
            raise invalid(
                f"cannot compute {kernel} as input #{place}(zero-based) was expected to be a float "
                f"tensor but is a {tensor.dtype.kernel_name} tensor [Op:{kernel}] name: "
            )
    return tensors


def _check(inputs: Any, low: Any, high: Any, num_bits: int, per_channel: bool) -> None:
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


@op("_fake_quant_vars", kernel=VARS)
def _vars(
    inputs: FreeTensor, low: FreeTensor, high: FreeTensor, num_bits: int, narrow: bool
) -> jax.Array:
    """Rounds numbers between the same limits."""
    _check(inputs, low, high, num_bits, False)
    return fake_quant(inputs, low, high, num_bits, narrow, False)


@op("_fake_quant_channels", kernel=CHANNELS)
def _channels(
    inputs: FreeTensor, low: FreeTensor, high: FreeTensor, num_bits: int, narrow: bool
) -> jax.Array:
    """Rounds numbers between limits of their own for each channel."""
    _check(inputs, low, high, num_bits, True)
    return fake_quant(inputs, low, high, num_bits, narrow, False)


Gradients = tuple[jax.Array, jax.Array, jax.Array]


@op("_fake_quant_vars_gradient", kernel=f"{VARS}Gradient", gradient=NotDifferentiable())
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
    _check(inputs, low, high, num_bits, False)
    parts = _parts(gradients, inputs, low, high, num_bits, narrow)
    return parts[0], jnp.sum(parts[1]), jnp.sum(parts[2])


@op("_fake_quant_channels_gradient", kernel=f"{CHANNELS}Gradient", gradient=NotDifferentiable())
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
    _check(inputs, low, high, num_bits, True)
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
    tensors = _inputs(VARS, inputs, min, max)
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
    tensors = _inputs(CHANNELS, inputs, min, max)
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
    tensors = _inputs(f"{VARS}Gradient", gradients, inputs, min, max)
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
    tensors = _inputs(f"{CHANNELS}Gradient", gradients, inputs, min, max)
    found = _channels_gradient(*tensors, num_bits=int(num_bits), narrow=bool(narrow_range))
    return FakeQuantWithMinMaxVarsPerChannelGradient(*found)
