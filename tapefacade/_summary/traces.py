"""`tf.summary.trace_on` and its relatives: what runs between two calls, as graphs and a profile."""

import threading
from typing import Any

import numpy as np

from tapefacade._config.profiler import start, stop
from tapefacade._core.logging import get_logger
from tapefacade._core.string_arrays import OBJECT
from tapefacade._definition.op import function
from tapefacade._summary import program_graphs
from tapefacade._summary.summaries import MESSAGE_NO_STEP
from tapefacade._summary.writers import STATE as WRITERS, FileWriter
from tapefacade._trace import execution
from tapefacade._trace.recording import THREAD
from tapefacade._trace.slices import Slice

MESSAGE_NO_FOLDER = "No `profiler_outdir` passed to trace_on(). Profiler won't be enabled."
MESSAGE_NO_PROFILER = (
    "Error while stopping profiler: Cannot export profiling results. No profiler is running."
)


class _State:
    """What is traced now."""

    graph = False
    profiler = False
    is_profiled = False

    def __init__(self) -> None:
        self.parts: dict[Slice, None] = {}  # the programs that have run, each once


STATE, LOCK = _State(), threading.Lock()


def _noted(executable: execution.Executable, call: Any) -> Any:
    """Puts a note of what runs around a compiled program."""

    def run(*arguments: Any) -> Any:
        if STATE.graph:
            STATE.parts.setdefault(executable.part)
        return call(*arguments)

    return run


def _note_programs(is_noted: bool) -> None:
    """Begins or ends to take note of what runs."""
    if is_noted == (_noted in execution.WRAPPERS):
        return
    THREAD.recording.flush()  # what was before is no part of it, and what is pending is one
    if is_noted:
        STATE.parts = {}
        execution.WRAPPERS.append(_noted)
    else:
        execution.WRAPPERS.remove(_noted)
    execution.EXECUTABLES.prepare_anew()


@function("summary.trace_on")
def trace_on(
    graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None
) -> None:
    """Begins to trace what runs.

    Unlike TensorFlow, what runs outside of functions is part of the graphs, too: it is a program as
    well. Nodes are in groups of your lines.

    Args:
        graph: take note of the programs that run, for TensorBoard's graph view.
        profiler: make a profile, as `tf.profiler.experimental.start` does.
        profiler_outdir: the directory that it is written to.

    A profile without a directory is not made, and a warning says so.

    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    with LOCK:
        if STATE.graph or STATE.profiler:
            get_logger().warning("Trace already enabled")
            return
        if profiler and profiler_outdir is None:
            get_logger().warning(MESSAGE_NO_FOLDER)
        elif profiler:
            start(str(profiler_outdir))
        _note_programs(graph)
        STATE.graph, STATE.profiler = graph, profiler
        STATE.is_profiled = profiler and profiler_outdir is not None


@function("summary.trace_off")
def trace_off() -> None:
    """Ends a trace, and what was collected is lost.

    >>> tf.summary.trace_off()
    """
    with LOCK:
        if STATE.is_profiled:
            stop(save=False)
        elif STATE.profiler:
            get_logger().warning(MESSAGE_NO_PROFILER)
        _note_programs(False)
        STATE.graph = STATE.profiler = STATE.is_profiled = False


@function("summary.trace_export")
def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Ends a trace, and writes the graphs to the default writer, and the profile if there is one.

    Args:
        name: the tag of the graphs, under which TensorBoard lists them.
        step: the step; by default that of `tf.summary.experimental.set_step`.
        profiler_outdir: ignored: the directory is that of `trace_on`.

    Raises:
        ValueError: if there is no trace, or graphs are to be written and there is no step.

    >>> tf.summary.trace_on(graph=False)
    >>> tf.summary.trace_off()
    """
    with LOCK:
        if not (STATE.graph or STATE.profiler):
            raise ValueError("Must enable trace before export through tf.summary.trace_on.")
        if STATE.graph:
            _write_graphs(name, step)
        if STATE.is_profiled:
            stop()
        elif STATE.profiler:
            get_logger().warning(MESSAGE_NO_PROFILER)
        STATE.graph = STATE.profiler = STATE.is_profiled = False


def _write_graphs(name: str, step: Any) -> None:
    """Writes what has run, if there is a writer."""
    step = WRITERS.step if step is None else step
    writer = WRITERS.writer
    if isinstance(writer, FileWriter):
        if step is None:
            raise ValueError(MESSAGE_NO_STEP)
        number = int(step)
        _note_programs(False)
        message = np.array(program_graphs.run_metadata(STATE.parts), OBJECT)
        writer.put(lambda file: file.write(name, message, number, program_graphs.METADATA))
    _note_programs(False)
