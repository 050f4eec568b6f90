"""A run of all replicas as one instruction: a `jax.shard_map` of what one of them has recorded.

Where replicas share a device, `jax.vmap` takes its place. Operands are rows (one for each replica)
or whole (the same for all), and keys of random ops come as rows, such that each draws its own.
"""

import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec

from tapefacade._core.gradient_rules import NOT_DIFFERENTIABLE, NoGradient
from tapefacade._core.random_keys import words_of
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._distribute.collectives import AGREEING, AXIS, ReplicaNumber
from tapefacade._function.control.bodies import (
    FROM_ARGUMENTS,
    BodyProgram,
    EffectsOnly,
    flow_of,
)
from tapefacade._function.control.scan_op import BodyKey, unpacked_key
from tapefacade._ops.array.printing import QUIET
from tapefacade._trace.named_axes import NAMED_AXES
from tapefacade._trace.operation import Operation
from tapefacade._trace.slices import Slice


class ReplicaPlan(NamedTuple):
    """All that decides what a run computes. Operands are the elements, what the replicas take from
    outside without the keys, and the keys.

    Attributes:
        program: what a replica does; its arguments are the rows of the elements.
        results: the number of its results.
        elements: the number of tensors that have a row for each replica.
        replicas: the number of replicas.
        rows: for each operand from outside whether it has a row for each replica; None is a key.
        assigned_rows: for each variable that is assigned whether each replica has a value of it.
        keys: the keys.
        mesh: the devices of the replicas; None where they share one.
        opaque: whether a tape that is not there yet has to see the Python.
    """  # noqa: D205 - one sentence

    program: BodyProgram
    results: int
    elements: int
    replicas: int
    rows: tuple[bool | None, ...]
    assigned_rows: tuple[bool, ...]
    keys: tuple[BodyKey, ...]
    mesh: Mesh | None
    opaque: bool


