"""`Dimension`: the size of one axis of a shape as an object, which may be unknown."""

import operator
from collections.abc import Callable
from typing import Any, NoReturn

from tapefacade._core.error_texts import incompatible_dimensions, negative_dimension

MESSAGE_TRUE_DIVISION = "unsupported operand type(s) for /: '{}' and '{}', please use // instead"


class Dimension:
    """The size of one axis, or an unknown size.

    TensorFlow 2 shows these objects in `TensorShape.dims` only; indexing a shape gives integers.

    Args:
        value: a size, a `Dimension`, something with an `__index__`, or None for an unknown size.

    Raises:
        ValueError: if the size is negative.
        TypeError: if `value` is no integer.

    >>> Dimension(3) + 1, Dimension(None) * 2
    (Dimension(4), Dimension(None))
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = size_of(value)

    @property
    def value(self) -> int | None:
        """The size, or None where it is unknown.

        >>> Dimension(3).value
        3
        """
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Tells whether both could be the same size.

        Args:
            other: a `Dimension` or what makes one.

        Returns:
            True if the sizes are equal or one of them is unknown.

        >>> Dimension(3).is_compatible_with(None)
        True
        """
        other_value = size_of(other)
        return self._value is None or other_value is None or self._value == other_value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Checks that both could be the same size.

        Args:
            other: a `Dimension` or what makes one.

        Raises:
            ValueError: if the sizes differ.

        >>> Dimension(3).assert_is_compatible_with(None)
        """
        if not self.is_compatible_with(other):
            raise ValueError(incompatible_dimensions(self, other))

    def merge_with(self, other: Any) -> "Dimension":
        """Combines what is known of two sizes that must be the same.

        Args:
            other: a `Dimension` or what makes one.

        Returns:
            The known one of both.

        Raises:
            ValueError: if the sizes differ.

        >>> Dimension(None).merge_with(3)
        Dimension(3)
        """
        other = Dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other if self._value is None else self)

    def _combine(
        self, operation: Callable[[Any, Any], Any], other: Any, swap: bool = False
    ) -> "Dimension":
        try:
            other_value = size_of(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other_value is None:
            return Dimension(None)
        if swap:
            return Dimension(operation(other_value, self._value))
        return Dimension(operation(self._value, other_value))

    def _compare(self, operation: Callable[[Any, Any], bool], other: Any) -> Any:
        """Compares the sizes; None says that one of them is unknown."""
        other_value = size_of(other)
        if self._value is None or other_value is None:
            return None
        return operation(self._value, other_value)

    def __add__(self, other: Any) -> "Dimension":
        return self._combine(operator.add, other)

    def __radd__(self, other: Any) -> "Dimension":
        return self + other

    def __sub__(self, other: Any) -> "Dimension":
        return self._combine(operator.sub, other)

    def __rsub__(self, other: Any) -> "Dimension":
        return self._combine(operator.sub, other, swap=True)

    def __mul__(self, other: Any) -> "Dimension":
        return self._combine(operator.mul, other)

    def __rmul__(self, other: Any) -> "Dimension":
        return self * other

    def __floordiv__(self, other: Any) -> "Dimension":
        return self._combine(operator.floordiv, other)

    def __rfloordiv__(self, other: Any) -> "Dimension":
        return self._combine(operator.floordiv, other, swap=True)

    def __mod__(self, other: Any) -> "Dimension":
        return self._combine(operator.mod, Dimension(other))

    def __rmod__(self, other: Any) -> "Dimension":
        return self._combine(operator.mod, Dimension(other), swap=True)

    def __truediv__(self, other: Any) -> NoReturn:
        raise TypeError(MESSAGE_TRUE_DIVISION.format("Dimension", type(other).__name__))

    def __rtruediv__(self, other: Any) -> NoReturn:
        raise TypeError(MESSAGE_TRUE_DIVISION.format(type(other).__name__, "Dimension"))

    def __eq__(self, other: object) -> Any:
        try:
            return self._compare(operator.eq, other)
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other: object) -> Any:
        try:
            return self._compare(operator.ne, other)
        except (TypeError, ValueError):
            return NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self._compare(operator.lt, other)

    def __le__(self, other: Any) -> Any:
        return self._compare(operator.le, other)

    def __gt__(self, other: Any) -> Any:
        return self._compare(operator.gt, other)

    def __ge__(self, other: Any) -> Any:
        return self._compare(operator.ge, other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self._value)

    def __index__(self) -> int:
        return self._value  # type: ignore[return-value]  # Python raises TypeError for None.

    def __int__(self) -> int:
        return self._value  # type: ignore[return-value]

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self._value,)


def size_of(value: Any) -> int | None:
    """Converts one entry of a shape to an integer, or to None for an unknown size.

    Args:
        value: as for `Dimension`.

    Returns:
        The size.

    Raises:
        ValueError: if the size is negative.
        TypeError: if `value` is no integer.

    >>> size_of(Dimension(3)), size_of(None)
    (3, None)
    """
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value._value
    size = value
    if not isinstance(value, int):
        try:
            size = int(value.__index__())
        except AttributeError:
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, got value "
                f"'{value!r}' with type '{type(value)!r}'"
            ) from None
    if size < 0:
        raise ValueError(negative_dimension(size))
    return size


def sizes_of(dims: Any) -> tuple[int | None, ...] | None:
    """Converts what makes a shape to the sizes of its axes.

    Args:
        dims: an iterable of sizes, a single size, or None for an unknown rank.

    Returns:
        A tuple of integers with None for an unknown size, or None for an unknown rank.

    Raises:
        ValueError: if a size is negative.
        TypeError: if a size is no integer.

    >>> sizes_of([2, None]), sizes_of(3)
    ((2, None), (3,))
    """
    if isinstance(dims, (tuple, list)):
        return tuple([size_of(value) for value in dims])
    if dims is None:
        return None
    try:
        iterator = iter(dims)
    except TypeError:
        return (size_of(dims),)
    sizes = []
    for value in iterator:
        try:
            sizes.append(size_of(value))
        except TypeError:
            raise TypeError(
                f"Failed to convert '{dims!r}' to a shape: '{value!r}'could not be converted to a "
                "dimension. A shape should either be single dimension (e.g. 10), or an iterable "
                "of dimensions (e.g. [1, 10, None])."
            ) from None
    return tuple(sizes)


def slice_of_unknown(key: slice) -> list[None] | None:
    """Slices a shape of unknown rank: the rank of the result is known if both ends are.

    Args:
        key: the slice.

    Returns:
        A list of unknown sizes, or None for an unknown rank.

    Raises:
        ValueError: if the slice has a step.

    >>> slice_of_unknown(slice(1, 3)), slice_of_unknown(slice(1, None))
    ([None, None], None)
    """
    start = 0 if key.start is None else key.start
    if key.step is not None:
        raise ValueError("Steps are not yet handled")
    if key.stop is None or start < 0 or key.stop < 0:
        return None
    return [None] * (key.stop - start)
