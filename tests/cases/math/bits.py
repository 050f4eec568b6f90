"""Rows for tapefacade/_ops/math/bits.py."""

from cases.case import Case, b, f, i, raises

BINARY = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
SIGNED, UNSIGNED = ("int8", "int16", "int32", "int64"), ("uint8", "uint16", "uint32", "uint64")

CASES = [
    *[Case(f"bitwise.{n}", (i(5, -6, 7, 1, -1), i(3, 3, 40, -1, 31))) for n in BINARY],
    *[
        Case(f"bitwise.{n}", (i(5, -100, dtype=t), i(9, 2, dtype=t)), id=t)
        for n in BINARY
        for t in SIGNED
        if t != "int32"
    ],
    *[
        Case(f"bitwise.{n}", (i(5, 255, dtype=t), i(3, 9, dtype=t)), id=t)
        for n in BINARY
        for t in UNSIGNED
    ],
    *[Case(f"bitwise.{n}", (i([[5], [6]]), i(1, 2)), id="broadcast") for n in BINARY],
    *[raises(f"bitwise.{n}", (i(1, 2), i(1, 2, 3)), id="shape") for n in BINARY],
    *[raises(f"bitwise.{n}", (f(1.0), f(1.0)), id="float") for n in BINARY],
    *[raises(f"bitwise.{n}", (i(1), i(1, dtype="int8")), id="types") for n in BINARY],
    Case("bitwise.invert", (i(5, -6),)),
    Case("bitwise.invert", (i(5, dtype="uint8"),), id="uint8"),
    raises("bitwise.invert", (f(1.0),), id="float"),
    raises("bitwise.invert", (b(True),), id="bool"),
]
