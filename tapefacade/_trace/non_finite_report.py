"""What is told of numbers that are not finite: where they come from, and the usual cure."""

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapefacade._trace.non_finite import BACKWARD, FORWARD, Origin, summary_of
from tapefacade._trace.program_listing import place as text_of_line
from tapefacade._trace.step_marks import OPERAND, RESULT

TEXT_WIDTH = 100  # characters
INPUT = "input"  # the direction of what came from outside
CURE_WHERE = (
    "Use tf.where twice, so that the op never sees the element: "
    "`safe = tf.where(condition, x, 1.0)`, then `tf.where(condition, {call}, 0.0)`."
)
CURE_HALF = "float16 ends at 65504: use tf.keras.mixed_precision.LossScaleOptimizer, or bfloat16."
CURE_INPUT = "Look at the data, or at the step that assigned the variable before this one."
CURE_SUM = "The sum overflows: scale the values down, or sum in float64."
CURE_SUM_GROWS = (
    f"{CURE_SUM} If it grows from step to step, limit the step (`clipnorm`, a lower learning rate)."
)
_CURE_SQRT = (
    "Its derivative is infinite at 0: write `tf.sqrt(x + 1e-12)`, or `tf.maximum(x, 1e-12)` in it."
)
_CURE_NORM = (
    "The norm has no derivative at 0: write `tf.sqrt(tf.reduce_sum(x * x) + 1e-12)` in its place."
)
_CURE_LOG = (
    "Write `tf.math.log(x + 1e-7)`, or for probabilities a function that takes logits: "
    "tf.nn.log_softmax, or a cross entropy with `from_logits=True`; for p * log(p) "
    "`tf.math.xlogy(p, p)`, which is 0 at 0."
)
_CURE_DIVISION = (
    "Write `tf.math.divide_no_nan(x, y)`, which is 0 where y is 0, or `x / (y + 1e-7)` for a y "
    "that is not negative."
)
_CURE_ZERO_BY_ZERO = (
    "0 / 0 is NaN: write `tf.math.divide_no_nan(x, y)`, which is 0 there; for `x / tf.norm(x)` "
    "tf.math.l2_normalize(x), for a share of a sum tf.nn.softmax, for a mean of what a mask leaves "
    "`tf.reduce_sum(x * mask) / tf.maximum(tf.reduce_sum(mask), 1.0)`."
)
_CURE_PRODUCT = (
    "It overflows: scale one of the factors down, add up logarithms in the place of a product, or "
    "limit the step (`clipnorm`, a lower learning rate) if it grows from step to step."
)
_CURE_EXPONENTIAL = (
    "It overflows: use tf.reduce_logsumexp, tf.nn.softmax or tf.nn.softplus, subtract the largest "
    "element first, or limit it by tf.clip_by_value."
)
_CURE_POWER = (
    "A power has no finite derivative at 0 where the exponent is below 1, and none of a negative "
    "number where it is no integer: write `(x + 1e-12) ** p`, or `tf.maximum(x, 1e-12)` in it."
)
_CURE_EDGE = (
    "It is defined from -1 to 1 only, and its derivative is infinite at both: use "
    "tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6)."
)
_CURE_ACOSH = (
    "It is defined from 1 on only, and its derivative is infinite there: use "
    "`tf.maximum(x, 1 + 1e-6)` in it."
)
_CURE_RECIPROCAL_SQRT = (
    "It is infinite at 0: write `tf.math.rsqrt(x + 1e-12)`, or `tf.maximum(x, 1e-12)` in it."
)
_CURE_ANGLE = (
    "An angle has no derivative at the origin: keep the point away from it, such as with "
    "`tf.where(is_origin, 1.0, x)`."
)
_CURE_SOFTMAX = (
    "A row of which every element is -inf has no softmax: mask with a large negative number, such "
    "as -1e9, or leave such rows out."
)
_CURE_DEFINITE = (
    "The matrix is not positive definite: add `1e-6 * tf.eye(n)` to it, or more, and see that it "
    "is symmetric."
)
_CURE_NEGATIVE_SQRT = "The root of a negative number is NaN: use tf.maximum(x, 0.0), or tf.abs(x)."
_CURE_NEGATIVE_LOG = (
    "The logarithm of a negative number is NaN: use tf.nn.relu(x) + 1e-7, or tf.abs(x)."
)
_CURE_DEVIATION = (
    "A deviation of 0 has no derivative: use `tf.sqrt(tf.math.reduce_variance(x) + 1e-12)`."
)
_CURE_VARIANCE = (
    "Where the variance is 0 its root has no inverse: add a small `epsilon`, such as 1e-3, to it."
)
_CURE_SINGULAR = "The matrix is singular: add `1e-6 * tf.eye(n)` to it."
_CURE_INFINITY = (
    "Infinity minus infinity and 0 times infinity are NaN: find what made the infinity."
)
# By the name of the op, where the kernel is not what people have called.
_OF_NAMES = {
    "linalg.norm": _CURE_NORM, "math.reduce_euclidean_norm": _CURE_NORM,
    "math.reduce_std": _CURE_DEVIATION, "nn.batch_normalization": _CURE_VARIANCE,
}  # fmt: skip
_OF_KERNELS = {
    "Sqrt": _CURE_SQRT, "Rsqrt": _CURE_RECIPROCAL_SQRT, "Log": _CURE_LOG, "Log1p": _CURE_LOG,
    "RealDiv": _CURE_DIVISION, "Div": _CURE_DIVISION, "Reciprocal": _CURE_DIVISION,
    "Inv": _CURE_DIVISION, "FloorDiv": _CURE_DIVISION, "Exp": _CURE_EXPONENTIAL,
    "Expm1": _CURE_EXPONENTIAL, "Cosh": _CURE_EXPONENTIAL, "Sinh": _CURE_EXPONENTIAL,
    "Pow": _CURE_POWER, "Acos": _CURE_EDGE, "Asin": _CURE_EDGE, "Atanh": _CURE_EDGE,
    "Acosh": _CURE_ACOSH, "Atan2": _CURE_ANGLE, "Angle": _CURE_ANGLE,
    "EuclideanNorm": _CURE_NORM, "MatrixInverse": _CURE_SINGULAR,
    "Cholesky": _CURE_DEFINITE, "MatrixSolve": _CURE_SINGULAR, "Sum": CURE_SUM, "Mean": CURE_SUM,
    "MatMul": CURE_SUM_GROWS, "BatchMatMulV2": CURE_SUM_GROWS, "Square": _CURE_PRODUCT,
    "Mul": _CURE_PRODUCT, "AddV2": _CURE_PRODUCT, "Sub": _CURE_PRODUCT, "Prod": _CURE_PRODUCT,
    "batch_normalization": _CURE_VARIANCE, "Cumprod": _CURE_PRODUCT, "Xdivy": _CURE_DIVISION,
    "LogMatrixDeterminant": _CURE_SINGULAR,
}  # fmt: skip
_SOFTMAXES = frozenset({"Softmax", "LogSoftmax"})
_QUOTIENTS = frozenset({"RealDiv", "Div", "Reciprocal", "Inv", "FloorDiv", "Xdivy"})
_NEGATIVE = {"Sqrt": _CURE_NEGATIVE_SQRT, "Rsqrt": _CURE_NEGATIVE_SQRT, "Log": _CURE_NEGATIVE_LOG}


