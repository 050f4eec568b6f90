"""Sparse tensors: `tf.sparse`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._sparse.arithmetic import (
    add as add,
    map_values as map_values,
    maximum as maximum,
    minimum as minimum,
)
from tapefacade._sparse.arrangement import (
    concat as concat,
    expand_dims as expand_dims,
    fill_empty_rows as fill_empty_rows,
    mask as mask,
    reorder as reorder,
    reset_shape as reset_shape,
    reshape as reshape,
    retain as retain,
    slice as slice,
    split as split,
    transpose as transpose,
)
from tapefacade._sparse.dense_conversion import (
    eye as eye,
    from_dense as from_dense,
    to_dense as to_dense,
    to_indicator as to_indicator,
)
from tapefacade._sparse.lookups import bincount as bincount
from tapefacade._sparse.products import (
    sampled_addmm as sampled_addmm,
    sparse_dense_matmul as sparse_dense_matmul,
)
from tapefacade._sparse.reduction import (
    reduce_max as reduce_max,
    reduce_sum as reduce_sum,
    softmax as softmax,
)
from tapefacade._sparse.segments import (
    segment_mean as segment_mean,
    segment_sqrt_n as segment_sqrt_n,
    segment_sum as segment_sum,
)
from tapefacade._sparse.tensor import SparseTensor as SparseTensor
from tapefacade._strings.sparse_cross import cross as cross, cross_hashed as cross_hashed

__getattr__ = _missing_attribute(__name__)
