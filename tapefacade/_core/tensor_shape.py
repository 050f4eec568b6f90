"""Shapes of tensors: `TensorShape`."""

import math
from collections.abc import Iterator
from typing import Any, cast, overload

from tapefacade._core.dimension import Dimension, sizes_of, slice_of_unknown
from tapefacade._core.error_texts import incompatible_shapes, rank_too_low, wrong_rank
from tapefacade._core.missing_members import NO_PARTS, OF_TYPES, lacks
from tapefacade._core.tracebacks import shortening


@lacks(OF_TYPES | NO_PARTS | {"as_proto": "Write `as_list()`."})
class TensorShape:
    """The sizes of the axes of a tensor, all of which may be unknown, or even how many there are.

    Args:
        dims: a list or tuple of sizes with None for an unknown one, a single size, another shape,
            or None for a shape of unknown rank.

    Raises:
        TypeError: if a size is no integer.
        ValueError: if a size is negative.

    >>> shape = TensorShape([None, 3])
    >>> shape, shape[1], shape.rank, shape + [5]
    (TensorShape([None, 3]), 3, 2, TensorShape([None, 3, 5]))
    >>> TensorShape([2, 3]) == (2, 3)
    True
    """

    __slots__ = ("__weakref__", "_dims")

    _dims: tuple[int | None, ...] | None

    @shortening
    def __init__(self, dims: Any) -> None:
        self._dims = _sizes(dims)

    @staticmethod
    def _known(dims: tuple[int, ...]) -> "TensorShape":
        """Makes a shape of checked integers, without looking at them."""
        shape = object.__new__(TensorShape)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of axes, or None where it is unknown.

        >>> TensorShape([2, None]).rank
        2
        """
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The number of axes, as `rank`.

        >>> TensorShape([2, None]).ndims
        2
        """
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as `Dimension` objects, or None if the rank is unknown.

        >>> TensorShape([2, None]).dims
        [Dimension(2), Dimension(None)]
        """
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def as_list(self) -> list[int | None]:
        """Gives the sizes as a list.

        Returns:
            A list of integers, with None for an unknown size.

        Raises:
            ValueError: if the rank is unknown.

        >>> TensorShape([2, None]).as_list()
        [2, None]
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """Counts the elements of a tensor of this shape.

        Returns:
            The product of the sizes, or None if one of them is unknown.

        >>> TensorShape([2, 3]).num_elements()
        6
        """
        if self._dims is None or None in self._dims:
            return None
        return math.prod(cast(tuple[int, ...], self._dims))

    def is_fully_defined(self) -> bool:
        """Tells whether all sizes are known.

        Returns:
            True if the rank and all sizes are known.

        >>> TensorShape([2, None]).is_fully_defined()
        False
        """
        return self._dims is not None and None not in self._dims

    @shortening
    def assert_is_fully_defined(self) -> None:
        """Checks that all sizes are known.

        Raises:
            ValueError: if a size is unknown.

        >>> TensorShape([2, 3]).assert_is_fully_defined()
        """
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    @shortening
    def is_compatible_with(self, other: Any) -> bool:
        """Tells whether one tensor could have both shapes.

        Args:
            other: a shape or what makes one.

        Returns:
            True if no known size contradicts another one.

        >>> TensorShape([None, 3]).is_compatible_with([2, None])
        True
        """
        other_dims = _sizes(other)
        if self._dims is None or other_dims is None:
            return True
        return len(self._dims) == len(other_dims) and all(
            mine is None or theirs is None or mine == theirs
            for mine, theirs in zip(self._dims, other_dims, strict=True)
        )

    @shortening
    def assert_is_compatible_with(self, other: Any) -> None:
        """Checks that one tensor could have both shapes.

        Args:
            other: a shape or what makes one.

        Raises:
            ValueError: if it could not.

        >>> TensorShape([None, 3]).assert_is_compatible_with([2, None])
        """
        if not self.is_compatible_with(other):
            raise ValueError(incompatible_shapes(self, other))

    def is_subtype_of(self, other: Any) -> bool:
        """Tells whether every tensor of this shape has the shape `other`, too.

        Args:
            other: the shape to compare with.

        Returns:
            True if `other` differs by unknown sizes only.

        >>> TensorShape([2, 3]).is_subtype_of(TensorShape([None, 3]))
        True
        """
        if not isinstance(other, TensorShape) or other._dims is None:
            return isinstance(other, TensorShape)
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        pairs = zip(self._dims, other._dims, strict=True)
        return all(theirs is None or mine == theirs for mine, theirs in pairs)

    @shortening
    def most_specific_compatible_shape(self, other: Any) -> "TensorShape":
        """Finds what this shape and `other` have in common.

        Args:
            other: a shape or what makes one.

        Returns:
            A shape with the sizes that agree, and None in place of those that differ.

        >>> TensorShape([2, 3]).most_specific_compatible_shape([2, 4])
        TensorShape([2, None])
        """
        return self.most_specific_common_supertype([as_shape(other)]) or TensorShape(None)

    def most_specific_common_supertype(self, others: Any) -> "TensorShape | None":
        """Finds what this shape and all `others` have in common.

        Args:
            others: a sequence of shapes.

        Returns:
            A shape with the sizes that agree, and None in place of those that differ; None if
            `others` holds something else than shapes.

        >>> TensorShape([2, 3]).most_specific_common_supertype([TensorShape([5, 3])])
        TensorShape([None, 3])
        """
        if not all(isinstance(other, TensorShape) for other in others):
            return None
        if self._dims is None or any(other.rank != self.rank for other in others):
            return TensorShape(None)
        columns = zip(self._dims, *[other._dims for other in others], strict=True)
        return TensorShape([sizes[0] if len(set(sizes)) == 1 else None for sizes in columns])

    @shortening
    def merge_with(self, other: Any) -> "TensorShape":
        """Combines what is known of the shape of one tensor.

        Args:
            other: a shape or what makes one.

        Returns:
            A shape with the sizes known in one of both.

        Raises:
            ValueError: if the two contradict each other.

        >>> TensorShape([None, 3]).merge_with([2, None])
        TensorShape([2, 3])
        """
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        pairs = zip(self._dims, other._dims, strict=True)
        return TensorShape([theirs if mine is None else mine for mine, theirs in pairs])

    @shortening
    def concatenate(self, other: Any) -> "TensorShape":
        """Appends the axes of another shape, as `+` does.

        Args:
            other: a shape or what makes one.

        Returns:
            The longer shape, of unknown rank if one of both is.

        >>> TensorShape([2]).concatenate([3, None])
        TensorShape([2, 3, None])
        """
        other_dims = _sizes(other)
        if self._dims is None or other_dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other_dims)

    @shortening
    def assert_same_rank(self, other: Any) -> None:
        """Checks that both shapes have equally many axes.

        Args:
            other: a shape or what makes one.

        Raises:
            ValueError: if both ranks are known and differ.

        >>> TensorShape([2, 3]).assert_same_rank([4, 5])
        """
        other = as_shape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    @shortening
    def assert_has_rank(self, rank: int) -> None:
        """Checks the number of axes.

        Args:
            rank: the number wanted.

        Raises:
            ValueError: if the rank is another one.

        >>> TensorShape([2, 3]).assert_has_rank(2)
        """
        if self.rank not in (None, rank):
            raise ValueError(wrong_rank(self, rank))

    @shortening
    def with_rank(self, rank: int) -> "TensorShape":
        """Gives this shape with the number of axes known.

        Args:
            rank: the number of axes.

        Returns:
            This shape, or one of unknown sizes.

        Raises:
            ValueError: if the rank is another one.

        >>> TensorShape(None).with_rank(2)
        TensorShape([None, None])
        """
        self.assert_has_rank(rank)
        return TensorShape([None] * rank) if self._dims is None else self

    @shortening
    def with_rank_at_least(self, rank: int) -> "TensorShape":
        """Checks that there are enough axes.

        Args:
            rank: the least number.

        Returns:
            This shape.

        Raises:
            ValueError: if there are fewer.

        >>> TensorShape([2, 3]).with_rank_at_least(1)
        TensorShape([2, 3])
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(rank_too_low(self, rank))
        return self

    @shortening
    def with_rank_at_most(self, rank: int) -> "TensorShape":
        """Checks that there are not too many axes.

        Args:
            rank: the largest number.

        Returns:
            This shape.

        Raises:
            ValueError: if there are more.

        >>> TensorShape([2, 3]).with_rank_at_most(2)
        TensorShape([2, 3])
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    @overload
    def __getitem__(self, key: int) -> int | None: ...
    @overload
    def __getitem__(self, key: slice) -> "TensorShape": ...
    def __getitem__(self, key: int | slice) -> "int | TensorShape | None":
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape(self._dims[key])
            return self._dims[key]
        return TensorShape(slice_of_unknown(key)) if isinstance(key, slice) else None

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    @shortening
    def __add__(self, other: Any) -> "TensorShape":
        return self.concatenate(other)

    def __radd__(self, other: Any) -> "TensorShape":
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == _sizes(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)


def as_shape(shape: Any) -> TensorShape:
    """Converts a value to a shape, as `TensorShape` does, unless it is one.

    Args:
        shape: as for `TensorShape`.

    Returns:
        The shape.

    >>> as_shape([2, None])
    TensorShape([2, None])
    """
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def _sizes(shape: Any) -> tuple[int | None, ...] | None:
    """Converts a shape, or what makes one, to the sizes of its axes."""
    return shape._dims if isinstance(shape, TensorShape) else sizes_of(shape)
