"""Names of older versions: `tf.compat.v1.autograph.experimental`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
Feature do_not_convert set_loop_options
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
