"""Recorded programs as StableHLO: what runs without the Python code that it was made by."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import export, lax

from tapefacade._core.gradient_rules import NoGradient, NotDifferentiable
from tapefacade._core.optional_imports import missing_package
from tapefacade._core.random_keys import Draw
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._function.function.recorded_program import RecordedProgram
from tapefacade._ops.array.printing import QUIET
from tapefacade._state.variable import Variable
from tapefacade._trace.program_listing import in_sentence
from tapefacade._trace.slices import Slice, Step, evaluate

# One program for all; where an op has no lowering for one of them, for fewer.
PLATFORMS = ("cpu", "cuda", "tpu")
# A gradient of a gradient can be taken of what is loaded.
HIGHEST_EXPORTED_ORDER = 2


class NotExportedError(ValueError):
    """Says why a function cannot be saved."""


class ExportedProgram(NamedTuple):
    """A program as bytes, and what it is called with.

    Attributes:
        program: gives the results, then the new values of the variables that it assigns.
        checks: gives a flag for each check of values; None if there are none.
        failures: for each check the name of the op and the line it was recorded at.
        variables: what follows the arguments: variables,
        draws: keys that are drawn at every call,
        constants: and tensors from outside.
        assigned: the variables that it assigns.
    """

    program: bytes
    checks: bytes | None
    failures: list[list[str]]
    variables: list[Variable]
    draws: list[dict[str, Any]]
    constants: list[EagerTensor]
    assigned: list[Variable]


class ProgramParts(NamedTuple):
    """A recorded program, cut out.

    Attributes:
        part: its slice.
        slots: the slots of the slice's inputs.
        lines: where the steps were recorded.
        instead: how to compute some steps, by their places, for sizes that are not known.
    """

    part: Slice
    slots: tuple[int, ...]
    lines: list[str]
    instead: dict[int, Callable[[Sequence[Any]], Sequence[Any]]] = {}  # noqa: RUF012 - of a tuple


def cut_out(recorded: RecordedProgram) -> ProgramParts:
    """Cuts out what a recorded program computes.

    Raises:
        NotExportedError: if it does something that is no computation.
    """
    wanted = [*recorded.results, *(slot for _, slot in recorded.assigned)]
    part, slots, nodes = recorded.slice(wanted)
    for node in nodes:
        operation = node.operation
        if operation is not None and operation.acts:
            raise NotExportedError(
                f"{operation.name} at {in_sentence(node.line)} is Python code that runs at every "
                "call, which is no part of a saved model"
            )
    return ProgramParts(part, slots, [node.line for node in nodes])


def export_recorded(
    recorded: RecordedProgram,
    parts: ProgramParts,
    given: Sequence[jax.ShapeDtypeStruct],
    captured: Mapping[int, Any] | None = None,
) -> ExportedProgram:
    """Exports a recorded program.

    Args:
        recorded: the program.
        parts: what it computes, perhaps for other sizes.
        given: the shapes and dtypes of the arguments; sizes may be symbols.
        captured: what to compute in the place of some captures, by slot.

    Raises:
        NotExportedError: if an op cannot be exported.
    """
    made = captured or {}
    variables = list(recorded.variables.items())
    draws = list(recorded.draws.items())
    constants = [(slot, t) for slot, t in recorded.captures.items() if slot not in made]
    own = [slot for slot, _ in (*variables, *draws, *constants)]
    order = [*recorded.arguments, *own]
    types = [_struct(recorded.type_of(slot)) for slot in own]

    def values_of(arguments: Sequence[Any]) -> list[Any]:
        known = dict(zip(order, arguments, strict=True))
        for slot, scalar in recorded.scalars.items():
            known[slot] = jnp.asarray(scalar, recorded.type_of(slot).numpy_dtype)
        for slot, compute in made.items():
            known[slot] = compute(arguments)
        return [known[slot] for slot in parts.slots]

    failures: list[list[str]] = []
    run, test = _functions(parts, values_of, failures)
    structs = [*given, *types]
    program = _bytes(run, structs, _highest_order(parts.part))
    checked = any(step.operation.check is not None for step in parts.part.steps)
    checks = _bytes(test, structs, 0) if checked else None
    if not failures:
        checks = None
    return ExportedProgram(
        program, checks, failures,
        [variable._root for _, variable in variables],
        [_described(draw) for _, draw in draws],
        [tensor for _, tensor in constants],
        [variable._root for variable, _ in recorded.assigned],
    )  # fmt: skip


def _functions(
    parts: ProgramParts, values_of: Callable[[Sequence[Any]], list[Any]], failures: list[list[str]]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Returns a function that computes the results, and one that computes the checks."""
    part = parts.part
    dtypes = [type_.numpy_dtype for type_ in part.types()]
    places = {id(step): place for place, step in enumerate(part.steps)}

    def plain(step: Step, arrays: list[Any]) -> Sequence[Any]:
        arrays = _without_gradients(step, arrays)
        instead = parts.instead.get(places[id(step)])
        if instead is not None:
            return instead(arrays)
        return step.operation.evaluate(arrays, step.static)

    def run(*arguments: Any) -> list[Any]:
        slots = evaluate(part, values_of(arguments), plain)
        return [jnp.asarray(slots[slot], dtypes[slot]) for slot in part.outputs]

    def test(*arguments: Any) -> list[Any]:
        flags: list[Any] = []
        failures.clear()

        def tested(step: Step, arrays: list[Any]) -> Sequence[Any]:
            if step.operation.check is not None:
                ok, *_ = step.operation.test(arrays, step.static)
                if ok is not True:
                    flags.append(jnp.asarray(ok, bool))
                    name = step.operation.name.lstrip("_")
                    failures.append([name, step.operation.kernel, parts.lines[places[id(step)]]])
            return plain(step, arrays)

        evaluate(part, values_of(arguments), tested)
        return flags

    return run, test


