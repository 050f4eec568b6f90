"""Names of older versions: `tf.compat.v1.xla.experimental`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
compile jit_scope
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
