"""`tf.experimental.DynamicRaggedShape`: the shapes of ragged tensors, and what is made of them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dimension import Dimension
from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import invalid, wrong_rank
from tapefacade._core.tensor import Tensor, from_host
from tapefacade._core.tensor_shape import TensorShape, as_shape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._definition.op import function
from tapefacade._extension.extension_type import (
    BatchableExtensionType,
    ExtensionTypeBatchEncoder,
)
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import (
    fill as dense_fill,
    ones as dense_ones,
    zeros as dense_zeros,
)
from tapefacade._ops.array.shapes import shape as dense_shape
from tapefacade._ops.array.shaping import broadcast_to as dense_broadcast_to, reshape
from tapefacade._ops.debugging.values import assert_equal
from tapefacade._ragged.broadcasting import (
    MESSAGE_SIZES,
    Operand,
    broadcast_shapes,
    dense_or_ragged,
    flat_of,
    partitions_of,
)
from tapefacade._ragged.partition import SPLITS_DTYPES, Partition, nested_ragged, of_uniform
from tapefacade._ragged.row_partition import MESSAGE_DTYPE, RowPartition, RowPartitionSpec
from tapefacade._ragged.spec import RaggedTensorSpec
from tapefacade._ragged.tensor import RaggedTensor, scalar, vector

MESSAGE_LAST = "Last row partition does not match inner_shape."


def _times(size: int | None, count: int | None) -> int | None:
    return None if size is None or count is None else size * count


class _ShapeBatchEncoder(ExtensionTypeBatchEncoder):
    """Shapes are batched as tensors of these shapes are."""

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        inner, dtype = spec._static_inner_shape, spec.dtype
        rows = spec._row_partitions
        if not rows and (batch_size is not None or inner.rank == 0):
            return DynamicRaggedShape.Spec([], TensorShape([batch_size]) + inner, dtype)
        first = rows[0].nrows if rows else inner[0]
        head = RowPartitionSpec(batch_size, _times(first, batch_size), first, dtype)
        others = [
            RowPartitionSpec(
                _times(row.nrows, batch_size),
                _times(row.nvals, batch_size),
                row.uniform_row_length,
                dtype,
            )
            for row in rows
        ]
        inner = TensorShape([_times(inner[0], batch_size)]) + inner[1:]
        return DynamicRaggedShape.Spec([head, *others], inner, dtype)

    def unbatch(self, spec: Any) -> Any:
        inner, dtype = spec._static_inner_shape, spec.dtype
        if not spec._row_partitions:
            return DynamicRaggedShape.Spec([], inner[1:], dtype)
        head, *others = spec._row_partitions
        batch_size = None if head.uniform_row_length is None else head.nrows
        rows = []
        for row in others:
            count = None if batch_size is None or row.nrows is None else row.nrows // batch_size
            if row.uniform_row_length is None:
                batch_size = None  # each shape of the batch may have other lengths here
            rows.append(RowPartitionSpec(count, None, row.uniform_row_length, dtype))
        known = batch_size is not None and inner[0] is not None
        inner = TensorShape([inner[0] // batch_size if known else None]) + inner[1:]
        return DynamicRaggedShape.Spec(rows, inner, dtype)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        return ones(value, dtypes.bool)

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        return DynamicRaggedShape.from_tensor(encoded_value, spec.dtype)

    def encoding_specs(self, spec: Any) -> Any:
        shape = spec._static_inner_shape
        rows = spec._row_partitions
        if rows:
            lengths = [row.uniform_row_length for row in rows]
            shape = TensorShape([rows[0].nrows, *lengths]) + shape[1:]
        depth = len(rows) if spec.rank != 0 else -1  # a scalar is batched twice to be ragged
        return RaggedTensorSpec(shape, dtypes.bool, depth, spec.dtype)


def _dtype_of(row_partitions: Any, inner_shape: Any, dtype: Any) -> dtypes.DType:
    """Returns the dtype of a shape: that asked for, or the first that a part of it has."""
    found = [dtype, *[p.dtype for p in row_partitions]]
    if not isinstance(inner_shape, list | tuple):
        found.append(getattr(inner_shape, "dtype", None))
    dtype = next((kind for kind in found if kind is not None), dtypes.int64)
    if dtype not in SPLITS_DTYPES:
        raise ValueError(f"Illegal dtype: {dtype}")
    return dtypes.as_dtype(dtype)


def _partition_count(lengths: list[Any], given: Any) -> int:
    """Returns how many dimensions are partitioned: by default up to the last that is ragged."""
    if given is None:
        given = max([i for i, x in enumerate(lengths) if isinstance(x, tuple)], default=0)
    if not isinstance(given, int):
        raise ValueError("num_row_partitions should be an int or None")
    if given and not lengths:
        raise ValueError("num_row_partitions==0 for a scalar shape")
    if given and given >= len(lengths):
        raise ValueError(
            "num_row_partitions should be less than `len(lengths)` if shape is not scalar."
        )
    return given


@function("experimental.DynamicRaggedShape")
class DynamicRaggedShape(BatchableExtensionType):
    """The shape of a ragged or dense tensor, as `tf.shape` gives it for ragged ones.

    It has the row partitions of the tensor, none if it is dense, and the shape of its flat values.
    `tf.ones`, `tf.zeros`, `tf.fill`, `tf.reshape`, `tf.broadcast_to` and
    `tf.broadcast_dynamic_shape` take such shapes.

    Unlike TensorFlow, shapes are always known: what makes one looks at the values of its parts.

    Args:
        row_partitions: a sequence of `tf.experimental.RowPartition`, the outermost first.
        inner_shape: the shape of the flat values, a vector of integers.
        dtype: int32 or int64, by default that of the parts, or int64.
        validate: whether it is checked that the parts go with each other.
        static_inner_shape: what else is known of the inner shape, a `tf.TensorShape`.

    Raises:
        InvalidArgumentError: if the parts do not go with each other, and `validate` is True.
        TypeError: if `row_partitions` holds something else.
        ValueError: if the parts are of the wrong rank or dtype, or are known to contradict each
            other.

    >>> shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
    >>> shape
    <DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>
    >>> tf.ones(shape)
    <tf.RaggedTensor [[1.0, 1.0], [1.0]]>

    See https://www.tensorflow.org/api_docs/python/tf/experimental/DynamicRaggedShape.
    """

    _row_partitions: tuple[RowPartition, ...]
    _inner_shape: Tensor
    _static_inner_shape: TensorShape
    __batch_encoder__ = _ShapeBatchEncoder()

    def __init__(
        self,
        row_partitions: Any,
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:
        if not isinstance(row_partitions, Iterable):
            raise TypeError(
                f"row_partitions should be a list of row partitions. Instead, got {row_partitions}"
            )
        for x in row_partitions:
            if not isinstance(x, RowPartition):
                raise TypeError(f"row_partitions contains {x} which is not a RowPartition")
        dtype = _dtype_of(row_partitions, inner_shape, dtype)
        inner = convert_to_tensor(inner_shape, dtype_hint=dtype)
        inner = inner if inner.dtype is dtype else cast(inner, dtype)
        if inner.shape.rank != 1:
            raise ValueError(wrong_rank(inner.shape, 1))
        known = TensorShape(inner._numpy_array().tolist())
        if static_inner_shape is not None:
            known = known.merge_with(static_inner_shape)
        self._row_partitions = tuple([p.with_dtype(dtype) for p in row_partitions])
        self._inner_shape = inner
        self._static_inner_shape = known
        for axis, (outer, below) in enumerate(
            zip(self._row_partitions, self._row_partitions[1:], strict=False)
        ):
            text = f"RowPartitions in DynamicRaggedShape do not align between {axis} and {axis + 1}"
            _check_same(outer, below.static_nrows, text, validate)
        if self._row_partitions:
            _check_same(self._row_partitions[-1], known[0], MESSAGE_LAST, validate)

    @classmethod
    def from_lengths(
        cls, lengths: Any, num_row_partitions: int | None = None, dtype: Any = dtypes.int64
    ) -> Any:
        """Makes a shape of the lengths in its dimensions.

        Args:
            lengths: a list of integers, or of tuples of them where rows differ in length.
            num_row_partitions: how many dimensions are partitioned, by default up to the last
                tuple.
            dtype: int32 or int64.

        Returns:
            A shape.

        Raises:
            ValueError: if the lengths contradict each other, or are no such list.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2), 3])
        <DynamicRaggedShape lengths=[2, (1, 2), 3] num_row_partitions=1>
        """
        if not isinstance(lengths, list):
            raise ValueError("lengths should be a list")
        for x in lengths:
            if not all(isinstance(y, int) for y in (x if isinstance(x, tuple) else (x,))):
                raise ValueError(
                    f"element of lengths should be int or tuple of ints: instead {x!r}"
                )
        num_row_partitions = _partition_count(lengths, num_row_partitions)
        if not num_row_partitions:
            return cls([], lengths, dtype=dtype)
        rows, count = [], lengths[0]
        for length in lengths[1 : num_row_partitions + 1]:
            if isinstance(length, int):
                rows.append(RowPartition.from_uniform_row_length(length, nrows=count))
                count *= length
                continue
            if count != len(length):
                raise ValueError("Shape not consistent.")
            rows.append(RowPartition.from_row_lengths(length))
            count = sum(length)
        return cls(rows, [count, *lengths[num_row_partitions + 1 :]], dtype=dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Any, dtype: Any = None) -> Any:
        """Makes a shape of row partitions, all of whose dimensions are partitioned.

        Args:
            row_partitions: a sequence of `tf.experimental.RowPartition`, the outermost first.
            dtype: int32 or int64, by default that of the partitions.

        Returns:
            A shape.

        Raises:
            ValueError: if there are none.

        >>> p = tf.experimental.RowPartition.from_row_lengths([1, 2])
        >>> tf.experimental.DynamicRaggedShape.from_row_partitions([p])
        <DynamicRaggedShape lengths=[2, (1, 2)] num_row_partitions=1>
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, [row_partitions[-1].nvals()], dtype=dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> Any:
        """Returns the shape of a ragged or dense tensor.

        Args:
            t: the tensor.
            dtype: int32 or int64, by default that of the splits, int32 for dense tensors.

        Returns:
            A shape.

        >>> tf.experimental.DynamicRaggedShape.from_tensor([[1, 2]])
        <DynamicRaggedShape lengths=[1, 2] num_row_partitions=0>
        """
        t = dense_or_ragged(t)
        rows = [RowPartition._of(p) for p in partitions_of(t)]
        return cls(rows, dense_shape(flat_of(t)), dtype=dtype)

    # What is known of it.

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The row partitions, the outermost first.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).row_partitions
        (tf.RowPartition(row_splits=[0 2 3]),)
        """
        return self._row_partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of dimensions that are partitioned.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).num_row_partitions
        1
        """
        return len(self._row_partitions)

    @property
    def dtype(self) -> dtypes.DType:
        """The `tf.DType` of the lengths: int32 or int64.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).dtype
        tf.int32
        """
        return self.inner_shape.dtype

    @property
    def inner_shape(self) -> Any:
        """The shape of the flat values, a vector.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).inner_shape.numpy()
        array([3], dtype=int32)
        """
        return self._inner_shape

    @property
    def inner_rank(self) -> int | None:
        """The number of dimensions of the flat values.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).inner_rank
        1
        """
        return self._static_inner_shape.rank

    @property
    def rank(self) -> int | None:
        """The number of dimensions.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).rank
        2
        """
        return self.num_row_partitions + len(self._inner)

    @property
    def _inner(self) -> tuple[int, ...]:
        """The inner shape as integers."""
        known: Any = self._static_inner_shape
        return tuple(known if known.is_fully_defined() else self.inner_shape.numpy().tolist())

    @property
    def _partitions(self) -> list[Partition]:
        """The partitions without their methods, the outermost first."""
        return [row._partition for row in self._row_partitions]

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Returns the lengths in all dimensions.

        Args:
            ragged_lengths: whether dimensions in which rows differ have a tuple of the lengths,
                else None.

        Returns:
            A list of integers, tuples and None.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).static_lengths()
        [2, (2, 1)]
        """
        rows = self._row_partitions
        if not rows:
            return list(self._inner)
        lengths: list[Any] = [rows[0].static_nrows]
        for row in rows:
            own = tuple(row._partition.lengths.tolist()) if ragged_lengths else None
            lengths.append(row.static_uniform_row_length if row.is_uniform() else own)
        return [*lengths, *self._inner[1:]]

    def is_uniform(self, axis: int) -> bool:
        """Tells whether a dimension is known to have one length.

        Args:
            axis: the dimension, counted from the front.

        Raises:
            IndexError: if there is none of that number.
            TypeError: if it is no integer.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).is_uniform(1)
        False
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise IndexError("Negative axis values are not supported")
        if axis >= (rank := self.num_row_partitions + len(self._inner)):
            raise IndexError(f"Expected axis={axis} < rank={rank}")
        rows = self._row_partitions
        return axis == 0 or axis > len(rows) or rows[axis - 1].is_uniform()

    def with_dtype(self, dtype: Any) -> "DynamicRaggedShape":
        """Returns the same shape with lengths of another dtype.

        Args:
            dtype: int32 or int64.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).with_dtype(tf.int64).dtype
        tf.int64
        """
        if dtypes.as_dtype(dtype) is self.dtype:
            return self
        return DynamicRaggedShape(self._row_partitions, self._inner_shape, dtype=dtype)

    def _with_partitions(self, count: int) -> "DynamicRaggedShape":
        """Returns the same shape with another number of partitions.

        Raises:
            ValueError: if a dimension that is no longer partitioned is ragged.
        """
        rows, (first, *others) = list(self._row_partitions), self._inner
        while len(rows) < count:
            length = others.pop(0)
            made = of_uniform(length, first, self.dtype.as_numpy_dtype)
            rows.append(RowPartition._of(made))
            first *= length
        while len(rows) > count:
            last = rows.pop()._partition
            if last.uniform is None:
                raise ValueError("Cannot get an inner shape over a ragged dimension")
            others.insert(0, last.uniform)
            first = last.nrows
        return DynamicRaggedShape(rows, vector(np.array([first, *others]), self.dtype))

    def _with_flat(self, flat_values: Any) -> Any:
        """Returns the tensor of this shape that has these flat values."""
        return nested_ragged(flat_values, self._partitions, RaggedTensor)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._sliced(index)
        if not isinstance(index, int):
            raise TypeError("Argument is not an int or a slice")
        lengths = self.static_lengths(ragged_lengths=False)
        if index < 0:
            index += len(lengths)
        if index >= len(lengths):
            raise IndexError(f"Index is too big: {index}>={len(lengths)}")
        if index < 0:
            raise IndexError(f"Index must be non-negative: {index}")
        if lengths[index] is None:
            raise ValueError(f"Index {index} is not uniform")
        return scalar(lengths[index], self.dtype)

    def _sliced(self, key: slice) -> "DynamicRaggedShape":
        """Returns the shape of some dimensions; only if the first is among them, it is ragged."""
        if key.step not in (None, 1):
            raise IndexError("Cannot stride through a shape")
        rank = self.num_row_partitions + len(self._inner)
        start, stop, _ = slice(key.start or 0, key.stop).indices(rank)
        if stop <= start:
            return DynamicRaggedShape([], [])
        rows = self._row_partitions[: stop - 1]
        inner = self.inner_shape[: stop - len(rows)]
        if len(rows) < self.num_row_partitions:
            inner = [rows[-1].nvals() if rows else self._row_partitions[0].nrows()]
        elif stop == rank:
            inner = self.inner_shape
        found = DynamicRaggedShape(rows, inner)
        if not start:
            return found
        if not all(row.is_uniform() for row in rows):
            raise ValueError("All relevant dimensions must be uniform")
        return DynamicRaggedShape([], found._with_partitions(0).inner_shape[start:])

    def __repr__(self) -> str:
        lengths = ", ".join(str(n) for n in self.static_lengths())
        count = self.num_row_partitions
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={count}>"

    def _refusal(self) -> str:
        return "TypeError: object of type 'DynamicRaggedShape' has no len()\n"

    class Spec:
        """The type of a shape: what is known of it before it is there.

        Args:
            row_partitions: the specs of the row partitions.
            static_inner_shape: what is known of the shape of the flat values.
            dtype: int32 or int64.

        Raises:
            TypeError: if `row_partitions` holds something else.
            ValueError: if the parts contradict each other, or for another dtype.
        """

        def __init__(self, row_partitions: Any, static_inner_shape: Any, dtype: Any) -> None:
            if not isinstance(row_partitions, Iterable):
                raise TypeError("row_partitions should be an Iterable")
            rows, inner = tuple(row_partitions), as_shape(static_inner_shape)
            dtype = dtypes.as_dtype(dtype)
            if not all(isinstance(row, RowPartitionSpec) for row in rows):
                raise TypeError("row_partitions should be an Iterable of RowPartitionSpecs")
            if dtype not in SPLITS_DTYPES:
                raise ValueError(MESSAGE_DTYPE)
            for row in rows:
                if row.dtype is not dtype:
                    raise ValueError(f"dtype of {row!r} is {row.dtype!r}: expected {dtype!r}")
            if rows and inner.rank == 0:
                raise ValueError("If row_partitions are provided, must have inner_rank > 0")
            if rows:
                rows, first = _completed(rows, inner[0], dtype)
                if inner.rank is not None:
                    inner = TensorShape([first]) + inner[1:]
            # TensorFlow's order, in which nests list the tensors.
            self._static_inner_shape = inner
            self._inner_shape = TensorSpec([inner.rank], dtype)
            self._row_partitions = rows

        @classmethod
        def from_value(cls, value: Any) -> Any:
            """Makes the spec of a shape.

            Args:
                value: a shape.
            """
            rows = [RowPartitionSpec.from_value(row) for row in value._row_partitions]
            return DynamicRaggedShape.Spec(rows, value._static_inner_shape, value.dtype)

        @property
        def dtype(self) -> dtypes.DType:
            """The `tf.DType` of the lengths."""
            return self._inner_shape.dtype

        @property
        def inner_rank(self) -> int | None:
            """The number of dimensions of the flat values, or None."""
            rank = self._static_inner_shape.rank
            return self._inner_shape.shape[0] if rank is None else rank

        @property
        def num_row_partitions(self) -> int:
            """The number of dimensions that are partitioned."""
            return len(self._row_partitions)

        @property
        def rank(self) -> int | None:
            """The number of dimensions, or None."""
            inner = self.inner_rank
            return None if inner is None else inner + self.num_row_partitions

        def with_dtype(self, dtype: Any) -> Any:
            """Returns the same spec with lengths of another dtype.

            Args:
                dtype: int32 or int64.
            """
            rows = [row.with_dtype(dtype) for row in self._row_partitions]
            return DynamicRaggedShape.Spec(rows, self._static_inner_shape, dtype)

        def __repr__(self) -> str:
            return (
                f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions!r}, "
                f"static_inner_shape={self._static_inner_shape!r}, dtype={self.dtype!r})"
            )


