"""Rows for tapefacade/_ops/nn/convolution.py."""

import numpy as np

from cases.case import Case, d, f, raises

RANDOM = np.random.RandomState(0)


def r(*shape):
    return RANDOM.randint(-3, 4, shape).astype("float32")


X, K = r(1, 4, 4, 2), r(2, 2, 2, 1)
X1, K1 = r(1, 5, 2), r(2, 2, 1)
X3, K3 = r(1, 3, 3, 3, 1), r(2, 2, 2, 1, 1)
KD = r(2, 2, 2, 2)
ONE, TWO, THREE, DEPTH, ANY = (
    "nn.conv1d",
    "nn.conv2d",
    "nn.conv3d",
    "nn.depthwise_conv2d",
    "nn.convolution",
)
ONES = [1, 1, 1, 1]

# TensorFlow cannot differentiate groups and dilations on a CPU.
CASES = [
    *[Case(TWO, (X, K, s, p), id=f"{p} {s}") for p in ("SAME", "VALID") for s in (1, 2, 3)],
    Case(TWO, (d(X), d(K), 1, "VALID"), id="float64"),
    Case(TWO, (X.astype("float16"), K.astype("float16"), 1, "VALID"), id="float16"),
    Case(TWO, (X.astype("int32"), K.astype("int32"), 1, "VALID"), id="int"),
    Case(TWO, (X, K, [1, 2, 1, 1], "VALID"), id="strides"),
    Case(TWO, (X, K, [1, 2], "SAME"), id="two strides"),
    Case(TWO, (X, K, 1, "VALID"), {"dilations": 2}, id="dilations", gradient=False),
    Case(TWO, (X, K, 1, "SAME"), {"dilations": [1, 2, 2, 1]}, id="four dilations", gradient=False),
    Case(TWO, (X, K, 1, [[0, 0], [1, 0], [0, 2], [0, 0]]), id="explicit"),
    Case(TWO, (r(1, 4, 4, 4), r(2, 2, 2, 2), 1, "VALID"), id="groups", gradient=False),
    Case(TWO, (r(1, 1, 1, 2), K, 1, "SAME"), id="small"),
    Case(TWO, (f(np.zeros((0, 4, 4, 2))), K, 1, "VALID"), id="empty", gradient=False),
    raises(TWO, (X, K, 1, "same"), id="lower case"),
    raises(TWO, (X, K, 1, "EXPLICIT"), id="explicit text"),
    raises(TWO, (X, K, 1, [[0, 0], [1, 0], [0, 0], [1, 0]]), id="padded channels"),
    raises(TWO, (X, K, 1, [[0, 0], [1, 0]]), id="short padding"),
    raises(TWO, (X, r(2, 2, 3, 1), 1, "VALID"), id="depth"),
    raises(TWO, (X, K[:, :, :1], 1, "VALID"), id="group count"),
    raises(TWO, (r(1, 4, 4, 4), r(2, 2, 2, 3), 1, "VALID"), id="groups error"),
    raises(TWO, (X, K, [2, 1, 1, 1], "VALID"), id="batch stride"),
    raises(TWO, (X, K, 0, "VALID"), id="stride 0"),
    raises(TWO, (X, K, [1, 2, 3], "VALID"), id="three strides"),
    raises(TWO, (X, K, 1, "VALID"), {"data_format": "XX"}, id="format"),
    raises(TWO, (X, K, 1, "VALID"), {"dilations": 0}, id="dilation 0"),
    raises(TWO, (X.astype("int64"), K.astype("int64"), 1, "VALID"), id="int64"),
    raises(TWO, (X, d(K), 1, "VALID"), id="dtypes"),
    raises(TWO, (X, r(0, 2, 2, 1), 1, "VALID"), id="no filter"),
    Case(ONE, (X1, K1, 1, "SAME")),
    Case(ONE, (d(X1), d(K1), 2, "VALID"), id="float64"),
    Case(ONE, (X1, K1, 1, "VALID"), {"dilations": 2}, id="dilations", gradient=False),
    Case(ONE, (X1, K1, [1, 2, 1], "VALID"), id="strides"),
    raises(ONE, (X1, K1, 1, "XX"), id="padding"),
    raises(ONE, (X1, K1, 1, "VALID"), {"data_format": "XX"}, id="format"),
    raises(ONE, (X1, r(2, 3, 1), 1, "VALID"), id="depth"),
    Case(THREE, (X3, K3, [1] * 5, "VALID")),
    Case(THREE, (X3, K3, [1, 2, 2, 2, 1], "SAME"), id="same"),
    Case(THREE, (d(X3), d(K3), [1] * 5, "SAME"), id="float64"),
    raises(THREE, (X3, K3, 1, "VALID"), id="int stride"),
    Case(DEPTH, (X, KD, ONES, "VALID")),
    Case(DEPTH, (d(X), d(KD), [1, 2, 2, 1], "SAME"), id="float64"),
    Case(DEPTH, (X, KD, ONES, "SAME"), {"dilations": [2, 2]}, id="dilations"),
    Case(DEPTH, (X, KD, ONES, [[0, 0], [1, 1], [1, 1], [0, 0]]), id="explicit", gradient=False),
    raises(DEPTH, (X, KD, 1, "VALID"), id="int stride"),
    raises(DEPTH, (X, KD, ONES, "VALID"), {"dilations": 2}, id="int dilation"),
    raises(DEPTH, (X, r(2, 2, 3, 1), ONES, "VALID"), id="depth"),
    Case(ANY, (X, K), gradient=False),
    Case(ANY, (X, K, [2, 2], "SAME"), id="strides", gradient=False),
    Case(ANY, (X, K, 2, "SAME"), id="stride", gradient=False),
    Case(ANY, (X, K), {"dilations": 2}, id="dilations", gradient=False),
    Case(ANY, (d(X1), d(K1), 1, "SAME"), id="one"),
    Case(ANY, (X3, K3), id="three", gradient=False),
    Case(ANY, (X, K), {"data_format": "NHWC"}, id="format"),
    raises(ONE, (X1, r(7, 2, 1), 1, "VALID"), id="room"),
    raises(TWO, (X, r(6, 2, 2, 1), 1, "VALID"), id="room"),
    raises(TWO, (X, K, 1, "VALID", "NHWC", 5), id="room of dilations"),
    raises(THREE, (X3, r(5, 1, 1, 1, 1), [1] * 5, "VALID"), id="room"),
    raises(DEPTH, (X, r(2, 7, 2, 1), [1, 2, 2, 1], "VALID"), id="room"),
    raises(ANY, (X, K), {"strides": 2, "dilations": 2}, id="both"),
    raises(ANY, (X, K), {"padding": "XX"}, id="padding"),
    raises(ANY, (X, K), {"strides": [1, 2, 3]}, id="three strides"),
]
