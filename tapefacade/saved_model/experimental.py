"""`tf.saved_model.experimental`."""

from tapefacade._checkpoint.saved_model.fingerprints import (
    Fingerprint as Fingerprint,
    read_fingerprint as read_fingerprint,
)
from tapefacade._checkpoint.saved_model.trackable_resources import (
    TrackableResource as TrackableResource,
)
from tapefacade._checkpoint.saved_model.variable_policy import VariablePolicy as VariablePolicy
from tapefacade._core.missing_names import missing_attribute as _missing_attribute

__getattr__ = _missing_attribute(__name__)
