"""Frames: a stretch of a recording that is the body of a function, and what happens in it."""

from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._trace.assignments import Hold, box_of, boxes_of, hold, release, set_together
from tapefacade._trace.program_listing import in_sentence
from tapefacade._trace.tree import Node, users_line

# A body of more instructions than this is no function: compiling it takes too long (12,000
# instructions: 12 s). Its Python runs at every call instead. Keras's Adam has 28 for a variable.
MAX_INSTRUCTIONS = 20_480

# Operators are named unlike their kernels.
SYMBOLIC_NAMES = {
    "AddV2": "add", "Sub": "sub", "Mul": "mul", "RealDiv": "truediv", "Pow": "pow",
    "BatchMatMulV2": "MatMul", "ReadVariable": "ReadVariableOp",
}  # fmt: skip


class ValueWanted(BaseException):
    """Somebody looks at a value where none exists yet: in the body of a loop or a branch.

    No `Exception`: the user's code must not catch it. It never leaves the package.

    Attributes:
        line: where that is.
        is_worth_another_run: whether a function was found to look at what its caller knows.
    """

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line
        self.is_worth_another_run = False


class WatchedRun:
    """What a function has recorded so far, for `tf.gradients` in it, where its Python runs.

    To its recording it is a tape: it keeps the recording going, and is told of variables.

    Attributes:
        trace: the recording; None while the function is recorded.
        start: where in it the function began.
        seen: the variables whose value is in a slot.
    """

    _recording = True
    _is_forward = False

    def __init__(self) -> None:
        self.trace: Any = None
        self.start = 0
        self.seen: dict[int, Any] = {}

    def begin(self, trace: Any, frame: "Frame | None" = None) -> None:
        """Begins to watch.

        Args:
            trace: the recording.
            frame: the function, if it has been recorded so far.
        """
        while frame is not None and frame.outer is not None:
            frame = frame.outer
        self.trace, self.start = trace, (trace if frame is None else frame).at.end
        self.seen = {} if frame is None else dict(frame.seen)
        trace.open_block(self)
        trace.epoch += 1

    def end(self) -> None:
        """Lets the recording go."""
        if self.trace is not None:
            self.trace.close_block(self)
            self.trace.epoch += 1
            self.trace = None

    def _wants(self, variable: Any) -> bool:
        return True

    def _read(self, variable: Any, slot: int) -> None:
        self.seen[slot] = variable


class RunningCall:
    """A call of a function whose Python runs, recorded or not.

    Attributes:
        watched: what it has recorded, if it may call `tf.gradients`.
        captured: tensors from outside, and what stands for them, by the ids of both.
        created: the variables that it has made, and their initial values.
        refusal: why it must not make variables; "" if it may.
        is_rehearsal: whether the next call records other Python if this one looks at a value.
        asserted: whether an op that exists in order to raise has been called, of which TensorFlow
            would run only what somebody uses.
        has_empty_loop: whether Python has run a loop over no rows of a tensor.
        may_run_again: whether Python can run once more, on known values.
    """

    __slots__ = (
        "asserted", "captured", "created", "has_empty_loop", "is_rehearsal", "may_run_again",
        "refusal", "watched",
    )  # fmt: skip

    def __init__(
        self, refusal: str, is_rehearsal: bool = False, takes_gradients: bool = False
    ) -> None:
        self.watched = WatchedRun() if takes_gradients else None
        self.captured: dict[int, tuple[EagerTensor, EagerTensor]] = {}
        self.created: list[tuple[Any, EagerTensor]] = []
        self.refusal = refusal
        self.is_rehearsal = is_rehearsal
        self.asserted = self.has_empty_loop = self.may_run_again = False

    def note_created(self, variable: Any) -> None:
        """Takes note of a new variable.

        Raises:
            ValueError: if the function has been called before.
        """
        if self.refusal:
            raise ValueError(self.refusal)
        self.created.append((variable, variable._tensor))


