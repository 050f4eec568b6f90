"""Rows for tapefacade/_ops/array/shapes.py."""

from cases.case import Case, f, i, raises

M = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

CASES = [
    Case("shape", (M,)),
    Case("shape", (M, "int64"), id="int64"),
    Case("shape", (5,), id="scalar"),
    Case("shape", ([[1, 2]],), id="python"),
    raises("shape", (M, "float32"), id="float"),
    raises("shape", (None,), id="none"),
    Case("shape_n", ([M, f([1.0])],)),
    Case("shape_n", ([M, M],), {"out_type": "int64"}, id="int64"),
    raises("shape_n", ([],), id="empty"),
    Case("size", (M,)),
    Case("size", ([1, 2],), id="python"),
    Case("rank", (M,)),
    Case("rank", (5,), id="scalar"),
    Case("broadcast_dynamic_shape", (i(2, 1), i([3]))),
    Case("broadcast_dynamic_shape", ([2, 1], [3]), id="python"),
    Case("broadcast_dynamic_shape", (i(2, 1, dtype="int64"), i([3], dtype="int64")), id="int64"),
    Case("broadcast_dynamic_shape", ([0], [1]), id="empty"),
    raises("broadcast_dynamic_shape", ([2], [3]), id="sizes"),
    raises("broadcast_dynamic_shape", ([[2]], [3]), id="matrix"),
    raises("broadcast_dynamic_shape", ([2.0], [3.0]), id="float"),
    raises("broadcast_static_shape", ([2, 1], [3]), id="lists"),
]
