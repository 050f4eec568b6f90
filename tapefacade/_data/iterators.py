"""Iterators over datasets, and the specs of datasets and iterators."""

import abc
import threading
from collections.abc import Iterator as PythonIterator
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import kernel_prefix
from tapefacade._core.missing_members import lacks
from tapefacade._core.optional import Optional
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import HandleSpec, TensorSpec
from tapefacade._core.tracebacks import shorten, users_lines
from tapefacade._data.element_structures import fresh, leaves, mapped
from tapefacade._data.node import DatasetNode, close
from tapefacade._definition.op import function
from tapefacade._extension.extension_type import ExtensionType
from tapefacade._sparse.dense_conversion import to_dense
from tapefacade._sparse.tensor import SparseTensor
from tapefacade._trace.open_sizes import ACCOUNTS, note_shapes, open_sizes, opened_sizes
from tapefacade._trace.recording import THREAD

GET_NEXT = "IteratorGetNext"
WHY_ITERATED = "it iterates over a dataset"


def _zeros(spec: Any, size: int) -> Any:
    """Returns a value of a spec, of zeros."""
    if not isinstance(spec, TensorSpec):
        return spec._example(size)
    known: list[int | None] = [] if spec.shape.rank is None else [*spec.shape]
    kind = "S1" if spec.dtype is dtypes.string else spec.dtype._numpy
    return convert(np.zeros([size if own is None else own for own in known], kind))


@function("data.DatasetSpec")
class DatasetSpec(HandleSpec):
    """The type of a dataset: the specs of its elements.

    Args:
        element_spec: a nest of specs.
        dataset_shape: the shape of a tensor of datasets; scalars are all there is.

    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))

    See https://www.tensorflow.org/api_docs/python/tf/data/DatasetSpec.
    """

    __slots__ = ("_dataset_shape", "_element_spec")
    _value_type: Any = None  # the class, which is defined later

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """A nest of the specs of the elements."""
        return self._element_spec

    @property
    def value_type(self) -> Any:
        """The class of datasets."""
        return DatasetSpec._value_type

    @staticmethod
    def from_value(value: Any) -> "DatasetSpec":
        """Makes the spec of a dataset.

        >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3)).element_spec
        TensorSpec(shape=(), dtype=tf.int64, name=None)
        """
        return DatasetSpec(value.element_spec)

    def _example(self, size: int) -> Any:
        """Returns a dataset of zeros, with `size` for unknown sizes."""
        element = mapped(lambda spec: _zeros(spec, size), self._element_spec)
        return self.value_type._held([element] * size, self._element_spec, are_examples=True)

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape


@function("data.IteratorSpec")
class IteratorSpec(HandleSpec):
    """The type of an iterator: the specs of what it gives.

    Args:
        element_spec: a nest of specs.

    >>> tf.data.IteratorSpec(tf.TensorSpec([]))
    IteratorSpec(TensorSpec(shape=(), dtype=tf.float32, name=None),)

    See https://www.tensorflow.org/api_docs/python/tf/data/IteratorSpec.
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> Any:
        """The class of iterators."""
        return OwnedIterator

    @staticmethod
    def from_value(value: Any) -> "IteratorSpec":
        """Makes the spec of an iterator.

        >>> tf.data.IteratorSpec.from_value(iter(tf.data.Dataset.range(3)))
        IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)
        """
        return IteratorSpec(value.element_spec)

    def _example(self, size: int) -> Any:
        """Returns an iterator over zeros, with `size` for unknown sizes."""
        return iter(DatasetSpec(self._element_spec)._example(size))

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)


@function("data.Iterator")
class Iterator(abc.ABC):
    """Reads a dataset: made by `iter(dataset)`.

    >>> iterator = iter(tf.data.Dataset.range(2))
    >>> isinstance(iterator, tf.data.Iterator), int(next(iterator)), int(iterator.get_next())
    (True, 0, 1)

    See https://www.tensorflow.org/api_docs/python/tf/data/Iterator.
    """

    def __iter__(self) -> "Iterator":
        return self

    @abc.abstractmethod
    def __next__(self) -> Any:
        """Returns the next element."""

    @property
    @abc.abstractmethod
    def element_spec(self) -> Any:
        """A nest of the specs of what it gives."""

    @abc.abstractmethod
    def get_next(self) -> Any:
        """Returns the next element.

        Raises:
            OutOfRangeError: if there is none.
        """

    @abc.abstractmethod
    def get_next_as_optional(self) -> Optional:
        """Returns the next element as a `tf.experimental.Optional`, which is empty at the end."""


@lacks(
    {
        "output_classes output_shapes output_types": (
            "Read `element_spec`, or call `tf.compat.v1.data.get_output_types` and its like."
        )
    }
)
class OwnedIterator(Iterator):
    """An iteration over a dataset that it keeps alive."""

    _is_element = True
    _has_elements = True

    def __init__(self, dataset: Any, node: DatasetNode) -> None:
        self._dataset = dataset
        self._node = node
        # Begun at once, for this draws the seeds of what is shuffled; it computes nothing yet.
        self._elements = iter(node.elements())
        self._consumed = 0  # for checkpoints: an iterator goes on where it was
        self._lock = threading.Lock()  # threads may read it together

    @property
    def element_spec(self) -> Any:
        """A nest of the specs of what it gives."""
        return self._node.spec

    def __repr__(self) -> str:
        return f"<tf.data.Iterator element_spec={self.element_spec}>"

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    def __next__(self) -> Any:
        recording = THREAD.recording
        in_function = recording.frame is not None or recording.enclosing is not None
        if in_function and not self._node.holds_examples:
            recording.observe(WHY_ITERATED)
        with self._lock:
            try:
                element = next(self._elements)
            except StopIteration as end:
                if THREAD.functions:  # what a function that this ends raises
                    end.as_out_of_range = self._end()  # type: ignore[attr-defined]
                shorten(end)
                raise
            except errors.OpError as error:
                shorten(error)
                # No name for it here: its traceback would keep this frame alive, and be kept by it.
                raise _at_users_lines(
                    error_of_iterator(error, GET_NEXT, self._node)
                ) from error.__cause__
            except Exception as error:
                shorten(error)
                raise
            self._consumed += 1
        return with_open_sizes(fresh(element), self._node, in_function)

    def get_next(self) -> Any:
        try:
            return next(self)
        except StopIteration:
            raise self._end() from None

    def next(self) -> Any:
        """Returns the next element, as `next(iterator)` does."""
        return next(self)

    def _end(self) -> errors.OpError:
        end = errors.OutOfRangeError(None, None, "End of sequence")
        end.is_of_dataset = True  # type: ignore[attr-defined]
        return error_of_iterator(end, GET_NEXT, self._node)

    def get_next_as_optional(self) -> Optional:
        try:
            return Optional.from_value(next(self))
        except StopIteration:
            return Optional.empty(self.element_spec)

    def _skip(self, count: int) -> None:
        """Passes over elements, as a checkpoint asks for."""
        for _ in range(count):
            next(self)

    def __del__(self) -> None:
        if getattr(self, "_elements", None) is not None:
            close(self._elements)


def with_open_sizes(element: Any, node: DatasetNode, in_function: bool) -> Any:
    """Takes note, in a function that is recorded, of sizes that the spec of elements leaves open.

    Args:
        element: an element of a dataset.
        node: the dataset.
        in_function: whether to begin to keep account of sizes.

    Returns:
        `element`.
    """
    account = opened_sizes() if in_function else open_sizes() if ACCOUNTS else None
    if account is not None and node.is_known:
        note_shapes(account, leaves(element), leaves(node.spec))
    return element


def _at_users_lines(error: Exception) -> Exception:
    return error.with_traceback(users_lines(error.__traceback__))


def error_of_iterator(error: errors.OpError, kernel: str, node: DatasetNode) -> errors.OpError:
    """Returns an error of a dataset with the op that hands it on, as TensorFlow shows it."""
    if not getattr(error, "is_of_dataset", False):
        return error
    known = node.known_spec()
    count = 1 if known is None else max(1, len(leaves(known)))
    place = kernel_prefix(f"{kernel}_output_types_{count}")
    made: Any = type(error)
    found = made(None, None, f"{place}{error.message} [Op:{kernel}] name: ")
    for note in getattr(error, "__notes__", ()):
        found.add_note(note)
    return found.with_traceback(error.__traceback__)


@function("data.NumpyIterator")
@lacks(
    {
        "save restore": "Track the iterator of the dataset in a `tf.train.Checkpoint`.",
    }
)
class NumpyIterator(PythonIterator[Any]):
    """Reads a dataset as NumPy values: made by `dataset.as_numpy_iterator()`.

    Args:
        dataset: the dataset.

    >>> next(tf.data.NumpyIterator(tf.data.Dataset.range(2)))
    np.int64(0)
    """

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)

    def __repr__(self) -> str:
        return f"NumpyIterator(iterator={self._iterator!r})"

    def __iter__(self) -> "NumpyIterator":
        return self

    def __next__(self) -> Any:
        return mapped(_as_numpy, next(self._iterator))

    def next(self) -> Any:
        """Returns the next element.

        >>> tf.data.NumpyIterator(tf.data.Dataset.range(2)).next()
        np.int64(0)
        """
        return self.__next__()


def _as_numpy(leaf: Any) -> Any:
    if isinstance(leaf, EagerTensor):
        array = leaf._numpy_array().view()
        array.flags.writeable = False
        return array if array.ndim else array[()]
    if isinstance(leaf, SparseTensor):
        dense: Any = to_dense(leaf)
        return dense.numpy()
    if leaf is None:
        return None
    if hasattr(leaf, "as_numpy_iterator"):
        return leaf.as_numpy_iterator()
    if isinstance(leaf, ExtensionType):
        raise TypeError(
            "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce "
            f"values of type {type(leaf)}"
        )
    return leaf.numpy()
