"""How large the gradients are that arrive at each step and leave it, and why they are zero."""

import math
import textwrap
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.value_text import html_table
from tapefacade._trace.non_finite import Watch, watched_run
from tapefacade._trace.program_listing import name_of, place as text_of_line
from tapefacade._trace.slices import Slice, Step
from tapefacade._trace.step_marks import OPERAND, RESULT, Mark, StepMarks

HEADINGS = ("op", "arrives", "leaves", "factor", "zeros", "line")
MAX_HTML_ROWS = 60
TEXT_WIDTH = 100  # characters
# A share of zeros from which on they are worth a word.
MOSTLY_ZERO = 0.9
_RECTIFIERS = frozenset({"Relu", "Relu6", "LeakyRelu", "Elu", "Selu"})
_LIMITS = frozenset({"ClipByValue", "Minimum", "Maximum", "Relu6", "HardSigmoid"})
_SATURATED = frozenset({"Sigmoid", "Tanh", "Softmax", "Erf", "Softsign", "HardSigmoid"})
_CHOICES = frozenset({"Max", "Min", "MaxPool", "TopKV2", "ArgMax", "SegmentMax"})
_SELECTIONS = frozenset({"Select", "SelectV2", "Where"})
_PRODUCTS = frozenset({"Mul", "MatMul", "BatchMatMulV2", "Conv2D"})


class GradientRow(NamedTuple):
    """The gradient of one op for one operand.

    Attributes:
        op: how people call the op.
        operand: the place of the operand.
        line: where it was called, as `file:line`.
        arrives: the Euclidean norm of the gradients that arrive from the target.
        leaves: that of the gradient for the operand.
        zeros: the share of zeros in it, from 0 to 1.
        reason: why it is zero, or mostly so; "" where it is not.
    """

    op: str
    operand: int
    line: str
    arrives: float
    leaves: float
    zeros: float
    reason: str

    @property
    def factor(self) -> float:
        """By what the norm is multiplied."""
        return self.leaves / self.arrives if self.arrives else math.nan


class GradientSizes:
    """How large gradients are on their way from a target to its sources; shows itself as a table.

    Attributes:
        rows: a `GradientRow` for each op and operand, from the target to the sources.
        sources: the norm of the gradient for each source, by its name; None where there is none.
    """

    def __init__(self, rows: Iterable[GradientRow], sources: dict[str, float | None]) -> None:
        self.rows = tuple(rows)
        self.sources = sources

    def why_zero(self) -> str:
        """Tells why gradients are zero that no op has made so; "" if there are none."""
        names = ", ".join(name for name, norm in self.sources.items() if norm == 0.0)
        if not names or any(row.leaves == 0.0 for row in self.rows):
            return ""
        if self.rows:
            return f"{names}: what arrives adds up to 0, or nothing arrives at what is taken of it."
        return (
            f"{names}: 0 for all values: on the way is an op whose derivative is 0 everywhere, as "
            "that of tf.sign, or one that takes no element of it."
        )

    @property
    def zeros(self) -> tuple[GradientRow, ...]:
        """The rows in which a gradient that has arrived becomes zero."""
        return tuple(row for row in self.rows if row.arrives and not row.leaves)

    def _table(self) -> list[tuple[str, ...]]:
        found = []
        for row in self.rows:
            factor = "" if math.isnan(row.factor) else f"{row.factor:.3g}"
            note = f"  ({row.reason})" if row.reason else ""
            found.append((
                f"{row.op} [{row.operand}]", f"{row.arrives:.3g}", f"{row.leaves:.3g}", factor,
                f"{row.zeros:.0%}", f"{text_of_line(row.line)}{note}",
            ))  # fmt: skip
        return found

    def _ends(self) -> str:
        parts = [
            f"{name} {'None' if norm is None else format(norm, '.3g')}"
            for name, norm in self.sources.items()
        ]
        return f"Norms of the gradients: {', '.join(parts)}"

    def __repr__(self) -> str:
        rows = [HEADINGS, *self._table()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS) - 1)]
        lines = [
            "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
            for row in rows
        ]
        ends = textwrap.wrap(self._ends(), TEXT_WIDTH, subsequent_indent="  ")
        ends += textwrap.wrap(self.why_zero(), TEXT_WIDTH, initial_indent="  ")
        table = [f"  {line}".rstrip() for line in lines] if self.rows else []
        return "\n".join([*ends, *table])

    def _repr_html_(self) -> str:
        rows = self._table()
        shown = [HEADINGS, *rows[:MAX_HTML_ROWS]]
        if len(rows) > MAX_HTML_ROWS:
            shown.append((f"… {len(rows) - MAX_HTML_ROWS:,} more", "", "", "", "", ""))
        return html_table(shown, " ".join(filter(None, [f"{self._ends()}.", self.why_zero()])))


