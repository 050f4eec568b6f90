"""Rows for sequences of labels."""

import numpy as np

from cases.case import Case, f, i, raises

M = i([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]])
COLLAPSE = "nn.collapse_repeated"

CASES = [
    Case(COLLAPSE, (M, i(5, 3))),
    Case(COLLAPSE, (M.astype("int64"), [5, 4]), id="int64"),
    Case(COLLAPSE, (M, [5, 0]), id="nothing"),
    Case(COLLAPSE, (M, [5, 9]), id="long"),
    Case(COLLAPSE, (i([[1, 1, 2]]), [-1]), id="negative"),
    Case(COLLAPSE, (f([[], []]), [0, 0]), id="empty", gradient=False),
    Case(COLLAPSE, (M.astype("float32"), [5, 4]), id="float", gradient=False),
    raises(COLLAPSE, (np.zeros((0, 3), "int32"), i([])), id="no rows"),
    raises(COLLAPSE, (i(1, 1, 2), i([3])), id="vector"),
    raises(COLLAPSE, (i([[1, 1, 2]]), [3, 1]), id="lengths"),
]
