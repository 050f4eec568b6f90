"""Names of older versions: `tf.compat.v1.config.threading`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
get_inter_op_parallelism_threads get_intra_op_parallelism_threads set_inter_op_parallelism_threads
set_intra_op_parallelism_threads
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
