"""Rows for tapefacade/_ops/image/similarity.py."""

import numpy as np

from cases.case import Case, d, f, i, raises

RANDOM = np.random.default_rng(0)
A = RANDOM.uniform(size=(12, 13, 2)).astype("float32")
B = (0.7 * A + 0.3 * RANDOM.uniform(size=A.shape)).astype("float32")
U, V = i(A * 255, dtype="uint8"), i(B * 255, dtype="uint8")
SMALL = {"filter_size": 4}
SSIM, SCALES = "image.ssim", "image.ssim_multiscale"
TWO = {"power_factors": (0.4, 0.6), **SMALL}

# Variances are differences of averages: TensorFlow's sums and ours, in another order, agree to four
# digits.
CLOSE = {"rtol": 1e-4, "atol": 1e-5}

CASES = [
    Case(SSIM, (A, B, 1.0), **CLOSE),
    Case(SSIM, (A[None], np.stack([A, B]), 1.0), SMALL, id="broadcast", **CLOSE),
    Case(SSIM, (A, B, 1), {"filter_size": 3, "filter_sigma": 0.7, "k1": 0.1, "k2": 0.2}, id="k"),
    Case(SSIM, (A, B, 1.0), {"return_index_map": True}, id="map", **CLOSE),
    Case(SSIM, (A, A, f(1.0)), SMALL, id="equal", gradient=False),
    Case(SSIM, (U, V, 255), id="uint8", **CLOSE),
    Case(SSIM, (d(A), d(B), 1.0), SMALL, id="float64", numerical=False, **CLOSE),
    Case(SSIM, (f(A, dtype="float16"), f(B, dtype="float16"), 1.0), SMALL, id="half", **CLOSE),
    raises(SSIM, (A, B[:11], 1.0), id="shapes"),
    raises(SSIM, (A, B[..., :1], 1.0), id="channels"),
    raises(SSIM, (A[:5], B[:5], 1.0), id="small"),
    raises(SSIM, (A[0], B[0], 1.0), id="rank 2"),
    raises(SSIM, (np.stack([A] * 3), np.stack([B] * 2), 1.0), id="batch"),
    raises(SSIM, (A, d(B), 1.0), id="types"),
    raises(SSIM, (A, B, 1.0), {"filter_size": 3.0}, id="float filter"),
    Case(SCALES, (A[None], B[None], 1.0), TWO, **CLOSE),
    Case(SCALES, (A, 1 - A, 1.0), TWO, id="negative", gradient=False),
    Case(SCALES, (U, V, 255), TWO, id="uint8", **CLOSE),
    raises(SCALES, (A[:6], B[:6], 1.0), TWO, id="small"),
    raises(SCALES, (A, B[:11], 1.0), TWO, id="shapes"),
    raises(SCALES, (A, B, 1.0), {"power_factors": []}, id="no scales"),
]
