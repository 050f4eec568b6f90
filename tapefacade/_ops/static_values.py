"""Values that are known before a program runs: all of them, where ops run as they are called."""

from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.op import function

KNOWN = (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)


@function("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Returns the value of a tensor.

    Args:
        tensor: a tensor; numbers and arrays are returned as they are.
        partial: ignored: all of the value is known.

    Returns:
        A NumPy value; None for what is no tensor, such as a variable.

    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    return tensor if isinstance(tensor, KNOWN) else None


@function("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Returns False: every tensor has a value, known or pending.

    Args:
        tensor: any value.

    >>> tf.is_symbolic_tensor(tf.constant(1))
    False
    """
    return False
