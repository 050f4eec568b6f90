"""Programs that are compiled again and again because the shapes of what they are given change.

Asked only when a program is made that is not compiled: a step that repeats does not come here.
"""

import threading
from collections.abc import Sequence
from typing import Any

from tapefacade._core.logging import get_logger
from tapefacade._trace.program_listing import in_sentence, name_of, own_line
from tapefacade._trace.slices import Slice

# So many shapes are a habit; that of the last, smaller batch of each epoch is only the second.
MANY_SHAPES = 5
# What has fewer ops and no gradient compiles in no time.
MIN_STEPS_COUNTED = 8
MAX_SHAPES_SHOWN = 3
# Programs that are remembered; all are forgotten when there are more.
MAX_PROGRAMS = 512
GRADIENT = "GradientTape.gradient"
REMEDY_NUMBERS = "give numbers that change as tensors where an op takes them so"
REMEDY = "pad, or leave the last batch out by `drop_remainder=True`"
MESSAGE_SHAPES = (
    "Shapes change at %s: %s. What is compiled for one shape cannot serve another: %s so far%s. "
    "(This is said once for each line.)"
)
MESSAGE_NUMBERS = (
    "Numbers that are part of the program change at %s: %s. What is compiled for some cannot serve "
    "others: %s was given %s so far. (This is said once for each line.)"
)
MAX_NUMBER_TEXT = 40  # characters

Shapes = tuple[tuple[int, ...], ...]


class ProgramShapes:
    """The shapes with which the same ops have been asked for.

    Attributes:
        lines: of the steps, in the user's files, as they were recorded first.
        users: for each input the first step that uses it.
        shapes: those of the inputs, in the order in which they came.
        statics: the static parameters of the steps, likewise.
    """

    def __init__(self, part: Slice, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        self.users = [0] * len(part.inputs)
        for place, step in reversed(list(enumerate(part.steps))):
            for slot in step.inputs:
                if slot < len(self.users):
                    self.users[slot] = place
        self.shapes: dict[Shapes, None] = {}
        self.statics: dict[tuple[Any, ...], None] = {}
        self.operations = [step.operation for step in part.steps]

    def has_grown(self) -> bool:
        """Whether sizes have grown by one: a sequence is decoded, and the next shape is another."""
        last = [[n for shape in shapes for n in shape] for shapes in list(self.shapes)[-2:]]
        grown = {after - before for before, after in zip(last[0], last[-1], strict=True)}
        return 1 in grown and grown <= {0, 1}

    def change_of_numbers(self) -> tuple[str, str, list[str]]:
        """Returns the line at which static parameters change most, the op, and these as texts."""
        columns = [list(dict.fromkeys(column)) for column in zip(*self.statics, strict=True)]
        place = max(range(len(columns)), key=lambda p: (len(columns[p]), -p))
        found = []
        for static in columns[place]:
            changing = [
                repr(value)
                for position, value in enumerate(static)
                if any(other[position : position + 1] != (value,) for other in columns[place])
            ]
            text = ", ".join(changing)
            found.append(text if len(text) <= MAX_NUMBER_TEXT else f"{text[:MAX_NUMBER_TEXT]}...")
        return own_line(self.lines[place:]), name_of(self.operations[place]), found

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
        self._lock = threading.RLock()
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
            is_new = before < len(known.shapes)
            if is_new and len(known.shapes) == MANY_SHAPES and is_worth_a_word(part):
                self._tell(known)
            elif not is_new and before == 1 and len(known.statics) <= MANY_SHAPES:
                self._note_numbers(known, part)
            elif is_new and before == 0:
                known.statics[tuple([step.static for step in part.steps])] = None

    def of(self, part: Slice) -> ProgramShapes | None:
        """Returns what is known of a program and those that differ from it in shapes only."""
        return self._found.get(key_of(part))

    def varies(self, part: Slice) -> bool:
        """Whether a program has come with so many shapes that the next may have another one."""
        known = self.of(part)
        return known is not None and (len(known.shapes) >= MANY_SHAPES or known.has_grown())

    def _note_numbers(self, known: ProgramShapes, part: Slice) -> None:
        """Takes note of static parameters, where the inputs have always had the same shapes."""
        before = len(known.statics)
        known.statics[tuple([step.static for step in part.steps])] = None
        if before < len(known.statics) == MANY_SHAPES and is_worth_a_word(part):
            line, op, numbers = known.change_of_numbers()
            if line not in self._told and len(numbers) >= MANY_SHAPES:
                self._told.add(line)
                texts = shown(numbers)
                get_logger().warning(MESSAGE_NUMBERS, in_sentence(line), REMEDY_NUMBERS, op, texts)

    def _tell(self, known: ProgramShapes) -> None:
        line, shapes = known.change()
        if line not in self._told and len(shapes) >= MANY_SHAPES:
            self._told.add(line)
            get_logger().warning(
                MESSAGE_SHAPES, in_sentence(line), REMEDY, shown(shapes), changing_size(shapes)
            )


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


def changing_size(shapes: Sequence[tuple[int, ...]]) -> str:
    """Names the size that changes among shapes of one rank, if it is one.

    Args:
        shapes: the shapes.

    >>> changing_size([(4, 3), (5, 3), (9, 3)])
    '; axis 0 was 4, 5, 9'
    """
    sizes = [list(dict.fromkeys(column)) for column in zip(*shapes, strict=True)]
    changing = [axis for axis, found in enumerate(sizes) if len(found) > 1]
    if len(changing) != 1:
        return ""
    return f"; axis {changing[0]} was {shown(sizes[changing[0]])}"


def padding(shapes: Sequence[tuple[int, ...]]) -> str:
    """Says what to write, so that a value has the same shape each time.

    It is padded by NumPy: `tf.pad` would be part of the program, and compiled for each shape.

    Args:
        shapes: the shapes that it had.

    >>> padding([(4, 3), (4, 9), (4, 5)]).split("`")[1]
    'np.pad(x, [(0, 0), (0, 9 - x.shape[1])])'
    """
    if len({len(shape) for shape in shapes}) != 1:
        return REMEDY
    sizes = [set(column) for column in zip(*shapes, strict=True)]
    changing = [axis for axis, found in enumerate(sizes) if len(found) > 1]
    if not changing:
        return REMEDY
    largest = tuple([max(found) for found in sizes])
    margins = ", ".join(
        f"(0, {largest[axis]} - x.shape[{axis}])" if axis in changing else "(0, 0)"
        for axis in range(len(sizes))
    )
    text = (
        f"pad it to {largest}, the largest so far, before it is a tensor, "
        f"`np.pad(x, [{margins}])`, and mask what is added"
    )
    if changing == [0]:
        return f"{text}; or leave the last batch out by `drop_remainder=True`"
    if 0 in changing:
        return text
    return f"{text}; or `.padded_batch({largest[0]}, {list(largest[1:])})` in the dataset"


def shown(shapes: Sequence[Any]) -> str:
    """Lists shapes; of many the first few.

    Args:
        shapes: the shapes, or other things.

    >>> shown([(4, 3), (5, 3)]), shown([(n,) for n in range(9)])
    ('(4, 3), (5, 3)', '(0,), (1,), (2,) and 6 more')
    """
    texts = ", ".join(str(shape) for shape in shapes[:MAX_SHAPES_SHOWN])
    more = len(shapes) - MAX_SHAPES_SHOWN
    return f"{texts} and {more} more" if more > 0 else texts


SHAPE_CHANGES = ShapeChanges()
