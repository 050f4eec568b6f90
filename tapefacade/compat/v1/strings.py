"""Names of older versions: `tf.compat.v1.strings`."""

from tapefacade._core.aliases import aliases as _aliases

_SAME = """
as_string format join lower strip unsorted_segment_join upper
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
