"""Rows for tapefacade/_ops/nn/isotonic.py."""

import numpy as np

from cases.case import Case, b, d, f, i, raises

M = f([[3.0, 1.0, 2.0, 5.0, 4.0], [5.0, 4.0, 4.0, 2.0, 3.0]])
V = f(3.0, 1.0, 2.0, 5.0, 4.0)
ISO = "nn.isotonic_regression"

# TensorFlow's gradient is always a matrix.
CASES = [
    Case(ISO, (M,)),
    Case(ISO, (M, False), id="rising"),
    Case(ISO, (d(M),), {"axis": 0}, id="axis"),
    Case(ISO, (V,), id="vector", gradient=False),
    Case(ISO, (f([[[1.0, 2.0, 3.0], [3.0, 3.0, 1.0]]] * 2),), id="cube", gradient=False),
    Case(ISO, (f([[1.0, np.nan, 2.0]]),), id="nan", gradient=False),
    Case(ISO, (f([[1.0, 1.0, 1.0]]),), id="equal"),
    Case(ISO, (M.astype("int32"),), id="int"),
    Case(ISO, (i(3, 1, 2, dtype="int8"),), id="int8"),
    Case(ISO, (V.astype("float16"),), id="float16", gradient=False),
    Case(ISO, (f(3.0),), id="scalar", gradient=False),
    Case(ISO, (f([]),), id="empty", gradient=False),
    raises(ISO, (M,), {"axis": 2}, id="axis out of range"),
    raises(ISO, (b(True, False),), id="bool"),
]
