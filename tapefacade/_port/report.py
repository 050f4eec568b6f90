"""`python -m tapefacade run --report`: what a program had compiled, and where its time went.

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
from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.tracebacks import OWN_SCRIPTS, PACKAGE
from tapefacade._function.function.function import Function
from tapefacade._function.function.tracing import FunctionTrace
from tapefacade._tape.tape import GradientTape
from tapefacade._trace import execution
from tapefacade._trace.program_listing import in_sentence
from tapefacade._trace.recording import THREAD, Recording
from tapefacade._trace.shape_changes import (
    REMEDY,
    REMEDY_NUMBERS,
    SHAPE_CHANGES,
    ProgramShapes,
    shown,
)
from tapefacade._trace.slices import Slice
from tapefacade._trace.tree import users_line

MAX_ROWS = 12
# Files that are not the user's.
FOREIGN = tuple(
    {
        *(os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib")),
        *(os.path.join(sysconfig.get_path(name), "") for name in ("purelib", "platlib")),
        *(PACKAGE, "<frozen ", "<string>"),
    }
)


class _ReportThread(threading.local):
    """The outermost function that runs in a thread, and since when."""

    called: tuple[Function, float] | None = None


class Report:
    """Notes on the programs that run from `start` to `stop`.

    A step is the time from entering an outermost tape to entering the next one. A `tf.function`
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
        self.functions: dict[tuple[str, str], Counter[str]] = {}  # why Python runs; "" recorded
        self._stepping: weakref.WeakSet[Function] = weakref.WeakSet()
        self._thread = _ReportThread()

    def start(self) -> None:
        """Begins to take notes."""
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
            self.looks[users_place()] += 1
            original(recording, tensor)

        return compute

    def _timed(self, executable: execution.Executable, call: Any) -> Any:
        def timed(*arguments: Any) -> Any:
            before, since = execution.STATISTICS.compiled, time.perf_counter()
            result = call(*arguments)
            if execution.STATISTICS.compiled != before:
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
            self.functions.setdefault((function.name, place), Counter())[trace.why] += 1
            original(function, key, args, kwargs, trace)

        return keep

    # What the notes say.

    def text(self) -> str:
        """Returns the report."""
        rows = [
            *(("time", line) for line in self._times()),
            *(("programs", line) for line in self._programs()),
            *(("functions", line) for line in self._functions()),
            *(("looked at", line) for line in self._looks()),
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
        for (name, place), whys in sorted(self.functions.items(), key=lambda item: item[0][1]):
            shown = f"{name} ({_short(place)})" if place else name
            if recorded := whys.pop("", 0):
                signatures = f" for {recorded} signatures" if recorded > 1 else ""
                lines.append(f"{shown}: recorded{signatures}")
            lines += [f"{shown}: its Python runs at every call: {_short(why)}" for why in whys]
        return _first(lines) or ["no tf.function was called"]

    def _looks(self) -> list[str]:
        if not self.looks:
            return ["nothing that was pending was looked at"]
        width = len(f"{max(self.looks.values()):,}")
        found = self.looks.most_common()
        return _first([f"{count:>{width},}  {_short(place)}" for place, count in found])


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
            f"{_short(in_sentence(line))}: {shown(shapes)}; {REMEDY}"
        )
    statics = zip(*([step.static for step in part.steps] for part in parts), strict=True)
    places = [place for place, found in enumerate(statics) if len(set(found)) > 1]
    if not places:
        return ""
    line = _short(in_sentence(known.lines[places[0]]))
    return (
        f"{len(parts):,} of them are the same ops for other static numbers, at {line}; "
        f"{REMEDY_NUMBERS}"
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
