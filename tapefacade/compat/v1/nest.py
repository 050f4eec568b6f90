"""Names of older versions: `tf.compat.v1.nest`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
assert_same_structure flatten is_nested map_structure pack_sequence_as
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
