"""Rows for tapefacade/_ops/linalg/norms.py."""

import numpy as np

from cases.case import Case, c, d, f, i, raises

A = f([[3, 4], [0, 0]])
D = d([[1, -2], [3, 4]])
C = c([[3 + 3j, 4 + 4j], [1j, 2]])

CASES = [
    Case("linalg.norm", (A,)),
    Case("norm", (A, "euclidean", 1), id="root"),
    Case("linalg.norm", (D,), {"axis": 1}, id="float64"),
    Case("linalg.norm", (A.astype("float16"),), id="float16"),
    Case("linalg.norm", (A,), {"axis": 0, "keepdims": True}, id="keepdims"),
    Case("linalg.norm", (A,), {"keepdims": True}, id="keepdims all"),
    *[Case("linalg.norm", (D,), {"ord": o}, id=f"ord {o}") for o in (1, 2, 3, 2.5, np.inf)],
    *[Case("linalg.norm", (A,), {"ord": o, "axis": 1}, id=f"ord {o} rows") for o in (1, 2, np.inf)],
    *[
        Case("linalg.norm", (D,), {"ord": o, "axis": (0, 1)}, id=f"matrix {o}")
        for o in ("fro", "euclidean", 1, np.inf)
    ],
    Case("linalg.norm", (D,), {"ord": 2, "axis": (0, 1)}, id="matrix 2", rtol=1e-5),
    Case("linalg.norm", (D[None],), {"ord": 1, "axis": (1, 2), "keepdims": True}, id="matrix keep"),
    Case("linalg.norm", (D[None],), {"ord": np.inf, "axis": [-2, -1]}, id="matrix list"),
    Case("linalg.norm", (f(0, 0),), id="zero"),
    Case("linalg.norm", (f(1, -1, 0),), {"ord": 1}, id="ord 1 at 0"),
    Case("linalg.norm", (f(1, -1),), {"ord": np.inf}, id="tie"),
    Case("linalg.norm", (f(np.nan, 1),), id="nan"),
    Case("linalg.norm", (f(np.inf, 1),), id="inf"),
    Case("linalg.norm", (f(3.0),), id="scalar", atol=1e-7),
    Case("linalg.norm", (f(np.zeros(0)),), id="empty"),
    Case("linalg.norm", (f(np.zeros(0)),), {"ord": np.inf}, id="empty inf"),
    Case("linalg.norm", (C,), id="complex"),
    Case("linalg.norm", (C,), {"ord": 1}, id="complex 1", rtol=1e-5),
    raises("linalg.norm", (i(3, 4),), id="int"),
    raises("linalg.norm", (A, "fro"), id="fro of vector"),
    raises("linalg.norm", (A, "nuc"), id="nuc"),
    raises("linalg.norm", (A, -1), id="negative"),
    raises("linalg.norm", (A, 3, (0, 1)), id="matrix 3"),
    raises("linalg.norm", (A,), {"axis": (0, 0)}, id="axis twice"),
    raises("linalg.norm", (A,), {"axis": (0, 1, 2)}, id="three axes"),
    raises("linalg.norm", (A,), {"axis": 2}, id="axis"),
    Case("linalg.normalize", (f([[3, 4], [0, 1]]),)),
    Case("linalg.normalize", (D,), {"axis": 1}, id="axis"),
    Case("linalg.normalize", (D,), {"ord": 1, "axis": 0}, id="ord"),
    Case("math.l2_normalize", (A,)),
    Case("linalg.l2_normalize", (D, 1), id="linalg"),
    Case("nn.l2_normalize", (D,), {"axis": [0, 1]}, id="nn"),
    Case("math.l2_normalize", (A,), {"axis": 1}, id="zero row"),
    Case("math.l2_normalize", (f(1e-8, 0),), id="small"),
    Case("math.l2_normalize", (f(2.0),), id="scalar", atol=1e-6),
    Case("math.l2_normalize", (D,), {"axis": 0, "epsilon": 0.5}, id="epsilon"),
    Case("math.l2_normalize", (A,), {"dim": 1}, id="dim"),
    Case("math.l2_normalize", (C,), id="complex", rtol=1e-5),
    raises("math.l2_normalize", (i(1, 2),), id="int"),
    raises("math.l2_normalize", (A,), {"axis": 5}, id="axis"),
]
