"""Names of older versions: `tf.compat.v1.io`."""

from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade._io.features import RaggedFeature as RaggedFeature
from tapefacade._io.records import (
    TFRecordCompressionType as TFRecordCompressionType,
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
    tf_record_iterator as tf_record_iterator,
)
from tapefacade.compat.v1.io import gfile as gfile

_SAME = """
FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature decode_and_crop_jpeg
decode_base64 decode_bmp decode_compressed decode_gif decode_image decode_jpeg decode_json_example
decode_png decode_webp deserialize_many_sparse encode_base64 encode_jpeg encode_png
extract_jpeg_shape is_jpeg match_filenames_once matching_files parse_sequence_example
parse_single_sequence_example parse_tensor read_file serialize_tensor write_file
"""
_RENAMED = {
    "PaddingFIFOQueue": "queue.PaddingFIFOQueue",
    "PriorityQueue": "queue.PriorityQueue",
    "QueueBase": "queue.QueueBase",
    "RandomShuffleQueue": "queue.RandomShuffleQueue",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
