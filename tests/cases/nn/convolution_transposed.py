"""Rows for tapefacade/_ops/nn/convolution_transposed.py."""

import numpy as np

from cases.case import Case, d, i, raises

RANDOM = np.random.RandomState(1)


def r(*shape):
    return RANDOM.randint(-3, 4, shape).astype("float32")


ONE, TWO, THREE = "nn.conv1d_transpose", "nn.conv2d_transpose", "nn.conv3d_transpose"
X, K, K3 = r(1, 2, 2, 1), r(2, 2, 2, 1), r(3, 3, 2, 1)

CASES = [
    Case(TWO, (X, K, [1, 4, 4, 2], 2)),
    Case(TWO, (d(X), d(K), [1, 4, 4, 2], 2), id="float64"),
    Case(TWO, (r(1, 3, 3, 1), K, [1, 4, 4, 2], 1, "VALID"), id="valid"),
    Case(TWO, (X, K3, [1, 4, 4, 2], [1, 2, 2, 1], "SAME"), id="same"),
    Case(TWO, (X, K3, [1, 3, 3, 2], 2, "SAME"), id="odd"),
    Case(TWO, (X, K3, [1, 6, 5, 2], 2, "VALID"), id="larger"),
    Case(TWO, (X, K, i(1, 4, 4, 2), 2), id="tensor shape"),
    raises(TWO, (X, K, [1, 5, 4, 2], 2), id="size"),
    raises(TWO, (X, r(2, 2, 2, 2), [1, 4, 4, 2], 2), id="depth"),
    raises(TWO, (X, K, [2, 4, 4, 2], 2), id="batch"),
    raises(TWO, (X, K, [1, 4, 4, 3], 2), id="channels"),
    raises(TWO, (X, K, [1, 4, 4, 2], 2, "XX"), id="padding"),
    Case(ONE, (r(1, 3, 1), r(2, 2, 1), [1, 6, 2], 2)),
    Case(ONE, (d(r(1, 3, 1)), d(r(2, 2, 1)), [1, 4, 2], 1, "VALID"), id="float64"),
    Case(THREE, (r(1, 1, 2, 1, 1), r(2, 2, 2, 1, 1), [1, 2, 4, 2, 1], [1, 2, 2, 2, 1])),
    Case(
        THREE,
        (d(r(1, 1, 2, 1, 1)), d(r(2, 2, 2, 1, 1)), [1, 2, 3, 2, 1], 1, "VALID"),
        id="float64",
    ),
]
