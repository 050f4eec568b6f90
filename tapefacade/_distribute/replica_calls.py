"""Calls of a function in all replicas: recorded once, as one instruction."""

import difflib
import functools
import types
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes, nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.interned_objects import interned
from tapefacade._core.random_keys import Draw, drawn_for_replicas, rehearsing
from tapefacade._core.replica_places import entered
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._distribute.collectives import AXIS, GATHERING, GatherSizes
from tapefacade._distribute.distributed_variables import (
    DistributedVariable,
    SyncOnReadVariable,
    copies_of_replicas,
    replicas_in_turn,
)
from tapefacade._distribute.replica_contexts import (
    HINT_LOOKED,
    OUTSIDE,
    RecordedReplica,
    SingleReplica,
)
from tapefacade._distribute.replica_run_op import (
    ReplicaPlan,
    ReplicaRun,
    ReplicaRunForEffects,
    differing,
    differing_inputs,
)
from tapefacade._distribute.replica_threads import run_in_threads
from tapefacade._distribute.replica_uneven_run_op import (
    HINT_SIZES,
    MESSAGE_ORDER,
    UnevenPart,
    UnevenPlan,
    UnevenRun,
    UnevenRunForEffects,
)
from tapefacade._distribute.replica_values import (
    PerReplica,
    ReplicaValues,
    as_component,
    regrouped,
    selected,
)
from tapefacade._function.control.bodies import Body, BodyProgram, body_of, operand, record_checks
from tapefacade._function.control.scan_op import BodyKey
from tapefacade._function.function.rewriter import REWRITER
from tapefacade._ops.array.joining import stack
from tapefacade._state.joint_assignments import put_together
from tapefacade._state.variable import UnreadVariable, Variable
from tapefacade._trace.assignments import locked
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.named_axes import NAMED_AXES
from tapefacade._trace.recording import THREAD, Recording
from tapefacade._trace.slices import adopt_lines

if TYPE_CHECKING:
    from tapefacade._distribute.strategies import Strategy

WHY_TEXTS = "it is given texts"
HINT_TEXTS = (
    "Call `strategy.run` outside of tf.function, or turn the texts into numbers in the dataset: "
    "`dataset.map(...)`."
)
WHY_SHAPES = "the values of the replicas have different shapes"
WHY_OUTSIDE = "it assigns the variable {}, which was " + OUTSIDE
MESSAGE_HOSTS = (
    "A function that runs in the replicas of several processes is one program of all of them. This "
    "one is not: {}."
)
EMPTY = types.CellType()
WHY_LOOKED = "a function that a strategy runs looks at a value ({})"


