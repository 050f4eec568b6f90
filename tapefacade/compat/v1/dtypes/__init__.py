"""Names of older versions: `tf.compat.v1.dtypes`."""

from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.dtypes import experimental as experimental

_SAME = """
DType QUANTIZED_DTYPES as_dtype bfloat16 bool cast complex complex128 complex64 double float16
float32 float64 half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource
saturate_cast string uint16 uint32 uint64 uint8 variant
"""
_RENAMED = {
    "as_string": "as_string",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
