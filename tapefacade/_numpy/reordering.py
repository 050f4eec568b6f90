"""Elements in another order, and around them: `roll`, `flip`, `rot90`, `pad`."""

from typing import Any

from tapefacade._definition.op import function
from tapefacade._numpy.promotion import as_tensor
from tapefacade._numpy.shaping import swapaxes
from tapefacade._ops.array import padding, shaping

MODES = {"constant": "CONSTANT", "reflect": "REFLECT", "symmetric": "SYMMETRIC"}


@function("experimental.numpy.roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Shifts elements along axes; what leaves at the end comes back at the beginning.

    Args:
        a: a tensor or what converts to one.
        shift: by how many places, an integer or one for each axis.
        axis: the axes; by default the tensor is flattened meanwhile.

    Returns:
        A tensor of the shape and dtype of `a`.

    Raises:
        InvalidArgumentError: if there are not as many axes as shifts.

    >>> tf.experimental.numpy.roll([1, 2, 3], 1).numpy()
    array([3, 1, 2])
    """
    value = as_tensor(a)
    if axis is not None:
        return shaping.roll(value, shift, axis)
    flat = shaping.roll(shaping.reshape(value, (-1,)), shift, 0)
    return shaping.reshape(flat, value.shape)


@function("experimental.numpy.flip")
def flip(m: Any, axis: Any = None) -> Any:
    """Reverses the order of elements along an axis.

    Args:
        m: a tensor or what converts to one.
        axis: the axis; all of them by default.

    Returns:
        A tensor of the shape and dtype of `m`.

    Raises:
        InvalidArgumentError: if `axis` is out of range.

    >>> tf.experimental.numpy.flip([1, 2, 3]).numpy()
    array([3, 2, 1])
    """
    value = as_tensor(m)
    if axis is None:
        return shaping.reverse(value, list(range(value.ndim))) if value.ndim else value
    return shaping.reverse(value, [axis + value.ndim if axis < 0 else axis])


@function("experimental.numpy.flipud")
def flipud(m: Any) -> Any:
    """Reverses the order along the first axis.

    Args:
        m: a tensor or what converts to one.

    Returns:
        A tensor of the shape and dtype of `m`.

    >>> tf.experimental.numpy.flipud([1, 2, 3]).numpy()
    array([3, 2, 1])
    """
    value = as_tensor(m)
    return flip(value, 0) if value.ndim else value


@function("experimental.numpy.fliplr")
def fliplr(m: Any) -> Any:
    """Reverses the order along the second axis.

    Args:
        m: a tensor of two dimensions or more.

    Returns:
        A tensor of the shape and dtype of `m`.

    Raises:
        InvalidArgumentError: if `m` is a vector.

    >>> tf.experimental.numpy.fliplr([[1, 2], [3, 4]]).numpy()
    array([[2, 1],
           [4, 3]])
    """
    value = as_tensor(m)
    return flip(value, 1) if value.ndim else value


@function("experimental.numpy.rot90")
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    """Turns matrices by right angles, from the first of two axes towards the second.

    Args:
        m: a tensor of two dimensions or more.
        k: how many right angles.
        axes: the two axes.

    Returns:
        A tensor of the dtype of `m`.

    Raises:
        ValueError: if there are not two axes.

    >>> tf.experimental.numpy.rot90([[1, 2], [3, 4]]).numpy()
    array([[2, 4],
           [1, 3]])
    """
    value, turns = as_tensor(m), int(k) % 4
    first, second = axes
    if turns == 0:
        return value
    if turns == 2:
        return flip(flip(value, first), second)
    if turns == 3:
        return flip(swapaxes(value, first, second), second)
    return swapaxes(flip(value, second), first, second)


@function("experimental.numpy.pad")
def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """Puts elements around a tensor.

    Args:
        array: a tensor or what converts to one.
        pad_width: how many before and after it along each dimension, `[dimensions, 2]`.
        mode: "constant" for one value, "reflect" for the mirror image without the elements at the
            edge, "symmetric" for the one with them.
        **kwargs: `constant_values` is that value, 0 by default. Others have no effect.

    Returns:
        A tensor of the dtype of `array`.

    Raises:
        ValueError: if `mode` is another one.
        InvalidArgumentError: if `pad_width` has another shape.

    >>> tf.experimental.numpy.pad([1, 2, 3], [[1, 1]], "reflect").numpy()
    array([2, 1, 2, 3, 2])
    """
    if mode not in MODES:
        raise ValueError(f"Unsupported padding mode: {mode}")
    value = as_tensor(array)
    return padding.pad(value, pad_width, MODES[mode], kwargs.get("constant_values", 0))