class NonFinite:
    """Where the first number that is not finite comes from; shows itself as text.

    Attributes:
        op: how people call the op, such as `tf.math.log`; "" for a value from outside.
        kernel: TensorFlow's name for it; of its gradient with `Grad` at its end.
        direction: "forward", "backward", or "input" for a value from outside.
        line: where the op was called, as `file:line`; "" if that is not known.
        value: the result, or the gradient: its type, its range, and what in it is not finite.
        operands: the same of the floating operands, by their places.
        upstream: the same of the gradients that have arrived; empty in the forward pass.
        index: the first element that is not finite.
        iterations: of the loops around the op, the outermost first, counted from 0.
        where_line: the line of the `tf.where` that does not take this element; "" if there is none.
        advice: the usual cure; "" if there is none.
        first_nan: where the first NaN comes from, if this is an infinity and another op makes a NaN
            later on; else None.
    """

    def __init__(self, origin: Origin, first_nan: "NonFinite | None" = None) -> None:
        self.op = origin.op
        self.kernel = origin.kernel
        self.direction = origin.direction
        self.line = origin.line
        self.value = origin.value
        self.operands = origin.operands
        self.upstream = origin.upstream
        self.index = origin.element
        self.iterations = origin.iterations
        self.where_line = origin.where_line
        self.first_nan = first_nan
        self.advice = _advice(origin)
        self._place = origin.place
        self._at_index = origin.at_element
        self._name = ""

    @classmethod
    def of_input(cls, name: str, line: str, array: np.ndarray[Any, Any]) -> "NonFinite | None":
        """Makes the report of a value from outside; None if it is finite."""
        value = None if array.dtype.kind in "biuSOU" else summary_of(array)
        if value is None or not value.counts:
            return None
        wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
        index = np.argwhere(~np.isfinite(wide))[0].tolist()
        found = object.__new__(cls)
        found.op = found.kernel = found.where_line = ""
        found.direction, found.line, found.value = INPUT, line, value
        found.operands, found.upstream, found._at_index = {}, {}, {}
        found.index, found.iterations, found.first_nan = tuple(index), (), None
        found.advice, found._place, found._name = CURE_INPUT, 0, name
        return found

    def _heading(self) -> str:
        kinds = " and ".join(self.value.counts)
        where = f", at {text_of_line(self.line)}" if self.line else ""
        if self.direction == INPUT:
            return f"{kinds} in {self._name}, a value from outside{where}"
        if self.direction == FORWARD:
            return f"{kinds} in the result of {self.op}{where}"
        return f"{kinds} in the gradient of {self.op} for operand {self._place}{where}"

    def _lines(self) -> list[str]:
        is_backward = self.direction == BACKWARD
        element = f"[{', '.join(map(str, self.index))}]" if self.index else ""
        first = f", the first at {element}" if element else ""
        if self.direction == INPUT:
            return [f"value: {self.value}{first}"]
        lines = []
        if self.iterations:
            counted = ", ".join(map(str, self.iterations))
            lines.append(f"in iteration {counted} of the loop (counted from 0)")
        lines.append(f"{'gradient' if is_backward else 'result'}: {self.value}{first}")
        groups = ((OPERAND, "operand", self.operands), (RESULT, "upstream gradient", self.upstream))
        for side, name, values in groups:
            for number, value in values.items():
                there = self._at_index.get((side, number))
                there_text = "" if there is None or not element else f"; {there:.6g} at {element}"
                lines.append(f"{name} {number}: {value}{there_text}")
        if self.where_line:
            lines.append(f"not taken by tf.where, at {text_of_line(self.where_line)}")
        return lines

    def __repr__(self) -> str:
        lines = [self._heading(), *(f"    {line}" for line in self._lines())]
        lines += textwrap.wrap(self.advice, TEXT_WIDTH, initial_indent="  ", subsequent_indent="  ")
        if self.first_nan is not None:
            lines += textwrap.wrap(
                f"The first NaN: {self.first_nan._heading()}", TEXT_WIDTH,
                initial_indent="  ", subsequent_indent="  ",
            )  # fmt: skip
        return "\n".join(lines)


