"""Which step of a program is the first whose result is not finite, forward or backward.

The program is traced once more, with marks on the operands and results of its steps (`step_marks`),
and computed by NumPy, equation by equation (`interpreter`): loops run in Python, the backward pass
is there as JAX makes it. Nothing of the user's Python runs.
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, JaxprEqn

from tapefacade._trace.interpreter import Interpreter
from tapefacade._trace.named_axes import traced
from tapefacade._trace.program_listing import name_of
from tapefacade._trace.slices import Slice, Step, evaluate
from tapefacade._trace.step_marks import (
    MARKING_STATE,
    OPERAND,
    RESULT,
    Mark,
    StepMarks,
    is_backward,
    mark_of,
)

# Elements of a value that is kept whole until the program has been computed.
MAX_KEPT_ELEMENTS = 2**20
SELECTIONS = frozenset({"Select", "SelectV2"})  # kernels of `tf.where`
FORWARD, BACKWARD = "forward", "backward"
W = TypeVar("W", bound="Watch")


class ValueSummary(NamedTuple):
    """What is told of a value.

    Attributes:
        type: its dtype and shape, such as `float32[2, 3]`.
        low: its least finite element; None if there is none.
        high: its largest.
        counts: how many elements are `NaN`, `+Inf` and `-Inf`; without those that are 0.
        size: how many elements it has.
    """

    type: str
    low: float | None
    high: float | None
    counts: dict[str, int]
    size: int

    def __str__(self) -> str:
        if self.low is None:
            span = "" if self.counts else ", empty"
        elif self.low == self.high:
            span = f", {self.low:.6g}" if self.size == 1 else f", all {self.low:.6g}"
        else:
            span = f", from {self.low:.6g} to {self.high:.6g}"
        counted = [f"{count:,} {name}" for name, count in self.counts.items()]
        return f"{self.type}{span}{', ' * bool(counted)}{', '.join(counted)}"


def summary_of(value: Any) -> ValueSummary:
    """Tells the range of an array, and what in it is not finite.

    >>> str(summary_of(np.float32([0.0, 2.0, np.nan])))
    'float32[3], from 0 to 2, 1 NaN'
    """
    array = np.asarray(value)
    name = f"{array.dtype.name}{list(array.shape) if array.shape else ''}"
    wide: Any = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    finite = np.isfinite(wide)
    low = high = None
    if finite.any():
        real = np.abs(wide) if array.dtype.kind == "c" else wide
        low = float(np.min(real, where=finite, initial=np.inf)) + 0.0  # no -0.0
        high = float(np.max(real, where=finite, initial=-np.inf)) + 0.0
    counts: dict[str, int] = {}
    if not finite.all():
        real: Any = wide.real if array.dtype.kind == "c" else wide
        found = {
            "NaN": np.isnan(wide), "+Inf": np.isposinf(real), "-Inf": np.isneginf(real),
        }  # fmt: skip
        counts = {kind: int(where.sum()) for kind, where in found.items() if where.any()}
        counts = counts or {"Inf": int((~finite).sum())}
    return ValueSummary(name, low, high, counts, array.size)


class Origin(NamedTuple):
    """A step that has made a number which is not finite of others that are.

    Attributes:
        step: the instruction.
        line: where it was recorded; "" if that is not known.
        direction: `FORWARD` or `BACKWARD`.
        place: which result it is, or which operand's gradient.
        value: the result, or the gradient.
        operands: the floating operands, by their places.
        upstream: the gradients that have arrived, by the places of the results.
        element: the first element that is not finite.
        at_element: the same element of the operands, and of the gradients that have arrived, where
            these have the shape of the value: by side and place.
        iterations: of the loops around it, the outermost first, counted from 0.
        where_line: the line of the `tf.where` that does not take that element; "" if none.
    """

    step: Step
    line: str
    direction: str
    place: int
    value: ValueSummary
    operands: dict[int, ValueSummary]
    upstream: dict[int, ValueSummary]
    element: tuple[int, ...]
    at_element: dict[tuple[str, int], float]
    iterations: tuple[int, ...]
    where_line: str = ""

    @property
    def op(self) -> str:
        """How people call the op."""
        return name_of(self.step.operation)

    @property
    def kernel(self) -> str:
        """TensorFlow's name of the kernel; of a gradient with `Grad` at its end."""
        return self.step.operation.kernel + "Grad" * (self.direction == BACKWARD)


