"""Parts of stacks of linear operators: `operator[1:3]`."""

from typing import Any

from tapefacade._core.shapes import TensorShape
from tapefacade._linear.arguments import common_batch, read
from tapefacade._linear.described import Described
from tapefacade._ops.shaping import broadcast_to


def sliced(operator: Any, slices: tuple[Any, ...], batch: TensorShape) -> Any:
    """Returns the operator whose arguments are those of `operator`, sliced.

    Args:
        operator: an operator.
        slices: what is between the brackets.
        batch: the batch shape that the arguments are broadcast to first.

    Returns:
        An operator of the same class.
    """
    if slices == (Ellipsis,):
        return type(operator)(**operator.parameters)
    ranks = operator._experimental_parameter_ndims_to_matrix_ndims
    parameters = operator.parameters
    for name, rank in dict(ranks).items():
        value = getattr(operator, name)
        if value is not None:
            parameters[name] = _part(value, rank, slices, batch)
    return type(operator)(**parameters)


def _part(value: Any, rank: Any, slices: tuple[Any, ...], batch: TensorShape) -> Any:
    if isinstance(value, list | tuple):
        return [_part(v, r, slices, batch) for v, r in zip(value, rank, strict=True)]
    if isinstance(value, Described):
        part: Any = value
        return part._sliced(slices, batch)
    tensor = read(value)
    own = tensor.shape.rank - rank
    core = tensor.shape[own:]
    if batch.rank == 0:
        whole = tensor
    else:
        whole = broadcast_to(tensor, common_batch([tensor.shape[:own], batch]) + core)
    rest = () if Ellipsis in slices else (Ellipsis,)
    return whole[(*slices, *rest, *[slice(None)] * rank)]
