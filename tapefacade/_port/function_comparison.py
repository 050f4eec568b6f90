"""`tf.debugging.compare`: one function here and under TensorFlow, and the first op that differs.

TensorFlow runs in a process of its own (`function_parcel`, `tensorflow_recorder`) and notes what
each of its kernels has computed, with the line. Here a tape records the function, and what it has
recorded is computed once more with a look at every step, forward and backward. A result of ours
agrees if TensorFlow has computed the same at that line: its kernels are other and smaller ones, so
they are not compared one by one. If the results of the function differ, the ops that lead to them
are followed back as long as they differ; the first of these has made the difference.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import nest
from tapefacade._core.error_texts import MESSAGE_ARGUMENTS
from tapefacade._core.random_seeds import GLOBAL, Seeds
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._function.function.eager_mode import functions_run_eagerly, run_functions_eagerly
from tapefacade._port import tensorflow_recorder as recorder
from tapefacade._port.comparison import MESSAGE_NO_TENSORFLOW, tensorflow_version
from tapefacade._port.function_parcel import FunctionParcel
from tapefacade._state.variable import Variable
from tapefacade._tape.tape import GradientTape, start_at_function
from tapefacade._tape.tape_recomputation import recorded_program
from tapefacade._trace.non_finite import Watch, watched_run
from tapefacade._trace.program_listing import name_of, place as text_of_line
from tapefacade._trace.slices import Slice
from tapefacade._trace.step_marks import OPERAND, RESULT, Mark, StepMarks

# Differences that rounding makes, relative to the largest element.
TOLERANCES = {"float64": 1e-9, "complex128": 1e-9, "float16": 1e-2, "bfloat16": 5e-2}
TOLERANCE = 1e-4  # of float32
MESSAGE_BACKEND = "`backend` is 'tensorflow', the only one there is to compare with, not {!r}"
MAX_KERNELS = 6


class NotedValue(NamedTuple):
    """A value that is compared.

    Attributes:
        dtype: the name of its dtype.
        shape: its shape.
        elements: its elements, of a large value some, in one dimension.
    """

    dtype: str
    shape: tuple[int, ...]
    elements: np.ndarray[Any, Any]

    @classmethod
    def of(cls, value: Any) -> "NotedValue | None":
        """Returns what is compared of a value of ours; None if it is no array."""
        notes = recorder.OpNotes()
        told = notes.value(value)
        return None if told is None else cls.told(told, notes.arrays)

    @classmethod
    def told(cls, told: Mapping[str, Any], arrays: Mapping[str, Any]) -> "NotedValue":
        """Returns what the other process has told."""
        return cls(told["dtype"], tuple(told["shape"]), np.asarray(arrays[told["key"]]))

    def __str__(self) -> str:
        shape = f"[{', '.join(map(str, self.shape))}]" if self.shape else ""
        shown = ", ".join(_number(x) for x in self.elements[:3]) if self.dtype != "string" else ""
        more = ", ..." * (self.elements.size > 3)
        return f"{self.dtype}{shape}" + (f" {shown}{more}" if shown else "")

    def difference(self, other: "NotedValue") -> float:
        """Returns the largest difference, relative to the largest element.

        It is infinite if the types differ, or what is not finite.
        """
        if self.dtype != other.dtype or self.shape != other.shape:
            return np.inf
        a, b = self.elements, other.elements
        if a.shape != b.shape:
            return np.inf  # strings of other lengths
        if self.dtype == "string" or a.dtype.kind == "b":
            return 0.0 if np.array_equal(a, b) else np.inf
        wide = np.complex128 if a.dtype.kind == "c" else np.float64
        a, b = a.astype(wide), b.astype(wide)
        finite = np.isfinite(a) & np.isfinite(b)
        if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
            return np.inf
        a, b = a[finite], b[finite]
        largest = float(max(np.max(np.abs(a), initial=0.0), np.max(np.abs(b), initial=0.0)))
        return float(np.max(np.abs(a - b), initial=0.0)) / largest if largest else 0.0

    def allowed(self, tolerance: float | None) -> float:
        """Returns which difference counts as rounding."""
        return TOLERANCES.get(self.dtype, TOLERANCE) if tolerance is None else tolerance

    def agrees(self, other: "NotedValue", tolerance: float | None) -> bool:
        """Whether two values are the same but for rounding."""
        return self.difference(other) <= self.allowed(tolerance)


def _number(value: Any) -> str:
    return str(value) if isinstance(value, complex | np.complexfloating) else f"{value:.6g}"


class OpDifference(NamedTuple):
    """The first op that does not compute what TensorFlow computes.

    Attributes:
        op: how people call it.
        direction: `forward`, or `backward` if it is its gradient that differs.
        line: where it was called, as `file:line`.
        ours: what it has computed.
        theirs: what TensorFlow has computed there that is most like it; None if nothing is.
        kernels: TensorFlow's kernels of that line.
        difference: the largest difference of these, relative to the largest element.
        operands: that of the operands.
    """

    op: str
    direction: str
    line: str
    ours: NotedValue
    theirs: NotedValue | None
    kernels: tuple[str, ...]
    difference: float
    operands: float

    def __str__(self) -> str:
        gradient = "the gradient of " * (self.direction == "backward")
        theirs = "nothing of that type" if self.theirs is None else str(self.theirs)
        kernels = ", ".join(self.kernels[:MAX_KERNELS])
        lines = [
            f"The first op that differs: {gradient}{self.op}, at {text_of_line(self.line)}",
            f"    here: {self.ours}",
            f"    TensorFlow{f' ({kernels})' * bool(kernels)}: {theirs}",
        ]
        apart = f"largest difference {self.difference:.2g} of the largest element; " * bool(
            np.isfinite(self.difference)
        )
        lines.append(f"    {apart}its operands differ by {self.operands:.2g}")
        return "\n".join(lines)


class FunctionComparison(NamedTuple):
    """What a function does here and under TensorFlow; shows itself as text.

    Attributes:
        agrees: whether both do the same.
        first: the first op that differs; None if none was found.
        differences: what differs of the results, of variables, or of exceptions, as texts.
        largest: the largest difference of a result, relative to its largest element, among those
            that agree.
        ops: how many ops were recorded here.
        version: of TensorFlow.
        error: the exception that both raise, as a text; "" if there is none.
    """

    agrees: bool
    first: OpDifference | None
    differences: tuple[str, ...]
    largest: float
    ops: int
    version: str
    error: str = ""

    def __repr__(self) -> str:
        if self.agrees and self.error:
            return f"The same as under TensorFlow {self.version}: both raise {self.error}"
        if self.agrees:
            return (
                f"The same as under TensorFlow {self.version}: {self.ops:,} ops, results differ by "
                f"{self.largest:.2g} of their size at most"
            )
        lines = [f"Other than under TensorFlow {self.version}:"]
        lines += [f"  {text}" for text in self.differences]
        return "\n".join([*lines, *([str(self.first)] if self.first is not None else [])])


class TensorFlowRun:
    """What the function has done under TensorFlow.

    Attributes:
        error: its exception, as `error_of` tells it; None if there was none.
        results: its results; None in the place of what is no array.
        variables: what variables have been assigned, by their places in the parcel.
        version: of TensorFlow.
    """

    def __init__(self, told: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        def value(one: Any) -> NotedValue | None:
            return None if one is None else NotedValue.told(one, arrays)

        self.error: dict[str, str] | None = told["error"]
        self.results = [value(one) for one in told["results"]]
        self.variables = {int(place): value(one) for place, one in told["variables"].items()}
        self.version: str = told["version"]
        self._of_line: dict[str, list[tuple[str, NotedValue]]] = {}
        self._all: list[tuple[str, NotedValue]] = []
        for op in told["ops"]:
            found = [(op["kernel"], v) for one in op["results"] if (v := value(one)) is not None]
            self._of_line.setdefault(op["line"], []).extend(found)
            self._all.extend(found)

    def candidates(self, line: str | None) -> list[tuple[str, NotedValue]]:
        """Returns kernels and values of a line, or of all of them if it has none."""
        return self._of_line.get(line or "") or self._all

    def kernels(self, line: str) -> tuple[str, ...]:
        """Returns the kernels of a line, each once."""
        return tuple(dict.fromkeys(kernel for kernel, _ in self._of_line.get(line, ())))

    def difference(self, value: NotedValue, line: str | None) -> float:
        """Returns the difference to that value of a line which is the nearest."""
        return min((value.difference(v) for _, v in self.candidates(line)), default=np.inf)

    def nearest(self, value: NotedValue, kernel: str, line: str | None) -> NotedValue | None:
        """Returns what a kernel has computed, or others, that is most like a value of ours."""
        alike = [
            (value.difference(v), kind != kernel, v)
            for kind, v in self.candidates(line)
            if v.dtype == value.dtype and v.shape == value.shape
        ]
        of_kernel = [found for found in alike if not found[1]] or alike
        return min(of_kernel, key=lambda found: found[:2])[2] if of_kernel else None


def _tensorflow_run(parcel: FunctionParcel, python: str) -> TensorFlowRun:
    """Runs a function under TensorFlow, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        parcel.write(folder)
        environment = {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ, "KERAS_BACKEND": "tensorflow"}
        done = subprocess.run(
            [python, recorder.__file__, folder], capture_output=True, text=True, errors="replace",
            env=environment,
        )  # fmt: skip
        answer = os.path.join(folder, recorder.ANSWER)
        if done.returncode or not os.path.isfile(answer):
            raise RuntimeError(f"TensorFlow's process has failed:\n{done.stderr[-4000:]}")
        with open(answer, encoding="utf-8") as file:
            told = json.load(file)
        if "refused" in told:
            raise RuntimeError(
                "The function could not be made under TensorFlow: "
                f"{told['refused']['class']}: {told['refused']['text']}\n"
                f"{told['refused']['traceback']}"
            )
        with np.load(os.path.join(folder, recorder.RESULTS)) as arrays:
            return TensorFlowRun(told, dict(arrays))


