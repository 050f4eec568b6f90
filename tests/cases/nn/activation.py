"""Rows for tapefacade/_ops/nn/activation.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

X = f(-2, -0.5, 0, 0.5, 7, np.nan)
Y = d(-2, -0.3, 0.4, 1.5, 7)
Z = f([[1, 2, 3], [1, 1, 1]])
FUNCTIONS = [
    "relu",
    "relu6",
    "crelu",
    "leaky_relu",
    "elu",
    "selu",
    "gelu",
    "silu",
    "softmax",
    "log_softmax",
]
VECTORS = ("crelu", "softmax", "log_softmax")
INTEGER = ("relu", "relu6", "crelu", "leaky_relu")

CASES_ACTIVATION = []
for name in FUNCTIONS:
    path = "nn." + name
    # The sum of a softmax is constant: what remains of its derivatives is rounding.
    loose = {"atol": 1e-6} if name in ("softmax", "log_softmax") else {}
    CASES_ACTIVATION += [
        Case(path, (X,), **loose),
        Case(path, (Y,), id="float64", **loose),
        Case(path, (Y.astype("float16"),), id="float16", atol=4e-3),
        Case(path, (f(-1, 0.5, dtype="bfloat16"),), id="bfloat16", atol=1.6e-2),
        Case(path, (f(np.inf, -np.inf),), id="infinities", **loose)
        if name not in ("softmax",)
        else Case(path, (f(-np.inf, 1),), id="infinity"),
        Case(path, (f(np.zeros((0,))),), id="empty"),
        Case(path, (f([[1, -2], [3, 4]]),), id="matrix", **loose),
        Case(path, ([1.0, -2.0],), id="python"),
        raises(path, (b([True]),), id="bool"),
    ]
    if name not in VECTORS:
        CASES_ACTIVATION.append(Case(path, (f(2.0),), id="scalar"))
    if name in INTEGER:
        CASES_ACTIVATION.append(Case(path, (i(3, -2, 9),), id="int"))
        CASES_ACTIVATION.append(Case(path, (i(3, -2, 9, dtype="int64"),), id="int64"))
        CASES_ACTIVATION.append(raises(path, (c(1 + 2j),), id="complex"))
    else:
        CASES_ACTIVATION.append(raises(path, (i(3, -2),), id="int"))
CASES_ACTIVATION = [
    case for case in CASES_ACTIVATION if not (case.path == "nn.crelu" and case.id == "complex")
]

CASES_ACTIVATION += [
    Case("nn.crelu", (d([[1, -2], [3, -4]]),), {"axis": 0}, id="axis"),
    raises("nn.crelu", (f([[1, -2]]),), {"axis": 3}, id="axis error"),
    raises("nn.crelu", (f(2.0),), id="scalar"),
    Case("nn.leaky_relu", (X,), {"alpha": 0.5}, id="alpha"),
    Case("nn.leaky_relu", (X, 2.0), id="steep"),
    Case("nn.leaky_relu", (X, -1.0), id="negative alpha"),
    Case("nn.gelu", (X,), {"approximate": True}, id="approximate", rtol=3e-6),
    Case("nn.gelu", (Y, True), id="approximate float64"),
    Case("nn.swish", (Y,), id="alias"),
    Case("nn.swish", (X,), {"beta": 2.0}, id="beta"),
    Case("nn.silu", (d(1, -2), d(2.0)), id="beta tensor"),
    Case("nn.silu", (c(1 + 2j),), id="complex", gradient=False),  # TensorFlow forgets conj
    Case("nn.silu", (f(1, -2), d(2.0)), id="beta float64", rtol=1e-5),
    Case("math.softmax", (Z,), id="alias", atol=1e-6),
    Case("math.log_softmax", (Z,), id="alias", atol=1e-6),
]
for path in ("nn.softmax", "nn.log_softmax"):
    CASES_ACTIVATION += [
        Case(path, (Z,), {"axis": 0}, id="axis 0", atol=1e-6),
        Case(path, (d(Z)[None],), {"axis": 1}, id="axis 1", atol=1e-14),
        Case(path, (Z,), {"axis": -2}, id="axis -2", atol=1e-6),
        Case(path, (f(-np.inf, 1),), id="minus infinity", atol=1e-6),
        Case(path, (f(-np.inf, -np.inf),), id="only minus infinity"),
        Case(path, (f(1000, -1000),), id="large"),
        Case(path, (f(np.zeros((2, 0))),), id="no classes"),
        Case(path, (f(np.zeros((0, 2))),), id="no rows"),
        raises(path, (Z,), {"axis": 2}, id="axis error"),
        raises(path, (Z,), {"axis": -3}, id="axis below"),
        raises(path, (f(2.0),), id="scalar"),
    ]


NAMES = ("sigmoid", "softplus", "log_sigmoid", "softsign")
SPECIAL = f(np.nan, np.inf, -np.inf, 100.0, -100.0, 20.0, -20.0)

CASES_SIGMOIDS = [
    # TensorFlow has no second derivative of softsign, and a row with a gradient asks for it
    *[Case(f"math.{n}", (f(0.3, -1.2, 0.0),), gradient=n != "softsign") for n in NAMES],
    *[Case(f"math.{n}", (d(0.3, -1.2),), id="float64", gradient=n != "softsign") for n in NAMES],
    *[
        Case(
            f"math.{n}", (f(0.3, -1.2, dtype="bfloat16"),), id="bfloat16", gradient=n != "softsign"
        )
        for n in NAMES
    ],
    *[
        Case(f"math.{n}", (SPECIAL,), id="special", gradient=n != "softsign", rtol=3e-6)
        for n in NAMES
    ],
    *[Case(f"math.{n}", (f([]),), id="empty", gradient=n != "softsign") for n in NAMES],
    *[raises(f"math.{n}", (i(1),), id="int") for n in NAMES],
    *[raises(f"math.{n}", (c(1j),), id="complex") for n in NAMES if n != "sigmoid"],
    Case("math.sigmoid", (c(1 + 2j, 0.2 - 0.7j),), id="complex", rtol=1e-5),
]


CASES = [*CASES_ACTIVATION, *CASES_SIGMOIDS]
