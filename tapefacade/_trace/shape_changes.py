"""Programs that are compiled again and again because the shapes of what they are given change.

Asked only when a program is made that is not compiled: a step that repeats does not come here.
"""

import threading
from collections.abc import Sequence
from typing import Any

from tapefacade._core.logging import get_logger
from tapefacade._trace.program_listing import in_sentence, own_line
from tapefacade._trace.slices import Slice

# So many shapes are a habit; that of the last, smaller batch of each epoch is only the second.
MANY_SHAPES = 5
# What has fewer ops and no gradient compiles in no time.
MIN_STEPS_COUNTED = 8
MAX_SHAPES_SHOWN = 3
# Programs that are remembered; all are forgotten when there are more.
MAX_PROGRAMS = 512
GRADIENT = "GradientTape.gradient"
REMEDY = "pad, or leave the last batch out by `drop_remainder=True`"
MESSAGE_SHAPES = (
    "Shapes change at %s: %s. What is compiled for one shape cannot serve another: %s so far. "
    "(This is said once for each line.)"
)

Shapes = tuple[tuple[int, ...], ...]


class ProgramShapes:
    """The shapes with which the same ops have been asked for.

    Attributes:
        lines: of the steps, in the user's files, as they were recorded first.
        users: for each input the first step that uses it.
        shapes: those of the inputs, in the order in which they came.
    """

    def __init__(self, part: Slice, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        self.users = [0] * len(part.inputs)
        for place, step in reversed(list(enumerate(part.steps))):
            for slot in step.inputs:
                if slot < len(self.users):
                    self.users[slot] = place
        self.shapes: dict[Shapes, None] = {}

    def change(self) -> tuple[str, list[tuple[int, ...]]]:
        """Returns the line at which shapes change most, and the shapes there."""
        columns = [list(dict.fromkeys(column)) for column in zip(*self.shapes, strict=True)]
        if not columns:
            return own_line(self.lines), []
        # Of several the first to be used: the others follow from it.
        place = max(range(len(columns)), key=lambda p: (len(columns[p]), -self.users[p]))
        return own_line(self.lines[self.users[place] :]), columns[place]


class ShapeChanges:
    """Takes note of new programs, and says once for each line that shapes change there."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[Any, ProgramShapes] = {}
        self._told: set[str] = set()

    def note(self, part: Slice, lines: Sequence[str]) -> None:
        """Takes note of a program that has not been compiled.

        Args:
            part: the program.
            lines: of its steps.
        """
        if not part.steps or not part.inputs:
            return
        with self._lock:
            if len(self._found) > MAX_PROGRAMS:
                self._found.clear()
            key = key_of(part)
            known = self._found.get(key)
            if known is None:
                known = self._found[key] = ProgramShapes(part, lines)
            before = len(known.shapes)
            known.shapes[tuple([type_.shape for type_ in part.inputs])] = None
            if before < len(known.shapes) == MANY_SHAPES and is_worth_a_word(part):
                self._tell(known)

    def of(self, part: Slice) -> ProgramShapes | None:
        """Returns what is known of a program and those that differ from it in shapes only."""
        return self._found.get(key_of(part))

    def varies(self, part: Slice) -> bool:
        """Whether a program has come with so many shapes that the next may have another one."""
        known = self.of(part)
        return known is not None and len(known.shapes) >= MANY_SHAPES

    def _tell(self, known: ProgramShapes) -> None:
        line, shapes = known.change()
        if line not in self._told and len(shapes) >= MANY_SHAPES:
            self._told.add(line)
            get_logger().warning(MESSAGE_SHAPES, in_sentence(line), REMEDY, shown(shapes))


def key_of(part: Slice) -> Any:
    """Returns what programs have in common that differ in sizes only, or in static numbers."""
    ranks = tuple([len(type_.shape) for type_ in part.inputs])  # other ranks are other programs
    return ranks, tuple([(s.operation.name, s.inputs) for s in part.steps]), part.outputs


def is_worth_a_word(part: Slice) -> bool:
    """Whether compiling a program takes so long that it should not be done for many shapes."""
    if any(s.operation.stands_apart for s in part.steps):
        return False  # only that is compiled, and it has one shape
    return len(part.steps) >= MIN_STEPS_COUNTED or any(
        s.operation.name == GRADIENT for s in part.steps
    )


def shown(shapes: Sequence[tuple[int, ...]]) -> str:
    """Lists shapes; of many the first few.

    Args:
        shapes: the shapes.

    >>> shown([(4, 3), (5, 3)]), shown([(n,) for n in range(9)])
    ('(4, 3), (5, 3)', '(0,), (1,), (2,) and 6 more')
    """
    texts = ", ".join(str(shape) for shape in shapes[:MAX_SHAPES_SHOWN])
    more = len(shapes) - MAX_SHAPES_SHOWN
    return f"{texts} and {more} more" if more > 0 else texts


SHAPE_CHANGES = ShapeChanges()
