"""The same elements again, or others of the same shape: `identity`, `zeros_like`, `repeat`, ..."""

from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dispatch import CompositeTensor, handles
from tapefacade._core.error_texts import (
    falling_range,
    incompatible_dimensions,
    invalid,
    kernel_suffix,
    negative_multiple,
    refused_input,
    shape_text,
)
from tapefacade._core.tensor import from_host
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._definition.argument_checks import numpy_type
from tapefacade._definition.op import (
    FreeTensor,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.array.gathering import take
from tapefacade._ops.array.shaping import broadcast_to, reshape
from tapefacade._trace.open_sizes import ACCOUNTS, with_axes_along, with_unknown_axes

ONES = (
    "bfloat16", "half", "float", "double", "int8", "uint8", "int16", "uint16", "int32", "uint32",
    "int64", "uint64", "complex64", "complex128", "bool",
)  # fmt: skip


def wrong_indexing(indexing: Any) -> str:
    """Words that the axes of a grid have no such order."""
    return f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"


@handles(CompositeTensor, "identity")
def _identity(input: Any) -> Any:
    return input._with_components([identity(part) for part in input._components()])


@op("identity", host=lambda input: input, moves=True, raw_op=True)
def identity(input: TensorLike) -> jax.Array:
    """Returns a tensor with the same value.

    Args:
        input: a tensor.

    Returns:
        A tensor of the shape and dtype of `input`.

    >>> tf.identity([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    return input


@function("identity_n")
def identity_n(input: Iterable[Any], name: str | None = None) -> list[Any]:
    """Returns tensors with the same values.

    Args:
        input: a list of tensors, which may have different dtypes.
        name: ignored.

    Returns:
        A list of tensors.

    Raises:
        InvalidArgumentError: if the list is empty.

    >>> [x.numpy() for x in tf.identity_n([1, 2.5])]
    [np.int32(1), np.float32(2.5)]
    """
    copies = [identity(value) for value in input]
    if not copies:
        raise invalid(
            "Length for attr 'T' of 0 must be at least minimum 1\n\t; NodeDef: {{node IdentityN}}"
        )
    return copies


@op(
    "stop_gradient",
    gradient=NotDifferentiable(),
    host=lambda input: input,
    elementwise=1,
    keeps_zeros=True,
    moves=True,
    raw_op=True,
)
def stop_gradient(input: TensorLike) -> jax.Array:
    """Returns a tensor with the same value, which is a constant for every gradient.

    Args:
        input: a tensor.

    Returns:
        A tensor of the shape and dtype of `input`.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(3.0)
    """
    return input


@op("guarantee_const", gradient=NoGradient("GuaranteeConst"))
def guarantee_const(input: TensorLike) -> Any:
    """Returns a tensor of which the program promises that it never changes.

    It has no gradient, as in TensorFlow.

    Args:
        input: a tensor.

    Returns:
        The same values.

    >>> tf.guarantee_const([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    return input


def _like(value: int) -> Any:
    """Makes the function of shape arithmetic that fills a tensor with 0 or 1."""

    def host(input: Any, dtype: Any) -> Any:
        return np.full(input.shape, value, input.dtype if dtype is None else numpy_type(dtype))

    return host


@op("_zeros_like", gradient=NotDifferentiable(), host=_like(0), moves=True)
def _zeros_like(input: TensorLike, dtype: Any) -> jax.Array:
    """Makes zeros of a known dtype."""
    return jnp.zeros(input.shape, input.dtype if dtype is None else numpy_type(dtype))


@function("zeros_like", dispatch=True, elementwise=1)
def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Makes a tensor of zeros in the shape of another.

    Args:
        input: a tensor.
        dtype: the dtype, by default that of `input`.
        name: ignored.
        layout: ignored.

    Returns:
        A tensor of the shape of `input`.

    >>> tf.zeros_like([1, 2]).numpy()
    array([0, 0], dtype=int32)
    """
    return _zeros_like(input, dtype)


@op(
    "_ones_like",
    kernel="OnesLike",
    gradient=NotDifferentiable(),
    dtypes=ONES,
    host=_like(1),
)
def _ones_like(input: TensorLike, dtype: Any) -> jax.Array:
    """Makes ones of a known dtype."""
    return jnp.ones(input.shape, input.dtype if dtype is None else numpy_type(dtype))


@function("ones_like", dispatch=True, elementwise=1)
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Makes a tensor of ones in the shape of another.

    Args:
        input: a tensor.
        dtype: the dtype, by default that of `input`.
        name: ignored.
        layout: ignored.

    Returns:
        A tensor of the shape of `input`.

    >>> tf.ones_like([5.0, 7.0]).numpy()
    array([1., 1.], dtype=float32)
    """
    return _ones_like(input, dtype)


@op("_ensure_shape", kernel="EnsureShape", moves=True)
def _ensure_shape(x: TensorLike, shape: Any) -> jax.Array:
    """Returns a tensor that has a shape as `shape`, where None is any size."""
    expected = TensorShape(shape)
    if not TensorShape(x.shape).is_compatible_with(expected):
        sizes = ",".join("?" if n is None else str(n) for n in expected.as_list())
        raise invalid(
            f"Shape of tensor input {shape_text(x.shape)} is not compatible with expected shape "
            f"[{sizes}]."
        )
    return x


@function("ensure_shape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """Returns a tensor, after checking its shape.

    Args:
        x: a tensor.
        shape: the shape it should have; None stands for any size, or for any shape.
        name: ignored.

    Returns:
        A tensor with the value of `x`.

    Raises:
        InvalidArgumentError: if the shape is another one.

    >>> tf.ensure_shape([[1, 2]], [None, 2]).shape
    TensorShape([1, 2])
    """
    expected = TensorShape(shape)
    return _ensure_shape(x, None if expected.rank is None else tuple(expected.as_list()))


@op("_repeat", kernel="Tile", moves=True)
def _repeat(input: TensorLike, repeats: int, axis: int) -> jax.Array:
    """Repeats each element equally often."""
    if repeats < 0:
        raise invalid(negative_multiple(axis + 1, repeats))
    return jnp.repeat(input, repeats, axis=axis)


def _repeats(repeats: Any) -> np.ndarray:
    """Looks at the number of repetitions."""
    tensor = convert_to_tensor(repeats)
    if not tensor.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: repeats) must be of type integer. Received `tensor` = "
            f"{tensor.numpy()} of dtype: {tensor.dtype}"
        )
    if tensor.ndim > 1:
        raise ValueError(f"Shape {tensor.shape} must have rank at most 1")
    return tensor.numpy()


@function("repeat")
def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Any:
    """Repeats the elements of a tensor, each in its place.

    The repetitions are looked at, for they decide the shape of the result.

    Args:
        input: a tensor.
        repeats: how often each element is repeated, an integer or a vector with one for each.
        axis: the dimension; None repeats the elements of the flattened tensor.
        name: ignored.

    Returns:
        A tensor; without `axis` a vector.

    Raises:
        ValueError: if `axis` is out of range, or there are not as many repetitions as elements.
        TypeError: if the repetitions are not integers.

    >>> tf.repeat([3, 4], repeats=[2, 3]).numpy()
    array([3, 3, 4, 4, 4], dtype=int32)
    """
    input = convert_to_tensor(input)
    counts = _repeats(repeats)
    if axis is None:
        input, axis = reshape(input, [-1]), 0
    place = int(axis)
    if not -input.ndim <= place < input.ndim:
        raise ValueError(f"axis={axis} out of bounds: expected {-input.ndim}<=axis<{input.ndim}")
    place %= input.ndim
    if counts.size == 1:
        return _repeat(input, int(counts.reshape(())), place)
    if len(counts) != input.shape[place]:
        raise ValueError(incompatible_dimensions(input.shape[place], len(counts)))
    places = np.repeat(np.arange(len(counts), dtype=np.int32), np.maximum(counts, 0))
    return with_unknown_axes(take(input, from_host(places), place), place)


@function("meshgrid")
def meshgrid(*args: Any, **kwargs: Any) -> list[Any]:
    """Spans a grid by vectors.

    Args:
        *args: tensors, taken as vectors.
        **kwargs: `indexing`, "xy" (default: the first vector runs along the second dimension) or
            "ij"; `name` is ignored.

    Returns:
        A list with the coordinates of the grid points, a tensor for each vector.

    Raises:
        ValueError: for another `indexing`.
        TypeError: for another keyword.
        InvalidArgumentError: if the dtypes differ.

    >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])
    >>> x.numpy()
    array([[1, 2, 3],
           [1, 2, 3]], dtype=int32)
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        key = next(iter(kwargs))
        raise TypeError(f"'{key}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(wrong_indexing(indexing))
    vectors = [convert_to_tensor(arg) for arg in args]
    sizes = [int(v.shape.num_elements() or 0) for v in vectors]
    order = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        order[:2] = [1, 0]
    grid = [sizes[place] for place in order]
    results = []
    for place, vector in enumerate(vectors):
        if vector.dtype is not vectors[0].dtype:
            names = vector.dtype.kernel_name, vectors[0].dtype.kernel_name
            raise refused_input("Mul", 1, *names)
        along = [-1 if i == place else 1 for i in order]
        column = reshape(vector, along)
        results.append(broadcast_to(column, grid))
    if ACCOUNTS:
        along = {axis: vectors[place] for axis, place in enumerate(order)}
        results = [with_axes_along(result, along) for result in results]
    return results


@op("_sequence_mask", gradient=NotDifferentiable())
def _sequence_mask(lengths: FreeTensor, maxlen: int, dtype: Any) -> jax.Array:
    """Makes the mask of a known width."""
    places = jnp.arange(maxlen).astype(lengths.dtype)
    return (places < lengths[..., None]).astype(numpy_type(dtype))


@function("sequence_mask")
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None
) -> Any:
    """Marks the first places of each row.

    Args:
        lengths: how many places of each row are marked, an integer tensor `[...]`.
        maxlen: the number of places in a row; by default the largest length, which then is looked
            at.
        dtype: the dtype of the result.
        name: ignored.

    Returns:
        A tensor `[..., maxlen]`, True (or 1) at the marked places.

    Raises:
        ValueError: if `maxlen` is not a scalar.
        InvalidArgumentError: if it is negative.

    >>> tf.sequence_mask([1, 3], 3).numpy()
    array([[ True, False, False],
           [ True,  True,  True]])
    """
    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        width = int(np.max(lengths.numpy(), initial=0))
    else:
        limit = convert_to_tensor(maxlen)
        if limit.ndim:
            raise ValueError(
                f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = "
                f"{limit.numpy()} with shape '{limit.shape}' instead"
            )
        width = int(limit.numpy())
    if width < 0:
        raise invalid(falling_range(0, width) + kernel_suffix("Range"))
    result = _sequence_mask(lengths, width, dtypes.as_dtype(dtype))
    return with_unknown_axes(result, -1) if maxlen is None else result
