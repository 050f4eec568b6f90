"""Shapes and the order of axes: `reshape`, `expand_dims`, `transpose`, `moveaxis`, `tile`."""

from typing import Any

from tapefacade._core.error_texts import invalid, transpose_sizes, unequal_shapes
from tapefacade._definition.op import function
from tapefacade._numpy.creation import sizes
from tapefacade._numpy.promotion import as_tensor
from tapefacade._ops.array import copying, shaping
from tapefacade._ops.array.shapes import broadcast_static_shape


@function("experimental.numpy.reshape")
def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """Arranges the elements in another shape.

    Args:
        a: a tensor or what converts to one.
        newshape: the shape, an integer or a list of integers, one of which may be -1 for what
            remains.
        order: "C" to read and write rows first, "F" to do so with columns.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        ValueError: if `order` is another one.
        InvalidArgumentError: if the numbers of elements differ.

    >>> tf.experimental.numpy.reshape([[1, 2], [3, 4]], 4).numpy()
    array([1, 2, 3, 4])
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    value, shape = as_tensor(a), sizes(newshape)
    if order == "C":
        return shaping.reshape(value, shape)
    return shaping.transpose(shaping.reshape(shaping.transpose(value), shape[::-1]))


@function("experimental.numpy.ravel")
def ravel(a: Any) -> Any:
    """Arranges all elements in a vector.

    Args:
        a: a tensor or what converts to one.

    Returns:
        A vector of the dtype of `a`.

    >>> tf.experimental.numpy.ravel([[1, 2], [3, 4]]).numpy()
    array([1, 2, 3, 4])
    """
    return shaping.reshape(as_tensor(a), (-1,))


@function("experimental.numpy.flatten")
def flatten(a: Any, order: str = "C") -> Any:
    """Arranges all elements in a vector.

    Args:
        a: a tensor or what converts to one.
        order: "C", "A" or "K" for row after row, "F" for column after column.

    Returns:
        A vector of the dtype of `a`.

    Raises:
        ValueError: if `order` is another one.

    >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]], "F").numpy()
    array([1, 3, 2, 4])
    """
    if order not in ("C", "A", "K", "F"):
        raise ValueError("order can only be C, A, K (all row major) or F (column major).")
    return reshape(a, -1, "F" if order == "F" else "C")


@function("experimental.numpy.expand_dims")
def expand_dims(a: Any, axis: Any) -> Any:
    """Puts a dimension of size 1 in.

    Args:
        a: a tensor or what converts to one.
        axis: where the dimension is in the result.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        InvalidArgumentError: if `axis` is out of range.

    >>> tf.experimental.numpy.expand_dims([1, 2], 0).numpy()
    array([[1, 2]])
    """
    return shaping.expand_dims(as_tensor(a), axis)


@function("experimental.numpy.squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """Takes dimensions of size 1 out.

    Args:
        a: a tensor or what converts to one.
        axis: the dimensions, by default all of size 1.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        InvalidArgumentError: if such a dimension has another size.

    >>> tf.experimental.numpy.squeeze([[1, 2]]).numpy()
    array([1, 2])
    """
    return shaping.squeeze(as_tensor(a), axis)


@function("experimental.numpy.transpose")
def transpose(a: Any, axes: Any = None) -> Any:
    """Puts the dimensions in another order, by default the opposite one.

    Args:
        a: a tensor or what converts to one.
        axes: which dimension of `a` comes first in the result, which second and so on.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        InvalidArgumentError: if `axes` does not name each dimension once.

    >>> tf.experimental.numpy.transpose([[1, 2], [3, 4]]).numpy()
    array([[1, 3],
           [2, 4]])
    """
    value = as_tensor(a)
    if axes is None:
        return shaping.transpose(value)
    rank = value.ndim
    return shaping.transpose(value, [p + rank if p < 0 else p for p in sizes(axes)])


@function("experimental.numpy.swapaxes")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Exchanges two dimensions.

    Args:
        a: a tensor or what converts to one.
        axis1: one dimension.
        axis2: the other one.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        IndexError: if a dimension is out of range.

    >>> tf.experimental.numpy.swapaxes([[1, 2], [3, 4]], 0, 1).numpy()
    array([[1, 3],
           [2, 4]])
    """
    value = as_tensor(a)
    order = list(range(value.ndim))
    if not all(-value.ndim <= axis < value.ndim for axis in (axis1, axis2)):
        raise IndexError("list assignment index out of range")
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return shaping.transpose(value, order)


