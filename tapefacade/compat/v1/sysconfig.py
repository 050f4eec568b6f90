"""Names of older versions: `tf.compat.v1.sysconfig`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
get_build_info
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
