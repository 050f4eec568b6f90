"""Rows for tapefacade/_ops/nn/pooling.py."""

import numpy as np

from cases.case import Case, d, f, i, raises

Y = f([[[[1], [2], [2]], [[3], [3], [0]], [[-1], [5], [4]]]])
ROW = f([[[1], [3], [3], [2]]])
VOLUME = np.random.RandomState(2).permutation(27).astype("float32").reshape(1, 3, 3, 3, 1)
MAX, AVG, POOL = "nn.max_pool2d", "nn.avg_pool2d", "nn.pool"

CASES_POOLING = [
    *[
        row
        for path in (MAX, AVG)
        for row in (
            Case(path, (Y, 2, 1, "VALID")),
            Case(path, (Y, 2, 2, "SAME"), id="same"),
            Case(path, (Y, 3, 1, "SAME"), id="three", rtol=2e-6),
            Case(path, (d(Y), 2, 1, "VALID"), id="float64"),
            Case(path, (Y.astype("float16"), 2, 1, "VALID"), id="float16"),
            Case(path, (Y, [1, 2, 1, 1], [1, 1, 2, 1], "VALID"), id="four"),
            Case(path, (Y, [2, 2], [1, 1], "VALID"), id="two"),
            Case(path, (Y, 2, 3, "SAME"), id="stride 3"),
            Case(path, (f(np.zeros((0, 3, 3, 1))), 2, 1, "VALID"), id="empty"),
            raises(path, (Y, 2, 1, "XX"), id="padding"),
            raises(path, (Y, 0, 1, "VALID"), id="size 0"),
            raises(path, (Y, 2, 0, "VALID"), id="stride 0"),
            raises(path, (Y, [2, 1, 1, 1], 1, "VALID"), id="batch"),
            raises(path, (Y, [1, 2, 2], 1, "VALID"), id="three sizes"),
            raises(path, (Y[0], 2, 1, "VALID"), id="rank"),
        )
    ],
    Case(MAX, (i(Y), 2, 1, "VALID"), id="int"),
    Case(MAX, (Y, 2, 1, [[0, 0], [1, 1], [1, 1], [0, 0]]), id="explicit", gradient=False),
    raises(AVG, (i(Y), 2, 1, "VALID"), id="int"),
    Case("nn.max_pool1d", (ROW, 2, 1, "SAME")),
    Case("nn.max_pool1d", (d(ROW), [2], [2], "VALID"), id="float64"),
    Case("nn.avg_pool1d", (ROW, 2, 1, "SAME")),
    Case("nn.avg_pool1d", (d(ROW), 2, 2, "VALID"), id="float64"),
    raises("nn.max_pool1d", (ROW[0], 2, 1, "VALID"), id="rank"),
    Case("nn.max_pool3d", (VOLUME, 2, 1, "VALID")),
    Case("nn.max_pool3d", (VOLUME, 2, 2, "SAME"), id="same"),
    Case("nn.avg_pool3d", (VOLUME, 2, 1, "VALID"), rtol=2e-6),
    Case("nn.avg_pool3d", (VOLUME, 2, 2, "SAME"), id="same"),
    raises("nn.avg_pool3d", (VOLUME[0], 2, 1, "VALID"), id="rank"),
    *[
        row
        for path in ("nn.max_pool", "nn.avg_pool")
        for row in (
            Case(path, (Y, 2, 1, "VALID")),
            Case(path, (d(ROW), 2, 1, "VALID"), id="one"),
            Case(path, (VOLUME, 2, 1, "VALID"), id="three", rtol=2e-6, gradient=False),
            Case(path, (Y, 2, 1, "VALID", "NHWC"), id="format"),
            raises(path, (f([[1, 2]]), 2, 1, "VALID"), id="rank"),
        )
    ],
    Case(POOL, (Y, [2, 2], "MAX")),
    Case(POOL, (d(Y), [2, 2], "AVG"), {"strides": [2, 2], "padding": "SAME"}, id="average"),
    Case(POOL, (Y, [2, 2], "MAX"), {"dilations": [2, 2]}, id="dilations", gradient=False),
    Case(POOL, (ROW, [2], "MAX"), id="one"),
    *[
        raises(path, (Y, 5, 1, "VALID"), id="room")
        for path in (MAX, AVG, "nn.max_pool", "nn.avg_pool")
    ],
    raises(MAX, (Y, 7, 1, [[0, 0], [1, 1], [1, 0], [0, 0]]), id="room in zeros"),
    raises("nn.avg_pool1d", (ROW, 9, 2, "VALID"), id="room"),
    raises("nn.max_pool3d", (VOLUME, 5, 1, "VALID"), id="room"),
    raises(POOL, (Y, [2, 2], "XX"), id="type"),
    raises(POOL, (Y, 2, "MAX"), id="int"),
    raises(POOL, (Y, [2], "MAX"), id="rank"),
    raises(POOL, (Y, [2, 2], "MAX"), {"strides": 2}, id="int stride"),
    raises(POOL, (Y, [2, 2], "MAX"), {"strides": [2, 2], "dilations": [2, 2]}, id="both"),
    raises(POOL, (Y, [2, 2], "AVG"), {"padding": "SAME", "dilations": [2, 2]}, id="same"),
]


