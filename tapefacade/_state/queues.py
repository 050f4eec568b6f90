"""Queues of tensors between threads: `tf.queue`."""

import heapq
import itertools
from collections import deque
from typing import Any

import numpy as np

from tapefacade._core.shapes import as_shape
from tapefacade._ops.op import register
from tapefacade._state.queue_arguments import as_shapes
from tapefacade._state.queue_base import Element, QueueBase


class FIFOQueue(QueueBase):
    """A queue that gives out first what came in first.

    Args:
        capacity: how many elements it can have; any number if negative.
        dtypes: the dtypes of the components.
        shapes: their shapes; by default any, and no more than one element can be taken at a time.
        names: their names; elements are then dictionaries.
        shared_name: ignored.
        name: the name of the queue.

    >>> queue = tf.queue.FIFOQueue(3, [tf.int32, tf.float32], names=["a", "b"])
    >>> queue.enqueue({"a": 1, "b": 2.0})
    >>> queue.dequeue()["b"].numpy()
    np.float32(2.0)

    See https://www.tensorflow.org/api_docs/python/tf/queue/FIFOQueue.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, name)
        self._elements: deque[Element] = deque()

    def _put(self, element: Element) -> None:
        self._elements.append(element)

    def _take(self) -> Element:
        return self._elements.popleft()

    def _count(self) -> int:
        return len(self._elements)


class PaddingFIFOQueue(FIFOQueue):
    """A queue that fills elements of different sizes with zeros, to give out several as one.

    Args:
        capacity: how many elements it can have; any number if negative.
        dtypes: the dtypes of the components.
        shapes: their shapes, with None for sizes that differ.
        names: their names; elements are then dictionaries.
        shared_name: ignored.
        name: the name of the queue.

    Raises:
        ValueError: if there is not a shape for each component.

    >>> queue = tf.queue.PaddingFIFOQueue(2, [tf.int32], shapes=[[None]])
    >>> queue.enqueue([[1]])
    >>> queue.enqueue([[2, 3]])
    >>> queue.dequeue_many(2).numpy()
    array([[1, 0],
           [2, 3]], dtype=int32)

    See https://www.tensorflow.org/api_docs/python/tf/queue/PaddingFIFOQueue.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        QueueBase.__init__(self, capacity, dtypes, shapes, names, name, partial=True)
        self._elements = deque()


class PriorityQueue(QueueBase):
    """A queue that gives out first what has the smallest number.

    Args:
        capacity: how many elements it can have; any number if negative.
        types: the dtypes of the components that follow the number, which is int64.
        shapes: their shapes.
        names: their names, that of the number first; elements are then dictionaries.
        shared_name: ignored.
        name: the name of the queue.

    >>> queue = tf.queue.PriorityQueue(2, [tf.float32], shapes=[[]])
    >>> queue.enqueue([2, 0.5])
    >>> queue.enqueue([1, 1.5])
    >>> [part.numpy() for part in queue.dequeue()]
    [np.int64(1), np.float32(1.5)]

    See https://www.tensorflow.org/api_docs/python/tf/queue/PriorityQueue.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        listed = list(types) if isinstance(types, list | tuple) else [types]
        known = as_shapes(shapes, listed, False)
        super().__init__(capacity, ["int64", *listed], [as_shape([]), *known], names, name)
        self._heap: list[tuple[int, int, Element]] = []
        self._order = itertools.count()  # of those with the same number

    def _put(self, element: Element) -> None:
        heapq.heappush(self._heap, (int(element[0]), next(self._order), element))

    def _take(self) -> Element:
        return heapq.heappop(self._heap)[2]

    def _count(self) -> int:
        return len(self._heap)


class RandomShuffleQueue(QueueBase):
    """A queue that gives out any of its elements, all with the same probability.

    Unlike TensorFlow, the order for a seed is another one.

    Args:
        capacity: how many elements it can have; any number if negative.
        min_after_dequeue: how many elements stay in the queue until it is closed.
        dtypes: the dtypes of the components.
        shapes: their shapes.
        names: their names; elements are then dictionaries.
        seed: what the order depends on.
        shared_name: ignored.
        name: the name of the queue.

    >>> queue = tf.queue.RandomShuffleQueue(9, 0, [tf.int32], shapes=[[]], seed=1)
    >>> queue.enqueue_many([[1, 2, 3]])
    >>> sorted(queue.dequeue_many(3).numpy().tolist())
    [1, 2, 3]

    See https://www.tensorflow.org/api_docs/python/tf/queue/RandomShuffleQueue.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, name)
        self._least = min_after_dequeue
        self._random = np.random.default_rng(seed)
        self._elements: list[Element] = []

    def _put(self, element: Element) -> None:
        self._elements.append(element)

    def _take(self) -> Element:
        chosen = int(self._random.integers(len(self._elements)))
        self._elements[chosen], self._elements[-1] = self._elements[-1], self._elements[chosen]
        return self._elements.pop()

    def _count(self) -> int:
        return len(self._elements)


register(("queue.FIFOQueue",), FIFOQueue)
register(("queue.PaddingFIFOQueue",), PaddingFIFOQueue)
register(("queue.PriorityQueue",), PriorityQueue)
register(("queue.RandomShuffleQueue",), RandomShuffleQueue)
