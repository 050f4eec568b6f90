"""Rows for tapefacade/_ops/math/elementary.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

CASES = [
    Case("math.pow", (f(2.0, 1.5, 3.0), f(3.0, 0.5, -1.0)), rtol=2e-6),
    Case("math.pow", (d(2.0, 1.5), d(3.0, 0.5)), id="float64"),
    Case("math.pow", (f(2.0, 3.0, dtype="bfloat16"), f(2.0, 3.0, dtype="bfloat16")), id="bfloat16"),
    Case("math.pow", (f(-2.0, -2.0, 0.0), f(2.0, 3.0, 2.0)), id="not positive"),
    Case("math.pow", (f(0.0, 0.0, 0.0), f(0.0, 1.0, -1.0)), id="zero"),
    Case("math.pow", (f(-2.0), f(0.5)), id="fraction of negative"),
    Case("math.pow", (f(np.nan, np.inf, -np.inf, np.nan), f(0.0, 0.0, 3.0, 1.0)), id="special"),
    Case("math.pow", (f([[2.0], [3.0]]), f(1.0, 2.0)), id="broadcast", rtol=2e-6),
    Case("math.pow", (f(2.0, 3.0), 2), id="python exponent"),
    Case("math.pow", (f(2.0, 0.0, -3.0), 2.0), id="python exponent float"),
    Case("math.pow", (2.0, f(2.0, 3.0)), id="python base", rtol=2e-6),
    Case("math.pow", (i(2, -3, 0), i(3, 3, 0)), id="int"),
    Case("math.pow", (i(3), i(40)), id="overflow"),
    Case("math.pow", (i(2, dtype="int8"), i(9, dtype="int8")), id="int8"),
    Case("math.pow", (c(1 + 2j, 2.0), c(2.0, 1 + 1j)), id="complex", rtol=1e-5),
    Case("math.pow", (f([]), f(2.0)), id="empty"),
    Case("math.pow", (i([]), i(-2)), id="empty int"),
    raises("math.pow", (i(2, 3), i(2, -1)), id="negative int"),
    raises("math.pow", (i(1), i(-1)), id="negative power of one"),
    raises("math.pow", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape"),
    raises("math.pow", (f(1.0), i(1)), id="types"),
    raises("math.pow", (i(2), 0.5), id="int and python float"),
    raises("math.pow", (b(True), b(True)), id="bool"),
    raises("math.pow", (i(1, dtype="uint8"), i(1, dtype="uint8")), id="uint8"),
    Case("math.polyval", ([f(2.0), f(3.0), f(-1.0)], f(1.5, 2.0))),
    Case("math.polyval", ([d(2.0), d(3.0)], d(1.5, 2.0)), id="float64"),
    Case("math.polyval", ([1.0, 2.0], f(1.5, 2.0)), id="python"),
    Case("math.polyval", ([f(2.0)], f(1.5, 2.0)), id="one"),
    Case("math.polyval", ([], f(1.5, 2.0)), id="none"),
    raises("math.polyval", (f(2.0, 3.0), f(1.5)), id="tensor"),
]
