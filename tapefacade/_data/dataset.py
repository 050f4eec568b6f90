"""`tf.data.Dataset`: how datasets are made, and their methods."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor, from_host, hinted
from tapefacade._core.tensor_shape import as_shape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.batch import Batch, HeldElements, RaggedBatch, Rebatch, SparseBatch, Windows
from tapefacade._data.cache import Cache
from tapefacade._data.dataset_files import FileCache, Snapshot, StoredDataset, save
from tapefacade._data.element_structures import (
    as_tensors,
    integer,
    is_structure,
    leaves,
    mapped,
    op_error,
)
from tapefacade._data.group_by import (
    GroupByWindow,
    RejectionResample,
    reduced_elements,
)
from tapefacade._data.iterators import (
    DatasetSpec,
    NumpyIterator,
    OwnedIterator,
    with_open_sizes,
)
from tapefacade._data.map import (
    AUTOTUNE,
    Filter,
    FlatMap,
    Interleave,
    Map,
    Scan,
    TakeWhile,
    workers_of,
)
from tapefacade._data.node import INFINITE, UNKNOWN, DatasetNode, RenamedNode, close
from tapefacade._data.options import Options
from tapefacade._data.padded_batch import (
    PaddedBatch,
    padded_shapes_of,
    padding_values_of,
    shapes_up_to,
)
from tapefacade._data.prefetch import Prefetch
from tapefacade._data.random_numbers import seeds_of
from tapefacade._data.selection import (
    IgnoreErrors,
    Repeat,
    Shard,
    Skip,
    Take,
    Unbatch,
    UniqueElements,
)
from tapefacade._data.shuffle import Shuffle
from tapefacade._data.sources import (
    Counter,
    FromGenerator,
    FromList,
    FromTensors,
    FromTensorSlices,
    Random,
    Range,
    signature_of,
)
from tapefacade._data.zip import Concatenate, DirectedInterleave, Enumerate, Zip
from tapefacade._definition.op import function
from tapefacade._io.file_errors import as_path
from tapefacade._io.files import matching_files
from tapefacade._ops.random.stateless import stateless_categorical
from tapefacade._trace.recording import THREAD

MESSAGE_NO_DATASETS = "Invalid `datasets`. `datasets` should not be empty."
MESSAGE_ZIP = (
    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
    "objects"
)


@function("data.Dataset")
class Dataset:
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

    _is_element = True  # a dataset may be a part of an element
    _has_elements = True  # loops over it in functions are compiled
    _node: DatasetNode
    _own_options: Options | None = None

    def __init__(self, variant_tensor: Any = None) -> None:
        raise TypeError(
            "Can't instantiate abstract class DatasetV2: write tf.data.Dataset.from_tensor_slices, "
            "from_generator, range or the like."
        )

    def _dataset_of(self, node: DatasetNode) -> Any:
        """Makes a dataset out of this one."""
        return wrap(node, self._own_options)

    @staticmethod
    def _held(elements: list[Any], element_spec: Any, are_examples: bool = False) -> Any:
        return wrap(HeldElements(elements, element_spec, are_examples))

    # Datasets of data.

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Any:
        """Makes a dataset of one element.

        Args:
            tensors: a nest of tensors, or of what makes tensors. Lists are tensors, too.
            name: ignored.

        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        return wrap(FromTensors(tensors))

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
        if isinstance(tensors, list) and tensors and all(isinstance(x, Dataset) for x in tensors):
            return wrap(FromList(tensors))  # a vector of datasets
        return wrap(FromTensorSlices(tensors))

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

        An exception of the generator is an error of TensorFlow's for who reads the dataset, as that
        of a `tf.py_function`; its text has the lines of the generator.

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
        given = tuple([convert(value)._numpy_array() for value in args or ()])
        return wrap(FromGenerator(generator, given, signature))

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
        first = convert(start, kind)._numpy_array()
        step = convert(step, kind)._numpy_array()
        return wrap(Counter(first, step))

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
        found = matching_files(file_pattern)
        if not len(found):
            given = convert(file_pattern)._numpy_array()
            joined = ", ".join(np.char.decode(given.reshape(-1).astype(bytes)).tolist())
            raise errors.InvalidArgumentError(
                None, None,
                f"Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                f"{('No files matched pattern: ' + joined).encode()!r}",
            )  # fmt: skip
        node: DatasetNode = FromTensorSlices(found)
        if shuffle is None or shuffle:
            node = Shuffle(node, len(found), seeds_of(seed), True)
        return wrap(node)

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
        stored = wrap(RenamedNode(StoredDataset(path), "_LoadDataset"))
        if reader_func is None:
            return stored
        return reader_func(wrap(FromList([stored])))

    # Datasets of several.

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
                raise TypeError(
                    f"{MESSAGE_ZIP}. Python `list` is not supported and you should use "
                    "`tuple` instead."
                )
            if not isinstance(item, Dataset):
                raise TypeError(f"{MESSAGE_ZIP} but encountered object of type {type(item)}.")
        if not is_structure(form):
            return form
        found = leaves(form)
        nodes = [dataset._node for dataset in found]
        return wrap(Zip(nodes, mapped(lambda _: None, form)), common_options(found))

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
            raise ValueError(MESSAGE_NO_DATASETS)
        chances = np.full(len(datasets), 1.0) if weights is None else np.asarray(weights, float)
        if len(chances) != len(datasets):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={len(chances)}` vs. `len(datasets)={len(datasets)}`."
            )
        with np.errstate(divide="ignore"):
            logits = from_host(np.log(chances / 1.0).astype(np.float32)[None])
        words = Batch(Random(seed, bool(rerandomize_each_iteration)), 2, True)
        choices = Map(words, lambda pair: stateless_categorical(logits, 1, pair)[0, 0], 0)
        nodes = [dataset._node for dataset in datasets]
        node = (
            nodes[0]
            if len(nodes) == 1
            else DirectedInterleave(choices, nodes, stop_on_empty_dataset)
        )
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
            raise ValueError(MESSAGE_NO_DATASETS)
        if not isinstance(choice_dataset, Dataset):
            raise TypeError(f"Invalid `choice_dataset`. Expected a dataset, got {choice_dataset}.")
        spec = choice_dataset._node.spec
        if not TensorSpec([], dtypes.int64).is_compatible_with(spec):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
                f"tensors but are {spec}."
            )
        nodes = [dataset._node for dataset in datasets]
        return wrap(DirectedInterleave(choice_dataset._node, nodes, stop_on_empty_dataset))

    def concatenate(self, dataset: Any, name: str | None = None) -> Any:
        """Makes a dataset of the elements of this one, then those of another.

        Args:
            dataset: the other dataset, with elements of the same structure and dtypes.
            name: ignored.

        Raises:
            TypeError: if its elements are of other types.

        >>> one, other = tf.data.Dataset.range(1), tf.data.Dataset.range(5, 6)
        >>> list(one.concatenate(other).as_numpy_iterator())
        [np.int64(0), np.int64(5)]
        """
        node = Concatenate(self._node, dataset._node)
        mine, other = self._node.known_spec(), dataset._node.known_spec()
        if (
            mine is not None
            and other is not None
            and _dtypes_and_form(mine) != _dtypes_and_form(other)
        ):
            raise TypeError(f"Incompatible dataset elements:\n  {mine} vs.   {other}")
        made = self._dataset_of(node)
        made._own_options = common_options([self, dataset])
        return made

    # What a dataset tells, and its elements.

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

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    def __repr__(self) -> str:
        return f"<{self._node.name} element_spec={self.element_spec}>"

    def fingerprint(self) -> EagerTensor:
        """Returns a number that is the same for datasets of the same steps and types.

        >>> tf.data.Dataset.range(3).fingerprint().dtype
        tf.uint64
        """
        text = repr(_node_description(self._node)).encode()
        digest = hashlib.blake2b(text, digest_size=8).digest()
        return from_host(np.frombuffer(digest, np.uint64).reshape(()))

    def __iter__(self) -> OwnedIterator:
        """Starts an iteration."""
        return OwnedIterator(self, self._node)

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
        in_function = recording.frame is not None or recording.enclosing is not None
        if in_function:
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
        return with_open_sizes(found[0], self._node, in_function)

    # Functions of elements.

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
        return self._dataset_of(Map(self._node, map_func, workers_of(num_parallel_calls)))

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
        return self._dataset_of(Filter(self._node, predicate))

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
        return self._dataset_of(TakeWhile(self._node, predicate))

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
        return self._dataset_of(FlatMap(self._node, map_func))

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
        return self._dataset_of(Interleave(self._node, map_func, cycle, block, parallel))

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
        return self._dataset_of(Scan(self._node, as_tensors(initial_state), scan_func))

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
        return reduced_elements(self._node, initial_state, reduce_func)

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """Calls a function with this dataset.

        Args:
            transformation_func: takes a dataset and returns one.

        Raises:
            TypeError: if it returns something else.

        >>> len(tf.data.Dataset.range(5).apply(lambda dataset: dataset.take(2)))
        2
        """
        found = transformation_func(self)
        if not isinstance(found, Dataset):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(found)}."
            )
        return found

    # Which elements, and in what order.

    def take(self, count: Any, name: str | None = None) -> Any:
        """Makes a dataset of the first elements.

        Args:
            count: how many at most; -1 for all.
            name: ignored.

        >>> list(tf.data.Dataset.range(5).take(2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        return self._dataset_of(Take(self._node, integer(count)))

    def skip(self, count: Any, name: str | None = None) -> Any:
        """Makes a dataset of all but the first elements.

        Args:
            count: how many are left out; -1 for all.
            name: ignored.

        >>> list(tf.data.Dataset.range(5).skip(3).as_numpy_iterator())
        [np.int64(3), np.int64(4)]
        """
        return self._dataset_of(Skip(self._node, integer(count)))

    def repeat(self, count: Any = None, name: str | None = None) -> Any:
        """Makes a dataset of the elements several times.

        Args:
            count: how often; None or -1 for without end.
            name: ignored.

        >>> list(tf.data.Dataset.range(2).repeat(2).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        return self._dataset_of(Repeat(self._node, -1 if count is None else integer(count)))

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of the elements in a random order.

        With a seed, or a global seed, the order is TensorFlow's.

        Args:
            buffer_size: among how many elements the next one is chosen;
                `tf.data.UNKNOWN_CARDINALITY` for all.
            seed: an integer.
            reshuffle_each_iteration: whether each iteration has an order of its own.
            name: ignored.

        Raises:
            InvalidArgumentError: if `buffer_size` is not positive.

        >>> tf.random.set_seed(1)
        >>> list(tf.data.Dataset.range(5).shuffle(5, seed=1).as_numpy_iterator())
        [np.int64(0), np.int64(4), np.int64(1), np.int64(3), np.int64(2)]
        """
        renew = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        size = integer(buffer_size)
        return self._dataset_of(Shuffle(self._node, size, seeds_of(seed), renew))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Any:
        """Makes a dataset of each n-th element.

        Args:
            num_shards: the distance of the elements.
            index: which is the first.
            name: ignored.

        Raises:
            InvalidArgumentError: if `index` is not among the shards.

        >>> list(tf.data.Dataset.range(5).shard(2, 1).as_numpy_iterator())
        [np.int64(1), np.int64(3)]
        """
        return self._dataset_of(Shard(self._node, integer(num_shards), integer(index)))

    def unique(self, name: str | None = None) -> Any:
        """Makes a dataset without the elements that came before.

        Args:
            name: ignored.

        Raises:
            TypeError: if there is a dtype that is known, and not int32, int64 or string.

        >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 1])
        >>> list(dataset.unique().as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
        for spec in leaves(self._node.known_spec()):
            dtype = getattr(spec, "dtype", dtypes.int64)
            if dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
                raise TypeError(
                    f"`tf.data.Dataset.unique` does not support type {dtype} -- only `tf.int32`, "
                    "`tf.int64`, and `tf.string` are supported."
                )
        return self._dataset_of(UniqueElements(self._node))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Any:
        """Makes a dataset of pairs: a number and an element.

        Args:
            start: the first number.
            name: ignored.

        >>> list(tf.data.Dataset.range(5, 7).enumerate().as_numpy_iterator())
        [(np.int64(0), np.int64(5)), (np.int64(1), np.int64(6))]
        """
        return self._dataset_of(Enumerate(self._node, integer(start)))

    def unbatch(self, name: str | None = None) -> Any:
        """Makes a dataset of the rows of the elements.

        Args:
            name: ignored.

        Raises:
            ValueError: if the elements have no rows, or different numbers of them.

        >>> dataset = tf.data.Dataset.range(3).batch(2)
        >>> list(dataset.unbatch().as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        return self._dataset_of(Unbatch(self._node))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Any:
        """Makes a dataset without the elements that cannot be made.

        Args:
            log_warning: ignored.
            name: ignored.

        >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
        >>> checked = dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "error"))
        >>> list(checked.ignore_errors().as_numpy_iterator())
        [np.float32(1.0), np.float32(0.5)]
        """
        return self._dataset_of(IgnoreErrors(self._node))

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of elements with their classes, each as frequent as is wanted.

        Unlike TensorFlow, which elements are left out does not follow from TensorFlow's seeds.

        Args:
            class_func: a function of an element; it returns an int32 scalar.
            target_dist: how frequent each class is to be, a vector.
            initial_dist: how frequent it is; found while reading if it is not given.
            seed: an integer.
            name: ignored.

        >>> dataset = tf.data.Dataset.range(100)
        >>> made = dataset.rejection_resample(
        ...     lambda x: tf.cast(x % 2, tf.int32), [0.0, 1.0], [0.5, 0.5])
        >>> {int(kind) for kind, _ in made}
        {1}
        """
        target = convert(target_dist)._numpy_array().astype(np.float64)
        initial = (
            None if initial_dist is None else convert(initial_dist)._numpy_array().astype(float)
        )
        number = None if seed is None else integer(seed)
        return self._dataset_of(RejectionResample(self._node, class_func, target, initial, number))

    # Batches, windows and groups.

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of batches: tensors whose rows are those of several elements.

        Args:
            batch_size: the number of elements in a batch.
            drop_remainder: whether a last batch with fewer elements is left out.
            num_parallel_calls: accepted for TensorFlow's sake.
            deterministic: ignored.
            name: ignored.

        Raises:
            InvalidArgumentError: if `batch_size` is not positive; while it is read, if elements
                have different shapes.

        >>> list(tf.data.Dataset.range(3).batch(2).as_numpy_iterator())
        [array([0, 1]), array([2])]
        """
        parallel, size = bool(workers_of(num_parallel_calls)), integer(batch_size)
        made = self._dataset_of(Batch(self._node, size, bool(drop_remainder), parallel))
        made._batch_size = size  # `tf.keras.utils.split_dataset` asks for it
        return made

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of batches of elements that are filled up to the same shape.

        Args:
            batch_size: the number of elements in a batch.
            padded_shapes: a nest of shapes; a size of None or -1 is that of the longest in the
                batch, which is the default for sizes that are not known.
            padding_values: a nest of scalars, or one for all; 0 or "" by default.
            drop_remainder: whether a last batch with fewer elements is left out.
            name: ignored.

        Raises:
            ValueError: if the shapes do not go with the elements.
            TypeError: if the values are of other dtypes.
            InvalidArgumentError: while it is read, if an element is longer than its shape.

        >>> dataset = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> list(dataset.padded_batch(3).as_numpy_iterator())
        [array([[1, 0, 0],
               [2, 2, 0],
               [3, 3, 3]])]
        """
        node = self._node
        shapes = padded_shapes_of(node, padded_shapes)
        values = padding_values_of(node, padding_values)
        size, drop = integer(batch_size), bool(drop_remainder)
        made = self._dataset_of(PaddedBatch(node, size, shapes, values, drop))
        made._batch_size = size
        return made

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of ragged batches, of elements of different lengths.

        Args:
            batch_size: the number of elements in a batch.
            drop_remainder: whether a last batch with fewer elements is left out.
            row_splits_dtype: of the ragged tensors.
            name: ignored.

        >>> dataset = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
        >>> next(iter(dataset.ragged_batch(2)))
        <tf.RaggedTensor [[1], [2, 2]]>
        """
        splits = dtypes.as_dtype(row_splits_dtype)
        size = integer(batch_size)
        return self._dataset_of(RaggedBatch(self._node, size, bool(drop_remainder), splits))

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Any:
        """Makes a dataset of sparse tensors, each of several elements.

        Args:
            batch_size: the number of elements in a batch.
            row_shape: the shape of a row; a size of None is that of the longest in the batch.
            name: ignored.

        >>> dataset = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
        >>> next(iter(dataset.sparse_batch(2, [3]))).dense_shape.numpy()
        array([2, 3])
        """
        return self._dataset_of(SparseBatch(self._node, integer(batch_size), as_shape(row_shape)))

    def rebatch(self, batch_size: Any, drop_remainder: bool = False, name: Any = None) -> Any:
        """Makes a dataset of batches of another size.

        Args:
            batch_size: the number of rows, or a vector of numbers that take turns.
            drop_remainder: whether a last batch with fewer rows is left out.
            name: ignored.

        >>> dataset = tf.data.Dataset.range(4).batch(3)
        >>> list(dataset.rebatch(2).as_numpy_iterator())
        [array([0, 1]), array([2, 3])]
        """
        sizes = convert(batch_size)._numpy_array().reshape(-1).tolist()
        return self._dataset_of(Rebatch(self._node, sizes, bool(drop_remainder)))

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of windows: datasets of some elements each.

        Args:
            size: the number of elements in a window.
            shift: how far windows are apart, by default `size`.
            stride: how far the elements of a window are apart.
            drop_remainder: whether last windows with fewer elements are left out.
            name: ignored.

        Raises:
            InvalidArgumentError: if a number is not positive.

        >>> windows = tf.data.Dataset.range(4).window(3, shift=1, drop_remainder=True)
        >>> [[int(x) for x in window] for window in windows]
        [[0, 1, 2], [1, 2, 3]]
        """
        size = integer(size)
        shift = size if shift is None else integer(shift)
        stride, drop = integer(stride), bool(drop_remainder)
        return self._dataset_of(Windows(self._node, size, shift, stride, drop, wrap))

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of what a function makes of elements with the same key.

        Args:
            key_func: a function of an element; it returns an int64 scalar.
            reduce_func: a function of a key and a dataset of elements; it returns a dataset.
            window_size: the number of elements in such a dataset.
            window_size_func: a function of the key, instead of `window_size`.
            name: ignored.

        Raises:
            ValueError: if both or none of the last two are given, or keys are no int64 scalars.

        >>> dataset = tf.data.Dataset.range(5)
        >>> made = dataset.group_by_window(lambda x: x % 2, lambda key, window: window.batch(3), 3)
        >>> list(made.as_numpy_iterator())
        [array([0, 2, 4]), array([1, 3])]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified."
            )
        size = window_size_func or _constant(window_size)
        return self._dataset_of(GroupByWindow(self._node, key_func, reduce_func, size, wrap))

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset of batches of elements of similar length.

        Args:
            element_length_func: a function of an element; it returns an int32 scalar.
            bucket_boundaries: the lengths at which the next bucket begins.
            bucket_batch_sizes: the size of the batches of each bucket, one more.
            padded_shapes: as for `padded_batch`.
            padding_values: as for `padded_batch`.
            pad_to_bucket_boundary: whether unknown sizes are filled up to the boundary less one.
            no_padding: whether elements are only batched, since they have the same lengths.
            drop_remainder: whether last batches with fewer elements are left out.
            name: ignored.

        Raises:
            ValueError: if there is not one batch size more than there are boundaries.

        >>> dataset = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> made = dataset.bucket_by_sequence_length(lambda x: tf.size(x), [2], [2, 2])
        >>> [batch.shape for batch in made]
        [TensorShape([2, 3]), TensorShape([1, 1])]
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        boundaries, sizes = np.array(bucket_boundaries, np.int64), list(bucket_batch_sizes)

        def key_of(*element: Any) -> Any:
            length = int(element_length_func(*element))
            return convert(np.searchsorted(boundaries, length, "right"), dtypes.int64)

        def batch_of(key: Any, window: Any) -> Any:
            place = int(key)
            if no_padding:
                return window.batch(sizes[place], drop_remainder)
            shapes = padded_shapes
            if pad_to_bucket_boundary:
                shapes = shapes_up_to(window, shapes, boundaries, place)
            return window.padded_batch(sizes[place], shapes, padding_values, drop_remainder)

        def size_of(key: Any) -> Any:
            return convert(sizes[int(key)], dtypes.int64)

        return self.group_by_window(key_of, batch_of, window_size_func=size_of)

    # When elements are made, and where they are kept.

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Any:
        """Makes a dataset whose elements a thread makes before they are wanted.

        Args:
            buffer_size: how many elements may wait; `tf.data.AUTOTUNE` for a few.
            name: ignored.

        Raises:
            InvalidArgumentError: if `buffer_size` is negative.

        >>> list(tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        size = integer(buffer_size)
        if size < AUTOTUNE:
            raise op_error(
                "PrefetchDataset",
                "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning",
            )
        return self._dataset_of(Prefetch(self._node, size))

    def cache(self, filename: Any = "", name: str | None = None) -> Any:
        """Makes a dataset that keeps its elements when they are first read.

        Args:
            filename: the files to keep them in; by default they are kept in memory.
            name: ignored.

        >>> list(tf.data.Dataset.range(2).cache().as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        path = as_path(filename)
        return self._dataset_of(FileCache(self._node, path) if path else Cache(self._node))

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Writes all elements to a directory, for `tf.data.Dataset.load`.

        Unlike TensorFlow, everything is one file.

        Args:
            path: the directory.
            compression: "GZIP" or None.
            shard_func: ignored.
            checkpoint_args: must be None.

        Raises:
            ValueError: if there is no such compression.

        >>> import tempfile
        >>> tf.data.Dataset.range(2).save(tempfile.mkdtemp())
        """
        save(self._node, path, compression)

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """Makes a dataset that writes its elements to a directory, from which later ones read.

        Args:
            path: the directory.
            compression: "AUTO", "GZIP", "SNAPPY" (which is not compressed) or None.
            reader_func: ignored.
            shard_func: ignored.
            name: ignored.

        >>> import tempfile
        >>> list(tf.data.Dataset.range(2).snapshot(tempfile.mkdtemp()).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        return self._dataset_of(Snapshot(self._node, path, compression))

    # Options.

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
        made = self._dataset_of(RenamedNode(self._node, "_OptionsDataset"))
        made._own_options = self._merged_options(options)
        return made


# Classes of datasets, by TensorFlow's names: nothing but names.
_DATASET_CLASSES: dict[str, Any] = {}


def wrap(node: DatasetNode, options: Options | None = None) -> Any:
    """Makes a dataset of a node."""
    kind = _DATASET_CLASSES.get(node.name)
    if kind is None:
        kind = _DATASET_CLASSES[node.name] = type(
            node.name, (Dataset,), {"__doc__": Dataset.__doc__}
        )
    made = kind.__new__(kind)
    made._node = node
    made._own_options = options
    return made


def common_options(datasets: Sequence[Any]) -> Options | None:
    """Returns the options of a dataset that is made of several."""
    found: Options | None = None
    for dataset in datasets:
        options = dataset._own_options
        if options is not None:
            found = options if found is None else found.merge(options)
    return found


def _constant(size: Any) -> Callable[..., Any]:
    number = convert(size, dtypes.int64)
    return lambda key: number


def _node_description(node: Any) -> Any:
    return (node.name, str(node.known_spec()), [_node_description(inner) for inner in node.inputs])


def _require_callable(function: Any) -> None:
    if not callable(function):
        raise hinted(
            ValueError(
                f"Argument `func` must be a callable. Received func={function} (of type "
                f"{type(function)})"
            ),
            "Give a function of the elements.",
        )


def _dtypes_and_form(spec: Any) -> list[Any]:
    return [getattr(leaf, "dtype", type(leaf)) for leaf in leaves(spec)] + [_form(spec)]


def _form(spec: Any) -> Any:
    if isinstance(spec, dict):
        return {key: _form(spec[key]) for key in spec}
    return [_form(part) for part in spec] if isinstance(spec, tuple) else None


DatasetSpec._value_type = Dataset
