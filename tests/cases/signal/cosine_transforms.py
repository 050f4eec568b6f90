"""Rows for tapefacade/_ops/signal/cosine_transforms.py."""

import numpy as np

from cases.case import Case, d, f, i, raises

RANDOM = np.random.RandomState(3)
M = RANDOM.randint(-3, 4, (2, 5)).astype("float32")
V = f(1.0, -2.0, 4.0, 3.0)
LONG = RANDOM.randint(-3, 4, (16,)).astype("float32")
DCT, IDCT, MDCT, IMDCT = "signal.dct", "signal.idct", "signal.mdct", "signal.inverse_mdct"
ORTHO = {"norm": "ortho"}

CASES = [
    *[Case(DCT, (M, kind), id=f"type {kind}", rtol=3e-6) for kind in (1, 2, 3, 4)],
    *[Case(DCT, (d(M), kind), ORTHO, id=f"ortho {kind}") for kind in (2, 3, 4)],
    *[Case(DCT, (V, kind, 3), id=f"cut {kind}", rtol=3e-6) for kind in (1, 2)],
    *[Case(DCT, (V, kind, 6), id=f"padded {kind}", rtol=3e-6) for kind in (1, 3, 4)],
    *[Case(DCT, (V[:1], kind), id=f"one {kind}") for kind in (2, 3, 4)],
    Case(DCT, ([1.0, 2.0, 3.0],), id="list", rtol=3e-6),
    Case(DCT, (f([]),), id="empty", gradient=False),
    raises(DCT, (V, 5), id="type"),
    raises(DCT, (V, 1), ORTHO, id="ortho type 1"),
    raises(DCT, (V,), {"norm": "x"}, id="norm"),
    raises(DCT, (V,), {"axis": 0}, id="axis"),
    raises(DCT, (V,), {"n": 0}, id="n"),
    raises(DCT, (V[:1], 1), id="type 1 of one"),
    raises(DCT, (f(1.0),), id="scalar"),
    raises(DCT, (i(1, 2),), id="int"),
    raises(DCT, (V.astype("float16"),), id="float16"),
    *[Case(IDCT, (d(M), kind), id=f"type {kind}") for kind in (1, 2, 3, 4)],
    *[Case(IDCT, (M, kind), ORTHO, id=f"ortho {kind}", rtol=3e-6) for kind in (2, 3)],
    Case(IDCT, (V, 2, 3), id="cut", rtol=3e-6),
    raises(IDCT, (V, 5), id="type"),
    raises(IDCT, (V, 2, None, 1), id="axis"),
    Case(MDCT, (LONG, 4), rtol=3e-6),
    Case(MDCT, (d(LONG), 8), ORTHO, id="ortho"),
    Case(MDCT, (LONG, 8, None), id="no window", rtol=3e-6),
    Case(MDCT, (LONG[:12], 8), {"pad_end": True}, id="padded", rtol=3e-6),
    raises(MDCT, (LONG, 6), id="length"),
    raises(MDCT, (LONG, 0), id="length 0"),
    raises(MDCT, (LONG, 4.0), id="float length"),
    raises(MDCT, (LONG, [4]), id="vector length"),
    raises(MDCT, (f(1.0), 4), id="scalar"),
    raises(MDCT, (LONG, 8), {"norm": "x"}, id="norm"),
    raises(MDCT, (LONG.astype("int32"), 8), id="int"),
    Case(IMDCT, (M[:, :4],), rtol=3e-6),
    Case(IMDCT, (d(M[:, :4]),), ORTHO, id="ortho"),
    Case(IMDCT, (M[:, :4], None), id="no window", rtol=3e-6),
    raises(IMDCT, (V,), id="vector"),
    raises(IMDCT, (M.astype("int32"),), id="int"),
]
