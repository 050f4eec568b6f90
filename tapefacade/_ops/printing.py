"""Printing of tensors."""

import pprint
import re
import sys
from typing import Any

import numpy as np

from tapefacade._core import nest
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import Tensor
from tapefacade._ops.op import function
from tapefacade._ops.summaries import summary


@function("print")
def print(*inputs: Any, **kwargs: Any) -> None:
    """Prints values, with those of the tensors in them, to the standard error.

    Strings are printed as they are, other Python values as `pprint` writes them. As in
    TensorFlow, complex numbers are question marks. Unlike in TensorFlow, bytes that are no UTF-8
    are replaced.

    Args:
        *inputs: tensors, variables, Python values, and nests of these.
        **kwargs: `output_stream` (a stream such as `sys.stdout`, or "file://" and a path, which
            is appended to), `summarize` (how many elements to show at each end of every axis, 3
            by default, -1 for all), `sep` (" " by default), `end` (a new line by default), `name`.

    Raises:
        ValueError: for another keyword.

    >>> tf.print("x:", tf.constant([1.0, 2.5]), output_stream=sys.stdout)
    x: [1 2.5]
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    summarize = kwargs.pop("summarize", 3)
    separator, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    text = _alone(*inputs) if len(inputs) == 1 else None
    if text is None:
        text = separator.join(_shown(value, summarize) for value in inputs)
    text += end
    if isinstance(stream, str):
        if not stream.startswith("file://"):
            raise ValueError(
                f"output_stream {stream!r} is neither a stream nor 'file://' and a path."
            )
        with open(stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text)
        return
    stream.write(text)
    stream.flush()


def _alone(value: Any) -> str | None:
    """Returns the text of a scalar string tensor, which is bare where it is the only value."""
    if not _is_dense(value) or len(value.shape) or value.dtype.name != "string":
        return None
    return np.asarray(value).item().decode(errors="replace")


def _is_dense(value: Any) -> bool:
    return hasattr(value, "_slot_in") or (
        isinstance(value, Tensor) and not isinstance(value, CompositeTensor)
    )


def _shown(value: Any, summarize: int) -> str:
    if isinstance(value, str):
        return value
    places: list[_Place] = []

    def placed(leaf: Any) -> Any:
        if isinstance(leaf, CompositeTensor):
            text = leaf._printed(summarize)
        elif _is_dense(leaf):
            text = array_text(np.asarray(leaf), summarize)
        else:
            return leaf
        places.append(_Place(len(places), text))
        return places[-1]

    shown = pprint.pformat(nest.map_structure(placed, value))
    return _MARKS.sub(lambda mark: places[ord(mark[0][0]) - _FIRST].text, shown)


_FIRST = 0xF0000  # the first of 65,000 characters that nobody writes
_MARKS = re.compile("([\U000f0000-\U000ffffd])\\1*")


class _Place:
    """Stands for a tensor among Python values, as wide as TensorFlow's lines are broken for."""

    def __init__(self, number: int, text: str) -> None:
        self.text = text
        wide = len("SparseTensor(indices={}, values={}, shape={})")
        self._mark = chr(_FIRST + number) * (wide if "SparseTensor(" in text else len("'{}'"))

    def __repr__(self) -> str:
        return self._mark


def array_text(array: Any, summarize: int) -> str:
    """Returns the text of an array, however many elements of it are shown at each end."""
    return summary(array, summarize).decode(errors="replace")
