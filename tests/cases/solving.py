"""Rows for inverses, determinants and linear equations."""

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

CASES = [
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
