"""A run of replicas whose batches have different sizes, as one instruction.

Each size has a program. The replicas are computed in turn, each up to the next collective, where
they meet. All of it is computed on every device, so that it is for the last batch of an epoch.
"""

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.random_keys import words_of
from tapefacade._core.tensor import hinted
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._distribute.collectives import AXIS
from tapefacade._function.control.bodies import BodyProgram, EffectsOnly
from tapefacade._function.control.scan_op import BodyKey, unpacked_key
from tapefacade._ops.array.printing import QUIET
from tapefacade._tape.derivatives.common_subexpressions import bind, is_literal
from tapefacade._trace.named_axes import NAMED_AXES, traced
from tapefacade._trace.operation import Operation

COLLECTIVES = frozenset({"psum", "all_gather", "reduce_scatter"})
CALLS = frozenset({
    "jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat",
    "checkpoint", "remat2",
})  # fmt: skip
MESSAGE_SIZES = (
    "The replicas bring values of the shapes {} together, as their batches have different sizes."
)
MESSAGE_ORDER = "Replicas whose batches have different sizes do not synchronize equally often."
MESSAGE_LOOPS = (
    "Replicas whose batches have different sizes cannot synchronize in a loop or branch."
)
HINT_SIZES = (
    "Leave the last batch out (`dataset.batch(n, drop_remainder=True)`), or fill it up and give "
    "the rows that are added a weight of 0."
)


class UnevenPart(NamedTuple):
    """What one replica computes, and which operands it has.

    Attributes:
        program: its program.
        elements: the number of its arguments.
        rows: for each operand from outside whether it has a row for each replica; None is a key.
        keys: the random keys.
    """

    program: BodyProgram
    elements: int
    rows: tuple[bool | None, ...]
    keys: tuple[BodyKey, ...]

    @property
    def operands(self) -> int:
        """The number of operands."""
        return self.elements + sum(kind is not None for kind in self.rows)


class UnevenPlan(NamedTuple):
    """All that decides what a run computes. Operands are those of each replica, then the keys.

    Attributes:
        parts: what each replica does.
        results: the number of results of each.
        assigned_rows: for each variable that is assigned whether each replica has a value of it.
        opaque: whether a tape that is not there yet has to see the Python.
    """

    parts: tuple[UnevenPart, ...]
    results: int
    assigned_rows: tuple[bool, ...]
    opaque: bool


