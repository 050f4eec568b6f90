"""Assertions that numbers are finite or near to each other, and assertions with free data."""

from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.conversion import convert, convert_to_tensor, is_tensor
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.error_texts import invalid
from tapefacade._core.kernel_dtypes import FLOATS
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import check_broadcast
from tapefacade._definition.op import Check, FreeTensor, NotDifferentiable, TensorLike, function, op
from tapefacade._ops.debugging.values import library_of

FreeList = Annotated[Any, "free", "list"]
SUMMARIZED_ELEMENTS = 3  # elements shown of each tensor, unless the call says otherwise


def _is_finite(tensor: Any, message: str) -> tuple[Any, ...]:
    library = library_of(tensor)
    nan, infinite = library.any(library.isnan(tensor)), library.any(library.isinf(tensor))
    return ~(nan | infinite), nan, infinite


def _not_finite(nan: np.ndarray, infinite: np.ndarray, message: str) -> Exception:
    found = " and ".join(name for name, is_there in (("Inf", infinite), ("NaN", nan)) if is_there)
    return invalid(f"{message} : Tensor had {found} values")


@op(
    "debugging.check_numerics",
    kernel="CheckNumerics",
    dtypes=FLOATS,
    check=Check(values=("tensor",), test=_is_finite, error=_not_finite, asserts=True, stays=True),
    elementwise=1,
    raw_op=True,
)
def check_numerics(tensor: TensorLike, message: str) -> jax.Array:
    """Returns a tensor and asserts that all of its elements are finite.

    Args:
        tensor: a floating tensor.
        message: what the error begins with.

    Returns:
        `tensor`.

    Raises:
        InvalidArgumentError: if an element is infinite or nan.

    >>> tf.debugging.check_numerics([1.0, np.nan], "loss")
    Traceback (most recent call last):
    tapefacade.errors.InvalidArgumentError: ...loss : Tensor had NaN values...
    """
    return tensor


@function("debugging.assert_all_finite")
def assert_all_finite(x: TensorLike, message: str, name: None = None) -> EagerTensor:
    """Returns a tensor and asserts that all of its elements are finite.

    Args:
        x: a floating tensor.
        message: what the error begins with.
        name: ignored.

    Returns:
        `x`.

    Raises:
        InvalidArgumentError: if an element is infinite or nan.

    >>> tf.debugging.assert_all_finite([1.0], "loss").numpy()
    array([1.], dtype=float32)
    """
    return check_numerics(x, message)


def _are_near(
    x: Any, y: Any, rtol: Any, atol: Any, message: str, summarize: int | None
) -> tuple[Any, ...]:
    library = library_of(x, y)
    with np.errstate(all="ignore"):
        near = library.abs(x - y) <= atol + rtol * library.abs(y)
    shown = [
        library.ravel(z)[: SUMMARIZED_ELEMENTS if summarize is None else summarize] for z in (x, y)
    ]
    shapes = [np.array(z.shape, np.int64) for z in (x, y)]
    return (library.all(near), *shown, *shapes, rtol, atol)


def _not_near(
    x: np.ndarray,
    y: np.ndarray,
    x_shape: np.ndarray,
    y_shape: np.ndarray,
    rtol: np.ndarray,
    atol: np.ndarray,
    message: str,
    summarize: int | None,
) -> Exception:
    kind = as_dtype(x.dtype).name
    tolerances = [f"tf.Tensor({value[()]!s}, shape=(), dtype={kind})" for value in (rtol, atol)]
    lines = [
        f"b'{message}'",
        f"b'x and y not equal to tolerance rtol = {tolerances[0]}, atol = {tolerances[1]}'",
    ]
    for name, values, shape in (("x", x, x_shape), ("y", y, y_shape)):
        lines.append(f"b'{name} (shape={tuple(shape.tolist())} dtype={kind}) = '")
        lines.append(_listed(values, int(np.prod(shape))))
    return _expected("tf.Tensor(False, shape=(), dtype=bool)", lines)


def _listed(values: np.ndarray, size: int) -> str:
    listed = [str(value) for value in values.ravel()]
    return ", ".join(listed + ["..."] * (len(listed) < size))


def _expected(condition: str, lines: list[str]) -> Exception:
    data = "\n".join(lines)
    return invalid(f"Expected '{condition}' to be true. Summarized data: {data}")


