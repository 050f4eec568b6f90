"""Values as text: the texts of arrays, tables in notebooks, and the names of devices."""

import html
from collections.abc import Callable, Iterable
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

DEVICE = "/job:localhost/replica:0/task:0/device:{}:{}"


def lines(text: str) -> str:
    """Begins a text of several lines on a line of its own."""
    return "\n" + text if "\n" in text else text


def value_repr(array: Any) -> str:
    """Returns how TensorFlow shows a value within a repr; JAX's tracers show themselves."""
    if not isinstance(array, np.ndarray):
        return repr(array)
    return lines(repr(array.item() if array.ndim == 0 else array))


def device_of(value: Any) -> str:
    """Returns TensorFlow's name of the device that holds `value`, or the first part of it."""
    devices = value.devices() if isinstance(value, jax.Array) else ()
    device = min(devices, key=lambda device: device.id, default=None)
    return DEVICE.format("CPU", 0) if device is None else name_of_device(device)


def name_of_device(device: Any) -> str:
    """Returns TensorFlow's name of a device of JAX."""
    return DEVICE.format(device.platform.upper().replace("CUDA", "GPU"), device.id)


class TensorText:
    """How a tensor shows itself: as TensorFlow's, and a matrix as a table in notebooks."""

    __slots__ = ()

    shape: Any
    dtype: Any
    _array: Callable[[], Any]
    _symbolic_name: Callable[[], str | None]

    def _shown(self) -> Any:
        value = self._array()
        return value if isinstance(value, Tracer) else np.asarray(value)

    def __str__(self) -> str:
        if name := self._symbolic_name():
            return f'Tensor("{name}", shape={self.shape}, dtype={self.dtype.name})'
        text = lines(str(self._shown()))
        return f"tf.Tensor({text}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        if name := self._symbolic_name():
            return f"<tf.Tensor {name!r} shape={self.shape} dtype={self.dtype.name}>"
        return (
            f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, "
            f"numpy={value_repr(self._shown())}>"
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_html_(self) -> str | None:
        if self.shape.rank != 2 or self._symbolic_name():
            return None
        heading = f"tf.Tensor: shape={self.shape}, dtype={self.dtype.name}"
        return matrix_table(self._shown(), heading)


# Of a matrix, a notebook shows this many rows and columns, half of them from the end.
MAX_ROWS, MAX_COLUMNS = 10, 12


def html_table(rows: Iterable[Iterable[Any]], heading: str, numbers: bool = False) -> str:
    """Returns a table for a notebook.

    Args:
        rows: the texts of the cells; the first row heads the columns.
        heading: what stands above.
        numbers: whether the cells are numbers, of which the ends are in line.

    >>> html_table([["a", "b"], [1, 2]], "two & two")
    '<div>two &amp; two</div><table style="text-align: left"><tr><th>a</th><th>b</th></tr>...'
    """
    style = "right" if numbers else "left"
    lines = []
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        cells = (f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row)
        lines.append(f"<tr>{''.join(cells)}</tr>")
    body = "".join(lines)
    return f'<div>{html.escape(heading)}</div><table style="text-align: {style}">{body}</table>'


def matrix_table(array: Any, heading: str) -> str | None:
    """Returns how a notebook shows a matrix; None for what is better read as text."""
    if not isinstance(array, np.ndarray) or array.ndim != 2 or not array.size:
        return None
    rows, columns = _ends(array.shape[0], MAX_ROWS), _ends(array.shape[1], MAX_COLUMNS)
    table = [["", *("…" if j is None else j for j in columns)]]
    for i in rows:
        cells = ["…" if i is None or j is None else _text(array[i, j]) for j in columns]
        table.append(["…" if i is None else i, *cells])
    return html_table(table, heading, numbers=True)


def _ends(count: int, most: int) -> list[int | None]:
    """Returns the indices from both ends, with None for those left out between."""
    if count <= most:
        return list(range(count))
    return [*range(most // 2), None, *range(count - most // 2, count)]


def _text(element: Any) -> str:
    """Returns the text of one element: six digits of a floating one."""
    if isinstance(element, bytes):
        return repr(element)
    return f"{element:.6g}" if isinstance(element, np.floating) else str(element)
