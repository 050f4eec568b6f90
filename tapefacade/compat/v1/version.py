"""Names of older versions: `tf.compat.v1.version`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER
GRAPH_DEF_VERSION_MIN_PRODUCER VERSION
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
