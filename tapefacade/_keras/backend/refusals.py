"""What TensorFlow raises for arguments that JAX refuses in a function of Keras's backend.

TensorFlow converts the arguments first: what cannot become a tensor, or a shape, is an error of
that. Then some of Keras's functions look at their axes. What is left is found by the op.
"""

import ast
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.core import Tracer

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dtypes import DType
from tapefacade._core.error_texts import invalid, shape_text, unequal_shapes
from tapefacade._core.tracebacks import has_passed_jax

# Parameters without a default that are no tensors.
SETTINGS = {
    "N", "axes", "axis", "axis1", "axis2", "bits", "destination", "dtype", "fft_length", "func",
    "indices_or_sections", "k", "n", "num_classes", "output_size", "pad_width", "pool_size",
    "repeats", "sequence_length", "sequence_stride", "shape", "size", "source", "subscripts",
}  # fmt: skip
SHAPES = {"shape", "newshape"}
# Functions that look at their axes before an op does.
WITH_CHECKED_AXES = {
    "argpartition", "cross", "diff", "expand_dims", "flip", "median", "moveaxis", "norm",
    "percentile", "quantile", "repeat", "squeeze",
    "stack", "swapaxes", "transpose", "unstack",
}  # fmt: skip
# Functions in which an op refuses strings; the others look for a dtype for Keras's promotion first.
WITHOUT_PROMOTION = {
    "abs", "absolute", "amax", "amin", "argmax", "argmin", "argsort", "bitwise_invert",
    "bitwise_not", "broadcast_to", "ctc_decode", "cumprod", "cumsum", "digitize", "elu", "erf",
    "erfc", "erfinv", "exp", "expm1", "fliplr", "hard_shrink", "histogram", "leaky_relu",
    "log_sigmoid", "log_softmax", "logdet", "logsumexp", "max", "meshgrid", "min", "nanargmax",
    "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmin", "nanprod", "negative",
    "normalize", "ones_like", "pad", "prod", "ptp", "qr", "reciprocal", "relu", "relu6",
    "reshape", "round", "rsqrt", "selu", "sigmoid", "sign", "slice", "slogdet", "softplus",
    "softsign", "sort", "sparsemax", "split", "square", "std", "sum", "take", "take_along_axis",
    "tanh_shrink", "top_k", "unique",
}  # fmt: skip
# Functions of one axis that do not reduce it.
OF_ONE_AXIS = {
    "append", "argmax", "argmin", "argsort", "concatenate", "cumprod", "cumsum", "nancumprod",
    "nancumsum", "roll", "softmax", "log_softmax", "sort", "split", "take_along_axis",
}  # fmt: skip
REFUSALS = (TypeError, ValueError, ZeroDivisionError, IndexError, NameError, AssertionError)
# What JAX says of arrays that cannot be added, of axes, and of settings of another class.
UNLIKE_SHAPES = re.compile(r"got incompatible shapes for broadcasting: (\(.*?\)), (\(.*?\))\.")
AXIS = re.compile(r"axis (-?\d+) is out of bounds for array of dimension (\d+)")
NO_PERMUTATION = re.compile(r"isn't a permutation of operand dimensions, got permutation (\(.*?\))")
SETTING = re.compile(
    r"cannot be interpreted as|not iterable|must be integers|values of integer type, got|"
    r"must have every element be an integer type"
)
UNKNOWN_DTYPE = re.compile(r"not understood|Cannot interpret '.*' as a data type|got dtype \w+ in")
NO_ARRAY = re.compile(r"Error interpreting argument to|requires ndarray or scalar arguments")
MESSAGE_STRINGS = "dtype='string' is not a valid dtype for Keras type promotion."
MESSAGE_STRING = (
    "Value for attr 'T' of string is not in the list of allowed values: it has to be a number"
)
MESSAGE_AXIS_STRING = (
    "Value for attr 'Tidx' of string is not in the list of allowed values: int32, int64: "
    "the axis is {!r}"
)
MESSAGE_CHECKED_AXIS = "`value` must be an integer, tuple or list. Received: value={}"
MESSAGE_DIMENSION = "Expected dimension in the range [-{rank}, {rank}), but got {axis}"
MESSAGE_REDUCED = "Invalid reduction dimension ({axis} for input with {rank} dimension(s)"
MESSAGE_NUMBER = "Cannot convert {!r} to EagerTensor of dtype {}"
MESSAGE_DTYPE = "Cannot convert the argument `type_value`: {!r} to a TensorFlow DType."


