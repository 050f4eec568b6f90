"""Names of older versions: `tf.compat.v1.strings`."""

from tapefacade._compat.v1_names import older_functions as _older_functions
from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
as_string bytes_split format join lower ngrams regex_full_match regex_replace strip
to_hash_bucket_fast to_hash_bucket_strong unicode_decode unicode_decode_with_offsets
unicode_encode unicode_script unicode_split unicode_split_with_offsets unicode_transcode
unsorted_segment_join upper
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED, _older_functions("strings"))
