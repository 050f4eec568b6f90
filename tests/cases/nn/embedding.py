"""Rows for tapefacade/_ops/nn/embedding.py."""

from cases.case import Case, d, f, i, raises

LOOKUP, TABLE = "nn.embedding_lookup", f([[1, 2], [3, 4], [5, 6]])

CASES = [
    Case(LOOKUP, (TABLE, i(0, 2))),
    Case(LOOKUP, (d(TABLE), i([[0], [1]])), id="float64"),
    Case(LOOKUP, (TABLE, i(1)), id="scalar"),
    Case(LOOKUP, (TABLE, [0, 0]), id="twice"),
    Case(LOOKUP, ([TABLE, TABLE + 10], i(0, 4)), id="tables"),
    Case(LOOKUP, (TABLE, i(0, 1), 1.0), id="max norm", rtol=1e-5),
    raises(LOOKUP, (TABLE, i(0, 5)), id="no such row"),
    raises(LOOKUP, (TABLE, i(-1)), id="negative row"),
    raises(LOOKUP, ([], i(0)), id="no table"),
    raises(LOOKUP, (None, i(0)), id="None"),
]
