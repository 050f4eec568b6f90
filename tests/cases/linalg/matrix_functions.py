"""Rows for tapefacade/_ops/linalg/matrix_functions.py."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

S, ROTATION = d([[4, 1], [1, 3]]), d([[0, -1], [1, 0]])
THREE = d([[5, 1, 0], [2, 6, 1], [1, 0, 7]])
C = c([[4, 1 + 1j], [1 - 2j, 3]], dtype="complex128")
JORDAN = c([[2, 1], [0, 2]], dtype="complex128")
LARGE = c(THREE * 1e3 + 1j, dtype="complex128")
PACKED, SWAPPED = d([[3, 5], [1 / 3, 1 / 3]]), i(1, 0)
TIGHT = {"rtol": 1e-9, "atol": 1e-12}
SQRTM, LOGM, RECONSTRUCT, INVERSE = (
    "linalg.sqrtm",
    "linalg.logm",
    "linalg.lu_reconstruct",
    "linalg.lu_matrix_inverse",
)

CASES = [
    Case(SQRTM, (S,), **TIGHT),
    Case(SQRTM, (f(S),), id="float32", rtol=1e-5),
    Case(SQRTM, (THREE,), id="three", **TIGHT),
    Case(SQRTM, (ROTATION,), id="rotation", **TIGHT),
    Case(SQRTM, (np.stack([S, ROTATION]),), id="batch", **TIGHT),
    # TensorFlow forgets to conjugate the gradient of complex matrices.
    Case(SQRTM, (C,), id="complex", gradient=False, **TIGHT),
    Case(SQRTM, (c(S),), id="complex64", rtol=1e-5),
    Case(SQRTM, (JORDAN,), id="defective", **TIGHT),
    Case(SQRTM, (d([[1, 2], [3, 4]]),), id="negative", gradient=False),
    Case(SQRTM, (d([[1, 0], [0, 0]]),), id="singular", gradient=False),
    Case(SQRTM, (d([[0, 0], [0, 0]]),), id="zero", gradient=False),
    Case(SQRTM, (d([[np.nan, 1], [1, 1]]),), id="nan", gradient=False),
    Case(SQRTM, (d([[4]]),), id="one"),
    Case(SQRTM, (d(np.zeros((0, 2, 2))),), id="empty", gradient=False),
    raises(SQRTM, (d(1, 2),), id="vector"),
    raises(SQRTM, (THREE[:2],), id="wide"),
    raises(SQRTM, (i([[1]]),), id="int"),
    Case(LOGM, (C,), **TIGHT),
    Case(LOGM, (c(S),), id="complex64", rtol=1e-5),
    Case(LOGM, (np.stack([C, JORDAN]),), id="batch", **TIGHT),
    Case(LOGM, (LARGE,), id="large", **TIGHT),
    Case(LOGM, (c(np.eye(3) * 1e-6 + 1e-9),), id="small", rtol=1e-5),
    Case(LOGM, (c([[1, 0], [0, 0]]),), id="singular", gradient=False),
    Case(LOGM, (c(np.zeros((0, 2, 2))),), id="empty", gradient=False),
    raises(LOGM, (c(1, 2),), id="vector"),
    raises(LOGM, (c(np.ones((2, 3))),), id="wide"),
    raises(LOGM, (S,), id="real"),
    *[
        row
        for path in (RECONSTRUCT, INVERSE)
        for row in (
            Case(path, (PACKED, SWAPPED), **TIGHT),
            Case(path, (f(PACKED), i(0, 1)), id="float32", rtol=1e-5),
            Case(path, (PACKED, SWAPPED, True), id="validated", **TIGHT),
            Case(
                path,
                (np.stack([PACKED, S]), np.stack([SWAPPED, SWAPPED[::-1]])),
                id="batch",
                **TIGHT,
            ),
            Case(path, (C, SWAPPED), id="complex", **TIGHT),
            raises(path, (d(1, 2), i([0])), id="vector"),
            raises(path, (THREE[:2], SWAPPED), id="wide"),
            raises(path, (PACKED, i([[0, 1]])), id="rank"),
            raises(path, (PACKED, i(0, 5)), id="outside"),
        )
    ],
    raises(RECONSTRUCT, (PACKED, i(0, 0)), id="twice"),
]
