"""Names of older versions: `tf.compat.v1.test`."""

from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.test import experimental as experimental

_SAME = """
TestCase disable_with_predicate gpu_device_name is_built_with_cuda is_built_with_gpu_support
is_built_with_rocm is_built_with_xla is_cpu_target_available is_gpu_available main
with_eager_op_as_function
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
