"""Values that are known while a function is recorded, though nothing is computed."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._trace.recording import THREAD

# The ops through which TensorFlow follows constants.
STATIC_OPS = (
    "_cast", "_concat", "_fill", "_full", "_range", "_stack", "identity", "math.equal",
    "math.not_equal", "stop_gradient", "unstack",
)  # fmt: skip
# Those through which sizes are followed as well.
ARITHMETIC = (
    "math.add", "math.floordiv", "math.floormod", "math.maximum", "math.minimum", "math.multiply",
    "math.negative", "math.reduce_prod", "math.reduce_sum", "math.subtract", "math.truediv",
)  # fmt: skip


def is_symbolic(tensor: EagerTensor) -> bool:
    """Whether a tensor has no value because a `tf.function` is recorded that makes it."""
    recording: Any = tensor._recording
    if tensor._value is not None or not THREAD.functions:
        return False
    current: Any = THREAD.recording  # a body sees the values of what is around it, too
    while current is not None and current is not recording:
        current = current.enclosing
    if current is None:
        return False
    if recording.frame is None:
        return recording.enclosing is not None
    return recording.enclosing is not None or tensor._slot >= recording.frame.at.end


def static_value(recording: Any, slot: int, partial: bool = False, arithmetic: bool = False) -> Any:
    """Returns the value in a slot of a recorded function if constants decide it, else None.

    Args:
        recording: what has the slot.
        slot: the slot.
        partial: of scalars that are stacked, return those that are known.
        arithmetic: whether what is computed with constants is followed, too.
    """
    leaf = recording.known_at(slot)
    if leaf is not None and leaf._value is not None:
        return leaf._numpy_array()
    node = recording.at
    while node.parent is not None and node.first > slot:
        node = node.parent
    if slot < node.first_output:
        return recording.data.scalars.get(slot)
    operation = node.operation
    followed = STATIC_OPS + ARITHMETIC if arithmetic else STATIC_OPS
    if operation is None or operation.name not in followed:
        return None
    inputs = [static_value(recording, one, arithmetic=arithmetic) for one in node.inputs]
    if any(value is None for value in inputs):
        is_stacked = operation.name == "_stack" and not any(np.ndim(value) for value in inputs)
        if not partial or not is_stacked or all(value is None for value in inputs):
            return None
        return np.array(inputs, object)
    with jax.enable_x64(True):
        results = operation.evaluate([jnp.asarray(value) for value in inputs], node.static)
    return np.asarray(results[slot - node.first_output])