class UnevenRun(Operation):
    """Runs the replicas; results of each in turn, then assigned values and verdicts of checks."""

    name = "run"
    kernel = "ReplicatedCall"

    def __init__(self, plan: UnevenPlan) -> None:
        self.plan = plan
        programs = [part.program for part in plan.parts]
        self.replayable = all(program.replayable for program in programs) and not plan.opaque
        self.check_types: list[list[tuple[TensorType, ...]]] = []  # known when it is inferred

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        plan = self.plan
        found = [type_ for part in plan.parts for type_ in part.program.types[: plan.results]]
        assigned = plan.parts[0].program.types[plan.results :]
        for type_, has_rows in zip(assigned, plan.assigned_rows, strict=True):
            shape = (len(plan.parts), *type_.shape) if has_rows else type_.shape
            found.append(type_of(shape, type_.numpy_dtype))
        with jax.enable_x64(True), QUIET.temporarily(on=True):
            shapes = [jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype) for type_ in types]
            checks = jax.eval_shape(lambda arrays: self._computed(arrays)[2], shapes)
        self.check_types = [
            [tuple(type_of(a.shape, np.dtype(a.dtype)) for a in check) for check in of_replica]
            for of_replica in checks
        ]
        flat = [t for of_replica in self.check_types for check in of_replica for t in check]
        return (*found, *flat), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        with QUIET.temporarily(on=True):  # what a replica prints is an instruction of its own
            return self.computed(arrays)

    def computed(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Computes the results from arrays."""
        results, assigned, checks = self._computed(arrays)
        flat = [array for of_replica in checks for check in of_replica for array in check]
        return [*(array for of_replica in results for array in of_replica), *assigned, *flat]

    def _computed(self, arrays: Sequence[Any]) -> Any:
        """Returns the results of each replica, the values of variables, and the verdicts."""
        plan, arrays = self.plan, list(arrays)
        keys = arrays.pop() if plan.parts[0].keys else None
        runs = []
        for replica, part in enumerate(plan.parts):
            own, arrays = arrays[: part.operands], arrays[part.operands :]
            runs.append(_ReplicaProgram(part, own, replica, len(plan.parts), keys))
        _run_together([run.steps() for run in runs])
        outputs = [run.outputs for run in runs]
        results = [found[: plan.results] for found, _ in outputs]
        assigned = []
        for place, has_rows in enumerate(plan.assigned_rows, plan.results):
            values = [found[place] for found, _ in outputs]
            assigned.append(jnp.stack(values) if has_rows else values[0])
        return results, assigned, [checks for _, checks in outputs]


class UnevenRunForEffects(EffectsOnly, UnevenRun):
    """The replicas once more, run only for what they print."""


class _ReplicaProgram:
    """The program of one replica, traced, and computed up to each collective.

    Attributes:
        outputs: the results and the verdicts of the checks, when it has been computed.
    """

    def __init__(
        self, part: UnevenPart, operands: Sequence[Any], replica: int, count: int, keys: Any
    ) -> None:
        self._replica = replica
        rest = iter(operands[part.elements :])
        taken: list[Any] = []
        for kind in part.rows:
            operand: Any = None if kind is None else next(rest)
            taken.append(operand[replica] if kind else operand)
        start = 0
        for key in part.keys:
            words = words_of(key.type.shape, key.type.numpy_dtype)
            taken[key.place] = unpacked_key(keys[replica, start : start + words], key.type)
            start += words
        self._arguments = [*operands[: part.elements], *taken]

        def run(*arrays: Any) -> Any:
            found, checks = part.program.run(arrays[: part.elements], arrays[part.elements :])
            return found, [list(check) for check in checks]

        types = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self._arguments]
        with NAMED_AXES.temporarily(sizes=((AXIS, count),)), jax.enable_x64(True):
            self._closed, shape = traced(run, return_shape=True)(*types)
        self._structure = jax.tree.structure(shape)
        self.outputs: Any = None

    def steps(self) -> Generator[Any, Any, None]:
        """Computes it; yields each collective with its operands, and is sent its results."""
        flat = yield from self._evaluated(self._closed.jaxpr, self._closed.consts, self._arguments)
        self.outputs = jax.tree.unflatten(self._structure, flat)

    def _evaluated(
        self, jaxpr: Any, constants: Sequence[Any], arguments: Sequence[Any]
    ) -> Generator[Any, Any, list[Any]]:
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, constants, strict=True))
        values.update(zip(jaxpr.invars, arguments, strict=True))

        def read(atom: Any) -> Any:
            return atom.val if is_literal(atom) else values[atom]

        for equation in jaxpr.eqns:
            given = [read(atom) for atom in equation.invars]
            name = equation.primitive.name
            if name == "axis_index":
                found = [jnp.asarray(self._replica, np.int32)]
            elif name in COLLECTIVES:
                found = yield equation, given
            elif not _synchronizes(equation):
                found = bind(equation, given)
            elif name in CALLS:
                inner = next(found for found in _programs(equation))
                found = yield from self._evaluated(
                    getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), given
                )
            else:
                raise hinted(RuntimeError(MESSAGE_LOOPS), HINT_SIZES)
            values.update(zip(equation.outvars, found, strict=True))
        return [read(atom) for atom in jaxpr.outvars]


def _programs(equation: Any) -> list[Any]:
    """Returns the programs among the parameters of an equation."""
    found = []
    for value in equation.params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if hasattr(getattr(one, "jaxpr", one), "eqns"):
                found.append(one)
    return found


def _synchronizes(equation: Any) -> bool:
    """Whether there is a collective in an equation, or the number of the replica."""
    return any(
        inner.primitive.name in COLLECTIVES | {"axis_index"} or _synchronizes(inner)
        for program in _programs(equation)
        for inner in getattr(program, "jaxpr", program).eqns
    )


def _run_together(runs: Sequence[Generator[Any, Any, None]]) -> None:
    """Computes the replicas, which meet at the collectives."""
    answers: Sequence[Any] = [None] * len(runs)
    while True:
        waiting = []
        for run, answer in zip(runs, answers, strict=True):
            try:
                waiting.append(run.send(answer))
            except StopIteration:
                waiting.append(None)
        if all(each is None for each in waiting):
            return
        if len({None if each is None else each[0].primitive.name for each in waiting}) > 1:
            raise hinted(RuntimeError(MESSAGE_ORDER), HINT_SIZES)
        answers = _met(waiting[0][0], [given for _, given in waiting])


def _met(equation: Any, given: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Returns what a collective gives each replica."""
    count, parameters, name = len(given), equation.params, equation.primitive.name
    if name == "all_gather":
        axis = parameters["all_gather_dimension"]
        parts = [arrays[0] for arrays in given]
        _require_equal(parts)
        joined = jnp.concatenate(parts, axis) if parameters["tiled"] else jnp.stack(parts, axis)
        return [[joined]] * count
    totals = []
    for parts in zip(*given, strict=True):
        _require_equal(parts)
        totals.append(sum(parts[1:], parts[0]))
    if name == "psum":
        return [totals] * count
    axis = parameters["scatter_dimension"]
    parts = jnp.split(totals[0], count, axis)
    return [[part if parameters["tiled"] else jnp.squeeze(part, axis)] for part in parts]


def _require_equal(parts: Sequence[Any]) -> None:
    shapes = [tuple(part.shape) for part in parts]
    if len(set(shapes)) > 1:
        raise hinted(ValueError(MESSAGE_SIZES.format(shapes)), HINT_SIZES)