@function("experimental.numpy.moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Moves dimensions to other places; the others keep their order.

    Args:
        a: a tensor or what converts to one.
        source: the dimensions, an integer or a list of integers.
        destination: their places in the result.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        ValueError: if there are not as many places.
        InvalidArgumentError: if a dimension is out of range or repeats.

    >>> tf.experimental.numpy.moveaxis(np.ones([2, 3, 4]), 0, -1).shape
    TensorShape([3, 4, 2])
    """
    moved, places = sizes(source), sizes(destination)
    if len(moved) != len(places):
        raise ValueError("The lengths of source and destination must equal")
    if not moved:
        return a
    value = as_tensor(a)
    rank = value.ndim
    moved, places = ([p + rank if p < 0 else p for p in ps] for ps in (moved, places))
    order = [axis for axis in range(rank) if axis not in moved]
    if len(order) + len(moved) != rank:
        raise invalid(transpose_sizes(rank, len(order) + len(moved)) + " [Op:Transpose]")
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return shaping.transpose(value, order)


# Repeated.


@function("experimental.numpy.tile")
def tile(a: Any, reps: Any) -> Any:
    """Repeats a tensor along its dimensions.

    Args:
        a: a tensor or what converts to one.
        reps: how often along each dimension; for fewer numbers the last dimensions are meant, for
            more of them dimensions are put in front.

    Returns:
        A tensor of the dtype of `a`.

    >>> tf.experimental.numpy.tile([1, 2], 2).numpy()
    array([1, 2, 1, 2])
    """
    value, counts = as_tensor(a), sizes(as_tensor(reps, int))
    counts = (1,) * (value.ndim - len(counts)) + counts
    value = shaping.reshape(value, [1] * (len(counts) - value.ndim) + value.shape.as_list())
    return shaping.tile(value, counts)


@function("experimental.numpy.repeat")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeats each element.

    Args:
        a: a tensor or what converts to one.
        repeats: how often, one number for all elements or one for each along the axis.
        axis: the axis; by default the tensor is flattened.

    Returns:
        A tensor of the dtype of `a`.

    Raises:
        ValueError: if there are not as many numbers as elements.

    >>> tf.experimental.numpy.repeat([1, 2], [1, 3]).numpy()
    array([1, 2, 2, 2])
    """
    return copying.repeat(as_tensor(a), as_tensor(repeats), axis)


@function("experimental.numpy.broadcast_to")
def broadcast_to(array: Any, shape: Any) -> Any:
    """Repeats dimensions of size 1, and puts dimensions in front, until the shape is another.

    Args:
        array: a tensor or what converts to one.
        shape: an integer or a list of integers.

    Returns:
        A tensor of the dtype of `array`.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    >>> tf.experimental.numpy.broadcast_to([1, 2], [2, 2]).numpy()
    array([[1, 2],
           [1, 2]])
    """
    return shaping.broadcast_to(as_tensor(array), sizes(shape))


@function("experimental.numpy.broadcast_arrays")
def broadcast_arrays(*args: Any, **kwargs: Any) -> Any:
    """Broadcasts tensors to their common shape.

    Args:
        *args: tensors or what converts to tensors.
        **kwargs: `subok`, which has no effect.

    Returns:
        A list of tensors; a tuple of one for one tensor.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    >>> [v.numpy() for v in tf.experimental.numpy.broadcast_arrays(1, [1, 2])]
    [array([1, 1]), array([1, 2])]
    """
    if unknown := [key for key in kwargs if key != "subok"]:
        raise ValueError(f"Received unsupported arguments {unknown}")
    values = [as_tensor(value) for value in args]
    if len(values) < 2:
        return tuple(values)
    return [shaping.broadcast_to(value, _common_shape(values)) for value in values]


def _common_shape(values: list[Any]) -> Any:
    common = values[0].shape
    for value in values[1:]:
        try:
            common = broadcast_static_shape(common, value.shape)
        except ValueError:
            shapes = [str(s.as_list()).replace(" ", "") for s in (common, value.shape)]
            raise invalid(unequal_shapes(*shapes)) from None
    return common


def _extended(arys: Any, extend: Any) -> Any:
    values = [extend(as_tensor(value)) for value in arys]
    return values[0] if len(values) == 1 else values


@function("experimental.numpy.atleast_1d")
def atleast_1d(*arys: Any) -> Any:
    """Gives scalars a dimension.

    Args:
        *arys: tensors or what converts to tensors.

    Returns:
        A tensor, or a list of them if there are several.

    >>> tf.experimental.numpy.atleast_1d(1).numpy()
    array([1])
    """
    return _extended(arys, lambda v: v if v.ndim else shaping.reshape(v, (1,)))


@function("experimental.numpy.atleast_2d")
def atleast_2d(*arys: Any) -> Any:
    """Puts dimensions in front of scalars and vectors until they have two.

    Args:
        *arys: tensors or what converts to tensors.

    Returns:
        A tensor, or a list of them if there are several.

    >>> tf.experimental.numpy.atleast_2d([1, 2]).numpy()
    array([[1, 2]])
    """
    return _extended(arys, lambda v: v if v.ndim > 1 else shaping.reshape(v, (1, -1)))


@function("experimental.numpy.atleast_3d")
def atleast_3d(*arys: Any) -> Any:
    """Gives tensors three dimensions: vectors lie along the second, matrices along the first two.

    Args:
        *arys: tensors or what converts to tensors.

    Returns:
        A tensor, or a list of them if there are several.

    >>> tf.experimental.numpy.atleast_3d([1, 2]).shape
    TensorShape([1, 2, 1])
    """

    def extend(value: Any) -> Any:
        if value.ndim == 2:
            return shaping.expand_dims(value, -1)
        return value if value.ndim > 2 else shaping.reshape(value, (1, -1, 1))

    return _extended(arys, extend)
