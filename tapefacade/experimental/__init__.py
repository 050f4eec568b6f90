"""Experimental names: `tf.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._core.optional import Optional as Optional
from tapefacade.experimental import dlpack as dlpack, numpy as numpy

__getattr__ = _missing_attribute(__name__)
