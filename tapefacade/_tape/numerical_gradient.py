"""Gradients compared with differences of values: `tf.test.compute_gradient`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._tape.tape import GradientTape

DEFAULT_DELTA = 1.0 / 1024


def _numbers(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns the elements as a vector of real numbers that shares the array's memory."""
    return array.reshape(-1).view(array.real.dtype)


def _theoretical(
    call: Callable[..., Any], inputs: list[Any], like: np.ndarray[Any, Any]
) -> list[np.ndarray[Any, Any]]:
    """Computes the Jacobians of all inputs by tapes, one row for each number of the output."""
    with GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        output = call(*inputs)
    upstream = np.zeros_like(like)
    rows = _numbers(upstream)
    found: list[list[Any]] = [[] for _ in inputs]
    for row in range(len(rows)):
        rows[row] = 1
        gradients = tape.gradient(
            output, inputs, from_host(upstream.copy()), unconnected_gradients="zero"
        )
        rows[row] = 0
        for place, gradient in enumerate(gradients):
            found[place].append(convert_to_tensor(gradient))
    return [
        np.stack([_numbers(row.numpy() if row.ndim else row.numpy()[None]) for row in jacobian])
        for jacobian in found
    ]


def _numeric(
    call: Callable[..., Any], inputs: list[Any], place: int, delta: float
) -> np.ndarray[Any, Any]:
    """Computes the Jacobian of one input by central differences."""
    value = np.array(inputs[place]._numpy_array())
    numbers = _numbers(value)
    columns = []
    for column in range(len(numbers)):
        ends = []
        held = numbers[column]
        for step in (delta, -delta):
            numbers[column] = held + step
            moved = [*inputs[:place], from_host(value.copy()), *inputs[place + 1 :]]
            ends.append(_numbers(np.array(call(*moved)._numpy_array())))
        numbers[column] = held
        columns.append((ends[0] - ends[1]) / (2 * delta))
    return np.stack(columns, axis=1).astype(numbers.dtype)


@function("test.compute_gradient")
def compute_gradient(
    f: Callable[..., Any], x: Any, delta: float | None = None
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Computes the Jacobians of a function by tapes, and by differences of its values.

    A complex number counts as two real ones.

    Args:
        f: a function of tensors that returns a tensor.
        x: a list of its arguments.
        delta: by how much the arguments are changed for the differences, 1/1024 by default.

    Returns:
        Two tuples with a matrix for each argument, `[numbers of the result, numbers of the
        argument]`: what tapes give, and what the differences give.

    Raises:
        ValueError: if `x` is no list.

    >>> theoretical, numerical = tf.test.compute_gradient(tf.square, [[1.0, 2.0]])
    >>> theoretical[0]
    array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    if not isinstance(x, list | tuple):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not "
            f"a {type(x)}"
        )
    inputs = [convert_to_tensor(value) for value in x]
    output = f(*inputs)
    like = np.zeros(tuple(output.shape), output.dtype.as_numpy_dtype)
    step = DEFAULT_DELTA if delta is None else delta
    theoretical = _theoretical(f, inputs, like)
    numeric = [_numeric(f, inputs, place, step) for place in range(len(inputs))]
    return tuple(theoretical), tuple(numeric)
