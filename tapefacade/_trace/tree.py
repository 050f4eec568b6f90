"""The trace cache: a tree of program prefixes, in which a program that repeats finds itself.

A node is one prefix: the instruction that was recorded last, and its parent. Nodes know their
parents only, the edges to the next ones are in one dict: what is dropped is freed without the
garbage collector, which has half the objects to walk over. Every instruction
defines new slots, numbered from the root: first those of Python scalars among its operands, then
its outputs. Nothing in the tree holds a user's arrays.
"""

import os
import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from tapefacade._core.tensor_type import TensorType
from tapefacade._core.tracebacks import OWN_SCRIPTS, PACKAGE
from tapefacade._trace.operation import Operation

_OWN_FILES: set[str] = set()  # files of the package that have been met
# Where installed libraries are.
INSTALLED_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]")
LAYER_FILE = os.path.join("keras", "src", "layers", "layer.py")

# In the place of a slot among the operands of an edge: a Python scalar that follows as an input.
FLOAT: Final = -1
INT: Final = -2
BOOL: Final = -3
COMPLEX: Final = -4

# Nodes in the tree (about 0.6 kB each) before it is dropped. Compiled programs are kept elsewhere
# (`executables`), by what they compute, so what is lost is shape inference, not compilation.
MAX_NODES = 100_000
# Programs that the nodes hold (about 40 kB each, with their slices) before it is dropped.
MAX_PROGRAMS = 2048
# A recording outside a tape is dispatched at every multiple of this many instructions: compiling
# grows with the length (256 instructions: about 0.2 s), dispatching costs 10 us.
MAX_PENDING = 256


NOTHING: dict[Any, Any] = {}  # stays empty
# (node, operation, static, *slots) of an instruction, (node, type) of a leaf -> the next node
EDGES: "dict[tuple[Any, ...], Node]" = {}


class Node:
    """A program prefix that ends with one instruction."""

    __slots__ = (
        "caller", "checked", "depth", "eager", "end", "first", "first_output", "ghosts", "inputs",
        "limit", "line", "listed", "operation", "parent", "plans", "programs", "slow", "static",
        "structure", "type", "types",
    )  # fmt: skip

    def __init__(
        self,
        parent: "Node | None",
        operation: Operation | None = None,
        static: tuple[Any, ...] = (),
        inputs: tuple[int, ...] = (),
        scalars: tuple[TensorType, ...] = (),
        types: tuple[TensorType, ...] = (),
        structure: Any = None,
        ghosts: tuple[int, ...] = (),
        checked: bool = False,
        counted: bool = False,
        line: str = "",
        caller: str | None = None,
    ) -> None:
        # (wanted slots, what is known) -> Program, and gradients asked for at this point. Most
        # nodes have none: `keep_program` and `keep_plan` make the dicts.
        self.programs = self.plans = NOTHING
        self.parent = parent
        self.operation = operation  # None: a leaf, a value from outside
        self.static = static
        self.inputs = inputs
        self.ghosts = ghosts  # earlier slots whose values the operation computes on the way
        self.first = parent.end if parent else 0
        self.first_output = self.first + len(scalars) if scalars else self.first
        self.types = scalars + types  # of the new slots
        self.end = self.first + len(self.types)
        self.type: Any = types[0] if types else None  # of the only output, where there is one
        self.structure = structure
        self.depth = parent.depth + 1 if parent else 0
        self.eager: bool = parent.eager if parent else False  # every op runs at once
        self.checked = checked  # values may make it fail
        # The depth at which the next call of an op asks whether too much is pending.
        self.limit: int = parent.limit if parent else MAX_PENDING
        full = counted and self.depth >= self.limit
        if full:
            self.limit = self.depth + MAX_PENDING
        # Whether a call must go the general way, but for a result that is no single tensor.
        general = checked or self.eager or full
        self.listed = structure is not None and not general
        self.slow = structure is not None or general
        if line or parent is None:
            self.line = line
        else:
            self.line, caller = line_and_caller()
        # Where an installed library has recorded it: the user's line, which may know the layer.
        self.caller = caller

    @property
    def users_line(self) -> str:
        """The line in the user's own files, as far as there is one."""
        return self.line if self.caller is None else self.caller

    def keep_program(self, key: Any, program: Any) -> None:
        """Keeps a program that ends here."""
        if self.programs is NOTHING:
            self.programs = {key: program}
        else:
            self.programs[key] = program
        TREE.programs += 1

    def keep_plan(self, key: Any, plan: Any) -> None:
        """Keeps a gradient asked for here."""
        if self.plans is NOTHING:
            self.plans = {key: plan}
        else:
            self.plans[key] = plan


