"""`tf.data.experimental`: older names of methods, as functions for `Dataset.apply`, and others."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import constant
from tapefacade._core.errors import OutOfRangeError
from tapefacade._core.optional import Optional
from tapefacade._core.tensor import EagerTensor
from tapefacade._data.dataset import Dataset, wrap
from tapefacade._data.element_structures import leaves, op_error
from tapefacade._data.group_by import GroupByReducer
from tapefacade._data.node import close
from tapefacade._data.prefetch import ELEMENTS_AHEAD
from tapefacade._data.random_numbers import PROBING_STATE
from tapefacade._data.selection import AssertCardinality
from tapefacade._data.sources import FromList
from tapefacade._definition.op import function, register
from tapefacade._ops.array.copying import zeros_like

Step = Callable[[Any], Any]

register(("data.experimental.Optional",), Optional)


@function("data.experimental.cardinality")
def cardinality(dataset: Any) -> EagerTensor:
    """Returns the number of elements of a dataset; see `tf.data.Dataset.cardinality`.

    Args:
        dataset: the dataset.

    >>> int(tf.data.experimental.cardinality(tf.data.Dataset.range(3)))
    3
    """
    return dataset.cardinality()


@function("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality: Any) -> Step:
    """Makes a step that says how many elements there are, and checks it.

    Args:
        expected_cardinality: the number.

    Returns:
        A function for `Dataset.apply`. Reading raises a `FailedPreconditionError` where the number
        is another.

    >>> dataset = tf.data.Dataset.range(3).filter(lambda x: x > 0)
    >>> len(dataset.apply(tf.data.experimental.assert_cardinality(2)))
    2
    """
    count = int(expected_cardinality)
    return lambda dataset: dataset._dataset_of(AssertCardinality(dataset._node, count))


@function("data.experimental.get_structure")
def get_structure(dataset_or_iterator: Any) -> Any:
    """Returns the specs of the elements of a dataset or an iterator.

    Args:
        dataset_or_iterator: one of these.

    Raises:
        TypeError: if it is something else.

    >>> tf.data.experimental.get_structure(tf.data.Dataset.range(3))
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    if not hasattr(dataset_or_iterator, "element_spec"):
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"tf.data.Iterator object, but got {type(dataset_or_iterator)}."
        )
    return dataset_or_iterator.element_spec


@function("data.experimental.get_single_element")
def get_single_element(dataset: Any) -> Any:
    """Returns the only element of a dataset; see `tf.data.Dataset.get_single_element`.

    Args:
        dataset: the dataset.

    >>> int(tf.data.experimental.get_single_element(tf.data.Dataset.range(1)))
    0
    """
    return dataset.get_single_element()


