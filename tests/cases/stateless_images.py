"""Rows for random changes of images that depend only on a seed."""

import numpy as np

from cases.case import Case, f, i, raises
from cases.sampling import drawn

A = np.arange(12, dtype="float32").reshape(2, 2, 3) / 12
U = i(A * 255, dtype="uint8")
SEED = i(1, 2)
RANDOM = "image.stateless_random_"
QUALITY = "image.random_jpeg_quality"

CASES = [
    drawn(RANDOM + "brightness", (A, 0.1, SEED)),
    drawn(RANDOM + "brightness", (U, 0.1, (1, 2)), id="uint8"),
    Case(RANDOM + "brightness", (A, 0.0, SEED), id="nothing"),
    raises(RANDOM + "brightness", (A, -0.1, SEED), id="negative"),
    raises(RANDOM + "brightness", (A, 0.1, (1, 2, 3)), id="seed"),
    drawn(RANDOM + "contrast", (A, 0.5, 1.5, SEED)),
    raises(RANDOM + "contrast", (A, 1.5, 0.5, SEED), id="order"),
    raises(RANDOM + "contrast", (A, -1.5, 0.5, SEED), id="negative"),
    drawn(RANDOM + "hue", (A, 0.1, SEED)),
    raises(RANDOM + "hue", (A, 0.6, SEED), id="above"),
    drawn(RANDOM + "saturation", (A, 0.5, 1.5, SEED)),
    raises(RANDOM + "saturation", (A, 1.5, 0.5, SEED), id="order"),
    raises(RANDOM + "saturation", (A, 0.5, 1.5), id="no seed"),
    # A constant image stays itself in any quality but the lowest.
    Case("image.adjust_jpeg_quality", (f(np.ones((8, 8, 3))), 50)),
    Case(
        "image.adjust_jpeg_quality", (i(np.full((9, 8, 1), 128), dtype="uint8"), i(90)), id="grey"
    ),
    raises("image.adjust_jpeg_quality", (A, 101), id="quality"),
    raises("image.adjust_jpeg_quality", (A[None], 50), id="rank"),
    raises("image.adjust_jpeg_quality", (A, 50.0), id="float"),
    drawn(QUALITY, (A, 50, 80)),
    raises(QUALITY, (A, 80, 50), id="order"),
    raises(QUALITY, (A, -1, 50), id="negative"),
    raises(QUALITY, (A, 1, 101), id="above"),
    drawn(RANDOM + "jpeg_quality", (U, 50, 80, SEED)),
    raises(RANDOM + "jpeg_quality", (U, 50, 50, SEED), id="equal"),
]
