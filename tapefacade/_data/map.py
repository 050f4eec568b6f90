"""Functions of each element: map, filter, take_while, scan, and those that give datasets."""

import concurrent.futures
import os
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._core.tensor_type import type_of
from tapefacade._data.element_functions import (
    ROWS_BEFORE_BATCHED_CALLS,
    FunctionInIteration,
    UserFunction,
    boolean_scalar,
    node_of,
    spec_of_dataset,
)
from tapefacade._data.element_structures import (
    fresh,
    is_dense,
    leaves,
    mapped,
    shown_dtype,
    spec_of_element,
)
from tapefacade._data.node import (
    UNKNOWN,
    Boxed,
    BoxedIterator,
    DatasetNode,
    ElementError,
    SameTypesNode,
    attempt,
    close,
)
from tapefacade._data.row_functions import BatchedFunction, ComputedColumns, RowResults
from tapefacade._data.row_streams import IndexedRows, RowArrays, rows_at_once

AUTOTUNE = -1
_END = object()
ROWS_PER_BATCHED_CALL = 8  # rows that are worth a program for many of them


def workers_of(parallel: Any) -> int:
    """Returns the number of threads that `num_parallel_calls` asks for; 0 for none."""
    if parallel is None:
        return 0
    count = int(parallel)
    return (os.cpu_count() or 1) if count == AUTOTUNE else max(1, count)


class Map(DatasetNode):
    """The results of a function."""

    def __init__(self, node: DatasetNode, function: Callable[..., Any], workers: int) -> None:
        super().__init__(node)
        self.name = "_ParallelMapDataset" if workers else "_MapDataset"
        self._function = UserFunction(function, "Dataset.map()", node.known_spec())
        self._workers = workers

    def known_spec(self) -> Any:
        return self._function.spec

    def cardinality(self) -> int:
        return self.input.cardinality()

    @property
    def is_indexed(self) -> bool:
        found = self._for_rows() if self.input.is_indexed and not self._is_short() else None
        return found is not None and not found.draws

    @property
    def is_computed(self) -> bool:
        return True

    def indexed(self) -> IndexedRows | None:
        found = self._for_rows() if self.is_indexed else None
        source = None if found is None else self.input.indexed()
        if found is None or source is None or len(source.groups) != 1:
            return None
        group = ComputedColumns(source, self._function, found, self._row_bytes(found))
        return IndexedRows((group,), found.pack, source.blocks)

    @property
    def has_rows(self) -> bool:
        return self._for_rows() is not None and not self._is_short()

    def _for_rows(self) -> Any:
        """Returns what is recorded of the function, if it can be called with many rows."""
        if not self.input.has_rows or self._function.spec is None:
            return None
        spec = self.input.spec
        flat = leaves(spec)
        if not all(is_dense(s) and s.shape.is_fully_defined() for s in flat):
            return None
        types = tuple(type_of(tuple(s.shape.as_list()), s.dtype._numpy) for s in flat)
        found = self._function.for_types(types, spec)
        return found if found is not None and found.rows else None

    def _is_short(self) -> bool:
        return 0 <= self.input.cardinality() < ROWS_BEFORE_BATCHED_CALLS

    def _row_bytes(self, found: Any) -> int:
        specs = [*leaves(self.input.spec), *leaves(found.spec)]
        return sum((s.shape.num_elements() or 0) * s.dtype.size for s in specs)

    def rows(self, size: int) -> RowArrays | None:
        found = self._for_rows()
        if found is None or self._is_short() or size < ROWS_PER_BATCHED_CALL:
            return None
        if not found.draws:
            indexed = self.indexed()
            if indexed is not None:
                return indexed.rows(size)
        source = self.input.rows(size)
        if source is None:
            return None
        call = BatchedFunction(self._function, found, source.pack)
        return RowArrays(found.pack, map(call.all, source.arrays))

    def elements(self) -> Iterator[Any]:
        indexed = self.indexed()
        if indexed is not None:
            return indexed.elements()
        found = self._for_rows() if not self._is_short() else None
        if found is not None:
            source = self.input.rows(rows_at_once(self._row_bytes(found)))
            if source is not None:
                return RowResults(source, BatchedFunction(self._function, found, source.pack))
        if self._workers and self._function.spec is None:
            return BoxedIterator(_in_threads(self.input, self._function.started(), self._workers))
        return map(self._function.started(), self.input.elements())