class ReplicaRun(Operation):
    """Runs all replicas; the results are followed by assigned values and the verdicts of checks."""

    name = "run"
    kernel = "ReplicatedCall"

    def __init__(self, plan: ReplicaPlan) -> None:
        self.plan = plan
        self.mesh = plan.mesh
        self.replayable = plan.program.replayable and not plan.opaque
        self.check_types: list[tuple[TensorType, ...]] = []  # known once it has been inferred
        with self._axes():
            found = flow_of(plan.program.part).missing[: plan.results]
        missing = sorted(frozenset[str]().union(*found))
        if missing:
            self.gradient = NoGradient(missing[0])

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        plan = self.plan
        has_rows = [*[True] * plan.results, *plan.assigned_rows]
        found = [
            type_of((plan.replicas, *type_.shape), type_.numpy_dtype) if rows else type_
            for type_, rows in zip(plan.program.types, has_rows, strict=True)
        ]
        self.check_types = self._checks(types)
        return (*found, *(type_ for check in self.check_types for type_ in check)), None

    def _axes(self) -> contextlib.AbstractContextManager[None]:
        """Makes a block in which what is traced on its own knows of the replicas."""
        return NAMED_AXES.temporarily(sizes=((AXIS, self.plan.replicas),))

    def _checks(self, types: Sequence[TensorType]) -> list[tuple[TensorType, ...]]:
        """Returns the types of the verdicts of the checks, and of their details."""

        def run(arrays: list[Any]) -> Any:
            return [list(check) for check in self._at_once(*self._sorted(arrays))[2]]

        with jax.enable_x64(True), QUIET.temporarily(on=True), self._axes():
            shapes = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in types]
            found = jax.eval_shape(run, shapes)
        return [
            tuple(type_of(array.shape[1:], np.dtype(array.dtype)) for array in check)
            for check in found
        ]

    def _sorted(self, operands: Sequence[Any]) -> tuple[list[Any], list[Any], Any]:
        """Tells the operands: what has rows, what is whole, the keys."""
        plan = self.plan
        operands = list(operands)
        keys = operands.pop() if plan.keys else None
        rows, whole = operands[: plan.elements], []
        kinds = [kind for kind in plan.rows if kind is not None]
        for kind, operand in zip(kinds, operands[plan.elements :], strict=True):
            (rows if kind else whole).append(operand)
        return rows, whole, keys

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        with QUIET.temporarily(on=True):  # what a replica prints is an instruction of its own
            return self.computed(arrays)

    def computed(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Computes the results from arrays."""
        plan = self.plan
        run = self._at_once if plan.mesh is None else self._on_mesh
        with self._axes():
            results, assigned, checks = run(*self._sorted(arrays))
        ok = [check[0] for check in checks]
        first = jnp.argmin(jnp.stack(ok).all(0)) if ok else 0
        return [*results, *assigned, *(array[first] for check in checks for array in check)]

    def _one(self, rows: list[Any], whole: list[Any], words: Any, number: Any) -> Any:
        """Computes one replica: its results, the values it assigns, the verdicts of its checks."""
        plan = self.plan
        own, shared = iter(rows[plan.elements :]), iter(whole)
        taken = [None if kind is None else next(own if kind else shared) for kind in plan.rows]
        start = 0
        for key in plan.keys:
            count = words_of(key.type.shape, key.type.numpy_dtype)
            taken[key.place] = unpacked_key(words[start : start + count], key.type)
            start += count
        with NAMED_AXES.temporarily(number=number):
            results, checks = plan.program.run(rows[: plan.elements], taken)
        return results[: plan.results], results[plan.results :], [list(c) for c in checks]

    def _numbers(self) -> Any:
        """Returns the numbers of the replicas; None if nothing that runs now depends on them."""
        return jnp.arange(self.plan.replicas) if self.plan.program.acts and not QUIET.on else None

    def _at_once(self, rows: list[Any], whole: list[Any], words: Any) -> Any:
        """Computes the replicas on one device."""

        def one(rows: list[Any], words: Any, number: Any) -> Any:
            return self._one(rows, whole, words, number)

        results, assigned, checks = jax.vmap(
            one, axis_name=AXIS, axis_size=self.plan.replicas
        )(rows, words, self._numbers())  # fmt: skip
        pairs = zip(assigned, self.plan.assigned_rows, strict=True)
        return results, [array if has_rows else array[0] for array, has_rows in pairs], checks

    def _on_mesh(self, rows: list[Any], whole: list[Any], words: Any) -> Any:
        """Computes each replica on its own device."""
        by_replica, same = PartitionSpec(AXIS), PartitionSpec()

        def one(rows: list[Any], whole: list[Any], words: Any, number: Any) -> Any:
            rows = [row[0] for row in rows]
            words, number = (None if each is None else each[0] for each in (words, number))
            results, assigned, checks = self._one(rows, whole, words, number)
            pairs = zip(assigned, self.plan.assigned_rows, strict=True)
            assigned = [array[None] if has_rows else array for array, has_rows in pairs]
            return jax.tree.map(lambda array: array[None], results), assigned, [
                [array[None] for array in check] for check in checks
            ]  # fmt: skip

        assert self.plan.mesh is not None
        of_assigned = [by_replica if has_rows else same for has_rows in self.plan.assigned_rows]
        return jax.shard_map(
            one, mesh=self.plan.mesh, in_specs=(by_replica, same, by_replica, by_replica),
            out_specs=(by_replica, of_assigned, by_replica), check_vma=False,
        )(rows, whole, words, self._numbers())  # fmt: skip


class ReplicaRunForEffects(EffectsOnly, ReplicaRun):
    """The replicas once more, run only for what they print."""

    gradient = NOT_DIFFERENTIABLE


def differing(part: Slice, inputs: Sequence[bool]) -> list[bool]:
    """Returns for each output of a program whether replicas may have different values of it.

    Args:
        part: what a replica does.
        inputs: for each input whether replicas may have different values of it.
    """
    found = list(inputs)
    for step in part.steps:
        differs = isinstance(step.operation, ReplicaNumber) or (
            not isinstance(step.operation, AGREEING) and any(found[slot] for slot in step.inputs)
        )
        found += [differs] * len(step.types)
    return [found[slot] for slot in part.outputs]


def differing_inputs(program: BodyProgram, outside: Sequence[bool]) -> list[bool]:
    """Returns `inputs` for `differing`, where the arguments of a program are rows."""
    return [kind == FROM_ARGUMENTS or outside[place] for kind, place in program.places]
