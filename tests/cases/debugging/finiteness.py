"""Rows for tapefacade/_ops/debugging/finiteness.py."""

import numpy as np

from cases.case import Case, b, d, f, i, raises

NEAR = "debugging.assert_near"

CASES = [
    *[
        row
        for path in ("debugging.check_numerics", "debugging.assert_all_finite")
        for row in (
            Case(path, (f(1, 2), "m")),
            Case(path, (d(1, 2), "m"), id="float64"),
            Case(path, ([1.0, 2.0], "m"), id="python"),
            Case(path, (f([]), "m"), id="empty"),
            raises(path, (f(1, np.nan), "mes"), id="nan"),
            raises(path, (f(1, -np.inf), "mes"), id="inf"),
            raises(path, (d(np.nan, np.inf), "mes"), id="both"),
            raises(path, (i(1), "mes"), id="int"),
        )
    ],
    Case(NEAR, (f(1, 2), f(1, 2)), gradient=False),
    Case(NEAR, (f(1.0), f(1.0000001)), id="close", gradient=False),
    Case(NEAR, (d(1, 2), d(1, 2.1)), {"rtol": 0.1}, id="rtol", gradient=False),
    Case(NEAR, (f(1.0), f(1.5)), {"atol": 0.6}, id="atol", gradient=False),
    raises(NEAR, (f(1, 2), f(1, 2.1)), id="far"),
    raises(NEAR, (f(1.0), f(1.00001)), id="scalar"),
    raises(NEAR, (d(1.0), d(1.0 + 1e-14)), id="float64"),
    raises(NEAR, (f(1.0), f(1.5), None, None, "m"), id="message"),
    raises(NEAR, (f(np.inf), f(np.inf)), id="inf"),
    raises(NEAR, (f(1, 2, 3, 4), f(1, 2, 3, 5)), id="long"),
    raises(NEAR, (i(1), i(1)), id="int"),
    Case("debugging.Assert", (True, ["x"])),
    Case("debugging.Assert", (b(True), ["x"]), id="tensor"),
    Case("Assert", (1, ["x"]), id="root"),
    raises("debugging.Assert", (False, ["x"]), id="false"),
    raises("debugging.Assert", (b(False), ["x", f(1, 2, 3, 4, 5)]), id="false tensor"),
    raises("debugging.Assert", (False, [f(1, 2, 3, 4, 5)], 2), id="summarize"),
    raises("debugging.Assert", (False, [f([[1.5, 2], [3, 4]])]), id="matrix"),
    raises("debugging.Assert", (b(False), [1, 2.5, True, "s"]), id="python data"),
    raises("debugging.Assert", (False, []), id="no data"),
    raises("debugging.Assert", (0, ["x"]), id="zero"),
    raises("debugging.Assert", (b(True, False), ["x"]), id="vector"),
    raises("debugging.Assert", (b([False]), ["x"]), id="one element"),
]
