"""Speculative gradients: computed with the loss, where they followed a look at it before.

Who looks at the loss and asks for its gradient afterwards makes two programs of one, and the second
has to compute the forward part again. When the same look has been followed by the same gradient
before, the program that gives the loss computes the gradient with it. A guess that was wrong costs
one gradient, and is not made again before it would have been right as often as at first.

A gradient is what the tape has planned: `operation`, and the recording's slots of its `inputs`, of
all that it computes on its way (`ghosts`), and of what of that it can give back (`given_back`).
"""

from collections.abc import Sequence
from typing import Any

from tapefacade._trace.execution import Program, ProgramFailedError
from tapefacade._trace.operation import Operation
from tapefacade._trace.programs import make_program
from tapefacade._trace.recorded_values import RecordedValues
from tapefacade._trace.tree import Node

# So often in succession a gradient must have followed a look. Programs that are run once or twice
# are not compiled for another way to be run.
TIMES_BEFORE_GUESS = 2


class Foresight:
    """What has followed a program that gave values which somebody looked at.

    Attributes:
        gradient: what followed last.
        times: how often it has followed in succession.
        larger: the gradient, and the program that computes the values and it; None if it has not
            been made. Both stand together: threads that run equal programs share this object.
        is_open: whether the last guess has not come true so far.
    """

    __slots__ = ("gradient", "is_open", "larger", "times")

    def __init__(self) -> None:
        self.gradient: Any = None
        self.times = 0
        self.larger: tuple[Any, Program] | None = None
        self.is_open = False

    def followed(self, gradient: Any) -> None:
        """Takes note of a gradient that nobody has foreseen."""
        if gradient is self.gradient:
            self.times += 1
        else:
            self.gradient, self.times, self.larger = gradient, 1, None

    def guess(
        self, at: Node, data: RecordedValues, wanted: tuple[int, ...], effects: tuple[int, ...]
    ) -> tuple[Any, Program] | None:
        """Returns the gradient that is likely to follow, and what computes it as well."""
        if self.is_open:  # the last guess was wrong
            self.is_open = False
            self.times = 0
        gradient = self.gradient
        if gradient is None or self.times < TIMES_BEFORE_GUESS:
            return None
        larger = self.larger
        if larger is None or larger[0] is not gradient:
            types, _ = gradient.operation.infer((), ())
            node = Node(
                at, gradient.operation, (), gradient.inputs, types=types,
                ghosts=gradient.given_back, line=at.line,
            )  # fmt: skip
            slots = (*wanted, *range(node.first_output, node.end))
            self.larger = larger = gradient, make_program(node, data, slots, effects)
        return larger


def note_gradient(data: RecordedValues, gradient: Any) -> None:
    """Takes note that a gradient is asked for after a look at values of the same recording."""
    if data.looked is None:
        return
    program, end = data.looked
    slots = (*gradient.inputs, *gradient.ghosts)
    if any(slot >= end for slot in slots) or _acts(gradient.operation):
        return
    if program.foresight is None:
        program.foresight = Foresight()
    program.foresight.followed(gradient)


def take_foreseen(data: RecordedValues, gradient: Any) -> Sequence[Any] | None:
    """Returns the values of a gradient that have been computed already; None if they have not."""
    foreseen = data.foreseen  # another thread may look meanwhile
    if foreseen is None or foreseen[0] is not gradient:
        return None
    _, foresight, outputs = foreseen
    data.foreseen = None
    foresight.is_open = False
    return outputs


def run_foreseeing(
    program: Program,
    at: Node,
    data: RecordedValues,
    wanted: tuple[int, ...],
    effects: tuple[int, ...],
) -> list[Any]:
    """Runs a program that gives values to look at, and with it the gradient that will follow.

    Raises:
        ProgramFailedError: as the program does.
    """
    data.looked = (program, at.end)
    foresight = program.foresight
    larger = None if foresight is None else foresight.guess(at, data, wanted, effects)
    if foresight is None or larger is None:
        return program.run(data.leaves, data.scalars)
    gradient, whole = larger
    try:
        outputs = whole.run(data.leaves, data.scalars)
    except ProgramFailedError as failed:
        failed.outputs = failed.outputs[: len(wanted)]
        raise
    data.foreseen = (gradient, foresight, outputs[len(wanted) :])
    foresight.is_open = True
    return outputs[: len(wanted)]


def _acts(operation: Operation) -> bool:
    """Whether something happens when a gradient is computed, which must not happen in vain."""
    return any(step.operation.acts for step in operation.part.steps)  # type: ignore[attr-defined]
