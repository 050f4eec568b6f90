"""Arrays that are given, or filled with one value: `array`, `zeros`, `ones`, `full`, `eye`."""

from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._definition.op import function
from tapefacade._numpy.promotion import as_tensor, known_dtype
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import identity
from tapefacade._ops.array.creation import fill
from tapefacade._ops.array.shaping import broadcast_to, reshape


def sizes(shape: Any) -> tuple[int, ...]:
    """Reads a shape: an integer, a list of integers and scalar tensors, a tensor or TensorShape."""
    if isinstance(shape, TensorShape):
        return tuple(int(size or 0) for size in shape.as_list())
    if isinstance(shape, list | tuple) and all(type(size) is int for size in shape):
        return tuple(shape)
    array = convert_to_tensor(shape, None if hasattr(shape, "dtype") else "int32").numpy()
    return tuple(int(size) for size in array.reshape(-1))


@function("experimental.numpy.asarray")
def asarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor, with NumPy's default dtypes: int64 and float64.

    Args:
        a: a tensor, an array, a number, or a nested list of these.
        dtype: the dtype of the result, to which values are cast.

    Returns:
        A tensor: `a` itself if it is one of that dtype.

    Raises:
        ValueError: if `a` is ragged or of an unknown kind.

    >>> tf.experimental.numpy.asarray([1, 2.5])
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1. , 2.5])>
    """
    return as_tensor(a, dtype)


@function("experimental.numpy.asanyarray")
def asanyarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor, as `asarray` does.

    Args:
        a: a tensor, an array, a number, or a nested list of these.
        dtype: the dtype of the result.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.asanyarray([1]).dtype
    tf.int64
    """
    return asarray(a, dtype)


@function("experimental.numpy.array")
def array(val: Any, dtype: Any = None, copy: Any = True, ndmin: int = 0) -> Any:
    """Makes a tensor of a value.

    Args:
        val: a tensor, an array, a number, or a nested list of these.
        dtype: the dtype, by default NumPy's: int64 or float64 for Python numbers.
        copy: whether the result is another object than `val`.
        ndmin: the least number of dimensions; dimensions of size 1 are put in front.

    Returns:
        A tensor.

    Raises:
        ValueError: if `val` is ragged or of an unknown kind.

    >>> tf.experimental.numpy.array([1, 2], ndmin=2)
    <tf.Tensor: shape=(1, 2), dtype=int64, numpy=array([[1, 2]])>
    """
    tensor = asarray(val, dtype)
    missing = int(ndmin) - tensor.ndim
    if missing > 0:
        return reshape(tensor, [1] * missing + tensor.shape.as_list())
    return identity(tensor) if copy and tensor is val else tensor


@function("experimental.numpy.copy")
def copy(a: Any) -> Any:
    """Makes a tensor of the same values.

    Args:
        a: a tensor, an array, a number, or a nested list of these.

    Returns:
        A tensor that is not `a`.

    >>> tf.experimental.numpy.copy([1.5]).numpy()
    array([1.5])
    """
    return array(a)


@function("experimental.numpy.ascontiguousarray")
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Makes a tensor of at least one dimension; how it lies in memory is not for programs to say.

    Args:
        a: a tensor, an array, a number, or a nested list of these.
        dtype: the dtype of the result.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.ascontiguousarray(3).numpy()
    array([3])
    """
    return array(a, dtype, ndmin=1)


# Filled.


def filled(shape: Any, value: Any, dtype: Any) -> Any:
    """Makes a tensor in which each element is `value`; float64 without a dtype."""
    return fill(sizes(shape), convert_to_tensor(value, known_dtype(dtype)))


@function("experimental.numpy.zeros")
def zeros(shape: Any, dtype: Any = float) -> Any:
    """Makes a tensor of zeros.

    Args:
        shape: an integer or a list of integers.
        dtype: the dtype, by default float64.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if a size is negative.

    >>> tf.experimental.numpy.zeros(2)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([0., 0.])>
    """
    return filled(shape, False, dtype)


@function("experimental.numpy.ones")
def ones(shape: Any, dtype: Any = float) -> Any:
    """Makes a tensor of ones.

    Args:
        shape: an integer or a list of integers.
        dtype: the dtype, by default float64.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if a size is negative.

    >>> tf.experimental.numpy.ones((1, 2), np.float32).numpy()
    array([[1., 1.]], dtype=float32)
    """
    return filled(shape, True, dtype)


@function("experimental.numpy.empty")
def empty(shape: Any, dtype: Any = float) -> Any:
    """Makes a tensor of any values, which are zeros.

    Args:
        shape: an integer or a list of integers.
        dtype: the dtype, by default float64.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.empty([2]).shape
    TensorShape([2])
    """
    return zeros(shape, dtype)


@function("experimental.numpy.zeros_like")
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Makes a tensor of zeros with the shape of another one.

    Args:
        a: a tensor or what converts to one.
        dtype: the dtype, by default that of `a`.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.zeros_like([1, 2]).numpy()
    array([0, 0])
    """
    tensor = as_tensor(a)
    return filled(tensor.shape, False, tensor.dtype if dtype is None else dtype)


@function("experimental.numpy.ones_like")
def ones_like(a: Any, dtype: Any = None) -> Any:
    """Makes a tensor of ones with the shape of another one.

    Args:
        a: a tensor or what converts to one.
        dtype: the dtype, by default that of `a`.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.ones_like([1.5]).numpy()
    array([1.])
    """
    tensor = as_tensor(a)
    return filled(tensor.shape, True, tensor.dtype if dtype is None else dtype)


@function("experimental.numpy.empty_like")
def empty_like(a: Any, dtype: Any = None) -> Any:
    """Makes a tensor of any values, which are zeros, with the shape of another one.

    Args:
        a: a tensor or what converts to one.
        dtype: the dtype, by default that of `a`.

    Returns:
        A tensor.

    >>> tf.experimental.numpy.empty_like([1, 2]).shape
    TensorShape([2])
    """
    return zeros_like(a, dtype)


@function("experimental.numpy.full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Makes a tensor of one value or of several that broadcast.

    Args:
        shape: an integer or a list of integers.
        fill_value: a number, or a tensor that broadcasts to `shape`.
        dtype: the dtype, by default that of `fill_value`.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: if `fill_value` does not broadcast to `shape`.

    >>> tf.experimental.numpy.full((2, 2), [1, 2]).numpy()
    array([[1, 2],
           [1, 2]])
    """
    return broadcast_to(as_tensor(fill_value, dtype), sizes(shape))


@function("experimental.numpy.full_like")
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """Makes a tensor of one value with the shape of another one.

    Args:
        a: a tensor or what converts to one.
        fill_value: a number, or a tensor that broadcasts to the shape of `a`.
        dtype: the dtype, by default that of `a`.
        order: must be "K".
        subok: must be true.
        shape: must be None.

    Returns:
        A tensor.

    Raises:
        ValueError: if `order`, `subok` or `shape` is another value.

    >>> tf.experimental.numpy.full_like([1, 2], 1.7).numpy()
    array([1, 1])
    """
    if order != "K":
        raise ValueError("Non-standard orders are not supported.")
    if not subok:
        raise ValueError("subok being False is not supported.")
    if shape:
        raise ValueError("Overriding the shape is not supported.")
    tensor = as_tensor(a)
    wanted = tensor.dtype if dtype is None else known_dtype(dtype)
    return broadcast_to(cast(as_tensor(fill_value), wanted), tensor.shape)
