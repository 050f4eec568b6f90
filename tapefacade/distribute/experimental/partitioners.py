"""`tf.distribute.experimental.partitioners`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.partitioners import (
    FixedShardsPartitioner as FixedShardsPartitioner,
    MaxSizePartitioner as MaxSizePartitioner,
    MinSizePartitioner as MinSizePartitioner,
    Partitioner as Partitioner,
)

__getattr__ = _missing_attribute(__name__)
