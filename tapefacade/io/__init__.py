"""Files and formats: `tf.io`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._io.decode_csv import decode_csv as decode_csv
from tapefacade._io.encodings import (
    decode_base64 as decode_base64,
    decode_compressed as decode_compressed,
    decode_raw as decode_raw,
    encode_base64 as encode_base64,
)
from tapefacade._io.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    RaggedFeature as RaggedFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from tapefacade._io.files import (
    match_filenames_once as match_filenames_once,
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from tapefacade._io.json_examples import decode_json_example as decode_json_example
from tapefacade._io.parsing import (
    parse_example as parse_example,
    parse_single_example as parse_single_example,
)
from tapefacade._io.proto_fields import (
    decode_proto as decode_proto,
    encode_proto as encode_proto,
)
from tapefacade._io.records import (
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)
from tapefacade._io.sequences import (
    parse_sequence_example as parse_sequence_example,
    parse_single_sequence_example as parse_single_sequence_example,
)
from tapefacade._io.sparse_tensors import (
    deserialize_many_sparse as deserialize_many_sparse,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
)
from tapefacade._io.tensor_protos import (
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
from tapefacade._ops.image.file_decoding import (
    decode_and_crop_jpeg as decode_and_crop_jpeg,
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    decode_webp as decode_webp,
)
from tapefacade._ops.image.jpeg_files import (
    encode_jpeg as encode_jpeg,
    extract_jpeg_shape as extract_jpeg_shape,
    is_jpeg as is_jpeg,
)
from tapefacade._ops.image.png_files import encode_png as encode_png
from tapefacade.io import gfile as gfile

__getattr__ = _missing_attribute(__name__)
