"""Rows for tapefacade/_ops/array/sorting.py."""

from cases.case import Case, b, c, d, f, i, raises

INF = float("inf")
V = f(3.0, 1.0, 2.0)
M = f([[3.0, 1.0, 2.0], [1.0, 5.0, 0.0]])
TIES = f(1.0, 1.0, 0.0, 1.0)

CASES = [
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
