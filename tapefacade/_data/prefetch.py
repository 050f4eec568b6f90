"""Prefetching: a thread that makes elements ahead of who reads them."""

import atexit
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any

from tapefacade._data.node import DatasetNode, SameTypesNode, close
from tapefacade._data.random_numbers import PROBING_STATE
from tapefacade._data.row_streams import IndexedRows

ELEMENTS_AHEAD = 4  # elements that are made ahead where the number is left to us
_END = object()
_BUFFERS: "weakref.WeakSet[PrefetchBuffer]" = weakref.WeakSet()


class Prefetch(SameTypesNode):
    """The elements, made by a thread before they are wanted."""

    name = "_PrefetchDataset"

    def __init__(self, node: DatasetNode, size: int) -> None:
        super().__init__(node)
        self._size = ELEMENTS_AHEAD if size == -1 else size

    def elements(self) -> Iterator[Any]:
        if not self._size or PROBING_STATE.on:
            return self.input.elements()
        return PrefetchIterator(PrefetchBuffer(self._size), self.input.elements())

    def indexed(self) -> IndexedRows | None:
        return None


class PrefetchBuffer:
    """What a thread and its reader share: the elements that wait.

    It knows neither the reader nor the pipeline, so that dropping the reader ends the thread.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: deque[tuple[Any, BaseException | None]] = deque()
        self._changed = threading.Condition()
        self.is_closed = False
        self.thread: threading.Thread | None = None

    def put(self, item: Any, error: BaseException | None) -> bool:
        """Adds an element when there is room; returns whether more are wanted."""
        with self._changed:
            while len(self._items) >= self._size and not self.is_closed:
                self._changed.wait()
            if self.is_closed:
                return False
            self._items.append((item, error))
            self._changed.notify_all()
            return True

    def get(self) -> tuple[Any, BaseException | None]:
        """Waits for the next element."""
        with self._changed:
            while not self._items:
                if self.is_closed:
                    return _END, None
                self._changed.wait()
            found = self._items.popleft()
            self._changed.notify_all()
            return found

    def close(self) -> None:
        """Lets the thread end and drops what waits."""
        with self._changed:
            self.is_closed = True
            self._items.clear()
            self._changed.notify_all()


class PrefetchIterator:
    """One iteration over prefetched elements; the thread starts when the first one is wanted."""

    def __init__(self, buffer: PrefetchBuffer, elements: Iterator[Any]) -> None:
        self._buffer = buffer
        self._elements: Iterator[Any] | None = elements
        self._finalizer = weakref.finalize(self, buffer.close)

    def __iter__(self) -> "PrefetchIterator":
        return self

    def __next__(self) -> Any:
        if self._elements is not None:
            self._start(self._elements)
        item, error = self._buffer.get()
        if error is not None:
            raise error
        if item is _END:
            self.close()
            raise StopIteration
        return item

    def _start(self, elements: Iterator[Any]) -> None:
        self._elements = None
        thread = threading.Thread(
            target=_fill,
            args=(self._buffer, elements),
            name="tapefacade-prefetch",
            daemon=True,
        )
        self._buffer.thread = thread
        _BUFFERS.add(self._buffer)
        thread.start()

    def close(self) -> None:
        """Ends the thread."""
        self._finalizer()


def _fill(buffer: PrefetchBuffer, elements: Iterator[Any]) -> None:
    """Makes elements until nobody wants more: what the thread does."""
    try:
        while True:
            try:
                item: Any = next(elements)
            except StopIteration:
                buffer.put(_END, None)
                return
            except Exception as error:  # of any step before: it is raised where it is wanted
                if not buffer.put(None, error):
                    return
                continue
            if not buffer.put(item, None):
                return
            del item
    except BaseException as error:  # who waits for an element must not wait for ever
        buffer.put(None, error)
        buffer.put(_END, None)
    finally:
        close(elements)


@atexit.register
def _end_all() -> None:
    """Ends the threads before the interpreter goes away beneath them."""
    buffers = list(_BUFFERS)
    for buffer in buffers:
        buffer.close()
    for buffer in buffers:
        if buffer.thread is not None:
            buffer.thread.join(timeout=1)
