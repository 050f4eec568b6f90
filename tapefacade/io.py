"""Files and formats: `tf.io`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._io.csv import decode_csv as decode_csv
from tapefacade._io.encodings import (
    decode_base64 as decode_base64,
    decode_compressed as decode_compressed,
    decode_raw as decode_raw,
    encode_base64 as encode_base64,
)
from tapefacade._io.files import (
    match_filenames_once as match_filenames_once,
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from tapefacade._io.records import (
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)

__getattr__ = _missing_attribute(__name__)
