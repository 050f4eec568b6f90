"""`tf.queue`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._state.queue_base import QueueBase as QueueBase
from tapefacade._state.queues import (
    FIFOQueue as FIFOQueue,
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    RandomShuffleQueue as RandomShuffleQueue,
)

__getattr__ = _missing_attribute(__name__)
