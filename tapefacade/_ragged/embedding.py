"""`tf.nn.embedding_lookup` and `embedding_lookup_sparse` at ragged positions."""

from typing import Any

from tapefacade._core.dispatch import handles
from tapefacade._ops.nn.embedding import embedding_lookup as dense_embedding_lookup
from tapefacade._ragged.map_flat_values import check_same
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._sparse.lookups import combined_embeddings


@handles(RaggedTensor, "nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> Any:
    """Takes a row of the parameters for each element."""
    if not isinstance(ids, RaggedTensor):
        return NotImplemented
    rows = dense_embedding_lookup(params, ids.flat_values, max_norm)
    return ids.with_flat_values(rows)


@handles(RaggedTensor, "nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: Any = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Combines the rows of the parameters for the elements of each row."""
    weights = None
    if sp_weights is not None:
        check_same([sp_ids, sp_weights])
        weights = sp_weights.flat_values
    rows = sp_ids._partition.ids
    return combined_embeddings(
        params, sp_ids.flat_values, rows, weights, combiner or "mean", max_norm
    )
