"""Assertions about the values of tensors: recorded like ops, and raised where values are known."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.error_texts import invalid
from tapefacade._definition.argument_checks import check_broadcast
from tapefacade._definition.op import Check, NotDifferentiable, TensorLike, function, op

SUMMARIZED_ELEMENTS = 3  # elements shown of each tensor, unless the call says otherwise
Test = Callable[[Any, Any], Any]


def _limit(summarize: int | None, size: int) -> int:
    """Returns how many of `size` elements to show."""
    if summarize is None:
        return min(SUMMARIZED_ELEMENTS, size)
    return size if summarize < 0 else min(summarize, size)


def library_of(*arrays: Any) -> Any:
    """Returns the library for a test: on the host NumPy is much faster than JAX."""
    return np if all(isinstance(array, np.ndarray) for array in arrays) else jnp


def _comparison(symbol: str, kernel: str, test: Test) -> Callable[..., Any]:
    """Makes the op that asserts a relation between the elements of two tensors."""

    def compare(x: Any, y: Any, message: str | None, summarize: int | None) -> tuple[Any, ...]:
        library = library_of(x, y)
        held = test(library.asarray(x), library.asarray(y))
        first, second = library.ravel(x), library.ravel(y)
        shown = (
            first[: _limit(summarize, first.size)],
            second[: _limit(summarize, second.size)],
        )
        if x.shape != y.shape or not x.shape:
            return (library.all(held), *shown)
        failed = library.ravel(~held)
        size = max(_limit(summarize, failed.size), 1) if failed.size else 0
        if library is np:
            places = np.flatnonzero(failed)[:size]
        else:
            places = jnp.nonzero(failed, size=size, fill_value=0)[0]
        return (
            library.all(held), *shown, library.sum(failed), places, first[places], second[places],
            np.array(x.shape),
        )  # fmt: skip

    def fail(
        x: np.ndarray,
        y: np.ndarray,
        *differing: np.ndarray,
        message: str | None,
        summarize: int | None,
    ) -> Exception:
        lines = [] if message is None else [message]
        lines.append(f"Condition x {symbol} y did not hold.")
        if summarize == 0:
            return invalid("\n".join(lines))
        if differing:
            count, places, first, second, shape = differing
            number = _limit(summarize, int(count))
            indices = np.stack(np.unravel_index(places[:number], shape), -1)
            lines += [
                f"Indices of first {number} different values:",
                str(indices),
                "Corresponding x values:",
                str(first[:number]),
                "Corresponding y values:",
                str(second[:number]),
            ]
        for name, values in (("x", x), ("y", y)):
            lines += [f"First {len(values)} elements of {name}:", str(values)]
        return invalid("\n".join(lines))

    @op(
        f"_assert_{kernel.lower()}",
        kernel=kernel,
        gradient=NotDifferentiable(),
        check=Check(values=("x", "y"), test=compare, error=fail, asserts=True, stays=True),
    )
    def assertion(
        x: TensorLike, y: TensorLike, message: str | None, summarize: int | None
    ) -> jax.Array:
        """Fails if the relation does not hold for all elements."""
        check_broadcast(x, y)
        return jnp.zeros((), bool)

    return assertion


_equal = _comparison("==", "Equal", lambda x, y: x == y)
_none_equal = _comparison("!=", "NotEqual", lambda x, y: x != y)
_less = _comparison("<", "Less", lambda x, y: x < y)
_less_equal = _comparison("<=", "LessEqual", lambda x, y: x <= y)
_greater = _comparison(">", "Greater", lambda x, y: x > y)
_greater_equal = _comparison(">=", "GreaterEqual", lambda x, y: x >= y)


@function("debugging.assert_equal", "assert_equal", dispatch=True)
def assert_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: None = None,
) -> None:
    """Asserts that `x == y` holds for all elements.

    Args:
        x: a tensor.
        y: a tensor of the same type, which broadcasts with `x`.
        message: what the error begins with.
        summarize: how many elements the error shows of each tensor, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold; at once where the values are known, else when
            they are computed.

    >>> tf.debugging.assert_equal([1, 2], [1, 2])
    """
    if x is not y or not isinstance(x, CompositeTensor):
        _equal(x, y, message, summarize)


@function("debugging.assert_none_equal", dispatch=True)
def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    summarize: int | None = None,
    message: str | None = None,
    name: None = None,
) -> None:
    """Asserts that `x != y` holds for all elements; see `tf.debugging.assert_equal`.

    Args:
        x: a tensor.
        y: a tensor of the same type, which broadcasts with `x`.
        summarize: how many elements the error shows of each tensor, 3 by default.
        message: what the error begins with.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.

    >>> tf.debugging.assert_none_equal([1, 2], [2, 1])
    """
    _none_equal(x, y, message, summarize)


@function("debugging.assert_less", "assert_less", dispatch=True)
def assert_less(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: None = None,
) -> None:
    """Asserts that `x < y` holds for all elements; see `tf.debugging.assert_equal`.

    Args:
        x: a tensor.
        y: a tensor of the same type, which broadcasts with `x`.
        message: what the error begins with.
        summarize: how many elements the error shows of each tensor, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.

    >>> tf.debugging.assert_less([1, 2], 3)
    """
    _less(x, y, message, summarize)


@function("debugging.assert_less_equal", dispatch=True)
def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: None = None,
) -> None:
    """Asserts that `x <= y` holds for all elements; see `tf.debugging.assert_equal`.

    Args:
        x: a tensor.
        y: a tensor of the same type, which broadcasts with `x`.
        message: what the error begins with.
        summarize: how many elements the error shows of each tensor, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.

    >>> tf.debugging.assert_less_equal([1, 2], 2)
    """
    _less_equal(x, y, message, summarize)


@function("debugging.assert_greater", "assert_greater", dispatch=True)
def assert_greater(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: None = None,
) -> None:
    """Asserts that `x > y` holds for all elements; see `tf.debugging.assert_equal`.

    Args:
        x: a tensor.
        y: a tensor of the same type, which broadcasts with `x`.
        message: what the error begins with.
        summarize: how many elements the error shows of each tensor, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.

    >>> tf.debugging.assert_greater([1, 2], 0)
    """
    _greater(x, y, message, summarize)


@function("debugging.assert_greater_equal", dispatch=True)
def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: None = None,
) -> None:
    """Asserts that `x >= y` holds for all elements; see `tf.debugging.assert_equal`.

    Args:
        x: a tensor.
        y: a tensor of the same type, which broadcasts with `x`.
        message: what the error begins with.
        summarize: how many elements the error shows of each tensor, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.

    >>> tf.debugging.assert_greater_equal([1, 2], 1)
    """
    _greater_equal(x, y, message, summarize)


SIGNS: dict[str, Test] = {
    "x > 0": lambda x, zero: x > zero,
    "x < 0": lambda x, zero: x < zero,
    "x >= 0": lambda x, zero: x >= zero,
    "x <= 0": lambda x, zero: x <= zero,
}


def _sign_holds(x: Any, condition: str, message: str, summarize: int | None) -> tuple[Any, ...]:
    library = library_of(x)
    flat = library.ravel(x)
    held = SIGNS[condition](flat, library.zeros((), flat.dtype))
    return library.all(held), flat[: _limit(summarize, flat.size)], np.array(x.shape, np.int64)


def _sign_error(
    values: np.ndarray, shape: np.ndarray, condition: str, message: str, summarize: int | None
) -> Exception:
    listed = [str(value) for value in values]
    if len(values) < np.prod(shape):
        listed.append("...")
    shown = str(listed) if len(shape) else str(values[0])
    # TensorFlow leaves out this line break in one of the four assertions.
    gap = "" if condition == "x <= 0" else "\n"
    kind = f"x (shape={tuple(shape.tolist())} dtype={as_dtype(values.dtype).name}) = "
    return invalid(
        f"{message}\nCondition {condition} did not hold element-wise:{gap}{kind}\n{shown}"
    )


@op(
    "_assert_sign",
    kernel="Assert",
    gradient=NotDifferentiable(),
    check=Check(values=("x",), test=_sign_holds, error=_sign_error, asserts=True, stays=True),
)
def _assert_sign(x: TensorLike, condition: str, message: str, summarize: int | None) -> jax.Array:
    """Fails if an element has the wrong sign."""
    return jnp.zeros((), bool)


def _prefix(message: str | None) -> str:
    return f"{message}.  " if message else ""


@function("debugging.assert_positive")
def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: None = None
) -> None:
    """Asserts that `x > 0` holds for all elements; see `tf.debugging.assert_equal`.

    Args:
        x: a tensor of numbers.
        message: what the error begins with.
        summarize: how many elements the error shows, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.

    >>> tf.debugging.assert_positive([1, 2])
    """
    _assert_sign(x, "x > 0", _prefix(message), summarize)


@function("debugging.assert_negative")
def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: None = None
) -> None:
    """Asserts that `x < 0` holds for all elements; see `tf.debugging.assert_equal`.

    Args:
        x: a tensor of numbers.
        message: what the error begins with.
        summarize: how many elements the error shows, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.

    >>> tf.debugging.assert_negative([-1, -2])
    """
    _assert_sign(x, "x < 0", _prefix(message), summarize)


@function("debugging.assert_non_negative")
def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: None = None
) -> None:
    """Asserts that `x >= 0` holds for all elements; see `tf.debugging.assert_equal`.

    Args:
        x: a tensor of numbers.
        message: what the error begins with.
        summarize: how many elements the error shows, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.

    >>> tf.debugging.assert_non_negative([0, 2])
    """
    _assert_sign(x, "x >= 0", _prefix(message), summarize)


@function("debugging.assert_non_positive")
def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: None = None
) -> None:
    """Asserts that `x <= 0` holds for all elements; see `tf.debugging.assert_equal`.

    Args:
        x: a tensor of numbers.
        message: what the error begins with.
        summarize: how many elements the error shows, 3 by default.
        name: ignored.

    Raises:
        InvalidArgumentError: if it does not hold.

    >>> tf.debugging.assert_non_positive([0, -2])
    """
    _assert_sign(x, "x <= 0", _prefix(message), summarize)
