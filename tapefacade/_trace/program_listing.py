"""A recorded program as people read it: its values from outside, and its ops with their lines."""

import functools
import inspect
import linecache
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor_type import TensorType
from tapefacade._core.value_text import html_table
from tapefacade._trace.op_costs import OpCost, cost_of, count_text
from tapefacade._trace.operation import Operation
from tapefacade._trace.program_folds import Fold, Item, folded, leaves, sequence_text
from tapefacade._trace.tree import INSTALLED_LIBRARY, Node, layer_of, users_line

HEADINGS = ("value", "op", "of", "type", "line")
LINE_HEADINGS = ("ops", "FLOP", "bytes", "line", "what")
MAX_INPUTS_SHOWN = 6
MAX_SOURCE = 60  # characters of a line
MAX_HTML_ROWS = 60
# Where a notebook's kernel keeps a cell: Jupyter's, IPython's and Colab's.
CELL = re.compile(r"(ipykernel_\d+[/\\]|<?ipython-input-)[^/\\]*$")


# Of ops whose own name is not what people call.
_NAMES_OF_KERNELS = {
    "Select": "tf.where", "SelectV2": "tf.where", "Pow": "tf.math.pow",
    "StridedSlice": "tf.strided_slice", "AddN": "tf.add_n",
    "SparseTensorDenseMatMul": "tf.sparse.sparse_dense_matmul",
    "RandomStandardNormal": "tf.random.normal", "RandomUniform": "tf.random.uniform",
    "RandomUniformInt": "tf.random.uniform", "MirrorPad": "tf.pad", "PadV2": "tf.pad",
    "TensorListGetItem": "TensorArray.read", "TensorListSetItem": "TensorArray.write",
    "DynamicStitch": "tf.dynamic_stitch", "FFT": "tf.signal.fft", "RFFT": "tf.signal.rfft",
    "IRFFT": "tf.signal.irfft", "ResizeBilinear": "tf.image.resize",
}  # fmt: skip
_NAMES_OF_OPS = {
    "take": "tf.gather", "full": "tf.fill", "kept": "tf.nn.dropout",
    "softmax_cross_entropy": "tf.nn.softmax_cross_entropy_with_logits",
    "sparse_cross_entropy": "tf.nn.sparse_softmax_cross_entropy_with_logits",
    "sigmoid_cross_entropy": "tf.nn.sigmoid_cross_entropy_with_logits",
}  # fmt: skip


@functools.cache
def _public_names() -> dict[str, str]:
    """Returns what the public functions are called, by the last part of their names."""
    found: dict[str, str] = {}
    for name in FUNCTIONS:
        if name.startswith("experimental.numpy."):
            continue  # NumPy's names, some for what others call otherwise
        found.setdefault(name.rpartition(".")[2], f"tf.{name}")
    return found


class ProgramRow(NamedTuple):
    """An instruction, or a value from outside."""

    value: str
    op: str
    of: str
    type: str
    line: str


class ProgramPart(NamedTuple):
    """What a line of the user's has recorded in a row, or some lines that come again and again.

    Attributes:
        line: `file:line` in the user's files; of several lines the first.
        layer: the layer of Keras that has recorded it, or "".
        text: the ops, or which lines repeat.
        times: how often its `parts` come; 1 for a line.
        ops: how many there are, with all repetitions.
        flops: floating-point operations of all of them.
        bytes: of all their results.
        places: where its ops are in the program, with all repetitions.
        parts: the lines that repeat.
    """

    line: str
    layer: str
    text: str
    times: int
    ops: int
    flops: int
    bytes: int
    places: tuple[int, ...]
    parts: "tuple[ProgramPart, ...]" = ()


