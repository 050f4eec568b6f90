"""Functions of extension types: `tf.experimental.extension_type`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._extension.extension_type import as_dict as as_dict

__getattr__ = _missing_attribute(__name__)
