"""Texts: `tf.strings`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
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

__getattr__ = _missing_attribute(__name__)
