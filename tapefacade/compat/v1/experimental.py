"""Names of older versions: `tf.compat.v1.experimental`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
Optional async_clear_error async_scope function_executor_type
"""
_RENAMED = {
    "float4_e2m1fn": "dtypes.experimental.float4_e2m1fn",
    "float8_e4m3b11fnuz": "dtypes.experimental.float8_e4m3b11fnuz",
    "float8_e4m3fn": "dtypes.experimental.float8_e4m3fn",
    "float8_e4m3fnuz": "dtypes.experimental.float8_e4m3fnuz",
    "float8_e5m2": "dtypes.experimental.float8_e5m2",
    "float8_e5m2fnuz": "dtypes.experimental.float8_e5m2fnuz",
    "int2": "dtypes.experimental.int2",
    "int4": "dtypes.experimental.int4",
    "uint2": "dtypes.experimental.uint2",
    "uint4": "dtypes.experimental.uint4",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