class Watch:
    """What the marks of a program show; a subclass says what it takes note of.

    Attributes:
        marks: the steps.
        loops: the numbers of the iterations that run.
    """

    def __init__(self, marks: StepMarks) -> None:
        self.marks = marks
        self.loops: list[int] = []

    def see(self, mark: Mark, value: Any) -> Any:
        """Takes note of a value, and returns it."""
        return value

    def step(self, number: int) -> tuple[Step, str]:
        """Returns a step and its line, "" if that is not known."""
        part, index = self.marks.steps[number]
        return part.steps[index], part.lines[index] if part.lines else ""


class _OriginWatch(Watch):
    """Takes note of what is not finite."""

    def __init__(self, marks: StepMarks) -> None:
        super().__init__(marks)
        self.values: dict[Mark, ValueSummary] = {}
        self.arrays: dict[Mark, Any] = {}
        self.found: list[tuple[Mark, Origin]] = []

    def see(self, mark: Mark, value: Any) -> Any:
        array = np.asarray(value)
        summary = self.values[mark] = summary_of(array)
        if array.size <= MAX_KEPT_ELEMENTS:
            self.arrays[mark] = array
        else:
            self.arrays.pop(mark, None)
        if summary.counts and (mark.side == OPERAND) == mark.backward:
            self._judge(mark, array, summary)
        return value

    def _side(self, number: int, side: str, backward: bool) -> dict[int, ValueSummary]:
        step, _ = self.step(number)
        count = len(step.inputs if side == OPERAND else step.types)
        marks = [Mark(number, side, place, backward) for place in range(count)]
        return {mark.place: self.values[mark] for mark in marks if mark in self.values}

    def _judge(self, mark: Mark, array: Any, summary: ValueSummary) -> None:
        """Takes note of a value that is not finite, unless it was made of such ones."""
        operands = self._side(mark.number, OPERAND, False)
        upstream = self._side(mark.number, RESULT, True) if mark.backward else {}
        before: set[str] = set()
        before.update(*(value.counts for value in (*operands.values(), *upstream.values())))
        if before and ("NaN" in before or "NaN" not in summary.counts):
            return
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array.astype(_wide(array))))[0])
        at_index = {}
        for side, values, backward in ((OPERAND, operands, False), (RESULT, upstream, True)):
            for place in values:
                other = self.arrays.get(Mark(mark.number, side, place, backward))
                if other is not None and other.shape == array.shape and other.dtype.kind != "c":
                    at_index[side, place] = float(other[index])
        step, line = self.step(mark.number)
        direction = BACKWARD if mark.backward else FORWARD
        origin = Origin(
            step, line, direction, mark.place, summary, operands, upstream, index,
            at_index, tuple(self.loops),
        )  # fmt: skip
        self.found.append((mark, origin))

    def origins(self) -> Iterator[Origin]:
        """Yields what was found, in the order of the computation, with the `tf.where` after it."""
        numbers = {(id(part), place): n for n, (part, place) in enumerate(self.marks.steps)}
        for mark, origin in self.found:
            part, place = self.marks.steps[mark.number]
            line = ""
            for selection in _selections(part, place):
                if self._is_left_out(origin, numbers.get((id(part), selection))):
                    line = part.lines[selection] if part.lines else ""
                    break
            yield origin._replace(where_line=line)

    def _is_left_out(self, origin: Origin, selection: int | None) -> bool:
        """Whether a `tf.where` takes the other value in the place of one that is not finite."""
        if origin.direction == BACKWARD:
            arrived = [x for (side, _), x in origin.at_element.items() if side == RESULT]
            return bool(arrived) and not any(arrived)
        if selection is None:
            return False
        taken = self.arrays.get(Mark(selection, RESULT, 0, False))
        if taken is None or taken.ndim != len(origin.element):
            return False
        return bool(np.isfinite(taken[origin.element]))


def _wide(array: Any) -> Any:
    return np.complex128 if array.dtype.kind == "c" else np.float64


