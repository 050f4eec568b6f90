"""`tf.saved_model`."""

from tapefacade._checkpoint.saved_model.assets import Asset as Asset
from tapefacade._checkpoint.saved_model.directory import ASSETS as ASSETS_DIRECTORY
from tapefacade._checkpoint.saved_model.load import (
    LoadOptions as LoadOptions,
    contains_saved_model as contains_saved_model,
    load as load,
)
from tapefacade._checkpoint.saved_model.save import SaveOptions as SaveOptions, save as save
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade.saved_model import experimental as experimental

ASSETS_KEY = "saved_model_assets"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
GPU = "gpu"
PREDICT_INPUTS = "inputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
PREDICT_OUTPUTS = "outputs"
REGRESS_INPUTS = "inputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
REGRESS_OUTPUTS = "outputs"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"
VARIABLES_DIRECTORY = "variables"
VARIABLES_FILENAME = "variables"

__getattr__ = _missing_attribute(__name__)
