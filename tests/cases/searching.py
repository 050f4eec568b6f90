"""Rows for tapefacade/_ops/array/sorting.py."""

from cases.case import Case, b, d, f, i, raises

NAN = float("nan")
M = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

CASES = [
    Case("unique", (i(3, 1, 3, 2),)),
    Case("unique", (f(3.0, 1.0, 3.0),), id="float"),
    Case("unique", (d(3.0, 1.0, 3.0), "int64"), id="int64"),
    Case("unique", (f(NAN, NAN, 1.0),), id="nan"),
    Case("unique", (f(-0.0, 0.0),), id="zeros"),
    Case("unique", (f([]),), id="empty"),
    Case("unique", (b(True, False, True),), id="bool"),
    Case("unique", ([3, 1, 3],), id="python"),
    raises("unique", (M,), id="matrix"),
    raises("unique", (i(1, 2), "float32"), id="float positions"),
    Case("unique_with_counts", (i(3, 1, 3, 2),)),
    Case("unique_with_counts", (f(3.0, 1.0, 3.0), "int64"), id="float"),
    raises("unique_with_counts", (M,), id="matrix"),
    Case("searchsorted", (f(1.0, 3.0, 5.0), f(0.0, 3.0, 9.0))),
    Case("searchsorted", (f(1.0, 3.0, 5.0), f(0.0, 3.0, 9.0), "right"), id="right"),
    Case("searchsorted", (f(1.0, 3.0), f([2.0])), {"out_type": "int64"}, id="int64"),
    Case("searchsorted", (i([[1, 3], [2, 4]]), i([[2, 3], [3, 9]])), id="matrix"),
    Case("searchsorted", (d(1.0, 3.0), d(2.0, 3.0)), id="float64"),
    Case("searchsorted", (f(1.0, 3.0), f(NAN, 3.0)), id="nan"),
    Case("searchsorted", (f(1.0, 3.0), f(NAN, 3.0), "right"), id="nan right"),
    Case("searchsorted", (f([]), f([1.0])), id="empty"),
    raises("searchsorted", (f(1.0, 3.0), f([2.0]), "foo"), id="side"),
    raises("searchsorted", (f(1.0, 3.0), f(2.0)), id="scalar"),
    raises("searchsorted", (i([[1, 3], [2, 4]]), i(1, 2)), id="leading sizes"),
    raises("searchsorted", (f(1.0, 3.0), i(1, 2)), id="dtypes"),
    raises("searchsorted", (f(1.0, 3.0), f([2.0]), "left", "float32"), id="float result"),
    Case("math.invert_permutation", (i(2, 0, 1),)),
    Case("math.invert_permutation", (i(1, 0, dtype="int64"),), id="int64"),
    Case("math.invert_permutation", (i([]),), id="empty"),
    raises("math.invert_permutation", (i(2, 0, 0),), id="duplicate"),
    raises("math.invert_permutation", (i(3, 0, 1),), id="out of range"),
    raises("math.invert_permutation", (i(-1, 0),), id="negative"),
    raises("math.invert_permutation", (i([[0]]),), id="matrix"),
    raises("math.invert_permutation", (f(1.0, 0.0),), id="float"),
]
