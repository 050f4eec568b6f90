"""Names of older versions: `tf.compat`."""

import tapefacade as _root
from tapefacade._compat.text_and_types import (
    as_bytes as as_bytes,
    as_str_any as as_str_any,
    as_text as as_str,
    as_text as as_text,
    bytes_or_text_types as bytes_or_text_types,
    complex_types as complex_types,
    dimension_at_index as dimension_at_index,
    dimension_value as dimension_value,
    forward_compatibility_horizon as forward_compatibility_horizon,
    forward_compatible as forward_compatible,
    integral_types as integral_types,
    path_to_str as path_to_str,
    real_types as real_types,
)
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade.compat import v1 as v1

v2 = _root

__getattr__ = _missing_attribute(__name__)
