"""Rows for windows at given places of images."""

import numpy as np

from cases.case import Case, d, raises

X = np.arange(1, 10, dtype=np.float32).reshape(1, 3, 3, 1)
TWO = np.concatenate([X, X + 20])
GLIMPSE = "image.extract_glimpse"
ZERO = {"noise": "zero"}
CORNER = {"noise": "zero", "centered": False, "normalized": False}
MIDDLE = {"noise": "zero", "normalized": False}

CASES = [
    Case(GLIMPSE, (X, [2, 2], [[0.0, 0.0]]), ZERO),
    *[
        Case(GLIMPSE, (X, [2, 2], [place]), ZERO, id=f"centered {place}", gradient=False)
        for place in ([1, 1], [-1, -1], [0.5, -0.5])
    ],
    *[
        Case(GLIMPSE, (X, [2, 2], [place]), CORNER, id=f"corner {place}", gradient=False)
        for place in ([1, 1], [2.9, 0], [3, 0], [-1.9, 0], [-2, 0], [0.5, -5])
    ],
    Case(GLIMPSE, (X, [3, 3], [[1.0, 0.0]]), MIDDLE, id="middle", gradient=False),
    Case(GLIMPSE, (X, [5, 4], [[0.0, 0.0]]), ZERO, id="larger", gradient=False),
    Case(GLIMPSE, (TWO, [2, 2], [[0.0, 0.2], [0.7, 0]]), ZERO, id="two", gradient=False),
    Case(GLIMPSE, (X, [0, 2], [[0.0, 0.0]]), ZERO, id="size 0", gradient=False),
    Case(GLIMPSE, (X, [5, 5], [[0.0, 0.0]]), id="uniform", gradient=False, values=False),
    raises(GLIMPSE, (X, [5, 5], [[0.0, 0.0]]), {"noise": "xx"}, id="noise"),
    raises(GLIMPSE, (X, [5, 5], [0.0, 0.0]), ZERO, id="vector"),
    raises(GLIMPSE, (X, [5], [[0.0, 0.0]]), ZERO, id="short size"),
    raises(GLIMPSE, (X, [5, 5], [[0.0, 0.0], [1.0, 1.0]]), ZERO, id="batch"),
    raises(GLIMPSE, (X, [5, 5], [[0.0, 0.0, 0.0]]), ZERO, id="three offsets"),
    raises(GLIMPSE, (X[0], [5, 5], [[0.0, 0.0]]), ZERO, id="rank"),
    raises(GLIMPSE, (d(X), [5, 5], [[0.0, 0.0]]), ZERO, id="float64"),
    raises(GLIMPSE, (X, [2.0, 5], [[0.0, 0.0]]), ZERO, id="float size"),
]
