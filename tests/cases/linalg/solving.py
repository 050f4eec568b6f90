"""Rows for tapefacade/_ops/linalg/solving.py."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

S, N, Z = d([[4, 1], [1, 3]]), d([[1, 2], [3, 5]]), f([[1, 2], [2, 4]])
C = c([[4, 1 + 1j], [1 - 1j, 3]], dtype="complex128")
WIDE, COLUMN = d([[1, 2, 3], [4, 5, 7]]), d([[1], [2]])
THREE = d([[1], [2], [3]])
TIGHT = {"rtol": 1e-9, "atol": 1e-12}
INV, SOLVE, TRIANGULAR, CHOL, LSTSQ, PINV, RANK, EXPM = (
    "linalg." + name
    for name in [
        "inv",
        "solve",
        "triangular_solve",
        "cholesky_solve",
        "lstsq",
        "pinv",
        "matrix_rank",
        "expm",
    ]
)
FACTOR = d([[2, 0], [0.5, 1.5]])

CASES_SOLVING = [
    *[
        row
        for path in (INV, "linalg.det", "linalg.slogdet")
        for row in (
            Case(path, (f(S),), rtol=1e-5),
            Case(path, (N,), id="float64", **TIGHT),
            Case(path, (np.stack([S, N]),), id="batch", **TIGHT),
            Case(path, (C,), id="complex", **TIGHT),
            Case(path, (d([[2]]),), id="one", gradient=path != "linalg.det", **TIGHT),
            # An empty matrix has no second derivative of det in JAX 0.12, and an empty one in 0.10.
            Case(path, (d(np.zeros((0, 2, 2))),), id="empty", gradient=path != "linalg.det"),
            raises(path, (f(1, 2),), id="vector"),
            raises(path, (WIDE,), id="wide"),
            raises(path, (i([[4, 1], [1, 3]]),), id="int"),
        )
    ],
    Case(INV, (N,), {"adjoint": True}, id="adjoint", **TIGHT),
    Case(INV, (C,), {"adjoint": True}, id="complex adjoint", **TIGHT),
    raises(INV, (Z,), id="singular"),
    raises(INV, (f([[np.nan, 1], [1, 2]]),), id="nan"),
    Case("linalg.det", (Z,), id="singular", gradient=False, atol=1e-6),
    Case(SOLVE, (N, COLUMN), **TIGHT),
    Case(SOLVE, (f(N), f(COLUMN)), id="float32", rtol=1e-5, atol=1e-5),
    Case(SOLVE, (N, COLUMN), {"adjoint": True}, id="adjoint", **TIGHT),
    Case(SOLVE, (C, C + 1), id="complex", **TIGHT),
    Case(SOLVE, (np.stack([S, N]), np.stack([COLUMN, COLUMN])), id="batch", **TIGHT),
    Case(SOLVE, (d([[0, 1], [1, 0]]), COLUMN), id="pivot", **TIGHT),
    raises(SOLVE, (N, d(1, 2)), id="vector"),
    raises(SOLVE, (N, d([[1, 2, 3]])), id="shape"),
    raises(SOLVE, (Z, f(COLUMN)), id="singular"),
    raises(SOLVE, (np.stack([S, N]), COLUMN), id="ranks"),
    raises(SOLVE, (WIDE, COLUMN), id="wide"),
    raises(SOLVE, (i([[1, 2], [3, 5]]), i([[1], [2]])), id="int"),
    raises(SOLVE, (N, f(COLUMN)), id="dtypes"),
    Case(TRIANGULAR, (N, COLUMN), **TIGHT),
    Case(TRIANGULAR, (N, COLUMN, False), id="upper", **TIGHT),
    Case(TRIANGULAR, (N, COLUMN), {"adjoint": True}, id="adjoint", **TIGHT),
    Case(TRIANGULAR, (N, COLUMN, False, True), id="upper adjoint", **TIGHT),
    Case(TRIANGULAR, (C, C + 1), {"adjoint": True}, id="complex", **TIGHT),
    Case(TRIANGULAR, (np.stack([S, N]), COLUMN), id="broadcast", **TIGHT),
    raises(TRIANGULAR, (N, d(1, 2)), id="vector"),
    raises(TRIANGULAR, (N, d([[1, 2, 3]])), id="shape"),
    raises(TRIANGULAR, (WIDE, COLUMN), id="wide"),
    raises(TRIANGULAR, (d([1]), COLUMN), id="matrix"),
    Case(CHOL, (FACTOR, COLUMN), **TIGHT),
    Case(CHOL, (np.stack([FACTOR, FACTOR]), np.stack([COLUMN, COLUMN])), id="batch", **TIGHT),
    raises(CHOL, (FACTOR, d(1, 2)), id="vector"),
    Case(LSTSQ, (WIDE.T, THREE), **TIGHT),
    Case(LSTSQ, (WIDE, COLUMN), id="wide", rtol=1e-8, atol=1e-10),
    Case(LSTSQ, (WIDE.T, THREE), {"l2_regularizer": 0.5}, id="weight", rtol=1e-8, atol=1e-10),
    Case(LSTSQ, (WIDE, COLUMN, 0.5), id="wide weight", rtol=1e-8, atol=1e-10),
    Case(LSTSQ, (WIDE.T, THREE), {"fast": False}, id="slow", gradient=False, **TIGHT),
    Case(LSTSQ, (d(Z), COLUMN), {"fast": False}, id="slow singular", gradient=False, **TIGHT),
    Case(LSTSQ, (np.stack([WIDE.T] * 2), np.stack([THREE] * 2)), id="batch", **TIGHT),
    raises(LSTSQ, (WIDE.T, COLUMN), id="shape"),
    raises(LSTSQ, (WIDE.T, d(1, 2, 3)), id="vector"),
    raises(LSTSQ, (i([[1], [2]]), i([[1], [2]])), id="int"),
    Case(PINV, (N,), **TIGHT),
    Case(PINV, (WIDE,), id="wide", rtol=1e-8, atol=1e-10),
    Case(PINV, (WIDE.T,), id="tall", rtol=1e-8, atol=1e-10),
    Case(PINV, (d(Z),), {"rcond": 0.1}, id="rcond", gradient=False, rtol=1e-8, atol=1e-10),
    raises(PINV, (i([[1, 2]]),), id="int"),
    raises(PINV, (f(1, 2),), id="vector"),
    Case(RANK, (N,)),
    Case(RANK, (Z,), id="one"),
    Case(RANK, (np.stack([S, N]),), id="batch"),
    Case(RANK, (N,), {"tol": 6.0}, id="tol"),
    raises(RANK, (C,), id="complex"),
    raises(RANK, (f(1, 2),), id="vector"),
    Case(EXPM, (N / 4,), rtol=1e-8, atol=1e-8),
    Case(EXPM, (f(N),), id="float32", rtol=1e-4, gradient=False),  # sums of large numbers
    Case(EXPM, (np.stack([S, N]) / 8,), id="batch", rtol=1e-8, atol=1e-8),
    Case(EXPM, (d(np.zeros((2, 2))),), id="zero", rtol=1e-8, atol=1e-8),
    raises(EXPM, (i([[1]]),), id="int"),
    raises(EXPM, (WIDE,), id="wide"),
    Case("linalg.lu_solve", (d([[3, 5], [1 / 3, 1 / 3]]), i(1, 0), COLUMN), **TIGHT),
]


MATMUL, SOLVE_BANDS, BANDED, EIGH = (
    "linalg." + name
    for name in (
        "tridiagonal_matmul",
        "tridiagonal_solve",
        "banded_triangular_solve",
        "eigh_tridiagonal",
    )
)
TIGHT_BANDS = {"rtol": 1e-9, "atol": 1e-12}
ABOVE, DIAGONAL, BELOW = d(1, 2, 9), d(4, 5, 6), d(8, 3, 2)
ROWS = np.stack([ABOVE, DIAGONAL, BELOW])
FULL = d([[4, 1, 0], [3, 5, 2], [0, 2, 6]])
RHS = d([[0, 1], [2, 3], [4, 5]])
COMPLEX = c(ROWS + 1j * ROWS[::-1] / 8, dtype="complex128")
COMPLEX_RHS = c(RHS * (1 + 2j), dtype="complex128")
SEQUENCE = {"diagonals_format": "sequence"}
MATRIX = {"diagonals_format": "matrix"}
SWAPS = d([[1, 2, 3, 0], [0, 5, 0, 1], [0, 3, 2, 4]])
SINGULAR = d([[1, 1, 0], [1, 2, 1], [0, 1, 1]])
BANDS = d([[2, 3, 4], [9, 1, 1]])
UPPER = d([[1, 1, 9], [2, 3, 4]])
ALPHA, BETA = d(1, 2, 3, 4), d(0.5, 0.2, 0.1)

CASES_BANDS = [
    Case(MATMUL, (ROWS, RHS), **TIGHT_BANDS),
    Case(MATMUL, (f(ROWS), f(RHS)), id="float32"),
    Case(MATMUL, ([ABOVE, DIAGONAL, BELOW], RHS), SEQUENCE, id="sequence", **TIGHT_BANDS),
    Case(MATMUL, (FULL, RHS), MATRIX, id="matrix", **TIGHT_BANDS),
    Case(MATMUL, (np.stack([ROWS, ROWS * 2]), np.stack([RHS, RHS])), id="batch", **TIGHT_BANDS),
    Case(MATMUL, (COMPLEX, COMPLEX_RHS), id="complex", **TIGHT_BANDS),
    Case(MATMUL, (d([[1], [2], [3]]), d([[4]])), id="one", **TIGHT_BANDS),
    raises(MATMUL, (ROWS, d(1, 2, 3)), id="vector"),
    raises(MATMUL, (ROWS, RHS[:2]), id="sizes"),
    raises(MATMUL, (i(ROWS), i(RHS)), id="int"),
    raises(MATMUL, (ROWS, RHS), {"diagonals_format": "x"}, id="format"),
    raises(MATMUL, (FULL[:2], RHS), MATRIX, id="wide"),
    Case(SOLVE_BANDS, (ROWS, RHS), **TIGHT_BANDS),
    Case(SOLVE_BANDS, (f(ROWS), f(RHS)), id="float32", rtol=1e-5, atol=1e-6),
    Case(SOLVE_BANDS, (ROWS, d(1, 2, 3)), id="vector", **TIGHT_BANDS),
    Case(SOLVE_BANDS, ([ABOVE, DIAGONAL, BELOW], RHS), SEQUENCE, id="sequence", **TIGHT_BANDS),
    Case(SOLVE_BANDS, ([ABOVE[:2], DIAGONAL, BELOW[1:]], RHS), SEQUENCE, id="short", **TIGHT_BANDS),
    Case(SOLVE_BANDS, (FULL, RHS), MATRIX, id="matrix", **TIGHT_BANDS),
    Case(
        SOLVE_BANDS, (np.stack([ROWS, ROWS * 2]), np.stack([RHS, RHS])), id="batch", **TIGHT_BANDS
    ),
    Case(SOLVE_BANDS, (np.stack([ROWS, ROWS * 2]), RHS.T + 1), id="vectors", **TIGHT_BANDS),
    # TensorFlow forgets to conjugate the gradients of complex systems.
    Case(SOLVE_BANDS, (COMPLEX, COMPLEX_RHS), id="complex", gradient=False, **TIGHT_BANDS),
    Case(
        SOLVE_BANDS,
        (COMPLEX, COMPLEX_RHS),
        {"conjugate_rhs": True},
        id="conjugate",
        gradient=False,
        **TIGHT_BANDS,
    ),
    Case(SOLVE_BANDS, (ROWS, RHS.T), {"transpose_rhs": True}, id="transpose", **TIGHT_BANDS),
    Case(SOLVE_BANDS, (SWAPS, d([[1], [2], [3], [4]])), id="swaps", **TIGHT_BANDS),
    Case(SOLVE_BANDS, (ROWS, RHS), {"partial_pivoting": False}, id="no pivots", **TIGHT_BANDS),
    Case(SOLVE_BANDS, (d([[1], [2], [3]]), d([[4]])), id="one", **TIGHT_BANDS),
    Case(SOLVE_BANDS, (SINGULAR, RHS), id="singular", gradient=False),
    Case(
        SOLVE_BANDS,
        (SINGULAR, RHS),
        {"perturb_singular": True},
        id="perturbed",
        gradient=False,
        **TIGHT_BANDS,
    ),
    Case(
        SOLVE_BANDS,
        (SWAPS, RHS.repeat(2)[:4]),
        {"partial_pivoting": False},
        id="zero",
        gradient=False,
    ),
    raises(SOLVE_BANDS, (i(ROWS), i(RHS)), id="int"),
    raises(SOLVE_BANDS, (ROWS, f(RHS)), id="dtypes"),
    raises(SOLVE_BANDS, (ROWS, RHS[:2]), id="sizes"),
    raises(SOLVE_BANDS, (ROWS[:2], RHS), id="two"),
    raises(SOLVE_BANDS, (ROWS, np.stack([RHS, RHS])), id="ranks"),
    raises(SOLVE_BANDS, (np.stack([ROWS, ROWS]), RHS), id="batches"),
    raises(SOLVE_BANDS, (ABOVE, RHS), id="one diagonal"),
    raises(SOLVE_BANDS, ([ABOVE[:1], DIAGONAL, BELOW], RHS), SEQUENCE, id="short diagonal"),
    raises(SOLVE_BANDS, ([DIAGONAL, BELOW], RHS), SEQUENCE, id="two diagonals"),
    raises(SOLVE_BANDS, (ROWS, RHS), {"diagonals_format": "x"}, id="format"),
    raises(
        SOLVE_BANDS,
        (ROWS, RHS),
        {"perturb_singular": True, "partial_pivoting": False},
        id="perturb",
    ),
    Case(BANDED, (BANDS, RHS), **TIGHT_BANDS),
    Case(BANDED, (f(BANDS), f(RHS)), id="float32"),
    Case(BANDED, (UPPER, RHS, False), id="upper", **TIGHT_BANDS),
    Case(BANDED, (BANDS, RHS), {"adjoint": True}, id="adjoint", **TIGHT_BANDS),
    Case(BANDED, (UPPER, RHS, False, True), id="upper adjoint", **TIGHT_BANDS),
    Case(
        BANDED,
        (c(BANDS * (1 + 1j), dtype="complex128"), COMPLEX_RHS, True, True),
        id="complex",
        **TIGHT_BANDS,
    ),
    Case(BANDED, (np.stack([BANDS, BANDS + 1]), RHS), id="broadcast", **TIGHT_BANDS),
    # Its gradient lacks a dimension in TensorFlow.
    Case(BANDED, (BANDS[:1], RHS), id="one band", gradient=False, **TIGHT_BANDS),
    Case(BANDED, (d(np.ones((4, 3))), RHS), id="all bands", gradient=False, **TIGHT_BANDS),
    raises(BANDED, (BANDS * 0, RHS), id="singular"),
    raises(BANDED, (BANDS, d(1, 2, 3)), id="vector"),
    raises(BANDED, (d(1, 2, 3), RHS), id="one diagonal"),
    raises(BANDED, (BANDS, RHS[:2]), id="sizes"),
    raises(BANDED, (np.stack([BANDS] * 2), np.stack([RHS] * 3)), id="batches"),
    raises(BANDED, (i(BANDS), i(RHS)), id="int"),
    Case(EIGH, (ALPHA, BETA), gradient=False, atol=1e-12),
    Case(EIGH, (f(ALPHA), f(BETA)), id="float32", gradient=False, rtol=1e-5),
    Case(EIGH, (ALPHA, BETA, False), id="vectors", gradient=False, values=False),
    Case(EIGH, (c(ALPHA), c(BETA * (1 + 1j))), id="complex", gradient=False, rtol=1e-5),
    Case(
        EIGH,
        (ALPHA, BETA),
        {"select": "i", "select_range": (1, 2)},
        id="places",
        gradient=False,
        **TIGHT_BANDS,
    ),
    Case(
        EIGH,
        (ALPHA, BETA),
        {"select": "v", "select_range": (1.5, 3.5)},
        id="interval",
        gradient=False,
        **TIGHT_BANDS,
    ),
    Case(EIGH, (d([7]), np.zeros(0)), id="one", gradient=False),
    raises(EIGH, (ALPHA, BETA), {"select": "q"}, id="select"),
    raises(EIGH, (ALPHA, BETA), {"select": "i", "select_range": (3, 1)}, id="range"),
    raises(EIGH, (ALPHA, f(BETA)), id="dtypes"),
    raises(EIGH, (i(1, 2), i([1])), id="int"),
]


CASES = [*CASES_SOLVING, *CASES_BANDS]