class _ValueWatch(Watch):
    """Takes note of every floating operand, result, and gradient of these; of loops the last."""

    def __init__(self, marks: StepMarks) -> None:
        super().__init__(marks)
        self.values: dict[Mark, NotedValue] = {}

    def see(self, mark: Mark, value: Any) -> Any:
        found = NotedValue.of(np.asarray(value))
        if found is not None:
            self.values[mark] = found
        return value


class _OwnRun:
    """What the function has done here, recorded by a tape.

    Attributes:
        error: its exception.
        results: the leaves of its result.
        ops: how many were recorded.
    """

    def __init__(
        self, f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any],
        seed: int | None,
    ) -> None:  # fmt: skip
        self.error: Exception | None = None
        self.results: list[Any] = []
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        seeds, ran_eagerly = GLOBAL.seeds, functions_run_eagerly()
        if seed is not None:
            GLOBAL.seeds = Seeds(seed)
        run_functions_eagerly(True)
        try:
            with self._tape:
                start_at_function(f)
                self.results = nest.flatten(f(*args, **kwargs), expand_composites=True)
        except Exception as error:  # the user's
            self.error = error
        finally:
            run_functions_eagerly(ran_eagerly)
            if seed is not None:
                GLOBAL.seeds = seeds
        self._program = recorded_program(self._tape._replayable("", None, None)[0])

    @property
    def ops(self) -> int:
        """How many ops were recorded."""
        return len(self._program.part.steps)

    def first_difference(
        self, wanted: Iterable[Any], theirs: TensorFlowRun, tolerance: float | None
    ) -> OpDifference | None:
        """Finds the op that has made results differ.

        Args:
            wanted: the results that differ, tensors or variables.
            theirs: what TensorFlow has computed.
            tolerance: the difference that is allowed.
        """
        part, arrays, places = self._program
        if not part.steps:
            return None
        slots = {places.get(slot) for one in wanted for slot in self._tape._slots(_held(one))}
        watch, outputs = watched_run(part, arrays, _ValueWatch)
        steps = _StepValues(part, watch, outputs, theirs, tolerance)
        return steps.first_difference({slot for slot in slots if slot is not None})


