"""Names of older versions: `tf.compat.v1.debugging`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
Assert assert_proper_iterable assert_same_float_dtype check_numerics disable_check_numerics
disable_traceback_filtering enable_check_numerics enable_traceback_filtering
get_log_device_placement is_numeric_tensor is_traceback_filtering_enabled set_log_device_placement
"""
_RENAMED = {
    "is_finite": "math.is_finite",
    "is_inf": "math.is_inf",
    "is_nan": "math.is_nan",
    "is_non_decreasing": "math.is_non_decreasing",
    "is_strictly_increasing": "math.is_strictly_increasing",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
