"""Rows for tapefacade/_ops/math/bessel.py."""

import numpy as np

from cases.case import Case, d, f, i, raises

BESSEL = ("bessel_i0", "bessel_i1", "bessel_i0e", "bessel_i1e")
INTEGRALS = ("dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence")
ALL = (*(f"math.{n}" for n in BESSEL), *(f"math.special.{n}" for n in INTEGRALS))

CASES_BESSEL = [
    # Polynomials of their own in XLA, JAX and Eigen
    *[Case(n, (f(0.3, 1.2, 0.8),), rtol=1e-5) for n in ALL],
    *[Case(n, (d(0.3, 1.2),), id="float64", rtol=1e-8) for n in ALL],
    *[Case(f"math.{n}", (f(-0.3, -12.0),), id="negative", rtol=1e-5) for n in BESSEL],
    *[Case(n, (f(np.nan),), id="nan") for n in ALL],
    *[Case(n, (f([]),), id="empty", gradient=False) for n in ALL],
    *[raises(n, (i(1),), id="int") for n in ALL],
    *[Case(f"math.{n}", (f(0.0),), id="zero", numerical=False, rtol=1e-5) for n in BESSEL],
    Case("math.special.expint", (f(0.0, -1.0),), id="outside"),
    Case("math.special.spence", (f(0.0, 1.0, 5.0),), id="ends", rtol=1e-5, gradient=False),
    Case("math.special.fresnel_sin", (f(-0.7, 10.0),), id="large", rtol=1e-5),
    Case("math.special.fresnel_cos", (f(-0.7, 10.0),), id="large", rtol=1e-5),
    Case("math.special.dawsn", (f(-0.7, 20.0),), id="large", rtol=1e-5, gradient=False),
]


EVEN = ("j0", "j1")
POSITIVE = ("y0", "y1", "k0", "k1", "k0e", "k1e")
ALL_CYLINDER = (*EVEN, *POSITIVE)

CASES_CYLINDER = [
    # Polynomials of their own in Eigen, in float32
    *[Case(f"math.special.bessel_{n}", (f(0.3, 1.2, 7.5),), rtol=1e-5) for n in ALL_CYLINDER],
    *[
        Case(f"math.special.bessel_{n}", (d(0.3, 1.9, 2.1, 7.5),), id="float64", rtol=1e-8)
        for n in ALL_CYLINDER
    ],
    *[
        Case(f"math.special.bessel_{n}", (f(30.0, 60.0),), id="large", rtol=2e-5)
        for n in ALL_CYLINDER
    ],
    *[Case(f"math.special.bessel_{n}", (f(-0.3, 0.0),), id="negative", rtol=1e-5) for n in EVEN],
    *[
        Case(f"math.special.bessel_{n}", (f(-0.3),), id="negative", gradient=False)
        for n in POSITIVE
    ],
    *[Case(f"math.special.bessel_{n}", (f(np.nan),), id="nan") for n in ALL_CYLINDER],
    *[
        Case(f"math.special.bessel_{n}", (f(np.inf),), id="infinite", gradient=False)
        for n in ALL_CYLINDER
    ],
    *[Case(f"math.special.bessel_{n}", (f([]),), id="empty", gradient=False) for n in ALL_CYLINDER],
    *[raises(f"math.special.bessel_{n}", (i(1),), id="int") for n in ALL_CYLINDER],
]


CASES = [*CASES_BESSEL, *CASES_CYLINDER]
