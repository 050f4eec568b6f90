"""Rows for tapefacade/_ops/signal/windows.py."""

from cases.case import Case, f, i, raises

HANN, HAMMING, KAISER, DERIVED, VORBIS = (
    f"signal.{name}_window"
    for name in ("hann", "hamming", "kaiser", "kaiser_bessel_derived", "vorbis")
)

CASES = [
    *[Case(HANN, (n,), id=str(n)) for n in (0, 1, 4, 5)],
    Case(HANN, (4, False), id="symmetric"),
    Case(HANN, (i(4),), id="tensor"),
    raises(HANN, (-1,), id="negative"),
    raises(HANN, (4.0,), id="float"),
    raises(HANN, ([4],), id="vector"),
    Case(HAMMING, (6,)),
    Case(HAMMING, (1,), id="one"),
    Case(HAMMING, (5, True), id="odd"),
    Case(HAMMING, (6, False), id="symmetric"),
    *[Case(KAISER, (n,), id=str(n)) for n in (1, 4, 5)],
    Case(KAISER, (4, 0), id="rectangle"),
    Case(KAISER, (5, f(3.0)), id="beta", rtol=3e-6),
    raises(KAISER, (0,), id="zero"),
    raises(KAISER, (-1,), id="negative"),
    *[Case(DERIVED, (n,), id=str(n)) for n in (0, 1, 2, 5, 8)],
    Case(DERIVED, (4, f(3.0)), id="beta", rtol=3e-6),
    raises(DERIVED, (-2,), id="negative"),
    *[Case(VORBIS, (n,), id=str(n)) for n in (0, 1, 5, 8)],
    raises(VORBIS, (-1,), id="negative"),
]