def called(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """Calls a function of Keras's backend on arrays; what JAX refuses has TensorFlow's error.

    Args:
        function: the function.
        args: its arguments.
        kwargs: those by name.
    """
    try:
        return function(*args, **kwargs)
    except REFUSALS as error:
        found = _refusal(function, args, kwargs, error)
        if found is None:
            raise
        raise found from None


def _is_of_keras(function: Callable[..., Any], error: Exception) -> bool:
    """Whether Keras has raised an error on purpose."""
    if isinstance(error, IndexError):  # there is no size for an axis
        names = inspect.signature(function).parameters
        return not any(name.startswith(("axis", "axes", "indices_or_sections")) for name in names)
    if isinstance(error, NameError | AssertionError):
        return False
    return not has_passed_jax(error) and function.__name__ != "einsum"


def _refusal(
    function: Callable[..., Any], args: Any, kwargs: dict[str, Any], error: Exception
) -> Exception | None:
    """Returns TensorFlow's error for a call that JAX has refused; None if Keras has."""
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    parameters = inspect.signature(function).parameters
    is_tensor = {
        name: name not in SETTINGS and parameter.default is inspect.Parameter.empty
        for name, parameter in parameters.items()
    }
    for name, value in given.items():
        # A mask need not be there, and an activation is a function.
        if callable(value) or (value is None and "None" not in str(error)):
            continue
        is_list = parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        if name in SHAPES:
            found = _of_conversion(value, dtypes.int32)
        elif is_tensor[name]:
            values: Any = value if is_list else [value]
            found = next(filter(None, map(_of_conversion, values)), None)
        else:
            continue
        if found is not None:
            return found
    tensors = [value for name, value in given.items() if is_tensor[name]]
    if any(map(_is_string, jax.tree.leaves(tensors))):
        return string_refusal(function.__name__)
    if _is_of_keras(function, error):
        return None
    settings = {name: value for name, value in given.items() if not is_tensor[name]}
    wrong_axis = _of_axis(function.__name__, settings.get("axis"), tensors)
    if wrong_axis is not None:
        return wrong_axis
    return _of_settings(function.__name__, settings, error) or _of_op(function.__name__, error)


def string_refusal(name: str) -> Exception:
    """Returns the error of strings in the place of numbers, for a function of that name."""
    return invalid(MESSAGE_STRING) if name in WITHOUT_PROMOTION else ValueError(MESSAGE_STRINGS)


def _is_string(value: Any) -> bool:
    return isinstance(value, str) or str(getattr(value, "dtype", "")) == "object"


def _of_conversion(value: Any, dtype: DType | None = None) -> Exception | None:
    """Returns the error of what cannot be converted to a tensor."""
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(value)):
        return None
    try:
        convert(value, dtype)
    except (TypeError, ValueError) as error:
        return error.with_traceback(None)
    return None


def _of_axis(name: str, axis: Any, tensors: Sequence[Any]) -> Exception | None:
    """Returns the error of an axis that a tensor has not, where an op finds it."""
    ranks = [leaf.ndim for leaf in jax.tree.leaves(tensors) if hasattr(leaf, "ndim")]
    if name in WITH_CHECKED_AXES or not ranks:
        return None
    rank = ranks[0]
    for one in axis if isinstance(axis, tuple | list) else [axis]:
        if type(one) is int and not -rank <= one < rank:
            message = MESSAGE_DIMENSION if name in OF_ONE_AXIS else MESSAGE_REDUCED
            return invalid(message.format(axis=one, rank=rank))
    return None


def _of_settings(name: str, settings: dict[str, Any], error: Exception) -> Exception | None:
    """Returns the error of a setting of another class."""
    if not isinstance(error, TypeError | NameError):
        return None
    text = str(error)
    axis, dtype = settings.get("axis"), settings.get("dtype")
    if UNKNOWN_DTYPE.search(text) and dtype is not None:
        return TypeError(MESSAGE_DTYPE.format(dtype))
    if isinstance(axis, str | float):
        if name in WITH_CHECKED_AXES:
            return ValueError(MESSAGE_CHECKED_AXIS.format(axis))
        if isinstance(axis, str):
            return invalid(MESSAGE_AXIS_STRING.format(axis))
        return TypeError(MESSAGE_NUMBER.format(axis, "int32"))
    if NO_ARRAY.search(text):
        given = next((value for value in settings.values() if isinstance(value, str)), None)
        return TypeError(MESSAGE_NUMBER.format(given, "float"))
    if not SETTING.search(text) or isinstance(axis, tuple):
        return None
    given = next((value for value in settings.values() if isinstance(value, float)), None)
    return TypeError(text if given is None else MESSAGE_NUMBER.format(given, "int32"))


def _of_op(name: str, error: Exception) -> Exception:
    """Returns the error that an op raises, or Keras's of its axes."""
    text = str(error)
    if isinstance(error, AssertionError):
        return ValueError(text)
    if found := UNLIKE_SHAPES.search(text):
        first, second = (shape_text(ast.literal_eval(shape)) for shape in found.groups())
        return invalid(unequal_shapes(first, second))
    if name in WITH_CHECKED_AXES and (name != "stack" or AXIS.search(text)):
        if NO_PERMUTATION.search(text):
            return ValueError(f"`axes` must be a valid permutation of the input dimensions. {text}")
        return ValueError(
            AXIS.sub(r"axis \1 is out of bounds for an array with dimension \2", text)
        )
    return invalid(text)