RANDOM = np.random.RandomState(8)
X = RANDOM.randint(-9, 10, (2, 4, 3, 2)).astype("float32")
POOL_ARGMAX_POOLING = "nn.max_pool_with_argmax"
ZEROS = np.zeros((1, 3, 3, 1), "float32")
INT32 = {"output_dtype": "int32"}
# TensorFlow differentiates it only once, and a row with a gradient asks for the second one.
PLAIN = {"gradient": False}

CASES_ARGMAX_POOLING = [
    Case(POOL_ARGMAX_POOLING, (X, 2, 2, "VALID"), **PLAIN),
    Case(POOL_ARGMAX_POOLING, (X, [1, 3, 2, 1], [1, 2, 1, 1], "SAME"), id="same", **PLAIN),
    Case(POOL_ARGMAX_POOLING, (d(X), 2, 1, "SAME"), INT32, id="int32", **PLAIN),
    Case(
        POOL_ARGMAX_POOLING,
        (X, 2, 2, "SAME"),
        {"include_batch_in_index": True},
        id="batch",
        **PLAIN,
    ),
    Case(POOL_ARGMAX_POOLING, (ZEROS, 2, 1, "SAME"), id="ties", **PLAIN),
    Case(POOL_ARGMAX_POOLING, (-np.inf - ZEROS, 2, 2, "SAME"), id="infinite", **PLAIN),
    Case(POOL_ARGMAX_POOLING, (ZEROS * np.nan, 2, 2, "SAME"), id="nan", **PLAIN),
    Case(
        POOL_ARGMAX_POOLING,
        (f([[[[1.0], [np.nan]], [[3.0], [2.0]]]]), 2, 2, "SAME"),
        id="a nan",
        **PLAIN,
    ),
    Case(POOL_ARGMAX_POOLING, (X.astype("int32"), 2, 2, "SAME"), id="int", **PLAIN),
    Case(POOL_ARGMAX_POOLING, (X.astype("float16"), 2, 2, "SAME"), id="float16", **PLAIN),
    Case(POOL_ARGMAX_POOLING, (X, [1, 4, 4, 1], 1, "VALID"), id="too large", **PLAIN),
    raises(POOL_ARGMAX_POOLING, (X, 2, 2, "SAME"), {"data_format": "NCHW"}, id="format"),
    raises(POOL_ARGMAX_POOLING, (X, 2, 2, "XX"), id="padding"),
    raises(POOL_ARGMAX_POOLING, (X, 2, 2, [[0, 0]] * 4), id="explicit"),
    raises(POOL_ARGMAX_POOLING, (X[0], 2, 2, "SAME"), id="rank"),
    raises(POOL_ARGMAX_POOLING, (X[:0], 2, 2, "SAME"), id="empty"),
    raises(POOL_ARGMAX_POOLING, (X, 0, 2, "SAME"), id="size 0"),
    raises(POOL_ARGMAX_POOLING, (X, 2, 0, "SAME"), id="stride 0"),
    raises(POOL_ARGMAX_POOLING, (X, [2, 2, 2, 1], 2, "SAME"), id="batch size"),
    raises(POOL_ARGMAX_POOLING, (X, [1, 2, 2, 2], 2, "SAME"), id="depth"),
    raises(POOL_ARGMAX_POOLING, (X, 2, 2, "SAME"), {"output_dtype": "float32"}, id="places"),
    raises(POOL_ARGMAX_POOLING, (X.astype("complex64"), 2, 2, "SAME"), id="complex"),
]


CASES = [*CASES_POOLING, *CASES_ARGMAX_POOLING]
