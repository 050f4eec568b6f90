"""How the values of replicas are combined: there is one replica, whose value is the result."""

import enum
from typing import Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._definition.op import function
from tapefacade._ops.math.reduction import reduce_mean, reduce_sum
from tapefacade._state.indexed_slices import IndexedSlices


@function("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """How values are brought together.

    >>> tf.distribute.ReduceOp.SUM
    <ReduceOp.SUM: 'SUM'>
    """

    SUM = "SUM"
    MEAN = "MEAN"


def reduce_op(given: Any) -> ReduceOp:
    """Returns the kind of reduction that is meant: texts in any case will do.

    Raises:
        ValueError: if there is none.
    """
    return ReduceOp(given.upper() if isinstance(given, str) else given)


def as_tensors(value: Any) -> Any:
    """Returns a structure with tensors in the place of variables and numbers."""
    return nest.map_structure(
        lambda part: part if isinstance(part, IndexedSlices) else convert_to_tensor(part), value
    )


def reduced(given: Any, value: Any, axis: int | None) -> Any:
    """Reduces what the only replica has, along an axis unless it is None."""
    kind = reduce_op(given)
    if axis is None:
        return value
    along = reduce_sum if kind is ReduceOp.SUM else reduce_mean
    return nest.map_structure(lambda part: along(part, axis), value)