class ReplicaCall:
    """A call of a function in several replicas."""

    def __init__(
        self, strategy: "Strategy", fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]
    ) -> None:
        self.strategy = strategy
        self.fn = fn
        self.arguments = (tuple(args), kwargs)
        self.flat = nest.flatten(self.arguments)
        self._sizes: list[tuple[int, ...]] | None = None  # of what replicas gather, if they differ

    def result(self) -> Any:
        """Calls the function; returns a structure with `PerReplica` leaves."""
        stacks = [_stacked(leaf) for leaf in self.flat if isinstance(leaf, ReplicaValues)]
        is_even = not any(each is None for each in stacks)
        if not is_even and not self._is_dense():
            return self._in_turn(WHY_SHAPES)
        if self.strategy.here is not None and self._has_texts():
            if THREAD.functions:
                raise hinted(RuntimeError(MESSAGE_HOSTS.format(WHY_TEXTS)), HINT_TEXTS)
            return self._in_turn(WHY_TEXTS)
        try:
            found = [self._recorded(self._types(stacks))] if is_even else self._recorded_each()
        except ValueWanted as wanted:
            if THREAD.recording.frame is not None:
                THREAD.recording.observe(WHY_LOOKED.format(wanted.line))
            return self._in_turn(f"it looks at a value, {wanted.line}")
        bodies = [one.body for one in found]
        for variable in bodies[0].assigned:
            if getattr(variable, "_strategy", None) is not self.strategy:
                return self._in_turn(WHY_OUTSIDE.format(variable.name))
        with locked(bodies[0].assigned):
            if is_even:
                return self._packed(found[0].result, self._run(bodies[0], stacks))
            return self._packed_each([one.result for one in found], self._run_each(bodies))

    # All at once.

    def _types(self, stacks: Sequence[Any]) -> list[TensorType]:
        """Returns the types of the rows of the values of the replicas."""
        return [
            type_of(part._type.shape[1:], part._type.numpy_dtype)
            for each in stacks
            for part in _parts(each)
        ]

    def _recorded(self, types: Sequence[TensorType]) -> "_RecordedCall":
        """Records the function, rewritten if it looks at values and runs in a `tf.function`."""
        python = getattr(self.fn, "python_function", self.fn)
        rewritten = REWRITER.rewrite(python) if THREAD.functions else None
        return self._body(python if rewritten is None else rewritten, types)

    def _body(self, fn: Callable[..., Any], types: Sequence[TensorType]) -> "_RecordedCall":
        results: list[_Result] = []
        sizes = None if self._sizes is None else GatherSizes(self._sizes)

        def call(tensors: list[EagerTensor]) -> Any:
            rest = iter(tensors)
            flat = []
            for leaf in self.flat:
                if not isinstance(leaf, ReplicaValues):
                    flat.append(leaf)
                    continue
                form = None if leaf._stacked is not None else leaf._every()[0]
                parts = [next(rest) for _ in range(len(_parts(form)) if _is_composite(form) else 1)]
                flat.append(_row(form, parts) if _is_composite(form) else parts[0])
            args, kwargs = nest.pack_sequence_as(self.arguments, flat)
            context = RecordedReplica(self.strategy)
            with (
                entered(self.strategy, context), THREAD.temporarily(describing=True),
                GATHERING.temporarily(sizes=sizes),
            ):  # fmt: skip
                results.append(self._taken(fn(*args, **kwargs), context))
                return results[-1].tensors()

        axes = ((AXIS, self.strategy.num_replicas_in_sync),)
        with rehearsing(), self.strategy.creating(), NAMED_AXES.temporarily(sizes=axes):
            body = body_of(call, fn, list(types))
        return _RecordedCall(body, results[-1], sizes)

    def _taken(self, form: Any, context: RecordedReplica) -> "_Result":
        """Takes a result apart: what the replica has made, and what is the same for all."""
        recording = THREAD.recording
        leaves = [_as_result(leaf) for leaf in nest.flatten(form, expand_composites=True)]
        own, made = [], []
        for place, leaf in enumerate(leaves):
            if type(leaf) is EagerTensor and leaf._recording is recording:
                own.append(place)
            elif isinstance(leaf, EagerTensor | np.ndarray | np.generic):
                made.append(place)
        same = {k for k in own if any(leaves[k] is tensor for tensor in context._same)}
        if made:
            known = {id(value) for value in (*_parts(self.flat), *_known_to(self.fn))}
            made = [place for place in made if id(leaves[place]) not in known]
        return _Result(form, leaves, own, same, made)

    def _packed(self, result: "_Result", rows: Sequence[EagerTensor]) -> Any:
        """Returns the result: of what a replica has made, each has its own."""
        count, here = self.strategy.num_replicas_in_sync, self.strategy.here
        devices = self.strategy._devices if here is None else ()
        stacked: list[Any] = list(result.leaves)
        for place, row in zip(result.own, rows, strict=True):
            each = PerReplica(stacked=row, count=count, here=here, devices=devices)
            stacked[place] = row[0] if place in result.same else each
        for place in result.made:
            stacked[place] = PerReplica([stacked[place]] * count, here=here)
        if not any(isinstance(leaf, CompositeTensor) for leaf in nest.flatten(result.form)):
            return nest.pack_sequence_as(result.form, stacked)
        results = [
            nest.pack_sequence_as(
                result.form,
                [leaf._every()[r] if isinstance(leaf, PerReplica) else leaf for leaf in stacked],
                expand_composites=True,
            )
            for r in range(count)
        ]
        return regrouped(results, here=self.strategy.here)

    def _run(self, body: Body, stacks: Sequence[Any]) -> list[EagerTensor]:
        """Records the instruction, with what it assigns, prints and checks; returns the results."""
        outside = body.outside()
        of_replicas = self._of_replicas(body, outside)
        operands = [operand(part) for each in stacks for part in _parts(each)]
        elements = len(operands)
        rows, keys, draws = self._taken_from_outside(body, of_replicas)
        operands += [
            operand(of_replicas.get(id(item), item))
            for item in outside
            if not isinstance(item, Draw)
        ]
        if draws:
            operands.append(operand(drawn_for_replicas(draws, self.strategy.num_replicas_in_sync)))
        plan = ReplicaPlan(
            body.program, body.count, elements, self.strategy.num_replicas_in_sync, rows,
            tuple(id(variable) in of_replicas for variable in body.assigned), keys,
            self.strategy.mesh, any(variable.trainable for variable in body.assigned),
        )  # fmt: skip
        self.strategy.require_same_program(plan, [type_ for _, type_ in operands])
        return _applied(plan, body, of_replicas, operands)

    def _taken_from_outside(
        self, body: Body, of_replicas: dict[int, Variable]
    ) -> tuple[tuple[bool | None, ...], tuple[BodyKey, ...], list[Draw]]:
        """Tells what a body takes from outside: what has rows, the keys, and how they are drawn."""
        rows: list[bool | None] = []
        keys, draws = [], []
        for place, item in enumerate(body.outside()):
            if isinstance(item, Draw):
                keys.append(BodyKey(place, item.key._type))
                draws.append(item)
            rows.append(None if isinstance(item, Draw) else id(item) in of_replicas)
        return tuple(rows), tuple(keys), draws

    def _of_replicas(
        self, body: Body, outside: Sequence[Any], unlike: Collection[int] = ()
    ) -> dict[int, Variable]:
        """Finds the variables of which each replica has its own value; returns these values.

        Args:
            body: what a replica does.
            outside: what it takes from outside.
            unlike: the places in this that are not the same in all replicas.
        """
        found: dict[int, Variable] = {}
        for variable in (*body.assigned, *outside):
            if isinstance(variable, DistributedVariable) and variable.has_own_values:
                found[id(variable)] = copies_of_replicas(variable)
        for variable in body.assigned:
            if isinstance(variable, SyncOnReadVariable):  # equal values add up as well
                found[id(variable)] = copies_of_replicas(variable)
        while True:
            given = [
                isinstance(item, Draw) or id(item) in found or place in unlike
                for place, item in enumerate(outside)
            ]
            outputs = differing(body.program.part, differing_inputs(body.program, given))
            new = [
                variable
                for variable, differs in zip(body.assigned, outputs[body.count :], strict=True)
                if differs and id(variable) not in found
            ]
            if not new:
                return found
            for variable in new:
                found[id(variable)] = copies_of_replicas(variable)

    # All at once, with values of different shapes.

    def _is_dense(self) -> bool:
        """Whether all values of the replicas are tensors of numbers."""
        own = [leaf for leaf in self.flat if isinstance(leaf, ReplicaValues)]
        values = [as_component(value) for leaf in own for value in leaf._every()]
        return all(type(value) is EagerTensor for value in values)

    def _has_texts(self) -> bool:
        """Whether a value of the replicas is of texts, which no program of all processes takes."""
        own = [leaf for leaf in self.flat if isinstance(leaf, ReplicaValues)]
        parts = [part for leaf in own for held in leaf._held() for part in _parts(held)]
        return any(getattr(part, "dtype", None) is dtypes.string for part in parts)

    def _operands_of(self, replica: int) -> list[EagerTensor]:
        own = [leaf for leaf in self.flat if isinstance(leaf, ReplicaValues)]
        return [convert(leaf._every()[replica]) for leaf in own]

    def _recorded_each(self) -> list["_RecordedCall"]:
        """Records the function once for all replicas with values of the same types.

        What they gather may have different sizes, which decides the shapes of all that is computed
        with it: then they are recorded again with those that were found.

        Raises:
            RuntimeError: if the replicas do not gather equally often.
        """
        types = [
            tuple(operand._type for operand in self._operands_of(replica))
            for replica in range(self.strategy.num_replicas_in_sync)
        ]
        self._sizes = []
        while True:
            known = {each: self._recorded(each) for each in dict.fromkeys(types)}
            found = [known[each] for each in types]
            gathered = [one.sizes for one in found if one.sizes is not None]
            if len({len(sizes.own) for sizes in gathered}) > 1:
                raise hinted(RuntimeError(MESSAGE_ORDER), HINT_SIZES)
            every = list(zip(*(sizes.own for sizes in gathered), strict=True))
            if all(sizes.assumed == every for sizes in gathered):
                return found
            if every == self._sizes:
                raise hinted(RuntimeError(MESSAGE_ORDER), HINT_SIZES)
            self._sizes = every

    def _run_each(self, bodies: Sequence[Body]) -> list[list[EagerTensor]]:
        """Records the instruction; returns the results of each replica."""
        first = bodies[0]
        names = [[variable.name for variable in body.assigned] for body in bodies]
        if any(body.count != first.count for body in bodies) or any(n != names[0] for n in names):
            raise hinted(RuntimeError(MESSAGE_ORDER), HINT_SIZES)
        of_replicas: dict[int, Variable] = {}
        others = [body.outside() for body in bodies]
        for body in bodies:
            own = body.outside()
            of_replicas |= self._of_replicas(body, own, _unlike(own, others))
        operands, parts, draws = [], [], []
        for replica, body in enumerate(bodies):
            elements = self._operands_of(replica)
            rows, keys, own = self._taken_from_outside(body, of_replicas)
            draws = draws or own
            operands += [operand(element) for element in elements]
            operands += [operand(of_replicas.get(id(i), i)) for i in body.outside()
                         if not isinstance(i, Draw)]  # fmt: skip
            parts.append(UnevenPart(body.program, len(elements), rows, keys))
        if draws:
            operands.append(operand(drawn_for_replicas(draws, len(bodies))))
        plan = UnevenPlan(
            tuple(parts), first.count,
            tuple(id(variable) in of_replicas for variable in first.assigned),
            any(variable.trainable for variable in first.assigned),
        )  # fmt: skip
        outputs = _applied_each(plan, first, of_replicas, operands)
        return [outputs[k * first.count : (k + 1) * first.count] for k in range(len(bodies))]

    def _packed_each(
        self, results: Sequence["_Result"], rows: Sequence[Sequence[EagerTensor]]
    ) -> Any:
        """Returns the result: of what a replica has made, each has its own."""
        found = []
        for result, tensors in zip(results, rows, strict=True):
            leaves = list(result.leaves)
            for number, (place, tensor) in enumerate(zip(result.own, tensors, strict=True)):
                leaves[place] = rows[0][number] if place in result.same else tensor
            found.append(nest.pack_sequence_as(result.form, leaves, expand_composites=True))
        is_flat = len(nest.flatten(results[0].form)) == len(results[0].leaves)
        apart = results[0].made if is_flat else ()
        return regrouped(found, here=self.strategy.here, apart=apart)

    # One after the other.

    def _in_turn(self, why: str) -> Any:
        """Calls the function for one replica after the other.

        Raises:
            RuntimeError: if there are replicas in other processes, which may not do so.
        """
        if THREAD.recording.frame is None and not THREAD.recording.blocks:
            return run_in_threads(self.strategy, self.fn, self.arguments)
        if self.strategy.here is not None:
            raise hinted(RuntimeError(MESSAGE_HOSTS.format(why)), HINT_LOOKED)
        results = []
        for replica in replicas_in_turn(self.strategy):
            args, kwargs = selected(self.arguments, replica)
            context = SingleReplica(self.strategy, replica, why)
            with entered(self.strategy, context), self.strategy.creating():
                results.append(self.fn(*args, **kwargs))
        return regrouped(results)


