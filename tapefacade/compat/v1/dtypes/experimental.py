"""Names of older versions: `tf.compat.v1.dtypes.experimental`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz int2
int4 uint2 uint4
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
