"""`tf.xla.experimental`."""

from tapefacade._config.tpu import compile as compile, jit_scope as jit_scope
from tapefacade._core.missing_names import missing_attribute as _missing_attribute

__getattr__ = _missing_attribute(__name__)
