"""Rows for tapefacade/_ops/image/patches.py."""

import numpy as np

from cases.case import Case, d, f, raises

X = np.arange(24, dtype=np.float32).reshape(1, 4, 3, 2)
V = np.arange(27, dtype=np.float32).reshape(1, 3, 3, 3, 1)
IMAGE, VOLUME = "image.extract_patches", "extract_volume_patches"
ONES, TWOS = [1, 1, 1, 1], [1, 2, 2, 1]
CUBE = [1, 2, 2, 2, 1]

CASES_PATCHES = [
    Case(IMAGE, (X, TWOS, ONES, ONES, "VALID")),
    Case(IMAGE, (X, TWOS, TWOS, ONES, "SAME"), id="same"),
    Case(IMAGE, (d(X), [1, 2, 3, 1], ONES, ONES, "SAME"), id="float64"),
    Case(IMAGE, (X, TWOS, ONES, TWOS, "SAME"), id="rates"),
    Case(IMAGE, (X.astype("int32"), TWOS, TWOS, ONES, "VALID"), id="int"),
    Case(IMAGE, (X.astype("complex64"), TWOS, TWOS, ONES, "SAME"), id="complex", gradient=False),
    Case(IMAGE, (X, [1, 5, 2, 1], ONES, ONES, "VALID"), id="none", gradient=False),
    raises(IMAGE, (X, [1, 5, 5, 1], ONES, ONES, "VALID"), id="too large"),
    raises(IMAGE, (X, [2, 2], ONES, ONES, "SAME"), id="short"),
    raises(IMAGE, (X, 2, ONES, ONES, "SAME"), id="int size"),
    raises(IMAGE, (X, [1, 2, 2, 2], ONES, ONES, "SAME"), id="depth"),
    raises(IMAGE, (X, TWOS, [2, 1, 1, 1], ONES, "SAME"), id="batch"),
    raises(IMAGE, (X, TWOS, ONES, [1, 1, 1, 2], "SAME"), id="depth rate"),
    raises(IMAGE, (X, [1, 2, 0, 1], ONES, ONES, "SAME"), id="size 0"),
    raises(IMAGE, (X, TWOS, ONES, [1, 0, 1, 1], "SAME"), id="rate 0"),
    raises(IMAGE, (X, TWOS, ONES, ONES, "XX"), id="padding"),
    raises(IMAGE, (X[0], TWOS, ONES, ONES, "SAME"), id="rank"),
    raises(IMAGE, (f(1.0), TWOS, ONES, ONES, "SAME"), id="scalar"),
    Case(VOLUME, (V, CUBE, [1, 1, 1, 1, 1], "VALID")),
    Case(VOLUME, (d(V), CUBE, CUBE, "SAME"), id="same"),
    Case(VOLUME, (V.astype("int32"), CUBE, CUBE, "VALID"), id="int"),
    raises(VOLUME, (V[0], CUBE, CUBE, "SAME"), id="rank"),
    raises(VOLUME, (V, CUBE[1:], CUBE, "SAME"), id="short"),
    raises(VOLUME, (V, [2, 2, 2, 2, 1], CUBE, "SAME"), id="batch"),
    raises(VOLUME, (V, [1, 2, 0, 2, 1], CUBE, "SAME"), id="size 0"),
    raises(VOLUME, (V, CUBE, CUBE, "XX"), id="padding"),
    raises(VOLUME, (V.astype("bool"), CUBE, CUBE, "SAME"), id="bool"),
]


X_GLIMPSES = np.arange(1, 10, dtype=np.float32).reshape(1, 3, 3, 1)
TWO = np.concatenate([X_GLIMPSES, X_GLIMPSES + 20])
GLIMPSE = "image.extract_glimpse"
ZERO = {"noise": "zero"}
CORNER = {"noise": "zero", "centered": False, "normalized": False}
MIDDLE = {"noise": "zero", "normalized": False}

CASES_GLIMPSES = [
    Case(GLIMPSE, (X_GLIMPSES, [2, 2], [[0.0, 0.0]]), ZERO),
    *[
        Case(GLIMPSE, (X_GLIMPSES, [2, 2], [place]), ZERO, id=f"centered {place}", gradient=False)
        for place in ([1, 1], [-1, -1], [0.5, -0.5])
    ],
    *[
        Case(GLIMPSE, (X_GLIMPSES, [2, 2], [place]), CORNER, id=f"corner {place}", gradient=False)
        for place in ([1, 1], [2.9, 0], [3, 0], [-1.9, 0], [-2, 0], [0.5, -5])
    ],
    Case(GLIMPSE, (X_GLIMPSES, [3, 3], [[1.0, 0.0]]), MIDDLE, id="middle", gradient=False),
    Case(GLIMPSE, (X_GLIMPSES, [5, 4], [[0.0, 0.0]]), ZERO, id="larger", gradient=False),
    Case(GLIMPSE, (TWO, [2, 2], [[0.0, 0.2], [0.7, 0]]), ZERO, id="two", gradient=False),
    Case(GLIMPSE, (X_GLIMPSES, [0, 2], [[0.0, 0.0]]), ZERO, id="size 0", gradient=False),
    Case(GLIMPSE, (X_GLIMPSES, [5, 5], [[0.0, 0.0]]), id="uniform", gradient=False, values=False),
    raises(GLIMPSE, (X_GLIMPSES, [5, 5], [[0.0, 0.0]]), {"noise": "xx"}, id="noise"),
    raises(GLIMPSE, (X_GLIMPSES, [5, 5], [0.0, 0.0]), ZERO, id="vector"),
    raises(GLIMPSE, (X_GLIMPSES, [5], [[0.0, 0.0]]), ZERO, id="short size"),
    raises(GLIMPSE, (X_GLIMPSES, [5, 5], [[0.0, 0.0], [1.0, 1.0]]), ZERO, id="batch"),
    raises(GLIMPSE, (X_GLIMPSES, [5, 5], [[0.0, 0.0, 0.0]]), ZERO, id="three offsets"),
    raises(GLIMPSE, (X_GLIMPSES[0], [5, 5], [[0.0, 0.0]]), ZERO, id="rank"),
    raises(GLIMPSE, (d(X_GLIMPSES), [5, 5], [[0.0, 0.0]]), ZERO, id="float64"),
    raises(GLIMPSE, (X_GLIMPSES, [2.0, 5], [[0.0, 0.0]]), ZERO, id="float size"),
]


CASES = [*CASES_PATCHES, *CASES_GLIMPSES]
