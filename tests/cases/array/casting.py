"""Rows for tapefacade/_ops/array/casting.py."""

import numpy as np

from cases.case import Case, b, c, d, f, i, raises

FLOATS = f(1.9, -1.9, 100.0, 0.0, 0.5)
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REALS = (*INTEGERS, "bfloat16", "float16", "float32", "float64")
ALL = (*REALS, "bool", "complex64", "complex128")

CASES = [
    *[Case("cast", (FLOATS, t), id=f"float to {t}") for t in ALL if t[0] != "u"],
    *[Case("cast", (f(1.9, 100.0, 0.5), t), id=f"float to {t}") for t in INTEGERS if t[0] == "u"],
    *[Case("cast", (i(1, -1, 300, 0), t), id=f"int to {t}") for t in ALL],
    *[Case("cast", (b(True, False), t), id=f"bool to {t}") for t in ALL],
    *[Case("cast", (c(1 + 2j, 0j, 2j), t), id=f"complex to {t}") for t in ALL],
    Case("cast", (d(1.5, -2.5), "float32"), id="float64", numerical=False),
    Case("cast", (d(1.5, -2.5), "float64"), id="same"),
    Case("cast", (f(300.0, -300.0, 1e5), "int8"), id="wraps"),
    Case("cast", (f(-1.9, -300.0), "uint8"), id="negative to unsigned"),
    Case("cast", (f(np.nan, np.inf, -np.inf, 1e20), "int32"), id="not finite"),
    Case("cast", (d(np.nan, np.inf, 1e20), "int64"), id="not finite to int64"),
    Case("cast", (f(1e10, 1e38), "float16"), id="overflow"),
    Case("cast", (f(np.nan, 0.0), "bool"), id="nan to bool"),
    Case("cast", (3.7, "int32"), id="python"),
    Case("cast", ([1, 2.5], "int64"), id="python list"),
    Case("cast", (True, "float32"), id="python bool"),
    Case("cast", (f([]), "int32"), id="empty"),
    raises("cast", (f(1.0), "x"), id="no dtype"),
    raises("cast", (f(1.0), None), id="none"),
    raises("cast", (None, "float32"), id="no tensor"),
    *[
        Case("saturate_cast", (f(1.9, -1.9, 300.0, -300.0, 0.5), t), id=f"float to {t}")
        for t in REALS
    ],
    *[Case("saturate_cast", (i(1, -1, 300, -300), t), id=f"int to {t}") for t in REALS],
    Case("saturate_cast", (f(np.inf, 1e20, -np.inf), "int32"), id="infinite"),
    Case("saturate_cast", (f(np.inf, 1e20), "float16"), id="infinite to half"),
    Case("saturate_cast", (c(1 + 2j), "float32"), id="complex"),
    Case("saturate_cast", (c(1 + 2j), "complex64"), id="complex to complex"),
    raises("saturate_cast", (f(1.0), "bool"), id="bool"),
    Case("complex", (f(1.0, 2.0), f(3.0, 4.0))),
    Case("complex", (d(1.0, 2.0), d(3.0)), id="float64"),
    Case("complex", (f([[1.0], [2.0]]), f(3.0, 4.0)), id="broadcast"),
    raises("complex", (f(1.0), d(1.0)), id="types"),
    raises("complex", (i(1), i(1)), id="int"),
    raises("complex", (f(1.0, 2.0), f(1.0, 2.0, 3.0)), id="shape"),
    *[Case(f"math.{n}", (c(1 + 2j, -3.0, 0.5j),)) for n in ("real", "imag", "angle", "conj")],
    *[
        Case(f"math.{n}", (c(1 + 2j, -3 + 1j, dtype="complex128"),), id="complex128")
        for n in ("real", "imag", "angle", "conj")
    ],
    *[Case(f"math.{n}", (f(1.5, -2.0),), id="float") for n in ("real", "imag", "angle", "conj")],
    *[Case(f"math.{n}", (i(1, -2),), id="int") for n in ("real", "imag", "conj")],
    Case("math.angle", (f(0.0, np.nan),), id="special"),
    *[raises(f"math.{n}", (b(True),), id="bool") for n in ("real", "conj", "angle")],
    raises("math.angle", (i(1),), id="int"),
    Case("bitcast", (f(1.0, -2.0), "int32")),
    Case("bitcast", (f(1.0, -2.0), "uint8"), id="smaller"),
    Case("bitcast", (i([[0, 0, 128, 63]], dtype="uint8"), "float32"), id="larger"),
    Case("bitcast", (f(1.0, 2.0), "float64"), id="float64"),
    Case("bitcast", (f(1.0, 2.0), "complex64"), id="to complex"),
    Case("bitcast", (c([1 + 2j]), "float32"), id="from complex"),
    Case("bitcast", (c([1 + 2j]), "float64"), id="from complex to one"),
    Case("bitcast", (f(1.0, 2.0), "float32"), id="same"),
    Case("bitcast", (i([1, 2], dtype="int64"), "int32"), id="int64"),
    raises("bitcast", (i([0, 0, 128], dtype="uint8"), "float32"), id="shape"),
    raises("bitcast", (b(True), "uint8"), id="bool"),
    raises("bitcast", (i([1], dtype="uint8"), "bool"), id="to bool"),
]
