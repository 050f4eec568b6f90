"""Functions of TensorFlow 1 with code of their own."""

import functools
import re
import tempfile
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.error_texts import MESSAGE_BOTH, shape_text
from tapefacade._core.random_seeds import GLOBAL, LARGEST_SEED
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import fill, zeros
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.padding import (
    batch_to_space as batch_to_space_op,
    space_to_batch as space_to_batch_op,
)
from tapefacade._ops.array.selecting import select_older, where as where_op
from tapefacade._ops.array.shaping import broadcast_to, expand_dims, reshape
from tapefacade._ops.image.boxes import draw_bounding_boxes as draw_bounding_boxes_op
from tapefacade._ops.linalg.products import matmul
from tapefacade._ops.math.clipping import clip_by_norm
from tapefacade._ops.math.division import floordiv, truediv
from tapefacade._ops.nn.activation import relu
from tapefacade._ops.nn.dropout import dropout as dropout_op
from tapefacade._ops.nn.normalization import _fused_batch_norm_v3, bias_add
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._sparse.dense_conversion import to_dense
from tapefacade._sparse.tensor import SparseTensor, SparseTensorValue
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._strings.arguments import failed, text_array, texts
from tapefacade._strings.splitting import split as split_op
from tapefacade._trace.open_sizes import with_unknown_axes

_TEMPORARY: list[str] = []  # the directory of tests, once somebody has asked for it


def _cast(name: str, dtype: dtypes.DType) -> None:
    def to_dtype(x: Any, name: str | None = None) -> Any:
        return cast(x, dtype)

    to_dtype.__name__ = to_dtype.__qualname__ = name
    to_dtype.__doc__ = f"""Converts a tensor to {dtype.name}: `tf.cast` does so.

    Args:
        x: a tensor.
        name: ignored.

    Returns:
        A tensor of that dtype.

    >>> tf.compat.v1.{name}(1.0).dtype == tf.{dtype.name}
    True
    """
    function(f"compat.v1.{name}")(to_dtype)
    globals()[name] = to_dtype


for _name, _dtype in {
    "to_float": dtypes.float32, "to_double": dtypes.float64, "to_int32": dtypes.int32,
    "to_int64": dtypes.int64, "to_bfloat16": dtypes.bfloat16, "to_complex64": dtypes.complex64,
    "to_complex128": dtypes.complex128,
}.items():  # fmt: skip
    _cast(_name, _dtype)


@function("compat.v1.div")
def div(x: Any, y: Any, name: str | None = None) -> Any:
    """Divides as Python 2 did: integers to the integer below.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.
        name: ignored.

    Returns:
        A tensor of the common shape and dtype.

    >>> tf.compat.v1.div(7, 2).numpy(), tf.compat.v1.div(7.0, 2.0).numpy()
    (np.int32(3), np.float32(3.5))
    """
    x = x if hasattr(x, "_type") else convert(x)
    whole = x.dtype.is_integer
    return (floordiv if whole else truediv)(x, y)


