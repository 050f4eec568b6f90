"""Rows for tapefacade/_ops/nn/morphology.py."""

import numpy as np

from cases.case import Case, d, f, raises

RANDOM = np.random.RandomState(5)
X = RANDOM.randint(-9, 10, (1, 4, 3, 2)).astype("float32")
K = RANDOM.randint(-3, 4, (2, 2, 2)).astype("float32")
DILATION, EROSION = "nn.dilation2d", "nn.erosion2d"
ONES, TWOS = [1, 1, 1, 1], [1, 2, 2, 1]
GAPS = f([[[[1.0], [np.nan], [-np.inf]], [[np.inf], [2.0], [np.nan]]]])
# TensorFlow differentiates them only once, and a row with a gradient asks for the second one.

CASES = [
    Case(DILATION, (X, K, ONES, "VALID", "NHWC", ONES), gradient=False),
    Case(DILATION, (X, K, ONES, "SAME", "NHWC", ONES), id="same", gradient=False),
    Case(DILATION, (d(X), d(K), TWOS, "SAME", "NHWC", TWOS), id="float64", gradient=False),
    Case(DILATION, (X.astype("int32"), K.astype("int32"), ONES, "SAME", "NHWC", ONES), id="int"),
    Case(DILATION, (X[:0], K, ONES, "SAME", "NHWC", ONES), id="empty", gradient=False),
    Case(DILATION, (X, K[:0], ONES, "SAME", "NHWC", ONES), id="no filter", gradient=False),
    Case(DILATION, (GAPS, K[..., :1], ONES, "SAME", "NHWC", ONES), id="nan", gradient=False),
    raises(DILATION, (X, K, ONES, "SAME", "NCHW", ONES), id="format"),
    raises(DILATION, (X, K, [2, 1, 1, 1], "SAME", "NHWC", ONES), id="batch stride"),
    raises(DILATION, (X, K, ONES, "SAME", "NHWC", [1, 1, 1, 2]), id="depth rate"),
    raises(DILATION, (X, K, [1, 0, 1, 1], "SAME", "NHWC", ONES), id="stride 0"),
    raises(DILATION, (X, K, [1, 1], "SAME", "NHWC", ONES), id="two strides"),
    raises(DILATION, (X, K, 1, "SAME", "NHWC", ONES), id="int stride"),
    raises(DILATION, (X, K, ONES, "SAME", "NHWC", 1), id="int rate"),
    raises(DILATION, (X, K, ONES, "XX", "NHWC", ONES), id="padding"),
    raises(DILATION, (X, K[..., :1], ONES, "SAME", "NHWC", ONES), id="depth"),
    raises(DILATION, (X, K[0], ONES, "SAME", "NHWC", ONES), id="filter rank"),
    raises(DILATION, (X[0], K, ONES, "SAME", "NHWC", ONES), id="rank"),
    raises(DILATION, (X.astype("complex64"), K, ONES, "SAME", "NHWC", ONES), id="complex"),
    Case(EROSION, (X, K, ONES, "SAME", "NHWC", ONES), gradient=False),
    Case(EROSION, (X.astype("int32"), K.astype("int32"), TWOS, "VALID", "NHWC", ONES), id="int"),
    raises(EROSION, (X, K, ONES, "SAME", "NCHW", ONES), id="format"),
]
