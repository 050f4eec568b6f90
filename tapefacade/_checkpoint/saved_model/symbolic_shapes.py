"""Programs with symbolic shapes: the same function recorded at two sizes, and compared.

A recording holds sizes as numbers. Where two recordings agree, the number is no size; where they
differ, it must be a multiple of a size, or of two, which a symbol takes the place of. What differs
otherwise cannot be exported for all sizes.
"""

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from tapefacade._checkpoint.saved_model.program_export import (
    ExportedProgram,
    NotExportedError,
    ProgramParts,
    cut_out,
    export_recorded,
)
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.tensor_type import TensorType
from tapefacade._definition.op import Op
from tapefacade._function.function.recorded_program import RecordedProgram
from tapefacade._function.function.stand_in_sizes import STAND_IN_SIZES, recorded_with_stand_ins
from tapefacade._trace.slices import Slice, Step

# Prime sizes that programs do not have, two for each axis that is not known.
FIRST_STAND_IN_SIZES = (1009, 1019, 1031, 1049, 1061, 1087, 1093, 1103)
SECOND_STAND_IN_SIZES = (1013, 1021, 1033, 1051, 1063, 1091, 1097, 1109)
Record = Callable[[list[TensorSpec]], RecordedProgram]


def export_for_all_sizes(record: Record, specs: Sequence[TensorSpec]) -> ExportedProgram:
    """Exports a function for all sizes that specs leave open, and that it takes.

    Args:
        record: records the function for tensors of known shapes.
        specs: the specs of the arguments that are tensors.

    Raises:
        NotExportedError: if that cannot be.
    """
    try:
        return _export_for_all(record, specs)
    except NotExportedError:
        fitting = _fitting(record, specs)
        if fitting == list(specs):
            raise
        return _export_for_all(record, fitting)


def _fitting(record: Record, specs: Sequence[TensorSpec]) -> list[TensorSpec]:
    """Returns specs with the sizes that a function needs, as those of what it multiplies by."""
    found: list[TensorSpec] = list(specs)

    def fits(shapes: list[tuple[int, ...]]) -> None:
        pairs = [*zip(shapes, specs, strict=True)]
        record([TensorSpec(shape, spec.dtype) for shape, spec in pairs])
        found[:] = [
            TensorSpec([None if n in STAND_IN_SIZES else n for n in shape], spec.dtype, spec.name)
            for shape, spec in pairs
        ]

    if all(spec.shape.rank is not None for spec in specs):
        with contextlib.suppress(Exception):  # of the user's ops, or Python: no sizes fit
            recorded_with_stand_ins(fits, [spec.shape for spec in specs])
    return found


def _export_for_all(record: Record, specs: Sequence[TensorSpec]) -> ExportedProgram:
    reasons = []
    for symbols in _assignments(specs):
        try:
            return _export(record, specs, symbols)
        except NotExportedError as error:
            reasons.append(str(error))
    raise NotExportedError(reasons[0] if reasons else "the rank of an argument is not known")


def _assignments(specs: Sequence[TensorSpec]) -> list[list[list[int | None]]]:
    """Returns which sizes may be taken for equal: none, those of first axes, all of an axis."""
    if any(spec.shape.rank is None for spec in specs):
        return []
    shapes = [spec.shape.as_list() for spec in specs]
    found: list[list[list[int | None]]] = []
    for key_of in (_own, _of_first_axes, _from_start, _from_end):
        numbers: dict[Any, int] = {}
        rows = [
            [
                None
                if size is not None
                else numbers.setdefault(key_of(place, axis, len(shape)), len(numbers))
                for axis, size in enumerate(shape)
            ]
            for place, shape in enumerate(shapes)
        ]
        if rows not in found:
            found.append(rows)
    return found


def _own(place: int, axis: int, rank: int) -> Any:
    return place, axis


def _of_first_axes(place: int, axis: int, rank: int) -> Any:
    return (place, axis) if axis else axis


def _from_start(place: int, axis: int, rank: int) -> Any:
    return axis


