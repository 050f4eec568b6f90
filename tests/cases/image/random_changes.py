"""Rows for tapefacade/_ops/image/random_changes.py."""

import numpy as np

from cases.case import Case, f, i, raises
from cases.random.stateful import drawn

A = np.arange(12, dtype="float32").reshape(2, 2, 3) / 12
SEED = i(1, 2)
FLIPS = ("random_flip_left_right", "random_flip_up_down")

CASES_RANDOM_IMAGES = [
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


A_STATELESS_IMAGES = np.arange(12, dtype="float32").reshape(2, 2, 3) / 12
U = i(A_STATELESS_IMAGES * 255, dtype="uint8")
SEED_STATELESS_IMAGES = i(1, 2)
RANDOM = "image.stateless_random_"
QUALITY = "image.random_jpeg_quality"

CASES_STATELESS_IMAGES = [
    drawn(RANDOM + "brightness", (A_STATELESS_IMAGES, 0.1, SEED_STATELESS_IMAGES)),
    drawn(RANDOM + "brightness", (U, 0.1, (1, 2)), id="uint8"),
    Case(RANDOM + "brightness", (A_STATELESS_IMAGES, 0.0, SEED_STATELESS_IMAGES), id="nothing"),
    raises(RANDOM + "brightness", (A_STATELESS_IMAGES, -0.1, SEED_STATELESS_IMAGES), id="negative"),
    raises(RANDOM + "brightness", (A_STATELESS_IMAGES, 0.1, (1, 2, 3)), id="seed"),
    drawn(RANDOM + "contrast", (A_STATELESS_IMAGES, 0.5, 1.5, SEED_STATELESS_IMAGES)),
    raises(RANDOM + "contrast", (A_STATELESS_IMAGES, 1.5, 0.5, SEED_STATELESS_IMAGES), id="order"),
    raises(
        RANDOM + "contrast", (A_STATELESS_IMAGES, -1.5, 0.5, SEED_STATELESS_IMAGES), id="negative"
    ),
    drawn(RANDOM + "hue", (A_STATELESS_IMAGES, 0.1, SEED_STATELESS_IMAGES)),
    raises(RANDOM + "hue", (A_STATELESS_IMAGES, 0.6, SEED_STATELESS_IMAGES), id="above"),
    drawn(RANDOM + "saturation", (A_STATELESS_IMAGES, 0.5, 1.5, SEED_STATELESS_IMAGES)),
    raises(
        RANDOM + "saturation", (A_STATELESS_IMAGES, 1.5, 0.5, SEED_STATELESS_IMAGES), id="order"
    ),
    raises(RANDOM + "saturation", (A_STATELESS_IMAGES, 0.5, 1.5), id="no seed"),
    # A constant image stays itself in any quality but the lowest.
    Case("image.adjust_jpeg_quality", (f(np.ones((8, 8, 3))), 50)),
    Case(
        "image.adjust_jpeg_quality", (i(np.full((9, 8, 1), 128), dtype="uint8"), i(90)), id="grey"
    ),
    raises("image.adjust_jpeg_quality", (A_STATELESS_IMAGES, 101), id="quality"),
    raises("image.adjust_jpeg_quality", (A_STATELESS_IMAGES[None], 50), id="rank"),
    raises("image.adjust_jpeg_quality", (A_STATELESS_IMAGES, 50.0), id="float"),
    drawn(QUALITY, (A_STATELESS_IMAGES, 50, 80)),
    raises(QUALITY, (A_STATELESS_IMAGES, 80, 50), id="order"),
    raises(QUALITY, (A_STATELESS_IMAGES, -1, 50), id="negative"),
    raises(QUALITY, (A_STATELESS_IMAGES, 1, 101), id="above"),
    drawn(RANDOM + "jpeg_quality", (U, 50, 80, SEED_STATELESS_IMAGES)),
    raises(RANDOM + "jpeg_quality", (U, 50, 50, SEED_STATELESS_IMAGES), id="equal"),
]


CASES = [*CASES_RANDOM_IMAGES, *CASES_STATELESS_IMAGES]
