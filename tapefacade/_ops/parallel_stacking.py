"""`tf.parallel_stack`, which TensorFlow has for graphs only."""

from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._ops.op import NoGradient, TensorList, function, op
from tapefacade._trace.recording import THREAD


@op("_parallel_stack", kernel="ParallelConcat", gradient=NoGradient("ParallelConcat"))
def _parallel_stack(values: TensorList) -> jax.Array:
    """Stacks tensors."""
    shapes = {value.shape for value in values}
    if len(shapes) > 1:
        first = values[0].shape
        other = next(value.shape for value in values if value.shape != first)
        place = next((k for k, (a, b) in enumerate(zip(first, other, strict=False)) if a != b), 0)
        raise ValueError(
            f"Dimension {place + 1} in both shapes must be equal, but are {other[place]} and "
            f"{first[place]}. Shapes are [1,{','.join(map(str, other))}] and "
            f"[1,{','.join(map(str, first))}]."
        )
    return jnp.stack(values)


@function("parallel_stack")
def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """Stacks tensors of the same shape, in a `tf.function`; it has no gradient.

    Args:
        values: the tensors, a list.
        name: ignored.

    Returns:
        A tensor, `[n, ...]`.

    Raises:
        RuntimeError: in eager code.
        ValueError: if the shapes differ.

    >>> tf.function(lambda x: tf.parallel_stack([x, x]))(tf.constant([1, 2])).numpy()
    array([[1, 2],
           [1, 2]], dtype=int32)

    See https://www.tensorflow.org/api_docs/python/tf/parallel_stack.
    """
    if not THREAD.functions:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    values[0]  # raises IndexError for no tensors
    return _parallel_stack(values)
