"""`tf.summary.trace_on` and its relatives: a profile of what runs between two calls."""

import threading
from typing import Any

from tapefacade._config.profiler import start, stop
from tapefacade._core.logging import get_logger
from tapefacade._definition.op import function

MESSAGE_NO_GRAPH = (
    "There are no graphs to be exported: `ConcreteFunction.program()` shows what was recorded, and "
    "`tf.summary.trace_on(profiler=True, profiler_outdir=...)` what has run."
)


MESSAGE_NO_FOLDER = "No `profiler_outdir` passed to trace_on(). Profiler won't be enabled."
MESSAGE_NO_PROFILER = (
    "Error while stopping profiler: Cannot export profiling results. No profiler is running."
)


class _State:
    """What is traced now."""

    graph = False
    profiler = False
    is_profiled = False


STATE, LOCK = _State(), threading.Lock()


@function("summary.trace_on")
def trace_on(
    graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None
) -> None:
    """Begins to trace what runs.

    Unlike TensorFlow, functions have no graphs that TensorBoard could show.

    Args:
        graph: accepted for TensorFlow's sake.
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
        STATE.graph = STATE.profiler = STATE.is_profiled = False


@function("summary.trace_export")
def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Ends a trace, and writes the profile if there is one.

    Args:
        name: accepted for TensorFlow's sake.
        step: accepted for TensorFlow's sake.
        profiler_outdir: ignored: the directory is that of `trace_on`.

    Raises:
        ValueError: if there is no trace.

    >>> tf.summary.trace_on(graph=False)
    >>> tf.summary.trace_off()
    """
    with LOCK:
        if not (STATE.graph or STATE.profiler):
            raise ValueError("Must enable trace before export through tf.summary.trace_on.")
        if STATE.graph:
            get_logger().warning(MESSAGE_NO_GRAPH)
        if STATE.is_profiled:
            stop()
        elif STATE.profiler:
            get_logger().warning(MESSAGE_NO_PROFILER)
        STATE.graph = STATE.profiler = STATE.is_profiled = False
