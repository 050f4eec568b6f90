"""`tf.compat.v1.python_io`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._io.records import (
    TFRecordCompressionType as TFRecordCompressionType,
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
    tf_record_iterator as tf_record_iterator,
)

__getattr__ = _missing_attribute(__name__)
