"""Names of older versions: `tf.compat.v1.manip`."""

from tapefacade._compat.v1_names import older_functions as _older_functions
from tapefacade._core.lazy_names import aliases as _aliases

_SAME = ""
_RENAMED = {
    "reshape": "reshape",
    "reverse": "reverse",
    "roll": "roll",
    "scatter_nd": "scatter_nd",
    "space_to_batch_nd": "space_to_batch_nd",
    "tile": "tile",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED, _older_functions("manip"))