def _held(value: Any) -> Any:
    """Returns the tensor that a variable holds, of Keras's as well; else the value."""
    if not isinstance(value, Variable | EagerTensor):
        value = value.value
    return value._root._tensor if isinstance(value, Variable) else value


class _StepValues:
    """The values of a program's steps beside those of TensorFlow."""

    def __init__(
        self, part: Slice, watch: _ValueWatch, outputs: Sequence[Any], theirs: TensorFlowRun,
        tolerance: float | None,
    ) -> None:  # fmt: skip
        self._part, self._watch, self._theirs, self._tolerance = part, watch, theirs, tolerance
        self._numbers = {
            index: number
            for number, (own, index) in enumerate(watch.marks.steps) if own is part
        }  # fmt: skip
        self._first = [len(part.inputs)]
        for step in part.steps:
            self._first.append(self._first[-1] + len(step.types))
        self._values = {
            slot: value
            for slot, output in zip(part.outputs, outputs, strict=True)
            if (value := NotedValue.of(np.asarray(output))) is not None
        }
        self._differences: dict[Any, float] = {}

    def _is_rounding(self, value: NotedValue, difference: float) -> bool:
        return difference <= value.allowed(self._tolerance)

    def _differs(self, slot: int) -> bool:
        """Whether a step's result is none of TensorFlow's."""
        step = self._step_of(slot)
        if step is None or slot not in self._values:
            return False
        value = self._values[slot]
        return not self._is_rounding(value, self._theirs.difference(value, self._line(step)))

    def _line(self, step: int) -> str:
        return self._part.lines[step]

    def _step_of(self, slot: int) -> int | None:
        """Returns the step that computes a slot; None for a value from outside."""
        if slot < self._first[0]:
            return None
        return int(np.searchsorted(self._first, slot, side="right")) - 1

    def first_difference(self, wanted: set[int]) -> OpDifference | None:
        """Follows what differs from results back to where it begins."""
        blamed: dict[int, int] = {}
        waiting = list(wanted)
        while waiting:
            slot = waiting.pop()
            step = self._step_of(slot)
            # The results are known to differ, whatever else TensorFlow has computed there.
            if step is None or step in blamed or not (slot in wanted or self._differs(slot)):
                continue
            blamed[step] = slot
            waiting += self._part.steps[step].inputs
        if not blamed:
            return None
        step = min(blamed)
        return self._within(step) or self._told(step, blamed[step])

    def _told(self, step: int, slot: int) -> OpDifference | None:
        value = self._values.get(slot)
        if value is None:
            return None
        operands = [self._values[s] for s in self._part.steps[step].inputs if s in self._values]
        apart = max((self._theirs.difference(v, None) for v in operands), default=0.0)
        return self._difference(step, "forward", self._line(step), value, self._line(step), apart)

    def _difference(
        self, step: Any, direction: str, line: str, ours: NotedValue, theirs: str | None,
        operands: float,
    ) -> OpDifference:  # fmt: skip
        """Makes what is told of a step of the program, or of one within a step."""
        operation = self._part.steps[step].operation if isinstance(step, int) else step.operation
        kernel = operation.kernel + "Grad" * (direction == "backward")
        nearest = self._theirs.nearest(ours, kernel, theirs)
        apart = np.inf if nearest is None else ours.difference(nearest)
        kernels = self._theirs.kernels(line) if direction == "forward" else ()
        return OpDifference(
            name_of(operation), direction, line, ours, nearest, kernels, apart, operands
        )

    def _within(self, step: int) -> OpDifference | None:
        """Finds the op within a gradient, a loop or a branch whose values begin to differ."""
        number = self._numbers.get(step)
        if number is None:
            return None
        end = min((n for n in self._numbers.values() if n > number), default=np.inf)
        inner = [mark for mark in self._watch.values if number < mark.number < end]
        for mark in inner:
            result, source = (OPERAND, RESULT) if mark.backward else (RESULT, OPERAND)
            if mark.side != result or self._is_known(mark):
                continue
            causes = list(self._side(mark.number, source, mark.backward))
            if not all(self._is_known(cause) for cause in causes):
                continue
            if self._is_passed_over(mark, inner):
                continue
            found, line = self._watch.step(mark.number)
            apart = max((self._apart(cause) for cause in causes), default=0.0)
            direction = "backward" if mark.backward else "forward"
            return self._difference(
                found, direction, line, self._watch.values[mark], None if mark.backward else line,
                apart,
            )  # fmt: skip
        return None

    def _side(self, number: int, side: str, backward: bool) -> Iterator[Mark]:
        return (
            mark for mark in self._watch.values
            if (mark.number, mark.side, mark.backward) == (number, side, backward)
        )  # fmt: skip

    def _apart(self, mark: Mark) -> float:
        line = None if mark.backward else self._watch.step(mark.number)[1]
        value = self._watch.values[mark]
        if mark not in self._differences:
            # An operand is what another line has computed.
            near = self._theirs.difference(value, None if mark.side == OPERAND else line)
            self._differences[mark] = near
        return self._differences[mark]

    def _is_known(self, mark: Mark) -> bool:
        """Whether TensorFlow has computed the same; what it is given is not computed."""
        if mark.side == OPERAND and not mark.backward:
            part, index = self._watch.marks.steps[mark.number]
            if part.steps[index].inputs[mark.place] < len(part.inputs):
                return True
        value = self._watch.values[mark]
        # The first gradient, and those of results that add up, are constants of ours.
        is_ones = mark.backward and bool(np.all(value.elements == 1))
        return is_ones or self._is_rounding(value, self._apart(mark))

    def _is_passed_over(self, mark: Mark, inner: Sequence[Mark]) -> bool:
        """Whether what it leads to within the gradient is TensorFlow's again."""
        part, index = self._watch.marks.steps[mark.number]
        if not mark.backward:
            return False
        slot = part.steps[index].inputs[mark.place]
        first = len(part.inputs)
        for place, step in enumerate(part.steps):
            if first <= slot < first + len(step.types):
                arriving = [
                    m for m in inner
                    if m.backward and m.side == RESULT and m.place == slot - first
                    and self._watch.marks.steps[m.number] == (part, place)
                ]  # fmt: skip
                return bool(arriving) and all(self._is_known(m) for m in arriving)
            first += len(step.types)
        return False


