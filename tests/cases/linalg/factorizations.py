"""Rows for tapefacade/_ops/linalg/factorizations.py."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

S, N = d([[4, 1], [1, 3]]), d([[1, 2], [3, 5]])
C = c([[4, 1 + 1j], [1 - 1j, 3]], dtype="complex128")
WIDE = d([[1, 2, 3], [4, 5, 7]])
NAMES = ["cholesky", "logdet", "lu", "qr", "svd", "eigh", "eigvalsh", "eig", "eigvals"]
SQUARE = [name for name in NAMES if name not in ("qr", "svd")]
UNSIGNED = ("svd", "eigh", "eig")  # the signs of vectors differ

CASES = []
for name in NAMES:
    path = "linalg." + name
    kept = {"values": False, "numerical": False} if name in UNSIGNED else {}
    if name in ("cholesky", "logdet"):  # the gradient is that of the symmetric part
        kept = {"numerical": False}
    # The phases of complex columns and the order of eigenvalues are not defined.
    free = {"values": False, "numerical": False} if name in ("qr", "eigvals") else kept
    loose = {"rtol": 1e-5, "atol": 1e-5, **kept}
    CASES += [
        Case(path, (f(S),), **loose),
        Case(path, (S,), id="float64", rtol=1e-9, atol=1e-12, **kept),
        Case(path, (np.stack([S, S + N @ N.T]),), id="batch", rtol=1e-8, atol=1e-10, **kept),
        Case(path, (C,), id="complex", rtol=1e-9, atol=1e-12, **free),
        Case(path, (d([[2]]),), id="one", **kept),
        raises(path, (f(1, 2),), id="vector"),
        raises(path, (f(1.0),), id="scalar"),
    ]
    if name not in ("eig", "eigvals"):
        CASES.append(raises(path, (i([[4, 1], [1, 3]]),), id="int"))
    if name in SQUARE:
        CASES.append(raises(path, (WIDE,), id="wide"))
CASES = [case for case in CASES if not (case.path == "linalg.eig" and case.id == "one")]
CASES += [
    Case("linalg.cholesky", (f([[-1]]),), id="negative"),
    Case("linalg.cholesky", (d([[4, 100], [1, 3]]),), id="lower", numerical=False),
    Case("linalg.logdet", (f([[-1]]),), id="negative"),
    Case("linalg.lu", (N,), id="permuted"),
    Case("linalg.lu", (N,), {"output_idx_type": "int64"}, id="int64"),
    raises("linalg.lu", (f([[1, 2], [2, 4]]),), id="singular"),
    Case("linalg.qr", (WIDE,), id="wide", rtol=1e-9, atol=1e-12),
    Case("linalg.qr", (WIDE.T,), id="tall", rtol=1e-9, atol=1e-12),
    Case("linalg.svd", (WIDE,), {"compute_uv": False}, id="values", rtol=1e-9, atol=1e-12),
    Case("linalg.svd", (WIDE.T,), {"full_matrices": True}, id="full", gradient=False, values=False),
    Case("linalg.eigh", (d(np.eye(2)),), id="equal", values=False, numerical=False),
    Case("linalg.eigvalsh", (d(np.eye(2)),), id="equal", atol=1e-12, numerical=False),
    Case("linalg.eigvalsh", (N,), id="lower", rtol=1e-9, atol=1e-12),
    Case("eig", (N,), values=False, numerical=False),
    Case("eigvals", (d([[1, 2], [3, 5]]),), rtol=1e-9, atol=1e-12),
]