class ProgramListing:
    """A recorded program; shows itself as a table of the user's lines, or of all ops.

    Attributes:
        rows: a named tuple of texts for each value from outside and each op, in the order of
            recording: `value` (its name in the table), `op`, `of` (the names of its operands),
            `type`, and for ops `line` (the line that recorded the program up to there first, and
            what stands in it).
        nodes: the instructions.
    """

    def __init__(
        self, rows: Iterable[ProgramRow], nodes: Sequence[Node] = (), full: bool = True
    ) -> None:
        self.rows = tuple(rows)
        self.nodes = tuple(nodes)
        self._is_full = full

    @functools.cached_property
    def parts(self) -> "tuple[ProgramPart, ...]":
        """The program by lines of the user's, as `ProgramPart`s; what repeats is folded."""
        if not self.nodes:
            return ()
        lines = [_line_number(node.users_line) for node in self.nodes]
        keys = [(node.users_line, layer_of(node.users_line), op_name(node)) for node in self.nodes]
        return _parts(folded(keys, lines), self.nodes, self._costs)

    @functools.cached_property
    def _costs(self) -> list[OpCost]:
        types = _types_until(self.nodes[-1])
        return [
            cost_of(
                node.operation,  # type: ignore[arg-type]  # leaves are not among them
                node.static,
                [types[slot] for slot in node.inputs],
                node.types[node.first_output - node.first :],
            )
            for node in self.nodes
        ]

    @property
    def _outside(self) -> list[ProgramRow]:
        return [row for row in self.rows if not row.op]

    def _heading(self) -> str:
        inputs = len(self._outside)
        ops = len(self.rows) - inputs
        return (
            f"Recorded program: {ops:,} op{'s' * (ops != 1)}, "
            f"{inputs:,} value{'s' * (inputs != 1)} from outside"
        )

    def _totals(self) -> str:
        flops = sum(part.flops for part in self.parts)
        size = sum(part.bytes for part in self.parts)
        return f"{self._heading()}; {count_text(flops)} FLOP, results of {bytes_text(size)}"

    def _table(self) -> list[tuple[str, ...]]:
        """Returns the rows of the table by lines: numbers, the line and the ops."""
        found = []
        for depth, part in _by_depth(self.parts):
            margin = "  " * depth
            if part.parts:
                found.append((f"{part.ops:,}", "", "", f"{margin}{part.text}", ""))
                continue
            where = f"{margin}{place(part.line)}"
            numbers = f"{part.ops:,}", count_text(part.flops), bytes_text(part.bytes)
            found.append((*numbers, where, part.text))
        return found

    def _inputs_text(self) -> str:
        counts = Counter(row.type for row in self._outside)
        texts = [f"{count} x {text}" if count > 1 else text for text, count in counts.items()]
        more = len(texts) - MAX_INPUTS_SHOWN
        return ", ".join([*texts[:MAX_INPUTS_SHOWN], *([f"and {more:,} more"] if more > 0 else [])])

    def __repr__(self) -> str:
        if self._is_full:
            rows = [HEADINGS, *self.rows]
            return "\n".join([self._heading(), *aligned(rows)])
        lines = [self._totals()]
        if self._outside:
            lines.append(f"  from outside: {self._inputs_text()}")
        if self.parts:
            lines += aligned([LINE_HEADINGS, *self._table()])
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if self._is_full:
            heading, rows = self._heading(), [HEADINGS, *self.rows[:MAX_HTML_ROWS]]
            left_out = len(self.rows) - MAX_HTML_ROWS
        else:
            table = [
                tuple([cell.replace("  ", "\N{NO-BREAK SPACE}" * 2) for cell in row])
                for row in self._table()
            ]
            heading, rows = self._totals(), [LINE_HEADINGS, *table[:MAX_HTML_ROWS]]
            left_out = len(table) - MAX_HTML_ROWS
        if left_out > 0:
            rows.append(("…", f"{left_out:,} more", "", "", ""))
        return html_table(rows, heading)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns the lines of a table whose columns are in line, but for the end of the last."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = [
        "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
    return [f"  {line}".rstrip() for line in lines]


def bytes_text(size: float) -> str:
    """Returns a short text of a number of bytes.

    >>> bytes_text(12), bytes_text(2048), bytes_text(3 * 2**30)
    ('12 B', '2 KiB', '3 GiB')
    """
    for limit, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= limit:
            return f"{size / limit:.3g} {unit}"
    return f"{size:.0f} B"


def _line_number(line: str) -> int:
    number = line.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


def _types_until(end: Node) -> dict[int, TensorType]:
    """Returns the type of every slot up to an instruction."""
    types: dict[int, TensorType] = {}
    node: Node | None = end
    while node is not None:
        types.update(zip(range(node.first, node.end), node.types, strict=True))
        node = node.parent
    return types


