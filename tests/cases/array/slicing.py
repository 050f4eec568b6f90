"""Rows for tapefacade/_ops/array/slicing.py."""

from cases.case import Case, b, d, f, i, raises

M = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V = f(1.0, 2.0, 3.0)

CASES = [
    Case("slice", (M, [0, 1], [1, 2])),
    Case("slice", (M, [0, 1], [-1, -1]), id="to the end"),
    Case("slice", (M, i(1, 0), i(1, 2)), id="tensors"),
    Case("slice", (M, (1, 0), i(1, -1, dtype="int64")), id="int64"),
    Case("slice", (M, [2, 0], [0, 1]), id="empty"),
    Case("slice", (V, [3], [-1]), id="end"),
    Case("slice", (d(1.0, 2.0), [1], [1]), id="float64"),
    Case("slice", (i(1, 2), [0], [1]), id="int"),
    Case("slice", ([1, 2, 3], [0], [2]), id="python"),
    raises("slice", (M, [0, 1], [1, 3]), id="size"),
    raises("slice", (M, [0, 1], [1, -2]), id="negative size"),
    raises("slice", (M, [-1, 0], [1, 1]), id="negative begin"),
    raises("slice", (M, [3, 0], [0, 1]), id="begin"),
    raises("slice", (M, [0], [1]), id="rank"),
    raises("slice", (M, [0, 1], [1]), id="lengths"),
    raises("slice", (M, [0.0, 1.0], [1.0, 1.0]), id="float"),
    raises("slice", (V, 0, 1), id="integers"),
    Case("strided_slice", (M, [0, 1], [2, 3])),
    Case("strided_slice", (M, [0], [2], [2]), id="step"),
    Case("strided_slice", (M, [-1], [-3], [-1]), id="backwards"),
    Case("strided_slice", (M, i(0, 1), i(2, 3)), id="tensors"),
    Case("strided_slice", (M, [0, 0], [1, 1]), {"shrink_axis_mask": 1}, id="index"),
    Case("strided_slice", (M, [0, 0], [1, 1], None, 2, 2), id="open"),
    Case(
        "strided_slice", (M, [0, 0], [0, 0]), {"ellipsis_mask": 1, "shrink_axis_mask": 2}, id="..."
    ),
    Case("strided_slice", (M, [0, 0], [0, 0]), {"new_axis_mask": 1, "end_mask": 2}, id="new axis"),
    Case("strided_slice", (M, [1, 5], [9, 9]), id="empty"),
    Case("strided_slice", (d(1.0, 2.0, 3.0), [0], [3], [2]), id="float64"),
    Case("strided_slice", (i(1, 2, 3), [0], [3], [2]), id="int"),
    Case("strided_slice", (b(True, False), [1], [2]), id="bool"),
    raises("strided_slice", (M, [0], [2, 1]), id="lengths"),
    raises("strided_slice", (M, 0, 1), id="integers"),
    raises("strided_slice", (M, [0], [1], [0]), id="no step"),
    raises("strided_slice", (M, [0, 0, 0], [1, 1, 1]), id="too many"),
    raises("strided_slice", (M, [5], [6]), {"shrink_axis_mask": 1}, id="index out of bounds"),
    raises("strided_slice", (M, [1], [0], [-1]), {"shrink_axis_mask": 1}, id="index with step"),
    raises("strided_slice", (M, [0, 0], [0, 0]), {"ellipsis_mask": 3}, id="ellipses"),
    raises("strided_slice", (M, [0.5], [1.5]), id="float"),
]
