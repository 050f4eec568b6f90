"""Exchange of tensors with other libraries through DLPack, without a copy."""

from typing import Any

import jax

from tapefacade._core.tensor import EagerTensor, from_array
from tapefacade._definition.op import function

CPU = (1, 0)  # DLPack's device type and number


class _Capsule:
    """Gives a bare capsule the protocol that JAX asks for."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU


@function("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor: EagerTensor) -> Any:
    """Returns a DLPack capsule of a tensor's value.

    Args:
        tf_tensor: a tensor.

    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy()
    array([1.], dtype=float32)
    """
    return tf_tensor.__dlpack__()


@function("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule: Any) -> EagerTensor:
    """Makes a tensor of what another library exports.

    Args:
        dlcapsule: an object with `__dlpack__` (an array of NumPy, JAX, PyTorch, ...), or a capsule
            of memory on the CPU.

    Returns:
        A tensor, which may share the memory.

    >>> tf.experimental.dlpack.from_dlpack(np.array([1.0, 2.0])).numpy()
    array([1., 2.])
    """
    exporter = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    with jax.enable_x64(True):
        return from_array(jax.dlpack.from_dlpack(exporter))
