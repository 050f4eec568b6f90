"""Rows for tapefacade/_ops/math/arithmetic.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

ALL = ("add", "subtract", "multiply", "maximum", "minimum", "squared_difference")
NUMERIC = ("add", "subtract", "multiply", "squared_difference")
X, Y = f(1.5, -2.0, 3.0), f(0.5, -2.0, 4.0)
SPECIAL = f(np.nan, 1.0, np.inf, -np.inf, 0.0), f(1.0, np.nan, np.inf, np.inf, np.inf)

CASES = [
    *[Case(f"math.{n}", (X, Y)) for n in ALL],
    *[Case(f"math.{n}", (d(1.5, -2.0), d(0.5, 3.0)), id="float64") for n in ALL],
    *[
        Case(f"math.{n}", (f(1.5, -2.0, dtype="bfloat16"), f(0.5, dtype="bfloat16")), id="bfloat16")
        for n in ALL
    ],
    *[Case(f"math.{n}", (i(1, -2, 2**31 - 1), i(5, 5, 2)), id="int") for n in ALL],
    *[
        Case(f"math.{n}", (i(1, 200, dtype="uint8"), i(5, 100, dtype="uint8")), id="uint8")
        for n in ("add", "subtract", "multiply", "maximum", "minimum")
    ],
    *[Case(f"math.{n}", (i(1, dtype="int64"), i(5, dtype="int64")), id="int64") for n in ALL],
    *[Case(f"math.{n}", (c(1 + 2j, 3.0), c(0.5 - 1j, 2j)), id="complex") for n in NUMERIC],
    *[Case(f"math.{n}", (f([[1.0], [2.0]]), f(0.5, 3.0)), id="broadcast") for n in ALL],
    *[Case(f"math.{n}", (f(1.0, 2.0), f(3.0)), id="scalar y") for n in ALL],
    *[Case(f"math.{n}", (f(2.0), f(1.0, 3.0)), id="scalar x") for n in ALL],
    *[Case(f"math.{n}", (f([[], []]), f([])), id="empty") for n in ALL],
    *[Case(f"math.{n}", SPECIAL, id="special") for n in ALL],
    *[Case(f"math.{n}", (f(1.0, 2.0), 2), id="python int") for n in ALL],
    *[Case(f"math.{n}", (f(1.0, 2.0), [2, 3.5]), id="python list") for n in ALL],
    *[Case(f"math.{n}", (2.5, f(1.0, 3.0)), id="python x") for n in ALL],
    *[raises(f"math.{n}", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape") for n in ALL],
    *[raises(f"math.{n}", (f([[], []]), f(1.0, 2.0)), id="shape of empty") for n in ALL],
    *[raises(f"math.{n}", (f(1.0), i(1)), id="types") for n in ALL],
    *[raises(f"math.{n}", (i(1), f(1.0)), id="types of int") for n in ALL],
    *[raises(f"math.{n}", (f(1.0), d(1.0)), id="float and double") for n in ALL],
    *[raises(f"math.{n}", (i(1), 2.5), id="int and python float") for n in ALL if n != "add"],
    *[raises(f"math.{n}", (f(1.0), None), id="none") for n in ALL],
    *[raises(f"math.{n}", (b(True), b(True)), id="bool") for n in ALL],
    *[raises(f"math.{n}", (c(1j), c(1j)), id="complex") for n in ("maximum", "minimum")],
    Case("math.maximum", (f(1.0, 1.0), f(1.0, 2.0)), id="tie"),
    Case("math.minimum", (f(1.0, 1.0), f(1.0, 2.0)), id="tie"),
    Case("math.scalar_mul", (f(2.0), f(1.0, 2.0))),
    Case("math.scalar_mul", (d(2.0), d(1.0, 2.0)), id="float64"),
    Case("math.scalar_mul", (3, i(1, 2)), id="int"),
    raises("math.scalar_mul", (f(2.0, 3.0), f(1.0, 2.0)), id="vector"),
    raises("math.scalar_mul", (2.5, i(1, 2)), id="fraction"),
    Case("math.multiply_no_nan", (f(1.5, 2.0), f(0.5, 3.0))),
    Case("math.multiply_no_nan", (d(1.5, 2.0), d(0.5)), id="float64"),
    Case("math.multiply_no_nan", (f(0.0, 1.0, np.nan, np.inf), f(0.0)), id="zero"),
    Case("math.multiply_no_nan", (f(0.0, -1.0), f(np.nan, 2.0)), id="nan"),
    Case("math.multiply_no_nan", (f(1.5, 2.0), 3), id="python"),
    Case("math.multiply_no_nan", (c(1.5, 2j), c(0.5, 0j)), id="complex", gradient=False),
    raises("math.multiply_no_nan", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape"),
    raises("math.multiply_no_nan", (i(1), i(1)), id="int"),
    Case("math.atan2", (f(0.5, -1.0, 2.0), f(1.0, -2.0, -0.5))),
    Case("math.atan2", (d(0.5, -1.0), d(1.0)), id="float64"),
    Case("math.atan2", (f(0.0, 0.0, np.nan), f(0.0, -1.0, 1.0)), id="special"),
    raises("math.atan2", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape"),
    raises("math.atan2", (i(1), i(1)), id="int"),
    Case("math.nextafter", (f(0.0, 1.0, np.inf), f(1.0, 2.0, 0.0))),
    Case("math.nextafter", (d(0.0, 1.0), d(1.0)), id="float64", numerical=False),
    raises("math.nextafter", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape"),
    raises("math.nextafter", (i(1), i(1)), id="int"),
    Case("math.add_n", ([f(1.0, 2.0), f(3.0, 4.0), f(5.0, 6.0)],)),
    Case("math.add_n", ([d(1.0, 2.0), d(3.0, 4.0)],), id="float64"),
    Case("math.add_n", ([f(1.0, 2.0)],), id="one"),
    Case("math.add_n", ([i(1, 2), i(3, 4)],), id="int"),
    Case("math.add_n", ([c(1j), c(2.0)],), id="complex"),
    raises("math.add_n", ([f(1.0, 2.0), f([3.0])],), id="shape"),
    raises("math.add_n", ([f(1.0, 2.0), f(3.0)],), id="scalar"),
    raises("math.add_n", ([f(1.0), i(3)],), id="types"),
    raises("math.add_n", ([],), id="empty"),
    raises("math.add_n", ([f(1.0), None],), id="none"),
    raises("math.add_n", ([b(True), b(False)],), id="bool"),
    raises("math.add_n", (3,), id="number"),
]
