"""Rows for tapefacade/_ops/math/division.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

SHAPES = f(1.0, 2.0), f(1.0, 2.0, 3.0)
X, Y = f(7.0, -7.0, 7.0, -7.5), f(3.0, 3.0, -3.0, -2.0)
SPECIAL = f(0.0, 1.0, np.nan, np.inf, 1.0, 2.0), f(2.0, 0.0, 1.0, 2.0, np.inf, np.nan)
ROUNDING = ("math.floordiv", "math.floormod", "truncatediv", "truncatemod")

CASES = [
    *[Case(f"math.{n}", (f(1.5, -2.0), f(0.5, 4.0))) for n in ("truediv", "divide_no_nan")],
    *[
        Case(f"math.{n}", (d(1.5, -2.0), d(0.5)), id="float64")
        for n in ("truediv", "divide_no_nan")
    ],
    *[
        Case(f"math.{n}", (i(3, -4, dtype=t), i(2, 3, dtype=t)), id=t)
        for n in ("truediv", "divide_no_nan")
        for t in ("int8", "int16", "int32", "int64")
    ],
    *[
        Case(f"math.{n}", (i(3, 4, dtype=t), i(2, 3, dtype=t)), id=t)
        for n in ("truediv", "divide_no_nan")
        for t in ("uint8", "uint16", "uint32", "uint64")
    ],
    *[
        Case(f"math.{n}", (c(1 + 2j, 3.0), c(0.5j, 2 - 1j)), id="complex", rtol=2e-6)
        for n in ("truediv", "divide_no_nan")
    ],
    *[
        Case(f"math.{n}", (f([[1.0], [2.0]]), f(2.0, 4.0)), id="broadcast")
        for n in ("truediv", "divide_no_nan")
    ],
    *[Case(f"math.{n}", (f(3.0, 1.0), 2), id="python") for n in ("truediv", "divide_no_nan")],
    *[Case(f"math.{n}", (3, 2), id="python numbers") for n in ("truediv", "divide_no_nan")],
    *[
        Case(f"math.{n}", (f([]), f(2.0)), id="empty", gradient=False)
        for n in ("truediv", "divide_no_nan")
    ],
    *[raises(f"math.{n}", SHAPES, id="shape") for n in ("truediv", "divide_no_nan")],
    *[raises(f"math.{n}", (b(True), b(True)), id="bool") for n in ("truediv", "divide_no_nan")],
    *[raises(f"math.{n}", (f(1.0), i(1)), id="types") for n in ("truediv", "divide_no_nan")],
    raises("math.truediv", (f(1.0), None), id="none"),
    Case("math.truediv", SPECIAL, id="special"),
    Case("math.truediv", (f(1.0, -1.0), f(0.0)), id="zero"),
    Case("math.truediv", (i(1, 0), i(0)), id="integer zero"),
    Case("math.truediv", (f(1.5, dtype="float16"), f(3.0, dtype="float16")), id="half", atol=1e-3),
    Case("math.divide_no_nan", (f(0.0, 1.0, np.nan, np.inf), f(0.0)), id="zero"),
    Case("math.divide_no_nan", (f(0.0, -1.0), f(np.nan, np.inf)), id="special"),
    Case("realdiv", (f(1.5, -2.0), f(0.5, 4.0))),
    Case("realdiv", (d(1.5, -2.0), d(0.5)), id="float64"),
    raises("realdiv", SHAPES, id="shape"),
    raises("realdiv", (f(1.0), i(1)), id="types"),
    *[Case(n, (X, Y)) for n in ROUNDING],
    *[Case(n, (d(7.0, -7.5), d(2.0)), id="float64") for n in ROUNDING],
    *[Case(n, (i(7, -7, 7, -7, 0), i(3, 3, -3, -3, 2)), id="int") for n in ROUNDING],
    *[Case(n, (i(-(2**31)), i(-1)), id="overflow") for n in ROUNDING],
    *[Case(n, (i(7, -7, dtype="int64"), i(2, dtype="int64")), id="int64") for n in ROUNDING],
    *[Case(n, (f([[7.0], [5.0]]), f(2.0, 3.0)), id="broadcast") for n in ROUNDING],
    *[
        Case(
            n,
            (f(0.0, 1.0, -1.0, np.nan, 1.0, -1.0), f(2.0, 0.0, 0.0, 1.0, np.inf, np.inf)),
            id="special",
            gradient=False,
        )
        for n in ROUNDING
    ],
    *[Case(n, (i([]), i([])), id="empty") for n in ROUNDING],
    *[Case(n, (i([]), i(0)), id="nothing by zero") for n in ROUNDING],
    *[Case(n, (f(7.0, 5.0), 2), id="python") for n in ROUNDING],
    *[raises(n, (i(1, 2), i(1, 0)), id="zero") for n in ROUNDING],
    *[raises(n, SHAPES, id="shape") for n in ROUNDING],
    *[raises(n, (f(1.0), i(1)), id="types") for n in ROUNDING],
    *[raises(n, (b(True), b(True)), id="bool") for n in ROUNDING],
    raises("math.floordiv", (i(7), 2.5), id="int and python float"),
    Case("math.floordiv", (i(7, 250, dtype="uint8"), i(2, 7, dtype="uint8")), id="uint8"),
    Case("math.floormod", (i(7, 250, dtype="uint8"), i(2, 7, dtype="uint8")), id="uint8"),
]
