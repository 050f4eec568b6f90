"""Functions of Keras's backend that ops of ours stand for, where the dtypes leave no doubt.

An op of ours takes less time to record, takes Python numbers as inputs of the program, says what
TensorFlow says about wrong shapes, and has TensorFlow's gradient where functions have an edge.
"""

import types
from collections.abc import Callable
from typing import Any

from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._keras.backend.lifted_functions import KerasState
from tapefacade._keras.backend.tensorflow_functions import counterpart
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.shaping import expand_dims, reshape, transpose
from tapefacade._ops.linalg.products import matmul
from tapefacade._ops.math.clipping import clip_by_value
from tapefacade._ops.math.histograms import bincount
from tapefacade._ops.math.reduction import reduce_max
from tapefacade._ops.nn.activation import leaky_relu

# Of a tensor of floats or complex numbers.
UNARY = {
    "abs": "abs", "absolute": "abs", "cos": "cos", "elu": "nn.elu", "exp": "exp",
    "log": "math.log", "negative": "negative", "relu": "nn.relu",
    "relu6": "nn.relu6", "rsqrt": "math.rsqrt", "selu": "nn.selu", "sigmoid": "sigmoid",
    "silu": "nn.silu", "sin": "sin", "softplus": "math.softplus", "sqrt": "sqrt",
    "square": "square", "tanh": "tanh",
}  # fmt: skip
# Of two tensors of one dtype, or a tensor and a number.
BINARY = {
    "add": "add", "divide": "divide", "equal": "equal", "greater": "greater",
    "greater_equal": "greater_equal", "less": "less", "less_equal": "less_equal",
    "maximum": "maximum", "minimum": "minimum", "multiply": "multiply",
    "not_equal": "not_equal", "power": "pow", "subtract": "subtract", "true_divide": "divide",
}  # fmt: skip
MIN_IMAGE_RANK, MAX_IMAGE_RANK = 3, 5  # of convolutions and pools
REDUCTIONS = {"max": "reduce_max", "mean": "reduce_mean", "min": "reduce_min", "sum": "reduce_sum"}


def _is_inexact(x: Any) -> bool:
    """Whether a value is a tensor or variable of floats or complex numbers."""
    kind = type(x)
    return (kind is EagerTensor or kind is KerasState.variable) and x._type.inexact


