"""The methods of `tf.data.Dataset` that make one element of several, and those that store them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.convert import convert
from tapefacade._core.shapes import as_shape
from tapefacade._data.base import Base, wrap
from tapefacade._data.batching import (
    Batch,
    RaggedBatch,
    Rebatch,
    SparseBatch,
    Window,
)
from tapefacade._data.grouping import GroupByWindow, Rejection
from tapefacade._data.mapping import workers_of
from tapefacade._data.padding import (
    PaddedBatch,
    padded_shapes_of,
    padding_values_of,
    shapes_up_to,
)
from tapefacade._data.storing import Snapshot, save
from tapefacade._data.structures import integer


class Assembling(Base):
    """Makes datasets of batches, windows and groups."""

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
        made = self._made(Batch(self._node, size, bool(drop_remainder), parallel))
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
        made = self._made(PaddedBatch(node, size, shapes, values, drop))
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
        return self._made(RaggedBatch(self._node, size, bool(drop_remainder), splits))

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
        return self._made(SparseBatch(self._node, integer(batch_size), as_shape(row_shape)))

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
        sizes = convert(batch_size)._numpy().reshape(-1).tolist()
        return self._made(Rebatch(self._node, sizes, bool(drop_remainder)))

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
        return self._made(Window(self._node, size, shift, stride, drop, wrap))

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
        return self._made(GroupByWindow(self._node, key_func, reduce_func, size, wrap))

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
        target = convert(target_dist)._numpy().astype(np.float64)
        initial = None if initial_dist is None else convert(initial_dist)._numpy().astype(float)
        number = None if seed is None else integer(seed)
        return self._made(Rejection(self._node, class_func, target, initial, number))

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
        return self._made(Snapshot(self._node, path, compression))


def _constant(size: Any) -> Callable[..., Any]:
    number = convert(size, dtypes.int64)
    return lambda key: number
