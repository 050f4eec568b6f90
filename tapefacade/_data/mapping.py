"""Functions of each element: map, filter, take_while, scan, and those that give datasets."""

import concurrent.futures
import os
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.types import type_of
from tapefacade._data.functions import FEW, Started, UserFunction, Vectorised, boolean_scalar
from tapefacade._data.node import INFINITE, UNKNOWN, Node, SameNode, close
from tapefacade._data.streams import ROWS_AT_ONCE, Rows, tensors_of
from tapefacade._data.structures import fresh, leaves, mapped, shown_dtype, spec_of_element

AUTOTUNE = -1
_END = object()


def workers_of(parallel: Any) -> int:
    """Returns the number of threads that `num_parallel_calls` asks for; 0 for none."""
    if parallel is None:
        return 0
    count = int(parallel)
    return (os.cpu_count() or 1) if count == AUTOTUNE else max(1, count)


class Map(Node):
    """The results of a function."""

    def __init__(self, node: Node, function: Callable[..., Any], workers: int) -> None:
        super().__init__(node)
        self.name = "_ParallelMapDataset" if workers else "_MapDataset"
        self._function = UserFunction(function, "Dataset.map()", node.known_spec())
        self._workers = workers

    def known_spec(self) -> Any:
        return self._function.spec

    def cardinality(self) -> int:
        return self.input.cardinality()

    @property
    def has_rows(self) -> bool:
        return self._for_rows() is not None

    def _for_rows(self) -> Any:
        """Returns what is recorded of the function, if it can be called with many rows."""
        if not self.input.has_rows or self._function.spec is None:
            return None
        spec = self.input.spec
        flat = leaves(spec)
        if not all(type(s) is TensorSpec and s.shape.is_fully_defined() for s in flat):
            return None
        if any(s.dtype.name == "string" for s in flat):
            return None
        types = tuple(type_of(tuple(s.shape.as_list()), s.dtype._numpy) for s in flat)
        found = self._function.for_types(types, spec)
        return found if found is not None and found.rows else None

    def rows(self, size: int) -> Rows | None:
        found = self._for_rows()
        if found is None or self._is_short(size):
            return None
        source = self.input.rows(size)
        if source is None:
            return None
        return Rows(found.pack, self._blocks(source, size, found))

    def _is_short(self, size: int) -> bool:
        count = self.input.cardinality()
        return 0 <= count < FEW or size < FEW // 8

    def _blocks(self, source: Rows, size: int, found: Any) -> Iterator[Any]:
        call = Vectorised(self._function, size)
        for arrays in source.arrays:
            yield self._block(call, arrays, found, source)

    def _block(self, call: Vectorised, arrays: Any, found: Any, source: Rows) -> Any:
        try:
            return call(arrays, found)
        except Exception:
            one = self._function.started()
            for row in zip(*map(tensors_of, arrays), strict=True):
                one(source.pack(list(row)))  # raises the error of the row that has one
            raise

    def elements(self) -> Iterator[Any]:
        found = self._for_rows()
        source = None
        if found is not None and not self._is_short(ROWS_AT_ONCE):
            source = self.input.rows(ROWS_AT_ONCE)
        if source is not None:
            return _RowByRow(source, self._function, found)
        if self._workers and self._function.spec is None:
            return _in_threads(self.input, self._function.started(), self._workers)
        return map(self._function.started(), self.input.elements())



class _RowByRow:
    """The results for rows, one by one; an error belongs to its row and does not end it."""

    def __init__(self, source: Rows, function: UserFunction, found: Any) -> None:
        self._source, self._function, self._found = source, function, found
        self._call = Vectorised(function, ROWS_AT_ONCE)
        self._waiting: Iterator[Any] = iter(())

    def __iter__(self) -> "_RowByRow":
        return self

    def __next__(self) -> Any:
        while True:
            for result in self._waiting:
                return result
            self._waiting = self._block(next(self._source.arrays))

    def _block(self, arrays: Any) -> Iterator[Any]:
        try:
            results = self._call(arrays, self._found)
        except Exception:
            pack, rows = self._source.pack, zip(*map(tensors_of, arrays), strict=True)
            return map(self._function.started(), [pack(list(row)) for row in rows])
        pack = self._found.pack
        return (pack(list(row)) for row in zip(*map(tensors_of, results), strict=True))


def _in_threads(node: Node, call: Started, workers: int) -> Iterator[Any]:
    """Yields the results in their order; as many calls as there are threads run ahead."""
    pool = concurrent.futures.ThreadPoolExecutor(workers, "tapefacade-map")
    waiting: deque[concurrent.futures.Future[Any]] = deque()
    elements = node.elements()
    failed: list[Exception] = []
    try:
        while True:
            _submit(pool, waiting, elements, call, workers, failed)
            if not waiting:
                if failed:
                    raise failed[0]
                return
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        close(elements)


def _submit(
    pool: Any, waiting: Any, elements: Any, call: Any, workers: int, failed: list[Any]
) -> None:
    while len(waiting) < workers and not failed:
        try:
            element = next(elements)
        except StopIteration:
            return
        except Exception as error:  # comes after the elements before it
            failed.append(error)
            return
        waiting.append(pool.submit(call, element))


