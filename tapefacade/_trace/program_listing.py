"""A recorded program as people read it: its values from outside, and its ops with their lines."""

import functools
import inspect
import linecache
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor_type import TensorType
from tapefacade._core.value_text import html_table
from tapefacade._trace.operation import Operation
from tapefacade._trace.tree import INSTALLED, Node, users_line

HEADINGS = ("value", "op", "of", "type", "line")
MAX_SOURCE = 60  # characters of a line
MAX_HTML_ROWS = 60
# Where a notebook's kernel keeps a cell: Jupyter's, IPython's and Colab's.
CELL = re.compile(r"(ipykernel_\d+[/\\]|<?ipython-input-)[^/\\]*$")


# Of ops whose own name is not what people call.
_NAMES_OF_KERNELS = {"Select": "tf.where", "SelectV2": "tf.where"}


class ProgramRow(NamedTuple):
    """An instruction, or a value from outside."""

    value: str
    op: str
    of: str
    type: str
    line: str


class ProgramListing:
    """A recorded program, in the order of recording; shows itself as a table.

    Attributes:
        rows: a named tuple of texts for each value from outside and each op: `value` (its name in
            the table), `op`, `of` (the names of its operands), `type`, and for ops `line` (the line
            that recorded the program up to there first, and what stands in it).
    """

    def __init__(self, rows: Iterable[ProgramRow]) -> None:
        self.rows = tuple(rows)

    def _heading(self) -> str:
        inputs = sum(not row.op for row in self.rows)
        ops = len(self.rows) - inputs
        return (
            f"Recorded program: {ops:,} op{'s' * (ops != 1)}, "
            f"{inputs:,} value{'s' * (inputs != 1)} from outside"
        )

    def __repr__(self) -> str:
        rows = [HEADINGS, *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS) - 1)]
        lines = [
            "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
            for row in rows
        ]
        return "\n".join([self._heading(), *(f"  {line}".rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        rows = [HEADINGS, *self.rows[:MAX_HTML_ROWS]]
        left_out = len(self.rows) - MAX_HTML_ROWS
        if left_out > 0:
            rows.append(("…", f"{left_out:,} more", "", "", ""))
        return html_table(rows, self._heading())


def program_of(nodes: Iterable[Node], names: Mapping[int, str]) -> ProgramListing:
    """Lists instructions.

    Args:
        nodes: the instructions, in order.
        names: what some slots are called, such as those of variables.

    Returns:
        The program; what it uses but does not compute comes as rows without an op.
    """
    called: dict[int, str] = {}
    rows: list[ProgramRow] = []

    def call(slot: int) -> str:
        return called.setdefault(slot, f"%{len(called)}")

    for node in nodes:
        assert node.operation is not None
        for slot in node.inputs:
            if slot not in called:
                what = f"{_type_before(node, slot)} {names.get(slot, '')}".rstrip()
                rows.append(ProgramRow(call(slot), "", "", what, ""))
        of = " ".join(call(slot) for slot in node.inputs)
        outputs = range(node.first_output, node.end)
        types = ", ".join(type_text(node.types[slot - node.first]) for slot in outputs)
        value = " ".join(call(slot) for slot in outputs)
        rows.append(ProgramRow(value, op_name(node), of, types, place_of(node)))
    return ProgramListing(rows)


def _type_before(node: Node, slot: int) -> str:
    """Returns the type of a slot that an instruction uses."""
    before: Node | None = node
    while before is not None and not before.first <= slot < before.end:
        before = before.parent
    assert before is not None
    return type_text(before.types[slot - before.first])


def op_name(node: Node) -> str:
    """Returns how people call the op of an instruction."""
    assert node.operation is not None
    return name_of(node.operation)


def name_of(operation: Operation) -> str:
    """Returns how people call an operation."""
    if operation.kernel in _NAMES_OF_KERNELS:
        return _NAMES_OF_KERNELS[operation.kernel]
    name = operation.name.removeprefix("_") or operation.kernel
    if name in FUNCTIONS:
        return f"tf.{name}"
    return name if name[:1].isupper() else operation.kernel


def type_text(type_: TensorType) -> str:
    """Returns a short text of a type, such as `float32[2, 3]`.

    >>> from tapefacade._core.tensor_type import type_of
    >>> type_text(type_of((2, 3), np.dtype("float32")))
    'float32[2, 3]'
    """
    return f"{type_.dtype.name}{list(type_.shape) if type_.shape else ''}"


def place(line: str) -> str:
    """Returns where a line is, without its folder, and what stands there.

    >>> place("/home/me/train.py:12")
    'train.py:12'
    """
    path, _, number = line.rpartition(":")
    if not number.isdecimal():
        return line
    source = _source(path, int(number))
    where = f"line {number}" if CELL.search(path) else f"{os.path.basename(path)}:{number}"
    return f"{where}  {source}" if source else where


def place_of(node: Node) -> str:
    """Returns where an instruction was recorded, in the user's files, and by which layer."""
    layer = f"  (layer {node.caller[1]})" if node.caller is not None and node.caller[1] else ""
    return f"{place(node.users_line)}{layer}"


def in_sentence(line: str) -> str:
    """Returns how a sentence names a line: `file:line`, or what stands there if it is a cell's.

    >>> in_sentence("/home/me/train.py:12"), in_sentence("/tmp/ipykernel_7/123.py:4")
    ('/home/me/train.py:12', 'cell line 4')
    """
    path, _, number = line.rpartition(":")
    if not CELL.search(path):
        return line
    source = _source(path, int(number))
    return f"cell line {number}: `{source}`" if source else f"cell line {number}"


def own_line(lines: Sequence[str]) -> str:
    """Returns the first of some lines that is not in an installed library, or else the first.

    Args:
        lines: each as `file:line`.

    >>> own_line(["/lib/site-packages/keras/ops.py:3", "/home/me/train.py:7"])
    '/home/me/train.py:7'
    """
    return next((line for line in lines if not INSTALLED.search(line)), lines[0])


def function_in_sentence(function: Any) -> str:
    """Returns how a sentence names a function: its name, and where it is, if it is Python.

    Args:
        function: anything that can be called.

    >>> function_in_sentence(len)
    'len'
    >>> function_in_sentence(function_in_sentence)
    'function_in_sentence (.../program_listing.py:...)'
    """
    function = inspect.unwrap(function)
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    code = getattr(function, "__code__", None)
    name = name.rpartition("<locals>.")[2]
    if code is None:
        return name
    place = in_sentence(f"{code.co_filename}:{code.co_firstlineno}")
    return f"{name} ({place.partition(': `')[0]})"  # what stands there is the decorator


def definition_line(function: Any) -> str:
    """Returns `file:line` of the definition of a function; that of the call if it is not Python."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(inspect.unwrap(function), "__code__", None)
    return users_line() if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def _source(path: str, number: int) -> str:
    source = linecache.getline(path, number).strip()
    return source if len(source) <= MAX_SOURCE else source[: MAX_SOURCE - 1] + "…"