def _in_threads(node: DatasetNode, call: FunctionInIteration, workers: int) -> Iterator[Any]:
    """Yields the results in their order; as many calls as there are threads run ahead."""
    pool = concurrent.futures.ThreadPoolExecutor(workers, "tapefacade-map")
    waiting: deque[concurrent.futures.Future[Any]] = deque()
    elements = Boxed(node.elements())
    try:
        while True:
            _submit(pool, waiting, elements, call, workers)
            if not waiting:
                return
            yield attempt(waiting.popleft().result)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        close(elements)


def _submit(pool: Any, waiting: Any, elements: Any, call: Any, workers: int) -> None:
    while len(waiting) < workers:
        element = next(elements, _END)
        if element is _END:
            return
        waiting.append(pool.submit(attempt, call, element))


class Filter(SameTypesNode):
    """The elements for which a predicate holds."""

    name = "_FilterDataset"

    def __init__(self, node: DatasetNode, predicate: Callable[..., Any]) -> None:
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
        return filter(
            lambda element: bool(predicate(element)._numpy_array()), self.input.elements()
        )


class TakeWhile(SameTypesNode):
    """The elements up to the first for which a predicate does not hold."""

    name = "_TakeWhileDataset"

    def __init__(self, node: DatasetNode, predicate: Callable[..., Any]) -> None:
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

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        predicate = self._predicate.started()
        for element in elements:
            holds = attempt(predicate, element)
            if type(holds) is ElementError:
                yield holds
            elif bool(holds._numpy_array()):
                yield element
            else:
                return


class Scan(DatasetNode):
    """The results of a function that hands a state from element to element."""

    name = "_ScanDataset"

    def __init__(self, node: DatasetNode, state: Any, function: Callable[..., Any]) -> None:
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

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        call = self._function.started()
        state = self._state
        for element in elements:
            result = attempt(_scanned, call, state, element)
            if type(result) is ElementError:
                yield result
            else:
                state, found = result
                yield found


def _scanned(call: Callable[..., Any], state: Any, element: Any) -> Any:
    result = call((fresh(state), element))
    _require_pair(result)
    _require_types(state, result[0])
    return result


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


class FlatMap(DatasetNode):
    """The elements of the datasets that a function gives, one after the other."""

    name = "_FlatMapDataset"

    def __init__(self, node: DatasetNode, function: Callable[..., Any]) -> None:
        super().__init__(node)
        self._function = UserFunction(function, "Dataset.flat_map()", None)
        self._result_spec = spec_of_dataset(self._function, node.known_spec())

    def known_spec(self) -> Any:
        return self._result_spec

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        call = self._function.started()
        for element in elements:
            inner = attempt(lambda value: node_of(call(value), "flat_map").elements(), element)
            if type(inner) is ElementError:
                yield inner
            else:
                yield from Boxed(inner)


class Interleave(DatasetNode):
    """The elements of the datasets that a function gives, several of them by turns."""

    def __init__(
        self,
        node: DatasetNode,
        function: Callable[..., Any],
        cycle: int,
        block: int,
        parallel: bool,
    ) -> None:
        super().__init__(node)
        self.name = "_ParallelInterleaveDataset" if parallel else "_InterleaveDataset"
        self._function = UserFunction(function, "Dataset.interleave()", None)
        self._result_spec = spec_of_dataset(self._function, node.known_spec())
        self._cycle, self._block = cycle, block

    def known_spec(self) -> Any:
        return self._result_spec

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        call = self._function.started()
        current: list[Any] = [None] * self._cycle
        place, given, more = 0, 0, True
        while more or any(inner is not None for inner in current):
            inner = current[place]
            if inner is None and more:
                element = next(elements, _END)
                more = element is not _END
                if more:
                    made = attempt(lambda v: node_of(call(v), "interleave").elements(), element)
                    if type(made) is ElementError:
                        yield made
                    else:
                        current[place] = Boxed(made)
                    continue
            elif inner is not None:
                for found in inner:
                    given += (
                        type(found) is not ElementError
                    )  # after an error it is the same one's turn
                    yield found
                    break
                else:
                    current[place], given = None, self._block
                if given < self._block:
                    continue
            place, given = (place + 1) % self._cycle, 0