class _Result(NamedTuple):
    """What the function returns in a replica.

    Attributes:
        form: the structure.
        leaves: what is in it.
        own: the places of what is computed.
        same: those among them of what `merge_call` has given all replicas.
        made: the places of constants that the function has made: each replica has its own.
    """

    form: Any
    leaves: list[Any]
    own: list[int]
    same: set[int]
    made: list[int]

    def tensors(self) -> list[EagerTensor]:
        """Returns what is computed."""
        return [self.leaves[place] for place in self.own]


class _RecordedCall(NamedTuple):
    """What a replica does and returns; with the sizes that it gathers, if these may differ."""

    body: Body
    result: _Result
    sizes: GatherSizes | None


def _known_to(fn: Any) -> list[Any]:
    """Returns what a function captures, so that it is the same in all replicas if it returns it."""
    python = getattr(fn, "python_function", fn)
    while isinstance(python, functools.partial):
        python = python.func
    owner = getattr(python, "__self__", None)
    found = list(getattr(owner, "__dict__", {}).values())
    code = getattr(python, "__code__", None)
    if code is not None:
        found += [cell.cell_contents for cell in python.__closure__ or () if cell != EMPTY]
        found += [python.__globals__[name] for name in code.co_names if name in python.__globals__]
        found += python.__defaults__ or ()
    return list(_tensors_in(found))


