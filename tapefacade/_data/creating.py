"""How datasets are made: the static methods of `tf.data.Dataset`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.convert import convert
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import from_host
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.base import Base, common_options, wrap
from tapefacade._data.batching import Batch
from tapefacade._data.combining import Zip
from tapefacade._data.grouping import Directed
from tapefacade._data.mapping import Map, Renamed
from tapefacade._data.node import Node
from tapefacade._data.numbers import seeds_of
from tapefacade._data.selecting import Shuffle
from tapefacade._data.sources import (
    Counter,
    Elements,
    Generated,
    Random,
    Range,
    Slices,
    Tensors,
    signature_of,
)
from tapefacade._data.storing import Stored
from tapefacade._data.structures import integer, is_structure, leaves, mapped

MESSAGE_ZIP = (
    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
    "objects"
)


class Creating(Base):
    """Makes datasets."""

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Any:
        """Makes a dataset of one element.

        Args:
            tensors: a nest of tensors, or of what makes tensors. Lists are tensors, too.
            name: ignored.

        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        return wrap(Tensors(tensors))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Any:
        """Makes a dataset of the rows of tensors.

        Args:
            tensors: a nest of tensors, or of what makes tensors, with equally many rows. NumPy
                arrays are copied.
            name: ignored.

        Raises:
            ValueError: if the numbers of rows differ, or there are none.

        >>> dataset = tf.data.Dataset.from_tensor_slices(([1, 2], {"a": ["x", "y"]}))
        >>> list(dataset.as_numpy_iterator())
        [(np.int32(1), {'a': b'x'}), (np.int32(2), {'a': b'y'})]
        """
        return wrap(Slices(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of what a Python generator gives.

        An exception of the generator reaches who reads the dataset as it is.

        Args:
            generator: is called for each iteration, and returns something to iterate over.
            output_types: a nest of dtypes; `output_signature` tells more.
            output_shapes: a nest of shapes.
            args: values that `generator` is called with, as tensors.
            output_signature: a nest of `tf.TypeSpec`.
            name: ignored.

        Raises:
            TypeError: if `generator` cannot be called, or the types are missing.

        >>> dataset = tf.data.Dataset.from_generator(
        ...     lambda: range(3), output_signature=tf.TensorSpec([], tf.int32))
        >>> list(dataset.as_numpy_iterator())
        [np.int32(0), np.int32(1), np.int32(2)]
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        signature = signature_of(output_types, output_shapes, output_signature)
        given = tuple([convert(value)._numpy() for value in args or ()])
        return wrap(Generated(generator, given, signature))

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Any:
        """Makes a dataset of numbers at equal distances.

        Args:
            *args: as for Python's `range`: the end, or the start, the end and the step.
            **kwargs: `output_type`, the dtype, int64 by default; `name` is ignored.

        Raises:
            ValueError: if there are no or too many arguments.
            InvalidArgumentError: if the step is 0.

        >>> list(tf.data.Dataset.range(1, 6, 2).as_numpy_iterator())
        [np.int64(1), np.int64(3), np.int64(5)]
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(
                "Invalid `args`. The length of `args` should be between 1 and 3 but was "
                f"{len(args)}."
            )
        numbers = [integer(value) for value in args]
        start, stop, step = {1: (0, *numbers, 1), 2: (*numbers, 1)}.get(len(numbers), numbers)
        return wrap(Range(start, stop, step, dtypes.as_dtype(kwargs.get("output_type", "int64"))))

    @staticmethod
    def random(
        seed: int | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of random integers from 0 to below 2**32, without end.

        Args:
            seed: with it, or a global seed, the numbers are TensorFlow's.
            rerandomize_each_iteration: whether each iteration gives others.
            name: ignored.

        >>> tf.random.set_seed(1)
        >>> list(tf.data.Dataset.random(seed=3).take(2).as_numpy_iterator())
        [np.int64(2313400127), np.int64(3706097062)]
        """
        return wrap(Random(seed, bool(rerandomize_each_iteration)))

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: Any = None) -> Any:
        """Makes a dataset of numbers at equal distances, without end.

        Args:
            start: the first number.
            step: the distance.
            dtype: the dtype.
            name: ignored.

        >>> list(tf.data.Dataset.counter(5, 2).take(3).as_numpy_iterator())
        [np.int64(5), np.int64(7), np.int64(9)]
        """
        kind = dtypes.as_dtype(dtype)
        first = convert(start, kind)._numpy()
        step = convert(step, kind)._numpy()
        return wrap(Counter(first, step))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """Puts datasets side by side; the shortest says how many elements there are.

        Args:
            *args: datasets, or nests of datasets.
            datasets: the older form: one nest of datasets.
            name: ignored.

        Raises:
            TypeError: if there is something else among them.

        >>> dataset = tf.data.Dataset.zip(tf.data.Dataset.range(2), tf.data.Dataset.range(5, 8))
        >>> list(dataset.as_numpy_iterator())
        [(np.int64(0), np.int64(5)), (np.int64(1), np.int64(6))]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        form = datasets
        if len(args) == 1:
            form = args[0]
        elif args:
            form = args
        for item in leaves(form):
            if isinstance(item, list):
                raise TypeError(f"{MESSAGE_ZIP}. Python `list` is not supported and you should use `tuple` instead.")  # fmt: skip
            if not isinstance(item, Base):
                raise TypeError(f"{MESSAGE_ZIP} but encountered object of type {type(item)}.")
        if not is_structure(form):
            return form
        found = leaves(form)
        nodes = [dataset._node for dataset in found]
        return wrap(Zip(nodes, mapped(lambda _: None, form)), common_options(found))

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: Any = None
    ) -> Any:
        """Makes a dataset of the names of files that match patterns.

        Args:
            file_pattern: a pattern, or several; see `tf.io.matching_files`.
            shuffle: whether their order is random, which is the default; else they are sorted.
            seed: of the order.
            name: ignored.

        Raises:
            InvalidArgumentError: if there is no such file.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
        >>> path.touch()
        >>> len(tf.data.Dataset.list_files(str(path.parent / "*.txt")))
        1
        """
        found = FUNCTIONS["io.matching_files"](file_pattern)
        if not len(found):
            given = convert(file_pattern)._numpy()
            joined = ", ".join(np.char.decode(given.reshape(-1).astype(bytes)).tolist())
            raise errors.InvalidArgumentError(
                None, None,
                f"Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                f"{('No files matched pattern: ' + joined).encode()!r}",
            )  # fmt: skip
        node: Node = Slices(found)
        if shuffle is None or shuffle:
            node = Shuffle(node, len(found), seeds_of(seed), True)
        return wrap(node)

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Any],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Any:
        """Makes a dataset of elements of several, chosen at random.

        Args:
            datasets: the datasets.
            weights: how often each is chosen, by default equally often; a vector.
            seed: of the choice.
            stop_on_empty_dataset: whether the first end is the end of all.
            rerandomize_each_iteration: whether each iteration chooses anew.

        Raises:
            ValueError: if there are no datasets, or the number of weights is another.

        >>> ones, twos = (tf.data.Dataset.from_tensors(n).repeat(2) for n in (1, 2))
        >>> mixed = tf.data.Dataset.sample_from_datasets([ones, twos])
        >>> sorted(int(x) for x in mixed)
        [1, 1, 2, 2]
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        chances = np.full(len(datasets), 1.0) if weights is None else np.asarray(weights, float)
        if len(chances) != len(datasets):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={len(chances)}` vs. `len(datasets)={len(datasets)}`."
            )
        with np.errstate(divide="ignore"):
            logits = from_host(np.log(chances / 1.0).astype(np.float32)[None])
        categorical = FUNCTIONS["random.stateless_categorical"]
        words = Batch(Random(seed, bool(rerandomize_each_iteration)), 2, True)
        choices = Map(words, lambda pair: categorical(logits, 1, pair)[0, 0], 0)
        nodes = [dataset._node for dataset in datasets]
        node = nodes[0] if len(nodes) == 1 else Directed(choices, nodes, stop_on_empty_dataset)
        return wrap(node, common_options(datasets))

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Any:
        """Makes a dataset of elements of several, chosen by number.

        Args:
            datasets: the datasets.
            choice_dataset: a dataset of int64 scalars, which say whose element comes next.
            stop_on_empty_dataset: whether the first end is the end of all.

        Raises:
            ValueError: if there are no datasets.
            TypeError: if `choice_dataset` gives something else.

        >>> datasets = [tf.data.Dataset.from_tensors(n) for n in (1, 2)]
        >>> choice = tf.data.Dataset.from_tensor_slices(tf.constant([1, 0], tf.int64))
        >>> list(tf.data.Dataset.choose_from_datasets(datasets, choice).as_numpy_iterator())
        [np.int32(2), np.int32(1)]
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if not isinstance(choice_dataset, Base):
            raise TypeError(f"Invalid `choice_dataset`. Expected a dataset, got {choice_dataset}.")
        spec = choice_dataset._node.spec
        if not TensorSpec([], dtypes.int64).is_compatible_with(spec):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
                f"tensors but are {spec}."
            )
        nodes = [dataset._node for dataset in datasets]
        return wrap(Directed(choice_dataset._node, nodes, stop_on_empty_dataset))

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[..., Any] | None = None,
        wait: bool = False,
    ) -> Any:
        """Reads a dataset that `save` has written.

        Unlike TensorFlow, files that TensorFlow has written cannot be read.

        Args:
            path: the directory.
            element_spec: the specs of the elements; they are known.
            compression: ignored: the files tell.
            reader_func: takes a dataset of datasets, one for each shard, and returns a dataset.
            wait: ignored.

        Raises:
            NotFoundError: if nothing was saved there.

        >>> import tempfile
        >>> path = tempfile.mkdtemp()
        >>> tf.data.Dataset.range(2).save(path)
        >>> list(tf.data.Dataset.load(path).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        stored = wrap(Renamed(Stored(path), "_LoadDataset"))
        if reader_func is None:
            return stored
        return reader_func(wrap(Elements([stored])))
