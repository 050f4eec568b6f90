"""Tridiagonal matrices: products, systems of equations, eigenvalues."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.conversion import convert_to_tensor, is_tensor
from tapefacade._core.error_texts import invalid, unequal_shapes
from tapefacade._definition.argument_checks import mapped_over_axes
from tapefacade._definition.op import TensorLike, function, op
from tapefacade._ops.array.casting import conj, real
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.padding import pad
from tapefacade._ops.array.shaping import expand_dims, matrix_transpose, reshape, squeeze
from tapefacade._ops.linalg.diagonals import diag_part
from tapefacade._ops.linalg.factorizations import wide
from tapefacade._ops.linalg.solving import MESSAGE_RANKS, input_no_matrix

TRIDIAGONAL = ("double", "float", "complex64", "complex128")


@op("_tridiagonal_matmul", kernel="TridiagonalMatMul", dtypes=TRIDIAGONAL)
def _tridiagonal_matmul(
    above: TensorLike, diagonal: TensorLike, below: TensorLike, rhs: TensorLike
) -> jax.Array:
    """Multiplies tridiagonal matrices, given as three rows `[..., 1, M]`, with `[..., M, K]`."""
    for given in (above, diagonal, below):
        if given.ndim < 2:
            raise invalid(input_no_matrix(given.ndim))
        if given.ndim != rhs.ndim or given.shape[:-2] != rhs.shape[:-2]:
            raise invalid(MESSAGE_RANKS)
    for given, name in ((above, "super"), (diagonal, "main"), (below, "sub")):
        if given.shape[-2:] != (1, rhs.shape[-2]):
            raise invalid(f"Invalid {name}diagonal shape.")
    up, mid, low = [jnp.squeeze(given, -2)[..., None] for given in (above, diagonal, below)]
    return _product(up, mid, low, rhs)


def _product(above: Any, diagonal: Any, below: Any, rhs: Any) -> jax.Array:
    """Multiplies; the first of `below` and the last of `above` are not read."""
    padding = [(0, 0)] * (rhs.ndim - 2)
    result = diagonal * rhs
    result = result + jnp.pad(above[..., :-1, :] * rhs[..., 1:, :], [*padding, (0, 1), (0, 0)])
    return result + jnp.pad(below[..., 1:, :] * rhs[..., :-1, :], [*padding, (1, 0), (0, 0)])


def _square(diagonals: Any) -> int:
    rows, columns = diagonals.shape[-2], diagonals.shape[-1]
    if rows != columns:
        raise ValueError(
            f"Expected last two dimensions of diagonals to be same, got {columns} and {rows}"
        )
    return columns


def _compact(diagonals: Any) -> Any:
    """Returns the three diagonals of matrices, in the compact form."""
    _square(diagonals)
    if diagonals.shape[-1] == 0:
        return reshape(diagonals, (*diagonals.shape[:-2], 3, 0))
    return diag_part(diagonals, k=(-1, 1), align="LEFT_RIGHT")


def _unknown(diagonals_format: Any) -> ValueError:
    return ValueError(f"Unrecognized diagonals_format: {diagonals_format}")


@function("linalg.tridiagonal_matmul")
def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Any:
    """Multiplies tridiagonal matrices with matrices.

    Args:
        diagonals: the diagonals above, on and below the main one. `"compact"`: a tensor of shape
            `[..., 3, M]`; `"sequence"`: three tensors of shape `[..., M]`; `"matrix"`: the
            matrices themselves, of shape `[..., M, M]`. The last number above and the first one
            below are not read.
        rhs: a tensor of shape `[..., M, K]`, of the same float32, float64 or complex type.
        diagonals_format: what `diagonals` is.
        name: ignored.

    Returns:
        A tensor of shape `[..., M, K]`.

    Raises:
        ValueError: if `diagonals_format` is none of these.
        InvalidArgumentError: if the shapes do not fit together.

    >>> tf.linalg.tridiagonal_matmul(
    ...     [[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]], [[1.0], [1.0]]).numpy()
    array([[3.],
           [5.]], dtype=float32)
    """
    if diagonals_format == "sequence":
        above, diagonal, below = (convert_to_tensor(given) for given in diagonals)
        above, diagonal, below = (expand_dims(given, -2) for given in (above, diagonal, below))
    elif diagonals_format in ("compact", "matrix"):
        given = convert_to_tensor(diagonals)
        if diagonals_format == "matrix":
            given = _compact(given)
        above, diagonal, below = (given[..., place : place + 1, :] for place in range(3))
    else:
        raise _unknown(diagonals_format)
    return _tridiagonal_matmul(above, diagonal, below, rhs)


# Equations.


def _eliminated(rows: Any, following: Any, pivoting: bool) -> Any:
    """Eliminates one entry below the diagonal, of one matrix.

    Args:
        rows: the entries of the row above in its own column and the next one, its right-hand
            side, and the size of the entries it had at first.
        following: the entries of the next row in those columns and one more, and its right-hand
            side.
        pivoting: whether the rows may change places.

    Returns:
        The row below, as `rows`, and the finished row: three entries and its right-hand side.
    """
    first, second, right, size = rows
    entry, middle, last, side = following
    own = jnp.abs(entry) + jnp.abs(middle) + jnp.abs(last)
    # A row is chosen for its entry in proportion to its others, as LAPACK's dlagtf does.
    swap = (jnp.abs(entry) * size >= jnp.abs(first) * own) & (entry != 0)
    swap = swap if pivoting else jnp.zeros_like(swap)
    pivot, other = jnp.where(swap, entry, first), jnp.where(swap, first, entry)
    factor = jnp.where(other == 0, jnp.zeros_like(other), other / pivot)
    kept = (
        jnp.where(swap, middle, second),
        jnp.where(swap, last, jnp.zeros_like(last)),
        jnp.where(swap, side, right),
    )
    below = (
        jnp.where(swap, second, middle) - factor * kept[0],
        jnp.where(swap, jnp.zeros_like(last), last) - factor * kept[1],
        jnp.where(swap, right, side) - factor * kept[2],
        jnp.where(swap, size, own),
    )
    return below, (pivot, *kept)


def _solve_one(
    above: Any, diagonal: Any, below: Any, rhs: Any, pivoting: bool, perturb: bool
) -> jax.Array:
    """Solves one tridiagonal system with the right-hand sides `[M, K]`."""
    start = (
        diagonal[0], above[0], rhs[0],
        jnp.abs(diagonal[0]) + jnp.abs(above[0]),
    )  # fmt: skip

    def forward(rows: Any, following: Any) -> Any:
        return _eliminated(rows, following, pivoting)

    following = (below[1:], diagonal[1:], above[1:], rhs[1:])
    last, finished = lax.scan(forward, start, following)
    zero = jnp.zeros_like(last[0])
    bottom = (last[0], zero, zero, last[2])
    pivots, seconds, thirds, sides = (
        jnp.concatenate([done, end[None]]) for done, end in zip(finished, bottom, strict=True)
    )
    singular = jnp.any(pivots == 0)
    if perturb:
        pivots = _perturbed(pivots, seconds, thirds)

    def backward(solved: Any, row: Any) -> Any:
        next_one, one_after = solved
        pivot, second, third, side = row
        value = (side - second * next_one - third * one_after) / pivot
        return (value, next_one), value

    nothing = jnp.zeros_like(rhs[0])
    rows = (pivots, seconds, thirds, sides)
    _, solution = lax.scan(backward, (nothing, nothing), rows, reverse=True)
    if perturb:
        return solution
    return jnp.where(singular, jnp.asarray(np.nan, solution.dtype), solution)


def _perturbed(pivots: jax.Array, seconds: jax.Array, thirds: jax.Array) -> jax.Array:
    """Puts a small number in the place of pivots that are zero, as LAPACK's dlagts does."""
    kind = jnp.finfo(pivots.dtype)
    largest = jnp.max(jnp.abs(jnp.stack([pivots, seconds, thirds])))
    small = jnp.maximum(largest * kind.eps, kind.tiny).astype(pivots.dtype)
    return jnp.where(pivots == 0, small, pivots)


