"""`tf.distribute.cluster_resolver`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.cluster_resolvers import TPUClusterResolver as TPUClusterResolver

__getattr__ = _missing_attribute(__name__)
