"""Rows for convolutions of any number of dimensions, and dilated ones."""

import numpy as np

from cases.case import Case, d, i, raises

RANDOM = np.random.RandomState(6)


def r(*shape):
    return RANDOM.randint(-3, 4, shape).astype("float32")


X, F = r(1, 4, 4, 2), r(2, 2, 2, 2)
ONES = [1, 1, 1, 1]
CONV, BACK, ANY = "conv", "nn.atrous_conv2d_transpose", "nn.conv_transpose"

# TensorFlow cannot differentiate gaps on a CPU.
CASES = [
    Case(CONV, (X, F, ONES, "VALID")),
    Case(CONV, (d(X), d(F), [1, 2, 2, 1], "SAME"), id="strides"),
    Case(CONV, (X, F, ONES, "EXPLICIT", [0, 0, 1, 1, 0, 2, 0, 0]), id="explicit"),
    Case(CONV, (X, F, ONES, "VALID"), {"dilations": [1, 2, 2, 1]}, id="dilations"),
    Case(CONV, (X[None], F, ONES, "VALID"), {"batch_dims": 2}, id="batches"),
    Case(CONV, (X[None], F[None], [1] * 5, "VALID"), id="volumes"),
    Case(CONV, (X.astype("int32"), F.astype("int32"), ONES, "VALID"), id="int"),
    raises(CONV, (X, F, [1, 1], "SAME"), id="two strides"),
    raises(CONV, (X, F, ONES, "EXPLICIT", []), id="explicit none"),
    raises(CONV, (X, F, ONES, "VALID"), {"data_format": "NHWC"}, id="format"),
    raises(CONV, (X, F, ONES, "VALID"), {"groups": 2}, id="groups"),
    raises(CONV, (X[0], F[0], [1, 1, 1], "VALID"), id="rank"),
    raises(CONV, (X, F, ONES, "XX"), id="padding"),
    raises(CONV, (X, F, [2, 1, 1, 1], "VALID"), id="batch stride"),
    raises(CONV, (X, F, [1, 0, 1, 1], "VALID"), id="stride 0"),
    raises(CONV, (X, F[:, :, :1], ONES, "VALID"), id="depth"),
    raises(CONV, (X.astype("complex64"), F.astype("complex64"), ONES, "VALID"), id="complex"),
    Case(ANY, (X, F, [1, 8, 8, 2], 2)),
    Case(ANY, (X, F, i(1, 8, 8, 2), [2, 2], "VALID"), id="tensor", gradient=False),
    Case(ANY, (d(X[0]), d(F[0]), [4, 8, 2], 2), id="one"),
    Case(ANY, (r(1, 2, 2, 2, 1), r(2, 2, 2, 1, 1), [1, 4, 4, 4, 1], 2), id="three"),
    raises(ANY, (X, F, [], 2), id="no shape"),
    raises(ANY, (X, F, [8, 8], 2), id="short shape"),
    raises(ANY, (X, F, 8, 2), id="int shape"),
    raises(ANY, (X, F, [1, 8, 8, 2], 2, "XX"), id="padding"),
    Case(BACK, (X, F, [1, 6, 6, 2], 2, "VALID")),
    Case(BACK, (d(X), d(F), [1, 4, 4, 2], 2, "SAME"), id="same"),
    Case(BACK, (X, F, [1, 5, 5, 2], 1, "VALID"), id="rate 1"),
    raises(BACK, (X, F, [1, 6, 6, 3], 2, "VALID"), id="channels"),
    raises(BACK, (X, F, [1, 6, 6], 2, "VALID"), id="short"),
    raises(BACK, (X, F, [1, 6, 6, 2], 0, "VALID"), id="rate 0"),
    raises(BACK, (X, F, [1, 6, 6, 2], 2, "XX"), id="padding"),
    raises(BACK, (X, F[..., :1], [1, 6, 6, 2], 2, "VALID"), id="filter channels"),
]
