"""What programs may give where a tensor is expected: `tf.types.experimental.TensorLike`."""

from typing import Any, Protocol, runtime_checkable

import numpy as np

from tapefacade._core.tensor import Tensor


@runtime_checkable
class TensorProtocol(Protocol):
    """An object that makes a tensor of itself."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        """Returns the tensor."""
        ...


TensorLike = (
    Tensor | TensorProtocol | int | float | bool | str | bytes | complex | tuple | list
    | np.ndarray | np.generic
)  # fmt: skip
