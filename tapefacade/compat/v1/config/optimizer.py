"""Names of older versions: `tf.compat.v1.config.optimizer`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
get_experimental_options get_jit set_experimental_options set_jit
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