def _solve_all(
    above: Any, diagonal: Any, below: Any, rhs: Any, pivoting: bool, perturb: bool
) -> jax.Array:
    def solve(above: Any, diagonal: Any, below: Any, rhs: Any) -> jax.Array:
        size = diagonal.shape[0]
        inside = np.arange(size)
        above = jnp.where(inside < size - 1, above, jnp.zeros_like(above))
        below = jnp.where(inside > 0, below, jnp.zeros_like(below))

        def product(x: jax.Array) -> jax.Array:
            return _product(above[:, None], diagonal[:, None], below[:, None], x)

        def forward(_: Any, b: jax.Array) -> jax.Array:
            return _solve_one(above, diagonal, below, b, pivoting, perturb)

        def transposed(_: Any, b: jax.Array) -> jax.Array:
            up, down = jnp.roll(below, -1), jnp.roll(above, 1)
            return _solve_one(up, diagonal, down, b, pivoting, perturb)

        return lax.custom_linear_solve(product, rhs, forward, transposed)

    return mapped_over_axes(solve, rhs.ndim - 2)(above, diagonal, below, rhs)


@op("_tridiagonal_solve", kernel="TridiagonalSolve", dtypes=TRIDIAGONAL)
def _tridiagonal_solve(
    diagonals: TensorLike, rhs: TensorLike, partial_pivoting: bool, perturb_singular: bool
) -> jax.Array:
    """Solves tridiagonal systems in the compact form; `rhs` has shape `[..., M, K]`."""
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    if rhs.size == 0:
        return jnp.zeros_like(rhs)
    above, diagonal, below = (diagonals[..., place, :] for place in range(3))
    return _solve_all(above, diagonal, below, rhs, partial_pivoting, perturb_singular)


