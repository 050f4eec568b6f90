"""Rows for tapefacade/_ops/math/comparison.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

EQUALITY = ("equal", "not_equal")
ORDER = ("less", "less_equal", "greater", "greater_equal")
ALL = (*EQUALITY, *ORDER)
LOGIC = ("logical_and", "logical_or", "logical_xor")
MONOTONIC = ("is_non_decreasing", "is_strictly_increasing")
TABLE = b(True, True, False, False), b(True, False, True, False)

CASES = [
    *[Case(f"math.{n}", (f(1.0, 2.0, np.nan, np.inf), f(2.0, 2.0, np.nan, np.inf))) for n in ALL],
    *[Case(f"math.{n}", (d(1.0, 2.0), d(2.0)), id="float64") for n in ALL],
    *[
        Case(f"math.{n}", (f(1.0, dtype="bfloat16"), f(2.0, dtype="bfloat16")), id="bfloat16")
        for n in ALL
    ],
    *[Case(f"math.{n}", (i(1, 2, 3), i(2, 2, 2)), id="int") for n in ALL],
    *[Case(f"math.{n}", (i(200, dtype="uint8"), i(2, dtype="uint8")), id="uint8") for n in ALL],
    *[Case(f"math.{n}", (f([[1.0], [2.0]]), f(1.0, 2.0)), id="broadcast") for n in ALL],
    *[Case(f"math.{n}", (f([]), f(1.0)), id="empty") for n in ALL],
    *[Case(f"math.{n}", (f(1.0, 2.0), 2), id="python") for n in ALL],
    *[Case(f"math.{n}", (c(1j, 2.0), c(1j, 3.0)), id="complex") for n in EQUALITY],
    *[Case(f"math.{n}", (b(True, False), b(True)), id="bool") for n in EQUALITY],
    *[raises(f"math.{n}", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape") for n in ALL],
    *[raises(f"math.{n}", (f(1.0), i(1)), id="types") for n in ALL],
    *[raises(f"math.{n}", (i(1), 2.5), id="int and python float") for n in ALL],
    *[raises(f"math.{n}", (c(1j), c(1j)), id="complex") for n in ORDER],
    *[raises(f"math.{n}", (b(True), b(True)), id="bool") for n in ORDER],
    *[Case(f"math.{n}", TABLE) for n in LOGIC],
    *[Case(f"math.{n}", (b([[True], [False]]), b(True, False)), id="broadcast") for n in LOGIC],
    *[Case(f"math.{n}", (b(True, False), True), id="python") for n in LOGIC],
    *[raises(f"math.{n}", (b(True, False), b([True] * 3)), id="shape") for n in LOGIC],
    *[raises(f"math.{n}", (i(1), b(True)), id="int") for n in LOGIC],
    *[raises(f"math.{n}", (1, b(True)), id="python int") for n in LOGIC],
    raises("math.logical_and", (b(True), i(1)), id="int y"),
    Case("math.logical_not", (b(True, False),)),
    Case("math.logical_not", ([True, False],), id="python"),
    raises("math.logical_not", (f(1.0),), id="float"),
    raises("math.logical_not", (1,), id="python int"),
    *[
        Case(
            "math.in_top_k",
            (
                i(1, 1, 1, 0),
                f([[0.1, 0.5, 0.4], [np.nan, 0.5, 0.4], [0.5, 0.5, 0.1], [np.inf, 1.0, 0.0]]),
                k,
            ),
            id=f"k={k}",
        )
        for k in (0, 1, 2, 5)
    ],
    Case("math.in_top_k", (i(0, 5, -1), f([[1.0, 2.0]] * 3), 1), id="outside"),
    Case("math.in_top_k", (i(0, dtype="int64").reshape(1), f([[1.0, 2.0]]), 2), id="int64"),
    raises("math.in_top_k", (i(0, 1), f([[1.0, 2.0]]), 1), id="batch"),
    raises("math.in_top_k", (i([[0]]), f([[1.0, 2.0]]), 1), id="rank of targets"),
    raises("math.in_top_k", (i([0]), f(1.0, 2.0), 1), id="rank of predictions"),
    raises("math.in_top_k", (i([0]), d([[1.0, 2.0]]), 1), id="float64"),
    *[Case(f"math.{n}", (f(1.0, 1.0, 2.0),)) for n in MONOTONIC],
    *[Case(f"math.{n}", (f([[1.0, 2.0], [1.5, 3.0]]),), id="matrix") for n in MONOTONIC],
    *[Case(f"math.{n}", (i(1, 2, 5),), id="int") for n in MONOTONIC],
    *[Case(f"math.{n}", (i(3, 2, dtype="uint8"),), id="uint8") for n in MONOTONIC],
    *[Case(f"math.{n}", (f(1.0, np.nan),), id="nan") for n in MONOTONIC],
    *[Case(f"math.{n}", (f([]),), id="empty") for n in MONOTONIC],
    *[Case(f"math.{n}", (f(1.0),), id="scalar") for n in MONOTONIC],
    *[raises(f"math.{n}", (c(1j, 2.0),), id="complex") for n in MONOTONIC],
    *[raises(f"math.{n}", (b(True, True),), id="bool") for n in MONOTONIC],
]
