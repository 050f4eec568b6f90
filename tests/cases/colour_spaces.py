"""Rows for YIQ and YUV."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

A = np.linspace(-0.2, 1.2, 12, dtype="float32").reshape(2, 2, 3)
PATHS = [f"image.{name}" for name in ("rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb")]

CASES = [
    *[Case(path, (A,), rtol=1e-5) for path in PATHS],
    *[Case(path, (d(1.0, 2.0, 3.0),), id="float64") for path in PATHS],
    Case(PATHS[0], (f(A, dtype="float16"),), id="half"),
    Case(PATHS[1], (c([[1.0, 2j, 3.0]]),), id="complex", rtol=1e-5),
    Case(PATHS[2], (A[:0],), id="empty"),
    *[raises(path, (i([[1, 2, 3]]),), id="int") for path in PATHS],
    raises(PATHS[0], (f(1.0),), id="scalar"),
    raises(PATHS[3], (A[..., :2],), id="channels"),
]
