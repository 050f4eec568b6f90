"""Matrices built from diagonals, and the diagonals and bands of matrices."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.error_texts import (
    inconvertible,
    inconvertible_argument,
    invalid,
    refused_by_kernel,
    refused_choice,
    shape_text,
)
from tapefacade._definition.op import FreeTensor, TensorLike, op

NUMBERS = ("bfloat16", "half", "float", "double", "int32", "int64", "complex64", "complex128")
ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


@op("linalg.diag", kernel="MatrixDiagV3")
def diag(
    diagonal: FreeTensor,
    name: None = None,
    k: Any = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: float = 0,
    align: str = "RIGHT_LEFT",
) -> jax.Array:
    """Makes matrices with the given diagonals.

    Args:
        diagonal: a tensor of shape `[..., N]`, or `[..., D, N]` where `k` asks for D diagonals,
            the uppermost first.
        name: ignored.
        k: the number of the diagonal, 0 the main one, positive above it; or the pair of the
            lowest and the highest.
        num_rows: the number of rows; -1 for the fewest that hold the diagonals.
        num_cols: the number of columns, likewise.
        padding_value: what stands beside the diagonals.
        align: `"RIGHT_LEFT"`, `"LEFT_RIGHT"`, `"LEFT_LEFT"` or `"RIGHT_RIGHT"`: on which side
            shorter diagonals above and below the main one are kept in their rows of `diagonal`.

    Returns:
        A tensor of shape `[..., num_rows, num_cols]` and the type of `diagonal`.

    Raises:
        InvalidArgumentError: if the diagonals do not fit into such matrices.

    >>> tf.linalg.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    _check_alignment(align)
    lower, upper = _band(k)
    if diagonal.ndim < 1:
        raise invalid("diagonal must be at least 1-dim, received shape: []")
    count = upper - lower + 1
    if count > 1 and (diagonal.ndim < 2 or diagonal.shape[-2] != count):
        raise invalid(
            "The number of diagonals provided in the input does not match the lower_diag_index "
            "and upper_diag_index range."
        )
    length = diagonal.shape[-1]
    rows, columns = _matrix_size(length, lower, upper, num_rows, num_cols)
    batch = diagonal.shape[: diagonal.ndim - (2 if count > 1 else 1)]
    padding = jnp.asarray(padding_value, diagonal.dtype)
    matrix = jnp.broadcast_to(padding, (*batch, rows, columns))
    return _with_diagonals(matrix, diagonal, lower, upper, align)


def _matrix_size(length: int, lower: int, upper: int, rows: int, columns: int) -> tuple[int, int]:
    """Returns the number of rows and columns, both the fewest possible where they are -1."""
    fewest_rows = length - min(upper, 0)
    fewest_columns = length + max(lower, 0)
    if rows == -1 and columns == -1:
        size = max(fewest_rows, fewest_columns)
        return size, size
    if rows != -1 and rows < fewest_rows:
        raise invalid("The number of rows is too small.")
    if columns != -1 and columns < fewest_columns:
        raise invalid("The number of columns is too small.")
    rows = fewest_rows if rows == -1 else rows
    columns = fewest_columns if columns == -1 else columns
    if rows != fewest_rows and columns != fewest_columns:
        raise invalid(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            "and diagonal."
        )
    return rows, columns


