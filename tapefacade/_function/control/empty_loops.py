"""Loops over nothing in functions: TensorFlow has traced their bodies, which tell shapes."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core.random_keys import body_draws, current_places, rehearsing, return_to
from tapefacade._function.function.tracing import record_body
from tapefacade._ops.array.tensor_array import TensorArray, unchanged_arrays
from tapefacade._trace.frames import ValueWanted


def learn_element_shapes(
    before: Sequence[Any], body: Callable[[], Sequence[Any]], described: Callable[..., Any]
) -> None:
    """Tells arrays what shape the elements have that the body of a loop would write.

    Args:
        before: what the loop changes, arrays and other values.
        body: runs an iteration; returns what is there after it, in the same order.
        described: the body, for messages.
    """
    arrays = [value for value in before if isinstance(value, TensorArray)]
    if all(array.element_shape.is_fully_defined() for array in arrays):
        return
    after: list[Any] = []
    places = current_places()

    def run(_: Any) -> None:
        after.extend([getattr(value, "_element_shape", None) for value in body()])

    growing = [array._dynamic_size for array in arrays]
    try:
        for array in arrays:
            array._dynamic_size = True  # one that is empty takes an element
        with (
            unchanged_arrays(), rehearsing(), body_draws(),
            contextlib.suppress(Exception, ValueWanted),  # of a body that never runs
        ):  # fmt: skip
            record_body(run, described, [])
    finally:
        for array, grows in zip(arrays, growing, strict=True):
            array._dynamic_size = grows
    return_to(places)
    for value, shape in zip(before, after, strict=False):
        if isinstance(value, TensorArray) and shape is not None:
            value._element_shape = shape
