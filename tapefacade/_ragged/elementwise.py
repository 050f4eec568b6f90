"""Element-wise functions of ragged tensors: they work on the flat values."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapefacade._core.dispatch import handles
from tapefacade._core.registry import FUNCTIONS
from tapefacade._ragged.broadcasting import combined
from tapefacade._ragged.tensor import RaggedTensor

# Functions of one tensor, the first argument.
UNARY = (
    "bitcast", "bitwise.invert", "debugging.check_numerics",
    "image.adjust_brightness", "image.adjust_gamma", "image.convert_image_dtype",
    "image.random_brightness", "image.resize", "image.stateless_random_brightness",
    "io.decode_base64", "io.decode_compressed", "io.encode_base64", "math.abs", "math.acos",
    "math.acosh", "math.angle", "math.asin", "math.asinh", "math.atan", "math.atanh",
    "math.bessel_i0", "math.bessel_i0e", "math.bessel_i1", "math.bessel_i1e", "math.ceil",
    "math.conj", "math.cos", "math.cosh", "math.digamma", "math.erf", "math.erfc", "math.erfcinv",
    "math.erfinv", "math.exp", "math.expm1", "math.floor", "math.imag", "math.is_finite",
    "math.is_inf", "math.is_nan", "math.lgamma", "math.log", "math.log1p", "math.log_sigmoid",
    "math.logical_not", "math.ndtri", "math.negative", "math.real", "math.reciprocal",
    "math.reciprocal_no_nan", "math.rint", "math.round", "math.rsqrt", "math.sigmoid", "math.sign",
    "math.sin", "math.sinh", "math.softplus", "math.special.bessel_j0", "math.special.bessel_j1",
    "math.special.bessel_k0", "math.special.bessel_k0e", "math.special.bessel_k1",
    "math.special.bessel_k1e", "math.special.bessel_y0", "math.special.bessel_y1",
    "math.special.dawsn", "math.special.expint", "math.special.fresnel_cos",
    "math.special.fresnel_sin", "math.special.spence", "math.sqrt", "math.square", "math.tan",
    "math.tanh", "nn.elu", "nn.gelu", "nn.leaky_relu", "nn.relu", "nn.relu6", "nn.selu", "nn.silu",
    "math.softsign", "ones_like", "saturate_cast", "stop_gradient", "strings.as_string",
    "strings.length", "strings.lower", "strings.regex_full_match", "strings.regex_replace",
    "strings.strip", "strings.substr", "strings.to_hash_bucket", "strings.to_hash_bucket_fast",
    "strings.to_hash_bucket_strong", "strings.to_number", "strings.unicode_script",
    "strings.unicode_transcode", "strings.upper", "zeros_like",
)  # fmt: skip
# Functions of two tensors, which broadcast.
BINARY = (
    "bitwise.bitwise_and", "bitwise.bitwise_or", "bitwise.bitwise_xor", "bitwise.left_shift",
    "bitwise.right_shift", "complex", "math.add", "math.atan2", "math.divide_no_nan", "math.equal",
    "math.floordiv", "math.floormod", "math.greater", "math.greater_equal", "math.less",
    "math.less_equal", "math.logical_and", "math.logical_or", "math.logical_xor", "math.maximum",
    "math.minimum", "math.multiply", "math.multiply_no_nan", "math.nextafter", "math.not_equal",
    "math.pow", "math.scalar_mul", "math.squared_difference", "math.subtract", "math.truediv",
    "math.xdivy", "math.xlog1py", "math.xlogy", "math.zeta", "nn.sigmoid_cross_entropy_with_logits",
    "realdiv", "truncatediv", "truncatemod",
)  # fmt: skip


@functools.cache
def _parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def taken(function: Any, count: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Takes the first arguments of a call out of it, however they were given.

    Args:
        function: what was called.
        count: how many arguments.
        args: the positional arguments.
        kwargs: the keyword arguments, without those that are taken afterwards.
    """
    names = _parameters(function)[:count]
    return [args[i] if i < len(args) else kwargs.pop(n) for i, n in enumerate(names)]


def _unary(name: str) -> Callable[..., Any]:
    def handler(*args: Any, **kwargs: Any) -> Any:
        function = FUNCTIONS[name]
        (value,) = taken(function, 1, args, kwargs)
        if not isinstance(value, RaggedTensor):
            return NotImplemented
        return value.with_flat_values(function(value.flat_values, *args[1:], **kwargs))

    return handler


def _binary(name: str) -> Callable[..., Any]:
    def handler(*args: Any, **kwargs: Any) -> Any:
        function = FUNCTIONS[name]
        x, y = taken(function, 2, args, kwargs)
        return combined(x, y, lambda a, b: function(a, b, *args[2:], **kwargs))

    return handler


for _name in UNARY:
    handles(RaggedTensor, _name)(_unary(_name))
for _name in BINARY:
    handles(RaggedTensor, _name)(_binary(_name))
