"""Names of older versions: `tf.compat.v1.bitwise`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
