"""Names of older versions: `tf.compat.v1.sparse`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
SparseTensor bincount cross cross_hashed expand_dims eye fill_empty_rows from_dense mask maximum
minimum reorder reset_shape reshape retain slice softmax sparse_dense_matmul to_dense to_indicator
transpose
"""
_RENAMED = {
    "matmul": "sparse.sparse_dense_matmul",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
