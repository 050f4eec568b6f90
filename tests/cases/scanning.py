"""Rows for tapefacade/_ops/math/cumulative.py."""

from cases.case import Case, d, f, i, raises

INF = float("inf")
M = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

CASES = [
    Case("math.cumulative_logsumexp", (M,), atol=1e-6),
    Case("math.cumulative_logsumexp", (M,), {"axis": 1}, id="axis", atol=1e-6),
    Case("math.cumulative_logsumexp", (d(0.3, -1.2, 2.0),), id="float64", atol=1e-6),
    Case(
        "math.cumulative_logsumexp",
        (M,),
        {"axis": -1, "exclusive": True},
        id="exclusive",
        atol=1e-6,
    ),
    Case("math.cumulative_logsumexp", (M,), {"axis": 1, "reverse": True}, id="reverse", atol=1e-6),
    Case(
        "math.cumulative_logsumexp",
        (M,),
        {"axis": 1, "reverse": True, "exclusive": True},
        id="reverse exclusive",
        atol=1e-6,
    ),
    Case("math.cumulative_logsumexp", (f([]),), gradient=False, id="empty"),
    Case("math.cumulative_logsumexp", (f(1.0, INF, 2.0),), gradient=False, id="inf"),
    raises("math.cumulative_logsumexp", (M, 2), id="axis out of range"),
    raises("math.cumulative_logsumexp", (f(5.0),), id="scalar"),
    raises("math.cumulative_logsumexp", (i(1, 2),), id="int"),
]
