"""Names of older versions: `tf.compat.v1.lookup`."""

from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.lookup import experimental as experimental

_SAME = """
KeyValueTensorInitializer TextFileIndex TextFileInitializer
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
