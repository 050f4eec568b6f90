"""`tf.saved_model`."""

from tapefacade._checkpoint.loading import (
    contains_saved_model as contains_saved_model,
    load as load,
)
from tapefacade._checkpoint.saved_options import (
    LoadOptions as LoadOptions,
    SaveOptions as SaveOptions,
)
from tapefacade._checkpoint.saving import save as save
from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade.saved_model import experimental as experimental

__getattr__ = _missing_attribute(__name__)