def _check_same(row: RowPartition, count: int | None, text: str, validate: bool) -> None:
    """Raises if a partition has not as many values as there are rows below."""
    if row.static_nvals not in (None, count):
        raise ValueError(text)
    if validate:
        assert_equal(row.nvals(), scalar(count, row.dtype), message=text)


def _completed(rows: Any, first: int | None, dtype: dtypes.DType) -> tuple[Any, int | None]:
    """Finds the numbers of rows and values that follow from each other.

    Args:
        rows: the specs of the partitions.
        first: the first size of the inner shape, if it is known.
        dtype: that of the splits.

    Returns:
        The specs with these numbers, and the first size of the inner shape.

    Raises:
        ValueError: if they contradict each other.
    """
    counts = [Dimension(rows[0].nrows)]
    for row, below in zip(rows, [*[row.nrows for row in rows[1:]], first], strict=True):
        product = counts[-1] * row.uniform_row_length
        counts.append(product.merge_with(row.nvals).merge_with(below))
    for i in reversed(range(len(rows))):
        if length := rows[i].uniform_row_length:
            counts[i] = counts[i].merge_with(counts[i + 1] // length)
    found = [
        RowPartitionSpec(counts[i].value, counts[i + 1].value, row.uniform_row_length, dtype)
        for i, row in enumerate(rows)
    ]
    return tuple(found), counts[-1].value


# What functions do with such shapes.


@handles(RaggedTensor, "shape")
def shape(input: Any, out_type: Any = None, name: str | None = None) -> DynamicRaggedShape:
    """Returns the lengths in all dimensions."""
    return DynamicRaggedShape.from_tensor(input, dtypes.int32 if out_type is None else out_type)


@handles(DynamicRaggedShape, "ones")
def ones(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Any:
    """Makes a tensor of ones."""
    return shape._with_flat(dense_ones(shape._inner, dtype))


@handles(DynamicRaggedShape, "zeros")
def zeros(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Any:
    """Makes a tensor of zeros."""
    return shape._with_flat(dense_zeros(shape._inner, dtype))


@handles(DynamicRaggedShape, "fill")
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """Makes a tensor that holds one value everywhere."""
    return dims._with_flat(dense_fill(dims._inner, value))


@handles(DynamicRaggedShape, "reshape")
@handles(RaggedTensor, "reshape")
def reshape_ragged(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """Puts the flat values into a shape."""
    flat = flat_of(dense_or_ragged(tensor))
    if isinstance(shape, DynamicRaggedShape):
        return shape._with_flat(reshape(flat, shape._inner))
    return reshape(flat, shape)


@handles(DynamicRaggedShape, "broadcast_to")
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """Repeats a tensor until it has a shape."""
    if not isinstance(shape, DynamicRaggedShape):
        return NotImplemented
    input = dense_or_ragged(input)
    flat, rows, target = flat_of(input), partitions_of(input), shape._partitions
    if rows and target and rows[0].dtype is not shape.dtype:
        raise ValueError("Cannot coerce row_splits.dtype")
    rank, added = shape.num_row_partitions + len(shape._inner), len(flat._type.shape)
    if len(rows) + added > rank:
        raise ValueError("Cannot broadcast to a shape with smaller rank")
    if not rows and not target:
        return dense_broadcast_to(flat, shape._inner)
    partitioned = shape._with_partitions(max(len(target), rank - added if rows else 0))
    target = partitioned._partitions
    operand = Operand(rows, flat._type.shape, rank, len(target))
    if operand.rows not in (1, target[0].nrows):
        raise invalid(f"Cannot broadcast\n{MESSAGE_SIZES}")
    operand.begin(target[0].nrows)
    for level, row in zip(operand.levels, target, strict=True):
        if level.uniform != 1:
            lengths = level.lengths(operand.places).astype(row.splits.dtype)
            assert_equal(from_host(lengths), from_host(row.lengths), message="Cannot broadcast")
        operand.descend(level, row.lengths, level.uniform == 1)
    broadcast = dense_broadcast_to(operand.values(flat), partitioned._inner)
    return shape._with_flat(reshape(broadcast, shape._inner))


@handles(DynamicRaggedShape, "broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> DynamicRaggedShape:
    """Computes the shape of the combination of two tensors."""
    given = [
        x if isinstance(x, DynamicRaggedShape) else DynamicRaggedShape([], x)
        for x in (shape_x, shape_y)
    ]
    ragged = [x.dtype for x in given if x.num_row_partitions]
    if len(set(ragged)) > 1:
        raise ValueError("Dtypes don't match")
    if given[0].dtype is not given[1].dtype:
        wanted = ragged[0] if ragged else dtypes.int64
        given = [x.with_dtype(wanted) for x in given]
    x, y = given
    if not x.rank or not y.rank:
        return y if not x.rank else x
    if not ragged:
        text = "Cannot broadcast\n" if x.rank == y.rank == 1 else ""
        sizes = np.array(_sizes(x._inner, y._inner, text))
        return DynamicRaggedShape([], vector(sizes, x.dtype))
    operands, partitions = broadcast_shapes(
        [(x._partitions, x._inner), (y._partitions, y._inner)], x.dtype.as_numpy_dtype
    )
    inner = _sizes(operands[0].inner, operands[1].inner)
    sizes = np.array([partitions[-1].nvals, *inner])
    return DynamicRaggedShape([RowPartition._of(p) for p in partitions], vector(sizes, x.dtype))


def _sizes(x: tuple[int, ...], y: tuple[int, ...], text: str = "") -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(x, y)
    except ValueError:
        raise invalid(text + MESSAGE_SIZES) from None
