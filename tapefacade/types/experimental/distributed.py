"""`tf.types.experimental.distributed`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.replica_values import Mirrored as Mirrored, PerReplica as PerReplica

__getattr__ = _missing_attribute(__name__)
