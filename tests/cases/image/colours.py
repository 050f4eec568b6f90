"""Rows for tapefacade/_ops/image/colours.py."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

A = np.arange(12, dtype="float32").reshape(2, 2, 3) / 12
B = f([[[0.9, 0.1, 0.4], [0.2, 0.7, 0.3]]])
U = (A * 255).astype("uint8")
CONTRAST, BRIGHT, GAMMA, GRAY = (
    "image.adjust_contrast",
    "image.adjust_brightness",
    "image.adjust_gamma",
    "image.rgb_to_grayscale",
)

CASES_COLOURS = [
    Case(CONTRAST, (A, 2.0), atol=1e-6),
    Case(CONTRAST, (A, 0.0), id="zero", atol=1e-6),
    Case(CONTRAST, (A, f(0.5)), id="tensor", atol=1e-6),
    Case(CONTRAST, (A[None], 2), id="batch", atol=1e-6),
    Case(CONTRAST, (d(A), 2.0), id="float64", atol=1e-6),
    Case(CONTRAST, (U, 2.0), id="uint8"),
    Case(CONTRAST, (f(np.zeros((0, 2, 3))), 2.0), id="empty"),
    raises(CONTRAST, (A[0], 2.0), id="rank 2"),
    raises(CONTRAST, (A, f(1, 2)), id="vector"),
    Case(BRIGHT, (A, 0.1)),
    Case(BRIGHT, (A, f(0.1)), id="tensor"),
    Case(BRIGHT, (A, d(0.1)), id="double delta", numerical=False),
    Case(BRIGHT, (A, f(0.1, 0.2, 0.3)), id="vector"),
    Case(BRIGHT, (d(A), 0.1), id="float64", numerical=False),
    Case(BRIGHT, (U, 0.5), id="uint8"),
    Case(BRIGHT, (A, 1), id="int delta"),
    Case(GAMMA, (B, 0.5), rtol=1e-5),
    Case(GAMMA, (U, 2, 0.5), id="uint8"),
    raises(GAMMA, (A, -1), id="negative"),
    Case(GRAY, (A,)),
    Case(GRAY, (f(1, 2, 3),), id="vector"),
    Case(GRAY, (d(A),), id="float64", numerical=False),
    Case(GRAY, (U,), id="uint8"),
    raises(GRAY, (A[..., :2],), id="channels"),
    Case("image.grayscale_to_rgb", (A[..., :1],)),
    Case("image.grayscale_to_rgb", (i([[1]]),), id="int"),
    raises("image.grayscale_to_rgb", (A,), id="channels"),
    Case("image.rgb_to_hsv", (B,), rtol=1e-5),
    Case("image.rgb_to_hsv", (d(B),), id="float64"),
    Case("image.rgb_to_hsv", (f([[0, 0, 0], [0.5, 0.5, 0.5]]),), id="gray", gradient=False),
    raises("image.rgb_to_hsv", (A[..., :2],), id="channels"),
    raises("image.rgb_to_hsv", (i([[1, 2, 3]]),), id="int"),
    Case("image.hsv_to_rgb", (B,), rtol=1e-5),
    Case("image.hsv_to_rgb", (d(B),), id="float64"),
    Case("image.adjust_hue", (B, 0.1), atol=1e-6),
    Case("image.adjust_hue", (U, 0.3), id="uint8"),
    raises("image.adjust_hue", (A, 2.0), id="delta"),
    Case("image.adjust_saturation", (B, 0.5), atol=1e-6),
    Case("image.adjust_saturation", (B, 3.0), id="more", atol=1e-6),
    raises("image.adjust_saturation", (A[..., :2], 0.5), id="channels"),
]


A_COLOUR_SPACES = np.linspace(-0.2, 1.2, 12, dtype="float32").reshape(2, 2, 3)
PATHS = [f"image.{name}" for name in ("rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb")]

CASES_COLOUR_SPACES = [
    *[Case(path, (A_COLOUR_SPACES,), rtol=1e-5) for path in PATHS],
    *[Case(path, (d(1.0, 2.0, 3.0),), id="float64") for path in PATHS],
    Case(PATHS[0], (f(A_COLOUR_SPACES, dtype="float16"),), id="half"),
    Case(PATHS[1], (c([[1.0, 2j, 3.0]]),), id="complex", rtol=1e-5),
    Case(PATHS[2], (A_COLOUR_SPACES[:0],), id="empty"),
    *[raises(path, (i([[1, 2, 3]]),), id="int") for path in PATHS],
    raises(PATHS[0], (f(1.0),), id="scalar"),
    raises(PATHS[3], (A_COLOUR_SPACES[..., :2],), id="channels"),
]


CASES = [*CASES_COLOURS, *CASES_COLOUR_SPACES]
