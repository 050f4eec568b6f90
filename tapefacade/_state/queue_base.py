"""What all queues have in common: waiting, and the tensors of elements."""

import abc
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes as types, errors
from tapefacade._core.convert import convert
from tapefacade._core.dimensions import Dimension
from tapefacade._core.shapes import TensorShape
from tapefacade._core.tensor import EagerTensor, from_host, invalid_argument
from tapefacade._ops.op import register
from tapefacade._state.queue_arguments import as_shapes, checked_names

_SERIAL = itertools.count()
Element = tuple[Any, ...]  # an array for each component


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
            raise invalid_argument(f"Signature mismatch, have: {have}-> expected: {want}->")

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
        tensors = self._components(vals)
        for tensor, shape in zip(tensors, self._shapes, strict=False):
            tensor.shape.assert_is_compatible_with(shape)
        self._check_number(tensors)
        self._enqueue([tuple(np.array(tensor._numpy()) for tensor in tensors)])

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
        tensors = self._components(vals)
        sizes = [tensor.shape.with_rank_at_least(1).as_list()[0] for tensor in tensors]
        for size, tensor, shape in zip(sizes, tensors, self._shapes, strict=False):
            Dimension(sizes[0]).assert_is_compatible_with(size)
            tensor.shape[1:].assert_is_compatible_with(shape)
        self._check_number(tensors)
        arrays = [np.array(tensor._numpy()) for tensor in tensors]
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
        return self._joined(self._dequeue(self._number_of(n, "DequeueUpTo"), 1))

    def _number_of(self, n: Any, kernel: str) -> int:
        number = int(n)
        if any(shape.rank is None for shape in self._shapes):
            raise invalid_argument(
                f"{self._kind}'s DequeueMany and DequeueUpTo require the components to have "
                "specified shapes."
            )
        if number < 0:
            raise invalid_argument(f"{kernel}Op requested {number} < 0 elements")
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
        return from_host(np.array(self._closed))

    def size(self, name: str | None = None) -> EagerTensor:
        """Returns the number of elements.

        Args:
            name: ignored.
        """
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
