"""Gradients of tables from which only rows are taken: `tf.IndexedSlices` instead of a dense tensor.

Where a source reaches the targets through `gather`s of its rows alone, its gradient is the gradient
for the rows, next to their positions. The rows are slots like any other: the derivative is taken
with respect to them, and the table itself takes no part in it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_type import TensorType
from tapefacade._definition.op import REGISTRY
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.shaping import reshape as reshape_op
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._state.variable import READ_VALUE
from tapefacade._trace.tree import Node

GATHER, GATHER_ND, CAST = REGISTRY["gather"], REGISTRY["gather_nd"], REGISTRY["_cast"]
GATHER_AXIS, GATHER_BATCH, GATHER_ND_BATCH = 1, 2, 0  # places among the static parameters
ROW_KEEPING_OPERATIONS = (READ_VALUE, REGISTRY["identity"], CAST)  # what leaves rows where they are


class TakenRows(NamedTuple):
    """Rows that were taken: their slot, and that of their positions."""

    rows: int
    positions: int


class RowGradients(NamedTuple):
    """How a gradient becomes one with respect to rows.

    Attributes:
        groups: the slots of each source of the new gradient.
        taken: for each source of the old one, the rows taken from it; None if it stays dense.
        types: the type of each source of the old one.
    """

    groups: tuple[tuple[int, ...], ...]
    taken: tuple[tuple[TakenRows, ...] | None, ...]
    types: tuple[TensorType | None, ...]

    def result(
        self, place: int, gradients: Sequence[EagerTensor | None], positions: Sequence[EagerTensor]
    ) -> Any:
        """Returns the gradient of a table from those of the rows; None if there is none."""
        type_ = self.types[place]
        assert type_ is not None
        shape = [-1, *type_.shape[1:]]
        reshape, found = reshape_op, []
        for gradient, where in zip(gradients, positions, strict=True):
            if gradient is not None:
                rows = cast(reshape(gradient, shape), type_.dtype)
                found.append((rows, reshape(where, [-1])))
        if not found:
            return None
        values, indices = found[0]
        if len(found) > 1:
            values = concat([rows for rows, _ in found], 0)
            indices = concat([where for _, where in found], 0)
        return IndexedSlices(values, indices, from_host(np.array(type_.shape, np.int32)))


def find_row_gradients(
    nodes: Sequence[Node],
    targets: Sequence[int],
    groups: tuple[tuple[int, ...], ...],
    types: dict[int, TensorType],
) -> RowGradients | None:
    """Finds the sources that reach the targets only through rows taken from them.

    Args:
        nodes: the instructions on the way from the sources to the targets, in order.
        targets: the slots to differentiate.
        groups: the slots of each source.
        types: of the slots.

    Returns:
        What to differentiate instead; None if there is no such source.
    """
    if not any(node.operation is GATHER or node.operation is GATHER_ND for node in nodes):
        return None
    uses: dict[int, list[Node]] = {}
    for node in nodes:
        for slot in dict.fromkeys(node.inputs):
            uses.setdefault(slot, []).append(node)
    ends = frozenset(targets)
    taken = tuple([_taken_from(group, uses, ends, types) for group in groups])
    if not any(taken):
        return None
    new: list[tuple[int, ...]] = []
    for group, rows in zip(groups, taken, strict=True):
        new += [(one.rows,) for one in rows] if rows else [group]
    of_groups = tuple([types.get(group[0]) if group else None for group in groups])
    return RowGradients(tuple(new), taken, of_groups)


def _taken_from(
    slots: Sequence[int],
    uses: dict[int, list[Node]],
    ends: frozenset[int],
    types: dict[int, TensorType],
) -> tuple[TakenRows, ...] | None:
    """Returns the rows taken from some slots; None if these are used in another way as well."""
    found: list[TakenRows] = []
    for slot in slots:
        if slot in ends:
            return None
        for node in uses.get(slot, ()):
            if _takes_rows(node, slot, types):
                found.append(TakenRows(node.first_output, node.inputs[1]))
                continue
            if (
                node.operation not in ROW_KEEPING_OPERATIONS
                or not types[node.first_output].dtype.is_floating
            ):
                return None
            below = _taken_from([node.first_output], uses, ends, types)
            if below is None:
                return None
            found += below
    return tuple(found) or None


def _takes_rows(node: Node, table: int, types: dict[int, TensorType]) -> bool:
    if node.inputs[0] != table or table in node.inputs[1:]:
        return False
    static = node.static
    if node.operation is GATHER:
        return (static[GATHER_AXIS] or 0) == 0 and not static[GATHER_BATCH]
    return (
        node.operation is GATHER_ND
        and types[node.inputs[1]].shape[-1] == 1
        and not static[GATHER_ND_BATCH]
    )
