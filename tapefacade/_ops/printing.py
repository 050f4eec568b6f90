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


@function("print")
def print(*inputs: Any, **kwargs: Any) -> None:
    """Prints values, with those of the tensors in them, to the standard error.

    Strings are printed as they are, other Python values as `pprint` writes them. Unlike
    TensorFlow, complex numbers are shown, and bytes that are no UTF-8 are replaced.

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
    """Formats as TensorFlow's kernel does: no commas, short numbers, `...` between the ends."""
    if isinstance(array, bytes) or array.ndim == 0:
        return _element(array if isinstance(array, bytes) else array[()])
    if array.size == 0:
        return "[" + "\n" * (array.ndim - 1) + " ...]" if len(array) else "[]"
    count = len(array)
    if summarize < 0 or count <= 2 * summarize:
        items = [array_text(row, summarize) for row in array]
    else:
        items = [array_text(row, summarize) for row in array[:summarize]]
        items.append("...")
        items += [array_text(row, summarize) for row in array[count - summarize :]]
    separator = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " "
    return "[" + separator.join(_indented(item) for item in items) + "]"


def _indented(text: str) -> str:
    return "\n".join(f" {line}" if line and k else line for k, line in enumerate(text.split("\n")))


_ESCAPED = re.compile(r"""[\x00-\x1f\x7f"'\\]""")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0]) or f"\\{ord(found[0]):03o}"


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return '"' + _ESCAPED.sub(_escape, value.decode(errors="replace")) + '"'
    if isinstance(value, np.bool_ | np.integer):
        return str(int(value))
    if isinstance(value, np.complexfloating):
        return f"({_element(value.real)},{_element(value.imag)})"
    # As many digits as are always right; if they do not give the value back, all there are.
    wide = isinstance(value, np.float64)
    kind = float if wide else np.float32
    short = f"{float(value):.{15 if wide else 6}g}"
    return short if kind(short) == value else f"{float(value):.{17 if wide else 9}g}"