def _without_gradients(step: Step, arrays: list[Any]) -> list[Any]:
    """Stops gradients where TensorFlow has none."""
    operation = step.operation
    if isinstance(operation.gradient, NotDifferentiable):
        return [lax.stop_gradient(array) for array in arrays]
    blocked = operation.blocked(step.static, len(arrays))
    return [
        lax.stop_gradient(array) if place in blocked else array
        for place, array in enumerate(arrays)
    ]


def _highest_order(part: Slice) -> int:
    """Returns how often a program can be differentiated."""
    for step in part.steps:
        missing = isinstance(step.operation.gradient, NoGradient)
        if missing and any(type_.inexact for type_ in step.types):
            return 0
    return HIGHEST_EXPORTED_ORDER


def _bytes(
    function: Callable[..., Any], structs: Sequence[jax.ShapeDtypeStruct], order: int
) -> bytes:
    """Exports a function of arrays, and its gradients as far as there are some."""
    try:
        with QUIET.temporarily(on=True), jax.enable_x64(True):
            return _serialized(_lowered(jax.jit(function), structs), order)
    except ImportError as error:
        raise missing_package("checkpoint", "Saved models", "flatbuffers") from error
    except Exception as error:  # what any op says to a size that is a symbol
        raise NotExportedError(f"JAX cannot export it: {error}") from error


def _lowered(jitted: Any, structs: Sequence[jax.ShapeDtypeStruct]) -> export.Exported:
    """Exports for all platforms, or those that all ops have."""
    for platforms in (PLATFORMS, PLATFORMS[:2]):
        try:
            return export.export(jitted, platforms=platforms)(*structs)
        except NotImplementedError:
            continue
    return export.export(jitted)(*structs)


def _serialized(made: export.Exported, order: int) -> bytes:
    try:
        return bytes(made.serialize(vjp_order=order))
    except Exception:  # what any op says that has no such gradient
        if order == 0:
            raise
        return _serialized(made, order - 1)  # an op whose gradient has none


def _struct(type_: TensorType) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(type_.shape, type_.numpy_dtype)


def structs_of(recorded: RecordedProgram) -> list[jax.ShapeDtypeStruct]:
    """Returns the shapes and dtypes of the arguments as they were recorded."""
    return [_struct(recorded.type_of(slot)) for slot in recorded.arguments]


# Random numbers: how the keys are drawn is written down.


def _described(draw: Draw) -> dict[str, Any]:
    source: Any = draw.source
    if not hasattr(source, "_arguments"):
        raise NotExportedError("it draws random numbers in a loop")
    kernel, dtype, seed, blocks, make = source._arguments
    hashed = getattr(make, "__name__", "") == "_hashed"
    if (make is not None and not hashed) or not (dtype is None or hasattr(dtype, "name")):
        raise NotExportedError(f"{kernel} draws random numbers on the host")
    fixed = source._fixed
    return {
        "kernel": kernel, "dtype": None if dtype is None else dtype.name, "blocks": blocks,
        "seed": seed if fixed is None else int(fixed[0]), "hashed": hashed,
    }  # fmt: skip
