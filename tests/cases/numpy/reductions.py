"""Rows for tapefacade/_numpy: reductions, statistics, products."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

TNP = "experimental.numpy."
M = f([[1.0, 2.0], [4.0, 3.0]])
D = d([[1.0, 2.0], [4.0, 3.0]])
N = i([[1, 2], [4, 3]])
B = b(True, False)
CUBE = np.arange(24, dtype=np.float64).reshape(2, 3, 4) / 10
HOLES = d([[1.0, np.nan], [2.0, 3.0]])

CASES = [
    Case(TNP + "sum", (D,), {"axis": 0}),
    Case(TNP + "sum", (N,), id="int"),
    Case(TNP + "sum", (i(1, 2, dtype="uint8"),), id="uint8"),
    Case(TNP + "sum", (M,), {"dtype": np.float64, "keepdims": True}, id="dtype"),
    raises(TNP + "sum", (M, 5), id="axis"),
    Case(TNP + "prod", (D, (0, 1))),
    Case(TNP + "mean", (D, 1)),
    Case(TNP + "mean", (N,), id="int"),
    Case(TNP + "mean", (N,), {"dtype": int}, id="dtype"),
    raises(TNP + "mean", (M,), {"out": 1}, id="out"),
    Case(TNP + "max", (D, 0)),
    Case(TNP + "max", (f(1.0, 1.0),), id="ties"),
    Case(TNP + "min", (M,), {"keepdims": True}),
    Case(TNP + "amax", (N, 1)),
    raises(TNP + "amax", (M,), {"out": 1}, id="out"),
    Case(TNP + "amin", (D, 1)),
    Case(TNP + "std", (D, 0)),
    Case(TNP + "var", (D, 0)),
    Case(TNP + "var", (M,), {"dtype": np.float64, "ddof": 1}, id="ddof"),
    Case(TNP + "all", (M, 0), gradient=False),
    Case(TNP + "any", (i([[1, 0], [0, 0]]), 1)),
    Case(TNP + "argmax", (M,), gradient=False),
    Case(TNP + "argmin", (3,)),
    raises(TNP + "argmax", ([],), id="empty"),
    Case(TNP + "cumsum", (D,)),
    Case(TNP + "cumsum", (N, 0), id="int"),
    raises(TNP + "cumsum", (B,), id="bool"),
    Case(TNP + "cumprod", (D, 1)),
    Case(TNP + "cumprod", (N, 1, "float32"), id="dtype"),
    Case(TNP + "nansum", (HOLES, 0)),
    Case(TNP + "nanprod", (HOLES,)),
    Case(TNP + "nanmean", (HOLES, 1)),
    Case(TNP + "ptp", (D, 1)),
    Case(TNP + "average", (D, 0, d(1.0, 3.0)), id="weights"),
    Case(TNP + "average", (D, None, d([[1.0, 2.0], [3.0, 4.0]]), True), id="returned"),
    raises(TNP + "average", (M, (0, 1)), id="axis"),
    raises(TNP + "average", (M, 0, f([[1.0, 2.0]])), id="shapes"),
    Case(TNP + "count_nonzero", (f([[0.0, 1.0]]),), gradient=False),
    Case(TNP + "sort", (D, 1)),
    raises(TNP + "sort", (M,), {"kind": "mergesort"}, id="kind"),
    raises(TNP + "sort", (M,), {"order": "x"}, id="order"),
    Case(TNP + "argsort", (M, None), gradient=False),
    Case(TNP + "argsort", ([1, 1, 0],), {"kind": "stable"}, id="stable"),
    raises(TNP + "argsort", (M,), {"kind": "heapsort"}, id="kind"),
    Case(TNP + "diff", (D, 1, 0)),
    Case(TNP + "diff", (B,), id="bool"),
    raises(TNP + "diff", (M, -1), id="negative"),
    raises(TNP + "diff", (M, 1, 4), id="axis"),
    # Products.
    Case(TNP + "matmul", (D, d([[1.0, 0.5], [2.0, 1.0]]))),
    Case(TNP + "matmul", (M, d(1.0, 2.0)), id="vector right"),
    Case(TNP + "matmul", (d(1.0, 2.0), D), id="vector left"),
    Case(TNP + "matmul", (CUBE, CUBE[0].T.copy()), id="batch"),
    raises(TNP + "matmul", (M, f([[1.0], [2.0], [3.0]])), id="shapes"),
    Case(TNP + "dot", (CUBE, CUBE[0].T.copy())),
    Case(TNP + "dot", (D, d(1.0, 2.0)), id="vector"),
    raises(TNP + "dot", (M, f([[1.0], [2.0], [3.0]])), id="shapes"),
    Case(TNP + "vdot", (c(1j, 2), c(1, 3j))),
    Case(TNP + "inner", (D, CUBE[0, :, :2].copy())),
    Case(TNP + "outer", (D, d(1.0, 2.0))),
    Case(TNP + "kron", (D, d(1.0, 2.0))),
    Case(TNP + "tensordot", (D, D, 1)),
    Case(TNP + "tensordot", (CUBE, D), {"axes": [[0], [1]]}, id="axes"),
    Case(TNP + "einsum", ("ij,jk->ik", D, d([[1.0], [2.0]]))),
    Case(TNP + "einsum", ("ij,jk", M, N), id="mixed"),
    Case(TNP + "cross", (d(1.0, 2.0, 3.0), d([[0.5, 1.0, 2.0], [1.0, 1.0, 0.0]]))),
    Case(TNP + "cross", (d(1.0, 2.0), d(3.0, 4.0, 5.0)), id="mixed"),
]
