"""Queues of tensors between threads: `tf.queue`."""

import abc
import heapq
import itertools
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes as types, errors
from tapefacade._core.conversion import convert
from tapefacade._core.dimension import Dimension
from tapefacade._core.error_texts import invalid, shape_text
from tapefacade._core.missing_members import lacks
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tracebacks import with_short_tracebacks
from tapefacade._definition.op import register
from tapefacade._trace.recording import need_python


def as_shapes(shapes: Any, dtypes: list[Any], partial: bool) -> list[TensorShape]:
    """Returns a shape for each component, an unknown one where none is given.

    Args:
        shapes: a shape, a list of shapes, or None.
        dtypes: the dtypes of the components.
        partial: whether there have to be shapes, which may have unknown sizes.

    Raises:
        ValueError: if a shape is missing, or is not known where it has to be.
        InvalidArgumentError: if there are not as many shapes as components.
    """
    if partial:
        return _partial_shapes(shapes, dtypes)
    if shapes is None:
        return [TensorShape(None) for _ in dtypes]
    listed = _listed(shapes)
    if not all(shape.is_fully_defined() for shape in listed):
        raise ValueError(f"All shapes must be fully defined: {listed}")
    if len(listed) != len(dtypes):
        kinds = ", ".join(getattr(dtype, "kernel_name", str(dtype)) for dtype in dtypes)
        sizes = ", ".join(shape_text(shape) for shape in listed)
        raise invalid(f"Different number of component types.  Types: {kinds}, Shapes: [{sizes}]")
    return listed


def _listed(shapes: Any) -> list[TensorShape]:
    if isinstance(shapes, TensorShape):
        return [shapes]
    if not isinstance(shapes, list | tuple):
        raise TypeError(
            f"Shapes must be a TensorShape or a list or tuple of TensorShapes, got {type(shapes)}."
        )
    if all(size is None or isinstance(size, int) for size in shapes):
        return [as_shape(shapes)]
    return [as_shape(shape) for shape in shapes]


def _partial_shapes(shapes: Any, dtypes: list[Any]) -> list[TensorShape]:
    if not isinstance(shapes, list | tuple) or any(shape is None for shape in shapes):
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if len(shapes) != len(dtypes):
        raise ValueError(
            f"Shapes must be provided for all components, but received {len(dtypes)} dtypes and "
            f"{len(shapes)} shapes."
        )
    return [as_shape(shape) for shape in shapes]


def checked_names(names: Any, dtypes: list[Any]) -> list[str] | None:
    """Returns the names of the components, None if they have none.

    Args:
        names: a list of names, or a single one.
        dtypes: the dtypes of the components.

    Raises:
        ValueError: if there are not as many names as components.
    """
    if names is None:
        return None
    listed = list(names) if isinstance(names, list | tuple) else [names]
    if len(listed) != len(dtypes):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(listed)},len(dtypes)={len(dtypes)}"
        )
    return listed


WHY_QUEUE = "it uses a queue"
_SERIAL = itertools.count()
Element = tuple[Any, ...]  # an array for each component


