"""The errors about shapes and dtypes that many ops share."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes, errors


def brackets(shape: Sequence[int]) -> str:
    """Writes a shape as TensorFlow's kernels do.

    >>> brackets((2, 3))
    '[2,3]'
    """
    return "[" + ",".join(str(size) for size in shape) + "]"


def check_broadcast(x: Any, y: Any) -> tuple[int, ...]:
    """Checks that two arrays can be combined element by element.

    Args:
        x: an array, or what has a `shape`.
        y: another one.

    Returns:
        The common shape.

    Raises:
        InvalidArgumentError: if two sizes differ and neither is 1.
    """
    if x.shape == y.shape:
        return x.shape
    try:
        return np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise errors.InvalidArgumentError(
            None, None, f"Incompatible shapes: {brackets(x.shape)} vs. {brackets(y.shape)}"
        ) from None


def refuse_dtype(x: Any, kernel: str, allowed: Sequence[str]) -> None:
    """Refuses an array whose dtype a kernel does not have.

    For ops whose kernel depends on the dtype; the others say `dtypes=` in their definition.

    Args:
        x: an array.
        kernel: TensorFlow's name of the kernel.
        allowed: the names of its dtypes.

    Raises:
        InvalidArgumentError: if the dtype of `x` is not among them.
    """
    name = dtypes.from_numpy(np.dtype(x.dtype)).kernel_name
    if name not in allowed:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Value for attr 'T' of {name} is not in the list of allowed values: "
            f"{', '.join(allowed)}\n\t; NodeDef: {{{{node {kernel}}}}}",
        )


def refuse_missing_kernel(x: Any, kernel: str, kind: Any) -> None:
    """Refuses what TensorFlow's op accepts by its dtype, but has no kernel for.

    Args:
        x: an array.
        kernel: TensorFlow's name of the kernel.
        kind: the abstract NumPy type without a kernel, such as `np.complexfloating`.

    Raises:
        NotFoundError: if the dtype of `x` is of that kind.
    """
    if jnp.issubdtype(x.dtype, kind):
        enum = f"DT_{dtypes.from_numpy(np.dtype(x.dtype)).kernel_name.upper()}"
        raise errors.NotFoundError(
            None,
            None,
            f"Could not find device for node: {{{{node {kernel}}}}} = {kernel}[T={enum}]",
        )