def _parts(
    items: Sequence[Item], nodes: Sequence[Node], costs: Sequence[OpCost]
) -> tuple[ProgramPart, ...]:
    """Groups folded steps by lines; folds within one line are part of it."""
    groups: list[tuple[Any, list[Item]]] = []
    for item in items:
        lines = [nodes[step.places[0]].users_line for step, _ in leaves([item])]
        found = {(line, layer_of(line)) for line in lines}
        where = found.pop() if len(found) == 1 else None
        if where is not None and groups and groups[-1][0] == where:
            groups[-1][1].append(item)
        else:
            groups.append((where, [item]))
    parts = []
    for where, group in groups:
        everywhere = tuple([place for step, _ in leaves(group) for place in step.places])
        flops = sum(costs[place].flops for place in everywhere)
        size = sum(costs[place].bytes for place in everywhere)
        if where is not None:
            text = sequence_text(group, lambda step: op_name(nodes[step.places[0]]))
            line = nodes[everywhere[0]].users_line
            parts.append(
                ProgramPart(line, where[1], text, 1, len(everywhere), flops, size, everywhere)
            )
            continue
        (fold,) = group
        assert isinstance(fold, Fold)
        inner = _parts(fold.body, nodes, costs)
        ops = sum(times for _, times in leaves(fold.body))
        text = f"{fold.times} times {_span(inner)}, {ops} ops:"
        parts.append(
            ProgramPart(
                inner[0].line, "", text, fold.times, len(everywhere), flops, size, everywhere, inner
            )
        )
    return tuple(parts)


def _span(parts: Sequence[ProgramPart]) -> str:
    """Returns which lines some parts are of, such as `lines 17-19`."""
    lines = [part.line for _, part in _by_depth(parts) if not part.parts]
    files = {line.rpartition(":")[0] for line in lines}
    numbers = sorted({_line_number(line) for line in lines})
    if len(files) > 1:
        return f"{len(set(lines))} lines"
    return f"lines {numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else f"line {numbers[0]}"


def _by_depth(parts: Iterable[ProgramPart], depth: int = 0) -> Iterator[tuple[int, ProgramPart]]:
    """Yields parts and those within them, each with the number of folds around it."""
    for part in parts:
        yield depth, part
        yield from _by_depth(part.parts, depth + 1)


def program_of(
    nodes: Sequence[Node], names: Mapping[int, str], full: bool = False
) -> ProgramListing:
    """Lists instructions.

    Args:
        nodes: the instructions, in order.
        names: what some slots are called, such as those of variables.
        full: show every op, not the user's lines.

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
    return ProgramListing(rows, nodes, full)


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
    name = operation.name.removeprefix("_") or operation.kernel
    if name in FUNCTIONS:
        return f"tf.{name}"
    if operation.name.startswith("_"):  # what a public function calls
        known = _NAMES_OF_OPS.get(name) or _public_names().get(name)
        if known is not None:
            return known
    if operation.kernel in _NAMES_OF_KERNELS:
        return _NAMES_OF_KERNELS[operation.kernel]
    return name if name[:1].isupper() else operation.kernel


def type_text(type_: TensorType) -> str:
    """Returns a short text of a type, such as `float32[2, 3]`.

    >>> from tapefacade._core.tensor_type import type_of
    >>> type_text(type_of((2, 3), np.dtype("float32")))
    'float32[2, 3]'
    """
    return f"{type_.dtype.name}{list(type_.shape) if type_.shape else ''}"


def place(line: str) -> str:
    """Returns where a line is, without its folder, what stands there, and the layer it calls.

    >>> place("/home/me/train.py:12")
    'train.py:12'
    """
    path, _, number = line.rpartition(":")
    if not number.isdecimal():
        return line
    source = _source(path, int(number))
    where = f"line {number}" if CELL.search(path) else f"{os.path.basename(path)}:{number}"
    layer = f"(layer {layer_of(line)})" if layer_of(line) else ""
    return "  ".join(filter(None, [where, source, layer]))


def place_of(node: Node) -> str:
    """Returns where an instruction was recorded, in the user's files, and by which layer."""
    return place(node.users_line)


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
    return next((line for line in lines if not INSTALLED_LIBRARY.search(line)), lines[0])


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
    # Of an object that can be called, its class says how.
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
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
