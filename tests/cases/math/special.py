"""Rows for tapefacade/_ops/math/special.py."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

NAMES = ("erf", "erfc", "erfinv", "ndtri", "erfcinv", "lgamma", "digamma")
ZERO_WHERE_X_IS = ("xdivy", "xlogy", "xlog1py")
SHAPES = f(1.0, 2.0), f(1.0, 2.0, 3.0)
PROBABILITIES = (0.3, 0.8, 0.5)

CASES = [
    # Polynomials of their own in XLA and Eigen
    *[Case(f"math.{n}", (f(*PROBABILITIES),), rtol=5e-6) for n in NAMES],
    *[Case(f"math.{n}", (d(*PROBABILITIES),), id="float64", rtol=1e-9) for n in NAMES],
    *[Case(f"math.{n}", (f(np.nan, 0.0, 1.0),), id="special", rtol=5e-6, atol=1e-6) for n in NAMES],
    *[Case(f"math.{n}", (f([]),), id="empty") for n in NAMES],
    *[raises(f"math.{n}", (i(1),), id="int") for n in NAMES if n != "erfcinv"],
    Case("math.erf", (f(-1.2, 5.0, dtype="bfloat16"),), id="bfloat16"),
    Case("math.erf", (f(np.inf, -np.inf),), id="infinite"),
    Case("math.lgamma", (f(-0.5, -1.0, 20.0),), id="negative", rtol=5e-6),
    Case("math.digamma", (f(-0.5, 20.0),), id="negative", rtol=5e-6),
    Case("math.polygamma", (f(0.0, 1.0, 2.0), f(1.5, 2.0, 0.3)), rtol=1e-5),
    Case("math.polygamma", (d(1.0), d(1.5, 2.0)), id="float64", rtol=1e-9),
    Case("math.polygamma", (f(0.5), f(1.0)), id="fraction"),
    raises("math.polygamma", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape"),
    raises("math.polygamma", (f(1.0, dtype="float16"), f(1.0, dtype="float16")), id="half"),
    Case("math.zeta", (f(2.5, 3.0), f(1.5, 0.7)), rtol=1e-5),
    Case("math.zeta", (d(2.5, 3.0), d(1.5)), id="float64", rtol=1e-9),
    raises("math.zeta", (f(2.5, 3.0), f(1.5, 0.7, 2.0)), id="shape"),
    raises("math.zeta", (i(2), i(1)), id="int"),
    raises("math.zeta", (f(2.0), d(1.0)), id="types"),
    Case("math.igamma", (f(1.0, 2.0, 0.5), f(0.5, 3.0, 0.2)), rtol=1e-5, gradient=False),
    Case("math.igamma", (d(1.5, 2.0), d(0.5)), id="float64", rtol=1e-8, gradient=False),
    Case("math.igamma", (f(0.0, -1.0, 2.0), f(1.0, 1.0, 0.0)), id="special", gradient=False),
    raises("math.igamma", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape"),
    raises("math.igamma", (i(1), i(1)), id="int"),
    Case("math.igammac", (f(1.0, 2.0, 0.5), f(0.5, 3.0, 0.2)), rtol=1e-5, gradient=False),
    Case("math.igammac", (d(1.5, 2.0), d(0.5)), id="float64", rtol=1e-8, gradient=False),
    raises("math.igammac", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape"),
    Case("math.betainc", (f(1.0, 2.0), f(2.0, 3.0), f(0.5, 0.2)), rtol=1e-5),
    Case("math.betainc", (d(1.5, 2.5), d(2.0, 3.0), d(0.5, 0.1)), id="float64", rtol=1e-8),
    Case("math.betainc", (f(1.5), f(2.0, 3.0), f(0.5)), id="broadcast", gradient=False, rtol=1e-5),
    Case("math.betainc", (f(1.0), f(2.0), f(2.0)), id="outside", gradient=False),
    raises("math.betainc", (f(1.0, 2.0, 3.0), f(1.0, 2.0), f(0.5)), id="shape of b"),
    raises("math.betainc", (f(1.0, 2.0, 3.0), f(1.0), f(0.5, 0.2)), id="shape of x"),
    raises("math.betainc", (f([1.0]), f(1.0, 2.0), f(0.5)), id="shape of one"),
    Case("math.lbeta", (f([[1.0, 2.0], [3.0, 4.5]]),), rtol=3e-6),
    Case("math.lbeta", (d(1.0, 2.5, 3.0),), id="float64", rtol=1e-9),
    Case("math.lbeta", (f([[], []]),), id="empty"),
    raises("math.lbeta", (f(2.0),), id="scalar"),
    raises("math.lbeta", (i(2, 3),), id="int"),
    *[Case(f"math.{n}", (f(1.5, -2.0), f(0.5, 4.0)), rtol=2e-6) for n in ZERO_WHERE_X_IS],
    *[Case(f"math.{n}", (d(1.5, -2.0), d(0.5)), id="float64") for n in ZERO_WHERE_X_IS],
    *[
        Case(f"math.{n}", (f(0.0, 0.0, 0.0), f(0.0, np.nan, np.inf)), id="zero x")
        for n in ZERO_WHERE_X_IS
    ],
    *[
        Case(f"math.{n}", (f(1.0, np.nan, np.inf), f(0.0, 1.0, 2.0)), id="special")
        for n in ZERO_WHERE_X_IS
    ],
    *[
        Case(f"math.{n}", (c(1 + 2j, 0j), c(0.5, 2j)), id="complex", rtol=5e-6, gradient=False)
        for n in ZERO_WHERE_X_IS
    ],
    *[
        Case(f"math.{n}", (f([[1.0], [2.0]]), f(2.0, 4.0)), id="broadcast", rtol=2e-6)
        for n in ZERO_WHERE_X_IS
    ],
    *[Case(f"math.{n}", (f(1.5), 2), id="python") for n in ZERO_WHERE_X_IS],
    *[raises(f"math.{n}", SHAPES, id="shape") for n in ZERO_WHERE_X_IS],
    *[raises(f"math.{n}", (f(1.0), i(1)), id="types") for n in ZERO_WHERE_X_IS],
    *[raises(f"math.{n}", (i(1), i(1)), id="int") for n in ZERO_WHERE_X_IS],
]
