"""Rows for tapefacade/_ops/quantization.py."""

import numpy as np

from cases.case import Case, d, f, i, raises

PATHS = [f"quantization.quantize_and_dequantize{suffix}" for suffix in ("", "_v2")]
FIRST, SECOND = PATHS
X = f(-7, -6, -5.99, -0.02, 0, 0.02, 1.234, 3.3, 6, 6.1)
LOW, HIGH = f(-1.0), f(2.0)
GIVEN = {"range_given": True}
M = f([[0.3, 1.0, -2.0], [3.0, 4.1, 5.0]])
HALVES = f(-1.5, -0.5, 0.5, 1.5, 2.5, -3.5, 3)


def plain(path, *inputs, id, **static):
    # TensorFlow fails to differentiate the gradient of the second version.
    return Case(path, inputs, static, id=id, gradient=path == FIRST, numerical=False)


CASES_QUANTIZATION = [
    *[
        row
        for path in PATHS
        for row in (
            plain(path, X, LOW, HIGH, id=""),
            plain(path, X, LOW, HIGH, id="given", **GIVEN),
            plain(path, X, LOW, HIGH, id="unsigned", signed_input=False, **GIVEN),
            plain(path, X, LOW, HIGH, id="unsigned range", signed_input=False),
            plain(path, X, LOW, HIGH, id="narrow", num_bits=4, narrow_range=True),
            plain(path, d(X), -1.0, 2.0, id="float64", num_bits=4),
            plain(path, M, LOW, HIGH, id="axis", axis=0),
            raises(path, (X, HIGH, LOW), GIVEN, id="order"),
            raises(path, (X, LOW, HIGH), {"num_bits": 0}, id="bits"),
            raises(path, (X, LOW, HIGH), {"round_mode": "X"}, id="mode"),
        )
    ],
    plain(SECOND, HALVES, f(-4.0), f(3.0), id="even", num_bits=3, **GIVEN),
    plain(SECOND, HALVES, f(-4.0), f(3.0), id="up", num_bits=3, round_mode="HALF_UP", **GIVEN),
    plain(SECOND, X * f(0), LOW, HIGH, id="zeros"),
    plain(SECOND, X[:0], LOW, HIGH, id="empty"),
    plain(SECOND, X, f(1.0), f(1.0), id="equal", **GIVEN),
    raises(SECOND, (X, LOW, HIGH), {"axis": 5}, id="no axis"),
    raises(SECOND, (M, f(-1.0, -2.0), f(2.0, 3.0)), {"axis": 0, **GIVEN}, id="limits"),
]


TWO = np.stack([X, X / 2], 1)
LOWS, HIGHS = f(-1.0, -2.5), f(2.0, 1.0)
Q = "quantization."
ARGS, VARS = Q + "fake_quant_with_min_max_args", Q + "fake_quant_with_min_max_vars"
CHANNELS = VARS + "_per_channel"

CASES_FAKE_QUANTIZATION = [
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


CASES = [*CASES_QUANTIZATION, *CASES_FAKE_QUANTIZATION]
