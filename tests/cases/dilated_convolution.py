"""Rows for operations with gaps, and for the blocks by which TensorFlow computes them."""

import numpy as np

from cases.case import Case, d, i, raises

RANDOM = np.random.RandomState(7)


def r(*shape):
    return RANDOM.randint(-3, 4, shape).astype("float32")


X, F = r(1, 5, 4, 2), r(2, 2, 2, 2)
ATROUS, MARGINS, BLOCKS = (
    "nn.atrous_conv2d",
    "required_space_to_batch_paddings",
    "space_to_batch_nd",
)
NONE = [[0, 0], [0, 0]]

CASES = [
    Case(ATROUS, (X, F, 2, "VALID")),
    Case(ATROUS, (d(X), d(F), 2, "SAME"), id="same"),
    Case(ATROUS, (X, F, 1, "SAME"), id="rate 1"),
    Case(ATROUS, (X, F, [2, 1], "SAME"), id="two rates", gradient=False),
    raises(ATROUS, (X, F, 0, "SAME"), id="rate 0"),
    raises(ATROUS, (X, F, 2, "XX"), id="padding"),
    raises(ATROUS, (X[0], F, 2, "SAME"), id="rank"),
    Case(MARGINS, ([5, 6], [2, 3])),
    Case(MARGINS, ([5, 6], [2, 3], [[1, 2], [0, 0]]), id="base"),
    Case(MARGINS, (i(5, 6), i(2, 3)), id="tensors"),
    Case(MARGINS, ([], []), id="empty"),
    raises(MARGINS, ([5], [2, 3]), id="lengths"),
    raises(MARGINS, ([5, 6], [2, 3], [[1, 2]]), id="base length"),
    raises(MARGINS, (5, 2), id="scalar"),
    raises(MARGINS, ([5.0], [2]), id="float"),
    Case(BLOCKS, (r(1, 4, 4, 2), [2, 2], NONE)),
    Case(BLOCKS, (i([[[1], [2], [3]]]), [2], [[0, 1]]), id="int"),
    raises(BLOCKS, (X, 2, NONE), id="int block"),
    raises(BLOCKS, (X, [2, 2], NONE), id="indivisible"),
]
