"""Rows for maxima with their places."""

import numpy as np

from cases.case import Case, d, f, raises

RANDOM = np.random.RandomState(8)
X = RANDOM.randint(-9, 10, (2, 4, 3, 2)).astype("float32")
POOL = "nn.max_pool_with_argmax"
ZEROS = np.zeros((1, 3, 3, 1), "float32")
INT32 = {"output_dtype": "int32"}
# TensorFlow differentiates it only once, and a row with a gradient asks for the second one.
PLAIN = {"gradient": False}

CASES = [
    Case(POOL, (X, 2, 2, "VALID"), **PLAIN),
    Case(POOL, (X, [1, 3, 2, 1], [1, 2, 1, 1], "SAME"), id="same", **PLAIN),
    Case(POOL, (d(X), 2, 1, "SAME"), INT32, id="int32", **PLAIN),
    Case(POOL, (X, 2, 2, "SAME"), {"include_batch_in_index": True}, id="batch", **PLAIN),
    Case(POOL, (ZEROS, 2, 1, "SAME"), id="ties", **PLAIN),
    Case(POOL, (-np.inf - ZEROS, 2, 2, "SAME"), id="infinite", **PLAIN),
    Case(POOL, (ZEROS * np.nan, 2, 2, "SAME"), id="nan", **PLAIN),
    Case(POOL, (f([[[[1.0], [np.nan]], [[3.0], [2.0]]]]), 2, 2, "SAME"), id="a nan", **PLAIN),
    Case(POOL, (X.astype("int32"), 2, 2, "SAME"), id="int", **PLAIN),
    Case(POOL, (X.astype("float16"), 2, 2, "SAME"), id="float16", **PLAIN),
    Case(POOL, (X, [1, 4, 4, 1], 1, "VALID"), id="too large", **PLAIN),
    raises(POOL, (X, 2, 2, "SAME"), {"data_format": "NCHW"}, id="format"),
    raises(POOL, (X, 2, 2, "XX"), id="padding"),
    raises(POOL, (X, 2, 2, [[0, 0]] * 4), id="explicit"),
    raises(POOL, (X[0], 2, 2, "SAME"), id="rank"),
    raises(POOL, (X[:0], 2, 2, "SAME"), id="empty"),
    raises(POOL, (X, 0, 2, "SAME"), id="size 0"),
    raises(POOL, (X, 2, 0, "SAME"), id="stride 0"),
    raises(POOL, (X, [2, 2, 2, 1], 2, "SAME"), id="batch size"),
    raises(POOL, (X, [1, 2, 2, 2], 2, "SAME"), id="depth"),
    raises(POOL, (X, 2, 2, "SAME"), {"output_dtype": "float32"}, id="places"),
    raises(POOL, (X.astype("complex64"), 2, 2, "SAME"), id="complex"),
]