@function("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator: Any) -> Optional:
    """Returns the next element of an iterator as a `tf.experimental.Optional`.

    Args:
        iterator: made by `iter(dataset)`.

    >>> iterator = iter(tf.data.Dataset.range(0))
    >>> bool(tf.data.experimental.get_next_as_optional(iterator).has_value())
    False
    """
    return iterator.get_next_as_optional()


@function("data.experimental.at")
def at(dataset: Any, index: Any) -> Any:
    """Returns the element at a place.

    Args:
        dataset: the dataset; it is read from the start.
        index: the place.

    Raises:
        OutOfRangeError: if there is none.

    >>> int(tf.data.experimental.at(tf.data.Dataset.range(3), 1))
    1
    """
    place, number = int(index), -1
    elements: Any = iter(())
    with PROBING_STATE.temporarily(on=True):  # what is shuffled is in the same order at each call
        try:
            elements = dataset._node.elements()
            for number, element in enumerate(elements):
                if number == place:
                    return element
        finally:
            close(elements)
    count = max(1, len(leaves(dataset.element_spec)))
    raise op_error(
        f"GetElementAtIndex_output_types_{count}",
        f"Index out of range [0, {number + 1}):{place}",
        OutOfRangeError,
    )


@function("data.experimental.from_list")
def from_list(elements: list[Any], name: str | None = None) -> Any:
    """Makes a dataset of a list of elements.

    Args:
        elements: nests of tensors, all of the same structure.
        name: ignored.

    Raises:
        ValueError: if the list is empty.

    >>> list(tf.data.experimental.from_list([(1, "a"), (2, "b")]).as_numpy_iterator())
    [(np.int32(1), b'a'), (np.int32(2), b'b')]
    """
    return wrap(FromList(elements))


@function("data.experimental.save")
def save(
    dataset: Any,
    path: Any,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> None:
    """Writes all elements of a dataset to a directory; see `tf.data.Dataset.save`.

    Args:
        dataset: the dataset.
        path: the directory.
        compression: "GZIP" or None.
        shard_func: ignored.
        checkpoint_args: must be None.

    >>> import tempfile
    >>> tf.data.experimental.save(tf.data.Dataset.range(2), tempfile.mkdtemp())
    """
    dataset.save(path, compression, shard_func, checkpoint_args)


@function("data.experimental.choose_from_datasets")
def choose_from_datasets(
    datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """Makes a dataset of elements of several; see `tf.data.Dataset.choose_from_datasets`.

    Args:
        datasets: the datasets.
        choice_dataset: a dataset of int64 scalars, which say whose element comes next.
        stop_on_empty_dataset: whether the first end is the end of all.

    >>> datasets = [tf.data.Dataset.range(1), tf.data.Dataset.range(5, 6)]
    >>> choice = tf.data.Dataset.range(2)
    >>> mixed = tf.data.experimental.choose_from_datasets(datasets, choice)
    >>> [int(x) for x in mixed]
    [0, 5]
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@function("data.experimental.Reducer")
class Reducer:
    """How elements are reduced to one, for `group_by_reducer`.

    Args:
        init_func: a function of the key; it returns the first state.
        reduce_func: a function of the state and an element; it returns the next state.
        finalize_func: a function of the last state; it returns the result.

    >>> counter = tf.data.experimental.Reducer(
    ...     lambda key: tf.zeros([], tf.int64), lambda n, _: n + 1, lambda n: n)
    >>> step = tf.data.experimental.group_by_reducer(lambda x: x % 2, counter)
    >>> list(tf.data.Dataset.range(5).apply(step).as_numpy_iterator())
    [np.int64(3), np.int64(2)]
    """

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


@function("data.experimental.group_by_reducer")
def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Step:
    """Makes a step that reduces all elements with the same key.

    Args:
        key_func: a function of an element; it returns an int64 scalar.
        reducer: a `tf.data.experimental.Reducer`.

    Returns:
        A function for `Dataset.apply`.

    >>> largest = tf.data.experimental.Reducer(lambda key: key, tf.maximum, lambda x: x)
    >>> step = tf.data.experimental.group_by_reducer(lambda x: x % 2, largest)
    >>> list(tf.data.Dataset.range(5).apply(step).as_numpy_iterator())
    [np.int64(4), np.int64(3)]
    """
    return lambda dataset: dataset._dataset_of(GroupByReducer(dataset._node, key_func, reducer))


@function("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> Step:
    """Makes a step that adds empty elements, up to a number of elements.

    Args:
        cardinality: the number.
        mask_key: the key under which elements, which are dictionaries, say whether they are none
            of the added ones.

    Returns:
        A function for `Dataset.apply`.

    >>> dataset = tf.data.Dataset.from_tensor_slices({"a": [1]})
    >>> padded = dataset.apply(tf.data.experimental.pad_to_cardinality(2))
    >>> [(int(x["a"]), bool(x["valid"])) for x in padded]
    [(1, True), (0, False)]
    """

    def step(dataset: Any) -> Any:
        def emptied(x: Any) -> Any:
            return {**{key: zeros_like(x[key]) for key in x}, mask_key: constant(False)}

        filled = dataset.take(1).map(emptied).repeat()
        marked = dataset.map(lambda x: {**x, mask_key: constant(True)})
        return marked.concatenate(filled).take(cardinality)

    return step


@function("data.experimental.map_and_batch")
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Step:
    """Makes a step that maps and then batches.

    Args:
        map_func: as for `Dataset.map`.
        batch_size: as for `Dataset.batch`.
        num_parallel_batches: accepted for TensorFlow's sake.
        drop_remainder: as for `Dataset.batch`.
        num_parallel_calls: as for `Dataset.map`.

    Returns:
        A function for `Dataset.apply`.

    >>> step = tf.data.experimental.map_and_batch(lambda x: x + 1, 2)
    >>> list(tf.data.Dataset.range(2).apply(step).as_numpy_iterator())
    [array([1, 2])]
    """
    return lambda d: d.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


@function("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Step:
    """Makes a step that shuffles and then repeats.

    Args:
        buffer_size: as for `Dataset.shuffle`.
        count: as for `Dataset.repeat`.
        seed: as for `Dataset.shuffle`.

    Returns:
        A function for `Dataset.apply`.

    >>> step = tf.data.experimental.shuffle_and_repeat(3, 2)
    >>> len(tf.data.Dataset.range(3).apply(step))
    6
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@function("data.experimental.prefetch_to_device")
def prefetch_to_device(device: Any, buffer_size: Any = None) -> Step:
    """Makes a step that prefetches.

    Unlike TensorFlow, elements are brought to a device by the first program that uses them.

    Args:
        device: ignored.
        buffer_size: how many elements may wait.

    Returns:
        A function for `Dataset.apply`.

    >>> step = tf.data.experimental.prefetch_to_device("/gpu:0")
    >>> len(tf.data.Dataset.range(2).apply(step))
    2
    """
    return lambda dataset: dataset.prefetch(ELEMENTS_AHEAD if buffer_size is None else buffer_size)


@function("data.experimental.copy_to_device")
def copy_to_device(target_device: Any, source_device: str = "/cpu:0") -> Step:
    """Makes a step without effect: the first program that uses an element brings it to a device.

    Args:
        target_device: ignored.
        source_device: ignored.

    Returns:
        A function for `Dataset.apply`.

    >>> len(tf.data.Dataset.range(2).apply(tf.data.experimental.copy_to_device("/gpu:0")))
    2
    """
    return lambda dataset: dataset


@function("data.experimental.dense_to_ragged_batch")
def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = dtypes.int64
) -> Step:
    """Makes the step `Dataset.ragged_batch`.

    Args:
        batch_size: the number of elements in a batch.
        drop_remainder: whether a last batch with fewer elements is left out.
        row_splits_dtype: of the ragged tensors.

    Returns:
        A function for `Dataset.apply`.

    >>> dataset = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
    >>> next(iter(dataset.apply(tf.data.experimental.dense_to_ragged_batch(2))))
    <tf.RaggedTensor [[1], [2, 2]]>
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


@function("data.experimental.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Step:
    """Makes the step `Dataset.sparse_batch`.

    Args:
        batch_size: the number of elements in a batch.
        row_shape: the shape of a row.

    Returns:
        A function for `Dataset.apply`.

    >>> step = tf.data.experimental.dense_to_sparse_batch(2, [2])
    >>> dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).apply(step)
    >>> next(iter(dataset)).shape
    TensorShape([2, 2])
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


@function("data.experimental.parallel_interleave")
def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: int,
    block_length: int = 1,
    sloppy: bool | None = False,
    buffer_output_elements: int | None = None,
    prefetch_input_elements: int | None = None,
) -> Callable[[Any], Any]:
    """Makes a step for `Dataset.apply`: elements of the datasets that a function gives, by turns.

    Args:
        map_func: a function of an element; it returns a dataset.
        cycle_length: how many datasets take turns.
        block_length: how many elements each gives in its turn.
        sloppy: ignored: the order is always kept.
        buffer_output_elements: ignored.
        prefetch_input_elements: ignored.

    Returns:
        A function of a dataset.

    >>> step = tf.data.experimental.parallel_interleave(
    ...     lambda n: tf.data.Dataset.from_tensors(n).repeat(2), cycle_length=2)
    >>> [int(n) for n in tf.data.Dataset.range(1, 3).apply(step)]
    [1, 2, 1, 2]
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


DOCUMENTATION = """Makes a step for `Dataset.apply`: `tf.data.Dataset.{0}`, with the same arguments.

    Returns:
        A function of a dataset.
    """


def _step(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    def step(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        return lambda dataset: method(dataset, *args, **kwargs)

    signature = inspect.signature(method)
    parameters = [p for p in list(signature.parameters.values())[1:] if p.name != "name"]
    step.__signature__ = signature.replace(parameters=parameters)
    step.__doc__ = DOCUMENTATION.format(method.__name__)
    step.__name__ = step.__qualname__ = name
    register((f"data.experimental.{name}",), step)
    return step


bucket_by_sequence_length = _step("bucket_by_sequence_length", Dataset.bucket_by_sequence_length)
enumerate_dataset = _step("enumerate_dataset", Dataset.enumerate)
group_by_window = _step("group_by_window", Dataset.group_by_window)
ignore_errors = _step("ignore_errors", Dataset.ignore_errors)
rejection_resample = _step("rejection_resample", Dataset.rejection_resample)
scan = _step("scan", Dataset.scan)
snapshot = _step("snapshot", Dataset.snapshot)
take_while = _step("take_while", Dataset.take_while)
unbatch = _step("unbatch", Dataset.unbatch)
unique = _step("unique", Dataset.unique)
