"""Experimental names: `tf.experimental.dlpack`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._ops.array.dlpack import from_dlpack as from_dlpack, to_dlpack as to_dlpack

__getattr__ = _missing_attribute(__name__)
