"""Where the filters of a convolution lie on its input."""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
from jax import lax


class Places(NamedTuple):
    """Where the filters lie on the input: a number, or a pair of them, for each spatial axis."""

    sizes: tuple[int, ...]  # of the input
    window: tuple[int, ...]  # sizes of the filters
    gaps: tuple[int, ...]  # as many zeros, less one, lie between two pixels of the input
    pads: tuple[tuple[int, int], ...]  # zeros around it; if negative, what is taken away
    rates: tuple[int, ...]  # how far the pixels of a filter lie apart
    steps: tuple[int, ...]

    @property
    def found(self) -> tuple[int, ...]:
        """The sizes of the result."""
        return tuple(
            (spread(size, gap) + sum(pad) - spread(pixels, rate)) // step + 1
            for size, pixels, gap, pad, rate, step in zip(*self, strict=True)
        )

    @property
    def transposed(self) -> "Places":
        """Where the flipped filters lie on the result, so that the input comes of it."""
        pads = []
        for size, found, pixels, gap, (first, _), rate, step in zip(
            self.sizes, self.found, *self[1:], strict=True
        ):
            before = spread(pixels, rate) - 1 - first
            pads.append((before, spread(size, gap) + first - spread(found, step)))
        return Places(self.found, self.window, self.steps, tuple(pads), self.rates, self.gaps)

    def along(self, axes: slice) -> "Places":
        """Returns where they lie along some of the axes."""
        fields: Any = self
        return Places(*[field[axes] for field in fields])

    def parts(self, input: jax.Array) -> Iterator[tuple[tuple[int, ...], jax.Array]]:
        """Gives each pixel of the filters with what it is multiplied by, of the result's sizes."""
        margins = [(*pad, gap - 1) for pad, gap in zip(self.pads, self.gaps, strict=True)]
        whole = input
        if any(map(any, margins)):
            config = [(0, 0, 0), *margins, *[(0, 0, 0)] * (input.ndim - 1 - len(margins))]
            whole = lax.pad(input, input.dtype.type(0), config)
        for pixel in itertools.product(*map(range, self.window)):
            begins = [i * rate for i, rate in zip(pixel, self.rates, strict=True)]
            ends = [
                begin + spread(size, step)
                for begin, size, step in zip(begins, self.found, self.steps, strict=True)
            ]
            rest = whole.shape[1 + len(ends) :]
            starts, limits = (0, *begins, *[0] * len(rest)), (len(whole), *ends, *rest)
            yield pixel, lax.slice(whole, starts, limits, (1, *self.steps, *[1] * len(rest)))

    def convolve(self, input: jax.Array, filters: jax.Array) -> jax.Array:
        """Convolves `[B, ..., C]` with `[..., C, O]`, as XLA does it."""
        letters = "DHW"[-len(self.sizes) :]
        return lax.conv_general_dilated(
            input, filters, self.steps, self.pads, self.gaps, self.rates,
            dimension_numbers=(f"N{letters}C", f"{letters}IO", f"N{letters}C"),
        )  # fmt: skip


def spread(size: int, rate: int) -> int:
    """Returns how far pixels reach that lie so far apart."""
    return (size - 1) * rate + 1
