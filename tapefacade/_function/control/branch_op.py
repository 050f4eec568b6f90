"""Branches as one instruction: `jax.lax.switch` of the programs of several bodies.

All branches are recorded, one of them runs. A variable that only some of them assign keeps its
value in the others; a check passes where its branch is not taken.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.gradient_rules import NoGradient
from tapefacade._core.interned_objects import interned
from tapefacade._core.random_keys import Draw
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._function.control.bodies import (
    FROM_OUTSIDE,
    Body,
    BodyProgram,
    EffectsOnly,
    flow_of,
    operand,
    record_checks,
)
from tapefacade._ops.array.printing import QUIET
from tapefacade._state.joint_assignments import put_together
from tapefacade._state.variable import Variable
from tapefacade._trace.assignments import locked
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD
from tapefacade._trace.slices import adopt_lines


class Branch(NamedTuple):
    """One branch.

    Attributes:
        program: what it computes.
        operands: the places of what it takes from outside, among the operands of the instruction.
        assigned: for each variable the place of its new value among the program's results (then
            `True`), or that of its value from before among the operands.
    """

    program: BodyProgram
    operands: tuple[int, ...]
    assigned: tuple[tuple[bool, int], ...]


class BranchPlan(NamedTuple):
    """All that decides what a branching computes. The first operand chooses the branch.

    Attributes:
        branches: the branches; a boolean chooses the first one where it is true.
        size: the number of results, to which the values of variables are added.
        coarse: whether all results depend on all operands, as TensorFlow has it in functions.
        opaque: whether a tape that is not there yet has to see which branch Python takes.
    """

    branches: tuple[Branch, ...]
    size: int
    coarse: bool
    opaque: bool


class BranchOperation(Operation):
    """Runs one of several programs; its results are followed by those of all checks."""

    name = "cond"
    kernel = "If"

    def __init__(self, plan: BranchPlan) -> None:
        self.plan = plan
        self.replayable = not plan.opaque and all(b.program.replayable for b in plan.branches)
        self.check_types: list[list[tuple[TensorType, ...]]] = []  # known once it is inferred
        flows = [flow_of(branch.program.part) for branch in plan.branches]
        missing = sorted(frozenset().union(*(m for flow in flows for m in flow.missing)))
        if missing:
            self.gradient = NoGradient(missing[0])

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        plan = self.plan
        first = plan.branches[0]
        results = list(first.program.types[: plan.size])
        for is_new, place in first.assigned:
            results.append(first.program.types[place] if is_new else types[place])
        self.check_types = [
            branch.program.check_types([], [types[place] for place in branch.operands])
            for branch in plan.branches
        ]
        checks = [type_ for found in self.check_types for check in found for type_ in check]
        return (*results, *checks), None

    def resized(self, types: Sequence[TensorType], slots_of: Any) -> Sequence[TensorType]:
        found = []
        for branch in self.plan.branches:
            part = branch.program.part
            given = [types[branch.operands[place]] for _, place in branch.program.places]
            slots = slots_of(part, given)
            results = [slots[slot] for slot in part.outputs]
            assigned = [results[p] if is_new else types[p] for is_new, p in branch.assigned]
            found.append([*results[: self.plan.size], *assigned])
        return [
            next((type_ for type_ in each if type_.shape != known.shape), each[0])
            for known, *each in zip(self.infer((), types)[0], *found, strict=False)
        ]

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        with QUIET.temporarily(on=True):  # what a branch prints is an instruction of its own
            return self.computed(arrays)

    def computed(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Computes the results from arrays."""
        index, branches = arrays[0], self.plan.branches
        chosen = [self._runner(number) for number in range(len(branches))]
        if len(branches) == 1:
            return chosen[0](list(arrays))
        if index.dtype == np.bool_:
            return lax.cond(index, *chosen, list(arrays))
        return lax.switch(index, chosen, list(arrays))

    def _runner(self, number: int) -> Any:
        branch = self.plan.branches[number]

        def run(arrays: list[Any]) -> list[Any]:
            results, checks = branch.program.run([], [arrays[place] for place in branch.operands])
            found = results[: self.plan.size]
            found += [results[p] if is_new else arrays[p] for is_new, p in branch.assigned]
            for other, types in enumerate(self.check_types):
                for place, check in enumerate(types):
                    if other == number:
                        found += [lax.stop_gradient(array) for array in checks[place]]
                        continue
                    found.append(jnp.ones(check[0].shape, bool))
                    found += [jnp.zeros(type_.shape, type_.numpy_dtype) for type_ in check[1:]]
            return found

        return run

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...] | None:
        """Returns which operands each result depends on, in any branch."""
        plan = self.plan
        if plan.coarse:
            return None
        found: list[set[int]] = [set() for _ in range(plan.size)]
        for branch in plan.branches:
            flow = flow_of(branch.program.part)
            places = [
                branch.operands[k] for kind, k in branch.program.places if kind == FROM_OUTSIDE
            ]
            for result, mask in zip(found, flow.outputs, strict=False):
                result.update(place for k, place in enumerate(places) if mask >> k & 1)
        rest = len(plan.branches[0].assigned)
        rest += sum(len(check) for checks in self.check_types for check in checks)
        return tuple(map(frozenset, found)) + (frozenset(),) * rest


