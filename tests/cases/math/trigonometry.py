"""Rows for tapefacade/_ops/math/trigonometry.py."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

INSIDE = (0.3, -0.8, 0.0)
DOMAIN = {"acosh": (1.3, 2.5)}
NAMES = (
    "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
)  # fmt: skip
SPECIAL = f(np.nan, np.inf, -np.inf, 1.0, -1.0, 2.0)
COMPLEX = c(1 + 2j, -1.5 + 0.3j, 0.2 - 0.7j)

CASES = [
    *[Case(f"math.{n}", (f(*DOMAIN.get(n, INSIDE)),)) for n in NAMES],
    *[Case(f"math.{n}", (d(*DOMAIN.get(n, INSIDE)),), id="float64") for n in NAMES],
    *[
        Case(f"math.{n}", (f(*DOMAIN.get(n, INSIDE), dtype="bfloat16"),), id="bfloat16")
        for n in ("sin", "tanh")
    ],
    *[Case(f"math.{n}", (SPECIAL,), id="special", rtol=3e-6) for n in NAMES],
    # XLA and Eigen compute these in different ways, in float32
    *[Case(f"math.{n}", (COMPLEX,), id="complex", rtol=1e-5) for n in NAMES],
    Case("math.tanh", (f([]),), id="empty"),
    Case("math.tanh", (f(0.4),), id="scalar"),
    Case("math.sin", (f(100.0, -2000.0),), id="large", rtol=1e-5),
    *[raises(f"math.{n}", (i(1),), id="int") for n in NAMES],
]
