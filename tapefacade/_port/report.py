"""`tf.report()` and `run --report`: what a program had compiled, and where its time went, by lines.

While the report is on, some methods of the package are replaced by others that take notes. When it
is off nothing is.
"""

import array
import os
import sys
import sysconfig
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import Tracer

from tapefacade._core.optional_imports import optional_module
from tapefacade._core.tracebacks import OWN_SCRIPTS, PACKAGE
from tapefacade._core.value_text import html_table
from tapefacade._function.function.function import Function
from tapefacade._function.function.tracing import FunctionTrace
from tapefacade._tape.derivatives.derivative import Derivative
from tapefacade._tape.tape import GradientTape
from tapefacade._tape.tape_memory import kept_by_lines
from tapefacade._trace import execution
from tapefacade._trace.op_costs import bytes_of, cost_of, count_text
from tapefacade._trace.program_listing import aligned, bytes_text, in_sentence, own_line, place
from tapefacade._trace.recording import THREAD, Recording
from tapefacade._trace.shape_changes import (
    REMEDY_NUMBERS,
    SHAPE_CHANGES,
    ProgramShapes,
    padding,
    shown,
)
from tapefacade._trace.slices import Slice
from tapefacade._trace.tree import INSTALLED_LIBRARY, TREE, users_line

