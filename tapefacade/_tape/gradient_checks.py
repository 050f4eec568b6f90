"""Recorded derivatives compared with differences of values: `tf.debugging.check_gradients`.

The derivative of order n is compared with the differences of the one of order n - 1, which tapes
give: an error shows at the order at which it is made, and is no sum of rounding errors.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import MESSAGE_ARGUMENTS
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.copying import zeros_like
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._state.variable import ARGUMENT, Variable
from tapefacade._tape.gradient_paths import nodes_within
from tapefacade._tape.tape import GradientTape, start_at_function
from tapefacade._trace.program_listing import function_in_sentence, op_name, place_of
from tapefacade._trace.tree import Node

MAX_ORDER = 3
# Relative steps and tolerances of central differences, by the dtype: the cube root of the precision
# for the step, and what is left of the digits then.
STEP_SIZES = {"float64": 1e-5, "float32": 1e-2}
TOLERANCES = {"float64": 1e-6, "float32": 2e-2}
MAX_ELEMENTS = 4096
MAX_OPS = 8


class GradientCheck(NamedTuple):
    """What was found for the derivative of one order with respect to one argument.

    Attributes:
        order: of the derivative.
        argument: the place of the argument.
        error: the largest difference, relative where the derivative is larger than 1.
        element: where it is in the argument.
        recorded: the derivative there, by tapes.
        numerical: the derivative there, by differences.
        passed: whether they agree.
    """

    order: int
    argument: int
    error: float
    element: tuple[int, ...]
    recorded: float
    numerical: float
    passed: bool

    def __str__(self) -> str:
        where = f"[{', '.join(map(str, self.element))}]" if self.element else ""
        verdict = "agrees" if self.passed else "DIFFERS"
        return (
            f"order {self.order}, argument {self.argument}{where}: recorded {self.recorded:.6g}, "
            f"numerical {self.numerical:.6g}, error {self.error:.2g}: {verdict}"
        )


class GradientChecks:
    """The worst element of each derivative that was compared; shows itself as text.

    Attributes:
        checks: a `GradientCheck` for each order and argument.
    """

    def __init__(self, checks: Sequence[GradientCheck]) -> None:
        self.checks = tuple(checks)

    def __repr__(self) -> str:
        return "\n".join(map(str, self.checks))


class _Derivative:
    """The derivative of some order of a function: a scalar, weighted sum of its elements.

    One random direction stands for all elements of what is differentiated again: an element that is
    wrong is wrong along it as well.
    """

    def __init__(self, call: Callable[..., Any], seed: int) -> None:
        self._call = call
        self._seed = seed
        self._weights: dict[Any, EagerTensor] = {}

    def _weighted(self, value: Any, key: Any) -> Any:
        value = convert_to_tensor(value)
        if key not in self._weights:
            numbers = np.random.default_rng([self._seed, *key]).uniform(0.5, 1.5, value.shape)
            dtype = value.dtype.as_numpy_dtype
            self._weights[key] = from_host(np.array(numbers, dtype))
        return reduce_sum(value * self._weights[key])

    def scalar(self, inputs: Sequence[Any], order: int, tapes: list[GradientTape]) -> Any:
        """Returns the weighted sum of all derivatives of an order; 0 is the value itself."""
        if order == 0:
            return self._weighted(self._call(*inputs), (0, 0))
        found = self.gradients(inputs, order, tapes)
        total: Any = 0.0
        for place, gradient in enumerate(found):
            total = total + self._weighted(gradient, (order, place))
        return total

    def gradients(self, inputs: Sequence[Any], order: int, tapes: list[GradientTape]) -> list[Any]:
        """Returns the derivatives of the weighted sum of those of the order before."""
        with GradientTape(persistent=True) as tape:
            start_at_function(self._call)
            tape.watch(list(inputs))
            value = self.scalar(inputs, order - 1, tapes)
        tapes.append(tape)
        found = tape.gradient(value, list(inputs))
        return [
            zeros_like(x) if g is None else convert_to_tensor(g)
            for x, g in zip(inputs, found, strict=True)
        ]


def _numerical(
    derivative: _Derivative, arrays: list[np.ndarray[Any, Any]], place: int, order: int, step: float
) -> np.ndarray[Any, Any]:
    """Computes the derivative with respect to one argument by central differences."""
    moved = arrays[place].copy()
    flat = moved.reshape(-1)
    result = np.empty(flat.shape, np.float64)
    for element in range(flat.size):
        held = flat[element]
        size = step * max(1.0, abs(float(held)))
        ends, at = [], []
        for sign in (1.0, -1.0):
            flat[element] = held + sign * size
            at.append(float(flat[element]))
            given = [*arrays[:place], moved, *arrays[place + 1 :]]
            inputs = [from_host(array.copy()) for array in given]
            ends.append(float(derivative.scalar(inputs, order - 1, []).numpy()))
        flat[element] = held
        result[element] = (ends[0] - ends[1]) / (at[0] - at[1])
    return result.reshape(moved.shape)


def _suspects(tape: GradientTape, inputs: Sequence[Any]) -> list[str]:
    """Returns the ops that lead from an argument to the result, with their lines."""
    end, window = tape._seen()
    nodes: list[Node] = list(nodes_within(end, window.intervals))[::-1]
    known = {slot for tensor in inputs for slot in tape._slots(tensor)}
    found = []
    for node in nodes:
        if known.isdisjoint(node.inputs):
            continue
        known.update(range(node.first_output, node.end))
        operation = node.operation
        if operation is not None and operation.name == "custom_gradient":
            boundary = None if tape._data is None else tape._data.custom.get(node.first_output)
            which = "" if boundary is None else f" {function_in_sentence(boundary.python)}"
            return [f"{place_of(node)}: its gradient function{which}"]
        if operation is ARGUMENT:
            continue
        found.append(f"{place_of(node)}: {op_name(node)}")
    return found[:MAX_OPS]


@function("debugging.check_gradients")
def check_gradients(
    f: Callable[..., Any],
    args: Any,
    order: int = 1,
    step: float | None = None,
    tolerance: float | None = None,
) -> GradientChecks:
    """Compares the derivatives that tapes give with differences of values.

    TensorFlow has `tf.test.compute_gradient`, of the first order. The derivative of each order is
    compared with differences of the one before it, along a random direction.

    Args:
        f: a function of tensors that returns a tensor, such as one with a `tf.custom_gradient`.
        args: a list of its arguments; float64 ones are compared to 6 digits, float32 to 2.
        order: the highest order of the derivatives that are compared, up to 3.
        step: by how much an argument is changed, relative to it where it is larger than 1.
        tolerance: the error that is allowed.

    Returns:
        A `GradientChecks`, which shows itself as text: the worst element for each order and
        argument.

    Raises:
        AssertionError: if a derivative differs; the text names the worst element, and the lines of
            the ops that lead to it (of a custom gradient where there is one).
        ValueError: if the order is not 1, 2 or 3, `args` is no list, an argument is no real number
            or has more than 4096 elements.

    >>> tf.debugging.check_gradients(tf.sinh, [np.array([0.5, 1.0])], order=2)
    order 1, argument 0[...]: recorded ..., numerical ..., error ...: agrees
    order 2, argument 0[...]: recorded ..., numerical ..., error ...: agrees
    """
    if order not in range(1, MAX_ORDER + 1):
        raise ValueError(f"`order` must be 1, 2 or 3, not {order!r}")
    if not isinstance(args, list | tuple):
        raise ValueError(MESSAGE_ARGUMENTS.format(type(args)))
    arrays = [_array_of(value) for value in args]
    kind = "float64" if all(array.dtype == np.float64 for array in arrays) else "float32"
    step = STEP_SIZES[kind] if step is None else step
    allowed = TOLERANCES[kind] if tolerance is None else tolerance
    derivative = _Derivative(f, order)
    checks = []
    for current in range(1, order + 1):
        inputs = [from_host(array.copy()) for array in arrays]
        tapes: list[GradientTape] = []
        recorded = [g.numpy() for g in derivative.gradients(inputs, current, tapes)]
        for place, of_tape in enumerate(recorded):
            numerical = _numerical(derivative, arrays, place, current, step)
            check = _compared(current, place, of_tape, numerical, allowed)
            checks.append(check)
            if not check.passed:
                lines = [f"    {text}" for text in _suspects(tapes[0], [inputs[place]])]
                raise AssertionError(
                    "\n".join([f"A gradient is wrong: {check}", "The ops on the way:", *lines])
                )
    return GradientChecks(checks)


def _array_of(value: Any) -> np.ndarray[Any, Any]:
    tensor = value.value() if isinstance(value, Variable) else convert_to_tensor(value)
    array = np.array(tensor.numpy())
    if array.dtype not in (np.float32, np.float64) or array.size > MAX_ELEMENTS:
        raise ValueError(
            f"Derivatives are compared for arguments of float32 or float64 with at most "
            f"{MAX_ELEMENTS} elements, not for {array.dtype}{list(array.shape)}."
        )
    return array


def _compared(
    order: int, place: int, recorded: Any, numerical: np.ndarray[Any, Any], allowed: float
) -> GradientCheck:
    wide = recorded.astype(np.float64)
    if not wide.size:
        return GradientCheck(order, place, 0.0, (), 0.0, 0.0, True)
    error = np.abs(wide - numerical) / np.maximum(1.0, np.abs(numerical))
    error = np.where(np.isfinite(error), error, np.inf)
    index = np.unravel_index(int(np.argmax(error)), error.shape)
    worst = float(error[index])
    return GradientCheck(
        order, place, worst, tuple(int(i) for i in index), float(wide[index]),
        float(numerical[index]), worst <= allowed,
    )  # fmt: skip
