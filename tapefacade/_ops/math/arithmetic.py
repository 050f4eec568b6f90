"""Sums, differences, products, extrema and powers of two tensors."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import errors, kernel_dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import shape_text
from tapefacade._core.kernel_dtypes import COMPLEX
from tapefacade._definition.argument_checks import check_broadcast
from tapefacade._definition.op import TensorLike, TensorList, function, op

MIXED_DTYPES = ("uint8", "int8", "uint16", "int16", "int32")
ADD = (*kernel_dtypes.FLOATS, *kernel_dtypes.UNSIGNED, *kernel_dtypes.SIGNED, *COMPLEX)
SUBTRACT = (*kernel_dtypes.FLOATS, *MIXED_DTYPES, "int64", *COMPLEX, "uint32", "uint64")
MULTIPLY = (*kernel_dtypes.FLOATS, *MIXED_DTYPES, "uint32", "uint64", "int64", *COMPLEX)
SQUARED_DIFFERENCE = (*kernel_dtypes.FLOATS, "int32", "int64", *COMPLEX)
ORDERED_DTYPES = (
    *kernel_dtypes.FLOATS, "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
)  # fmt: skip
ADD_N = (*kernel_dtypes.NUMBERS, "variant")


@op("math.add", "add", kernel="AddV2", dtypes=ADD, host=np.add, elementwise=2, raw_op=True)
def add(x: TensorLike, y: TensorLike) -> jax.Array:
    """Adds two tensors element by element, as `x + y`.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape; integers wrap around.

    Raises:
        InvalidArgumentError: if the dtypes differ or are boolean, or if the shapes do not fit.

    >>> tf.add([1.0, 2.0], 3.0).numpy()
    array([4., 5.], dtype=float32)
    """
    check_broadcast(x, y)
    return jnp.add(x, y)


@op(
    "math.subtract",
    "subtract",
    kernel="Sub",
    dtypes=SUBTRACT,
    host=np.subtract,
    elementwise=2,
    raw_op=True,
)
def subtract(x: TensorLike, y: TensorLike) -> jax.Array:
    """Subtracts two tensors element by element, as `x - y`.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape; integers wrap around.

    Raises:
        InvalidArgumentError: if the dtypes differ or are boolean, or if the shapes do not fit.

    >>> tf.subtract([1.0, 2.0], 3.0).numpy()
    array([-2., -1.], dtype=float32)
    """
    check_broadcast(x, y)
    return jnp.subtract(x, y)


@op(
    "math.multiply",
    "multiply",
    kernel="Mul",
    dtypes=MULTIPLY,
    host=np.multiply,
    elementwise=2,
    raw_op=True,
)
def multiply(x: TensorLike, y: TensorLike) -> jax.Array:
    """Multiplies two tensors element by element, as `x * y`.

    Args:
        x: a tensor of numbers.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape; integers wrap around.

    Raises:
        InvalidArgumentError: if the dtypes differ or are boolean, or if the shapes do not fit.

    >>> tf.multiply([1.0, 2.0], 3.0).numpy()
    array([3., 6.], dtype=float32)
    """
    check_broadcast(x, y)
    return jnp.multiply(x, y)


@op("math.scalar_mul", "scalar_mul", kernel="Mul", dtypes=MULTIPLY, elementwise=2)
def scalar_mul(scalar: TensorLike, x: TensorLike) -> jax.Array:
    """Multiplies a tensor with a number.

    Args:
        scalar: a scalar tensor, or a number.
        x: a tensor of numbers of the same dtype.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: if `scalar` is no scalar.

    >>> tf.scalar_mul(3.0, tf.constant([1.0, 2.0])).numpy()
    array([3., 6.], dtype=float32)
    """
    if scalar.ndim:
        shape = f"({scalar.shape[0]},)" if scalar.ndim == 1 else str(scalar.shape)
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {shape}.")
    return jnp.multiply(scalar, x)


@jax.custom_jvp
def _multiply_no_nan(x: jax.Array, y: jax.Array) -> jax.Array:
    zero = jnp.zeros(np.broadcast_shapes(x.shape, y.shape), x.dtype)
    return jnp.where(y == 0, zero, x * y)


@_multiply_no_nan.defjvp
def _multiply_no_nan_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (x, y), (dx, dy) = primals, tangents
    return _multiply_no_nan(x, y), dx * y + x * dy


@op(
    "math.multiply_no_nan",
    kernel="MulNoNan",
    dtypes=kernel_dtypes.FLOATS_COMPLEX,
    elementwise=2,
    raw_op=True,
)
def multiply_no_nan(x: TensorLike, y: TensorLike) -> jax.Array:
    """Multiplies two tensors element by element, and gives 0 where `y` is 0.

    Unlike TensorFlow, which forgets the conjugate, the gradient of complex numbers is that of `*`.

    Args:
        x: a floating or complex tensor, possibly with infinities and NaN.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if `x` is an integer tensor, or if the shapes do not fit.

    >>> tf.math.multiply_no_nan([np.inf, 2.0], [0.0, 3.0]).numpy()
    array([0., 6.], dtype=float32)
    """
    check_broadcast(x, y)
    return _multiply_no_nan(x, y)


@op(
    "math.squared_difference",
    kernel="SquaredDifference",
    dtypes=SQUARED_DIFFERENCE,
    elementwise=2,
    raw_op=True,
)
def squared_difference(x: TensorLike, y: TensorLike) -> jax.Array:
    """Squares the difference of two tensors element by element.

    Args:
        x: a floating or complex tensor, or one of dtype int32 or int64.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape; of complex numbers the difference times its conjugate.

    Raises:
        InvalidArgumentError: if the dtypes differ or the shapes do not fit.

    >>> tf.math.squared_difference([1.0, 5.0], 3.0).numpy()
    array([4., 4.], dtype=float32)
    """
    check_broadcast(x, y)
    difference = jnp.subtract(x, y)
    if jnp.iscomplexobj(difference):
        return lax.conj(difference) * difference
    return lax.square(difference)


@jax.custom_jvp
def _maximum(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.maximum(x, y)


@_maximum.defjvp
def _maximum_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Gives the tangent of `x` where both are equal, and that of `y` at NaN."""
    (x, y), (dx, dy) = primals, tangents
    return _maximum(x, y), jnp.where(x >= y, dx, dy)


