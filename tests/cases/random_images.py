"""Rows for random changes of images."""

import numpy as np

from cases.case import Case, f, i, raises
from cases.sampling import drawn

A = np.arange(12, dtype="float32").reshape(2, 2, 3) / 12
SEED = i(1, 2)
FLIPS = ("random_flip_left_right", "random_flip_up_down")

CASES = [
    *[drawn("image." + path, (A,)) for path in FLIPS],
    *[drawn("image." + path, (A[None],), id="batch") for path in FLIPS],
    *[raises("image." + path, (A[0],), id="rank 2") for path in FLIPS],
    *[drawn("image.stateless_" + path, (A, SEED)) for path in FLIPS],
    Case("image.random_crop", (A, [2, 2, 3])),
    drawn("image.random_crop", (A, [1, 1, 3]), id="part"),
    drawn("image.random_crop", (f(1, 2, 3), i([2])), id="vector"),
    raises("image.random_crop", (A, [3, 1, 3]), id="size"),
    raises("image.random_crop", (A, [1, 1]), id="rank"),
    drawn("image.stateless_random_crop", (A, [1, 1, 3], SEED)),
    drawn("image.random_brightness", (A, 0.1)),
    raises("image.random_brightness", (A, -0.1), id="negative"),
    drawn("image.random_contrast", (A, 0.5, 1.5)),
    raises("image.random_contrast", (A, 1.5, 0.5), id="order"),
    raises("image.random_contrast", (A, -1, 0.5), id="negative"),
    drawn("image.random_hue", (A, 0.1)),
    raises("image.random_hue", (A, 0.6), id="above"),
    raises("image.random_hue", (A, -0.1), id="negative"),
    drawn("image.random_saturation", (A, 0.5, 1.5)),
    raises("image.random_saturation", (A, 1.5, 0.5), id="order"),
]
