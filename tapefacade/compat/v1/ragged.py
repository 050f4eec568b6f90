"""Names of older versions: `tf.compat.v1.ragged`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
boolean_mask constant cross cross_hashed map_flat_values range row_splits_to_segment_ids
segment_ids_to_row_splits stack stack_dynamic_partitions
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