class _Size:
    """What is known of a value, over all iterations of loops."""

    def __init__(self) -> None:
        self.squares, self.zeros, self.count = 0.0, 0, 0
        self.low, self.high = math.inf, -math.inf

    def add(self, array: np.ndarray[Any, Any]) -> None:
        wide = np.abs(array) if array.dtype.kind == "c" else array.astype(np.float64)
        self.squares += float(np.sum(np.square(wide)))
        self.zeros += int(np.sum(wide == 0))
        self.count += array.size
        if array.size:
            self.low = min(self.low, float(np.min(wide)))
            self.high = max(self.high, float(np.max(wide)))

    @property
    def norm(self) -> float:
        return math.sqrt(self.squares) if self.squares >= 0 else math.nan


class _SizeWatch(Watch):
    """Takes note of sizes."""

    def __init__(self, marks: StepMarks) -> None:
        super().__init__(marks)
        self.sizes: dict[Mark, _Size] = {}

    def see(self, mark: Mark, value: Any) -> Any:
        if mark.backward or mark.side == OPERAND:
            self.sizes.setdefault(mark, _Size()).add(np.asarray(value))
        return value

    def rows(self) -> list[GradientRow]:
        """Returns the gradients that have left steps, in the order in which they did."""
        found = []
        for mark, left in self.sizes.items():
            if not mark.backward or mark.side != OPERAND:
                continue
            step, line = self.step(mark.number)
            squares = [
                size.squares
                for place in range(len(step.types))
                if (size := self.sizes.get(Mark(mark.number, RESULT, place, True))) is not None
            ]
            zeros = left.zeros / left.count if left.count else 0.0
            reason = ""
            own = self.sizes.get(mark._replace(backward=False))
            is_dead = step.operation.kernel == "Relu" and own is not None and own.high <= 0.0
            is_choice = step.operation.kernel in _CHOICES and zeros > 0.0
            arrived = sum(squares) > 0.0
            if is_dead or (arrived and (zeros >= MOSTLY_ZERO or is_choice)):
                reason = self._reason(step, mark, zeros)
            found.append(GradientRow(
                name_of(step.operation), mark.place, line, math.sqrt(sum(squares)), left.norm,
                zeros, reason,
            ))  # fmt: skip
        return found

    def _reason(self, step: Step, mark: Mark, zeros: float) -> str:
        """Tells why a gradient that arrives does not leave."""
        kernel = step.operation.kernel
        own = self.sizes.get(mark._replace(backward=False))
        share = "" if zeros == 1.0 else f"{zeros:.0%}: "
        span = "" if own is None else f"its operand goes from {own.low:.4g} to {own.high:.4g}"
        if kernel in _RECTIFIERS and own is not None and own.low <= 0.0:
            if own.high <= 0.0:
                return f"dead: {span}, never above 0"
            return f"{share}dead where a gradient arrives: {span}"
        if kernel in _LIMITS:
            return f"{share}saturated: {span}, outside of the limits"
        if kernel in _SATURATED:
            return f"{share}saturated: {span}"
        if kernel in _SELECTIONS:
            return f"{share}masked: the condition takes the other value"
        if kernel in _CHOICES:
            return f"{share}not the element that is chosen, which alone has a gradient"
        others = [
            size
            for place in range(len(step.inputs))
            if place != mark.place
            and (size := self.sizes.get(Mark(mark.number, OPERAND, place, False))) is not None
        ]
        if kernel in _PRODUCTS and any(size.zeros for size in others):
            return f"{share}multiplied by 0"
        if step.types[0].dtype.name == "float16" and zeros == 1.0:
            return (
                "below 6e-8, the smallest float16: use tf.keras.mixed_precision.LossScaleOptimizer"
            )
        return f"{share}its derivative is 0 here: {span}" if span else f"{share}derivative 0"


def gradient_rows(part: Slice, arrays: Iterable[Any]) -> tuple[list[GradientRow], list[float]]:
    """Computes gradients with a look at how large they are on their way.

    Args:
        part: a program that computes gradients.
        arrays: the values of its inputs.

    Returns:
        The rows, and the norms of the results.
    """
    watch, outputs = watched_run(part, arrays, _SizeWatch)
    norms = []
    for output in outputs:
        size = _Size()
        size.add(np.asarray(output))
        norms.append(size.norm)
    return watch.rows(), norms
