"""Ragged tensors: `tf.ragged`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._ragged.constants import constant as constant

__getattr__ = _missing_attribute(__name__)
