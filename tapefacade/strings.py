"""Texts: `tf.strings`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._strings.hashing import (
    to_hash_bucket as to_hash_bucket,
    to_hash_bucket_fast as to_hash_bucket_fast,
    to_hash_bucket_strong as to_hash_bucket_strong,
)
from tapefacade._strings.joining import (
    format as format,
    join as join,
    reduce_join as reduce_join,
    unsorted_segment_join as unsorted_segment_join,
)
from tapefacade._strings.letters import (
    length as length,
    lower as lower,
    strip as strip,
    substr as substr,
    upper as upper,
)
from tapefacade._strings.numbers import as_string as as_string, to_number as to_number
from tapefacade._strings.regular_expressions import (
    regex_full_match as regex_full_match,
    regex_replace as regex_replace,
)
from tapefacade._strings.scripts import unicode_script as unicode_script
from tapefacade._strings.splitting import (
    bytes_split as bytes_split,
    ngrams as ngrams,
    split as split,
)
from tapefacade._strings.unicode import (
    unicode_decode as unicode_decode,
    unicode_decode_with_offsets as unicode_decode_with_offsets,
    unicode_encode as unicode_encode,
    unicode_split as unicode_split,
    unicode_split_with_offsets as unicode_split_with_offsets,
    unicode_transcode as unicode_transcode,
)

__getattr__ = _missing_attribute(__name__)
