"""Printing of tensors."""

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
    text = separator.join(_shown(value, summarize) for value in inputs) + end
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


def _shown(value: Any, summarize: int) -> str:
    if isinstance(value, CompositeTensor):
        return value._printed(summarize)
    if isinstance(value, Tensor) or hasattr(value, "_slot_in"):
        array = np.asarray(value)
        if array.dtype == np.object_ and not array.ndim:
            return array.item().decode(errors="replace")
        return array_text(array, summarize)
    if isinstance(value, np.ndarray):
        return repr(value)
    if nest.is_nested(value) and not isinstance(value, str):
        items = [
            _shown(item, summarize)
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if isinstance(value, dict):
            pairs = zip(value, items, strict=True)
            return "{" + ", ".join(f"{key!r}: {item}" for key, item in pairs) + "}"
        brackets = "[]" if isinstance(value, list) else "()"
        return brackets[0] + ", ".join(items) + brackets[1]
    return str(value)


def array_text(array: Any, summarize: int) -> str:
    """Formats as TensorFlow's kernel does: no commas, short numbers, `...` between the ends."""
    if isinstance(array, bytes) or array.ndim == 0:
        return _element(array if isinstance(array, bytes) else array[()])
    if array.size == 0:
        return "[]" if array.ndim == 1 else "[\n ...]"
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


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return '"' + value.decode(errors="replace") + '"'
    if isinstance(value, np.bool_ | np.integer):
        return str(int(value))
    if isinstance(value, np.complexfloating):
        return f"({_element(value.real)},{_element(value.imag)})"
    # As many digits as are always right; if they do not give the value back, all there are.
    wide = isinstance(value, np.float64)
    kind = float if wide else np.float32
    short = f"{float(value):.{15 if wide else 6}g}"
    return short if kind(short) == value else f"{float(value):.{17 if wide else 9}g}"
