"""Rows for numbers rounded as if they had few bits."""

import numpy as np

from cases.case import Case, d, f, i, raises

X = f(-7, -6, -5.99, -0.02, 0, 0.02, 1.234, 3.3, 6, 6.1)
TWO = np.stack([X, X / 2], 1)
LOW, HIGH = f(-1.0), f(2.0)
LOWS, HIGHS = f(-1.0, -2.5), f(2.0, 1.0)
Q = "quantization."
ARGS, VARS = Q + "fake_quant_with_min_max_args", Q + "fake_quant_with_min_max_vars"
CHANNELS = VARS + "_per_channel"

CASES = [
    Case(ARGS, (X,)),
    Case(ARGS, (X, -1, 2, 4), id="limits"),
    Case(ARGS, (X, 1.0, 2.0), id="above 0"),
    Case(ARGS, (X, -6, 6, 4, True), id="narrow"),
    Case(ARGS, (X, -6, 6, 16), id="16 bits"),
    Case(ARGS, (f(np.nan, np.inf, -np.inf),), id="nan"),
    Case(ARGS, ([1, 2],), id="python"),
    Case(ARGS, (X[:0],), id="empty"),
    raises(ARGS, (d(1.0),), id="float64"),
    raises(ARGS, (X, -6, 6, 17), id="bits"),
    raises(ARGS, (X, 2, 2), id="equal"),
    Case(ARGS + "_gradient", (X, X, -1, 2)),
    raises(ARGS + "_gradient", (X[:2], X, -1, 2), id="shape"),
    Case(VARS, (X, LOW, HIGH)),
    Case(VARS, (X, f(-2.0), f(-1.0), 4, True), id="below 0"),
    Case(VARS, (X, f(0.0), f(0.0)), id="zeros"),
    Case(VARS, (X, f(2.0), f(1.0)), id="order"),
    Case(VARS, (1.5, -1, 2), id="python"),
    raises(VARS, (X, LOW, HIGH, 1), id="bits"),
    raises(VARS, (X, f([1.0]), HIGH), id="rank"),
    raises(VARS, (X, LOW, f([1.0])), id="rank of max"),
    raises(VARS, (d(X), LOW, HIGH), id="float64"),
    raises(VARS, (X, d(-1.0), HIGH), id="float64 limit"),
    Case(VARS + "_gradient", (X, X, LOW, HIGH), rtol=1e-5),
    raises(VARS + "_gradient", (X[:2], X, LOW, HIGH), id="shape"),
    Case(CHANNELS, (TWO, LOWS, HIGHS)),
    Case(CHANNELS, (TWO.reshape(5, 2, 2), LOWS, HIGHS, 3), id="rank 3"),
    raises(CHANNELS, (TWO, LOW, HIGHS), id="rank"),
    raises(CHANNELS, (TWO, LOWS[:1], HIGHS), id="min"),
    raises(CHANNELS, (TWO, LOWS, HIGHS[:1]), id="max"),
    raises(CHANNELS, (i([[1, 2]]), LOWS, HIGHS), id="int"),
    Case(CHANNELS + "_gradient", (TWO, TWO, LOWS, HIGHS), rtol=1e-5),
    raises(CHANNELS + "_gradient", (TWO[:1], TWO, LOWS, HIGHS), id="shape"),
]
