"""Rows for averages of losses."""

import numpy as np

from cases.case import Case, d, f, i, raises

AVERAGE = "nn.compute_average_loss"

CASES = [
    Case(AVERAGE, (f(1, 2, 3),)),
    Case(AVERAGE, (d(1, 2, 3),), id="float64"),
    Case(AVERAGE, (f(1, 2, dtype="float16"),), id="float16"),
    Case(AVERAGE, (i(1, 2),), id="int"),
    Case(AVERAGE, ([1.0, 2.0],), id="python"),
    Case(AVERAGE, (f([[1, 2], [3, 4]]),), id="matrix"),
    Case(AVERAGE, (f(1, 2, 3), f(1, 0, 2)), id="weights"),
    Case(AVERAGE, (f(1, 2, 3), 2.0), id="scalar weight"),
    Case(AVERAGE, (f(1, 2, 3), f(2.0)), id="tensor weight"),
    Case(AVERAGE, (f([[1, 2], [3, 4]]), f(1, 2)), id="weight of rows"),
    Case(AVERAGE, (f([[1, 2], [3, 4]]), f([[1], [2]])), id="weight column"),
    Case(AVERAGE, (f(1, 2, 3), f([[1], [2], [3]])), id="squeezed weight"),
    Case(AVERAGE, (f([[[1, 2], [3, 4]]]), f([[1, 2]])), id="rank 3"),
    Case(AVERAGE, (f([[[1, 2], [3, 4]]]), f([2])), id="rank 3 broadcast"),
    Case(AVERAGE, (d(1, 2), f(1, 2)), id="dtypes"),
    Case(AVERAGE, (f(1, 2, 3),), {"sample_weight": [1.0, 0.0, 1.0]}, id="keyword"),
    Case(AVERAGE, (f(1, 2, 3),), {"global_batch_size": 6}, id="size"),
    Case(AVERAGE, (f(1, 2),), {"global_batch_size": 0}, id="size 0"),
    Case(AVERAGE, (f(np.zeros(0)),), id="empty"),
    raises(AVERAGE, (f(1, 2),), {"global_batch_size": -1}, id="negative size"),
    raises(AVERAGE, (f(1, 2),), {"global_batch_size": 2.5}, id="float size"),
    raises(AVERAGE, (f(1, 2),), {"global_batch_size": [1, 2]}, id="sizes"),
    raises(AVERAGE, (f(1, 2, 3), f(1, 2)), id="shapes"),
    Case("nn.scale_regularization_loss", (f(1, 2),)),
    Case("nn.scale_regularization_loss", (d(2.0),), id="float64"),
    Case("nn.scale_regularization_loss", (i(1, 2),), id="int"),
    Case("nn.scale_regularization_loss", ([1.0, 2.0],), id="python"),
]