def _tensors_in(value: Any) -> Iterator[EagerTensor]:
    """Yields the tensors of a structure, whose dictionaries may have keys of all kinds."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _tensors_in(part)
    elif isinstance(value, CompositeTensor | EagerTensor):
        yield from _parts(value)


def _applied(
    plan: ReplicaPlan, body: Body, of_replicas: dict[int, Variable],
    operands: Sequence[tuple[int, TensorType]],
) -> list[EagerTensor]:  # fmt: skip
    recording = THREAD.recording
    slots = tuple([slot for slot, _ in operands])
    types = [type_ for _, type_ in operands]
    run = interned(ReplicaRun, plan)
    adopt_lines(run.plan.program, plan.program)
    outputs = recording.apply(run, (), slots, types)
    end = body.count + len(body.assigned)
    _assign(body, of_replicas, outputs[body.count : end])
    program = run.plan.program
    if program.acts:
        recording.apply(interned(ReplicaRunForEffects, plan), (), slots, types)
    _record_checks(recording, [program], [run.check_types], outputs[end:])
    return outputs[: body.count]


def _assign(body: Body, of_replicas: dict[int, Variable], new: Sequence[EagerTensor]) -> None:
    """Gives the variables that a body assigns their new values, those of the replicas as well."""
    variables, tensors = [], []
    for variable, tensor in zip(body.assigned, new, strict=True):
        variables.append(variable)
        if id(variable) not in of_replicas:
            tensors.append(tensor)
            continue
        tensors.append(variable._outside(tensor))
        variables.append(of_replicas[id(variable)])
        tensors.append(tensor)
    put_together(variables, tensors)


def _applied_each(
    plan: UnevenPlan, body: Body, of_replicas: dict[int, Variable],
    operands: Sequence[tuple[int, TensorType]],
) -> list[EagerTensor]:  # fmt: skip
    recording = THREAD.recording
    slots = tuple([slot for slot, _ in operands])
    types = [type_ for _, type_ in operands]
    run = interned(UnevenRun, plan)
    outputs = recording.apply(run, (), slots, types)
    start = body.count * len(plan.parts)
    end = start + len(body.assigned)
    _assign(body, of_replicas, outputs[start:end])
    programs = [part.program for part in run.plan.parts]  # whose checks are known
    for known, part in zip(programs, plan.parts, strict=True):
        adopt_lines(known, part.program)
    if any(program.acts for program in programs):
        recording.apply(interned(UnevenRunForEffects, plan), (), slots, types)
    _record_checks(recording, programs, run.check_types, outputs[end:])
    return outputs[:start]


def _record_checks(
    recording: Recording, programs: Sequence[BodyProgram],
    check_types: Sequence[Sequence[Sequence[TensorType]]], verdicts: Sequence[EagerTensor],
) -> None:  # fmt: skip
    """Records the checks of programs that ran; those that print or the like run at once."""
    rest = iter(verdicts)
    for program, of_program in zip(programs, check_types, strict=True):
        record_checks(program.checks, [[next(rest) for _ in check] for check in of_program])
    if recording.frame is None and any(program.acts for program in programs):
        THREAD.recording.flush()


def _unlike(own: Sequence[Any], others: Sequence[Sequence[Any]]) -> set[int]:
    """Returns the places of what a body takes from outside and not all others take in that order.

    What depends on the size of a batch may be there in one body only.
    """
    keys, found = list(map(_key_of, own)), set[int]()
    for other in others:
        matcher = difflib.SequenceMatcher(None, keys, list(map(_key_of, other)), autojunk=False)
        blocks = matcher.get_matching_blocks()
        found |= set(range(len(own))).difference(*(range(b.a, b.a + b.size) for b in blocks))
    return found


def _key_of(item: Any) -> Hashable:
    """Returns what is equal for what is the same in all replicas."""
    if isinstance(item, Draw):
        return Draw
    value = getattr(item, "_value", None)
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    return id(item)


def _stacked(value: ReplicaValues) -> Any:
    """Returns the values of the replicas stacked, or their parts; None if their types differ."""
    if value._stacked is not None:
        return value._stacked
    parts = [_parts(as_component(each)) for each in value._every()]
    types = {tuple(part._type for part in each) for each in parts}
    if len(types) > 1 or any(type(part) is not EagerTensor for each in parts for part in each):
        return None
    return [stack(column) for column in zip(*parts, strict=True)]


def _is_composite(value: Any) -> bool:
    return isinstance(value, CompositeTensor)


def _parts(value: Any) -> list[EagerTensor]:
    return nest.flatten(value, expand_composites=True)


def _row(form: Any, parts: Sequence[EagerTensor]) -> Any:
    return nest.pack_sequence_as(form, parts, expand_composites=True)


def _as_result(leaf: Any) -> Any:
    """Returns a result as the tensor that it stands for."""
    return leaf._root.value() if isinstance(leaf, UnreadVariable) else leaf
