"""Rows for tapefacade/_ops/nn/convolution_separable.py."""

import numpy as np

from cases.case import Case, d, raises

RANDOM = np.random.RandomState(4)


def r(*shape):
    return RANDOM.randint(-3, 4, shape).astype("float32")


X, D, P = r(1, 4, 4, 2), r(2, 2, 2, 2), r(1, 1, 4, 3)
G, SIZES = r(1, 3, 3, 4), [1, 4, 4, 2]
SEPARABLE = "nn.separable_conv2d"
BACK, BACK_FILTER = (f"nn.depthwise_conv2d_backprop_{x}" for x in ("input", "filter"))
ONES = [1, 1, 1, 1]
EXPLICIT = [[0, 0], [1, 1], [1, 1], [0, 0]]

CASES = [
    Case(SEPARABLE, (X, D, P, ONES, "VALID")),
    Case(SEPARABLE, (X, D, P, [1, 2, 2, 1], "SAME"), id="strides"),
    Case(SEPARABLE, (d(X), d(D), d(P), ONES, "SAME"), {"dilations": [2, 2]}, id="dilations"),
    Case(SEPARABLE, (X, D, P, ONES, EXPLICIT), id="explicit", gradient=False),
    raises(SEPARABLE, (X, D, P, 1, "SAME"), id="int stride"),
    raises(SEPARABLE, (X, D, P, ONES, "XX"), id="padding"),
    raises(SEPARABLE, (X, D, P[:, :, :3], ONES, "SAME"), id="depth"),
    raises(SEPARABLE, (X, D, P[0], ONES, "SAME"), id="pointwise rank"),
    raises(SEPARABLE, (X, D, r(2, 1, 4, 3), ONES, "SAME"), id="pointwise rows"),
    raises(SEPARABLE, (X, D, r(1, 2, 4, 3), ONES, "SAME"), id="pointwise columns"),
    raises(SEPARABLE, (X, D[:, :, :1], P, ONES, "SAME"), id="depthwise depth"),
    Case(BACK, (SIZES, D, G, ONES, "VALID")),
    Case(BACK, (SIZES, d(D), d(r(1, 2, 2, 4)), [1, 2, 2, 1], "SAME"), id="strides"),
    Case(BACK, (SIZES, D, r(1, 5, 5, 4), ONES, EXPLICIT), id="explicit", gradient=False),
    raises(BACK, (SIZES[1:], D, G, ONES, "VALID"), id="rank"),
    raises(BACK, ([1, 5, 4, 2], D, G, ONES, "VALID"), id="rows"),
    raises(BACK, ([2, 4, 4, 2], D, G, ONES, "VALID"), id="batch"),
    raises(BACK, (SIZES, D, G[..., :3], ONES, "VALID"), id="multiplier"),
    raises(BACK, ([1, 4, 4, 3], D, G, ONES, "VALID"), id="depth"),
    raises(BACK, (SIZES, D, G, 1, "VALID"), id="int stride"),
    raises(BACK, (SIZES, D, G, ONES, "XX"), id="padding"),
    Case(BACK_FILTER, (X, [2, 2, 2, 2], G, ONES, "VALID")),
    Case(BACK_FILTER, (d(X), [2, 2, 2, 2], d(r(1, 2, 2, 4)), [1, 2, 2, 1], "SAME"), id="strides"),
    raises(BACK_FILTER, (X, [2, 2, 2], G, ONES, "VALID"), id="rank"),
    raises(BACK_FILTER, (X, [2, 3, 2, 2], G, ONES, "VALID"), id="columns"),
    raises(BACK_FILTER, (X, [2, 2, 3, 2], G, ONES, "VALID"), id="depth"),
    raises(BACK_FILTER, (X, [2, 2, 2, 1], G, ONES, "VALID"), id="multiplier"),
    raises(BACK_FILTER, (X, [2, 2, 2, 2], G, 1, "VALID"), id="int stride"),
]
