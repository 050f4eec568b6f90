"""`tf.device`: the device that ops of a block run on, and what happens if it is not there."""

import threading
from typing import Any

import numpy as np

from tapefacade._config.devices import LogicalDevice, jax_devices
from tapefacade._core.device_spec import DeviceSpec
from tapefacade._core.error_texts import invalid
from tapefacade._core.placement import (
    PLACED,
    Placement,
    default_device,
    note_device,
)
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tracebacks import with_short_tracebacks
from tapefacade._core.value_text import name_of_device
from tapefacade._trace.recording import THREAD

LOCAL_CPU = DeviceSpec("localhost", 0, 0, "CPU", 0)
ANY = DeviceSpec()
MESSAGE_MISSING = (
    "Could not satisfy device specification '{}'. enable_soft_placement=0. Supported device types "
    "{}. All available devices {}."
)
MESSAGE_MISSING_IN_FUNCTION = "Unable to find any devices for spec {}"


class _SoftPlacement:
    is_on = True


@with_short_tracebacks
class device:  # noqa: N801 - TensorFlow's name
    """A block whose ops run on a device: their results are there, and variables made in it.

    Values from other devices are copied as they are needed. A variable stays where it was made.
    A device that is not there is taken as the default one, unless
    `tf.config.set_soft_device_placement(False)` makes that an error.

    Unlike TensorFlow, all of a function runs on the device of the block in which it is called, as
    one program: blocks within it decide only where variables made there belong, and which devices
    there must be. And a device that must be there is missed where the block begins, not at its
    first op.

    What is pending is computed where a block of another device begins or ends.

    Args:
        device_name: a name such as "CPU:0", "/GPU:1" or "/device:GPU:0", a `tf.DeviceSpec`, or a
            device of `tf.config.list_logical_devices`. What it does not say, the block around it
            does; None for the default device.

    Raises:
        ValueError: if the name is no device's name.
        InvalidArgumentError: if it is one of another process, or the device is not there and has to
            be.
        RuntimeError: if it is a function.

    >>> with tf.device("CPU:0"):
    ...     x = tf.constant(1.0)
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'

    See https://www.tensorflow.org/api_docs/python/tf/device.
    """

    def __init__(self, device_name: Any) -> None:
        self._spec = None if device_name is None else _spec_of(device_name)
        self._before: list[tuple[DeviceSpec, Any, Any, Any]] = []

    def __enter__(self) -> None:
        outer = _BLOCKS.spec
        spec = ANY if self._spec is None else outer.make_merged_spec(self._spec)
        found = _found(spec)
        chosen = None if found is None or found is default_device() else found
        before = outer, PLACED.device, PLACED.home, chosen
        _BLOCKS.spec, PLACED.home = spec, chosen
        if chosen is not None:
            open_block(chosen)
        self._before.append(before)
        if not THREAD.functions:
            _switch(chosen)

    def __exit__(self, *exception: object) -> None:
        _BLOCKS.spec, device, PLACED.home, chosen = self._before.pop()
        if chosen is not None:
            close_block(chosen)
        if not THREAD.functions:
            _switch(device)


class _Blocks(threading.local):
    """What the blocks of a thread say together."""

    spec = ANY


_BLOCKS = _Blocks()


def spec_of_blocks() -> DeviceSpec:
    """Returns what the `tf.device` blocks of this thread say, as a whole name; empty outside."""
    return ANY if _BLOCKS.spec == ANY else LOCAL_CPU.make_merged_spec(_BLOCKS.spec)


def _switch(device: Any) -> None:
    """Lets programs of this thread run on another device from now on; None: the default one."""
    if PLACED.device is device:
        return
    try:
        THREAD.recording.raise_asserted()
    finally:
        PLACED.device = device


def _spec_of(name: Any) -> DeviceSpec:
    if isinstance(name, LogicalDevice):
        name = name.name
    if callable(name):
        raise RuntimeError("tf.device does not support functions.")
    if not isinstance(name, str | DeviceSpec):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
    spec = DeviceSpec.from_string(name) if isinstance(name, str) else name
    if spec.job not in (None, "localhost") or spec.task or spec.replica:
        whole = LOCAL_CPU.make_merged_spec(spec).to_string()
        raise invalid(f"{whole} unknown device.")
    return spec


def _found(spec: DeviceSpec) -> Any:
    """Returns JAX's device of a name; None for the default one.

    Raises:
        InvalidArgumentError: if it is not there, and has to be.
    """
    if spec.device_type is None:
        return None
    kind = spec.device_type.upper()
    devices = jax_devices(kind)
    index = spec.device_index or 0
    if index < len(devices):
        if spec.device_index is None and default_device() in devices:
            return None  # any of this kind
        return devices[index]
    if not _SoftPlacement.is_on:
        raise _missing(spec)
    return None


def other_device(name: str) -> Any:
    """Returns JAX's device of a name, as a block takes it; None if it is the default one.

    Raises:
        InvalidArgumentError: if it is not there, and has to be.
    """
    found = _found(_spec_of(name))
    return None if found is default_device() else found


def _missing(spec: DeviceSpec) -> Exception:
    if THREAD.functions:
        return invalid(MESSAGE_MISSING_IN_FUNCTION.format(spec.to_string()))
    kinds = [kind for kind in ("CPU", "GPU", "TPU") if jax_devices(kind)]
    names = [name_of_device(device) for kind in kinds for device in jax_devices(kind)]
    wanted = LOCAL_CPU.make_merged_spec(spec).to_string()
    texts = [f"[{', '.join(found)}]" for found in (kinds, names)]
    return invalid(MESSAGE_MISSING.format(wanted, *texts))


# While a block names another device, values that stay on the host take note of it.

_LOCK = threading.Lock()
_OPEN: list[Any] = []  # the devices of such blocks, of all threads
_PLAIN_INIT = EagerTensor.__init__


def _noting_init(tensor: EagerTensor, type_: Any, value: Any, recording: Any, slot: int) -> None:
    _PLAIN_INIT(tensor, type_, value, recording, slot)
    if PLACED.device is not None and recording is None and type(value) is np.ndarray:
        note_device(tensor, PLACED.device)


def open_block(device: Any) -> None:
    """Notes that a block begins which names another device than the default one."""
    with _LOCK:
        Placement.is_used = True
        _OPEN.append(device)
        EagerTensor.__init__ = _noting_init  # type: ignore[method-assign]


def close_block(device: Any) -> None:
    """Notes that such a block has ended."""
    with _LOCK:
        _OPEN.remove(device)
        if not _OPEN:
            EagerTensor.__init__ = _PLAIN_INIT


def set_soft_device_placement(enabled: bool) -> None:
    """Says whether a block of a device that is not there takes the default one, as at first.

    Args:
        enabled: False to make it an error.

    >>> tf.config.set_soft_device_placement(True)
    """
    _SoftPlacement.is_on = bool(enabled)


def get_soft_device_placement() -> bool:
    """Returns what `set_soft_device_placement` was told, True at first.

    >>> tf.config.get_soft_device_placement()
    True
    """
    return _SoftPlacement.is_on
