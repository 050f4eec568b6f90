"""Tensors made of nothing: `zeros`, `fill`, `eye`, `range`, `linspace`, `one_hot`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor, is_tensor
from tapefacade._core.error_texts import (
    falling_range,
    inconvertible_argument,
    invalid,
    kernel_suffix,
    negative_dimension,
    refused_type,
    shape_text,
)
from tapefacade._core.errors import InvalidArgumentError
from tapefacade._core.string_arrays import text_tensor
from tapefacade._core.tensor import from_host
from tapefacade._core.tensor_type import MAX_HOST_ELEMENTS, type_of
from tapefacade._core.traced_errors import mark_as_of_types
from tapefacade._definition.argument_checks import as_integer, as_sizes, numpy_type
from tapefacade._definition.op import FreeTensor, NotDifferentiable, TensorLike, function, op
from tapefacade._definition.parameters import frozen_value
from tapefacade._ops.array.copying import stop_gradient
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shapes import broadcast_dynamic_shape, shape as shape_op
from tapefacade._ops.array.shaping import broadcast_to
from tapefacade._trace.open_sizes import ACCOUNTS, noted

ONE_HOT_INDICES = ("uint8", "int8", "int32", "int64")


def _filled_shape(shape: Any, attribute: str | None = None) -> tuple[int, ...]:
    """Returns the sizes that `fill` is asked for."""
    if isinstance(shape, tuple) and any(isinstance(size, tuple) for size in shape):
        raise invalid(f"dims must represent a vector, got shape {shape_text(np.shape(shape))}")
    sizes = as_sizes(shape, attribute)
    for size in sizes:
        if size < 0:
            raise invalid(negative_dimension(size))
    return tuple([int(size) if isinstance(size, int) else size for size in sizes])


@op("_full", kernel="Fill", gradient=NotDifferentiable(), moves=True)
def _full(sizes: Any, value: int, dtype: Any) -> jax.Array:
    """Makes a tensor of zeros or ones."""
    sizes = _filled_shape(sizes)
    known = dtypes.as_dtype(dtype)
    if known is dtypes.string:
        raise inconvertible_argument(value, "string")
    return jnp.full(sizes, value, known.as_numpy_dtype)


def _constant(shape: Any, value: int, dtype: dtypes.DType) -> Any:
    """Makes zeros or ones: those that may be part of shape arithmetic on the host."""
    if dtype.is_integer or dtype.is_bool:
        sizes = _filled_shape(frozen_value(shape))
        if np.prod(sizes, dtype=np.int64) <= MAX_HOST_ELEMENTS:
            return from_host(np.full(sizes, value, dtype.as_numpy_dtype))
    if dtype is dtypes.string and not value:
        return text_tensor(np.full(_filled_shape(frozen_value(shape)), b"", object))
    return _full(shape, value, dtype)


@function("zeros", dispatch=True)
def zeros(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Any:
    """Makes a tensor of zeros (or of False).

    Args:
        shape: the shape.
        dtype: the dtype.
        name: ignored.
        layout: ignored.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: if a size is negative.

    >>> tf.zeros([2]).numpy()
    array([0., 0.], dtype=float32)
    """
    return _constant(shape, 0, dtypes.as_dtype(dtype))


@function("ones", dispatch=True)
def ones(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Any:
    """Makes a tensor of ones (or of True).

    Args:
        shape: the shape.
        dtype: the dtype.
        name: ignored.
        layout: ignored.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: if a size is negative.

    >>> tf.ones([2], tf.int32).numpy()
    array([1, 1], dtype=int32)
    """
    return _constant(shape, 1, dtypes.as_dtype(dtype))


def _fill_host(value: Any, dims: Any) -> Any:
    return np.full(_filled_shape(dims, "index_type"), value.reshape(()), value.dtype)


@op("_fill", kernel="Fill", host=_fill_host, moves=True)
def _fill(value: TensorLike, dims: Any) -> jax.Array:
    """Repeats a scalar."""
    sizes = _filled_shape(dims, "index_type")
    if value.size != 1:
        raise invalid(f"value must represent a scalar, got shape {shape_text(value.shape)}")
    return jnp.broadcast_to(jnp.reshape(value, ()), sizes)


@function("fill", dispatch=True)
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """Makes a tensor that holds one value everywhere.

    Args:
        dims: the shape.
        value: a scalar.
        name: ignored.
        layout: ignored.

    Returns:
        A tensor of that shape and the dtype of `value`.

    Raises:
        InvalidArgumentError: if a size is negative, or `value` is no scalar.

    >>> tf.fill([2, 2], 7).numpy()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    return _fill(value, dims)