def _unary(lifted: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if (
            len(args) == 1
            and not kwargs
            and _is_inexact(args[0])
            and not KerasState.computes_on_arrays()
        ):
            return ours(args[0])
        return lifted(*args, **kwargs)

    return call


def _binary(lifted: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 2 and not kwargs and not KerasState.computes_on_arrays():
            first, second = args
            if _is_inexact(first):
                kind = type(second)
                if kind is float or kind is int:
                    return ours(first, second)
                if _is_inexact(second) and first._type.dtype is second._type.dtype:
                    return ours(first, second)
            elif type(first) in (float, int) and _is_inexact(second):
                return ours(first, second)
        return lifted(*args, **kwargs)

    return call


def _reducing(lifted: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Any:
        if _is_inexact(x) and not kwargs and not KerasState.computes_on_arrays():
            return ours(x, axis, keepdims)
        return lifted(x, axis=axis, keepdims=keepdims, **kwargs)

    return call


def _matmul(lifted: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 2 and not kwargs and not KerasState.computes_on_arrays():
            first, second = args
            if (
                _is_inexact(first)
                and _is_inexact(second)
                and first._type.dtype is second._type.dtype
                and len(first._type.shape) > 1
                and len(second._type.shape) > 1
            ):
                return matmul(first, second)
        return lifted(*args, **kwargs)

    return call


def _leaky_relu(lifted: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, negative_slope: Any = 0.2) -> Any:
        if _is_inexact(x) and not KerasState.computes_on_arrays():
            return leaky_relu(x, alpha=negative_slope)
        return lifted(x, negative_slope=negative_slope)

    return call


def _clip(lifted: Callable[..., Any]) -> Callable[..., Any]:
    numbers = (float, int)

    def call(x: Any, x_min: Any, x_max: Any) -> Any:
        if (
            _is_inexact(x)
            and type(x_min) in numbers
            and type(x_max) in numbers
            and not KerasState.computes_on_arrays()
        ):
            return clip_by_value(x, float(x_min), float(x_max))
        return lifted(x, x_min, x_max)

    return call


def _reshape(lifted: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, newshape: Any) -> Any:
        if type(x) is EagerTensor and not KerasState.computes_on_arrays():
            return reshape(x, newshape)
        return lifted(x, newshape)

    return call


def _transpose(lifted: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, axes: Any = None) -> Any:
        is_ours = type(x) is EagerTensor and not KerasState.computes_on_arrays()
        # What is wrong is refused in Keras's words.
        if is_ours and (axes is None or _is_permutation(axes, len(x._type.shape))):
            return transpose(x, axes)
        return lifted(x, axes=axes)

    return call


def _is_permutation(axes: Any, rank: int) -> bool:
    is_plain = type(axes) in (tuple, list) and all(type(axis) is int for axis in axes)
    return is_plain and sorted(axis % rank for axis in axes) == list(range(rank))


def _expand_dims(lifted: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, axis: Any) -> Any:
        is_ours = type(x) is EagerTensor and not KerasState.computes_on_arrays()
        if (
            is_ours
            and type(axis) is int
            and -len(x._type.shape) <= axis + 1 <= len(x._type.shape) + 1
        ):
            return expand_dims(x, axis)
        return lifted(x, axis)

    return call


def _joining(name: str) -> Callable[..., Any]:
    ours = FUNCTIONS[name]

    def direct(lifted: Callable[..., Any]) -> Callable[..., Any]:
        def call(xs: Any, axis: int = 0) -> Any:
            if isinstance(xs, list | tuple) and xs and not KerasState.computes_on_arrays():
                dtypes = {x._type.dtype if type(x) is EagerTensor else None for x in xs}
                if len(dtypes) == 1 and None not in dtypes:
                    return ours(list(xs), axis)
            return lifted(xs, axis=axis)

        return call

    return direct


def _bincount(lifted: Callable[..., Any]) -> Callable[..., Any]:
    """JAX's needs the values while it traces: what it returns is as long as the largest."""

    def call(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
        if sparse or KerasState.computes_on_arrays():
            return lifted(x, weights=weights, minlength=minlength, sparse=sparse)
        return bincount(cast(x, "int32"), weights=weights, minlength=minlength, axis=-1)

    return call


def _segments(lifted: Callable[..., Any]) -> Callable[..., Any]:
    """JAX's has to be told how many there are; TensorFlow looks for the last one."""

    def call(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:
        if num_segments is None and not KerasState.computes_on_arrays():
            num_segments = int(reduce_max(segment_ids)) + 1
        return lifted(data, segment_ids, num_segments=num_segments, sorted=sorted)

    return call


def _pool(lifted: Callable[..., Any]) -> Callable[..., Any]:
    """Keras's on JAX takes no strides for those of all axes, batches and channels too."""

    def call(inputs: Any, pool_size: Any, strides: Any = None, *args: Any, **kwargs: Any) -> Any:
        _require_images(inputs)
        strides = pool_size if strides is None else strides
        return lifted(inputs, pool_size, strides, *args, **kwargs)

    return call


def _conv(lifted: Callable[..., Any]) -> Callable[..., Any]:
    def call(inputs: Any, *args: Any, **kwargs: Any) -> Any:
        _require_images(inputs)
        return lifted(inputs, *args, **kwargs)

    return call


def _require_images(inputs: Any) -> None:
    """Raises if something has no axes between those of examples and channels, or too many."""
    rank = len(getattr(inputs, "shape", (0, 0, 0)))
    if not MIN_IMAGE_RANK <= rank <= MAX_IMAGE_RANK:
        raise ValueError(f"Input rank not supported: {rank}. Expected values are [3, 4, 5]")


def _as_on_tensorflow(lifted: Callable[..., Any]) -> Callable[..., Any]:
    """What JAX has is silent where TensorFlow refuses values, or gives another dtype."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if KerasState.computes_on_arrays():
            return lifted(*args, **kwargs)
        found: Any = counterpart(lifted._lifted)  # type: ignore[attr-defined]
        return found(*args, **kwargs)

    return call


OTHER_FUNCTIONS = {
    "cholesky": _as_on_tensorflow, "scatter_update": _as_on_tensorflow, "size": _as_on_tensorflow,
    "conv": _conv,
    "average_pool": _pool, "max_pool": _pool, "bincount": _bincount, "segment_max": _segments,
    "segment_min": _segments, "segment_prod": _segments, "segment_sum": _segments,
    "clip": _clip, "concatenate": _joining("concat"), "expand_dims": _expand_dims,
    "leaky_relu": _leaky_relu, "matmul": _matmul, "reshape": _reshape, "stack": _joining("stack"),
    "transpose": _transpose,
}  # fmt: skip


def direct_function(name: str, lifted: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that calls an op of ours, if there is one that does the same.

    Args:
        name: the name of a function of Keras's backend.
        lifted: records a call of it.
    """
    if name in UNARY:
        call = _unary(lifted, FUNCTIONS[UNARY[name]])
    elif name in BINARY:
        call = _binary(lifted, FUNCTIONS[BINARY[name]])
    elif name in REDUCTIONS:
        call = _reducing(lifted, FUNCTIONS[REDUCTIONS[name]])
    elif name in OTHER_FUNCTIONS:
        call = OTHER_FUNCTIONS[name](lifted)
    else:
        return lifted
    assert isinstance(lifted, types.FunctionType)
    call.__name__, call.__doc__ = lifted.__name__, lifted.__doc__
    call._lifted = getattr(lifted, "_lifted", lifted)  # type: ignore[attr-defined]
    return call
