"""Questions about single values: `isnan`, `isfinite`, `isreal`, `isscalar`, `ndim`, `size`."""

from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._numpy.promotion import as_tensor, inexact
from tapefacade._ops.array import casting
from tapefacade._ops.array.creation import fill
from tapefacade._ops.math import comparison, elementary


@function("experimental.numpy.isfinite")
def isfinite(x: Any) -> Any:
    """Tells where elements are neither infinite nor nan.

    Args:
        x: a real tensor or what converts to one.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if `x` is complex.

    >>> tf.experimental.numpy.isfinite([1.0, np.inf, np.nan]).numpy()
    array([ True, False, False])
    """
    return elementary.is_finite(inexact(x))


@function("experimental.numpy.isnan")
def isnan(x: Any) -> Any:
    """Tells where elements are nan.

    Args:
        x: a real tensor or what converts to one.

    Returns:
        A bool tensor.

    Raises:
        InvalidArgumentError: if `x` is complex.

    >>> tf.experimental.numpy.isnan([1.0, np.inf, np.nan]).numpy()
    array([False, False,  True])
    """
    return elementary.is_nan(inexact(x))


@function("experimental.numpy.isinf")
def isinf(x: Any) -> Any:
    """Tells where elements are infinite.

    Beyond TensorFlow's, which takes nothing but tensors, this takes Python numbers and arrays.

    Args:
        x: a tensor or what converts to one.

    Returns:
        A bool tensor; for a tensor that is not floating, just False.

    >>> tf.experimental.numpy.isinf([1.0, np.inf, np.nan]).numpy()
    array([False,  True, False])
    """
    value = as_tensor(x)
    return elementary.is_inf(value) if value.dtype.is_floating else False


@function("experimental.numpy.isposinf")
def isposinf(x: Any) -> Any:
    """Tells where elements are the positive infinity.

    Beyond TensorFlow's, which takes nothing but tensors, this takes Python numbers and arrays.

    Args:
        x: a tensor or what converts to one.

    Returns:
        A bool tensor; for a tensor that is not floating, just False.

    >>> tf.experimental.numpy.isposinf([-np.inf, np.inf]).numpy()
    array([False,  True])
    """
    value = as_tensor(x)
    return comparison.equal(value, float("inf")) if value.dtype.is_floating else False


@function("experimental.numpy.isneginf")
def isneginf(x: Any) -> Any:
    """Tells where elements are the negative infinity.

    Beyond TensorFlow's, which takes nothing but tensors, this takes Python numbers and arrays.

    Args:
        x: a tensor or what converts to one.

    Returns:
        A bool tensor; for a tensor that is not floating, just False.

    >>> tf.experimental.numpy.isneginf([-np.inf, np.inf]).numpy()
    array([ True, False])
    """
    value = as_tensor(x)
    return comparison.equal(value, float("-inf")) if value.dtype.is_floating else False


@function("experimental.numpy.iscomplex")
def iscomplex(x: Any) -> Any:
    """Tells where elements have an imaginary part other than 0.

    Args:
        x: a tensor or what converts to one.

    Returns:
        A bool tensor.

    >>> tf.experimental.numpy.iscomplex([1, 1j]).numpy()
    array([False,  True])
    """
    value = as_tensor(x)
    if not value.dtype.is_complex:
        return fill(value.shape, False)
    return comparison.not_equal(casting.imag(value), 0)


@function("experimental.numpy.isreal")
def isreal(x: Any) -> Any:
    """Tells where elements have no imaginary part, or 0 as one.

    Args:
        x: a tensor or what converts to one.

    Returns:
        A bool tensor.

    >>> tf.experimental.numpy.isreal([1, 1j]).numpy()
    array([ True, False])
    """
    value = as_tensor(x)
    if not value.dtype.is_complex:
        return fill(value.shape, True)
    return comparison.equal(casting.imag(value), 0)


@function("experimental.numpy.iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    """Tells whether a value is of a complex dtype.

    Args:
        x: a tensor or what converts to one.

    Returns:
        A Python boolean.

    >>> tf.experimental.numpy.iscomplexobj(tf.constant(1 + 0j))
    True
    """
    return as_tensor(x).dtype.is_complex


@function("experimental.numpy.isrealobj")
def isrealobj(x: Any) -> bool:
    """Tells whether a value is of no complex dtype.

    Args:
        x: a tensor or what converts to one.

    Returns:
        A Python boolean.

    >>> tf.experimental.numpy.isrealobj(tf.constant(1 + 0j))
    False
    """
    return not iscomplexobj(x)


@function("experimental.numpy.isscalar")
def isscalar(num: Any) -> bool:
    """Tells whether a value is a number or text, or a tensor without dimensions.

    Args:
        num: any value.

    Returns:
        A Python boolean.

    >>> tf.experimental.numpy.isscalar(1), tf.experimental.numpy.isscalar([1])
    (True, False)
    """
    if isinstance(num, EagerTensor) or hasattr(num, "_type"):
        return num.shape.rank == 0
    return bool(np.isscalar(num))


@function("experimental.numpy.ndim")
def ndim(a: Any) -> int:
    """Counts the dimensions of a value.

    Args:
        a: a tensor or what converts to one.

    Returns:
        A Python integer.

    >>> tf.experimental.numpy.ndim([[1, 2]])
    2
    """
    return as_tensor(a).shape.rank


@function("experimental.numpy.shape")
def shape(a: Any) -> Any:
    """Gives the shape of a value.

    Args:
        a: a tensor or what converts to one.

    Returns:
        A `tf.TensorShape`.

    >>> tf.experimental.numpy.shape([[1, 2]])
    TensorShape([1, 2])
    """
    return as_tensor(a).shape


@function("experimental.numpy.size")
def size(x: Any, axis: None = None) -> Any:
    """Counts the elements of a value.

    Args:
        x: a tensor or what converts to one.
        axis: must be None.

    Returns:
        An integer.

    Raises:
        NotImplementedError: if `axis` is given; `x.shape[axis]` is the size of a dimension.

    >>> int(tf.experimental.numpy.size([[1, 2]]))
    2
    """
    if axis is not None:
        raise NotImplementedError(
            "axis argument is not supported in the current `np.size` implementation"
        )
    if isinstance(x, int | float | np.integer | np.floating):
        return 1
    return np.prod(as_tensor(x).shape.as_list(), dtype=np.int64)