@op("eye", "linalg.eye", kernel="Fill", gradient=NotDifferentiable())
def eye(
    num_rows: int,
    num_columns: int | None = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
) -> jax.Array:
    """Makes identity matrices.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns, by default that of rows.
        batch_shape: the shape in front of that of a matrix.
        dtype: the dtype.

    Returns:
        A tensor `[batch_shape..., num_rows, num_columns]`, 1 on the diagonals.

    Raises:
        TypeError: if the numbers are not integers.
        InvalidArgumentError: if they are negative.

    >>> tf.eye(2).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    columns = num_rows if num_columns is None else num_columns
    if not isinstance(num_rows, int) or not isinstance(columns, int):
        raise TypeError(
            "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
            f"num_rows={num_rows}, num_columns={columns}"
        )
    if batch_shape is not None and not isinstance(batch_shape, tuple):
        raise TypeError(f"'{type(batch_shape).__name__}' object is not iterable")
    sizes = _filled_shape((*(batch_shape or ()), num_rows, columns))
    known = dtypes.as_dtype(dtype)
    if known is dtypes.string:
        raise inconvertible_argument(1, "string")
    return jnp.broadcast_to(jnp.eye(num_rows, columns, dtype=known.as_numpy_dtype), sizes)


@op("_linspace", kernel="Range")
def _linspace(start: TensorLike, stop: TensorLike, num: int, axis: int) -> jax.Array:
    """Makes `num` equally spaced values between the elements of two tensors of one shape."""
    if jnp.issubdtype(start.dtype, jnp.integer):
        start, stop = start.astype(np.float64), stop.astype(np.float64)
    start, stop = jnp.expand_dims(start, axis), jnp.expand_dims(stop, axis)
    delta = (stop - start) / jnp.asarray(max(num - 1, 1), start.dtype)
    along = [1] * start.ndim
    along[axis] = -1
    places = jnp.reshape(jnp.arange(1, max(num - 1, 1)).astype(start.dtype), along)
    values = jnp.concatenate([start, start + delta * places, stop], axis=axis)
    return jax.lax.slice_in_dim(values, 0, num, axis=axis)


@function("linspace")
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Any:
    """Makes equally spaced numbers from one to another, both included.

    Args:
        start: the first numbers, a tensor of any shape.
        stop: the last, in a shape that broadcasts with that of `start`.
        num: how many.
        name: ignored.
        axis: where the new dimension is in the result.

    Returns:
        A tensor of the dtype of `start` (float64 for integers), with one more dimension.

    Raises:
        ValueError: if the dtypes differ.
        InvalidArgumentError: if the shapes do not fit or `num` is negative.

    >>> tf.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    start = convert_to_tensor(start)
    if getattr(stop, "dtype", start.dtype) != start.dtype and hasattr(stop, "_type"):
        raise ValueError(
            f"stop: Tensor conversion requested dtype {start.dtype.name} for Tensor with dtype "
            f"{stop.dtype.name}: {stop!r}"
        )
    stop = convert_to_tensor(stop, start.dtype)
    count = convert_to_tensor(num)
    if count.dtype.is_floating:
        raise TypeError(
            "Argument `tensor` (name: num) must be of type integer. Received `tensor` = "
            f"{count.numpy()} of dtype: {count.dtype}"
        )
    shape = broadcast_dynamic_shape(shape_op(start), shape_op(stop))
    start = broadcast_to(start, shape)
    rank = start.ndim
    if not -rank - 1 <= axis <= rank:
        raise invalid(
            f"Tried to expand dim index {axis} for tensor with {rank} dimensions. "
            "[Op:ExpandDims] name: "
        )
    steps = int(count.numpy().reshape(()))
    if steps < 0:
        error = invalid(falling_range(1, -1) + kernel_suffix("Range"))
        raise error if is_tensor(num) else mark_as_of_types(error)
    axis %= rank + 1
    return _linspace(start, broadcast_to(stop, shape), steps, axis)


@op("_one_hot", kernel="OneHot", gradient=NotDifferentiable())
def _one_hot(indices: FreeTensor, depth: int, axis: int | None, dtype: Any) -> jax.Array:
    """Makes one-hot vectors of ones and zeros."""
    if indices.dtype.name not in ONE_HOT_INDICES:
        raise refused_type("TI", dtypes.as_dtype(indices.dtype).kernel_name, ONE_HOT_INDICES)
    if isinstance(depth, tuple):
        raise invalid(f"depth must be a scalar, but got: [{len(depth)}]")
    depth, rank = as_integer(depth), indices.ndim + 1
    if depth < 0:
        raise invalid(f"depth must be non-negative, got: {depth}")
    axis = -1 if axis is None else int(axis)
    if axis != -1 and not 0 <= axis < rank:
        raise invalid(f"Expected axis to be -1 or between [0, {rank}).  But received: {axis}")
    return jax.nn.one_hot(indices, depth, axis=axis, dtype=numpy_type(dtype))