@function("debugging.compare")
def compare(
    f: Callable[..., Any],
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
    backend: str = "tensorflow",
    python: str | None = None,
    tolerance: float | None = None,
    seed: int | None = 0,
) -> FunctionComparison:
    """Runs a function here and under TensorFlow, and names the first op that differs.

    TensorFlow has nothing like it. It runs in a process of its own, which the function is sent to:
    its source, the functions and classes of yours that it names, its globals and closure, with
    tensors, variables, arrays, Python values and models of Keras as values. Both sides call each
    `tf.function` as Python. The results are compared, and the values of variables after the call.

    Args:
        f: the function; what it needs else it makes itself.
        args: a list or tuple of its arguments.
        kwargs: its arguments with names.
        backend: "tensorflow".
        python: a Python that has TensorFlow; by default the one that runs.
        tolerance: the difference that is allowed, relative to the largest element of a value; by
            default 1e-9 for float64, 1e-4 for float32.
        seed: `tf.random.set_seed` is given it on both sides before the call, and here what was set
            is restored; None leaves the seeds alone.

    Returns:
        A `FunctionComparison`, which shows itself as text: whether both agree, and if not, what
        differs, the op that has made it differ (or whose gradient has), and your line.

    Raises:
        ModuleNotFoundError: if there is no TensorFlow.
        TypeError: if the function needs something that cannot be sent.
        ValueError: if the backend is another one, or `args` is no list or tuple.
        RuntimeError: if the function cannot be made under TensorFlow.
    """
    if backend != "tensorflow":
        raise ValueError(MESSAGE_BACKEND.format(backend))
    if not isinstance(args, list | tuple):
        raise ValueError(MESSAGE_ARGUMENTS.format(type(args)))
    python = sys.executable if python is None else python
    if tensorflow_version(python) is None:
        message = MESSAGE_NO_TENSORFLOW.format(python).partition(",")[0]
        raise ModuleNotFoundError(f"{message}, `python='PATH/TO/python'`")
    parcel = FunctionParcel(f, args, kwargs or {}, seed)
    theirs = _tensorflow_run(parcel, python)
    ours = _OwnRun(f, args, kwargs or {}, seed)
    return _compared(parcel, ours, theirs, tolerance)


