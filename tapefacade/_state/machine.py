"""Questions about the machine, and wishes about devices that have no effect."""

import time

import jax
import numpy as np

from tapefacade._core.annotations import described
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._state.devices import list_physical_devices

_WISHES = {"soft placement": True, "log placement": False}


@described
def timestamp(name: str | None = None) -> EagerTensor:
    """Returns the time since 1970 in seconds.

    Returns:
        A float64 scalar.

    >>> tf.timestamp().dtype
    tf.float64
    """
    return from_host(np.array(time.time()))


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Returns whether JAX sees a GPU.

    Args:
        cuda_only: accepted for TensorFlow's sake.
        min_cuda_compute_capability: accepted for TensorFlow's sake.

    >>> tf.test.is_gpu_available() == bool(tf.config.list_physical_devices("GPU"))
    True
    """
    return bool(list_physical_devices("GPU"))


def gpu_device_name() -> str:
    """Returns the name of the first GPU, or an empty string.

    >>> tf.test.gpu_device_name() in ("", "/device:GPU:0")
    True
    """
    return "/device:GPU:0" if list_physical_devices("GPU") else ""


def is_built_with_cuda() -> bool:
    """Returns whether programs run on an NVIDIA GPU.

    >>> tf.test.is_built_with_cuda() == (jax.default_backend() in ("gpu", "cuda"))
    True
    """
    return jax.default_backend() in ("gpu", "cuda")


def set_soft_device_placement(enabled: bool) -> None:
    """Takes note of a wish about devices.

    Unlike TensorFlow, this changes nothing: a program runs on JAX's default device.

    >>> tf.config.set_soft_device_placement(True)
    """
    _WISHES["soft placement"] = bool(enabled)


def get_soft_device_placement() -> bool:
    """Returns what `set_soft_device_placement` was told, True at first.

    >>> tf.config.get_soft_device_placement()
    True
    """
    return _WISHES["soft placement"]


def set_log_device_placement(enabled: bool) -> None:
    """Takes note of a wish to log devices.

    Unlike TensorFlow, this logs nothing: a program runs on one device, which `tensor.device` names.

    >>> tf.debugging.set_log_device_placement(False)
    """
    _WISHES["log placement"] = bool(enabled)


def get_log_device_placement() -> bool:
    """Returns what `set_log_device_placement` was told, False at first.

    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _WISHES["log placement"]


def enable_eager_execution() -> None:
    """Does nothing: there is no other kind.

    >>> tf.compat.v1.enable_eager_execution()
    """


def enable_v2_behavior() -> None:
    """Does nothing: there is no other behaviour.

    >>> tf.compat.v1.enable_v2_behavior()
    """
