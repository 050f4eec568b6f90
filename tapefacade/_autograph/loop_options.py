"""The options of a loop: what `tf.autograph.experimental.set_loop_options` is called with."""

import sys
from typing import Any

from tapefacade._core.error_texts import MESSAGE_PARALLEL_ITERATIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import as_shape
from tapefacade._core.tracebacks import is_own
from tapefacade._function.control.while_loop import iteration_limit, require_shape

MESSAGE_INVARIANT = (
    "'{}' has shape {} before the loop, which does not conform with the shape invariant {}."
)
UNSPECIFIED = object()  # in the place of an option that is not given


def checked_limit(options: dict[str, Any]) -> int | None:
    """Checks the options of a loop.

    Args:
        options: those that are given, by name.

    Returns:
        The largest number of iterations, if there is one.

    Raises:
        TypeError: if there are no parallel iterations, or the others are no integer.
        ValueError: if what is known of shapes is no list of pairs, or a tensor has another shape.
    """
    if options.get("parallel_iterations", 1) < 1:
        raise TypeError(MESSAGE_PARALLEL_ITERATIONS)
    for value, shape in options.get("shape_invariants", ()):
        require_shape(shape)
        known = as_shape(getattr(shape, "shape", shape))
        if isinstance(value, EagerTensor) and not known.is_compatible_with(value._type.shape):
            raise ValueError(MESSAGE_INVARIANT.format(_name_of(value), value.shape, known))
    limit = iteration_limit(options.get("maximum_iterations"), is_graph=True)
    return None if limit is None else int(limit)


def _name_of(value: Any) -> str:
    """Returns the name of a variable of the user's function that has a value."""
    frame: Any = sys._getframe(1)
    while is_own(frame.f_code.co_filename):
        frame = frame.f_back
    return next((name for name, found in frame.f_locals.items() if found is value), "?")