@op(
    "_assert_near",
    kernel="Sub",
    gradient=NotDifferentiable(),
    check=Check(
        values=("x", "y", "rtol", "atol"), test=_are_near, error=_not_near, asserts=True, stays=True
    ),
)
def _assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike,
    atol: TensorLike,
    message: str,
    summarize: int | None,
) -> jax.Array:
    """Fails if two tensors are not near to each other."""
    check_broadcast(x, y)
    return jnp.zeros((), bool)


@function("debugging.assert_near", dispatch=True)
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: None = None,
) -> None:
    """Asserts that `|x - y| <= atol + rtol * |y|` holds for all elements.

    Args:
        x: a floating or complex tensor.
        y: a tensor of the same type, which broadcasts with `x`.
        rtol: the relative tolerance, by default ten times the precision of the type.
        atol: the absolute tolerance, likewise.
        message: what the error begins with.
        summarize: how many elements the error shows of each tensor, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.
        ValueError: if the types differ or have no precision.

    >>> tf.debugging.assert_near([1.0], [1.0 + 1e-7])
    """
    x = convert_to_tensor(x)
    y = convert(y, x.dtype)
    real = x.dtype.real_dtype
    if not real.is_floating:
        raise ValueError(f"data type {x.dtype.as_numpy_dtype} not inexact")
    precision = 10 * float(jnp.finfo(real.as_numpy_dtype).eps)
    relative, absolute = (
        convert(precision if tolerance is None else tolerance, x.dtype)
        for tolerance in (rtol, atol)
    )
    _assert_near(x, y, relative, absolute, _prefix(message), summarize)


def _prefix(message: str | None) -> str:
    return f"{message}.  " if message else ""


def _is_true(
    condition: Any, data: list[Any], texts: tuple[Any, ...], summarize: int | None
) -> tuple[Any, ...]:
    count = SUMMARIZED_ELEMENTS if summarize is None or summarize < 0 else summarize
    library = library_of(condition, *data)
    shown = [library.ravel(x)[:count] for x in data]
    sizes = [np.int64(np.prod(x.shape)) for x in data]
    return (library.all(condition.astype(bool)), condition, *sizes, *shown)


def _not_true(
    condition: np.ndarray, *details: np.ndarray, texts: tuple[Any, ...], summarize: int | None
) -> Exception:
    half = len(details) // 2
    listed = [_listed(x, int(n)) for n, x in zip(details[:half], details[half:], strict=True)]
    rest = iter(listed)
    lines = [next(rest) if text is None else text for text in texts]
    kind = as_dtype(condition.dtype).name
    return _expected(f"tf.Tensor({condition}, shape={condition.shape}, dtype={kind})", lines)


@op(
    "_assert",
    kernel="Assert",
    gradient=NotDifferentiable(),
    check=Check(
        values=("condition", "data"), test=_is_true, error=_not_true, asserts=True, stays=True
    ),
)
def _assert(
    condition: FreeTensor, data: FreeList, texts: tuple[Any, ...], summarize: int | None
) -> jax.Array:
    """Fails if a condition is false."""
    if condition.size > 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()"
        )
    return jnp.zeros((), bool)


@function("debugging.Assert", "Assert")
def Assert(  # noqa: N802 - TensorFlow's name
    condition: Any, data: Any, summarize: int | None = None, name: None = None
) -> None:
    """Asserts that a condition is true.

    Args:
        condition: a boolean, or a tensor with one element.
        data: a list of tensors, numbers and strings that the error shows.
        summarize: how many elements the error shows of each tensor, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it is false.

    >>> tf.debugging.Assert(True, ["never shown"])
    """
    items = [item if isinstance(item, str | bytes) else convert_to_tensor(item) for item in data]
    texts = [_text(item) if isinstance(item, str | bytes) else None for item in items]
    tensors = [item for item in items if not isinstance(item, str | bytes)]
    if is_tensor(condition):
        _assert(condition, tensors, tuple(texts), summarize)
    elif not condition:
        count = SUMMARIZED_ELEMENTS if summarize is None or summarize < 0 else summarize
        values = [tensor.numpy() for tensor in tensors]
        rest = iter([_listed(np.ravel(v)[:count], int(np.size(v))) for v in values])
        lines = [next(rest) if text is None else text for text in texts]
        raise _expected(str(condition), lines)


def _text(text: str | bytes) -> str:
    return str(text.encode() if isinstance(text, str) else text)
