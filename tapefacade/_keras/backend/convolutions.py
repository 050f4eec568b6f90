"""Keras's convolutions on a CPU, in the forms in which those of `tf.nn` are computed there."""

import functools
import importlib
from collections.abc import Callable
from typing import Any

import jax

from tapefacade._ops.nn.convolution_forms import in_other_form, transposed_in_other_form


def in_best_form(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what computes a function of Keras's backend: itself, unless it is a convolution.

    Args:
        name: the name of the function.
        function: the function, on JAX's arrays. It computes, and refuses, what is left.
    """
    other = OTHER_FORMS.get(name)
    if other is None:
        return function
    config = importlib.import_module("keras.src.backend.config")

    @functools.wraps(function)
    def convolved(inputs: Any, kernel: Any, *args: Any, **kwargs: Any) -> Any:
        found = None
        if _is_plain(inputs, kernel):
            settings = {**dict(zip(PARAMETERS[name], args, strict=False)), **kwargs}
            layout = settings.pop("data_format", None) or config.image_data_format()
            if layout == "channels_last":
                found = other(inputs, kernel, **settings)
        return function(inputs, kernel, *args, **kwargs) if found is None else found

    return convolved


def _is_plain(inputs: Any, kernel: Any) -> bool:
    return (
        isinstance(inputs, jax.Array)
        and isinstance(kernel, jax.Array)
        and inputs.ndim == kernel.ndim > 2
        and inputs.dtype == kernel.dtype
    )


def _numbers(value: Any, count: int) -> tuple[int, ...]:
    """Returns a number for each spatial axis; nothing if there are not as many."""
    found = (value,) * count if isinstance(value, int) else tuple(value)
    return found if len(found) == count else ()


def _convolution(
    inputs: jax.Array, kernel: jax.Array, strides: Any = 1, padding: str = "valid",
    dilation_rate: Any = 1,
) -> jax.Array | None:  # fmt: skip
    steps, rates = (_numbers(value, inputs.ndim - 2) for value in (strides, dilation_rate))
    if not steps or not rates or 0 in kernel.shape or inputs.shape[-1] % kernel.shape[-2]:
        return None
    groups = inputs.shape[-1] // kernel.shape[-2]
    if kernel.shape[-1] % groups or padding not in ("same", "valid"):
        return None
    return in_other_form(inputs, kernel, steps, padding.upper(), rates, groups)


def _of_each_channel(inputs: jax.Array, kernel: jax.Array, **settings: Any) -> jax.Array | None:
    *window, depth, several = kernel.shape
    if depth != inputs.shape[-1]:
        return None
    return _convolution(inputs, kernel.reshape(*window, 1, depth * several), **settings)


def _transposed(
    inputs: jax.Array, kernel: jax.Array, strides: Any = 1, padding: str = "valid",
    output_padding: Any = None, dilation_rate: Any = 1,
) -> jax.Array | None:  # fmt: skip
    steps, rates = (_numbers(value, inputs.ndim - 2) for value in (strides, dilation_rate))
    if not steps or set(rates) != {1} or inputs.shape[-1] != kernel.shape[-1]:
        return None
    utils = importlib.import_module("keras.src.backend.common.backend_utils")
    margins = utils.compute_conv_transpose_padding_args_for_jax(
        input_shape=inputs.shape, kernel_shape=kernel.shape, strides=strides, padding=padding,
        output_padding=output_padding, dilation_rate=dilation_rate,
    )  # fmt: skip
    window = kernel.shape[:-2]
    before = [size - 1 - first for size, (first, _) in zip(window, margins, strict=True)]
    sizes = [
        (n - 1) * step + 1 + sum(margin) - size + 1
        for n, step, margin, size in zip(inputs.shape[1:-1], steps, margins, window, strict=True)
    ]
    return transposed_in_other_form(inputs, kernel, steps, before, sizes)


OTHER_FORMS: dict[str, Callable[..., jax.Array | None]] = {
    "conv": _convolution, "depthwise_conv": _of_each_channel, "conv_transpose": _transposed,
}  # fmt: skip
# Those after the inputs and the kernel.
PARAMETERS = {
    "conv": ("strides", "padding", "data_format", "dilation_rate"),
    "depthwise_conv": ("strides", "padding", "data_format", "dilation_rate"),
    "conv_transpose": ("strides", "padding", "output_padding", "data_format", "dilation_rate"),
}