@op("linalg.diag_part", kernel="MatrixDiagPartV3")
def diag_part(
    input: FreeTensor,
    name: None = None,
    k: Any = 0,
    padding_value: float = 0,
    align: str = "RIGHT_LEFT",
) -> jax.Array:
    """Takes diagonals out of matrices.

    Args:
        input: a tensor of shape `[..., M, N]`.
        name: ignored.
        k: the number of the diagonal, 0 the main one, positive above it; or the pair of the
            lowest and the highest.
        padding_value: what fills the rows of shorter diagonals.
        align: on which side shorter diagonals are kept in their rows; see `tf.linalg.diag`.

    Returns:
        A tensor of shape `[..., L]`, or `[..., D, L]` for D diagonals, the uppermost first,
        where L is the length of the longest.

    Raises:
        InvalidArgumentError: if `input` is no matrix or has no such diagonal.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    _check_alignment(align)
    lower, upper = _band(k)
    _check_matrix(input)
    rows, columns = input.shape[-2:]
    _check_band(lower, upper, rows, columns, ".")
    if lower == upper:
        return _diagonal(input, lower)
    longest = _longest(rows, columns, lower, upper)
    padding = jnp.asarray(padding_value, input.dtype)
    parts = []
    for number in range(upper, lower - 1, -1):
        part = _diagonal(input, number)
        before = _offset(number, part.shape[-1], longest, align)
        after = longest - part.shape[-1] - before
        sides = [(0, 0, 0)] * (part.ndim - 1) + [(before, after, 0)]
        parts.append(lax.pad(part, padding, sides))
    return jnp.stack(parts, -2)


@op("linalg.set_diag", kernel="MatrixSetDiagV3")
def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: None = None,
    k: Any = 0,
    align: str = "RIGHT_LEFT",
) -> jax.Array:
    """Replaces diagonals of matrices.

    Args:
        input: a tensor of shape `[..., M, N]`.
        diagonal: a tensor of shape `[..., L]`, or `[..., D, L]` for D diagonals, the uppermost
            first, where L is the length of the longest; of the type of `input`.
        name: ignored.
        k: the number of the diagonal, 0 the main one, positive above it; or the pair of the
            lowest and the highest.
        align: on which side shorter diagonals are kept in their rows; see `tf.linalg.diag`.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if `input` is no matrix, has no such diagonal, or `diagonal` has
            another shape.

    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 0]).numpy()
    array([[0, 2],
           [3, 0]], dtype=int32)
    """
    _check_alignment(align)
    lower, upper = _band(k)
    _check_matrix(input)
    rows, columns = input.shape[-2:]
    _check_band(lower, upper, rows, columns, "")
    count = upper - lower + 1
    longest = _longest(rows, columns, lower, upper)
    wanted = (*input.shape[:-2], *((count,) if count > 1 else ()), longest)
    if diagonal.shape != wanted:
        raise refused_by_kernel(
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            f"[lower_diag_index:upper_diag_index].\nInput shape: {shape_text(input.shape)}\n"
            f"Diagonal shape: {shape_text(diagonal.shape)}\n"
            f"Expected diagonal shape: {shape_text(wanted)}"
        )
    return _with_diagonals(input, diagonal, lower, upper, align)


def _with_diagonals(
    matrix: jax.Array, diagonal: jax.Array, lower: int, upper: int, align: str
) -> jax.Array:
    """Returns `matrix` with the diagonals from `lower` to `upper` replaced."""
    rows, columns = matrix.shape[-2:]
    if lower == upper:
        return _with_diagonal(matrix, diagonal, lower)
    longest = diagonal.shape[-1]
    for row, number in enumerate(range(upper, lower - 1, -1)):
        length = max(0, min(rows + min(number, 0), columns - max(number, 0)))
        before = _offset(number, length, longest, align)
        part = diagonal[..., row, before : before + length]
        matrix = _with_diagonal(matrix, part, number)
    return matrix


def _with_diagonal(matrix: jax.Array, diagonal: jax.Array, number: int) -> jax.Array:
    """Selects instead of scattering: an accelerator does it in one pass."""
    rows, columns = matrix.shape[-2:]
    before = max(-number, 0)
    after = rows - before - diagonal.shape[-1]
    sides = [(0, 0, 0)] * (diagonal.ndim - 1) + [(before, after, 0)]
    column = lax.pad(diagonal, jnp.zeros((), diagonal.dtype), sides)[..., None]
    return jnp.where(_distances(rows, columns) == number, column, matrix)


def _distances(rows: int, columns: int) -> jax.Array:
    """Returns the number of the diagonal on which each element of a matrix lies."""
    column = lax.broadcasted_iota(jnp.int32, (rows, columns), 1)
    return column - lax.broadcasted_iota(jnp.int32, (rows, columns), 0)


def _diagonal(matrix: jax.Array, number: int) -> jax.Array:
    """Takes one diagonal; `jnp.diagonal` hides from a tape that its derivative is constant."""
    rows, columns = matrix.shape[-2:]
    length = max(0, min(rows + min(number, 0), columns - max(number, 0)))
    row, column = (np.arange(length) + max(start, 0) for start in (-number, number))
    return matrix.at[..., row, column].get(mode="promise_in_bounds", unique_indices=True)


def _offset(number: int, length: int, longest: int, align: str) -> int:
    """Returns how far a diagonal begins from the left end of its row."""
    above, below = align.split("_")
    side = above if number >= 0 else below
    return longest - length if side == "RIGHT" else 0


def _longest(rows: int, columns: int, lower: int, upper: int) -> int:
    return min(rows + min(upper, 0), columns - max(lower, 0))


def _band(k: Any) -> tuple[int, int]:
    numbers = tuple(k) if isinstance(k, list | tuple) else (k,)
    for number in numbers:
        if not hasattr(number, "__index__"):
            raise inconvertible(k, "int32")
    if len(numbers) not in (1, 2):
        raise invalid(
            f"diag_index must have only one or two elements, received {len(numbers)} elements."
        )
    lower, upper = numbers[0], numbers[-1]
    if lower > upper:
        raise invalid(
            f"lower_diag_index must not be larger than upper_diag_index: {lower} > {upper}"
        )
    return lower, upper


def _check_band(lower: int, upper: int, rows: int, columns: int, end: str) -> None:
    for name, number in (("lower", lower), ("upper", upper)):
        if not (-rows < number < columns or number == 0):
            raise invalid(
                f"{name}_diag_index is out of bound: {number}{end} "
                f"It must be between {-rows} and {columns}"
            )


def _check_alignment(align: str) -> None:
    if align not in ALIGNMENTS:
        raise invalid(refused_choice("align", align, ALIGNMENTS))


def _check_matrix(input: jax.Array) -> None:
    if input.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shape_text(input.shape)}")


@op("linalg.trace", kernel="MatrixDiagPartV3")
def trace(x: FreeTensor) -> jax.Array:
    """Sums the main diagonals of matrices.

    Args:
        x: a tensor of shape `[..., M, N]`.

    Returns:
        A tensor of shape `[...]` and the type of `x`.

    Raises:
        InvalidArgumentError: if `x` is no matrix.

    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy()
    np.int32(5)
    """
    _check_matrix(x)
    return jnp.sum(_diagonal(x, 0), -1, dtype=x.dtype)


@op("linalg.band_part", kernel="MatrixBandPart", raw_op=True)
def band_part(input: FreeTensor, num_lower: Any, num_upper: Any) -> jax.Array:
    """Keeps the central band of matrices and sets the rest to zero.

    Args:
        input: a tensor of shape `[..., M, N]`.
        num_lower: how many diagonals below the main one to keep; all of them if negative.
        num_upper: how many above it, likewise.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if `input` is no matrix, or has fewer rows or columns than are to be
            kept.

    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy()
    array([[1, 0],
           [3, 4]], dtype=int32)
    """
    for number in (num_lower, num_upper):
        if not isinstance(number, int):
            raise inconvertible_argument(number, "int64")
    _check_matrix(input)
    rows, columns = input.shape[-2:]
    if num_lower > rows:
        raise invalid(
            f"num_lower must be negative or less or equal to number of rows ({rows}) "
            f"got: {num_lower}"
        )
    if num_upper > columns:
        raise invalid(
            f"num_upper must be negative or less or equal to number of columns ({columns}) "
            f"got: {num_upper}"
        )
    distances = _distances(rows, columns)
    kept = jnp.ones((rows, columns), bool)
    if num_lower >= 0:
        kept &= distances >= -num_lower
    if num_upper >= 0:
        kept &= distances <= num_upper
    return jnp.where(kept, input, jnp.zeros((), input.dtype))


@op("linalg.tensor_diag", kernel="Diag", dtypes=NUMBERS, raw_op=True)
def tensor_diag(diagonal: TensorLike) -> jax.Array:
    """Makes a tensor that is `diagonal` where the first indices equal the last, and zero elsewhere.

    Args:
        diagonal: a tensor of shape `[D1, ..., Dn]`.

    Returns:
        A tensor of shape `[D1, ..., Dn, D1, ..., Dn]`.

    Raises:
        InvalidArgumentError: if `diagonal` is a scalar.

    >>> tf.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    if diagonal.ndim == 0:
        raise invalid("Input must be at least rank 1, got 0")
    size = math.prod(diagonal.shape)
    zeros = jnp.zeros((size, size), diagonal.dtype)
    return _with_diagonal(zeros, diagonal.reshape(size), 0).reshape(diagonal.shape * 2)


@op("linalg.tensor_diag_part", kernel="DiagPart", dtypes=NUMBERS, raw_op=True)
def tensor_diag_part(input: TensorLike) -> jax.Array:
    """Takes the elements whose first indices equal the last.

    Args:
        input: a tensor of shape `[D1, ..., Dn, D1, ..., Dn]`.

    Returns:
        A tensor of shape `[D1, ..., Dn]`.

    Raises:
        InvalidArgumentError: if `input` has another form.

    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    if input.ndim % 2 or input.ndim == 0:
        raise invalid(
            "The rank of the tensor should be                                          even and "
            f"positive, got shape {shape_text(input.shape)}"
        )
    half = input.ndim // 2
    for axis in range(half):
        if input.shape[axis] != input.shape[axis + half]:
            raise invalid(
                f"Invalid shape {shape_text(input.shape)}: dimensions {axis} and {axis + half} do "
                "not match."
            )
    size = math.prod(input.shape[:half])
    return _diagonal(input.reshape(size, size), 0).reshape(input.shape[:half])
