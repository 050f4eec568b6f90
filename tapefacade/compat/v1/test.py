"""Names of older versions: `tf.compat.v1.test`."""

from tapefacade._core.aliases import aliases as _aliases

_SAME = """
gpu_device_name is_built_with_cuda is_gpu_available
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
