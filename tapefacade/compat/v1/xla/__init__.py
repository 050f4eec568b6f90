"""Names of older versions: `tf.compat.v1.xla`."""

from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.xla import experimental as experimental

_SAME = ""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
