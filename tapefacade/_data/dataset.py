"""`tf.data.Dataset`."""

import hashlib
from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._data.assembling import Assembling
from tapefacade._data.base import wrap
from tapefacade._data.batching import Held
from tapefacade._data.calling import Calling
from tapefacade._data.creating import Creating
from tapefacade._data.iterators import DatasetSpec, NumpyIterator, OwnedIterator
from tapefacade._data.mapping import Renamed
from tapefacade._data.node import INFINITE, UNKNOWN, close
from tapefacade._data.options import Options
from tapefacade._data.structures import leaves, op_error
from tapefacade._data.transforming import Transforming
from tapefacade._ops.op import function
from tapefacade._trace.recording import THREAD


@function("data.Dataset")
class Dataset(Creating, Calling, Transforming, Assembling):
    """A stream of elements, which are nests of tensors: tuples, dictionaries, named tuples.

    Made by its static methods (`from_tensor_slices`, `from_generator`, ...) and, out of other
    datasets, by its other methods. It only describes what is done: iterating does it, anew each
    time. What is slices of arrays is shuffled, repeated and batched by row numbers, and copied
    once, when a batch is gathered.

    Unlike TensorFlow, the steps are no kernels: Python runs them, on the host.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: 10 * x).batch(2)
    >>> for batch in dataset:
    ...     print(batch.numpy())
    [10 20]
    [30]

    See https://www.tensorflow.org/api_docs/python/tf/data/Dataset.
    """

    def __init__(self, variant_tensor: Any = None) -> None:
        raise TypeError(
            "Can't instantiate abstract class DatasetV2: write tf.data.Dataset.from_tensor_slices, "
            "from_generator, range or the like."
        )

    @staticmethod
    def _empty(element_spec: Any) -> Any:
        return wrap(Held([], element_spec))

    def __iter__(self) -> OwnedIterator:
        """Starts an iteration."""
        return OwnedIterator(self, self._node)

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    def __len__(self) -> int:
        """Returns the number of elements.

        Raises:
            TypeError: if it is not known, or there is no end.
        """
        count = self._node.cardinality()
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __repr__(self) -> str:
        return f"<{self._node.name} element_spec={self.element_spec}>"

    @property
    def element_spec(self) -> Any:
        """A nest of the specs of the elements.

        Unlike in TensorFlow, elements are looked at where only they tell their types: after a
        function whose Python has to run for each element.

        >>> tf.data.Dataset.range(3).batch(2).element_spec
        TensorSpec(shape=(None,), dtype=tf.int64, name=None)
        """
        return self._node.spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def cardinality(self) -> EagerTensor:
        """Returns the number of elements, an int64 scalar.

        It may be `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`.

        >>> int(tf.data.Dataset.range(3).repeat(2).cardinality())
        6
        """
        return from_host(np.array(self._node.cardinality(), np.int64))

    def as_numpy_iterator(self) -> NumpyIterator:
        """Starts an iteration that gives NumPy values.

        The arrays are read-only.

        >>> list(tf.data.Dataset.range(2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """Returns the only element.

        Args:
            name: ignored.

        Raises:
            InvalidArgumentError: if there is none, or another one.

        >>> int(tf.data.Dataset.range(1).get_single_element())
        0
        """
        recording = THREAD.recording
        if recording.frame is not None or recording.enclosing is not None:
            recording.observe("it reads a dataset")
        elements = iter(self._node.elements())
        try:
            found = [element for element, _ in zip(elements, range(2), strict=False)]
        finally:
            close(elements)
        if len(found) != 1:
            count = max(1, len(leaves(self.element_spec)))
            raise op_error(
                f"DatasetToSingleElement_output_types_{count}",
                "Dataset had more than one element." if found else "Dataset was empty.",
            )
        return found[0]

    def options(self) -> Options:
        """Returns the options of this dataset and of what it is made of.

        >>> tf.data.Dataset.range(1).options().deterministic
        """
        return self._merged_options(Options())._freeze()

    def _merged_options(self, options: Options) -> Options:
        return (Options() if self._own_options is None else self._own_options).merge(options)

    def with_options(self, options: Options, name: str | None = None) -> Any:
        """Makes the same dataset with options.

        Args:
            options: are added to those it has.
            name: ignored.

        >>> len(tf.data.Dataset.range(3).with_options(tf.data.Options()))
        3
        """
        made = self._made(Renamed(self._node, "_OptionsDataset"))
        made._own_options = self._merged_options(options)
        return made

    def fingerprint(self) -> EagerTensor:
        """Returns a number that is the same for datasets of the same steps and types.

        >>> tf.data.Dataset.range(3).fingerprint().dtype
        tf.uint64
        """
        text = repr(_described(self._node)).encode()
        digest = hashlib.blake2b(text, digest_size=8).digest()
        return from_host(np.frombuffer(digest, np.uint64).reshape(()))


def _described(node: Any) -> Any:
    return (node.name, str(node.known_spec()), [_described(inner) for inner in node.inputs])
