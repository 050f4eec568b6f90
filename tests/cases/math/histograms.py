"""Rows for tapefacade/_ops/math/histograms.py."""

from cases.case import Case, d, f, i, raises

NAN = float("nan")
V = f(-1.0, 0.0, 1.5, 2.0, 5.0, 15.0)

CASES = [
    Case("histogram_fixed_width", (V, f(0.0, 5.0)), {"nbins": 5}),
    Case("histogram_fixed_width", (V, [0.0, 5.0], 5), {"dtype": "int64"}, id="int64"),
    Case("histogram_fixed_width", (i(1, 2, 3), [0, 5]), {"nbins": 5}, id="int"),
    Case("histogram_fixed_width", (d([[1.0, 2.0], [3.0, 4.0]]), d(0.0, 5.0), 3), id="float64"),
    Case("histogram_fixed_width", (f([]), [0.0, 5.0], 2), id="empty"),
    Case("histogram_fixed_width", (V, [0.0, 5.0]), id="default bins"),
    raises("histogram_fixed_width", (V, [5.0, 0.0], 3), id="turned range"),
    raises("histogram_fixed_width", (V, [2.0, 2.0], 3), id="no range"),
    raises("histogram_fixed_width", (V, [0.0, 1.0, 2.0], 3), id="long range"),
    raises("histogram_fixed_width", (f(1.0, NAN), [0.0, 2.0], 3), id="nan"),
    raises("histogram_fixed_width", (V, [0.0, 2.0], 0), id="no bins"),
    raises("histogram_fixed_width", (V, [0.0, 2.0], 3, "float32"), id="float result"),
    Case("histogram_fixed_width_bins", (V, f(0.0, 5.0)), {"nbins": 5}),
    Case("histogram_fixed_width_bins", (f([[-1.0, 0.0], [1.5, 2.0]]), [0.0, 5.0], 5), id="matrix"),
    Case("histogram_fixed_width_bins", (d(0.1, 0.9), d(0.0, 1.0), 4), id="float64"),
    raises("histogram_fixed_width_bins", (i(1, 2), [0, 2], 3), id="int"),
    Case("math.confusion_matrix", (i(1, 2), i(2, 2))),
    Case("math.confusion_matrix", (i(1, 2), i(2, 2)), {"num_classes": 4}, id="classes"),
    Case("math.confusion_matrix", (i(1, 1), i(1, 1), 2, f(1.0, 3.0), "float32"), id="weights"),
    Case("math.confusion_matrix", (i(1, 0), i(1, 1), None, d(1.0, 3.0), "float64"), id="float64"),
    Case("math.confusion_matrix", (i(1, 2), i(2, 2)), {"dtype": "int64"}, id="int64"),
    Case("math.confusion_matrix", (i([[1], [2]]), i(2, 2)), id="column"),
    Case("math.confusion_matrix", (f(1.0, 2.0), f(2.0, 2.0)), id="float"),
    raises("math.confusion_matrix", (i(1, 2), i(2, 2), 2), id="label out of range"),
    raises("math.confusion_matrix", (i(0, 1), i(5, 1), 2), id="prediction out of range"),
    raises("math.confusion_matrix", (i(1, -2), i(2, 2)), id="negative label"),
    raises("math.confusion_matrix", (i(1, 2), i(2, -2)), id="negative prediction"),
    raises("math.confusion_matrix", (i(1, 2), i(2, 2, 3)), id="shapes"),
    raises("math.confusion_matrix", (i(1, 2), i(2, 2)), {"weights": 2}, id="scalar weight"),
]
