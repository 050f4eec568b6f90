"""`tf.saved_model`."""

from tapefacade._checkpoint.saved_model.load import (
    LoadOptions as LoadOptions,
    contains_saved_model as contains_saved_model,
    load as load,
)
from tapefacade._checkpoint.saved_model.save import SaveOptions as SaveOptions, save as save
from tapefacade._core.missing_names import missing_attribute as _missing_attribute

ASSETS_DIRECTORY = "assets"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
GPU = "gpu"
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"
VARIABLES_DIRECTORY = "variables"
VARIABLES_FILENAME = "variables"

__getattr__ = _missing_attribute(__name__)
