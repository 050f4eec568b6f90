"""Rows for tapefacade/_ops/nn/pooling_fractional.py."""

import numpy as np

from cases.case import Case, d, raises

RANDOM = np.random.RandomState(9)
X = RANDOM.randint(-9, 10, (1, 4, 6, 2)).astype("float32")
MAX, AVERAGE = "nn.fractional_max_pool", "nn.fractional_avg_pool"
HALF, DRAWN = [1.0, 2.0, 2.0, 1.0], [1.0, 1.5, 1.8, 1.0]
OVER = {"overlapping": True}
# TensorFlow differentiates them only once, and a row with a gradient asks for the second one.
PLAIN = {"gradient": False}

CASES = [
    Case(MAX, (X, 2.0), **PLAIN),
    Case(MAX, (d(X), HALF), OVER, id="overlapping", **PLAIN),
    Case(MAX, (X.astype("int32"), 2), id="int", **PLAIN),
    Case(MAX, (X * np.nan, HALF), OVER, id="nan", **PLAIN),
    Case(MAX, (X, DRAWN), {"seed": 3}, id="drawn", values=False, **PLAIN),
    Case(MAX, (X, DRAWN, True, True), id="pseudo", values=False, **PLAIN),
    raises(MAX, (X, [2.0, 2.0]), id="two"),
    raises(MAX, (X, 0.5), id="small"),
    raises(MAX, (X, [1, 0.5, 1, 1]), id="one small"),
    raises(MAX, (X, 5.0), id="large"),
    raises(MAX, (X[0], 2.0), id="rank"),
    raises(MAX, (X.astype("float16"), 2.0), id="float16"),
    Case(AVERAGE, (X, HALF), **PLAIN),
    Case(AVERAGE, (d(X), [1, 1, 1, 1]), OVER, id="overlapping", **PLAIN),
    Case(AVERAGE, (X.astype("int32"), [1, 4, 3, 1]), id="int", **PLAIN),
    Case(AVERAGE, (X, DRAWN, True), {"seed": 1}, id="pseudo", values=False, **PLAIN),
    raises(AVERAGE, (X, 2.0), id="number"),
    raises(AVERAGE, (X, [1, 1, 1]), id="three"),
    raises(AVERAGE, (X, [2, 1, 1, 1]), id="batch"),
    raises(AVERAGE, (X, [1, 0.5, 1, 1]), id="small"),
    raises(AVERAGE, (X, [1, 5.0, 1, 1]), id="large"),
]
