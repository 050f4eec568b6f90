"""Functions of TensorFlow 1 with code of their own."""

import tempfile
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import fill, zeros
from tapefacade._ops.array.selecting import select_older, where as where_op
from tapefacade._ops.array.shaping import expand_dims, reshape
from tapefacade._ops.linalg.products import matmul
from tapefacade._ops.math.clipping import clip_by_norm
from tapefacade._ops.math.division import floordiv, truediv
from tapefacade._ops.nn.activation import relu
from tapefacade._ops.nn.dropout import dropout as dropout_op
from tapefacade._ops.nn.normalization import _fused_batch_norm_v3, bias_add
from tapefacade._sparse.tensor import SparseTensor, SparseTensorValue
from tapefacade._state.indexed_slices import IndexedSlices

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


def _assigning(name: str) -> None:
    def assign(ref: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(ref, name)(value)

    assign.__name__ = assign.__qualname__ = name
    assign.__doc__ = f"""Calls `ref.{name}(value)`.

    Args:
        ref: a variable.
        value: what converts to a tensor of its dtype.
        *args: ignored.
        **kwargs: ignored.

    Returns:
        The variable.

    >>> tf.compat.v1.{name}(tf.Variable(0.0), 2.0).numpy() != 0.0
    np.True_
    """
    function(f"compat.v1.{name}")(assign)
    globals()[name] = assign


for _name in ("assign", "assign_add", "assign_sub"):
    _assigning(_name)


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