MAX_ROWS = 12
MAX_LABEL = 60  # characters of a line in a plot
LINE_HEADINGS = ("device", "compiling", "runs", "FLOP", "bytes", "kept", "looks", "moved", "line")
# Files that are not the user's.
FOREIGN = tuple(
    {
        *(os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib")),
        *(os.path.join(sysconfig.get_path(name), "") for name in ("purelib", "platlib")),
        *(PACKAGE, "<frozen ", "<string>"),
    }
)


class LineTotals(NamedTuple):
    """What a line of the user's has cost.

    Attributes:
        line: `file:line`.
        seconds: of the device, about: those of its programs, shared out by operations and bytes.
        compile_seconds: those of compiling its programs, shared out by ops.
        runs: how often a program with ops of this line has run.
        flops: floating-point operations of all these runs.
        bytes: of the results of all these runs.
        looks: how often it has looked at a value that was pending.
        moved: the bytes that went from the host to the device, or back.
        kept: the bytes of its results that a gradient keeps, of several the one that keeps most;
            0 where it computes them again (`rematerialize=True`).
    """

    line: str
    seconds: float = 0.0
    compile_seconds: float = 0.0
    runs: int = 0
    flops: int = 0
    bytes: int = 0
    looks: int = 0
    moved: int = 0
    kept: int = 0


class ExecutableTotals:
    """The runs of one executable.

    Attributes:
        executable: what has run.
        runs: how often.
        seconds: of the runs, until their results were there.
        compile_seconds: of tracing and compiling it, and its first run.
        uploads: the bytes that went to the device, by the line that uses them first.
    """

    def __init__(self, executable: execution.Executable) -> None:
        self.executable = executable
        self.runs = 0
        self.seconds = self.compile_seconds = 0.0
        self.uploads: Counter[str] = Counter()
        part = executable.part
        self._lines = [str(line) for line in part.lines] or [""] * len(part.steps)
        self._users = [
            next((line for step, line in self._steps() if place in step.inputs), "")
            for place in executable.layout.arrays
        ]

    def _steps(self) -> Iterator[tuple[Any, str]]:
        return zip(self.executable.part.steps, self._lines, strict=True)

    def note(self, arguments: Sequence[Any]) -> None:
        """Takes note of a run, and of what it uploads."""
        self.runs += 1
        for line, value in zip(self._users, arguments, strict=False):
            if isinstance(value, np.ndarray):
                self.uploads[line] += value.nbytes

    def by_line(self) -> dict[str, LineTotals]:
        """Shares out what the runs have cost."""
        types = self.executable.part.types()
        costs = [
            (line, cost_of(s.operation, s.static, [types[slot] for slot in s.inputs], s.types))
            for s, line in self._steps()
        ]
        weight = sum(cost.flops + cost.bytes for _, cost in costs) or 1
        found: dict[str, LineTotals] = {}
        for line, cost in costs:
            before = found.get(line, LineTotals(line, runs=self.runs))
            found[line] = before._replace(
                seconds=before.seconds + self.seconds * (cost.flops + cost.bytes) / weight,
                compile_seconds=before.compile_seconds + self.compile_seconds / len(costs),
                flops=before.flops + cost.flops * self.runs,
                bytes=before.bytes + cost.bytes * self.runs,
            )
        for line, size in self.uploads.items():
            before = found.get(line, LineTotals(line))
            found[line] = before._replace(moved=before.moved + size)
        for line, kept in self._kept().items():
            found[line] = found.get(line, LineTotals(line))._replace(kept=kept)
        return found

    def _kept(self) -> dict[str, int]:
        """Returns the bytes of each line that the gradients among the steps keep."""
        part = self.executable.part
        makers = [""] * len(part.inputs)
        found: dict[str, int] = {}
        for step, line in self._steps():
            operation = step.operation
            if isinstance(operation, Derivative):
                outside = [makers[slot] for slot in step.inputs[: len(operation.part.inputs)]]
                for user, kept in kept_by_lines(operation, outside).items():
                    found[user] = max(kept, found.get(user, 0))
            makers += [line] * len(step.types)
        return found


class _ReportThread(threading.local):
    """The outermost function that runs in a thread, and since when."""

    called: tuple[Function, float] | None = None


class Report:
    """Notes on the programs that run from `start` to `stop`, or in a `with` block.

    While notes are taken each program is waited for, so that its time is known. A step is the time
    from entering an outermost tape to entering the next one. A `tf.function`
    that opens such a tape takes a step at each of its calls, recorded or not.

    >>> import tapefacade as tf
    >>> report = Report()
    >>> report.start()
    >>> float(tf.constant(1.0) + 1.0)
    2.0
    >>> report.stop()
    >>> "1 run" in report.text()
    True
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._began = self._ended = 0.0
        self._before: dict[str, Any] = {}
        self._counts: dict[str, Any] = {}
        self.compiling = 0.0  # seconds
        self.starts = array.array("d")  # of the steps
        self.compiled_in: list[int] = []  # for each compilation, how many steps had begun
        self.alike: dict[int, tuple[ProgramShapes, list[Slice]]] = {}  # what was compiled
        self.looks: Counter[str] = Counter()
        self.downloads: Counter[str] = Counter()  # bytes, by the lines that looked
        self.executables: dict[int, ExecutableTotals] = {}
        # What is said of a function's signatures; "" of those that are recorded.
        self.functions: dict[tuple[str, str], dict[tuple[int, int], str]] = {}
        self._stepping: weakref.WeakSet[Function] = weakref.WeakSet()
        self._thread = _ReportThread()

    def start(self) -> None:
        """Begins to take notes, when what was asked for before has been computed."""
        if not THREAD.recording.is_held and THREAD.recording.frame is None:
            THREAD.recording.flush()
        self._undo.append(TREE.start_apart())
        if THREAD.recording.at.parent is None and THREAD.recording.frame is None:
            THREAD.recording = Recording()
        self._before = dict(vars(execution.STATISTICS))
        self._replace(Recording, "compute", self._compute)
        self._replace(GradientTape, "__enter__", self._enter)
        self._replace(Function, "__call__", self._call)
        self._replace(Function, "_keep", self._keep)
        execution.WRAPPERS.append(self._timed)
        execution.EXECUTABLES.prepare_anew()
        self._undo.append(lambda: execution.WRAPPERS.remove(self._timed))
        self._undo.append(execution.EXECUTABLES.prepare_anew)
        self._began = time.perf_counter()

    def stop(self) -> None:
        """Ends it; a second call does nothing."""
        if not self._undo:
            return
        self._ended = time.perf_counter()
        now = vars(execution.STATISTICS)
        self._counts = {name: now[name] - before for name, before in self._before.items()}
        while self._undo:
            self._undo.pop(0)()

    def _replace(self, owner: type, name: str, make: Callable[[Any], Any]) -> None:
        original = vars(owner)[name]
        setattr(owner, name, make(original))
        self._undo.append(lambda: setattr(owner, name, original))

    # What takes the notes.

    def _compute(self, original: Any) -> Any:
        def compute(recording: Recording, tensor: Any) -> None:
            line = users_place()
            self.looks[line] += 1
            self.downloads[line] += bytes_of(tensor._type)
            original(recording, tensor)

        return compute

    def _timed(self, executable: execution.Executable, call: Any) -> Any:
        def timed(*arguments: Any) -> Any:
            totals = self.executables.get(id(executable))
            if totals is None:
                totals = self.executables[id(executable)] = ExecutableTotals(executable)
            totals.note(arguments)
            before, since = execution.STATISTICS.compiled, time.perf_counter()
            result = call(*arguments)
            if execution.STATISTICS.compiled == before:
                if not any(isinstance(one, Tracer) for one in jax.tree.leaves(result)):
                    jax.block_until_ready(result)
                totals.seconds += time.perf_counter() - since
            else:
                totals.compile_seconds += time.perf_counter() - since
                self.compiling += time.perf_counter() - since
                self.compiled_in.append(len(self.starts))
                if known := SHAPE_CHANGES.of(executable.part):
                    self.alike.setdefault(id(known), (known, []))[1].append(executable.part)
            return result

        return timed

    def _enter(self, original: Any) -> Any:
        def enter(tape: GradientTape) -> GradientTape:
            recording = THREAD.recording
            blocks = [reference() for reference in recording.blocks]
            is_inner = recording.enclosing is not None or any(b is not None for b in blocks)
            result = original(tape)
            called = self._thread.called
            if not is_inner and called is None:
                self.starts.append(time.perf_counter())
            elif not is_inner and called is not None:
                self._note_stepping(*called)
            return result

        return enter

    def _call(self, original: Any) -> Any:
        def call(function: Function, *args: Any, **kwargs: Any) -> Any:
            thread = self._thread
            if thread.called is not None or THREAD.recording.is_held:
                if thread.called is not None and function in self._stepping:
                    self._note_stepping(*thread.called)
                return original(function, *args, **kwargs)
            thread.called = function, time.perf_counter()
            if function in self._stepping:
                self.starts.append(thread.called[1])
            try:
                return original(function, *args, **kwargs)
            finally:
                thread.called = None

        return call

    def _note_stepping(self, function: Function, since: float) -> None:
        """Takes note that calls of a function are steps; this one is the first."""
        if function not in self._stepping:
            self._stepping.add(function)
            self.starts.append(since)

    def _keep(self, original: Any) -> Any:
        def keep(
            function: Function, key: Any, args: Any, kwargs: Any, trace: FunctionTrace
        ) -> None:
            code = getattr(function.python_function, "__code__", None)
            place = f"{code.co_filename}:{code.co_firstlineno}" if code else ""
            said = ""
            if why := function.why_python(trace):
                said = f"its Python runs at every call: {why}"
            elif trace.recorded is None:
                said = f"its first call ran its Python, the next is recorded: {trace.why}"
            self.functions.setdefault((function.name, place), {})[id(function), hash(key)] = said
            original(function, key, args, kwargs, trace)

        return keep

    # What the notes say.

    @property
    def lines(self) -> tuple[LineTotals, ...]:
        """What each line of the user's has cost, the slowest first."""
        found: dict[str, LineTotals] = {}
        for totals in self.executables.values():
            for line, one in totals.by_line().items():
                before = found.get(line, LineTotals(line))
                summed: Any = [a + b for a, b in zip(before[1:-1], one[1:-1], strict=True)]
                found[line] = LineTotals(line, *summed)._replace(kept=max(before.kept, one.kept))
        for line, looks in self.looks.items():
            before = found.get(line, LineTotals(line))
            moved = before.moved + self.downloads[line]
            found[line] = before._replace(looks=looks, moved=moved)
        key = lambda one: (-one.seconds - one.compile_seconds, -one.looks, one.line)  # noqa: E731
        return tuple(sorted(found.values(), key=key))

    def _table(self) -> list[tuple[str, ...]]:
        rows = []
        for one in self.lines[:MAX_ROWS]:
            rows.append((
                _seconds(one.seconds), _seconds(one.compile_seconds), f"{one.runs:,}",
                count_text(one.flops), bytes_text(one.bytes), bytes_text(one.kept),
                f"{one.looks:,}", bytes_text(one.moved), place(one.line),
            ))  # fmt: skip
        return rows

    def __enter__(self) -> "Report":
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        if not self._began:
            return "<Report: nothing has been noted>"
        return self.text()

    def _repr_html_(self) -> str | None:
        if not self._began:
            return None
        head = self._times()
        return html_table([LINE_HEADINGS, *self._table()], "; ".join(head))

    def plot(self) -> Any:
        """Draws the time of the lines, and that of the steps one after the other.

        Returns:
            A figure of matplotlib, which is an optional dependency (the extra `plot`).

        Raises:
            ImportError: if matplotlib is not installed.
        """
        figures = optional_module("matplotlib.figure", "plot", "Plots of reports")
        figure = figures.Figure(figsize=(9.0, 6.0), layout="constrained")
        of_lines, of_steps = figure.subplots(2, 1)
        lines = self.lines[:MAX_ROWS][::-1]
        names = [place(one.line)[:MAX_LABEL] for one in lines]
        places = np.arange(len(lines))
        seconds = np.array([[one.seconds, one.compile_seconds] for one in lines]).reshape(-1, 2)
        of_lines.barh(places, seconds[:, 0], label="device, about")
        of_lines.barh(places, seconds[:, 1], left=seconds[:, 0], label="compiling")
        of_lines.set_yticks(places, names, fontsize=7)
        of_lines.set_xlabel("seconds")
        of_lines.set_title("Time by line")
        of_lines.legend()
        begins = np.array(self.starts) - self._began
        lengths = np.diff([*begins, self._ended - self._began]) if len(begins) else begins
        of_steps.bar(begins, lengths, width=lengths, align="edge", edgecolor="white")
        of_steps.set_xlabel("seconds since the beginning")
        of_steps.set_ylabel("seconds of the step")
        if len(begins):  # the first, which compiles, may take a thousand times as long as others
            of_steps.set_yscale("log")
        of_steps.set_title(f"{len(begins):,} steps")
        return figure

    def text(self) -> str:
        """Returns the report."""
        rows = [
            *(("time", line) for line in self._times()),
            *(("programs", line) for line in self._programs()),
            *(("functions", line) for line in self._functions()),
            *(("looked at", line) for line in self._looks()),
            *(("lines", line) for line in self._line_rows()),
        ]
        lines, last = [], ""
        for head, line in rows:
            lines.append(f"  {head if head != last else '':<11}{line}")
            last = head
        return "\n".join(lines)

    def _times(self) -> list[str]:
        """Describes the time as a whole, and that of the steps."""
        compiling = f", {_seconds(self.compiling)} of it compiling" if self.compiled_in else ""
        lines = [f"{_seconds(self._ended - self._began)}{compiling}"]
        count = len(self.starts)
        if not count:
            return [*lines, "no steps: no tape was opened"]
        times = [b - a for a, b in zip(self.starts, self.starts[1:], strict=False)]
        text = f"{count:,} step{'s' * (count > 1)}"
        if times:
            text += f": the first took {_seconds(times[0])}"
        if later := times[1:]:
            text += f", the others {_seconds(float(np.median(later)))} each (median)"
            text += f", {_seconds(max(later))} at most"
        return [*lines, text]

    def _programs(self) -> list[str]:
        compiled, dispatched = self._counts["compiled"], self._counts["dispatched"]
        hits = max(0, dispatched - compiled)
        lines = [f"{compiled:,} compiled, {dispatched:,} run, {hits:,} of them from the cache"]
        if self.compiled_in and self.starts:
            last = self.compiled_in[-1]
            lines[0] += (
                f"; the last was compiled {f'in step {last:,}' if last else 'before step 1'}"
            )
        early, behind = (self._counts[f"seconds_{tier}"] for tier in ("early", "in_background"))
        if early:
            lines.append(
                f"{_seconds(early)} traced and computed by NumPy before they were compiled, "
                f"{_seconds(behind)} compiling in the background"
            )
        groups = sorted(self.alike.values(), key=lambda group: -len(group[1]))
        again = [text for known, parts in groups if (text := compiled_again(known, parts))]
        return [*lines, *_first(again), f"{self._counts['recorded']:,} new instructions"]

    def _functions(self) -> list[str]:
        lines = []
        for (name, where), said in sorted(self.functions.items(), key=lambda item: item[0][1]):
            shown = f"{name} ({_short(where)})" if where else name
            whys = Counter(said.values())
            if recorded := whys.pop("", 0):
                signatures = f" for {recorded} signatures" if recorded > 1 else ""
                lines.append(f"{shown}: recorded{signatures}")
            lines += [f"{shown}: {_short(why)}" for why in whys]
        return _first(lines) or ["no tf.function was called"]

    def _line_rows(self) -> list[str]:
        rows = self._table()
        return [line.removeprefix("  ") for line in aligned([LINE_HEADINGS, *rows])] if rows else []

    def _looks(self) -> list[str]:
        if not self.looks:
            return ["nothing that was pending was looked at"]
        width = len(f"{max(self.looks.values()):,}")
        found = self.looks.most_common()
        return _first([f"{count:>{width},}  {_short(place)}" for place, count in found])


def report() -> Report:
    """Takes notes of what runs in a `with` block: programs, steps, and the time of each line.

    Not in TensorFlow. Programs are waited for meanwhile; those that were compiled before are
    prepared once more.

    Returns:
        A `Report`. It shows itself as text; `lines` are the numbers for each line, and `plot()`
        draws them.

    >>> with tf.report() as r:
    ...     x = tf.random.normal([100, 100], seed=1)
    ...     for _ in range(3):
    ...         x = tf.tanh(x @ x)
    ...         total = float(tf.reduce_sum(x))
    >>> [one.looks for one in r.lines if one.looks]
    [3]
    """
    return Report()


def compiled_again(known: ProgramShapes, parts: list[Slice]) -> str:
    """Says why the same ops were compiled several times, and what to do; "" if they were not.

    Args:
        known: their lines and shapes.
        parts: what was compiled of them.
    """
    if len(parts) < 2:
        return ""
    line, shapes = known.change()
    if len(shapes) > 1:
        return (
            f"{len(parts):,} of them are the same ops for other shapes, at "
            f"{_short(in_sentence(line))}: {shown(shapes)}; {padding(shapes)}"
        )
    statics = zip(*([step.static for step in part.steps] for part in parts), strict=True)
    places = [place for place, found in enumerate(statics) if len(set(found)) > 1]
    if not places:
        return ""
    line = own_line(known.lines[places[0] :])
    if INSTALLED_LIBRARY.search(line):  # as initializers, whose sizes nobody can change there
        return ""
    return (
        f"{len(parts):,} of them are the same ops for other static numbers, at "
        f"{_short(in_sentence(line))}; {REMEDY_NUMBERS}"
    )


def users_place() -> str:
    """Returns `file:line` of the innermost frame that is neither ours nor a library's."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(FOREIGN) or name.startswith(OWN_SCRIPTS):
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return users_line()


def _first(lines: list[str]) -> list[str]:
    more = len(lines) - MAX_ROWS
    return [*lines[:MAX_ROWS], f"... and {more} more"] if more > 0 else lines


def _short(text: str) -> str:
    """Leaves the current folder out of a text with a path in it."""
    return text.replace(os.path.join(os.getcwd(), ""), "")


def _seconds(seconds: float) -> str:
    if seconds >= 100.0:
        return f"{seconds:,.0f} s"
    unit, factor = "s", 1.0
    if seconds < 1.0:
        unit, factor = ("ms", 1e3) if seconds >= 1e-3 else ("us", 1e6)
    return f"{seconds * factor:.3g} {unit}"