def maximum_of_arrays(x: jax.Array, y: jax.Array) -> jax.Array:
    """Computes `maximum` inside of an implementation."""
    return jnp.maximum(x, y) if jnp.issubdtype(x.dtype, jnp.integer) else _maximum(x, y)


@op(
    "math.maximum",
    "maximum",
    kernel="Maximum",
    dtypes=ORDERED_DTYPES,
    host=np.maximum,
    elementwise=2,
    raw_op=True,
)
def maximum(x: TensorLike, y: TensorLike) -> jax.Array:
    """Takes the larger of two elements.

    Where both are equal, the whole gradient goes to `x`.

    Args:
        x: a floating or integer tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape; NaN where one of both is.

    Raises:
        InvalidArgumentError: if the dtypes differ or have no order, or if the shapes do not fit.

    >>> tf.maximum([1.0, 5.0], 3.0).numpy()
    array([3., 5.], dtype=float32)
    """
    check_broadcast(x, y)
    return maximum_of_arrays(x, y)


@jax.custom_jvp
def _minimum(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.minimum(x, y)


@_minimum.defjvp
def _minimum_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Gives the tangent of `x` where both are equal, and that of `y` at NaN."""
    (x, y), (dx, dy) = primals, tangents
    return _minimum(x, y), jnp.where(x <= y, dx, dy)


def minimum_of_arrays(x: jax.Array, y: jax.Array) -> jax.Array:
    """Computes `minimum` inside of an implementation."""
    return jnp.minimum(x, y) if jnp.issubdtype(x.dtype, jnp.integer) else _minimum(x, y)


@op(
    "math.minimum",
    "minimum",
    kernel="Minimum",
    dtypes=ORDERED_DTYPES,
    host=np.minimum,
    elementwise=2,
    raw_op=True,
)
def minimum(x: TensorLike, y: TensorLike) -> jax.Array:
    """Takes the smaller of two elements.

    Where both are equal, the whole gradient goes to `x`.

    Args:
        x: a floating or integer tensor.
        y: a tensor of the same dtype that can be broadcast with `x`.

    Returns:
        A tensor of the common shape; NaN where one of both is.

    Raises:
        InvalidArgumentError: if the dtypes differ or have no order, or if the shapes do not fit.

    >>> tf.minimum([1.0, 5.0], 3.0).numpy()
    array([1., 3.], dtype=float32)
    """
    check_broadcast(x, y)
    return minimum_of_arrays(x, y)


@op("math.atan2", "atan2", kernel="Atan2", dtypes=kernel_dtypes.FLOATS, elementwise=2, raw_op=True)
def atan2(y: TensorLike, x: TensorLike) -> jax.Array:
    """Computes the angle of the point `(x, y)`, from -pi to pi.

    Args:
        y: a floating tensor.
        x: a tensor of the same dtype that can be broadcast with `y`.

    Returns:
        A tensor of the common shape.

    Raises:
        InvalidArgumentError: if `y` is no floating tensor, or if the shapes do not fit.

    >>> tf.atan2([1.0, 0.0], [1.0, -1.0]).numpy().round(4)
    array([0.7854, 3.1416], dtype=float32)
    """
    check_broadcast(y, x)
    return jnp.arctan2(y, x)


@jax.custom_jvp
def _nextafter(x: jax.Array, y: jax.Array) -> jax.Array:
    return lax.nextafter(x, y)


@_nextafter.defjvp
def _nextafter_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    return _nextafter(*primals), tangents[0]


@op("math.nextafter", kernel="NextAfter", dtypes=("double", "float"), elementwise=2, raw_op=True)
def nextafter(x1: TensorLike, x2: TensorLike) -> jax.Array:
    """Gives the next number after `x1` in the direction of `x2`.

    Args:
        x1: a tensor of dtype float32 or float64.
        x2: a tensor of the same dtype that can be broadcast with `x1`.

    Returns:
        A tensor of the common shape. The derivative is 1 for `x1` and 0 for `x2`.

    Raises:
        InvalidArgumentError: if the dtypes differ or are no others, or if the shapes do not fit.

    >>> tf.math.nextafter([1.0], [2.0]).numpy()
    array([1.0000001], dtype=float32)
    """
    check_broadcast(x1, x2)
    return _nextafter(*jnp.broadcast_arrays(x1, x2))


@op("_add_n", kernel="AddN", dtypes=ADD_N)
def _add_n(inputs: TensorList) -> jax.Array:
    """Adds any number of tensors of one shape; see `add_n`."""
    for place, array in enumerate(inputs):
        if array.shape != inputs[0].shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                "Inputs to operation AddN of type AddN must have the same size and shape.  "
                f"Input 0: {shape_text(inputs[0].shape)} != "
                f"input {place}: {shape_text(array.shape)}",
            )
    return functools.reduce(jnp.add, inputs)


@function("math.add_n", "add_n", dispatch=True)
def add_n(inputs: Any, name: str | None = None) -> Any:
    """Adds any number of tensors of one shape.

    Args:
        inputs: a list of tensors of numbers, of one shape and dtype.
        name: ignored.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        ValueError: if there is no tensor.
        InvalidArgumentError: if shapes or dtypes differ.

    >>> tf.add_n([tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]).numpy()
    array([4., 6.], dtype=float32)
    """
    values = list(inputs)
    if not values or any(value is None for value in values):
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            "and shape."
        )
    tensors = [value if hasattr(value, "_type") else convert(value) for value in values]
    return _add_n(tensors) if len(tensors) > 1 else tensors[0]
