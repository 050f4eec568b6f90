"""Questions about the machine: `tf.test`."""

from tapefacade._config.devices import (
    gpu_device_name as gpu_device_name,
    is_built_with_cuda as is_built_with_cuda,
    is_gpu_available as is_gpu_available,
)
from tapefacade._core.lazy_names import lazy_attributes as _lazy_attributes
from tapefacade._tape.numerical_gradient import compute_gradient as compute_gradient
from tapefacade._testing.test_case import (
    disable_with_predicate as disable_with_predicate,
    is_built_with_gpu_support as is_built_with_gpu_support,
    is_built_with_rocm as is_built_with_rocm,
    is_built_with_xla as is_built_with_xla,
    is_cpu_target_available as is_cpu_target_available,
    main as main,
    tensorflow_test_case as _test_case,
    with_eager_op_as_function as with_eager_op_as_function,
)
from tapefacade.test import experimental as experimental

_LATE = {"TestCase": _test_case}

__getattr__, __dir__ = _lazy_attributes(__name__, _LATE)