@function("one_hot", dispatch=True)
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Makes vectors that are 1 at one place and 0 elsewhere.

    Args:
        indices: the places, integers of any shape; one out of range gives zeros only.
        depth: the length of the vectors.
        on_value: a scalar instead of 1; its gradient is None.
        off_value: a scalar instead of 0; its gradient is None.
        axis: the dimension of the vectors in the result, by default the last.
        dtype: the dtype, by default that of `on_value` or `off_value`, or float32.
        name: ignored.

    Returns:
        A tensor with one more dimension than `indices`.

    Raises:
        TypeError: if the dtypes differ.
        InvalidArgumentError: if `depth` is negative or `axis` is out of range.

    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if on_value is None and off_value is None:
        wanted = wanted or dtypes.float32
        if wanted.is_bool or wanted is dtypes.string:
            raise inconvertible_argument(1, wanted.kernel_name)
        return _one_hot(indices, depth, axis, wanted)
    scalars = {
        name: convert_to_tensor(value, dtype_hint=wanted)
        for name, value in (("on_value", on_value), ("off_value", off_value))
        if value is not None
    }
    if wanted is None:
        wanted = next(iter(scalars.values())).dtype
    else:
        for name, value in scalars.items():
            if value.dtype is not wanted:
                raise TypeError(
                    f"dtype {value.dtype} of {name} does not match dtype parameter {dtype}"
                )
    on = scalars.get("on_value")
    on = convert_to_tensor(1, wanted) if on is None else on
    off = scalars.get("off_value")
    off = convert_to_tensor(0, wanted) if off is None else off
    if on.dtype is not off.dtype:
        raise TypeError(
            f"dtype {on.dtype} of on_value does not match dtype {off.dtype} of off_value"
        )
    for name, value in (("on_value", on), ("off_value", off)):
        if value.ndim:
            raise invalid(
                f"{name} must be a scalar, but got: {shape_text(value.shape)} [Op:OneHot] name: "
            )
    return where(_one_hot(indices, depth, axis, dtypes.bool), stop_gradient(on), stop_gradient(off))


RANGE_TYPES = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


def _steps(start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> int:
    """Returns how many elements `range` has, with the rounding of the dtype."""
    for name, given in (("start", start), ("limit", limit), ("delta", delta)):
        if given.size != 1:
            raise invalid(
                f"{name} must be a scalar, not shape {shape_text(given.shape)} [Op:Range]"
            )
    shown = f"{_shown(start)}/{_shown(limit)}"
    if delta == 0:
        raise invalid("Requires delta != 0: 0 [Op:Range] name: ")
    if delta > 0 and not start <= limit:
        raise invalid(f"Requires start <= limit when delta > 0: {shown} [Op:Range] name: ")
    if not delta > 0 and not start >= limit:
        raise invalid(f"Requires start >= limit when delta < 0: {shown} [Op:Range] name: ")
    if start.dtype.kind == "i":
        return -(-abs(int(limit) - int(start)) // abs(int(delta)))
    with np.errstate(all="ignore"):
        count = np.ceil(np.abs((limit - start) / delta))
    if not float(count) <= 2**63 - 1:
        raise invalid("Requires ((limit - start) / delta) <= 9223372036854775807 [Op:Range] name: ")
    return int(count)


def _shown(value: np.ndarray) -> str:
    return f"{value.astype(object).item():g}" if value.dtype.kind != "i" else str(value.item())


@function("range")
def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Any:
    """Makes a vector of equally spaced numbers.

    Called with one number, it is the limit, and the numbers start at 0. The arguments are looked
    at, for they decide the shape.

    Args:
        start: the first number.
        limit: where the numbers end; it is not among them.
        delta: the difference of two neighbours.
        dtype: the dtype, by default the widest of those of the arguments.
        name: ignored.

    Returns:
        A vector.

    Raises:
        InvalidArgumentError: if `delta` is 0 or leads away from `limit`.

    >>> tf.range(3).numpy(), tf.range(1.0, 2.0, 0.5).numpy()
    (array([0, 1, 2], dtype=int32), array([1. , 1.5], dtype=float32))
    """
    if limit is None:
        start, limit = 0, start
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    given = []
    for value in (start, limit, delta):
        held = getattr(value, "dtype", None) is not None
        given.append(convert_to_tensor(value, None if held else wanted))
    if wanted is None:
        if not all(value.dtype.name in RANGE_TYPES for value in given):
            kinds = ", ".join(value.dtype.name for value in given)
            raise AssertionError(f"tf.range counts in numbers; start, limit and delta are {kinds}.")
        wanted = max((v.dtype for v in given), key=lambda d: RANGE_TYPES.index(d.name))
    target = np.dtype(wanted.as_numpy_dtype)
    ends = [np.asarray(value.numpy()).astype(target) for value in given]
    try:
        result = from_host(_numbers_within(*ends))
    except InvalidArgumentError as error:
        if not any(is_tensor(value) for value in (start, limit, delta)):
            mark_as_of_types(error)  # TensorFlow knows the numbers where it traces
        raise
    if ACCOUNTS:
        noted(result, given, lambda *ends: _numbers_within(*[end.astype(target) for end in ends]))
    return result


def _numbers_within(first: Any, last: Any, step: Any) -> Any:
    """Returns the numbers of a range."""
    count, target = _steps(first, last, step), first.dtype
    type_of((int(count),), target)  # refuses what there is no memory for
    if target.kind in "iu":
        places = np.arange(count, dtype=np.int64)
        return (first.astype(np.int64) + places * step.astype(np.int64)).astype(target)
    return first.reshape(()) + np.arange(count).astype(target) * step.reshape(())
