"""Names of older versions: `tf.compat.v1.io.gfile`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
GFile copy exists get_registered_schemes glob isdir join listdir makedirs mkdir remove rename
rmtree stat walk
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