def _selections(part: Slice, place: int) -> Iterator[int]:
    """Yields the steps that choose between values which depend on one step's results, and others.

    Only what stays in place leads there, as element i of the choice is element i of the result.
    """
    first = [len(part.inputs)]
    for step in part.steps:
        first.append(first[-1] + len(step.types))
    shape = part.steps[place].types[0].shape
    reached = set(range(first[place], first[place + 1]))
    for later in range(place + 1, len(part.steps)):
        step = part.steps[later]
        if reached.isdisjoint(step.inputs) or step.types[0].shape != shape:
            continue
        if step.operation.kernel in SELECTIONS:
            yield later
        reached.update(range(first[later], first[later + 1]))


class WatchedProgram(Interpreter):
    """A program computed equation by equation, all loops in Python, whose marks are seen."""

    max_in_loop = math.inf

    def __init__(self, closed: ClosedJaxpr, watch: Watch, backward: bool = False) -> None:
        self._watch = watch
        self._backward = backward
        self._of_loop = False  # whether the next program within is the body of a loop
        self._is_body = False
        super().__init__(closed)

    def _new(self, closed: ClosedJaxpr) -> "WatchedProgram":
        found = WatchedProgram(closed, self._watch, self._backward)
        found._is_body = self._of_loop
        return found

    def _under(self, equation: JaxprEqn, make: Callable[..., Any], *arguments: Any) -> Any:
        """Makes what computes the programs within an equation."""
        before, of_loop = self._backward, self._of_loop
        self._backward = before or is_backward(str(equation.source_info.name_stack))
        self._of_loop = equation.primitive.name in ("scan", "while")
        try:
            return make(*arguments)
        finally:
            self._backward, self._of_loop = before, of_loop

    def _inline(self, equation: JaxprEqn, inputs: list[int], places: dict[Any, int]) -> None:
        self._under(equation, super()._inline, equation, inputs, places)

    def _function(self, equation: JaxprEqn) -> Any:
        name = equation.primitive.name
        if name == "optimization_barrier" and len(equation.invars) == 1:
            mark = mark_of(str(equation.source_info.name_stack), self._backward)
            if mark is not None:
                return lambda value: [self._watch.see(mark, value)]
        makers = {"scan": self._scan, "while": self._while, "cond": self._cond}
        types: list[Any] = [variable.aval for variable in (*equation.invars, *equation.outvars)]
        if name in makers and all(isinstance(type_.dtype, np.dtype) for type_ in types):
            made = self._under(equation, makers[name], equation)
            if made is not None:
                return made if name == "cond" else functools.partial(self._looped, made)
        return super()._function(equation)

    def _looped(self, made: Callable[..., Any], *arrays: Any) -> Any:
        """Runs a loop, whose iterations are counted."""
        self._watch.loops.append(0)
        try:
            return made(*arrays)
        finally:
            self._watch.loops.pop()

    def _test(self, jaxpr: Any) -> Interpreter:
        self._of_loop = False
        return super()._test(jaxpr)

    def run(self, arguments: Sequence[Any]) -> list[Any]:
        found = super().run(arguments)
        if self._is_body:
            self._watch.loops[-1] += 1
        return found


def _apply(step: Step, arrays: list[Any]) -> Sequence[Any]:
    return step.operation.evaluate(arrays, step.static)


def watched_run(
    part: Slice, arrays: Iterable[Any], watch_of: Callable[[StepMarks], W]
) -> tuple[W, list[Any]]:
    """Computes a program with a look at all operands and results, and the gradients of these.

    Args:
        part: the program.
        arrays: the values of its inputs.
        watch_of: makes what looks at them.

    Returns:
        What has looked, and the results.
    """
    marks = StepMarks()

    def run(*values: Any) -> list[Any]:
        slots = evaluate(part, values, _apply)
        return [slots[slot] for slot in part.outputs]

    shapes = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in part.inputs]
    with jax.enable_x64(True):
        with MARKING_STATE.temporarily(marks=marks):
            closed = traced(run)(*shapes)
        watch = watch_of(marks)
        with np.errstate(all="ignore"):
            outputs = WatchedProgram(closed, watch).run([np.asarray(array) for array in arrays])
    return watch, outputs


def origins_in(part: Slice, arrays: Iterable[Any]) -> tuple[list[Origin], list[Any]]:
    """Finds the steps that make numbers which are not finite of others that are.

    Args:
        part: the program.
        arrays: the values of its inputs.

    Returns:
        What was found, in the order of the computation, empty if all is finite; and the results.
    """
    watch, outputs = watched_run(part, arrays, _OriginWatch)
    return list(watch.origins()), outputs
