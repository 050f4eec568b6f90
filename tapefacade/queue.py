"""`tf.queue`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._queues.queues import (
    FIFOQueue as FIFOQueue,
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    QueueBase as QueueBase,
    RandomShuffleQueue as RandomShuffleQueue,
)

__getattr__ = _missing_attribute(__name__)
