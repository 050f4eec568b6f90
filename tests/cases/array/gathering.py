"""Rows for tapefacade/_ops/array/gathering.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

M = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V = f(1.0, 2.0, 3.0)
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
PAIRS = i([[0, 1], [1, 2]])

CASES = [
    Case("gather", (V, i(0, 2))),
    Case("gather", (M, i(0, 0, 1)), id="rows"),
    Case("gather", (M, i(1)), id="scalar"),
    Case("gather", (M, i([[0, 1], [1, 0]])), id="matrix"),
    Case("gather", (M, [0, 2]), {"axis": 1}, id="axis"),
    Case("gather", (M, [0, 2]), {"axis": -1}, id="last axis"),
    Case("gather", (M, PAIRS), {"batch_dims": 1}, id="batch"),
    Case("gather", (M, PAIRS), {"axis": 1, "batch_dims": -1}, id="negative batch"),
    Case("gather", (CUBE, PAIRS), {"axis": 1, "batch_dims": 1}, id="batch axis"),
    Case("gather", (CUBE, PAIRS), {"axis": 2, "batch_dims": 1}, id="batch later axis"),
    Case("gather", (M, [0, 1]), {"axis": 0, "batch_dims": 1}, id="ignored batch"),
    Case("gather", (d(1.0, 2.0), i(1, 1, dtype="int64")), id="float64"),
    Case("gather", (i(5, 6), i([1], dtype="int16")), id="int"),
    Case("gather", (b(True, False), [1]), id="bool"),
    Case("gather", (c(1j, 2), [1, 0]), id="complex"),
    Case("gather", (V, i([])), id="empty"),
    Case("gather", (f([[], []]), [1]), id="empty rows"),
    Case("gather", ([1, 2], [1]), id="python"),
    raises("gather", (V, [3]), id="out of range"),
    raises("gather", (V, [-1]), id="negative"),
    raises("gather", (V, 5), id="scalar out of range"),
    raises("gather", (M, i([[0, 7], [1, 0]])), id="matrix out of range"),
    raises("gather", (M, [0, 5]), {"axis": 1}, id="column out of range"),
    raises("gather", (M, [[0], [5]]), {"axis": 1, "batch_dims": 1}, id="batch out of range"),
    raises("gather", (M, [0]), {"axis": 2}, id="axis out of range"),
    raises("gather", (M, [0]), {"axis": -3}, id="axis below range"),
    raises("gather", (M, [[0, 1]]), {"batch_dims": 1}, id="batch size"),
    raises("gather", (f(1.0), [0]), id="scalar params"),
    raises("gather", (V, [0.0]), id="float"),
    raises("gather", (V, i([0], dtype="uint8")), id="uint8"),
    Case("gather_nd", (M, i([[0, 1], [1, 2]]))),
    Case("gather_nd", (M, i([[0, 1], [0, 1]])), id="repeated"),
    Case("gather_nd", (M, [0, 1]), gradient=False, id="vector"),
    Case("gather_nd", (M, i([[0], [1]])), id="rows"),
    Case("gather_nd", (M, i([[]])), gradient=False, id="no index"),
    Case("gather_nd", (M, i([[1], [2]])), {"batch_dims": 1}, id="batch"),
    Case("gather_nd", (CUBE, i([[[0], [1]], [[2], [0]]])), {"batch_dims": 1}, id="batch rows"),
    Case("gather_nd", (d([[1.0, 2.0]]), i([[0, 1]], dtype="int64")), id="float64"),
    Case("gather_nd", (i([[1, 2]]), [[0, 1]]), id="int"),
    Case("gather_nd", (M, [[0, 9]]), {"bad_indices_policy": "IGNORE"}, id="ignore"),
    raises("gather_nd", (M, [[0, 3]]), id="out of range"),
    raises("gather_nd", (M, [[0, 0], [-1, 0]]), id="negative"),
    raises("gather_nd", (M, [[[0, 1]], [[1, 7]]]), id="later"),
    raises("gather_nd", (M, [[0, 0, 0]]), id="too long"),
    raises("gather_nd", (M, 0), id="scalar"),
    raises("gather_nd", (M, [[0.0]]), id="float"),
    raises("gather_nd", (M, i([[0], [5]])), {"batch_dims": 1}, id="batch out of range"),
    raises("gather_nd", (M, i([[0], [1]])), {"batch_dims": 2}, id="batch of all"),
    raises("gather_nd", (f(1.0), i([[]])), id="scalar params"),
    raises("gather_nd", (f([[], []]), [[0, 0]]), id="empty params"),
]