@function("compat.v1.where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Takes elements of `x` where a condition holds and of `y` elsewhere, or says where it holds.

    A vector chooses among the rows of `x` and `y`; else the shapes are the same, unlike in
    `tf.where`.

    Args:
        condition: a boolean tensor of the shape of `x`; a scalar, or a vector which chooses rows.
        x: a tensor.
        y: a tensor of the same shape and dtype.
        name: ignored.

    Returns:
        A tensor of that shape; without `x` and `y` the positions, int64 `[count, rank]`.

    Raises:
        ValueError: if only one of `x` and `y` is given.
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy()
    array([[1, 2],
           [7, 8]], dtype=int32)
    """
    both = x is not None and y is not None
    return select_older(condition, x, y) if both else where_op(condition, x, y)


@function("compat.v1.nn.xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Computes `x @ weights + biases`.

    Args:
        x: a matrix `[batch, inputs]`.
        weights: a matrix `[inputs, outputs]`.
        biases: a vector `[outputs]`.
        name: ignored.

    Returns:
        A matrix `[batch, outputs]`.

    >>> tf.compat.v1.nn.xw_plus_b([[1.0]], [[2.0]], [3.0]).numpy()
    array([[5.]], dtype=float32)
    """
    return bias_add(matmul(x, weights), biases)


@function("compat.v1.nn.relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """Computes `relu(x @ weights + biases)`.

    Args:
        x: a matrix `[batch, inputs]`.
        weights: a matrix `[inputs, outputs]`.
        biases: a vector `[outputs]`.
        name: ignored.

    Returns:
        A matrix `[batch, outputs]`.

    >>> tf.compat.v1.nn.relu_layer([[1.0]], [[2.0]], [-3.0]).numpy()
    array([[0.]], dtype=float32)
    """
    return relu(xw_plus_b(x, weights, biases))


@function("compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Any, Any, Any]:
    """Normalizes each channel with the mean and the variance of the batch, or with given ones.

    Args:
        x: a float32, float16 or bfloat16 tensor of rank 4.
        scale: a float32 vector with a number for each channel.
        offset: likewise.
        mean: likewise; None if only the batch counts.
        variance: likewise.
        epsilon: what is added to the variance.
        data_format: "NHWC" or "NCHW".
        is_training: whether the batch is normalized with its own statistics.
        name: ignored.
        exponential_avg_factor: the weight of the batch in the mean and variance that are returned.

    Returns:
        The normalized tensor, the mean, and the variance (with Bessel's correction in training).

    Raises:
        ValueError: if `mean` or `variance` is needed and None.

    >>> x = tf.constant([1.0, 3.0], shape=[2, 1, 1, 1])
    >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, [1.0], [0.0])
    >>> mean.numpy(), variance.numpy()
    (array([2.], dtype=float32), array([2.], dtype=float32))
    """
    if (mean is None or variance is None) and (not is_training or exponential_avg_factor != 1.0):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            f"`exponential_avg_factor` != 1.0. Received: `mean` {mean!r} and `variance` "
            f"{variance!r}"
        )
    nothing = zeros([0])
    mean = nothing if mean is None else mean
    variance = nothing if variance is None else variance
    found: Any = _fused_batch_norm_v3(
        x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training
    )
    return found[:3]


@function("compat.v1.nn.dropout")
def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: Any = None,
) -> Any:
    """Sets elements to zero at random; the argument is the share that is kept.

    Args:
        x: a floating tensor.
        keep_prob: the probability to keep an element.
        noise_shape: the shape of the draws, which are broadcast to that of `x`.
        seed: an integer.
        name: ignored.
        rate: the probability to drop an element, instead of `keep_prob`.

    Returns:
        A tensor of the shape of `x`, whose elements are scaled up.

    Raises:
        ValueError: if neither probability is given, or both.

    >>> tf.compat.v1.nn.dropout(tf.ones([2]), keep_prob=1.0).numpy()
    array([1., 1.], dtype=float32)
    """
    if keep_prob is not None:
        if rate is not None:
            raise ValueError("Cannot specify both 'rate' and 'keep_prob'.")
        rate = 1 - keep_prob
    if rate is None:
        raise ValueError("`rate` must be a scalar tensor or a float.")
    return dropout_op(x, rate, noise_shape=noise_shape, seed=seed)


@function("compat.v1.clip_by_average_norm")
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Scales a tensor so that its norm, divided by the number of elements, is at most a limit.

    Args:
        t: a floating tensor.
        clip_norm: the limit, a scalar.
        name: ignored.

    Returns:
        A tensor of the shape and dtype of `t`.

    >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 1.0).numpy()
    array([1.2, 1.6], dtype=float32)
    """
    given = convert(t)
    return clip_by_norm(given, clip_norm * float(given._type.size))


@function("compat.v1.assign")
def assign(
    ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: Any = None
) -> Any:
    """Calls `ref.assign(value)`.

    Args:
        ref: a variable.
        value: what converts to a tensor of its dtype.
        validate_shape: ignored.
        use_locking: ignored.
        name: ignored.

    Returns:
        The variable.

    >>> tf.compat.v1.assign(tf.Variable(1.0), 2.0).numpy()
    np.float32(2.0)
    """
    return ref.assign(value)


@function("compat.v1.assign_add")
def assign_add(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """Calls `ref.assign_add(value)`.

    Args:
        ref: a variable.
        value: what converts to a tensor of its dtype.
        use_locking: ignored.
        name: ignored.

    Returns:
        The variable.

    >>> tf.compat.v1.assign_add(tf.Variable(1.0), 2.0).numpy()
    np.float32(3.0)
    """
    return ref.assign_add(value)


@function("compat.v1.assign_sub")
def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """Calls `ref.assign_sub(value)`.

    Args:
        ref: a variable.
        value: what converts to a tensor of its dtype.
        use_locking: ignored.
        name: ignored.

    Returns:
        The variable.

    >>> tf.compat.v1.assign_sub(tf.Variable(1.0), 2.0).numpy()
    np.float32(-1.0)
    """
    return ref.assign_sub(value)


def _scattering(name: str, takes_paths: bool) -> None:
    def scatter(
        ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        places, updates = convert(indices), convert(updates, ref.dtype)
        if takes_paths:
            return getattr(ref, method)(places, updates)
        rest = list(ref.shape[1:])
        if updates.shape.rank == 0:  # one value for all
            updates = fill([*places.shape, *rest], updates)
        places, updates = reshape(places, [-1]), reshape(updates, [-1, *rest])
        if method in ("scatter_mul", "scatter_div"):
            return getattr(ref, method)(IndexedSlices(updates, places))
        return getattr(ref, method.replace("_", "_nd_", 1))(expand_dims(places, -1), updates)

    method = name
    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = f"""Changes parts of a variable: `variable.{name}` does so.

    Args:
        ref: a variable.
        indices: {"places" if takes_paths else "numbers of rows"}.
        updates: what converts to a tensor of the variable's dtype, a part for each of `indices`.
        use_locking: ignored.
        name: ignored.

    Returns:
        The variable.

    >>> v = tf.Variable([1.0, 2.0])
    >>> _ = tf.compat.v1.{name}(v, {"[[1]]" if takes_paths else "[1]"}, [4.0])
    >>> v.numpy()[0]
    np.float32(1.0)
    """
    function(f"compat.v1.{name}")(scatter)
    globals()[name] = scatter


for _name in ("update", "add", "sub", "max", "min", "mul", "div"):
    _scattering(f"scatter_{_name}", takes_paths=False)
for _name in ("update", "add", "sub"):
    _scattering(f"scatter_nd_{_name}", takes_paths=True)


@function("compat.v1.convert_to_tensor_or_sparse_tensor")
def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Converts a value to a tensor, unless it is a sparse one.

    Args:
        value: a sparse tensor, or what `tf.convert_to_tensor` takes.
        dtype: the dtype of the result, by default that of the value.
        name: ignored.

    Returns:
        A tensor or a sparse tensor.

    Raises:
        RuntimeError: if a sparse tensor has another dtype.

    >>> tf.compat.v1.convert_to_tensor_or_sparse_tensor([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert(value, dtype)
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {dtype.name},  Actual: {value.dtype.name}"
        )
    return value


@function("compat.v1.test.get_temp_dir")
def get_temp_dir() -> str:
    """Returns a directory for the files of tests, always the same one; it stays.

    >>> tf.compat.v1.test.get_temp_dir() == tf.compat.v1.test.get_temp_dir()
    True
    """
    if not _TEMPORARY:
        _TEMPORARY.append(tempfile.mkdtemp())
    return _TEMPORARY[0]


@function("compat.v1.batch_to_space")
def batch_to_space(
    input: Any, crops: Any, block_size: Any, name: str | None = None, block_shape: Any = None
) -> Any:
    """Moves squares of images out of the batch: `tf.batch_to_space` does so.

    Args:
        input: a tensor `[batch, height, width, channels]`.
        crops: integers `[2, 2]`, how much is cut off.
        block_size: the side of the squares.
        name: ignored.
        block_shape: another name of `block_size`.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if both names are given.

    >>> tf.compat.v1.batch_to_space(tf.zeros([4, 2, 2, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([1, 4, 4, 1])
    """
    side = _side(block_size, block_shape)
    return batch_to_space_op(input, [side, side], crops)


@function("compat.v1.space_to_batch", "compat.v1.nn.space_to_batch")
def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: Any = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Any:
    """Moves squares of images into the batch: `tf.space_to_batch` does so.

    Args:
        input: a tensor `[batch, height, width, channels]`.
        paddings: integers `[2, 2]`, how much is added.
        block_size: the side of the squares.
        name: ignored.
        block_shape: another name of `block_size`.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if both names are given.

    >>> tf.compat.v1.space_to_batch(tf.zeros([1, 4, 4, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([4, 2, 2, 1])
    """
    side = _side(block_size, block_shape)
    return space_to_batch_op(input, [side, side], paddings)


def _side(block_size: Any, block_shape: Any) -> Any:
    """Returns the one of two arguments that is given."""
    if block_size is not None and block_shape is not None:
        raise ValueError(MESSAGE_BOTH.format("block_size", "block_shape"))
    return block_size if block_shape is None else block_shape


@function("compat.v1.image.draw_bounding_boxes")
def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Any:
    """Draws boxes into images: `tf.image.draw_bounding_boxes` does so.

    Args:
        images: a float tensor `[batch, height, width, channels]`.
        boxes: `[batch, boxes, 4]`, as in that function.
        name: ignored.
        colors: `[colors, channels]`; None for a list of ten.

    Returns:
        A tensor of the shape of `images`.

    >>> drawn = tf.compat.v1.image.draw_bounding_boxes(tf.zeros([1, 2, 2, 3]), [[[0, 0, 1, 1.0]]])
    >>> drawn[0, 0, 0].numpy()
    array([1., 1., 0.], dtype=float32)
    """
    return draw_bounding_boxes_op(images, boxes, colors)


class ListDiff(NamedTuple):
    """The result of `tf.compat.v1.setdiff1d`."""

    out: EagerTensor
    idx: EagerTensor


@function("compat.v1.setdiff1d", on_values=True)
def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> ListDiff:
    """Leaves the elements of `x` that are not in `y`, in their order.

    Args:
        x: a vector.
        y: a vector of the same dtype.
        index_dtype: the dtype of the places, int32 or int64.
        name: ignored.

    Returns:
        A named tuple: `out`, the elements, and `idx`, their places in `x`.

    Raises:
        InvalidArgumentError: if one is no vector.

    >>> tf.compat.v1.setdiff1d([1, 2, 3, 4], [2, 4]).idx.numpy()
    array([0, 2], dtype=int32)
    """
    given = convert(x)
    others = convert(y, given.dtype)
    for name_of, tensor in (("x", given), ("y", others)):
        if tensor.ndim != 1:
            raise failed("ListDiff", f"{name_of} should be a 1D vector.")
    missing = ~np.isin(given._numpy_array(), others._numpy_array())
    places = np.flatnonzero(missing)
    out = gather(given, places)
    idx = from_host(places.astype(dtypes.as_dtype(index_dtype).as_numpy_dtype))
    return ListDiff(with_unknown_axes(out, 0), with_unknown_axes(idx, 0))


@function("compat.v1.strings.split")
def strings_split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Splits texts at a separator: `tf.strings.split` does so.

    Args:
        input: texts of any shape.
        sep: the separator; None for white space.
        maxsplit: at how many places at most; -1 for all.
        result_type: "SparseTensor" or "RaggedTensor".
        source: the older name of `input`.
        name: ignored.

    Returns:
        A sparse or a ragged tensor with one more axis; a scalar is taken for a vector of one.

    Raises:
        ValueError: if `result_type` is another, or both names of `input` are given.

    >>> tf.compat.v1.strings.split(["a b", "c"], result_type="RaggedTensor")
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    if input is not None and source is not None:
        raise ValueError(MESSAGE_BOTH.format("source", "input"))
    given = source if input is None else input
    given = given if isinstance(given, RaggedTensor) else convert(given, dtypes.string)
    if given.shape.rank == 0:
        given = expand_dims(given, 0)
    ragged = split_op(given, sep, maxsplit)
    return _as_older_result(ragged, result_type)


@function("compat.v1.string_split", on_values=True)
def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Splits texts at each of some letters.

    Args:
        source: a vector of texts.
        sep: the letters, a space by default; an empty text splits after each byte.
        skip_empty: whether empty parts are left out.
        delimiter: the older name of `sep`.
        result_type: "SparseTensor" or "RaggedTensor".
        name: ignored.

    Returns:
        A sparse or a ragged tensor of rank 2.

    Raises:
        ValueError: if `result_type` is another, or both names of `sep` are given.
        InvalidArgumentError: if `source` is no vector.

    >>> tf.compat.v1.string_split(["a-b.c"], "-.", result_type="RaggedTensor")
    <tf.RaggedTensor [[b'a', b'b', b'c']]>
    """
    if sep is not None and delimiter is not None:
        raise ValueError(MESSAGE_BOTH.format("delimiter", "sep"))
    letters = next((given for given in (sep, delimiter) if given is not None), " ")
    letters = bytes(texts(letters, "StringSplit", 1)[()])
    array = texts(source, "StringSplit")
    if array.ndim != 1:
        shape = shape_text(array.shape)
        raise failed("StringSplit", f"input must be a vector, got shape: {shape}")
    at = re.compile(b"[" + re.escape(letters) + b"]") if letters else None
    rows = [at.split(text) if at else [text[n : n + 1] for n in range(len(text))] for text in array]
    rows = [[part for part in row if part or not skip_empty] for row in rows]
    flat = text_array([part for row in rows for part in row], (sum(map(len, rows)),))
    ragged = RaggedTensor.from_row_lengths(flat, np.array([len(row) for row in rows], np.int64))
    return _as_older_result(ragged, result_type)


def _as_older_result(ragged: RaggedTensor, result_type: str) -> Any:
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    return ragged if result_type == "RaggedTensor" else ragged.to_sparse()


@function("compat.v1.sparse_to_dense")
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Puts values in their places: `tf.sparse.to_dense` of a sparse tensor does so.

    Args:
        sparse_indices: the places, integers `[count, rank]`; of a vector also `[count]`, and a
            scalar of a single one.
        output_shape: the shape of the result.
        sparse_values: the values `[count]`, or one for all.
        default_value: what is in all other places.
        validate_indices: whether the places must be in order, each once.
        name: ignored.

    Returns:
        A tensor of the dtype of the values.

    Raises:
        InvalidArgumentError: if places are out of order or bounds.

    >>> tf.compat.v1.sparse_to_dense([1, 2], [4], 7).numpy()
    array([0, 7, 7, 0], dtype=int32)
    """
    places, values = cast(sparse_indices, dtypes.int64), convert(sparse_values)
    if places.ndim < 2:
        places = reshape(places, [-1, 1])
    values = broadcast_to(values, [places.shape[0]])
    sparse = SparseTensor(places, values, cast(output_shape, dtypes.int64))
    return to_dense(sparse, cast(default_value, values.dtype), validate_indices)


@function("compat.v1.convert_to_tensor_or_indexed_slices")
def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Converts a value to a tensor, unless it is a `tf.IndexedSlices`.

    Args:
        value: a tensor, slices, or what `tf.convert_to_tensor` takes.
        dtype: the dtype of the result, by default that of the value.
        name: ignored.

    Returns:
        A tensor or slices.

    Raises:
        ValueError: if slices or a tensor have another dtype.

    >>> tf.compat.v1.convert_to_tensor_or_indexed_slices([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    if not isinstance(value, IndexedSlices):
        return convert_to_tensor(value, dtype)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype `{dtypes.as_dtype(dtype).name}` for Tensor with "
            f"dtype `{value.dtype.name}`: {value!r}"
        )
    return value


@function("compat.v1.get_seed", "compat.v1.random.get_seed")
def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """Returns the two seeds that an op draws with, outside of functions.

    Args:
        op_seed: the op's own seed, or None.

    Returns:
        The global seed and the op's; of these what is not given is a fixed number, and one that is
        drawn with the global seed. None and None if there is neither.

    >>> tf.random.set_seed(5)
    >>> tf.compat.v1.get_seed(3)
    (5, 3)
    """
    seeds = GLOBAL.seeds
    if seeds.seed is None and op_seed is None:
        return None, None
    own = seeds.fresh.randint(0, LARGEST_SEED) if op_seed is None else op_seed
    pair = seeds.key, own % LARGEST_SEED
    return (0, LARGEST_SEED) if pair == (0, 0) else pair


@function("compat.v1.errors.exception_type_from_error_code")
def exception_type_from_error_code(error_code: int) -> type[errors.OpError]:
    """Returns the class of the errors with a number.

    Args:
        error_code: the number, such as `tf.errors.NOT_FOUND`.

    Raises:
        KeyError: if there is none.

    >>> tf.compat.v1.errors.exception_type_from_error_code(5)
    <class 'tapefacade.errors.NotFoundError'>
    """
    return _classes_of_errors()[error_code]


@function("compat.v1.errors.error_code_from_exception_type")
def error_code_from_exception_type(cls: type[BaseException]) -> int:
    """Returns the number of the errors of a class.

    Args:
        cls: the class, such as `tf.errors.NotFoundError`.

    Raises:
        KeyError: if it has none.

    >>> tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)
    5
    """
    codes: dict[Any, int] = {kind: code for code, kind in _classes_of_errors().items()}
    return codes[cls]


@functools.cache
def _classes_of_errors() -> dict[int, type[errors.OpError]]:
    return {kind._code: kind for kind in errors._CodedError.__subclasses__()}
