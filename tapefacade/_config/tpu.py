"""TPUs (`tf.tpu`), and scopes of TensorFlow that change nothing here, as `async_scope`."""

import collections
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._config.devices import LogicalDevice, list_logical_devices, list_physical_devices
from tapefacade._core.tensor import hinted
from tapefacade._definition.op import function

MESSAGE_NO_NAME = "Please provide a TPU Name to connect to."


@function("experimental.async_scope")
@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """Opens a block whose ops may run later than they are called, as all ops may.

    >>> with tf.experimental.async_scope():
    ...     x = tf.constant(1.0)
    """
    yield


@function("experimental.async_clear_error")
def async_clear_error() -> None:
    """Does nothing: an error of an op keeps no other op from running.

    >>> tf.experimental.async_clear_error()
    """


@function("experimental.function_executor_type")
@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Opens a block; there is one way to run functions.

    Args:
        executor_type: ignored.

    >>> with tf.experimental.function_executor_type(None):
    ...     x = tf.constant(1.0)
    """
    yield


@function("xla.experimental.jit_scope")
@contextlib.contextmanager
def jit_scope(
    compile_ops: bool = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """Opens a block whose ops XLA compiles, as it compiles all ops.

    Args:
        compile_ops: ignored.
        separate_compiled_gradients: ignored.

    >>> with tf.xla.experimental.jit_scope():
    ...     x = tf.constant(1.0)
    """
    yield


@function("xla.experimental.compile")
def compile(computation: Callable[..., Any], inputs: Any = None) -> Any:
    """Calls a function; XLA compiles its ops, as it compiles all ops.

    Args:
        computation: the function.
        inputs: a list of its arguments.

    Returns:
        What it returns; a list with it if it is a single tensor.

    >>> tf.xla.experimental.compile(tf.square, [3.0])[0].numpy()
    np.float32(9.0)
    """
    result = computation(*(inputs or ()))
    return result if result is None or isinstance(result, list | tuple | dict) else [result]


@function("tpu.experimental.initialize_tpu_system")
def initialize_tpu_system(cluster_resolver: Any = None) -> list[LogicalDevice]:
    """Returns the TPUs, which JAX has made ready.

    Unlike TensorFlow, the result is a list of devices instead of a topology.

    Args:
        cluster_resolver: ignored.

    Raises:
        ValueError: if there is none.

    >>> tf.tpu.experimental.initialize_tpu_system()
    Traceback (most recent call last):
    ValueError: Please provide a TPU Name to connect to...
    """
    _check_tpus()
    return list_logical_devices("TPU")


@function("tpu.experimental.shutdown_tpu_system")
def shutdown_tpu_system(cluster_resolver: Any = None) -> None:
    """Does nothing: JAX lets go of TPUs when the process ends.

    Args:
        cluster_resolver: ignored.

    Raises:
        ValueError: if there is no TPU.

    >>> tf.tpu.experimental.shutdown_tpu_system()
    Traceback (most recent call last):
    ValueError: Please provide a TPU Name to connect to...
    """
    _check_tpus()


def _check_tpus() -> None:
    if not list_physical_devices("TPU"):
        raise hinted(ValueError(MESSAGE_NO_NAME), "JAX sees no TPU here.")


@function("sysconfig.get_build_info")
def get_build_info() -> collections.OrderedDict[str, Any]:
    """Returns what devices programs can use.

    >>> tf.sysconfig.get_build_info()["is_tensorrt_build"]
    False
    """
    gpus = bool(list_physical_devices("GPU"))
    return collections.OrderedDict(is_cuda_build=gpus, is_rocm_build=False, is_tensorrt_build=False)
