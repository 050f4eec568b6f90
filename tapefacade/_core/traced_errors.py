"""What TensorFlow raises of shapes and dtypes that do not fit, while it traces a function.

An op that is called refuses them by an `InvalidArgumentError`. Where it is traced nothing is
computed: there it is a `ValueError`, of dtypes a `TypeError`, in words about a graph. Here ops are
called in both cases, and the error becomes the other one where it leaves the op in a function, or
else the function.
"""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from tapefacade._core.errors import InvalidArgumentError

_MARK = "_is_of_types"
# What kernels say, and what is said of a node of a graph. "Dimensions must be equal" is that of
# the last axes that do not fit.
SHAPES = r"\[([\d,]*)\]"
MATRICES = re.compile(rf"Matrix size-incompatible: In\[0\]: {SHAPES}, In\[1\]: {SHAPES}(?: \d \d)?")
UNLIKE = re.compile(rf"Incompatible shapes: {SHAPES} vs\. {SHAPES}")
RESHAPED = re.compile(
    r"Input to reshape is a tensor with (\d+) values, but the requested shape has (\d+)"
)
JOINED = re.compile(
    rf"ConcatOp : Dimension (\d+) in both shapes must be equal: shape\[0\] = {SHAPES} vs\. "
    rf"shape\[\d+\] = {SHAPES}"
)
DTYPES = re.compile(
    r"cannot compute (\w+) as input #(\d)\(zero-based\) was expected to be an? (\w+) tensor but is "
    r"an? (\w+) tensor"
)
REFUSED_DTYPE = re.compile(r"Value for attr '\w+' of (\w+) is not in the list of allowed values: ")
KERNEL = re.compile(r"\s*\{\{function_node [^{}]*\}\}|(?<=\]) name: (?=\s|$)")


def mark_as_of_types(error: InvalidArgumentError) -> InvalidArgumentError:
    """Marks an error that follows from shapes and dtypes alone, and returns it."""
    error.__dict__.setdefault(_MARK, True)
    return error


def mark_as_of_kernel(error: InvalidArgumentError) -> InvalidArgumentError:
    """Marks an error that TensorFlow finds only where it computes, and returns it."""
    error.__dict__[_MARK] = False
    return error


def marked_alike(made: Any, error: Exception) -> Any:
    """Marks an error as another one is, and returns it."""
    made.__dict__.update({key: value for key, value in vars(error).items() if key == _MARK})
    return made


def is_of_types(error: Exception) -> bool:
    """Whether an error was marked as one of shapes and dtypes."""
    return error.__dict__.get(_MARK, False)


def as_traced(error: Exception) -> Exception:
    """Returns the error that TensorFlow raises in the place of one, where it traces.

    Args:
        error: what an op, or anything else, has raised.

    Returns:
        A ValueError or TypeError, with the traceback and notes of `error`; `error` itself if it
        is none of shapes and dtypes.
    """
    if not is_of_types(error):
        return error
    text = KERNEL.sub("", str(error))
    is_of_dtypes = DTYPES.search(text) or REFUSED_DTYPE.search(text)
    made: Exception = (TypeError if is_of_dtypes else ValueError)(_in_graph(text))
    for note in getattr(error, "__notes__", ()):
        made.add_note(note)
    return made.with_traceback(error.__traceback__)


@contextlib.contextmanager
def raising_as_traced() -> Iterator[None]:
    """Makes a block in which Python is traced, whose errors are TensorFlow's."""
    try:
        yield
    except InvalidArgumentError as error:
        if not is_of_types(error):
            raise
        raise as_traced(error) from None  # which has no name here, for its frames would be kept


def _in_graph(text: str) -> str:
    text = MATRICES.sub(lambda found: _unequal(found, *_inner(found)), text)
    text = UNLIKE.sub(lambda found: _unequal(found, *_first_unlike(found)), text)
    text = RESHAPED.sub(r"Cannot reshape a tensor with \1 elements to a shape of \2 elements", text)
    text = JOINED.sub(_of_joined, text)
    text = DTYPES.sub(
        lambda found: (
            f"Input #{found[2]} of '{found[1]}' Op has type {found[4]} that does not "
            f"match type {found[3]}"
        ),
        text,
    )
    return REFUSED_DTYPE.sub(
        r"Value passed to a parameter has DataType \1 not in list of allowed values: ", text
    )


def _unequal(found: re.Match[str], first: Any, second: Any) -> str:
    shapes = " and ".join(f"[{shape}]" for shape in found.groups())
    return f"Dimensions must be equal, but are {first} and {second}, for input shapes: {shapes}"


def _inner(found: re.Match[str]) -> tuple[str, str]:
    first, second = (shape.split(",") for shape in found.groups())
    return first[-1], second[-2]


def _first_unlike(found: re.Match[str]) -> tuple[str, str]:
    first, second = (shape.split(",")[::-1] for shape in found.groups())
    return next(
        (pair for pair in zip(first, second, strict=False) if len({*pair, "1"}) == 3),
        (found[1], found[2]),
    )


def _of_joined(found: re.Match[str]) -> str:
    place = int(found[1])
    first, second = (found[k].split(",")[place] for k in (2, 3))
    return (
        f"Dimension {place} in both shapes must be equal, but are {first} and {second}. Shapes are "
        f"[{found[2]}] and [{found[3]}]."
    )
