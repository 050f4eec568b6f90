"""Programs as graphs that TensorBoard draws: nodes in groups of the user's lines.

TensorBoard's graph view reads the message `RunMetadata`, with a graph for each function that ran.
Here each program that ran is one, its steps are nodes with TensorFlow's names of kernels, and what
is within a gradient, a loop or the call of a function is a group of its own.
"""

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.tensor_type import TensorType
from tapefacade._io.tensor_protos import shape_proto
from tapefacade._summary.event_files import SummaryMetadata, library
from tapefacade._trace.program_listing import name_of, place as text_of_line
from tapefacade._trace.slices import Slice, Step, bodies_of

# What TensorFlow writes for `tf.summary.trace_export`.
METADATA = SummaryMetadata("graph_run_metadata_graph", b"1")
GRAPH_PRODUCER = 22  # the oldest version of graphs that all attributes used here are part of
MAX_DEPTH = 4  # of groups within groups: bodies of bodies are seldom looked at
# Fields of RunMetadata: `partition_graphs`, and within `function_graphs` the graphs of a function.
_PARTITION_GRAPHS, _FUNCTION_GRAPHS = 3, 4
_FUNCTION_PARTITIONS, _FUNCTION_BEFORE = 1, 2
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.\-]+")


def run_metadata(parts: Iterable[Slice]) -> bytes:
    """Returns the message `RunMetadata` for programs that have run.

    Args:
        parts: the programs, each once.

    Raises:
        ImportError: if tensorboardX is not installed.
    """
    found = b""
    for part in parts:
        graph = graph_of(part).SerializeToString()
        function = _field(_FUNCTION_PARTITIONS, graph) + _field(_FUNCTION_BEFORE, graph)
        found += _field(_PARTITION_GRAPHS, graph) + _field(_FUNCTION_GRAPHS, function)
    return found


def _field(number: int, content: bytes) -> bytes:
    """Returns a field of a message that holds bytes or a message."""
    length, rest = b"", len(content)
    while rest > 0x7F:
        length += bytes([rest & 0x7F | 0x80])
        rest >>= 7
    return bytes([number << 3 | 2]) + length + bytes([rest]) + content


def graph_of(part: Slice) -> Any:
    """Returns a program as the message `GraphDef`.

    Args:
        part: the program.
    """
    graph = library("tensorboardX.proto.graph_pb2").GraphDef()
    graph.versions.producer = GRAPH_PRODUCER
    _GraphNodes(graph).add(part, "", [])
    return graph


class _GraphNodes:
    """The nodes of a graph, whose names are unlike."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._counts: dict[str, int] = {}

    def add(self, part: Slice, group: str, given: Sequence[str], depth: int = 0) -> list[str]:
        """Adds a program.

        Args:
            part: the program.
            group: what the names of its nodes begin with.
            given: what its inputs are, as far as that is known.
            depth: in how many groups it is.

        Returns:
            Its results, as inputs of other nodes name them.
        """
        values: list[str] = []
        for place, type_ in enumerate(part.inputs):
            name = self._node(f"{group}input_{place}", "Placeholder", given[place : place + 1])
            self._describe(name, "value from outside", "", [type_])
            values.append(name)
        lines = part.lines or ("",) * len(part.steps)
        for step, line in zip(part.steps, lines, strict=True):
            inputs = [values[slot] for slot in step.inputs]
            values += self._add_step(step, line, group, inputs, depth)
        return [values[slot] for slot in part.outputs]

    def _add_step(
        self, step: Step, line: str, group: str, inputs: list[str], depth: int
    ) -> list[str]:
        """Adds a step, and the programs within it; returns its results."""
        title = name_of(step.operation)
        name = self._node(f"{group}{_group_of(line)}{_valid(title)}", step.operation.kernel, inputs)
        self._describe(name, title, line, step.types)
        for body in bodies_of(step.operation) if depth < MAX_DEPTH else ():
            whole = len(body.inputs) == len(inputs)
            self.add(body, f"{name}/", inputs if whole else [], depth + 1)
        return [name, *(f"{name}:{place}" for place in range(1, len(step.types)))]

    def _node(self, name: str, kernel: str, inputs: Sequence[str]) -> str:
        count = self._counts[name] = self._counts.get(name, -1) + 1
        name = f"{name}_{count}" if count else name
        self._graph.node.add(name=name, op=_valid(kernel), input=inputs)
        return name

    def _describe(self, name: str, title: str, line: str, types: Sequence[TensorType]) -> None:
        """Gives the last node what TensorBoard shows of it: shapes, the dtype, the line."""
        attributes = self._graph.node[-1].attr
        shapes = attributes["_output_shapes"].list.shape
        for type_ in types:
            shapes.add().MergeFromString(shape_proto(type_.shape).SerializeToString())
        if types:
            attributes["T"].type = dtypes.as_dtype(types[0].dtype).as_datatype_enum
        attributes["op"].s = title.encode()
        if line:
            attributes["line"].s = text_of_line(line).encode()


def _group_of(line: str) -> str:
    """Returns the group of a line's nodes.

    >>> _group_of("/home/me/train.py:12"), _group_of("")
    ('train.py_line_12/', '')
    """
    path, _, number = line.rpartition(":")
    return f"{_valid(os.path.basename(path))}_line_{number}/" if path else ""


def _valid(text: str) -> str:
    """Returns a name as TensorFlow takes it; ":" and "/" mean something in names of nodes."""
    found = _NOT_IN_NAMES.sub("_", text)
    return found if found[:1].isalnum() or found[:1] == "." else f".{found}"