def users_line() -> str:
    """Returns `file:line` of the innermost frame that is not the package's."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name not in _OWN_FILES:
            if not name.startswith((PACKAGE, "<string>")) or name.startswith(OWN_SCRIPTS):
                return sys.intern(f"{name}:{frame.f_lineno}")
            _OWN_FILES.add(name)
        frame = frame.f_back
    return "<unknown>"


def line_and_caller() -> tuple[str, str | None]:
    """Returns `users_line()`; if that is in an installed library, also who has called it.

    That is the innermost line outside of such libraries; `layer_of` tells the innermost layer of
    Keras on the way.
    """
    line = users_line()
    if not INSTALLED_LIBRARY.search(line):
        return line, None
    layer, frame = "", sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not layer and frame.f_code.co_name == "__call__" and name.endswith(LAYER_FILE):
            layer = str(getattr(frame.f_locals.get("self"), "name", ""))
        is_own = name.startswith((PACKAGE, "<string>")) and not name.startswith(OWN_SCRIPTS)
        if not is_own and not INSTALLED_LIBRARY.search(name) and not name.startswith("<frozen"):
            return line, _in_layer(f"{name}:{frame.f_lineno}", layer)
        frame = frame.f_back
    return line, _in_layer(line, layer) if layer else None


class LayerLine(str):
    """A line that calls a layer of Keras: `file:line`, and the name of the layer."""

    layer = ""


def layer_of(line: str) -> str:
    """Returns the name of the layer of Keras that a line has called; "" if it is not known."""
    return getattr(line, "layer", "")


def _in_layer(line: str, layer: str) -> str:
    if not layer:
        return sys.intern(line)
    found = LayerLine(line)
    found.layer = sys.intern(layer)
    return found


class Tree:
    """The root of all recordings, and how much hangs on it."""

    def __init__(self) -> None:
        self.root = Node(None)
        # Of what begins at some lines: by these, and by the places in code objects that are there.
        self._roots: dict[str | tuple[int, int], Node] = {}
        self.size = 0
        self.programs = 0
        self.eager = False
        self.dropped: list[Callable[[], None]] = []  # called when it is: for who keeps nodes of it

    def add(self, key: tuple[Any, ...], node: Node) -> Node:
        """Adds the edge `key` to a node, unless another thread has just done so."""
        self.size += 1
        return EDGES.setdefault(key, node)

    def start(self) -> Node:
        """Returns the node at which a recording starts."""
        is_full = self.size > MAX_NODES or self.programs > MAX_PROGRAMS
        if is_full or self.root.eager != self.eager:
            self.root = Node(None)
            self.root.eager = self.eager
            self._roots = {}
            EDGES.clear()
            self.size = self.programs = 0
            for let_go in self.dropped:
                let_go()
        return self.root

    def start_apart(self) -> Callable[[], None]:
        """Lets recordings start where none has been, so that all lines are those of the recordings.

        Returns:
            What ends it: they go on where others have been before.
        """
        before = self.root, self._roots
        self.root, self._roots = Node(None), {}
        self.root.eager = self.eager

        def end() -> None:
            self.root, self._roots = before

        return end

    def start_at(self, line: str) -> Node:
        """Returns the node at which a recording starts that begins at a line.

        Programs that begin alike share nodes, and the lines of these. So a tape's block, and the
        body of a function, a branch or a loop, start at a node of their own: the lines are theirs.
        """
        self.start()  # anew, if it is full
        node = self._roots.get(line)
        if node is None:
            node = Node(None)
            node.eager = self.eager
            node = self._roots.setdefault(line, node)
        return node

    def start_of_block(self, frame: FrameType) -> Node:
        """Returns `start_at` of a line that runs now; that costs 0.3 us."""
        place = (id(frame.f_code), frame.f_lasti)
        node = self._roots.get(place)
        if node is None or node.eager != self.eager:
            node = self.start_at(f"{frame.f_code.co_filename}:{frame.f_lineno}")
            self._roots[place] = node
        return node


TREE = Tree()