def _from_end(place: int, axis: int, rank: int) -> Any:
    return axis - rank


def _export(
    record: Record, specs: Sequence[TensorSpec], symbols: list[list[int | None]]
) -> ExportedProgram:
    count = max((s for row in symbols for s in row if s is not None), default=-1) + 1
    if count > len(FIRST_STAND_IN_SIZES):
        raise NotExportedError("too many sizes are not known")
    try:
        pair = [
            record(_sized(specs, symbols, sizes))
            for sizes in (FIRST_STAND_IN_SIZES, SECOND_STAND_IN_SIZES)
        ]
    except NotExportedError:
        raise
    except Exception as error:  # what the user's function says to such sizes
        raise NotExportedError(
            f"it does not run with sizes like {FIRST_STAND_IN_SIZES[:count]}: {error}"
        ) from None
    first, second = pair
    parts = cut_out(first)
    names = ", ".join(f"size{k}" for k in range(count))
    with jax.enable_x64(True):
        dims = list(export.symbolic_shape(names)) if count else []
        match = _Match(dims)
        part, instead = match.slices(parts.part, cut_out(second).part)
        captured = _captured(match, first, second)
        given = [
            jax.ShapeDtypeStruct(
                tuple(
                    size if symbol is None else dims[symbol]
                    for size, symbol in zip(spec.shape.as_list(), row, strict=True)
                ),
                spec.dtype._numpy,
            )
            for spec, row in zip(specs, symbols, strict=True)
        ]
    return export_recorded(
        first, ProgramParts(part, parts.slots, parts.lines, instead), given, captured
    )


def _sized(
    specs: Sequence[TensorSpec], symbols: list[list[int | None]], sizes: Sequence[int]
) -> list[TensorSpec]:
    return [
        TensorSpec(
            [
                size if symbol is None else sizes[symbol]
                for size, symbol in zip(spec.shape.as_list(), row, strict=True)
            ],
            spec.dtype,
        )
        for spec, row in zip(specs, symbols, strict=True)
    ]


def _captured(match: "_Match", first: RecordedProgram, second: RecordedProgram) -> dict[int, Any]:
    """Returns how to compute the captures that depend on sizes."""
    found: dict[int, Any] = {}
    pairs = zip(first.captures.items(), second.captures.values(), strict=False)
    if len(first.captures) != len(second.captures) or first.scalars != second.scalars:
        raise NotExportedError("it computes other numbers for other sizes")
    for (slot, one), other in pairs:
        if one is other:
            continue
        a, b = np.asarray(one), np.asarray(other)
        if a.dtype != b.dtype or a.shape != b.shape:
            raise NotExportedError("it makes a tensor on the host whose size is not known")
        if not np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"):
            found[slot] = match.computed(a, b)
    return found


def _reshaped(shape: tuple[Any, ...], step: Step, arrays: Sequence[Any]) -> Sequence[Any]:
    return [jnp.reshape(arrays[0], shape)]


def _broadcast(shape: tuple[Any, ...], step: Step, arrays: Sequence[Any]) -> Sequence[Any]:
    return [jnp.broadcast_to(arrays[0], shape)]


def _filled(shape: tuple[Any, ...], step: Step, arrays: Sequence[Any]) -> Sequence[Any]:
    (one,) = step.operation.evaluate([], ((), *step.static[1:]))
    return [jnp.broadcast_to(one, shape)]


def _spread(shape: tuple[Any, ...], step: Step, arrays: Sequence[Any]) -> Sequence[Any]:
    alike = [jnp.broadcast_to(array, shape) for array in arrays]
    return step.operation.evaluate(alike, step.static)


def _way(step: Step, types: Sequence[TensorType]) -> Any:
    """Returns how to compute a step of which a shape is not known; None if as ever."""
    operation = step.operation
    if isinstance(operation, Op) and operation.facts.elementwise > 1:
        # They look at the shapes of their operands as numbers; these are made equal before.
        shapes = {types[slot].shape for slot in step.inputs}
        return _spread if len(shapes) > 1 else None
    return KERNELS_GIVEN_SHAPES.get(operation.name)


