"""The methods of `tf.data.Dataset` that call functions of the elements."""

from collections.abc import Callable
from typing import Any

from tapefacade._core.tensor import hinted
from tapefacade._data.base import Base
from tapefacade._data.grouping import reduced
from tapefacade._data.mapping import (
    AUTOTUNE,
    Filter,
    Flat,
    Interleave,
    Map,
    Scan,
    TakeWhile,
    workers_of,
)
from tapefacade._data.structures import integer, normalised, op_error


class Calling(Base):
    """Makes datasets of what functions give for the elements of a dataset."""

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of the results of a function.

        As in TensorFlow, the Python of the function runs once, on tensors without values, and what
        it records is called for the elements, for many of them at once where that is possible.
        Random ops draw for each element.

        Unlike TensorFlow, Python that looks at values (`if x > 0`, texts, files, `tf.py_function`)
        runs for each element, and exceptions stay what they are.

        Args:
            map_func: a function of an element; tuples are unpacked. It returns a nest of tensors.
            num_parallel_calls: how many elements are mapped at a time by threads, where the Python
                runs for each; `tf.data.AUTOTUNE` for as many as there are processors.
            deterministic: ignored: the order is always kept.
            synchronous: ignored.
            use_unbounded_threadpool: ignored.
            name: ignored.

        Raises:
            TypeError: if the function returns something else than tensors.
            Exception: of the function.

        >>> list(tf.data.Dataset.range(3).map(lambda x: x * x).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(4)]
        """
        _require_callable(map_func)
        return self._made(Map(self._node, map_func, workers_of(num_parallel_calls)))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """Makes a dataset of the elements for which a predicate holds.

        Args:
            predicate: a function of an element; it returns a boolean scalar.
            name: ignored.

        Raises:
            ValueError: if it returns something else.

        >>> list(tf.data.Dataset.range(5).filter(lambda x: x > 2).as_numpy_iterator())
        [np.int64(3), np.int64(4)]
        """
        _require_callable(predicate)
        return self._made(Filter(self._node, predicate))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """Makes a dataset of the elements up to the first for which a predicate does not hold.

        Args:
            predicate: a function of an element; it returns a boolean scalar.
            name: ignored.

        Raises:
            ValueError: if it returns something else.

        >>> list(tf.data.Dataset.range(5).take_while(lambda x: x < 2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        _require_callable(predicate)
        return self._made(TakeWhile(self._node, predicate))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Any:
        """Makes a dataset of the elements of the datasets that a function gives.

        Args:
            map_func: a function of an element; it returns a dataset.
            name: ignored.

        Raises:
            TypeError: while it is read, if the function returns something else.

        >>> dataset = tf.data.Dataset.range(3)
        >>> list(dataset.flat_map(lambda n: tf.data.Dataset.range(n)).as_numpy_iterator())
        [np.int64(0), np.int64(0), np.int64(1)]
        """
        _require_callable(map_func)
        return self._made(Flat(self._node, map_func))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of the elements of the datasets that a function gives, by turns.

        Args:
            map_func: a function of an element; it returns a dataset.
            cycle_length: how many datasets take turns; by default as many as there are processors.
            block_length: how many elements each gives in its turn, by default 1.
            num_parallel_calls: accepted; the order of the elements is the same.
            deterministic: ignored: the order is always kept.
            name: ignored.

        Raises:
            InvalidArgumentError: if a length is not positive.

        >>> dataset = tf.data.Dataset.range(1, 3)
        >>> made = dataset.interleave(
        ...     lambda n: tf.data.Dataset.from_tensors(n).repeat(2), cycle_length=2)
        >>> list(made.as_numpy_iterator())
        [np.int64(1), np.int64(2), np.int64(1), np.int64(2)]
        """
        _require_callable(map_func)
        cycle = AUTOTUNE if cycle_length is None else integer(cycle_length)
        block = 1 if block_length is None else integer(block_length)
        cycle = workers_of(AUTOTUNE) if cycle == AUTOTUNE else cycle
        parallel = bool(workers_of(num_parallel_calls))
        for what, value in (("cycle_length", cycle), ("block_length", block)):
            if value < 1:
                kernel = "ParallelInterleaveDatasetV4" if parallel else "InterleaveDataset"
                raise op_error(f"{kernel}_Targuments_0", f"{what} must be greater than zero.")
        return self._made(Interleave(self._node, map_func, cycle, block, parallel))

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: Any = None) -> Any:
        """Makes a dataset of the results of a function that hands on a state.

        Args:
            initial_state: a nest of tensors.
            scan_func: a function of the state and an element; it returns the next state and a
                result.
            name: ignored.

        Raises:
            TypeError: if it returns no pair, or a state of other types.

        >>> dataset = tf.data.Dataset.range(1, 4)
        >>> made = dataset.scan(np.int64(0), lambda total, x: (total + x, total + x))
        >>> list(made.as_numpy_iterator())
        [np.int64(1), np.int64(3), np.int64(6)]
        """
        return self._made(Scan(self._node, normalised(initial_state), scan_func))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: Any = None) -> Any:
        """Reduces all elements to one.

        Args:
            initial_state: a nest of tensors.
            reduce_func: a function of the state and an element; it returns the next state.
            name: ignored.

        Returns:
            The last state.

        Raises:
            TypeError: if the types of the state change.

        >>> int(tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x))
        10
        """
        return reduced(self._node, initial_state, reduce_func)


def _require_callable(function: Any) -> None:
    if not callable(function):
        raise hinted(
            ValueError(
                f"Argument `func` must be a callable. Received func={function} (of type "
                f"{type(function)})"
            ),
            "Give a function of the elements.",
        )
