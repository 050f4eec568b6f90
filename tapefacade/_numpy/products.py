"""Products of vectors, matrices and tensors: `matmul`, `dot`, `einsum`, `outer`, `cross`."""

from typing import Any

from tapefacade._core import errors
from tapefacade._core.error_texts import invalid, unequal_shapes
from tapefacade._definition.op import function
from tapefacade._numpy.arithmetic import multiply
from tapefacade._numpy.promotion import promoted
from tapefacade._ops.array.casting import conj
from tapefacade._ops.array.joining import stack, unstack
from tapefacade._ops.array.shaping import expand_dims, reshape, squeeze
from tapefacade._ops.linalg import products


def _multiplied(x: Any, y: Any) -> Any:
    if x.ndim == 1 and y.ndim == 1:
        return products.tensordot(x, y, 1)
    if x.ndim == 1:
        return squeeze(products.matmul(expand_dims(x, 0), y), -2)
    if y.ndim == 1:
        return squeeze(products.matmul(x, expand_dims(y, -1)), -1)
    return products.matmul(x, y)


@function("experimental.numpy.matmul")
def matmul(x1: Any, x2: Any) -> Any:
    """Multiplies matrices; a vector is taken as a row on the left and as a column on the right.

    Args:
        x1: a vector, or a tensor `[..., M, K]`.
        x2: a vector, or a tensor `[..., K, N]`.

    Returns:
        A tensor `[..., M, N]`, without the dimensions that a vector does not have.

    Raises:
        ValueError: if the shapes do not fit.

    >>> tf.experimental.numpy.matmul([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    first, second = promoted(x1, x2)
    try:
        return _multiplied(first, second)
    except errors.InvalidArgumentError as error:
        raise ValueError(str(error)) from None


@function("experimental.numpy.dot")
def dot(a: Any, b: Any) -> Any:
    """Computes the sum of products over the last axis of `a` and the last but one of `b`.

    Args:
        a: a tensor, or a number that `b` is multiplied with.
        b: a tensor, whose only axis is taken if it is a vector, or a number.

    Returns:
        A tensor with the other axes of `a` and then those of `b`.

    Raises:
        InvalidArgumentError: if the sizes of these axes differ.

    >>> tf.experimental.numpy.dot([1, 2], [3, 4]).numpy()
    np.int64(11)
    """
    first, second = promoted(a, b)
    if first.ndim == 0 or second.ndim == 0:
        return multiply(first, second)
    if second.ndim == 1:
        return products.tensordot(first, second, [[-1], [-1]])
    return products.tensordot(first, second, [[-1], [-2]])


@function("experimental.numpy.vdot")
def vdot(a: Any, b: Any) -> Any:
    """Computes the sum of the products of elements, those of `a` conjugated.

    Args:
        a: a tensor of numbers, which is flattened.
        b: another one of as many elements.

    Returns:
        A scalar tensor.

    Raises:
        InvalidArgumentError: if the numbers of elements differ.

    >>> tf.experimental.numpy.vdot([1j, 2], [1j, 3]).numpy()
    np.complex128(7+0j)
    """
    first, second = (reshape(value, [-1]) for value in promoted(a, b))
    return dot(conj(first) if first.dtype.is_complex else first, second)


@function("experimental.numpy.inner")
def inner(a: Any, b: Any) -> Any:
    """Computes the sum of products over the last axes.

    Args:
        a: a tensor, or a number that `b` is multiplied with.
        b: a tensor or a number.

    Returns:
        A tensor with the other axes of `a` and then those of `b`.

    Raises:
        InvalidArgumentError: if the sizes of the last axes differ.

    >>> tf.experimental.numpy.inner([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    first, second = promoted(a, b)
    if first.ndim == 0 or second.ndim == 0:
        return multiply(first, second)
    return products.tensordot(first, second, [[-1], [-1]])


@function("experimental.numpy.outer")
def outer(a: Any, b: Any) -> Any:
    """Computes the products of each element of `a` and each of `b`.

    Args:
        a: a tensor, which is flattened.
        b: another one.

    Returns:
        A tensor `[elements of a, elements of b]`.

    >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy()
    array([[3, 4],
           [6, 8]])
    """
    first, second = promoted(a, b)
    return multiply(reshape(first, [-1, 1]), reshape(second, [-1]))


@function("experimental.numpy.kron")
def kron(a: Any, b: Any) -> Any:
    """Computes the Kronecker product: a tensor of copies of `b`, each times an element of `a`.

    Args:
        a: a tensor.
        b: another one.

    Returns:
        A tensor whose sizes are the products of theirs.

    >>> tf.experimental.numpy.kron([1, 2], [1, 1]).numpy()
    array([1, 1, 2, 2])
    """
    first, second = promoted(a, b)
    rank = max(first.ndim, second.ndim)
    shapes = [[1] * (rank - v.ndim) + v.shape.as_list() for v in (first, second)]
    apart = [
        [size for pair in zip(shapes[0], [1] * rank, strict=True) for size in pair],
        [size for pair in zip([1] * rank, shapes[1], strict=True) for size in pair],
    ]
    product = multiply(reshape(first, apart[0]), reshape(second, apart[1]))
    return reshape(product, [m * n for m, n in zip(*shapes, strict=True)])


@function("experimental.numpy.tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Computes sums of products over several axes.

    Args:
        a: a tensor.
        b: another one.
        axes: how many of the last axes of `a` and the first of `b`; or a pair of lists of axes.

    Returns:
        A tensor with the other axes of `a` and then those of `b`.

    Raises:
        ValueError: if there are not as many axes.
        InvalidArgumentError: if their sizes differ.

    >>> tf.experimental.numpy.tensordot([[1, 2], [3, 4]], [1, 1], 1).numpy()
    array([3, 7])
    """
    first, second = promoted(a, b)
    return products.tensordot(first, second, axes)


@function("experimental.numpy.einsum")
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Computes sums of products that are written with a letter for each axis.

    Args:
        subscripts: the letters of the axes of each operand, and after `->` those of the result.
        *operands: the tensors.
        **kwargs: `optimize` and `casting` are accepted and have no effect, as all others.

    Returns:
        A tensor.

    Raises:
        ValueError: if `subscripts` is wrong.
        InvalidArgumentError: if axes with the same letter have different sizes.

    >>> tf.experimental.numpy.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    return products.einsum(subscripts, *promoted(*operands))


@function("experimental.numpy.cross")
def cross(
    a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Any:
    """Computes the cross products of vectors of two or three components.

    Args:
        a: a tensor of vectors.
        b: another one, whose other axes broadcast with those of `a`.
        axisa: the axis of the components of `a`.
        axisb: the axis of the components of `b`.
        axisc: the axis of the components of the result.
        axis: all three at once.

    Returns:
        A tensor; without the axis of the components if all vectors have two.

    Raises:
        FailedPreconditionError: if vectors have another number of components.

    >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    first, second = promoted(a, b)
    left, right = unstack(first, axis=axisa), unstack(second, axis=axisb)
    if len(left) != len(right) and 2 not in (len(left), len(right)):
        raise invalid(unequal_shapes(f"[{len(left)}]", f"[{len(right)}]"))
    for components in (left, right):
        if len(components) not in (2, 3):
            raise errors.FailedPreconditionError(
                None,
                None,
                "Cross-products are only defined for 3-element vectors. [Op:Cross] name: ",
            )
    last = left[0] * right[1] - left[1] * right[0]
    if len(left) == 2 and len(right) == 2:
        return last
    # A third component that is missing is 0.
    zero = last - last
    x, y = zero, zero
    if len(right) == 3:
        x, y = x + left[1] * right[2], y - left[0] * right[2]
    if len(left) == 3:
        x, y = x - left[2] * right[1], y + left[2] * right[0]
    return stack([x, y, last], axis=axisc)
