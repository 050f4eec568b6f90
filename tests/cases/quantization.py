"""Rows for numbers rounded to steps."""

from cases.case import Case, d, f, raises
from cases.fake_quantization import HIGH, LOW, X

PATHS = [f"quantization.quantize_and_dequantize{suffix}" for suffix in ("", "_v2")]
FIRST, SECOND = PATHS
GIVEN = {"range_given": True}
M = f([[0.3, 1.0, -2.0], [3.0, 4.1, 5.0]])
HALVES = f(-1.5, -0.5, 0.5, 1.5, 2.5, -3.5, 3)


def plain(path, *inputs, id, **static):
    # TensorFlow fails to differentiate the gradient of the second version.
    return Case(path, inputs, static, id=id, gradient=path == FIRST, numerical=False)


CASES = [
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
