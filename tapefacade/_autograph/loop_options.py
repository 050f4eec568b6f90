"""The options of a loop: what `tf.autograph.experimental.set_loop_options` is called with."""

from typing import Any

from tapefacade._core.error_texts import MESSAGE_PARALLEL_ITERATIONS
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.type_spec import TypeSpec
from tapefacade._function.control.while_loop import iteration_limit

UNSPECIFIED = object()  # in the place of an option that is not given


def checked_limit(options: dict[str, Any]) -> int | None:
    """Checks the options of a loop.

    Args:
        options: those that are given, by name.

    Returns:
        The largest number of iterations, if there is one.

    Raises:
        TypeError: if there are no parallel iterations, or the others are no integer.
        ValueError: if what is known of shapes is no list of pairs.
    """
    if options.get("parallel_iterations", 1) < 1:
        raise TypeError(MESSAGE_PARALLEL_ITERATIONS)
    for _, shape in options.get("shape_invariants", ()):
        if not isinstance(shape, TypeSpec | TensorShape | None):
            raise TypeError(
                f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(shape)}"
            )
    limit = iteration_limit(options.get("maximum_iterations"), is_graph=True)
    return None if limit is None else int(limit)
