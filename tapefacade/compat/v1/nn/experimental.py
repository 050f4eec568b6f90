"""Names of older versions: `tf.compat.v1.nn.experimental`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
general_dropout stateless_dropout
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
