"""Products of sparse and dense matrices."""

import importlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import errors
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid, refused_input
from tapefacade._definition.op import Check, IndexLike, TensorLike, function, op
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.gathering import take
from tapefacade._ops.array.shaping import transpose
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._sparse.tensor import SparseTensor, sparse


def _mismatch(expected: Any, given: Any) -> errors.InvalidArgumentError:
    return refused_input("SparseTensorDenseMatMul", 3, expected.kernel_name, given.kernel_name)


def _test_places(
    indices: Any, shape: tuple[int, ...], adjoint_a: bool, **_: Any
) -> tuple[Any, ...]:
    if indices.shape[0] == 0:
        return (True,)
    outside = (indices < 0) | (indices >= np.array(shape, indices.dtype))
    # TensorFlow looks at the inner dimension of the product first.
    by_kernel = outside[:, ::-1] if not adjoint_a else outside
    first = jnp.argmax(by_kernel.reshape(-1))
    entry, turn = first // 2, first % 2
    axis = turn if adjoint_a else 1 - turn
    return jnp.logical_not(outside.any()), entry, axis, indices[entry, axis]


def _place_error(
    entry: Any, axis: Any, value: Any, shape: tuple[int, ...], adjoint_a: bool, adjoint_b: bool
) -> Exception:
    is_inner = axis == (0 if adjoint_a else 1)
    column = 1 if is_inner != adjoint_a else 0
    return invalid(
        f"{'k' if is_inner else 'm'} ({value}) from index[{entry},{column}] out of bounds "
        f"(>={shape[axis]})"
    )


@op(
    "_sparse_matmul",
    kernel="SparseTensorDenseMatMul",
    mismatch=_mismatch,
    check=Check(("indices",), _test_places, _place_error),
)
def _sparse_matmul(
    values: TensorLike,
    b: TensorLike,
    indices: IndexLike,
    shape: tuple[int, ...],
    adjoint_a: bool,
    adjoint_b: bool,
) -> jax.Array:
    """Multiplies a sparse and a dense matrix; see `sparse_dense_matmul`."""
    rows, columns = shape
    if adjoint_b:
        b = jnp.conj(b).T
    if adjoint_a:
        values, indices, rows, columns = jnp.conj(values), indices[:, ::-1], columns, rows
    if b.ndim != 2:
        raise invalid("Tensor 'b' is not a matrix")
    if columns != b.shape[0]:
        raise invalid(
            "Cannot multiply A and B because inner dimension does not match: "
            f"{columns} vs. {b.shape[0]}.  Did you forget a transpose?  Dimensions of A: "
            f"[{shape[0]}, {shape[1]}).  Dimensions of B: [{b.shape[0]},{b.shape[1]}]"
        )
    # Imported when it is used: it loads SciPy's solvers, which take longer than this package.
    jax_sparse = importlib.import_module("jax.experimental.sparse")
    matrix = jax_sparse.BCOO((values, indices), shape=(rows, columns))
    return matrix @ b


@function("sparse.sparse_dense_matmul")
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
    """Multiplies two matrices, one of which is sparse.

    The gradient goes to the elements of the sparse matrix and to the dense one; the time is
    proportional to the number of elements.

    Args:
        sp_a: a matrix `[m, k]`, sparse, or dense if `b` is sparse.
        b: a matrix `[k, n]` of the same dtype.
        adjoint_a: transpose and conjugate `sp_a` first.
        adjoint_b: transpose and conjugate `b` first.
        name: ignored.

    Returns:
        A dense matrix `[m, n]`.

    Raises:
        InvalidArgumentError: if the sizes or dtypes do not fit, or a place lies outside of the
            sparse matrix.

    >>> tf.sparse.sparse_dense_matmul(tf.sparse.eye(2), [[1.0], [2.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):
        # A B = (B' A')'
        product = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return transpose(product, conjugate=True)
    given = sparse(sp_a)
    dense = convert(b, None if hasattr(b, "dtype") else given.dtype)
    if len(given._static) != 2:
        raise invalid("Tensor 'a_shape' must have 2 elements")
    return _sparse_matmul(
        given.values, dense, given.indices, given._static, bool(adjoint_a), bool(adjoint_b)
    )


@function("sparse.sampled_addmm")
def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = "float32",
) -> Any:
    """Computes `alpha * (mat1 @ mat2) + beta * sparse` at the places of a sparse matrix only.

    Args:
        indices: the places, `[n, 2]`, int32 or int64.
        values: the elements, `[n]`.
        dense_shape: the shape `[rows, columns]`.
        mat1: a matrix `[rows, k]`.
        mat2: a matrix `[k, columns]`.
        beta: a factor for the elements.
        alpha: a factor for the product.
        output_type: the dtype of the result.

    Returns:
        The places, the elements of the result, and the shape.

    >>> places, values, _ = tf.sparse.sampled_addmm(
    ...     [[0, 1]], [10.0], [1, 2], [[2.0]], [[3.0, 4.0]])
    >>> values.numpy()
    array([18.], dtype=float32)
    """
    places, elements = convert(indices), convert(values)
    first, second = convert(mat1), convert(mat2)
    rows = take(first, places[:, 0], 0)
    columns = take(transpose(second), places[:, 1], 0)
    products = reduce_sum(rows * columns, axis=1)
    result = cast(products, output_type) * alpha + cast(elements, output_type) * beta
    return places, result, convert(dense_shape)
