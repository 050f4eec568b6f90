"""Programs for sizes that are not known: the same function recorded at two sizes, and compared.

A recording holds sizes as numbers. Where two recordings agree, the number is no size; where they
differ, it must be a multiple of a size, or of two, which a symbol takes the place of. What differs
otherwise cannot be exported for all sizes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from tapefacade._checkpoint.exporting import (
    Exported,
    NotExportedError,
    Parts,
    cut_out,
    export_recorded,
)
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._function.recorded import Recorded
from tapefacade._trace.slices import Slice

# Prime sizes that programs do not have, two for each axis that is not known.
FIRST = (1009, 1019, 1031, 1049, 1061, 1087, 1093, 1103)
SECOND = (1013, 1021, 1033, 1051, 1063, 1091, 1097, 1109)
Record = Callable[[list[TensorSpec]], Recorded]


def export_for_all_sizes(record: Record, specs: Sequence[TensorSpec]) -> Exported:
    """Exports a function for all sizes that specs leave open.

    Args:
        record: records the function for tensors of known shapes.
        specs: the specs of the arguments that are tensors.

    Raises:
        NotExportedError: if that cannot be.
    """
    reasons = []
    for symbols in _assignments(specs):
        try:
            return _export(record, specs, symbols)
        except NotExportedError as error:
            reasons.append(str(error))
    raise NotExportedError(reasons[0] if reasons else "the rank of an argument is not known")


def _assignments(specs: Sequence[TensorSpec]) -> list[list[list[int | None]]]:
    """Returns which sizes may be equal: none, those of the first axes, or all of an axis."""
    if any(spec.shape.rank is None for spec in specs):
        return []
    shapes = [spec.shape.as_list() for spec in specs]
    distinct, first_shared, all_shared = [], [], []
    numbers: dict[Any, int] = {}

    def number(key: Any) -> int:
        return numbers.setdefault(key, len(numbers))

    for which, found in ((0, distinct), (1, first_shared), (2, all_shared)):
        numbers.clear()
        for place, shape in enumerate(shapes):
            row: list[int | None] = []
            for axis, size in enumerate(shape):
                keys = ((place, axis), axis if axis == 0 else (place, axis), axis)
                row.append(None if size is not None else number(keys[which]))
            found.append(row)
    kept = [distinct]
    for other in (first_shared, all_shared):
        if other not in kept:
            kept.append(other)
    return kept


def _export(
    record: Record, specs: Sequence[TensorSpec], symbols: list[list[int | None]]
) -> Exported:
    count = max((s for row in symbols for s in row if s is not None), default=-1) + 1
    if count > len(FIRST):
        raise NotExportedError("too many sizes are not known")
    try:
        pair = [record(_sized(specs, symbols, sizes)) for sizes in (FIRST, SECOND)]
    except NotExportedError:
        raise
    except Exception as error:  # what the user's function says to such sizes
        raise NotExportedError(
            f"it does not run with sizes like {FIRST[:count]}: {error}"
        ) from None
    first, second = pair
    parts = cut_out(first)
    names = ", ".join(f"size{k}" for k in range(count))
    with jax.enable_x64(True):
        dims = list(export.symbolic_shape(names)) if count else []
        match = _Match(dims)
        part = match.slices(parts.part, cut_out(second).part)
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
    return export_recorded(first, Parts(part, parts.slots, parts.lines), given, captured)


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


def _captured(match: "_Match", first: Recorded, second: Recorded) -> dict[int, Any]:
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


class _Match:
    """Finds symbols in the place of sizes.

    Args:
        dims: the symbols.
    """

    def __init__(self, dims: Sequence[Any]) -> None:
        self._dims = dims
        self._products: list[tuple[int, int, Any]] = [
            (FIRST[k], SECOND[k], dim) for k, dim in enumerate(dims)
        ]
        self._products += [
            (FIRST[j] * FIRST[k], SECOND[j] * SECOND[k], dims[j] * dims[k])
            for j in range(len(dims))
            for k in range(j, len(dims))
        ]

    def slices(self, first: Slice, second: Slice) -> Slice:
        """Returns the program for all sizes."""
        if len(first.steps) != len(second.steps) or first.outputs != second.outputs:
            raise NotExportedError("it runs other instructions for other sizes")
        steps = []
        for one, other in zip(first.steps, second.steps, strict=True):
            if one.operation is not other.operation or one.inputs != other.inputs:
                raise NotExportedError(f"{one.operation.name} depends on sizes")
            steps.append(one._replace(static=self.value(one.static, other.static)))
        made = Slice(first.inputs, tuple(steps), first.outputs)
        return made

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
                if abs(more) < min(FIRST):
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