@function("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:
    """Solves systems of linear equations whose matrices are tridiagonal.

    Beyond TensorFlow, every way to compute it is available on every device, lists and NumPy arrays
    are accepted, and the gradient of complex systems is conjugated as it has to be.

    Args:
        diagonals: the diagonals above, on and below the main one. `"compact"`: a tensor of shape
            `[..., 3, M]`, in which the last number above and the first one below are not read;
            `"sequence"`: three tensors of shape `[..., M]`, of which the outer two may lack that
            number; `"matrix"`: the matrices themselves, of shape `[..., M, M]`.
        rhs: the right-hand sides, of shape `[..., M]` or, in columns, `[..., M, K]`; of the same
            float32, float64 or complex type.
        diagonals_format: what `diagonals` is.
        transpose_rhs: the right-hand sides are in rows.
        conjugate_rhs: take the conjugates of the right-hand sides.
        name: ignored.
        partial_pivoting: exchange rows where that is more accurate.
        perturb_singular: replace pivots that are zero by tiny numbers, so that singular systems
            have (huge) solutions.

    Returns:
        The solutions, of the shape of `rhs` (in columns, also if `transpose_rhs`); nan for
        singular systems.

    Raises:
        ValueError: if the shapes do not fit together, `diagonals_format` is none of these, or
            `perturb_singular` is given without `partial_pivoting`.

    >>> tf.linalg.tridiagonal_solve(
    ...     tf.constant([[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]]), tf.constant([3.0, 5.0])).numpy()
    array([1., 1.], dtype=float32)
    """
    if diagonals_format not in ("compact", "sequence", "matrix"):
        raise _unknown(diagonals_format)
    if diagonals_format == "sequence":
        rows: Any = _from_sequence(diagonals)
    else:
        rows = convert_to_tensor(diagonals)
        rows = _compact(rows) if diagonals_format == "matrix" else rows
    given: Any = rhs if is_tensor(rhs) else convert_to_tensor(rhs, dtype_hint=rows.dtype)
    _check_system(rows, given, transpose_rhs)
    if conjugate_rhs:
        given = conj(given)
    if given.shape.rank == rows.shape.rank - 1:
        given = expand_dims(given, -1)
        solved = _tridiagonal_solve(rows, given, partial_pivoting, perturb_singular)
        return squeeze(solved, -1)
    if transpose_rhs:
        given = matrix_transpose(given)
    return _tridiagonal_solve(rows, given, partial_pivoting, perturb_singular)


def _check_system(rows: Any, given: Any, transpose_rhs: bool) -> None:
    rank = rows.shape.rank
    if rank < 2:
        raise ValueError(f"Expected diagonals to have rank at least 2, got {rank}")
    if given.shape.rank not in (rank - 1, rank):
        raise ValueError(
            f"Expected the rank of rhs to be {rank - 1} or {rank}, got {given.shape.rank}"
        )
    if rows.shape[-2] != 3:
        raise ValueError(f"Expected 3 diagonals got {rows.shape[-2]}")
    batch, size = rows.shape[:-2], rows.shape[-1]
    if batch != given.shape[: rank - 2]:
        raise ValueError(f"Batch shapes {batch} and {given.shape[: rank - 2]} are incompatible")
    vectors = given.shape.rank == rank - 1
    found = given.shape[-1 if vectors or transpose_rhs else -2]
    if found != size:
        raise ValueError(
            f"Expected number of left-hand sided and right-hand sides to be equal, got {size} and "
            f"{found}"
        )


def _from_sequence(diagonals: Any) -> Any:
    if not isinstance(diagonals, list | tuple) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    tensors: list[Any] = [convert_to_tensor(given) for given in diagonals]
    above, diagonal, below = tensors
    batch, size = diagonal.shape[:-1], diagonal.shape[-1]
    for given, name in ((above, "super"), (below, "sub")):
        if given.shape[:-1] != batch:
            raise ValueError("Tensors composing diagonals must have the same batch shape.")
        if given.shape[-1] not in (size, size - 1):
            raise ValueError(
                f"Expected {name}diagonal to be have length {size} or {size - 1}, got "
                f"{given.shape[-1]}."
            )
    padding = [[0, 0]] * (diagonal.shape.rank - 1)
    if above.shape[-1] == size - 1:
        above = pad(above, [*padding, [0, 1]])
    if below.shape[-1] == size - 1:
        below = pad(below, [*padding, [1, 0]])
    return stack([above, diagonal, below], axis=-2)


@op("_eigh_tridiagonal", kernel="SelfAdjointEigV2")
def _eigh_tridiagonal(alpha: TensorLike, beta: TensorLike) -> tuple[jax.Array, jax.Array]:
    """Computes all eigenvalues, in ascending order and real, and the vectors."""
    diagonal, above = wide(jnp.real(alpha)), wide(beta)
    matrix = jnp.diag(diagonal).astype(above.dtype) + jnp.diag(above, 1)
    matrix = matrix + jnp.diag(jnp.conj(above), -1)
    values, vectors = jnp.linalg.eigh(matrix)
    known = jnp.all(jnp.isfinite(diagonal)) & jnp.all(jnp.isfinite(above))
    values = jnp.where(known, values, jnp.nan)  # LAPACK takes NaN for a number
    vectors = jnp.where(known, vectors, jnp.nan)
    return values.astype(jnp.real(alpha).dtype), vectors.astype(alpha.dtype)


def _bounds(select_range: Any, index: bool) -> tuple[Any, Any]:
    low, high = (np.asarray(bound).item() for bound in tuple(select_range)[:2])
    if low > high if index else low >= high:
        what = "index range" if index else "interval"
        sign = "<=" if index else "<"
        raise invalid(
            f"Got empty {what} in select_range.\nCondition x {sign} y did not hold.\n"
            f"First 1 elements of x:\n[{low}]\nFirst 1 elements of y:\n[{high}]"
        )
    return low, high


@function("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Computes eigenvalues, and the vectors that belong to them, of a tridiagonal matrix.

    The matrix is self-adjoint: real and symmetric, or Hermitian. Unlike TensorFlow, the values
    are as exact as the type allows whatever `tol` is, their gradient is their derivative, and
    the signs of the vectors are those that LAPACK or cuSOLVER give.

    Args:
        alpha: the diagonal, a floating or complex vector of length M, whose real parts count.
        beta: the diagonal above it, of length M - 1 and the same type.
        eigvals_only: return no vectors.
        select: which eigenvalues: all (`"a"`), those within an interval (`"v"`), or those whose
            places in ascending order are within a range (`"i"`).
        select_range: the lower and the upper bound, which count as well.
        tol: ignored.
        name: ignored.

    Returns:
        A vector of the eigenvalues in ascending order, real; unless `eigvals_only` a tuple of it
        and a matrix with the vectors in its columns.

    Raises:
        ValueError: if `select` is none of these, or the dtypes differ.
        InvalidArgumentError: if the range is empty.

    >>> tf.linalg.eigh_tridiagonal([1.0, 2.0], [0.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    diagonal = convert_to_tensor(alpha)
    above = convert_to_tensor(beta)
    if diagonal._type.shape == (1,) and above._type.shape == (0,):
        return real(diagonal)  # as it is, whatever else is asked for
    if not (diagonal.dtype.is_floating or diagonal.dtype.is_complex):
        raise ValueError(f"data type {diagonal.dtype.as_numpy_dtype} not inexact")
    if diagonal.dtype is not above.dtype:
        raise ValueError("'alpha' and 'beta' must have the same type.")
    if select not in ("a", "i", "v"):
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    if diagonal.shape.rank != 1 or above.shape.rank != 1:
        raise invalid(f"alpha and beta must be vectors, got {diagonal.shape} and {above.shape}")
    size, others = (int(given.shape[0] or 0) for given in (diagonal, above))
    if others != max(size - 1, 0):
        raise invalid(unequal_shapes(f"[{size}]", f"[{others + 1}]"))
    values, vectors = _eigh_tridiagonal(diagonal, above)
    first, end = 0, size
    if select == "i":
        low, high = _bounds(select_range, index=True)
        first, end = max(low, 0), min(high + 1, size)
    elif select == "v":
        low, high = _bounds(select_range, index=False)
        known = values.numpy()
        first, end = np.searchsorted(known, low), np.searchsorted(known, high, side="right")
    values = values[first:end]
    return values if eigvals_only else (values, vectors[:, first:end])
