"""Names of older versions: `tf.compat.v1.losses`."""

from tapefacade._core.aliases import aliases as _aliases
from tapefacade._renamed.older_names import older_functions as _older_functions

_SAME = ""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED, _older_functions("losses"))
