"""Names of older versions: `tf.compat.v1.python_io`."""

from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade._io.records import (
    TFRecordCompressionType as TFRecordCompressionType,
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
    tf_record_iterator as tf_record_iterator,
)

_SAME = ""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
