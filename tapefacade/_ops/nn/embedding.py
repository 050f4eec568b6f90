"""Rows of tables of embeddings: `tf.nn.embedding_lookup`."""

from typing import Any

from tapefacade._core.conversion import convert_to_tensor, is_tensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import FreeTensor, function
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.joining import concat
from tapefacade._ops.math.clipping import clip_by_norm


@function("nn.embedding_lookup", dispatch=True)
def embedding_lookup(
    params: Any, ids: FreeTensor, max_norm: Any = None, name: None = None
) -> EagerTensor:
    """Takes rows of a table.

    Args:
        params: the table, of shape `[V, ...]`, or a list of tables that are one below the other.
        ids: the numbers of the rows, an integer tensor.
        max_norm: rows with a greater Euclidean norm are scaled down to it.
        name: ignored.

    Returns:
        A tensor whose shape is that of `ids` followed by that of a row.

    Raises:
        ValueError: if there is no table.
        InvalidArgumentError: if there is no such row.

    >>> tf.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1]).numpy()
    array([[3., 4.]], dtype=float32)
    """
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, list | tuple) and any(is_tensor(p) for p in params):
        params = params[0] if len(params) == 1 else concat(params, 0)
    elif isinstance(params, list | tuple) and not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    rows = gather(params, ids)
    if max_norm is None:
        return rows
    axes = list(range(len(convert_to_tensor(ids).shape), len(rows.shape)))
    return clip_by_norm(rows, max_norm, axes)
