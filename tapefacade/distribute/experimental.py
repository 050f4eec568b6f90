"""`tf.distribute.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.input_datasets import ValueContext as ValueContext
from tapefacade._distribute.strategies import (
    CentralStorageStrategy as CentralStorageStrategy,
    ParameterServerStrategy as ParameterServerStrategy,
    TPUStrategy as TPUStrategy,
)

__getattr__ = _missing_attribute(__name__)
