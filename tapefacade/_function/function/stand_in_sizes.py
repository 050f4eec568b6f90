"""Numbers in the place of unknown sizes, while a function is recorded without values.

Any numbers do, as long as the function's ops accept them: where an unknown size meets one that is
given, as in `x + tf.ones([5, 3])`, only that one does. So what an error tells about the sizes is
tried next. Which sizes of the results are unknown, `unknown_sizes` finds out.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from tapefacade._core.errors import OpError
from tapefacade._core.tensor_shape import TensorShape

Result = TypeVar("Result")
Shape = tuple[int, ...]

# Primes, so that a number in an error tells of which it is a multiple; small but for the first,
# where there may be many. First the unknown sizes of an axis are equal, as they mostly are.
STAND_IN_SIZES = (1009, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131)
# A recording may print, and takes as long as a call.
MAX_RECORDINGS = 24
# Where not even the number of axes is known.
RANKS = (0, 2, 1, 3, 4)
# In the place of every unknown size, where what comes of it is told by the numbers themselves.
STAND_IN_SIZE, STAND_IN_TOLERANCE = STAND_IN_SIZES[0], 8
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")


def recorded_with_stand_ins(
    record: Callable[[list[Shape]], Result], shapes: Sequence[TensorShape]
) -> Result:
    """Records a function with a number in the place of each unknown size.

    Args:
        record: records it, for the shapes of its arguments.
        shapes: what is known of these shapes.

    Returns:
        What `record` returns for the first numbers that it accepts.

    Raises:
        Exception: what it raises for the first numbers, if it accepts none; they are shown as "?".
    """
    first: Exception | None = None
    for rank in RANKS if any(shape.rank is None for shape in shapes) else (0,):
        known = [[None] * rank if s.rank is None else s.as_list() for s in shapes]
        try:
            return _recorded(record, known)
        except Exception as error:  # of the user's ops, or Python
            first = first or error
    assert first is not None
    raise first


def _recorded(
    record: Callable[[list[Shape]], Result], shapes: Sequence[Sequence[int | None]]
) -> Result:
    first: Exception | None = None
    tried: list[dict[tuple[int, int], int]] = []
    waiting = deque(_first_sizes(shapes))
    while waiting and len(tried) < MAX_RECORDINGS:
        sizes = waiting.popleft()
        if sizes in tried:
            continue
        tried.append(sizes)
        filled: list[Any] = [
            tuple([sizes.get((place, axis), size) for axis, size in enumerate(shape)])
            for place, shape in enumerate(shapes)
        ]
        try:
            return record(filled)
        except Exception as error:  # of the user's ops, or Python
            first = first or error
            waiting.extend(_fitting(sizes, str(error)))  # few changes first
    assert first is not None
    try:  # where the sizes have an upper bound, as in `tf.image.pad_to_bounding_box`
        return record([tuple([1 if size is None else size for size in shape]) for shape in shapes])
    except Exception:  # what the first numbers have raised tells more
        raise without_numbers(first, tried[0].values()) from None


def _first_sizes(shapes: Sequence[Sequence[int | None]]) -> Iterator[dict[tuple[int, int], int]]:
    """Gives the numbers to begin with."""
    unknown = [
        (place, axis)
        for place, shape in enumerate(shapes)
        for axis, size in enumerate(shape)
        if size is None
    ]
    yield {key: STAND_IN_SIZES[key[1] % len(STAND_IN_SIZES)] for key in unknown}
    if len({axis for _, axis in unknown}) < len(unknown) <= len(STAND_IN_SIZES):
        yield dict(zip(unknown, STAND_IN_SIZES, strict=False))


def _fitting(
    sizes: dict[tuple[int, int], int], message: str
) -> Iterator[dict[tuple[int, int], int]]:
    """Gives numbers that may suit what has refused `sizes`, the likeliest first."""
    numbers = list(dict.fromkeys(int(text) for text in _NUMBER.findall(message)))
    for own in dict.fromkeys(sizes.values()):
        multiples = [number // own for number in numbers if number and number % own == 0]
        others = [number for number in numbers if number % own]
        quotients = [number // m for m in multiples for number in others if number % m == 0]
        for other in quotients + (others if multiples else []):
            if 0 < other != own:
                yield {key: other if size == own else size for key, size in sizes.items()}


def without_numbers(error: Exception, numbers: Any) -> Exception:
    """Returns an error whose text does not show the numbers."""

    def shown(text: str) -> str:
        return _NUMBER.sub(lambda n: "?" if int(n[0]) in numbers else n[0], text)

    if isinstance(error, OpError):
        error._message = shown(error._message)
    error.args = tuple([shown(a) if isinstance(a, str) else a for a in error.args])
    return error


def is_unknown(size: int | None) -> bool:
    """Whether a size is unknown, or comes from an unknown one.

    >>> [is_unknown(size) for size in (None, 1009, 2018, 1010, 504, 3, 1024)]
    [True, True, True, True, True, False, False]
    """
    if size is None:
        return True
    nearest = min((size + STAND_IN_TOLERANCE) % STAND_IN_SIZE, size % STAND_IN_SIZE)
    halves = any(abs(size - STAND_IN_SIZE // by) <= 1 for by in (2, 3, 4))
    return (size > STAND_IN_SIZE // 2 and nearest <= STAND_IN_TOLERANCE) or halves


def stand_in_shape(sizes: Sequence[int | None]) -> tuple[int, ...]:
    """Returns a shape with a stand-in for each unknown size."""
    return tuple([STAND_IN_SIZE if size is None else size for size in sizes])
