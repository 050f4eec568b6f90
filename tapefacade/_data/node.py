"""The steps that a dataset is made of: nodes, each of which can be iterated any number of times."""

from collections.abc import Callable, Iterator
from typing import Any, final

from tapefacade._core.thread_state import ThreadState
from tapefacade._data.element_structures import merged_spec, spec_of_element
from tapefacade._data.random_numbers import PROBING_STATE
from tapefacade._data.row_streams import IndexedRows, RowArrays

INFINITE, UNKNOWN = -1, -2
SHARD_HINT = -1
PROBED_ELEMENTS = 2  # elements that are looked at where only they tell their types


class DatasetNode:
    """One step of a pipeline. It holds no state of an iteration.

    Attributes:
        inputs: the steps before it.
    """

    name = "DatasetV2"  # as TensorFlow shows it

    def __init__(self, *inputs: "DatasetNode") -> None:
        self.inputs = inputs
        self._spec: Any = None

    @property
    def input(self) -> "DatasetNode":
        """The step before it."""
        return self.inputs[0]

    # What it gives.

    @property
    def holds_examples(self) -> bool:
        """Whether its elements stand for those that a function will get."""
        return any(step.holds_examples for step in self.inputs)

    @property
    def spec(self) -> Any:
        """A nest of the specs of its elements; elements are looked at if nothing else tells."""
        if self._spec is None:
            found = self.known_spec()
            self._spec = (self._probed() if found is None else found,)
        return self._spec[0]

    def known_spec(self) -> Any:
        """Returns the specs if they are known without any element, else None."""
        return None

    @property
    def is_known(self) -> bool:
        """Whether the specs are known without looking at an element."""
        return self.known_spec() is not None

    def _probed(self) -> Any:
        found: Any = None
        elements: Iterator[Any] = iter(())
        try:
            with PROBING_STATE.temporarily(on=True):
                elements = self.elements()
                for _, element in zip(range(PROBED_ELEMENTS), elements, strict=False):
                    spec = spec_of_element(element)
                    found = spec if found is None else merged_spec(found, spec)
        finally:
            close(elements)
        if found is None:
            raise ValueError(
                "The types of the elements are known only from the elements, and there are none. "
                "Give an `output_signature`, or let the function be one that tf.function records."
            )
        return found

    def cardinality(self) -> int:
        """Returns the number of elements, `INFINITE` or `UNKNOWN`."""
        return UNKNOWN

    # Iteration.

    def elements(self) -> Iterator[Any]:
        """Starts an iteration: returns nests of tensors whose values are on the host.

        What is shuffled draws its seeds now, also if no element is ever taken, as in TensorFlow.
        """
        found = self.indexed()
        if found is not None:
            return found.elements()
        return BoxedIterator(self.elements_from(Boxed(self.input.elements())))

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        """Yields what it makes of the elements of the step before it.

        In the place of an element that cannot be made is an `ElementError`, which has to be
        yielded, or dropped, as it is: an exception would end the generator.
        """
        raise NotImplementedError(type(self).__name__)

    def indexed(self) -> IndexedRows | None:
        """Starts an iteration over numbers of rows; None if its elements are no rows."""
        return None

    def rows(self, size: int) -> RowArrays | None:
        """Starts an iteration over arrays of `size` rows; None if its elements are no rows."""
        found = self.indexed()
        return None if found is None else found.rows(size)

    @property
    def is_indexed(self) -> bool:
        """Whether `indexed` gives something."""
        return False

    @property
    def is_computed(self) -> bool:
        """Whether the rows that `indexed` gives are computed when they are read."""
        return False

    @property
    def has_rows(self) -> bool:
        """Whether `rows` gives something."""
        return self.is_indexed


class SameTypesNode(DatasetNode):
    """A step whose elements are of the types of those before it."""

    def known_spec(self) -> Any:
        return self.input.known_spec()

    @property
    def spec(self) -> Any:
        """A nest of the specs of its elements."""
        return self.input.spec

    def cardinality(self) -> int:
        return self.input.cardinality()


class RenamedNode(SameTypesNode):
    """The same elements under another name, such as that of a parallel step."""

    def __init__(self, node: DatasetNode, name: str) -> None:
        super().__init__(node)
        self.name = name

    def elements(self) -> Iterator[Any]:
        return self.input.elements()

    def indexed(self) -> Any:
        return self.input.indexed()

    @property
    def is_indexed(self) -> bool:
        return self.input.is_indexed

    @property
    def is_computed(self) -> bool:
        return self.input.is_computed

    @property
    def has_rows(self) -> bool:
        return self.input.has_rows

    def rows(self, size: int) -> RowArrays | None:
        return self.input.rows(size)


class _Sharing(ThreadState):
    """What iterations that follow each other have in common: where their random ops have come to.

    Attributes:
        found: functions that have been started, by what they belong to; None for nothing.
    """

    found: dict[Any, Any] | None = None


SHARING = _Sharing()


def started_again(node: DatasetNode, found: dict[Any, Any]) -> Iterator[Any]:
    """Starts an iteration whose random ops go on where those of the last one ended."""
    with SHARING.temporarily(found=found if SHARING.found is None else SHARING.found):
        return node.elements()


@final
class ElementError:
    """Stands for an element that cannot be made: the error goes where the element would go."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


class Boxed:
    """Elements, with an `ElementError` in the place of each error."""

    def __init__(self, elements: Iterator[Any]) -> None:
        self._elements = elements

    def __iter__(self) -> "Boxed":
        return self

    def __next__(self) -> Any:
        try:
            return next(self._elements)
        except StopIteration:
            raise
        except Exception as error:  # whatever the program's own functions raise
            return ElementError(error)

    def close(self) -> None:
        """Ends the iteration early."""
        close(self._elements)


class BoxedIterator:
    """What a generator makes of `Boxed` elements; after an error it goes on with the next one."""

    def __init__(self, elements: Iterator[Any]) -> None:
        self._elements = elements

    def __iter__(self) -> "BoxedIterator":
        return self

    def __next__(self) -> Any:
        element = next(self._elements)
        if type(element) is ElementError:
            raise element.error
        return element

    def close(self) -> None:
        """Ends the iteration early."""
        close(self._elements)


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    """Calls a function; returns a `ElementError` if it raises, or if it would be given one."""
    for arg in args:
        if type(arg) is ElementError:
            return arg
    try:
        return function(*args)
    except Exception as error:  # whatever the program's own functions raise
        return ElementError(error)


def close(elements: Any) -> None:
    """Ends an iteration early: what it holds is let go, its threads end."""
    end = getattr(elements, "close", None)
    if end is not None:
        end()


def scaled_count(count: int, by: int) -> int:
    """Returns a number of elements times `by`, which may be unknown or infinite."""
    if count == 0 or by == 0:
        return 0
    if INFINITE in (count, by):
        return INFINITE
    return UNKNOWN if UNKNOWN in (count, by) else count * by
