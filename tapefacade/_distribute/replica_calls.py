"""Calls of a function in all replicas: recorded once, as one instruction."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.interned_objects import interned
from tapefacade._core.random_keys import Draw, drawn_for_replicas, rehearsing
from tapefacade._core.replica_places import entered
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._distribute.collectives import AXIS
from tapefacade._distribute.distributed_variables import (
    DistributedVariable,
    copies_of_replicas,
    replicas_in_turn,
)
from tapefacade._distribute.replica_contexts import RecordedReplica, SingleReplica
from tapefacade._distribute.replica_run_op import (
    ReplicaPlan,
    ReplicaRun,
    ReplicaRunForEffects,
    differing,
    differing_inputs,
)
from tapefacade._distribute.replica_values import DistributedValues, PerReplica, regrouped, selected
from tapefacade._function.control.bodies import Body, body_of, operand, record_checks
from tapefacade._function.control.scan_op import BodyKey
from tapefacade._function.function.rewriter import REWRITER
from tapefacade._ops.array.joining import stack
from tapefacade._state.joint_assignments import put_together
from tapefacade._state.variable import UnreadVariable, Variable
from tapefacade._trace.assignments import locked
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.named_axes import NAMED_AXES
from tapefacade._trace.recording import THREAD
from tapefacade._trace.slices import adopt_lines

if TYPE_CHECKING:
    from tapefacade._distribute.strategies import Strategy

WHY_SHAPES = "the values of the replicas have different shapes"
WHY_OUTSIDE = "it assigns the variable {}, which was made outside of `strategy.scope()`"
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
        self._form: Any = None
        self._places: list[int] = []

    def result(self) -> Any:
        """Calls the function; returns a structure with `PerReplica` leaves."""
        stacks = [_stacked(leaf) for leaf in self.flat if isinstance(leaf, DistributedValues)]
        if any(each is None for each in stacks):
            return self._in_turn(WHY_SHAPES)
        try:
            body = self._recorded(stacks)
        except ValueWanted as wanted:
            if THREAD.recording.frame is not None:
                THREAD.recording.observe(WHY_LOOKED.format(wanted.line))
            return self._in_turn(f"it looks at a value, {wanted.line}")
        for variable in body.assigned:
            if getattr(variable, "_strategy", None) is not self.strategy:
                return self._in_turn(WHY_OUTSIDE.format(variable.name))
        with locked(body.assigned):
            rows = self._run(body, stacks)
        return self._packed(rows)

    # All at once.

    def _recorded(self, stacks: Sequence[Any]) -> Body:
        """Records the function, rewritten if it looks at values and runs in a `tf.function`."""
        types = [
            type_of(part._type.shape[1:], part._type.numpy_dtype)
            for each in stacks
            for part in _parts(each)
        ]
        python = getattr(self.fn, "python_function", self.fn)
        try:
            return self._body(python, stacks, types)
        except ValueWanted:
            rewritten = REWRITER.rewrite(python) if THREAD.functions else None
            if rewritten is None:
                raise
            return self._body(rewritten, stacks, types)

    def _body(self, fn: Callable[..., Any], stacks: Sequence[Any], types: list[TensorType]) -> Body:
        def call(tensors: list[EagerTensor]) -> Any:
            rest, of_stacks = iter(tensors), iter(stacks)
            flat = []
            for leaf in self.flat:
                if isinstance(leaf, DistributedValues):
                    each = next(of_stacks)
                    parts = [next(rest) for _ in _parts(each)]
                    flat.append(parts[0] if isinstance(each, EagerTensor) else _row(each, parts))
                else:
                    flat.append(leaf)
            args, kwargs = nest.pack_sequence_as(self.arguments, flat)
            context = RecordedReplica(self.strategy)
            with entered(self.strategy, context), THREAD.temporarily(describing=True):
                return self._taken(fn(*args, **kwargs), context)

        axes = ((AXIS, self.strategy.num_replicas_in_sync),)
        with rehearsing(), self.strategy.creating(), NAMED_AXES.temporarily(sizes=axes):
            return body_of(call, fn, types)

    def _taken(self, result: Any, context: RecordedReplica) -> list[EagerTensor]:
        """Takes a result apart: what the replica has made, and what is the same for all."""
        recording = THREAD.recording
        leaves = [_as_result(leaf) for leaf in nest.flatten(result, expand_composites=True)]
        own = [
            place
            for place, leaf in enumerate(leaves)
            if type(leaf) is EagerTensor and leaf._recording is recording
        ]
        tensors = [leaves[place] for place in own]
        self._same = {k for k in own if any(leaves[k] is tensor for tensor in context._same)}
        for place in own:
            leaves[place] = None
        self._form, self._leaves, self._places = result, leaves, own
        return tensors

    def _packed(self, rows: Sequence[EagerTensor]) -> Any:
        """Returns the result: of what a replica has made, each has its own."""
        count = self.strategy.num_replicas_in_sync
        stacked: list[Any] = list(self._leaves)
        for place, row in zip(self._places, rows, strict=True):
            each = PerReplica(stacked=row, count=count)
            stacked[place] = row[0] if place in self._same else each
        if not any(isinstance(leaf, CompositeTensor) for leaf in nest.flatten(self._form)):
            return nest.pack_sequence_as(self._form, stacked)
        results = [
            nest.pack_sequence_as(
                self._form,
                [leaf.values[r] if isinstance(leaf, PerReplica) else leaf for leaf in stacked],
                expand_composites=True,
            )
            for r in range(count)
        ]
        return regrouped(results)

    def _run(self, body: Body, stacks: Sequence[Any]) -> list[EagerTensor]:
        """Records the instruction, with what it assigns, prints and checks; returns the results."""
        outside = body.outside()
        of_replicas = self._of_replicas(body, outside)
        rows: list[bool | None] = []
        operands = [operand(part) for each in stacks for part in _parts(each)]
        elements = len(operands)
        keys, draws = [], []
        for place, item in enumerate(outside):
            if isinstance(item, Draw):
                keys.append(BodyKey(place, item.key._type))
                draws.append(item)
                rows.append(None)
                continue
            has_rows = isinstance(item, Variable) and id(item) in of_replicas
            operands.append(operand(of_replicas[id(item)] if has_rows else item))
            rows.append(has_rows)
        if draws:
            operands.append(operand(drawn_for_replicas(draws, self.strategy.num_replicas_in_sync)))
        plan = ReplicaPlan(
            body.program, body.count, elements, self.strategy.num_replicas_in_sync, tuple(rows),
            tuple(id(variable) in of_replicas for variable in body.assigned), tuple(keys),
            self.strategy.mesh, any(variable.trainable for variable in body.assigned),
        )  # fmt: skip
        return _applied(plan, body, of_replicas, operands)

    def _of_replicas(self, body: Body, outside: Sequence[Any]) -> dict[int, Variable]:
        """Finds the variables of which each replica has its own value; returns these values."""
        found: dict[int, Variable] = {}
        for variable in (*body.assigned, *outside):
            if isinstance(variable, DistributedVariable) and variable.has_copies:
                found[id(variable)] = copies_of_replicas(variable)
        while True:
            given = [isinstance(item, Draw) or id(item) in found for item in outside]
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

    # One after the other.

    def _in_turn(self, why: str) -> Any:
        """Calls the function for one replica after the other."""
        results = []
        for replica in replicas_in_turn(self.strategy):
            args, kwargs = selected(self.arguments, replica)
            context = SingleReplica(self.strategy, replica, why)
            with entered(self.strategy, context), self.strategy.creating():
                results.append(self.fn(*args, **kwargs))
        return regrouped(results)


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
    variables, tensors = [], []
    for variable, tensor in zip(body.assigned, outputs[body.count : end], strict=True):
        variables.append(variable)
        if id(variable) not in of_replicas:
            tensors.append(tensor)
            continue
        tensors.append(variable._outside(tensor))
        variables.append(of_replicas[id(variable)])
        tensors.append(tensor)
    put_together(variables, tensors)
    if plan.program.acts:
        recording.apply(interned(ReplicaRunForEffects, plan), (), slots, types)
    rest = iter(outputs[end:])
    record_checks(
        run.plan.program.checks, [[next(rest) for _ in check] for check in run.check_types]
    )
    if plan.program.acts and recording.frame is None:
        THREAD.recording.flush()
    return outputs[: body.count]


def _stacked(value: DistributedValues) -> Any:
    """Returns the values of the replicas stacked, a tensor or a composite; None if they differ."""
    if value._stacked is not None:
        return value._stacked
    parts = [_parts(_as_operand(each)) for each in value.values]
    types = {tuple(part._type for part in each) for each in parts}
    if len(types) > 1 or any(type(part) is not EagerTensor for each in parts for part in each):
        return None
    columns = [stack(column) for column in zip(*parts, strict=True)]
    first = value.values[0]
    return _row(first, columns) if isinstance(first, CompositeTensor) else columns[0]


def _as_operand(value: Any) -> Any:
    return value if isinstance(value, CompositeTensor) else convert(value)


def _parts(value: Any) -> list[EagerTensor]:
    return nest.flatten(value, expand_composites=True)


def _row(form: Any, parts: Sequence[EagerTensor]) -> Any:
    return nest.pack_sequence_as(form, parts, expand_composites=True)


def _as_result(leaf: Any) -> Any:
    """Returns a result as the tensor that it stands for."""
    return leaf._root.value() if isinstance(leaf, UnreadVariable) else leaf
