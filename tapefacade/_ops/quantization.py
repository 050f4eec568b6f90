"""Numbers rounded to steps of the same size: `tf.quantization.quantize_and_dequantize`."""

import functools
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid
from tapefacade._ops.op import Check, Differentiable, TensorLike, function, op

FLOATS = ("bfloat16", "half", "float", "double")
MODES = ("HALF_TO_EVEN", "HALF_UP")
Static = tuple[bool, int, bool, str, bool, int]


def _check(x: Any, low: Any, high: Any, static: Static) -> None:
    signed, bits, given, mode, _, axis = static
    if mode not in MODES:
        raise invalid(
            f"Value for attr 'round_mode' of \"{mode}\" is not in the list of allowed values: "
            + ", ".join(f'"{choice}"' for choice in MODES)
        )
    if axis >= x.ndim:
        raise invalid(f"Shape must be at least rank {axis + 1} but is rank {x.ndim}")
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