def _selected(shape: tuple[Any, ...], step: Step, arrays: Sequence[Any]) -> Sequence[Any]:
    return [jnp.where(*arrays)]


# Ops that are told the shape of their result: it is known, be it of symbols.
KERNELS_GIVEN_SHAPES = {
    "reshape": _reshaped, "broadcast_to": _broadcast, "fill": _broadcast, "_full": _filled,
    "_select": _selected,
}  # fmt: skip


class _Match:
    """Finds symbols in the place of sizes.

    Args:
        dims: the symbols.
    """

    def __init__(self, dims: Sequence[Any]) -> None:
        self._dims = dims
        self._products: list[tuple[int, int, Any]] = [
            (FIRST_STAND_IN_SIZES[k], SECOND_STAND_IN_SIZES[k], dim) for k, dim in enumerate(dims)
        ]
        self._products += [
            (
                FIRST_STAND_IN_SIZES[j] * FIRST_STAND_IN_SIZES[k],
                SECOND_STAND_IN_SIZES[j] * SECOND_STAND_IN_SIZES[k],
                dims[j] * dims[k],
            )
            for j in range(len(dims))
            for k in range(j, len(dims))
        ]

    def slices(self, first: Slice, second: Slice) -> tuple[Slice, dict[int, Any]]:
        """Returns the program for all sizes, and how to compute some of its steps."""
        if len(first.steps) != len(second.steps) or first.outputs != second.outputs:
            raise NotExportedError("it runs other instructions for other sizes")
        steps = []
        instead: dict[int, Any] = {}
        types = first.types()
        for place, (one, other) in enumerate(zip(first.steps, second.steps, strict=True)):
            if one.operation is not other.operation or one.inputs != other.inputs:
                raise NotExportedError(f"{one.operation.name} depends on sizes")
            shaped = _way(one, types)
            if shaped is not None and one.types != other.types:
                shape = self.value(one.types[0].shape, other.types[0].shape)
                instead[place] = functools.partial(shaped, shape, one)
                steps.append(one)
            else:
                steps.append(one._replace(static=self.value(one.static, other.static)))
        return Slice(first.inputs, tuple(steps), first.outputs), instead

    def value(self, first: Any, second: Any) -> Any:
        """Returns a static value for all sizes."""
        if type(first) is not type(second):
            raise NotExportedError("it depends on sizes")
        if isinstance(first, tuple) and len(first) == len(second):
            parts = [self.value(*pair) for pair in zip(first, second, strict=True)]
            return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
        if first is second or first == second:
            return first
        if isinstance(first, int | np.integer):
            return self.number(int(first), int(second))
        raise NotExportedError(f"it depends on sizes: {first!r} and {second!r}")

    def number(self, first: int, second: int) -> Any:
        """Returns a number as a multiple of a size, or of two, and something more."""
        if first == second:
            return first
        for one, other, dim in self._products:
            factor, rest = divmod(first - second, one - other)
            if rest == 0 and factor != 0:
                more = first - factor * one
                if abs(more) < min(FIRST_STAND_IN_SIZES):
                    return factor * dim + more
        raise NotExportedError(f"a number depends on sizes ({first} and {second})")

    def computed(self, first: Any, second: Any) -> Callable[[Any], Any]:
        """Returns a function that computes an array of numbers that depend on sizes."""
        if first.dtype.kind not in "iuf" or first.size > 64:
            raise NotExportedError("it makes a tensor on the host that depends on sizes")
        pairs = list(zip(first.reshape(-1).tolist(), second.reshape(-1).tolist(), strict=True))
        if any(number != int(number) for pair in pairs for number in pair if pair[0] != pair[1]):
            raise NotExportedError("it computes with a size on the host")
        numbers = [a if a == b else self.number(int(a), int(b)) for a, b in pairs]

        def compute(_: Any) -> Any:
            rows = [jnp.asarray(number).astype(first.dtype) for number in numbers]
            return jnp.stack(rows).reshape(first.shape) if first.shape else rows[0]

        return compute
