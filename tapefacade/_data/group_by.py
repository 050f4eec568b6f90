"""Elements in groups, by a key or by their length."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.random_keys import Counts
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.traced_errors import raising_as_traced
from tapefacade._data.batch import HeldElements
from tapefacade._data.element_functions import UserFunction, as_number, node_of, spec_of_dataset
from tapefacade._data.element_structures import (
    as_tensors,
    fresh,
    kernel_error,
    mapped,
    shown_dtype,
)
from tapefacade._data.iterators import DatasetSpec
from tapefacade._data.node import (
    Boxed,
    DatasetNode,
    ElementError,
    attempt,
    close,
)

METHOD = "Dataset.group_by_window()"


class GroupByWindow(DatasetNode):
    """What a function makes of elements with the same key, some at a time."""

    name = "_GroupByWindowDataset"

    def __init__(
        self, node: DatasetNode, key: Callable[..., Any], reduce: Callable[..., Any],
        size: Callable[..., Any], wrap: Callable[[DatasetNode], Any],
    ) -> None:  # fmt: skip
        super().__init__(node)
        self._key = UserFunction(key, METHOD, node.known_spec())
        _require_key(self._key.spec)
        self._reduce = UserFunction(reduce, METHOD, None, several=2)
        self._size = UserFunction(size, METHOD, TensorSpec([], dtypes.int64))
        self._wrap = wrap
        key_spec, known = TensorSpec([], dtypes.int64), node.known_spec()
        argument = None if known is None else (key_spec, DatasetSpec(known))
        self._result_spec = spec_of_dataset(self._reduce, argument)

    def known_spec(self) -> Any:
        return self._result_spec

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        key_of, size_of = self._key.started(), self._size.started()
        groups: dict[int, tuple[Any, int, list[Any]]] = {}
        counts: Counts = {}
        for element in elements:
            key = attempt(key_of, element)
            number = attempt(as_number, key)
            if type(number) is not ElementError and number not in groups:
                window = attempt(lambda key: self._window_size(size_of(key)), key)
                if type(window) is ElementError:
                    number = window
                else:
                    groups[number] = (key, window, [])
            if type(number) is ElementError:
                yield number
                continue
            key, size, held = groups[number]
            held.append(element)
            if len(held) == size:
                del groups[number]
                yield from self._reduced(key, held, counts)
        for number in sorted(groups):
            key, _, held = groups[number]
            yield from self._reduced(key, held, counts)

    def _window_size(self, size: Any) -> int:
        found = int(size._numpy_array())
        if found <= 0:
            raise kernel_error(f"Window size must be greater than zero, but got {found}.")
        return found

    def _reduced(self, key: Any, held: list[Any], counts: Counts) -> Iterator[Any]:
        window = self._wrap(HeldElements(held, self.input.known_spec()))

        def made() -> Iterator[Any]:
            found = self._reduce.in_python((key, window), counts)
            return node_of(found, "group_by_window").elements()

        elements = attempt(made)
        return iter([elements]) if type(elements) is ElementError else Boxed(elements)


def _require_key(spec: Any) -> None:
    if spec is None:
        return
    scalar = isinstance(spec, TensorSpec) and spec.shape.is_compatible_with([])
    if not scalar or spec.dtype is not dtypes.int64:
        raise ValueError(
            "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its "
            f"return type is {spec}."
        )


class GroupByReducer(DatasetNode):
    """What is left of the elements of each key, once they are reduced."""

    name = "_GroupByReducerDataset"

    def __init__(self, node: DatasetNode, key: Callable[..., Any], reducer: Any) -> None:
        super().__init__(node)
        where = "group_by_reducer()"
        self._key = UserFunction(key, where, node.known_spec())
        _require_key(self._key.spec)
        self._start = UserFunction(reducer.init_func, where, TensorSpec([], dtypes.int64))
        self._step = UserFunction(reducer.reduce_func, where, None, several=2)
        self._end = UserFunction(reducer.finalize_func, where, self._start.spec)

    def known_spec(self) -> Any:
        return self._end.spec

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        states: dict[Any, Any] = {}
        key_of, start, step, end = (
            function.started() for function in (self._key, self._start, self._step, self._end)
        )
        for element in elements:
            key = attempt(key_of, element)
            number: Any = attempt(as_number, key)
            state = number
            if type(number) is not ElementError:
                state = states[number] if number in states else attempt(start, key)
                state = attempt(lambda *pair: step(pair), state, element)
            if type(state) is ElementError:
                yield state
            else:
                states[number] = state
        for number in sorted(states):
            yield attempt(end, states[number])


class RejectionResample(DatasetNode):
    """Elements with their classes, some left out and some repeated."""

    name = "_PrefetchDataset"  # as TensorFlow shows it

    def __init__(
        self, node: DatasetNode, function: Callable[..., Any], target: np.ndarray[Any, Any],
        initial: np.ndarray[Any, Any] | None, seed: int | None,
    ) -> None:  # fmt: skip
        super().__init__(node)
        self._class = UserFunction(function, "Dataset.rejection_resample()", node.known_spec())
        self._target = target
        self._initial = initial
        self._seed = seed

    def known_spec(self) -> Any:
        kind, spec = self._class.spec, self.input.known_spec()
        return None if kind is None or spec is None else (kind, spec)

    def _probed(self) -> Any:
        kind = super()._probed()[0] if self._class.spec is None else self._class.spec
        return kind, self.input.spec

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        random = np.random.default_rng(self._seed)
        class_of = self._class.started()
        counts = np.full(len(self._target), 1.0)
        for element in elements:
            kind = attempt(class_of, element)
            number = attempt(as_number, kind)
            if type(number) is not ElementError and not 0 <= number < len(self._target):
                number = ElementError(
                    kernel_error(f"class {number} is not in [0, {len(self._target)})")
                )
            if type(number) is ElementError:
                yield number
                continue
            counts[number] += 1
            given = counts / counts.sum() if self._initial is None else self._initial
            ratio = self._target / np.maximum(given, np.finfo(np.float64).tiny)
            if random.random() * ratio.max() < ratio[number]:
                yield (kind, element)


def reduced_elements(node: DatasetNode, state: Any, function: Callable[..., Any]) -> Any:
    """Reduces all elements, one after the other; returns the last state."""
    state = as_tensors(state)
    call = UserFunction(function, "Dataset.reduce()", None, several=2).started()
    elements = node.elements()
    try:
        with raising_as_traced():
            for element in elements:
                state = _same_types(call((fresh(state), element)), state)
    finally:
        close(elements)
    return state


def _same_types(state: Any, before: Any) -> Any:
    """Returns a state that has the structure and the dtypes of the one before.

    Raises:
        TypeError: if it has not.
    """
    now, then = mapped(shown_dtype, state), mapped(shown_dtype, before)
    if now != then:
        raise TypeError(
            "The element types for the new state must match the initial state. Expected "
            f"{then!r} but got {now!r}."
        )
    return state
