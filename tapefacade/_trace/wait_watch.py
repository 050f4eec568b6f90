"""Says once in a process what is going on, when somebody waits for two seconds within a step.

Waits that follow each other within a step are one: a deep step is recorded, op by op, then prepared
and compiled, and a model makes its variables by many small programs. A step that repeats does not
come here: nothing of it is new.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from tapefacade._core.logging import get_logger
from tapefacade._trace.compilation_cache import CACHE, JAX_CONFIG
from tapefacade._trace.executables import STATISTICS, Executable
from tapefacade._trace.program_listing import in_sentence, own_line
from tapefacade._trace.shape_changes import GRADIENT, REMEDY, SHAPE_CHANGES
from tapefacade._trace.slices import Slice
from tapefacade._trace.tree import Node

SECONDS_BEFORE_MESSAGE = 2.0
# So long one of several waits has to last to be told of: the small programs that make a model's
# variables are not what somebody waits for. If there is nothing else, they are after this.
SECONDS_OF_ONE_WAIT = 0.5
SECONDS_OF_SMALL_WAITS = 4.0
# What lies further apart is not the same wait.
SECONDS_BETWEEN_WAITS = 1.0
MESSAGE_RECORDING = "Recording {} ({}), as it is new; then it is compiled, {}."
MESSAGE_COMPILING = "Compiling {}, {}. {}."
MESSAGE_BY_NUMPY = "NumPy computes {} until XLA has compiled it in the background, {}. {}."
WHY_NEW = "It has not run before"
WHY_SHAPES = "It has not run before with shape {} at {}: to have fewer, {}"
KEPT, NOT_KEPT = "kept for next time", "not kept on disk"
SAID_ONCE = "(This is said once.)"


class _Waits(threading.local):
    """The waits of a thread.

    Attributes:
        texts: what says what is going on, the innermost last.
        seconds: how long this step has waited before.
        ended: when the last wait was over.
        step: the number of the step that waited.
    """

    def __init__(self) -> None:
        self.texts: list[Callable[[], str]] = []
        self.seconds = self.ended = 0.0
        self.step = 0


class WaitWatch:
    """What is told of waits."""

    def __init__(self) -> None:
        self._is_told = False
        self._lock = threading.Lock()
        self._waits = _Waits()

    @contextlib.contextmanager
    def over(self, text: Callable[[], str], is_brief: bool = False) -> Iterator[None]:
        """Watches what is done in the block.

        Args:
            text: says what is going on, in another thread.
            is_brief: whether it never takes long alone: then what is told waits for its end.
        """
        waits = self._waits
        if self._is_told or (waits.texts and is_brief):
            yield
            return
        waits.texts.append(text)
        try:
            if len(waits.texts) > 1:
                yield  # a part of a wait
            else:
                with self._timed(waits, is_brief):
                    yield
        finally:
            waits.texts.pop()

    @contextlib.contextmanager
    def _timed(self, waits: _Waits, is_brief: bool) -> Iterator[None]:
        since, step = time.perf_counter(), STATISTICS.steps
        if step != waits.step or since - waits.ended > SECONDS_BETWEEN_WAITS:
            waits.step, waits.seconds = step, 0.0
        left = max(SECONDS_BEFORE_MESSAGE - waits.seconds, SECONDS_OF_ONE_WAIT)
        timer = None
        if not is_brief:
            timer = threading.Timer(left, self._tell, [waits.texts])
            timer.daemon = True
            timer.start()
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()
            waits.ended = time.perf_counter()
            waits.seconds += waits.ended - since
            if waits.seconds >= (SECONDS_BEFORE_MESSAGE if is_brief else SECONDS_OF_SMALL_WAITS):
                self._tell(waits.texts)

    def _tell(self, texts: list[Callable[[], str]]) -> None:
        innermost = texts[-1:]  # nothing, if the wait has just ended
        with self._lock:
            if self._is_told or not innermost:
                return
            self._is_told = True
        get_logger().warning("%s %s", innermost[0](), SAID_ONCE)


def recording_text(at: Node, is_step: bool) -> str:
    """Says that ops are recorded.

    Args:
        at: where the recording is.
        is_step: whether it has tapes.
    """
    node: Node | None = at
    count = 0
    while node is not None:
        count += node.operation is not None
        node = node.parent
    title = f"step {STATISTICS.steps + 1:,}" if is_step else "a program"
    line = in_sentence(at.users_line)
    done = f"{_ops(count)} so far, the last at {line}" if count else f"its first op, after {line}"
    return MESSAGE_RECORDING.format(title, done, _kept_text())


def compiling_text(
    executable: Executable, lines: Sequence[str], is_counted: bool, is_by_numpy: bool
) -> str:
    """Says that a program is compiled, or computed by NumPy until it is.

    Args:
        executable: the program.
        lines: of its ops.
        is_counted: whether it is a step with a number.
        is_by_numpy: whether NumPy computes it.
    """
    title = title_of(executable, in_sentence(own_line(lines)), is_counted)
    message = MESSAGE_BY_NUMPY if is_by_numpy else MESSAGE_COMPILING
    return message.format(title, _kept_text(), why(executable))


def title_of(executable: Executable, line: str = "", is_counted: bool = True) -> str:
    """Returns what a message calls a program: the number of the step, if it is one.

    Args:
        executable: the program.
        line: that of its first op.
        is_counted: whether its steps are counted; those are not that a function takes.
    """
    part = executable.part
    title = "a program"
    if any(step.operation.name == GRADIENT for step in part.steps):
        title = f"step {STATISTICS.steps + 1:,}" if is_counted else "a step"
    return f"{title} ({_ops(_count_of(part))}{f', the first at {line}' if line else ''})"


def _count_of(part: Slice) -> int:
    """Returns how many ops a program has, with those of its loops."""
    return sum(1 + sum(map(_count_of, step.operation.bodies)) for step in part.steps)


def _ops(count: int) -> str:
    return f"{count:,} ops" if count != 1 else "1 op"


def why(executable: Executable) -> str:
    """Returns why a program has to be compiled."""
    known = SHAPE_CHANGES.of(executable.part)
    if known is None or len(known.shapes) < 2:
        return WHY_NEW
    line, shapes = known.change()
    return WHY_SHAPES.format(shapes[-1], in_sentence(line), REMEDY) if len(shapes) > 1 else WHY_NEW


def _kept_text() -> str:
    return KEPT if is_kept() else NOT_KEPT


def is_kept() -> bool:
    """Whether what is compiled is kept on disk."""
    return bool(JAX_CONFIG.jax_compilation_cache_dir or CACHE.folder())


WAIT_WATCH = WaitWatch()
