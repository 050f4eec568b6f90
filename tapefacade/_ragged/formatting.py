"""What ragged tensors look like: as NumPy arrays, as lists, and as text."""

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._ragged.partition import Array

if TYPE_CHECKING:
    from tapefacade._ragged.tensor import RaggedTensor


def _rows(values: Array, splits: Array) -> list[Array]:
    """Cuts an array into rows."""
    return [values[start:end] for start, end in itertools.pairwise(splits)]


def as_numpy(ragged: "RaggedTensor") -> Array:
    """Makes an array: of arrays, where rows differ in length."""
    values = ragged._values.numpy()
    rows = _rows(values, ragged._partition.splits)
    if not rows:
        return np.zeros((0, 0, *np.shape(values)[1:]), values.dtype)
    if all(len(row) == len(rows[0]) for row in rows):
        return np.stack(rows)
    held = np.empty(len(rows), object)
    held[:] = rows
    return held


def as_list(ragged: "RaggedTensor") -> list[Any]:
    """Makes nested lists."""
    inner = ragged._values
    values = inner.numpy().tolist() if isinstance(inner, EagerTensor) else inner.to_list()
    return _rows(values, ragged._partition.splits)


def _element(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if not value.size:
            return str(value.tolist())
        return np.array2string(value, separator=", ")
    if isinstance(value, bytes):
        return repr(value)
    return str(value)


def as_text(ragged: "RaggedTensor") -> str:
    """Writes the elements with commas between them."""
    with np.printoptions(formatter={"all": _element}):
        return _element(as_numpy(ragged))


def as_printed(ragged: "RaggedTensor", summarize: int) -> str:
    """Writes the elements as `tf.print` does: numbers with six digits, `...` between the ends."""
    return _list(as_list(ragged), summarize)


def _list(items: list[Any], summarize: int) -> str:
    count = len(items)
    if summarize < 0 or count <= 2 * summarize:
        shown = [_printed(item, summarize) for item in items]
    else:
        shown = [_printed(item, summarize) for item in items[:summarize]]
        shown.append("...")
        shown += [_printed(item, summarize) for item in items[count - summarize :]]
    return f"[{', '.join(shown)}]"


def _printed(item: Any, summarize: int) -> str:
    if isinstance(item, list):
        return _list(item, summarize)
    if isinstance(item, bytes):
        return f"'{item.decode(errors='replace')}'"
    if isinstance(item, bool):
        return str(item).lower()
    if isinstance(item, float):
        return f"{item:.6f}"
    if isinstance(item, complex):
        return f"({item.real:.6f},{item.imag:.6f})"
    return str(item)
