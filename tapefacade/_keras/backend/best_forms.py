"""Keras's convolutions and pools on a CPU, in the forms in which `tf.nn` computes them there."""

import functools
import importlib
from collections.abc import Callable
from typing import Any

import jax

from tapefacade._ops.nn.convolution_forms import (
    DTYPES,
    in_other_form,
    transposed_in_other_form,
)
from tapefacade._ops.nn.pooling import reduce_windows

PADDINGS = ("same", "valid")
POOL = ("strides", "padding", "data_format")
CONVOLUTION = (*POOL, "dilation_rate")


def in_best_form(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what computes a function of Keras's backend: itself, unless there is a better form.

    Args:
        name: the name of the function.
        function: the function, on JAX's arrays. It computes, and refuses, what is left.
    """
    if name not in OTHER_FORMS:
        return function
    other, parameters = OTHER_FORMS[name]
    config = importlib.import_module("keras.src.backend.config")

    @functools.wraps(function)
    def computed(inputs: Any, size: Any, *args: Any, **kwargs: Any) -> Any:
        found = None
        if isinstance(inputs, jax.Array) and inputs.ndim > 2:
            settings = {**dict(zip(parameters, args, strict=False)), **kwargs}
            layout = settings.pop("data_format", None) or config.image_data_format()
            if layout == "channels_last" and settings.get("padding", "valid") in PADDINGS:
                found = other(inputs, size, **settings)
        return function(inputs, size, *args, **kwargs) if found is None else found

    return computed


def _numbers(value: Any, count: int) -> tuple[int, ...]:
    """Returns a number for each spatial axis; nothing if there are not as many."""
    found = (value,) * count if isinstance(value, int) else tuple(value)
    return found if len(found) == count else ()


def _is_kernel(kernel: Any, inputs: jax.Array) -> bool:
    return (
        isinstance(kernel, jax.Array)
        and kernel.ndim == inputs.ndim
        and kernel.dtype == inputs.dtype
        and 0 not in kernel.shape
    )


def _convolution(
    inputs: jax.Array, kernel: Any, strides: Any = 1, padding: str = "valid",
    dilation_rate: Any = 1,
) -> jax.Array | None:  # fmt: skip
    steps, rates = (_numbers(value, inputs.ndim - 2) for value in (strides, dilation_rate))
    if not steps or not rates or not _is_kernel(kernel, inputs):
        return None
    groups, rest = divmod(inputs.shape[-1], kernel.shape[-2])
    if rest or not groups or kernel.shape[-1] % groups:
        return None
    return in_other_form(inputs, kernel, steps, padding.upper(), rates, groups)


def _of_each_channel(inputs: jax.Array, kernel: Any, **settings: Any) -> jax.Array | None:
    if not _is_kernel(kernel, inputs):
        return None
    *window, depth, several = kernel.shape
    if depth != inputs.shape[-1]:
        return None
    return _convolution(inputs, kernel.reshape(*window, 1, depth * several), **settings)


def _transposed(
    inputs: jax.Array, kernel: Any, strides: Any = 1, padding: str = "valid",
    output_padding: Any = None, dilation_rate: Any = 1,
) -> jax.Array | None:  # fmt: skip
    steps, rates = (_numbers(value, inputs.ndim - 2) for value in (strides, dilation_rate))
    if not steps or set(rates) != {1} or not _is_kernel(kernel, inputs):
        return None
    if inputs.shape[-1] != kernel.shape[-1]:
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


def _pooled(
    kind: str, inputs: jax.Array, pool_size: Any, strides: Any = None, padding: str = "valid"
) -> jax.Array | None:
    count = inputs.ndim - 2
    window = _numbers(pool_size, count)
    steps = window if strides is None else _numbers(strides, count)
    if not window or not steps or min(*window, *steps) < 1 or inputs.dtype not in DTYPES:
        return None
    return reduce_windows(inputs, (1, *window, 1), (1, *steps, 1), padding.upper(), kind)


# Name: the other form, and the parameters after the inputs and the kernel or size.
OTHER_FORMS: dict[str, tuple[Callable[..., jax.Array | None], tuple[str, ...]]] = {
    "conv": (_convolution, CONVOLUTION), "depthwise_conv": (_of_each_channel, CONVOLUTION),
    "conv_transpose": (
        _transposed, ("strides", "padding", "output_padding", "data_format", "dilation_rate"),
    ),
    "max_pool": (functools.partial(_pooled, "MAX"), POOL),
    "average_pool": (functools.partial(_pooled, "AVG"), POOL),
}  # fmt: skip
