"""Bits of integers: `tf.bitwise`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._ops.math.bits import (
    bitwise_and as bitwise_and,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    invert as invert,
    left_shift as left_shift,
    right_shift as right_shift,
)

__getattr__ = _missing_attribute(__name__)