class BranchOperationForEffects(EffectsOnly, BranchOperation):
    """The branches once more, run only for what they print."""


def record_branches(index: Any, bodies: Sequence[Body], coarse: bool) -> list[EagerTensor]:
    """Records branches as one instruction, with what they assign, print and check.

    Args:
        index: a boolean, which chooses the first of two, or an integer within the range.
        bodies: the branches, whose results have the same types.
        coarse: whether all results depend on all operands.

    Returns:
        The results.
    """
    return _recorded(index, bodies, bodies[0].count, [], coarse)


def record_choice(
    index: Any, bodies: Sequence[Body], choices: Sequence[Sequence[int | EagerTensor | Variable]]
) -> list[EagerTensor]:
    """Records branches as one instruction whose results are chosen one by one.

    All results depend on all operands, as in TensorFlow's functions.

    Args:
        index: a boolean, which chooses the first of two, or an integer within the range.
        bodies: the branches.
        choices: for each result what it is in each branch: the number of a result of its body, or
            a tensor that was there before, all of one type.

    Returns:
        The results.
    """
    return _recorded(index, bodies, 0, choices, True)


def _recorded(
    index: Any, bodies: Sequence[Body], size: int,
    choices: Sequence[Sequence[int | EagerTensor | Variable]], coarse: bool,
) -> list[EagerTensor]:  # fmt: skip
    variables = list({id(v): v for body in bodies for v in body.assigned}.values())
    with locked(variables):
        return _recorded_locked(index, bodies, size, choices, coarse, variables)


def _recorded_locked(
    index: Any, bodies: Sequence[Body], size: int,
    choices: Sequence[Sequence[int | EagerTensor | Variable]], coarse: bool,
    variables: Sequence[Variable],
) -> list[EagerTensor]:  # fmt: skip
    recording = THREAD.recording
    operands = [operand(index)]
    places: dict[int, int] = {}  # of what comes from outside, among the operands

    def place_of(item: EagerTensor | Variable) -> int:
        if id(item) not in places:
            places[id(item)] = len(operands)
            operands.append(operand(item))
        return places[id(item)]

    branches = []
    kept = []  # while ids are compared
    for number, body in enumerate(bodies):
        outside = [o.key if isinstance(o, Draw) else o for o in body.outside()]
        kept.append(outside)
        own = {id(v): body.count + k for k, v in enumerate(body.assigned)}
        merged = [choice[number] for choice in choices]
        assigned = tuple(
            (True, item) if isinstance(item, int) else (False, place_of(item)) for item in merged
        ) + tuple((True, own[id(v)]) if id(v) in own else (False, place_of(v)) for v in variables)
        branches.append(Branch(body.program, tuple([place_of(o) for o in outside]), assigned))
    opaque = any(variable.trainable for variable in variables)
    plan = BranchPlan(tuple(branches), size, coarse, opaque)
    slots = tuple([slot for slot, _ in operands])
    types = [type_ for _, type_ in operands]
    branching = interned(BranchOperation, plan)
    adopt_lines(branching.plan, plan)
    outputs = recording.apply(branching, (), slots, types)
    first = size + len(choices)
    end = first + len(variables)
    put_together(variables, outputs[first:end])
    rest = iter(outputs[end:])
    for branch, found in zip(branching.plan.branches, branching.check_types, strict=True):
        record_checks(branch.program.checks, [[next(rest) for _ in check] for check in found])
    if any(body.program.acts for body in bodies):
        recording.apply(interned(BranchOperationForEffects, plan), (), slots, types)
        if recording.frame is None:
            recording.flush()
    return outputs[:first]
