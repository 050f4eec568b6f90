"""Rows for approximately greatest elements; TensorFlow has no kernel for smallest ones."""

from cases.case import Case, d, f, i, raises

M = f([[1.0, 5.0, 3.0, 2.0], [4.0, 4.0, 1.0, 9.0]])
MAX = "nn.approx_max_k"

CASES = [
    Case(MAX, (M, 2)),
    Case(MAX, (M, 0), id="none", gradient=False),
    Case(MAX, (M, 3), {"recall_target": 0.5}, id="recall"),
    Case(MAX, (M.astype("float16"), 2), id="float16"),
    raises(MAX, (M, 5), id="too many"),
    raises(MAX, (M, -1), id="negative"),
    raises(MAX, (i(1, 2), 1), id="int"),
    raises(MAX, (d(1.0, 2.0), 1), id="float64"),
    Case("approx_top_k", (M, 2)),
]
