"""Rows for tapefacade/_ops/array/sorting.py."""

from cases.case import Case, b, c, d, f, i, raises

INF = float("inf")
V = f(3.0, 1.0, 2.0)
M = f([[3.0, 1.0, 2.0], [1.0, 5.0, 0.0]])
TIES = f(1.0, 1.0, 0.0, 1.0)

CASES_SORTING = [
    Case("sort", (V,)),
    Case("sort", (V,), {"direction": "DESCENDING"}, id="descending"),
    Case("sort", (M, 0), id="axis"),
    Case("sort", (M, 0, "DESCENDING"), id="axis descending"),
    Case("sort", (TIES,), id="ties"),
    Case("sort", (d(3.0, 1.0, 2.0),), id="float64"),
    Case("sort", (f(3.0, -INF, INF),), id="inf"),
    Case("sort", (i(3, 1, -(2**31)),), id="int"),
    Case("sort", (i(200, 3, 0, dtype="uint8"), -1, "DESCENDING"), id="uint8"),
    Case("sort", (i(2**63 - 1, 1, -(2**63), dtype="int64"),), id="int64"),
    Case("sort", (f(3.0, 1.0, 2.0, dtype="bfloat16"),), id="bfloat16"),
    Case("sort", (f([]),), gradient=False, id="empty"),
    raises("sort", (M, 2), id="axis out of range"),
    raises("sort", (M, -3), id="axis below range"),
    raises("sort", (f(1.0),), id="scalar"),
    raises("sort", (V,), {"direction": "foo"}, id="direction"),
    raises("sort", (c(1j, 2),), id="complex"),
    raises("sort", (b(True, False), -1, "DESCENDING"), id="bool"),
    Case("argsort", (V,)),
    Case("argsort", (V,), {"direction": "DESCENDING"}, id="descending"),
    Case("argsort", (M, 0), id="axis"),
    Case("argsort", (TIES,), id="ties"),
    Case("argsort", (TIES, -1, "DESCENDING", True), id="ties descending"),
    Case("argsort", (i(2, 1, 2, -128, dtype="int8"),), id="int8"),
    Case("argsort", (i(2, 1, 2, dtype="uint8"),), id="uint8"),
    Case("argsort", (d(3.0, 1.0),), id="float64"),
    raises("argsort", (M, 2), id="axis out of range"),
    raises("argsort", (f(1.0),), id="scalar"),
    raises("argsort", (V,), {"direction": "foo"}, id="direction"),
    Case("math.top_k", (V, 2)),
    Case("nn.top_k", (V,), id="one"),
    Case("math.top_k", (M, 2), id="matrix"),
    Case("math.top_k", (f(3.0, 3.0, 3.0), 2), id="ties"),
    Case("math.top_k", (d(3.0, 1.0, 2.0), i(2)), id="float64"),
    Case("math.top_k", (i(3, 1, 2), 2), id="int"),
    Case("math.top_k", (V, 2), {"index_type": "int64"}, gradient=False, id="int64"),
    Case("math.top_k", (V, 2, True, "int16"), gradient=False, id="int16"),
    Case("math.top_k", (V, 0), id="none"),
    Case("math.top_k", (f([]), 0), gradient=False, id="empty"),
    raises("math.top_k", (V, 4), id="too many"),
    raises("math.top_k", (V, -1), id="negative"),
    raises("math.top_k", (f(1.0),), id="scalar"),
    raises("math.top_k", (V, [1]), id="vector"),
    raises("math.top_k", (V, 1.5), id="float"),
    raises("math.top_k", (V, None), id="none given"),
    raises("math.top_k", (c([1j]),), id="complex"),
    raises("math.top_k", (b(True), 1), id="bool"),
    raises("math.top_k", (V, 1, True, "float32"), id="float positions"),
]


M_APPROXIMATE_TOP = f([[1.0, 5.0, 3.0, 2.0], [4.0, 4.0, 1.0, 9.0]])
MAX = "nn.approx_max_k"

CASES_APPROXIMATE_TOP = [
    Case(MAX, (M_APPROXIMATE_TOP, 2)),
    Case(MAX, (M_APPROXIMATE_TOP, 0), id="none", gradient=False),
    Case(MAX, (M_APPROXIMATE_TOP, 3), {"recall_target": 0.5}, id="recall"),
    Case(MAX, (M_APPROXIMATE_TOP.astype("float16"), 2), id="float16"),
    raises(MAX, (M_APPROXIMATE_TOP, 5), id="too many"),
    raises(MAX, (M_APPROXIMATE_TOP, -1), id="negative"),
    raises(MAX, (i(1, 2), 1), id="int"),
    raises(MAX, (d(1.0, 2.0), 1), id="float64"),
    Case("approx_top_k", (M_APPROXIMATE_TOP, 2)),
]


NAN = float("nan")
M_SEARCHING = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

CASES_SEARCHING = [
    Case("unique", (i(3, 1, 3, 2),)),
    Case("unique", (f(3.0, 1.0, 3.0),), id="float"),
    Case("unique", (d(3.0, 1.0, 3.0), "int64"), id="int64"),
    Case("unique", (f(NAN, NAN, 1.0),), id="nan"),
    Case("unique", (f(-0.0, 0.0),), id="zeros"),
    Case("unique", (f([]),), id="empty"),
    Case("unique", (b(True, False, True),), id="bool"),
    Case("unique", ([3, 1, 3],), id="python"),
    raises("unique", (M_SEARCHING,), id="matrix"),
    raises("unique", (i(1, 2), "float32"), id="float positions"),
    Case("unique_with_counts", (i(3, 1, 3, 2),)),
    Case("unique_with_counts", (f(3.0, 1.0, 3.0), "int64"), id="float"),
    raises("unique_with_counts", (M_SEARCHING,), id="matrix"),
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


CASES = [*CASES_SORTING, *CASES_APPROXIMATE_TOP, *CASES_SEARCHING]
