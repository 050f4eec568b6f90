"""Rows for tridiagonal and banded matrices."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

MATMUL, SOLVE, BANDED, EIGH = (
    "linalg." + name
    for name in (
        "tridiagonal_matmul",
        "tridiagonal_solve",
        "banded_triangular_solve",
        "eigh_tridiagonal",
    )
)
TIGHT = {"rtol": 1e-9, "atol": 1e-12}
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

CASES = [
    Case(MATMUL, (ROWS, RHS), **TIGHT),
    Case(MATMUL, (f(ROWS), f(RHS)), id="float32"),
    Case(MATMUL, ([ABOVE, DIAGONAL, BELOW], RHS), SEQUENCE, id="sequence", **TIGHT),
    Case(MATMUL, (FULL, RHS), MATRIX, id="matrix", **TIGHT),
    Case(MATMUL, (np.stack([ROWS, ROWS * 2]), np.stack([RHS, RHS])), id="batch", **TIGHT),
    Case(MATMUL, (COMPLEX, COMPLEX_RHS), id="complex", **TIGHT),
    Case(MATMUL, (d([[1], [2], [3]]), d([[4]])), id="one", **TIGHT),
    raises(MATMUL, (ROWS, d(1, 2, 3)), id="vector"),
    raises(MATMUL, (ROWS, RHS[:2]), id="sizes"),
    raises(MATMUL, (i(ROWS), i(RHS)), id="int"),
    raises(MATMUL, (ROWS, RHS), {"diagonals_format": "x"}, id="format"),
    raises(MATMUL, (FULL[:2], RHS), MATRIX, id="wide"),
    Case(SOLVE, (ROWS, RHS), **TIGHT),
    Case(SOLVE, (f(ROWS), f(RHS)), id="float32", rtol=1e-5, atol=1e-6),
    Case(SOLVE, (ROWS, d(1, 2, 3)), id="vector", **TIGHT),
    Case(SOLVE, ([ABOVE, DIAGONAL, BELOW], RHS), SEQUENCE, id="sequence", **TIGHT),
    Case(SOLVE, ([ABOVE[:2], DIAGONAL, BELOW[1:]], RHS), SEQUENCE, id="short", **TIGHT),
    Case(SOLVE, (FULL, RHS), MATRIX, id="matrix", **TIGHT),
    Case(SOLVE, (np.stack([ROWS, ROWS * 2]), np.stack([RHS, RHS])), id="batch", **TIGHT),
    Case(SOLVE, (np.stack([ROWS, ROWS * 2]), RHS.T + 1), id="vectors", **TIGHT),
    # TensorFlow forgets to conjugate the gradients of complex systems.
    Case(SOLVE, (COMPLEX, COMPLEX_RHS), id="complex", gradient=False, **TIGHT),
    Case(
        SOLVE,
        (COMPLEX, COMPLEX_RHS),
        {"conjugate_rhs": True},
        id="conjugate",
        gradient=False,
        **TIGHT,
    ),
    Case(SOLVE, (ROWS, RHS.T), {"transpose_rhs": True}, id="transpose", **TIGHT),
    Case(SOLVE, (SWAPS, d([[1], [2], [3], [4]])), id="swaps", **TIGHT),
    Case(SOLVE, (ROWS, RHS), {"partial_pivoting": False}, id="no pivots", **TIGHT),
    Case(SOLVE, (d([[1], [2], [3]]), d([[4]])), id="one", **TIGHT),
    Case(SOLVE, (SINGULAR, RHS), id="singular", gradient=False),
    Case(
        SOLVE, (SINGULAR, RHS), {"perturb_singular": True}, id="perturbed", gradient=False, **TIGHT
    ),
    Case(SOLVE, (SWAPS, RHS.repeat(2)[:4]), {"partial_pivoting": False}, id="zero", gradient=False),
    raises(SOLVE, (i(ROWS), i(RHS)), id="int"),
    raises(SOLVE, (ROWS, f(RHS)), id="dtypes"),
    raises(SOLVE, (ROWS, RHS[:2]), id="sizes"),
    raises(SOLVE, (ROWS[:2], RHS), id="two"),
    raises(SOLVE, (ROWS, np.stack([RHS, RHS])), id="ranks"),
    raises(SOLVE, (np.stack([ROWS, ROWS]), RHS), id="batches"),
    raises(SOLVE, (ABOVE, RHS), id="one diagonal"),
    raises(SOLVE, ([ABOVE[:1], DIAGONAL, BELOW], RHS), SEQUENCE, id="short diagonal"),
    raises(SOLVE, ([DIAGONAL, BELOW], RHS), SEQUENCE, id="two diagonals"),
    raises(SOLVE, (ROWS, RHS), {"diagonals_format": "x"}, id="format"),
    raises(SOLVE, (ROWS, RHS), {"perturb_singular": True, "partial_pivoting": False}, id="perturb"),
    Case(BANDED, (BANDS, RHS), **TIGHT),
    Case(BANDED, (f(BANDS), f(RHS)), id="float32"),
    Case(BANDED, (UPPER, RHS, False), id="upper", **TIGHT),
    Case(BANDED, (BANDS, RHS), {"adjoint": True}, id="adjoint", **TIGHT),
    Case(BANDED, (UPPER, RHS, False, True), id="upper adjoint", **TIGHT),
    Case(
        BANDED,
        (c(BANDS * (1 + 1j), dtype="complex128"), COMPLEX_RHS, True, True),
        id="complex",
        **TIGHT,
    ),
    Case(BANDED, (np.stack([BANDS, BANDS + 1]), RHS), id="broadcast", **TIGHT),
    # Its gradient lacks a dimension in TensorFlow.
    Case(BANDED, (BANDS[:1], RHS), id="one band", gradient=False, **TIGHT),
    Case(BANDED, (d(np.ones((4, 3))), RHS), id="all bands", gradient=False, **TIGHT),
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
        **TIGHT,
    ),
    Case(
        EIGH,
        (ALPHA, BETA),
        {"select": "v", "select_range": (1.5, 3.5)},
        id="interval",
        gradient=False,
        **TIGHT,
    ),
    Case(EIGH, (d([7]), np.zeros(0)), id="one", gradient=False),
    raises(EIGH, (ALPHA, BETA), {"select": "q"}, id="select"),
    raises(EIGH, (ALPHA, BETA), {"select": "i", "select_range": (3, 1)}, id="range"),
    raises(EIGH, (ALPHA, f(BETA)), id="dtypes"),
    raises(EIGH, (i(1, 2), i([1])), id="int"),
]