@with_short_tracebacks
@lacks(
    {
        "queue_ref": "Hand the queue itself on.",
    }
)
class QueueBase(abc.ABC):
    """What all queues of tensors have in common; made by its subclasses.

    An element has one or more components, each of a dtype and perhaps of a shape. Enqueuing waits
    for a place, dequeuing for an element, until the queue is closed.

    Values wait on the host, and no gradient flows through a queue.

    Unlike TensorFlow, `queue_ref` is absent, and queues of one `shared_name` are not the same.

    >>> issubclass(tf.queue.FIFOQueue, tf.queue.QueueBase)
    True

    See https://www.tensorflow.org/api_docs/python/tf/queue/QueueBase.
    """

    def __init__(
        self, capacity: int, dtypes: Any, shapes: Any, names: Any, name: str, partial: bool = False
    ) -> None:
        given = list(dtypes) if isinstance(dtypes, list | tuple) else [dtypes]
        self._dtypes = [types.as_dtype(dtype) for dtype in given]
        self._shapes = as_shapes(shapes, self._dtypes, partial)
        self._names = checked_names(names, self._dtypes)
        self._name = name
        self._kind = type(self).__name__
        self._number = next(_SERIAL)
        self._capacity = float("inf") if capacity < 0 else capacity
        self._least = 0  # how many elements stay until the queue is closed
        self._closed = self._cancelled = False
        self._changed = threading.Condition()

    @abc.abstractmethod
    def _put(self, element: Element) -> None:
        """Takes an element in."""

    @abc.abstractmethod
    def _take(self) -> Element:
        """Gives an element out."""

    @abc.abstractmethod
    def _count(self) -> int:
        """Returns the number of elements."""

    @staticmethod
    def from_list(index: int, queues: Sequence["QueueBase"]) -> "QueueBase":
        """Returns one of several queues.

        Args:
            index: its place.
            queues: the queues, of the same dtypes and names.

        Raises:
            TypeError: if they are no queues, or differ.

        >>> queue = tf.queue.FIFOQueue(1, [tf.float32])
        >>> tf.queue.QueueBase.from_list(0, [queue]) is queue
        True
        """
        if (
            not queues
            or not isinstance(queues, list | tuple)
            or not all(isinstance(queue, QueueBase) for queue in queues)
        ):
            raise TypeError("A list of queues expected")
        if any(queue.dtypes != queues[0].dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != queues[0].names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        return queues[int(index)]

    @property
    def dtypes(self) -> list[types.DType]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components, as far as they are known."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, or None."""
        return self._names

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._name

    # Values to elements and back.

    def _components(self, vals: Any) -> list[EagerTensor]:
        """Converts what is enqueued to a tensor for each component."""
        if self._names is not None:
            if not isinstance(vals, dict):
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            if sorted(self._names) != sorted(vals):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(vals)},Queue: {sorted(self._names)}"
                )
            vals = [vals[name] for name in self._names]
        elif isinstance(vals, dict):
            raise ValueError("Queue must have names to enqueue a dictionary")
        elif not isinstance(vals, list | tuple):
            vals = [vals]
        tensors = []
        for place, (value, dtype) in enumerate(zip(vals, self._dtypes, strict=False)):
            try:
                tensors.append(convert(value, dtype))
            except ValueError as error:
                raise ValueError(f"component_{place}: {error}") from None
        return tensors

    def _check_number(self, tensors: list[EagerTensor]) -> None:
        """Raises if a component is missing; TensorFlow takes no notice of more than there are."""
        if len(tensors) < len(self._dtypes):
            have = ", ".join(["resource", *[tensor.dtype.kernel_name for tensor in tensors]])
            want = ", ".join(["resource", *[dtype.kernel_name for dtype in self._dtypes]])
            raise invalid(f"Signature mismatch, have: {have}-> expected: {want}->")

    def _given(self, tensors: list[EagerTensor]) -> Any:
        if self._names is not None:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    # Waiting. All below is called with the lock.

    def _enqueue(self, elements: Sequence[Element]) -> None:
        with self._changed:
            if self._closed:
                raise self._error(errors.CancelledError, "is closed.")
            for element in elements:
                self._wait(lambda: self._count() < self._capacity or self._cancelled)
                if self._cancelled:
                    raise errors.CancelledError(None, None, "Enqueue operation was cancelled")
                self._put(element)
                self._changed.notify_all()

    def _wait(self, ready: Callable[[], bool]) -> None:
        self._changed.wait_for(ready)

    def _dequeue(self, number: int, least: int) -> list[Element]:
        """Takes `number` elements, or, if the queue is closed, as few as `least`."""
        with self._changed:
            self._wait(lambda: self._closed or self._count() >= number + self._least)
            held = self._count()
            if held < (number if not self._closed else min(number, least)):
                raise self._error(
                    errors.OutOfRangeError,
                    f"is closed and has insufficient elements (requested {number}, current size "
                    f"{held})",
                )
            taken = [self._take() for _ in range(min(number, held))]
            self._changed.notify_all()
            return taken

    def _error(self, kind: Any, text: str) -> errors.OpError:
        return kind(None, None, f"{self._kind} '{self._number}' {text}")

    # What programs call.

    def enqueue(self, vals: Any, name: str | None = None) -> None:
        """Adds an element, and waits for its place.

        Args:
            vals: a tensor, a list of a tensor for each component, or a dictionary of them.
            name: ignored.

        Raises:
            ValueError: if the components are others than those of the queue.
            CancelledError: if the queue is closed.

        >>> queue = tf.queue.FIFOQueue(2, [tf.float32])
        >>> queue.enqueue(1.0)
        >>> queue.dequeue().numpy()
        np.float32(1.0)
        """
        need_python(WHY_QUEUE)
        tensors = self._components(vals)
        for tensor, shape in zip(tensors, self._shapes, strict=False):
            tensor.shape.assert_is_compatible_with(shape)
        self._check_number(tensors)
        self._enqueue([tuple(np.array(tensor._numpy_array()) for tensor in tensors)])

    def enqueue_many(self, vals: Any, name: str | None = None) -> None:
        """Adds several elements, one after the other, and waits for their places.

        Args:
            vals: as for `enqueue`, each tensor with the elements along its first dimension.
            name: ignored.

        Raises:
            ValueError: if the components are others than those of the queue.
            CancelledError: if the queue is closed.

        >>> queue = tf.queue.FIFOQueue(2, [tf.float32])
        >>> queue.enqueue_many([[1.0, 2.0]])
        >>> queue.size().numpy()
        np.int32(2)
        """
        need_python(WHY_QUEUE)
        tensors = self._components(vals)
        sizes = [tensor.shape.with_rank_at_least(1).as_list()[0] for tensor in tensors]
        for size, tensor, shape in zip(sizes, tensors, self._shapes, strict=False):
            Dimension(sizes[0]).assert_is_compatible_with(size)
            tensor.shape[1:].assert_is_compatible_with(shape)
        self._check_number(tensors)
        arrays = [np.array(tensor._numpy_array()) for tensor in tensors]
        rows = range(sizes[0] or 0)
        self._enqueue([tuple(np.array(a[row], a.dtype) for a in arrays) for row in rows])

    def dequeue(self, name: str | None = None) -> Any:
        """Takes an element, and waits for it.

        Args:
            name: ignored.

        Returns:
            A tensor, a list of a tensor for each component, or a dictionary of them.

        Raises:
            OutOfRangeError: if the queue is closed and empty.

        >>> queue = tf.queue.FIFOQueue(2, [tf.float32])
        >>> queue.enqueue(1.0)
        >>> queue.dequeue().numpy()
        np.float32(1.0)
        """
        need_python(WHY_QUEUE)
        (element,) = self._dequeue(1, 1)
        return self._given([from_host(array) for array in element])

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Takes several elements, and waits for all of them.

        Args:
            n: how many.
            name: ignored.

        Returns:
            As for `dequeue`, each tensor with the elements along its first dimension.

        Raises:
            OutOfRangeError: if the queue is closed and has fewer.
            InvalidArgumentError: if the shapes of the components are not known.

        >>> queue = tf.queue.FIFOQueue(2, [tf.float32], shapes=[[]])
        >>> queue.enqueue_many([[1.0, 2.0]])
        >>> queue.dequeue_many(2).numpy()
        array([1., 2.], dtype=float32)
        """
        need_python(WHY_QUEUE)
        number = self._number_of(n, "DequeueMany")
        return self._joined(self._dequeue(number, number))

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Takes several elements, and waits for all of them, or for the end of the queue.

        Args:
            n: how many.
            name: ignored.

        Returns:
            As for `dequeue_many`; fewer if the queue is closed.

        Raises:
            OutOfRangeError: if the queue is closed and empty.
            InvalidArgumentError: if the shapes of the components are not known.

        >>> queue = tf.queue.FIFOQueue(2, [tf.float32], shapes=[[]])
        >>> queue.enqueue(1.0)
        >>> queue.close()
        >>> queue.dequeue_up_to(2).numpy()
        array([1.], dtype=float32)
        """
        need_python(WHY_QUEUE)
        return self._joined(self._dequeue(self._number_of(n, "DequeueUpTo"), 1))

    def _number_of(self, n: Any, kernel: str) -> int:
        number = int(n)
        if any(shape.rank is None for shape in self._shapes):
            raise invalid(
                f"{self._kind}'s DequeueMany and DequeueUpTo require the components to have "
                "specified shapes."
            )
        if number < 0:
            raise invalid(f"{kernel}Op requested {number} < 0 elements")
        return number

    def _joined(self, elements: list[Element]) -> Any:
        columns = [[element[i] for element in elements] for i in range(len(self._dtypes))]
        return self._given(
            [
                from_host(_stacked(column, shape, dtype))
                for column, shape, dtype in zip(columns, self._shapes, self._dtypes, strict=True)
            ]
        )

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """Closes the queue: nothing more comes in, what is there can be taken out.

        Args:
            cancel_pending_enqueues: whether those that wait for a place get a `CancelledError`.
            name: ignored.

        Raises:
            CancelledError: if it is closed.

        >>> queue = tf.queue.FIFOQueue(2, [tf.float32])
        >>> queue.close()
        >>> bool(queue.is_closed())
        True
        """
        need_python(WHY_QUEUE)
        with self._changed:
            if self._closed and (self._cancelled or not cancel_pending_enqueues):
                raise errors.CancelledError(
                    None, None, f"Queue '{self._number}' is already closed."
                )
            self._closed = True
            self._cancelled = self._cancelled or cancel_pending_enqueues
            self._changed.notify_all()

    def is_closed(self, name: str | None = None) -> EagerTensor:
        """Returns whether the queue is closed, a boolean scalar.

        Args:
            name: ignored.
        """
        need_python(WHY_QUEUE)
        return from_host(np.array(self._closed))

    def size(self, name: str | None = None) -> EagerTensor:
        """Returns the number of elements.

        Args:
            name: ignored.
        """
        need_python(WHY_QUEUE)
        with self._changed:
            return from_host(np.array(self._count(), np.int32))


def _stacked(
    arrays: list[np.ndarray[Any, Any]], shape: TensorShape, dtype: types.DType
) -> np.ndarray[Any, Any]:
    """Joins arrays; smaller ones are filled with zeros."""
    sizes = [
        max((array.shape[axis] for array in arrays), default=size or 0)
        for axis, size in enumerate(shape.as_list())
    ]
    joined = np.zeros([len(arrays), *sizes], dtype._numpy)
    if dtype is types.string:
        joined.fill(b"")
    for row, array in enumerate(arrays):
        joined[(row, *[slice(length) for length in array.shape])] = array[()]
    return joined


register(("queue.QueueBase",), QueueBase)


@with_short_tracebacks
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


@with_short_tracebacks
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


@with_short_tracebacks
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


@with_short_tracebacks
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