def _compared(
    parcel: FunctionParcel, ours: _OwnRun, theirs: TensorFlowRun, tolerance: float | None
) -> FunctionComparison:
    """Compares what has come out."""
    texts: list[str] = []
    wanted: list[Any] = []
    largest = 0.0
    raised = _different_errors(ours.error, theirs.error)
    if raised:
        texts.append(raised)
    elif len(ours.results) != len(theirs.results):
        texts.append(f"{len(ours.results)} results here, {len(theirs.results)} under TensorFlow")
    pairs = [
        (f"result {place}", one, other)
        for place, (one, other) in enumerate(zip(ours.results, theirs.results, strict=False))
    ]
    pairs += [
        (f"variable {getattr(variable, 'path', variable.name)}", variable, theirs.variables[place])
        for place, variable in parcel.variables.items() if place in theirs.variables
    ]  # fmt: skip
    for what, one, other in pairs:
        own = None if one is None else NotedValue.of(one)
        if own is None or other is None:
            agrees = own is other
        elif agrees := own.agrees(other, tolerance):
            largest = max(largest, own.difference(other))
        else:
            wanted.append(one)
        if not agrees:
            texts.append(f"{what}: here {_shown(own)}, TensorFlow {_shown(other)}")
    first = ours.first_difference(wanted, theirs, tolerance) if wanted else None
    error = "" if ours.error is None else _error_text(recorder.error_of(ours.error))
    return FunctionComparison(
        not texts, first, tuple(texts), largest, ours.ops, theirs.version, error
    )


def _shown(value: NotedValue | None) -> str:
    return "None" if value is None else str(value)


def _different_errors(ours: Exception | None, theirs: Mapping[str, str] | None) -> str:
    """Returns a text if one has raised another exception than the other, else ""."""
    own = None if ours is None else recorder.error_of(ours)
    if (own and own["class"]) == (theirs and theirs["class"]):
        return ""
    return f"here {_error_text(own)}; TensorFlow {_error_text(theirs)}"


def _error_text(told: Mapping[str, str] | None) -> str:
    if told is None:
        return "no exception"
    text = told["text"].strip().partition("\n")[0]
    return f"{told['class']} at {text_of_line(told['line'])}: {text}"
