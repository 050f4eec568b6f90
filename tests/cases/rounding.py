"""Rows for tapefacade/_ops/math/elementary.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

X = f(0.5, 1.5, -0.5, -1.7, np.nan, np.inf)

CASES = [
    *[Case(f"math.{name}", (X,)) for name in ("floor", "ceil", "round", "rint")],
    *[Case(f"math.{name}", (d(1.2, -1.7),), id="float64") for name in ("floor", "ceil", "round")],
    Case("math.rint", (d(2.5, -1.7),), id="float64"),
    Case("math.floor", (f(1.2, -1.7, dtype="bfloat16"),), id="bfloat16"),
    Case("math.floor", (f([]),), id="empty"),
    Case("math.ceil", (f(1.2),), id="scalar"),
    Case("math.round", (i(1, -2),), id="int"),
    Case("math.round", (i(1, dtype="uint8"),), id="uint8"),
    raises("math.floor", (i(1),), id="int"),
    raises("math.ceil", (i(1),), id="int"),
    raises("math.rint", (i(1),), id="int"),
    raises("math.round", (b(True),), id="bool"),
    *[Case(f"math.{name}", (X,)) for name in ("is_nan", "is_inf", "is_finite")],
    *[Case(f"math.{name}", (d(np.nan, -np.inf),), id="float64") for name in ("is_nan", "is_inf")],
    Case("math.is_finite", (f(1.0, np.inf, dtype="float16"),), id="half"),
    raises("math.is_nan", (i(1),), id="int"),
    raises("math.is_inf", (i(1),), id="int"),
    raises("math.is_finite", (c(1j),), id="complex"),
]
