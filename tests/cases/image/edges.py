"""Rows for tapefacade/_ops/image/edges.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

A = np.random.default_rng(0).normal(size=(3, 4, 2)).astype("float32")
TV, EDGES, DIFFERENCES = "image.total_variation", "image.sobel_edges", "image.image_gradients"
H = f(A[None], dtype="float16")

CASES = [
    Case(TV, (A,), rtol=1e-5),
    Case(TV, (d(np.stack([A, A**2])),), id="batch"),
    Case(TV, (f([[[1.0], [1.0]]]),), id="equal"),
    Case(TV, (f(np.zeros((0, 2, 1))),), id="empty"),
    Case(TV, (i([[[1], [5]]]),), id="int"),
    Case(TV, (c([[[1j], [3.0]]]),), id="complex", rtol=1e-5),
    raises(TV, (i([[[1], [5]]], dtype="uint8"),), id="uint8"),
    raises(TV, (b([[[True]]]),), id="bool"),
    raises(TV, (A[0],), id="rank 2"),
    raises(TV, (A[None, None],), id="rank 5"),
    Case(DIFFERENCES, (A[None],)),
    Case(DIFFERENCES, (d(A[None, :1, :1]),), id="float64"),
    Case(DIFFERENCES, (i([[[[1], [9]], [[4], [2]]]], dtype="uint8"),), id="uint8"),
    Case(DIFFERENCES, (f(np.zeros((0, 2, 2, 1))),), id="empty"),
    raises(DIFFERENCES, (f(np.zeros((1, 0, 2, 1))),), id="no height"),
    raises(DIFFERENCES, (A,), id="rank 3"),
    raises(DIFFERENCES, (b([[[[True]]]]),), id="bool"),
    Case(EDGES, (A[None],), rtol=1e-5),
    Case(EDGES, (d(A[None, :2, :2]),), id="float64"),
    Case(EDGES, (H,), id="half"),
    raises(EDGES, (A,), id="rank 3"),
    raises(EDGES, (A[None, :1],), id="height"),
    raises(EDGES, (A[None, :, :1],), id="width"),
    raises(EDGES, (A[None][:0],), id="no images"),
    raises(EDGES, (i([[[[1], [9]], [[4], [2]]]]),), id="int"),
]
