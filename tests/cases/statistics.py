"""Rows for the parts of means and variances."""

import numpy as np

from cases.case import Case, d, f, i, raises

M = f([[1.0, 2.0], [3.0, 5.0]])
IMAGE = np.arange(8, dtype=np.float32).reshape(1, 2, 2, 2)
SUMS, MOMENTS = "nn.sufficient_statistics", "nn.normalize_moments"
NORM = "nn.batch_norm_with_global_normalization"
PARTS = (IMAGE, f(1.0, 2.0), f(4.0, 5.0), f(0.0, 1.0), f(1.0, 2.0), 0.1)

CASES = [
    Case(SUMS, (M, [0])),
    Case(SUMS, (d(M), [0, 1]), id="float64"),
    Case(SUMS, (M, [-1]), {"shift": 1.0, "keepdims": True}, id="keepdims"),
    Case(SUMS, (M, [0], f(1.0, 2.0)), id="shift"),
    Case(SUMS, (i([[1, 2], [3, 4]]), [0]), id="int"),
    raises(SUMS, (M, 0), id="int axis"),
    raises(SUMS, (M, [2]), id="axis"),
    Case(MOMENTS, (f(4.0), f(2.0, 1.0), f(8.0, 3.0), None)),
    Case(MOMENTS, (d(4.0), d(2.0, 1.0), d(8.0, 3.0), d(1.0, 2.0)), id="shift"),
    Case(MOMENTS, (4.0, 2.0, 8.0, None), id="numbers"),
    Case(NORM, (*PARTS, True)),
    Case(NORM, (*PARTS, False), id="unscaled"),
    Case("guarantee_const", (M,)),
    Case("guarantee_const", ([1, 2],), id="int"),
]
