"""Datasets and files of examples: make_batched_features_dataset, TFRecordWriter."""

from collections.abc import Callable
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._data.dataset import Dataset
from tapefacade._data.files import TFRecordDataset
from tapefacade._data.map import AUTOTUNE
from tapefacade._definition.op import function
from tapefacade._io.parsing import parse_example
from tapefacade._io.records import TFRecordWriter as FileWriter


@function("data.experimental.TFRecordWriter")
class DatasetRecordWriter:
    r"""Writes a dataset of texts to a file of records.

    Args:
        filename: the path of the file.
        compression_type: "GZIP", "ZLIB", or None.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/records"
    >>> dataset = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> tf.data.experimental.TFRecordWriter(path).write(dataset)
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'a', b'b']
    """

    def __init__(self, filename: Any, compression_type: str | None = None) -> None:
        self._path: str = convert(filename, dtypes.string).numpy().decode()
        self._compression = compression_type or ""

    def write(self, dataset: Any) -> None:
        """Writes all elements; a file of the name is replaced.

        Args:
            dataset: a dataset of string scalars.

        Raises:
            TypeError: if it is none.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}."
            )
        spec = dataset.element_spec
        if not TensorSpec([], dtypes.string).is_compatible_with(spec):
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, "
                f"but got a dataset which produces elements {spec}."
            )
        with FileWriter(self._path, self._compression) as file:
            for text in dataset.as_numpy_iterator():
                file.write(text)


DatasetRecordWriter.__name__ = DatasetRecordWriter.__qualname__ = "TFRecordWriter"


@function("data.experimental.parse_example_dataset")
def parse_example_dataset(
    features: Any, num_parallel_calls: int = 1, deterministic: bool | None = None
) -> Callable[[Any], Any]:
    """Reads the features of batches of examples.

    Args:
        features: the descriptions of the features; see `tf.io.parse_example`.
        num_parallel_calls: accepted for TensorFlow's sake.
        deterministic: accepted for TensorFlow's sake.

    Returns:
        A function for `dataset.apply`, of datasets of string vectors.

    Raises:
        ValueError: if there are no features.

    >>> example = tf.train.Example()
    >>> example.features.feature["a"].int64_list.value.append(3)
    >>> dataset = tf.data.Dataset.from_tensors([example.SerializeToString()])
    >>> features = {"a": tf.io.FixedLenFeature([], tf.int64)}
    >>> step = tf.data.experimental.parse_example_dataset(features)
    >>> next(iter(dataset.apply(step)))["a"].numpy()
    array([3])
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def step(dataset: Any) -> Any:
        if not TensorSpec([None], dtypes.string).is_compatible_with(dataset.element_spec):
            raise TypeError(
                "Input dataset should be a dataset of vectors of strings. Instead it is "
                f"`{dataset.element_spec}`."
            )
        return dataset.map(lambda texts: parse_example(texts, features), num_parallel_calls)

    return step


@function("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Reads batches of examples from files.

    Args:
        file_pattern: the paths, or patterns of paths.
        batch_size: how many examples a batch has.
        features: the descriptions of the features; see `tf.io.parse_example`.
        reader: makes a dataset of a path, `tf.data.TFRecordDataset` by default.
        label_key: the feature that is the label, if there is one.
        reader_args: more arguments for `reader`.
        num_epochs: how often everything is read; None for again and again.
        shuffle: whether examples are shuffled.
        shuffle_buffer_size: among how many.
        shuffle_seed: the seed.
        prefetch_buffer_size: how many batches are read ahead.
        reader_num_threads: from how many files examples are taken in turn, one by default.
        parser_num_threads: accepted for TensorFlow's sake.
        sloppy_ordering: accepted for TensorFlow's sake: the order is always the same.
        drop_final_batch: whether a last batch that is not full is left out.

    Returns:
        A dataset of dictionaries of tensors; with `label_key` of pairs of one and the label.

    Raises:
        TypeError: if `reader` is no function.
        ValueError: if `label_key` is no feature.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/examples"
    >>> example = tf.train.Example()
    >>> example.features.feature["a"].int64_list.value.append(3)
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(example.SerializeToString())
    >>> dataset = tf.data.experimental.make_batched_features_dataset(
    ...     path, 1, {"a": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1
    ... )
    >>> [batch["a"].numpy() for batch in dataset]
    [array([3])]
    """
    reader = TFRecordDataset if reader is None else reader
    paths = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    dataset = paths.interleave(
        lambda path: reader(path, *(reader_args or ())),
        cycle_length=1 if reader_num_threads in (None, AUTOTUNE) else reader_num_threads,
        block_length=1,
    )
    if isinstance(dataset.element_spec, tuple):  # a key and the example
        dataset = dataset.map(lambda _, example: example)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features))
    if label_key:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key}) must be one of the `features` keys: "
                f"{features.keys()}."
            )
        dataset = dataset.map(lambda example: (example, example.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
