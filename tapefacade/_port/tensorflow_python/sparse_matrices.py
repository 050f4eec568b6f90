"""`tensorflow.python.ops.linalg.sparse`: matrices with few values other than zero, in batches."""

from typing import Any, NamedTuple, Self

from tapefacade._core.conversion import convert
from tapefacade._core.missing_names import root_module
from tapefacade._core.tensor import EagerTensor
from tapefacade._sparse.tensor import SparseTensor

MESSAGE_RANK = "A sparse matrix has rank 2 or 3, given {rank}."


class CSRSparseMatrix:
    """A sparse matrix, or a batch of them: a `tf.SparseTensor` of rank 2 or 3 underneath.

    Args:
        value: a `tf.SparseTensor`, or a dense tensor.
        indices: where a dense tensor is kept; where it is not zero, if None.
        name: accepted for TensorFlow's sake.

    Raises:
        ValueError: if it has another rank, or if a `tf.SparseTensor` is given with indices.

    >>> matrix = CSRSparseMatrix(tf.constant([[1.0, 0.0], [0.0, 2.0]]))
    >>> matrix.to_dense().numpy().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        if isinstance(value, SparseTensor):
            if indices is not None:
                raise ValueError("indices must be None if value is a SparseTensor.")
            sparse = value
        else:
            tf, dense = root_module(), convert(value)
            places = tf.where(tf.not_equal(dense, 0)) if indices is None else indices
            sparse = SparseTensor(places, tf.gather_nd(dense, places), dense.shape)
        if sparse.shape.rank not in (2, 3):
            raise ValueError(MESSAGE_RANK.format(rank=sparse.shape.rank))
        self._sparse = sparse

    @property
    def shape(self) -> Any:
        """Its shape."""
        return self._sparse.shape

    @property
    def dtype(self) -> Any:
        """Its dtype."""
        return self._sparse.dtype

    def to_sparse_tensor(self) -> SparseTensor:
        """Returns the matrix as a `tf.SparseTensor`, sorted by rows."""
        return root_module().sparse.reorder(self._sparse)

    def to_dense(self) -> EagerTensor:
        """Returns the matrix as a dense tensor."""
        return root_module().sparse.to_dense(self.to_sparse_tensor())

    def sorted_indices(self) -> EagerTensor:
        """Returns where values are kept, by rows."""
        return self.to_sparse_tensor().indices

    def nnz(self) -> EagerTensor:
        """Counts the values that are kept, of each matrix of a batch."""
        tf = root_module()
        if self.shape.rank == 2:
            return tf.shape(self._sparse.values)[0]
        batch = tf.cast(self._sparse.indices[:, 0], tf.int32)
        return tf.math.bincount(batch, minlength=self.shape[0])

    nonzero = nnz

    def conj(self) -> Self:
        """Conjugates the values."""
        tf = root_module()
        return type(self)(self._sparse.with_values(tf.math.conj(self._sparse.values)))

    def transpose(self) -> Self:
        """Swaps rows and columns."""
        order = [*range(self.shape.rank - 2), self.shape.rank - 1, self.shape.rank - 2]
        return type(self)(root_module().sparse.transpose(self._sparse, order))

    def hermitian_transpose(self) -> Self:
        """Swaps rows and columns, and conjugates the values."""
        return self.conj().transpose()


SparseMatrix = CSRSparseMatrix


class SparseReorder(NamedTuple):
    """Where values are kept, by rows, and the values: what the raw op returns."""

    output_indices: Any
    output_values: Any


def sparse_reorder(
    input_indices: Any, input_values: Any, input_shape: Any, name: str | None = None
) -> SparseReorder:
    """Sorts the values of a sparse tensor by rows: `gen_sparse_ops.sparse_reorder`.

    Args:
        input_indices: where the values are.
        input_values: the values.
        input_shape: the shape of the tensor.
        name: accepted for TensorFlow's sake.

    >>> sparse_reorder([[1], [0]], [1.0, 2.0], [2]).output_values.numpy().tolist()
    [2.0, 1.0]
    """
    sparse = root_module().sparse
    sorted_one = sparse.reorder(SparseTensor(input_indices, input_values, input_shape))
    return SparseReorder(sorted_one.indices, sorted_one.values)


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies matrices, of which one or both may be sparse.

    Unlike TensorFlow the product is computed densely: XLA has no sparse one.

    Args:
        a: a tensor or a sparse matrix, of rank 2 or 3.
        b: likewise.
        transpose_a: transpose `a` first.
        transpose_b: transpose `b` first.
        adjoint_a: conjugate and transpose `a` first.
        adjoint_b: conjugate and transpose `b` first.
        name: accepted for TensorFlow's sake.

    Returns:
        A sparse matrix, which keeps what is a sum of products of values that are kept, if both
        are sparse; else a tensor.

    >>> matmul(CSRSparseMatrix([[0.0, 2.0], [0.0, 0.0]]), [[1.0], [3.0]]).numpy().tolist()
    [[6.0], [0.0]]
    """
    tf = root_module()
    orders = {"transpose_a": transpose_a, "transpose_b": transpose_b,
              "adjoint_a": adjoint_a, "adjoint_b": adjoint_b}  # fmt: skip
    are_sparse = [isinstance(x, CSRSparseMatrix) for x in (a, b)]
    product = tf.matmul(
        *(x.to_dense() if isinstance(x, CSRSparseMatrix) else x for x in (a, b)), **orders
    )
    if not all(are_sparse):
        return product
    kept = (tf.ones_like(x._sparse.values, dtype=tf.float32) for x in (a, b))
    patterns = [CSRSparseMatrix(x._sparse.with_values(ones)) for x, ones in zip((a, b), kept)]  # noqa: B905
    counts = tf.matmul(*(pattern.to_dense() for pattern in patterns), **orders)
    return CSRSparseMatrix(product, tf.where(counts > 0))
