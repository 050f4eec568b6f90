"""Nested structures: `tf.nest`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._core.nest import (
    assert_same_structure as assert_same_structure,
    flatten as flatten,
    is_nested as is_nested,
    map_structure as map_structure,
    pack_sequence_as as pack_sequence_as,
)

__getattr__ = _missing_attribute(__name__)
