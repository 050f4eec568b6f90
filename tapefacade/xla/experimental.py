"""`tf.xla.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.execution import compile as compile, jit_scope as jit_scope

__getattr__ = _missing_attribute(__name__)