def _advice(origin: Origin) -> str:
    """Returns the usual cure."""
    operation = origin.step.operation
    cure = _OF_NAMES.get(operation.name) or _OF_KERNELS.get(operation.kernel, "")
    lows = [value.low for value in origin.operands.values() if value.low is not None]
    is_nan = "NaN" in origin.value.counts
    if origin.direction == FORWARD and is_nan and any(low < 0 for low in lows):
        cure = _NEGATIVE.get(operation.kernel, cure)
    if is_nan and operation.kernel in _QUOTIENTS and origin.direction == FORWARD:
        cure = _CURE_ZERO_BY_ZERO
    if origin.where_line:
        if origin.direction == BACKWARD:
            why = "The other value is taken there, so the gradient that arrives is 0, and 0 times "
            why += "the infinite derivative is NaN. "
        else:
            why = (
                "The other value is taken there, but the gradient is not: 0 times infinity is NaN. "
            )
        return why + CURE_WHERE.format(call=_call_on_safe(origin))
    given = (*origin.operands.values(), *origin.upstream.values())
    if is_nan and any(value.counts for value in given):
        is_masked = origin.step.operation.kernel in _SOFTMAXES and origin.direction == FORWARD
        return (
            _CURE_SOFTMAX if is_masked and origin.operands[0].counts.get("-Inf") else _CURE_INFINITY
        )
    if origin.value.type.startswith("float16") and not is_nan:
        return CURE_HALF
    return cure


def _call_on_safe(origin: Origin) -> str:
    """Returns the op as a call of what is safe, in the place of the operand that is not."""
    if len(origin.step.inputs) == 1:
        return f"{origin.op}(safe)"
    if origin.step.operation.kernel in _QUOTIENTS:
        return "y / safe"
    return f"{origin.op}(safe, y)"


def first_of(origins: Sequence[Origin]) -> NonFinite | None:
    """Returns the report of the first of some origins, with the first NaN after it."""
    if not origins:
        return None
    first, *later = origins
    nan = None
    if "NaN" not in first.value.counts:
        nan = next((NonFinite(one) for one in later if "NaN" in one.value.counts), None)
    return NonFinite(first, nan)