class Frame:
    """A function whose Python runs now, and is recorded while it does.

    Attributes:
        outer: the frame around it in the same recording, if there is one.
        holds: what other threads see of the variables that it assigns, if these get their values
            back at its end; None if they do not.
        at: the node at which it began.
        reads: the variables whose value from before the frame is in a slot.
        seen: the variables whose value is in a slot, also after assignments.
        assigned: variables that were assigned, and what they held before.
        names: TensorFlow's names of the arguments, by slot.
        observed: where somebody looked at a value, or why the Python has to run at every call;
            "" as long as all is recorded.
    """

    __slots__ = ("assigned", "at", "holds", "names", "observed", "outer", "reads", "seen")

    def __init__(self, at: Node, outer: "Frame | None", is_undone: bool) -> None:
        self.at = at
        self.outer = outer
        self.holds: list[Hold] | None = [] if is_undone else None
        self.reads: dict[int, Any] = {}
        self.seen: dict[int, Any] = {}
        self.assigned: dict[int, tuple[Any, EagerTensor]] = {}
        self.names: dict[int, str] = {}
        self.observed = ""

    def note_read(self, variable: Any, slot: int, source: int) -> None:
        """Takes note that a variable's value is in `slot`, taken from `source` (-1: outside)."""
        frame: Frame | None = self
        while frame is not None:
            frame.seen[slot] = variable
            frame = frame.outer
        frame = self
        while frame is not None and source < frame.at.end:
            if id(variable) not in frame.assigned:
                frame.reads[slot] = variable
            frame = frame.outer

    def note_assigned(self, variable: Any) -> None:
        """Takes note that a variable is going to hold another tensor."""
        frame: Frame | None = self
        while frame is not None and id(variable) not in frame.assigned:
            frame.assigned[id(variable)] = (variable, box_of(variable)._tensor)
            if frame.holds is not None:
                hold(variable, frame.holds)
            frame = frame.outer

    def observe(self, why: str = "") -> None:
        """Gives the recording up: the Python of this function has to run at every call."""
        why = why or f"{in_sentence(users_line())} looked at a value"
        frame: Frame | None = self
        while frame is not None:
            frame.keep()
            frame = frame.outer
        frame = self
        while frame is not None:
            frame.observed = frame.observed or why
            frame = frame.outer

    def keep(self) -> None:
        """Lets what the variables hold be seen by other threads, too.

        Raises:
            AssignedMeanwhileError: if another thread has assigned one, which would be lost.
        """
        if self.holds:
            release(self.holds, restored=False)
            self.holds = []

    def restore(self) -> None:
        """Gives the variables back what they held when the frame began."""
        held = {id(one.variable) for one in self.holds or ()}
        own = [pair for pair in self.assigned.values() if id(pair[0]) not in held]
        set_together(boxes_of([variable for variable, _ in own]), [before for _, before in own])
        if self.holds:
            release(self.holds, restored=True)  # others may have assigned them meanwhile
        self.assigned = {}


def symbolic_name(at: Node, frame: Frame | None, slot: int) -> str:
    """Returns a name in TensorFlow's manner for a tensor in a function."""
    start = 0
    while frame is not None:
        if slot in frame.names:
            return frame.names[slot]
        start = frame.at.end
        frame = frame.outer
    node = at
    while node.first > slot:
        assert node.parent is not None  # the root's first is 0
        node = node.parent
    name = kernel_name(node)
    same = 0
    before = node.parent
    while before is not None and before.first >= start:
        same += kernel_name(before).lower() == name.lower()
        before = before.parent
    return f"{name}{f'_{same}' if same else ''}:{slot - node.first_output}"


def kernel_name(node: Node) -> str:
    """Returns the name that TensorFlow begins the names of an instruction's results with."""
    kernel = "Placeholder" if node.operation is None else node.operation.kernel
    return SYMBOLIC_NAMES.get(kernel, kernel)
