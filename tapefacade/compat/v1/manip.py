"""Names of older versions: `tf.compat.v1.manip`."""

from tapefacade._core.aliases import aliases as _aliases
from tapefacade._renamed.older_names import older_functions as _older_functions

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
