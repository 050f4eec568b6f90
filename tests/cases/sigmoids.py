"""Rows for tapefacade/_ops/nn/activation.py."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

NAMES = ("sigmoid", "softplus", "log_sigmoid", "softsign")
SPECIAL = f(np.nan, np.inf, -np.inf, 100.0, -100.0, 20.0, -20.0)

CASES = [
    # TensorFlow has no second derivative of softsign, and a row with a gradient asks for it
    *[Case(f"math.{n}", (f(0.3, -1.2, 0.0),), gradient=n != "softsign") for n in NAMES],
    *[Case(f"math.{n}", (d(0.3, -1.2),), id="float64", gradient=n != "softsign") for n in NAMES],
    *[
        Case(
            f"math.{n}", (f(0.3, -1.2, dtype="bfloat16"),), id="bfloat16", gradient=n != "softsign"
        )
        for n in NAMES
    ],
    *[
        Case(f"math.{n}", (SPECIAL,), id="special", gradient=n != "softsign", rtol=3e-6)
        for n in NAMES
    ],
    *[Case(f"math.{n}", (f([]),), id="empty", gradient=n != "softsign") for n in NAMES],
    *[raises(f"math.{n}", (i(1),), id="int") for n in NAMES],
    *[raises(f"math.{n}", (c(1j),), id="complex") for n in NAMES if n != "sigmoid"],
    Case("math.sigmoid", (c(1 + 2j, 0.2 - 0.7j),), id="complex", rtol=1e-5),
]
