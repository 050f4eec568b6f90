"""Ragged tensors: `tf.ragged`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._ragged.constant import constant as constant
from tapefacade._ragged.cross import cross as cross, cross_hashed as cross_hashed
from tapefacade._ragged.gathering import boolean_mask as boolean_mask
from tapefacade._ragged.joining import ragged_stack as stack
from tapefacade._ragged.map_flat_values import map_flat_values as map_flat_values
from tapefacade._ragged.range import range as range
from tapefacade._ragged.segments import (
    row_splits_to_segment_ids as row_splits_to_segment_ids,
    segment_ids_to_row_splits as segment_ids_to_row_splits,
    stack_dynamic_partitions as stack_dynamic_partitions,
)

__getattr__ = _missing_attribute(__name__)
