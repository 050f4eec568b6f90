"""Rows for tapefacade/_ops/array/selecting.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

INF, NAN = float("inf"), float("nan")
M = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V, W = f(1.0, 2.0, 3.0), f(4.0, 5.0, 6.0)
B = b(True, False, True)
CUBE = np.arange(12, dtype=np.float32).reshape(2, 3, 2)

THREE = f([[1, 2], [3, 4], [5, 7]])

CASES = [
    Case("where", (B, V, W)),
    Case("where", (B, V, M), id="broadcast"),
    Case("where", (b([[True], [False]]), M, 0.0), id="number"),
    Case("where", (b(True), V, f(2.0)), id="scalar"),
    Case("where", (B, 1.0, 2.0), id="numbers"),
    Case("where", (B, 1, V), id="int number"),
    Case("where", (B, f(NAN, 1.0, 2.0), f(1.0, NAN, INF)), id="nan"),
    Case("where", ([True, False], d(1.0, 2.0), 0.5), id="float64"),
    Case("where", (B, i(1, 2, 3), 7), id="int"),
    Case("where", (B, b(True), False), id="bool"),
    Case("where", (B, c(1j), c(2.0)), id="complex"),
    Case("where", (b([]), f([]), f([])), id="empty"),
    Case("where", (B,), id="positions"),
    Case("where", (b([[True, False], [True, True]]),), id="matrix positions"),
    Case("where", (i(1, 0, 2),), id="int positions"),
    Case("where", (f(0.0, NAN),), gradient=False, id="float positions"),
    Case("where", (b([]),), id="no positions"),
    raises("where", (b(True, False), V, W), id="shapes"),
    raises("where", (b([True, False, True]), V, M[:, :2]), id="other shapes"),
    raises("where", (V, V, V), id="float condition"),
    raises("where", (i(1, 0, 1), V, V), id="int condition"),
    raises("where", (B, V, i(1, 2, 3)), id="dtypes"),
    raises("where", (B, 1, 2.5), id="float into int"),
    raises("where", (B, V), id="no y"),
    raises("where", (B,), {"y": 1.0}, id="no x"),
    raises("where", (b(True),), id="scalar positions"),
    Case("boolean_mask", (V, B)),
    Case("boolean_mask", (M, b(True, False)), id="rows"),
    Case("boolean_mask", (M, B), {"axis": 1}, id="axis"),
    Case("boolean_mask", (M, M > 2.0), id="matrix"),
    Case("boolean_mask", (CUBE, M > 2.0), id="leading"),
    Case("boolean_mask", (V, [1, 0, 1]), id="int mask"),
    Case("boolean_mask", (V, f(0.0, 1.0, 1.0)), id="float mask"),
    Case("boolean_mask", (d(1.0, 2.0), b(False, True)), id="float64"),
    Case("boolean_mask", (i(1, 2), b(False, True)), id="int"),
    Case("boolean_mask", (V, b(False, False, False)), id="none"),
    raises("boolean_mask", (V, b(True, False)), id="shape"),
    raises("boolean_mask", (V, b(True)), id="scalar"),
    raises("boolean_mask", (M, B), {"axis": 2}, id="axis out of range"),
    Case("dynamic_partition", (V, i(0, 1, 0), 2)),
    Case("dynamic_partition", (M, [1, 0], 2), id="rows"),
    Case("dynamic_partition", (M, i([[0, 1, 0], [2, 0, 1]]), 3), id="matrix"),
    Case("dynamic_partition", (V, [0, 0, 0], 3), id="empty"),
    Case("dynamic_partition", (f(1.0), 0, 2), id="scalar"),
    Case("dynamic_partition", (d(1.0, 2.0), [1, 1], 2), id="float64"),
    Case("dynamic_partition", (i(1, 2), [1, 0], 2), id="int"),
    raises("dynamic_partition", (V, [0, 1, 2], 2), id="out of range"),
    raises("dynamic_partition", (V, [0, -1, 0], 2), id="negative"),
    raises("dynamic_partition", (V, [0, 1], 2), id="shape"),
    raises("dynamic_partition", (V, i(0, 1, 0, dtype="int64"), 2), id="int64"),
    raises("dynamic_partition", (V, [0, 1, 0], 0), id="none"),
    Case("dynamic_stitch", ([i(0, 2), i([1])], [f(1.0, 3.0), f([2.0])])),
    Case("dynamic_stitch", ([[0, 1], [1, 2]], [f(1.0, 2.0), f(3.0, 4.0)]), id="overwritten"),
    Case("dynamic_stitch", ([[0, 3]], [f(1.0, 2.0)]), id="gap", gradient=False),
    Case("dynamic_stitch", ([0, [1, 2]], [f(1.0, 1.0), f([[2.0, 2.0], [3.0, 3.0]])]), id="rows"),
    Case("dynamic_stitch", ([[0], [1]], [d([1.0]), d([2.0])]), id="float64"),
    Case("dynamic_stitch", ([[1], [0]], [i([1]), [2]]), id="int"),
    raises("dynamic_stitch", ([[0, -1]], [f(1.0, 3.0)]), id="negative"),
    raises("dynamic_stitch", ([[0, 1]], [f(1.0, 3.0, 4.0)]), id="lengths"),
    raises("dynamic_stitch", ([[0]], [f([1.0]), f([2.0])]), id="lists"),
    raises("dynamic_stitch", ([[0], [1]], [f([[1.0]]), f([2.0])]), id="ranks"),
    *[
        Case("compat.v1.where", (condition, THREE, -THREE), id=id)
        for id, condition in {
            "rows": b(True, False, True),
            "scalar": b(False),
            "same shape": b(THREE % 2 == 0),
        }.items()
    ],
    # Where the columns are as many as the rows, a condition that broadcasts would choose columns.
    Case(
        "compat.v1.where", (b(True, False), f([[1, 2], [3, 4]]), f([[5, 6], [7, 8]])), id="square"
    ),
    Case("compat.v1.where", (b(True, False), f(1, 2), f(3, 4)), id="vectors"),
    Case("compat.v1.where", (b(True, False),), gradient=False, id="positions"),
    raises("compat.v1.where", (b(True, False), THREE, THREE), id="rows error"),
    raises("compat.v1.where", (b([[True], [False], [True]]), THREE, THREE), id="broadcast"),
    raises("compat.v1.where", (b(True, False), f(1.0), f(2.0)), id="scalars"),
    raises("compat.v1.where", (b(True), f(1.0), THREE), id="other shape"),
]
