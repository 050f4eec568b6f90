"""Bodies of branches and loops: programs recorded on placeholders, as pieces of one instruction.

An instruction made of bodies takes as inputs its own operands and, for each body, what this uses
from outside: variables, captured tensors, keys of random ops, Python numbers. A body's assignments
of variables are results of the instruction like any other. Its checks (an index out of range) are
results too: an instruction of their own, recorded after it, raises their errors. What a body prints
is such an instruction as well.

Which results depend on which operands is known for each body (`flow_of`): TensorFlow gives None
where no op leads from a source to a target, and an op that takes a body as a whole must not hide
that.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.gradient_rules import NOT_DIFFERENTIABLE, NoGradient, NotDifferentiable
from tapefacade._core.random_keys import Draw, drawn_again
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._function.function.outputs import OutputStructure
from tapefacade._function.function.recorded_program import RecordedProgram, slot_in
from tapefacade._function.function.tracing import record_body
from tapefacade._ops.array.printing import QUIET
from tapefacade._state.variable import Variable
from tapefacade._trace.body_depth import BODIES_TRACED
from tapefacade._trace.operation import Check, Operation
from tapefacade._trace.recording import THREAD
from tapefacade._trace.slices import Slice, Step, evaluate

FROM_ARGUMENTS, FROM_OUTSIDE = 0, 1


class BodyCheck(NamedTuple):
    """A check in a body: the operation that has it."""

    operation: Operation
    static: tuple[Any, ...]


class BodyProgram:
    """What a body computes; equal ones compare equal, whatever Python function they come from.

    Its operands are the body's arguments, then what it takes from outside. Its results are those of
    the body, then the new values of the variables it assigns.
    """

    def __init__(self, part: Slice, places: tuple[tuple[int, int], ...]) -> None:
        self.part = part
        self.places = places  # for each input of the slice: (INPUT, argument) or (OUTER, place)
        self._key = (part, places)
        self.acts = any(step.operation.acts for step in part.steps)
        types = part.types()
        self.types = tuple(types[slot] for slot in part.outputs)
        # The steps that have checks; known once it has been run or inferred.
        self.checks: list[BodyCheck] = []

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BodyProgram) and self._key == other._key

    @property
    def replayable(self) -> bool:
        """Whether all that it does can be differentiated without Python."""
        return all(step.operation.replayable for step in self.part.steps)

    def run(
        self, arguments: Sequence[Any], outer: Sequence[Any]
    ) -> tuple[list[Any], list[tuple[Any, ...]]]:
        """Computes the results from arrays.

        Returns:
            The results, and for each of `checks` a tuple: whether it has passed (a scalar), and the
            details of its error.
        """
        given = (arguments, outer)
        inputs = [given[kind][place] for kind, place in self.places]
        found: list[tuple[BodyCheck, tuple[Any, ...]]] = []

        def apply(step: Step, arrays: list[Any]) -> Sequence[Any]:
            if step.operation.check is not None:
                ok, *details = step.operation.test(arrays, step.static)
                if ok is not True:
                    checked = BodyCheck(step.operation, step.static)
                    found.append((checked, (jnp.asarray(ok), *map(jnp.asarray, details))))
            return step.operation.evaluate(
                without_gradients(step.operation, arrays, step.static), step.static
            )

        BODIES_TRACED.depth += 1
        try:
            slots = evaluate(self.part, inputs, apply)
        finally:
            BODIES_TRACED.depth -= 1
        self.checks = [checked for checked, _ in found]
        types = self.part.types()
        results = [
            jax.lax.convert_element_type(slots[slot], types[slot].numpy_dtype)
            for slot in self.part.outputs
        ]
        return results, [details for _, details in found]

    def check_types(
        self, arguments: Sequence[TensorType], outer: Sequence[TensorType]
    ) -> list[tuple[TensorType, ...]]:
        """Returns the types of the second result of `run`."""
        self.checks, found = _checks_of(self, tuple(arguments), tuple(outer))
        return found


@functools.lru_cache(maxsize=4096)
def _checks_of(
    program: BodyProgram, arguments: tuple[TensorType, ...], outer: tuple[TensorType, ...]
) -> tuple[list[BodyCheck], list[tuple[TensorType, ...]]]:
    """Returns the checks of a program, and the types of what they give."""
    with jax.enable_x64(True):
        shapes = [
            [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in types]
            for types in (arguments, outer)
        ]
        _, details = jax.eval_shape(program.run, *shapes)
    types = [
        tuple(type_of(array.shape, np.dtype(array.dtype)) for array in detail) for detail in details
    ]
    return program.checks, types


def without_gradients(
    operation: Operation, arrays: Sequence[Any], static: tuple[Any, ...]
) -> Sequence[Any]:
    """Returns the operands such that no gradient flows where TensorFlow has none."""
    places: Iterable[int] = operation.blocked(static, len(arrays))
    if isinstance(operation.gradient, NotDifferentiable):
        places = range(len(arrays))
    arrays = list(arrays)
    for place in places:
        arrays[place] = jax.lax.stop_gradient(arrays[place])
    return arrays


class Body:
    """A body, and where it was recorded.

    Attributes:
        program: what it computes.
        structure: the structure of what the Python function returned.
        count: how many results the function has; those of `program` after these are the new values
            of `assigned`.
        assigned: the variables that it assigns.
        recorded: what was recorded.
    """

    def __init__(self, recorded: RecordedProgram, structure: OutputStructure) -> None:
        self.structure = structure
        self.count = len(recorded.results)
        self.recorded = recorded
        self.assigned = [variable for variable, _ in recorded.assigned]
        wanted = [*recorded.results, *(slot for _, slot in recorded.assigned)]
        part, slots, _ = recorded.slice(wanted)
        arguments = {slot: place for place, slot in enumerate(recorded.arguments)}
        self._outer = [slot for slot in slots if slot not in arguments]
        outer = {slot: place for place, slot in enumerate(self._outer)}
        places = tuple(
            (FROM_ARGUMENTS, arguments[slot]) if slot in arguments else (FROM_OUTSIDE, outer[slot])
            for slot in slots
        )
        self.program = BodyProgram(part, places)

    @property
    def uncertain(self) -> str:
        """Why the program is not what the Python function does; "" if it is."""
        return self.recorded.uncertain

    @property
    def is_complete(self) -> bool:
        """Whether all that it takes from outside is there."""
        recorded = self.recorded
        known = {*recorded.variables, *recorded.captures, *recorded.draws, *recorded.scalars}
        return known.issuperset(self._outer)

    def takes(self, arguments: Sequence[EagerTensor]) -> bool:
        """Whether it was recorded for arguments of such types."""
        types = [self.recorded.type_of(slot) for slot in self.recorded.arguments]
        return types == [tensor._type for tensor in arguments]

    @property
    def draws(self) -> list[int]:
        """The places, among what comes from outside, of the keys of random ops."""
        return [p for p, slot in enumerate(self._outer) if slot in self.recorded.draws]

    def outer_tensors(self) -> list[EagerTensor | Variable]:
        """Returns what the program takes from outside, for this call: keys are drawn anew."""
        return [drawn_again(item) if isinstance(item, Draw) else item for item in self.outside()]

    def drawn_tensors(self) -> list[EagerTensor | Variable]:
        """Returns what the program takes from outside, with the keys that were drawn for it."""
        return [item.key if isinstance(item, Draw) else item for item in self.outside()]

    def outside(self) -> list[EagerTensor | Variable | Draw]:
        """Returns what the program takes from outside; for a key how it is drawn."""
        recorded = self.recorded
        found: list[EagerTensor | Variable | Draw] = []
        for slot in self._outer:
            if slot in recorded.variables:
                found.append(recorded.variables[slot])
            elif slot in recorded.captures:
                found.append(recorded.captures[slot])
            elif slot in recorded.draws:
                found.append(recorded.draws[slot])
            else:
                dtype = recorded.type_of(slot).numpy_dtype
                found.append(from_host(np.array(recorded.scalars[slot], dtype)))
        return found


def body_of(
    function: Callable[[list[EagerTensor]], Any],
    described: Callable[..., Any],
    types: Sequence[TensorType],
    names: Sequence[str] = (),
) -> Body:
    """Records a function on placeholders.

    Args:
        function: takes a list of tensors, which have no values.
        described: the user's function, for messages.
        types: the types of these tensors.
        names: TensorFlow's names of them.

    Raises:
        ValueWanted: if somebody looks at a value that is not known.
    """
    return Body(*record_body(function, described, types, names))


def operand(tensor: EagerTensor | Variable) -> tuple[int, TensorType]:
    """Returns the slot of an operand in the recording of this thread, and its type."""
    recording = THREAD.recording
    if isinstance(tensor, Variable):
        return tensor._slot_in(recording), tensor._type
    return slot_in(recording, tensor), tensor._type


class _LiftedCheck(Operation):
    """Raises the error of a check in a body, whose verdict and details are its inputs."""

    name = "check in a body"
    is_check_of_input = True
    kernel = "Assert"
    check = Check(("ok",), lambda *arrays: arrays, ValueError)

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return tuple(types[:1]), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return arrays[:1]

    def test(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(arrays)

    def asserts(self, static: tuple[Any, ...]) -> bool:
        operation, of_operation = static
        return operation.asserts(of_operation)

    def stays(self, static: tuple[Any, ...]) -> bool:
        operation, of_operation = static
        return operation.stays(of_operation)

    def error(self, details: Sequence[Any], static: tuple[Any, ...]) -> Exception:
        operation, of_operation = static
        return operation.error(details, of_operation)


_LIFTED_CHECK = _LiftedCheck()


def record_checks(checks: Sequence[BodyCheck], found: Sequence[Sequence[EagerTensor]]) -> None:
    """Records the instructions that raise the errors of checks in a body.

    Args:
        checks: `BodyProgram.checks`.
        found: for each of them the tensors with its verdict and details: results of the
            instruction that the body is part of.
    """
    recording = THREAD.recording
    for checked, tensors in zip(checks, found, strict=True):
        slots = tuple(slot_in(recording, tensor) for tensor in tensors)
        static = (checked.operation, checked.static)
        recording.apply(_LIFTED_CHECK, static, slots, [tensor._type for tensor in tensors])
    if any(checked.operation.asserts(checked.static) for checked in checks):
        recording.raise_asserted()


# The iterations of a loop that are followed; after these what depends on what repeats itself.
MAX_ITERATIONS_FOLLOWED = 256


class Flow(NamedTuple):
    """What depends on what, op by op; sets of inputs are the bits of integers.

    Attributes:
        outputs: for each output the inputs it depends on.
        missing: for each output the kernels without a gradient that lie on the way.
    """

    outputs: tuple[int, ...]
    missing: tuple[frozenset[str], ...]


@functools.lru_cache(maxsize=4096)
def flow_of(part: Slice) -> Flow:
    """Follows floating values through a program."""
    types = part.types()
    masks = [1 << slot if types[slot].inexact else 0 for slot in range(len(part.inputs))]
    missing: list[frozenset[str]] = [frozenset()] * len(part.inputs)
    for step in part.steps:
        of_inputs = [types[slot] for slot in step.inputs]
        for place, type_ in enumerate(step.types):
            used = _used(step, of_inputs, place)
            mask, lacking = 0, frozenset[str]()
            for slot in used:
                mask |= masks[slot]
                lacking |= missing[slot]
            gradient = step.operation.gradient
            if type(gradient) is NoGradient and mask:  # a class of its own: JAX knows a rule
                lacking |= {gradient.kernel}
            masks.append(mask if type_.inexact else 0)
            missing.append(lacking if type_.inexact else frozenset())
    return Flow(
        tuple(masks[slot] for slot in part.outputs), tuple(missing[slot] for slot in part.outputs)
    )


def dependencies_of(program: BodyProgram, count: int) -> tuple[frozenset[int], ...]:
    """Returns for each result of a program the operands it depends on.

    Args:
        program: the program.
        count: how many arguments it has; what it takes from outside follows them.
    """
    places = [place if kind == FROM_ARGUMENTS else count + place for kind, place in program.places]
    return tuple(
        frozenset(place for bit, place in enumerate(places) if mask >> bit & 1)
        for mask in flow_of(program.part).outputs
    )


def _used(step: Step, types: Sequence[TensorType], place: int) -> list[int]:
    """Returns the slots through which a gradient flows from an output of a step."""
    operation = step.operation
    if isinstance(operation.gradient, NotDifferentiable):
        return []
    through = operation.dependencies(step.static, types)
    places = range(len(step.inputs)) if through is None else sorted(through[place])
    blocked = operation.blocked(step.static, len(step.inputs))
    return [step.inputs[k] for k in places if k not in blocked]


def flow_of_loop(
    once: Callable[[tuple[int, ...]], tuple[int, ...]], start: tuple[int, ...], count: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Follows the state of a loop.

    Args:
        once: what the state depends on after an iteration, given that before it.
        start: what it depends on at first.
        count: the number of iterations.

    Returns:
        What the last state depends on, and what the states before the iterations do, together.
    """
    state, before = start, (0,) * len(start)
    for _ in range(min(count, MAX_ITERATIONS_FOLLOWED)):
        before = tuple(a | b for a, b in zip(before, state, strict=True))
        after = once(state)
        if after == state:
            break
        state = after
    return state, before


class EffectsOnly:
    """Base of the ops that run a loop or branches again, only for what these print."""

    acts = True

    def __init__(self, plan: Any) -> None:
        above: Any = super()
        above.__init__(plan)
        self.gradient = NOT_DIFFERENTIABLE

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        above: Any = super()
        above.infer(static, types)
        return (type_of((), np.dtype(np.bool_)),), None

    def evaluate(self: Any, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        if not QUIET.on:
            self.computed(arrays)
        return [jnp.ones((), bool)]

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...] | None:
        return None
