"""Rows for tapefacade/_ops/math/bessel.py."""

import numpy as np

from cases.case import Case, d, f, i, raises

EVEN = ("j0", "j1")
POSITIVE = ("y0", "y1", "k0", "k1", "k0e", "k1e")
ALL = (*EVEN, *POSITIVE)

CASES = [
    # Polynomials of their own in Eigen, in float32
    *[Case(f"math.special.bessel_{n}", (f(0.3, 1.2, 7.5),), rtol=1e-5) for n in ALL],
    *[
        Case(f"math.special.bessel_{n}", (d(0.3, 1.9, 2.1, 7.5),), id="float64", rtol=1e-8)
        for n in ALL
    ],
    *[Case(f"math.special.bessel_{n}", (f(30.0, 60.0),), id="large", rtol=2e-5) for n in ALL],
    *[Case(f"math.special.bessel_{n}", (f(-0.3, 0.0),), id="negative", rtol=1e-5) for n in EVEN],
    *[
        Case(f"math.special.bessel_{n}", (f(-0.3),), id="negative", gradient=False)
        for n in POSITIVE
    ],
    *[Case(f"math.special.bessel_{n}", (f(np.nan),), id="nan") for n in ALL],
    *[Case(f"math.special.bessel_{n}", (f(np.inf),), id="infinite", gradient=False) for n in ALL],
    *[Case(f"math.special.bessel_{n}", (f([]),), id="empty", gradient=False) for n in ALL],
    *[raises(f"math.special.bessel_{n}", (i(1),), id="int") for n in ALL],
]
