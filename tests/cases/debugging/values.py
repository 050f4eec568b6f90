"""Rows for tapefacade/_ops/debugging/values.py."""

import numpy as np

from cases.case import Case, b, d, f, i, raises

RELATIONS = ("equal", "none_equal", "less", "less_equal", "greater", "greater_equal")
TEN = np.arange(10, dtype="float32")


def asserted(path, inputs, static=None, id=""):
    """A row that passes or fails, as TensorFlow says."""
    return path, inputs, static or {}, id


HOLDS = {
    "equal": ("equal", "less_equal", "greater_equal"),
    "below": ("none_equal", "less", "less_equal"),
}


def rows(relation):
    path = "debugging.assert_" + relation

    def row(inputs, id, holds, static=None):
        if holds:
            return Case(path, inputs, static or {}, id=id, gradient=False)
        return raises(path, inputs, static, id=id)

    equal, below = relation in HOLDS["equal"], relation in HOLDS["below"]
    return [
        row((f(1, 2), f(1, 2)), "", equal),
        row((d(1, 2), d(3, 4)), "below", below),
        row((1, 1), "scalars", equal),
        row((i(1, 2, 3, 4, 5), i(1, 2, 3, 4, 5)), "five", equal),
        row((f(1, 2), f(1, 9)), "half", relation == "less_equal"),
        row((f(1, 2), f(2.0)), "broadcast", relation == "less_equal", {"message": "msg"}),
        row((TEN, TEN[::-1].copy()), "summarize", relation == "none_equal", {"summarize": 2}),
        row((TEN, TEN[::-1].copy()), "all", relation == "none_equal", {"summarize": -1}),
        row((TEN.reshape(5, 2), f(3, 3)), "rows", False),
        row((f(np.nan), f(np.nan)), "nan", relation == "none_equal"),
        row((f([]), f([])), "empty", True),
        raises(path, (f(1, 2, 3), f(1, 2)), id="shapes"),
        raises(path, (f(1.0), i(1)), id="dtypes"),
    ]


CASES = [row for relation in RELATIONS for row in rows(relation)]
CASES += [
    raises("debugging.assert_equal", (b([True]), b([False])), id="bool"),
    raises("debugging.assert_equal", (f(1, 2), f(1, 3), "themsg", 1), id="positional"),
    Case("assert_equal", ([1, 2], [1, 2])),
    Case("assert_less", (1, 2)),
    Case("assert_greater", (2, 1)),
]
for name, good in (("positive", 1), ("negative", -1), ("non_negative", 0), ("non_positive", 0)):
    path = "debugging.assert_" + name
    bad = -1 if name == "non_negative" else 1 if name == "non_positive" else 0
    CASES += [
        Case(path, (f(good, good),), gradient=False),
        Case(path, (i(good),), id="int"),
        Case(path, ([good],), id="python"),
        Case(path, (f([]),), id="empty", gradient=False),
        raises(path, (f(good, bad, 0.5 * bad),), id="bad"),
        raises(path, (i(bad),), id="bad int"),
        raises(path, (d([[bad, bad], [bad, bad]]),), id="four"),
        raises(path, (f(bad, bad, dtype="float32"), "msg", 1), id="message"),
        raises(path, (f([np.nan]),), id="nan"),
    ]
