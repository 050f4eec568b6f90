"""Rows for tapefacade/_ops/math/cumulative.py."""

from cases.case import Case, b, c, d, f, i, raises

WAYS = {
    "": {},
    "exclusive": {"exclusive": True},
    "reverse": {"reverse": True},
    "both": {"exclusive": True, "reverse": True},
}
X = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
BOTH = ("cumsum", "cumprod")

CASES_CUMULATIVE = [
    *[
        Case(f"math.{n}", (f(2.0, 4.0, 3.0),), way, id=key, rtol=2e-6)
        for n in BOTH
        for key, way in WAYS.items()
    ],
    *[Case(f"math.{n}", (d(2.0, 4.0, 3.0),), id="float64") for n in BOTH],
    *[Case(f"math.{n}", (X,), {"axis": 1}, id="axis") for n in BOTH],
    *[Case(f"math.{n}", (X,), {"axis": -2}, id="negative axis") for n in BOTH],
    *[
        Case(f"math.{n}", (X,), {"axis": 1, "exclusive": True}, id="axis exclusive", rtol=2e-6)
        for n in BOTH
    ],
    *[Case(f"math.{n}", (i(100, 100, dtype="int8"),), id="int8") for n in BOTH],
    *[Case(f"math.{n}", (i(1, 2, 3),), {"exclusive": True}, id="int") for n in BOTH],
    Case("math.cumsum", (c(1j, 2.0, 1 + 1j),), id="complex"),
    Case("math.cumprod", (c(1j, 2.0, 1 + 1j),), id="complex", rtol=2e-6, gradient=False),
    *[Case(f"math.{n}", (f(1.0, 2.0, dtype="bfloat16"),), id="bfloat16") for n in BOTH],
    *[Case(f"math.{n}", (f([]),), {"exclusive": True}, id="empty", gradient=False) for n in BOTH],
    *[raises(f"math.{n}", (f(1.0, 2.0), 1), id="axis too large") for n in BOTH],
    *[raises(f"math.{n}", (f(1.0, 2.0), -2), id="axis too small") for n in BOTH],
    *[raises(f"math.{n}", (f(1.0),), id="scalar") for n in BOTH],
    *[raises(f"math.{n}", (f(1.0, 2.0), [0, 0]), id="axes") for n in BOTH],
    *[raises(f"math.{n}", (f(1.0, 2.0), None), id="no axis") for n in BOTH],
    *[raises(f"math.{n}", (b(True, False),), id="bool") for n in BOTH],
    *[
        Case("math.cumprod", (f(2.0, 0.0, 3.0),), way, id=f"zero {key}")
        for key, way in WAYS.items()
    ],
    Case("linalg.cross", (f(1.0, 2.0, 3.0), f(3.0, 2.0, 5.0))),
    Case("linalg.cross", (d([[1.0, 2.0, 3.0]]), d([[3.0, 2.0, 5.0]])), id="float64"),
    Case("linalg.cross", (i(1, 2, 3), i(3, 2, 5)), id="int"),
    Case("linalg.cross", (i(1, 2, 3, dtype="uint8"), i(1, 2, 4, dtype="uint8")), id="uint8"),
    raises("linalg.cross", (f(1.0, 2.0, 3.0), f(3.0, 2.0)), id="shape"),
    raises("linalg.cross", (f(1.0, 2.0), f(3.0, 2.0)), id="two"),
    raises("linalg.cross", (f(1.0), f(2.0)), id="scalar"),
    raises("linalg.cross", (c(1j, 2, 3), c(1j, 2, 3)), id="complex"),
    Case("math.accumulate_n", ([f(1.0, 2.0), f(3.0, 4.0)],)),
    Case("math.accumulate_n", ([f(1.0, 2.0)],), id="one"),
    raises("math.accumulate_n", ([f(1.0, 2.0), f([3.0])],), id="shape"),
    raises("math.accumulate_n", ([f(1.0, 2.0)],), {"shape": [3]}, id="given shape"),
    raises("math.accumulate_n", ([f(1.0), i(1)],), id="types"),
    raises("math.accumulate_n", ([],), id="empty"),
]


INF = float("inf")
M = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

CASES_SCANNING = [
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


CASES = [*CASES_CUMULATIVE, *CASES_SCANNING]