class Filter(SameNode):
    """The elements for which a predicate holds."""

    name = "_FilterDataset"

    def __init__(self, node: Node, predicate: Callable[..., Any]) -> None:
        super().__init__(node)
        self._predicate = UserFunction(predicate, "Dataset.filter()", node.known_spec())
        spec = self._predicate.spec
        if spec is not None and not boolean_scalar(spec):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
                f"return type is {spec}."
            )

    def cardinality(self) -> int:
        return UNKNOWN

    def elements(self) -> Iterator[Any]:
        predicate = self._predicate.started()
        return filter(lambda element: bool(predicate(element)._numpy()), self.input.elements())


class TakeWhile(SameNode):
    """The elements up to the first for which a predicate does not hold."""

    name = "_TakeWhileDataset"

    def __init__(self, node: Node, predicate: Callable[..., Any]) -> None:
        super().__init__(node)
        self._predicate = UserFunction(predicate, "Dataset.take_while()", node.known_spec())
        spec = self._predicate.spec
        if spec is not None and not boolean_scalar(spec):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor but its "
                f"return type is{spec}."
            )

    def cardinality(self) -> int:
        return UNKNOWN

    def elements(self) -> Iterator[Any]:
        predicate = self._predicate.started()
        for element in self.input.elements():
            if not bool(predicate(element)._numpy()):
                return
            yield element


class Scan(Node):
    """The results of a function that hands a state from element to element."""

    name = "_ScanDataset"

    def __init__(self, node: Node, state: Any, function: Callable[..., Any]) -> None:
        super().__init__(node)
        self._state = state
        known = node.known_spec()
        argument = None if known is None else (spec_of_element(state), known)
        self._function = UserFunction(function, "Dataset.scan()", argument, several=2)
        if self._function.spec is not None:
            _require_pair(self._function.spec)
            _require_types(spec_of_element(state), self._function.spec[0])

    def known_spec(self) -> Any:
        spec = self._function.spec
        return None if spec is None else spec[1]

    def cardinality(self) -> int:
        return self.input.cardinality()

    def elements(self) -> Iterator[Any]:
        call = self._function.started()
        state = self._state
        for element in self.input.elements():
            result = call((fresh(state), element))
            _require_pair(result)
            _require_types(state, result[0])
            state, found = result
            yield found


def _require_pair(result: Any) -> None:
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(
            "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the "
            f"output value but its return type is {spec_of_element(result)}."
        )


def _require_types(before: Any, after: Any) -> None:
    wanted, given = (mapped(shown_dtype, spec) for spec in (before, after))
    if wanted != given:
        raise TypeError(
            "Invalid `scan_func`. The element types for the new state must match the initial "
            f"state. Expected {wanted!r}, got {given!r}."
        )


class Flat(Node):
    """The elements of the datasets that a function gives, one after the other."""

    name = "_FlatMapDataset"

    def __init__(self, node: Node, function: Callable[..., Any]) -> None:
        super().__init__(node)
        self._function = UserFunction(function, "Dataset.flat_map()", None)

    def elements(self) -> Iterator[Any]:
        call = self._function.started()
        for element in self.input.elements():
            yield from node_of(call(element), "flat_map").elements()


class Interleave(Node):
    """The elements of the datasets that a function gives, several of them by turns."""

    def __init__(
        self, node: Node, function: Callable[..., Any], cycle: int, block: int, parallel: bool
    ) -> None:
        super().__init__(node)
        self.name = "_ParallelInterleaveDataset" if parallel else "_InterleaveDataset"
        self._function = UserFunction(function, "Dataset.interleave()", None)
        self._cycle, self._block = cycle, block

    def elements(self) -> Iterator[Any]:
        call = self._function.started()
        source = self.input.elements()
        current: list[Any] = [None] * self._cycle
        place, given, more = 0, 0, True
        while more or any(inner is not None for inner in current):
            inner = current[place]
            if inner is None and more:
                element = next(source, _END)
                more = element is not _END
                if more:
                    current[place] = node_of(call(element), "interleave").elements()
                    continue
            elif inner is not None:
                for found in inner:
                    given += 1
                    yield found
                    break
                else:
                    current[place], given = None, self._block
                if given < self._block:
                    continue
            place, given = (place + 1) % self._cycle, 0


def node_of(found: Any, where: str) -> Node:
    """Returns the node of what a function gave.

    Raises:
        TypeError: if it is no dataset.
    """
    node = getattr(found, "_node", None)
    if not isinstance(node, Node):
        raise TypeError(
            f"Invalid `map_func` of `{where}`: it must return a `Dataset` object, and got "
            f"{type(found).__name__}."
        )
    return node


class Renamed(SameNode):
    """The same elements under another name, such as that of a parallel step."""

    def __init__(self, node: Node, name: str) -> None:
        super().__init__(node)
        self.name = name

    def elements(self) -> Iterator[Any]:
        return self.input.elements()

    def indexed(self) -> Any:
        return self.input.indexed()

    @property
    def is_indexed(self) -> bool:
        return self.input.is_indexed


