"""Rows for tapefacade/_ops/math/sobol.py."""

from cases.case import Case, i, raises

SOBOL = "math.sobol_sample"

CASES = [
    Case(SOBOL, (3, 10)),
    Case(SOBOL, (50, 8), {"skip": 100}, id="skip"),
    Case(SOBOL, (2, 3, 1, "float64"), id="float64"),
    Case(SOBOL, (i(2), i(2), i(0)), id="tensors"),
    raises(SOBOL, (2, 3, 1, "float16"), id="float16"),
    raises(SOBOL, (0, 3), id="no dimensions"),
    raises(SOBOL, (2, 0), id="no points"),
    raises(SOBOL, (2, 2, -1), id="negative"),
    raises(SOBOL, ([2], 2), id="vector"),
    raises(SOBOL, (2.0, 2), id="float"),
]
