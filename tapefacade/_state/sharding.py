"""Shardings of variables, which say on which devices their values lie: checked and applied."""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from tapefacade._core.logging import warn
from tapefacade._core.placement import default_device, note_device
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD

MESSAGE_KIND = (
    "The `sharding` of a variable must be a jax.sharding.NamedSharding, but got {}: {}. Write "
    "NamedSharding(mesh, PartitionSpec(...)), with the name of an axis of the mesh, or None, for "
    "each axis of the variable."
)
MESSAGE_RANK = (
    "A value of shape {} has {} axes, but its sharding {} names {}. Write one entry for each axis, "
    "None for those that are not divided."
)
MESSAGE_DIVISION = (
    "Axis {} of a value of shape {} cannot be divided into {} equal parts, as its sharding {} over "
    "a mesh {} says. Choose a size that is a multiple of {}, or None for that axis."
)
MESSAGE_TEXTS = "A variable of dtype string lies on the host: it has no `sharding`."
MESSAGE_DEVICES_MISSING = (
    "Variable %s was pickled with the sharding %s over %s devices, which are not all here: its "
    "value lies on one device. Give it a sharding of this machine: "
    "tf.Variable(variable, sharding=...)."
)


class ShardingConstraint(Operation):
    """Passes a value on, laid out over the devices as the static parameter says."""

    name = "_with_sharding"
    kernel = "Identity"

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return tuple(types), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return [jax.lax.with_sharding_constraint(arrays[0], static[0])]


WITH_SHARDING = ShardingConstraint()


def checked_sharding(sharding: Any, shape: tuple[int, ...]) -> NamedSharding:
    """Returns a sharding for values of a shape, as the compiler's choice within a program.

    Args:
        sharding: what the user has given.
        shape: the shape.

    Returns:
        The sharding, over a mesh whose axes are all `AxisType.Auto`: within a program the compiler
        divides the values in between.

    Raises:
        TypeError: if it is no NamedSharding.
        ValueError: if the shape cannot be divided so.
    """
    if not isinstance(sharding, NamedSharding):
        raise TypeError(MESSAGE_KIND.format(type(sharding).__name__, sharding))
    _check_shape(sharding, shape)
    mesh: Any = sharding.mesh
    entries = tuple(sharding.spec)
    while entries and entries[-1] is None:
        entries = entries[:-1]  # as in the results of compiled programs, which are arguments again
    automatic = Mesh(
        mesh.devices, mesh.axis_names, axis_types=(AxisType.Auto,) * len(mesh.axis_names)
    )
    return NamedSharding(automatic, PartitionSpec(*entries), memory_kind=sharding.memory_kind)


@functools.lru_cache(maxsize=1024)
def _check_shape(sharding: NamedSharding, shape: tuple[int, ...]) -> None:
    spec = sharding.spec
    if len(spec) > len(shape):
        raise ValueError(MESSAGE_RANK.format(shape, len(shape), spec, len(spec)))
    sizes = dict(sharding.mesh.shape)
    for axis, names in enumerate(spec):
        named = names if isinstance(names, tuple) else () if names is None else (names,)
        parts = int(np.prod([sizes[name] for name in named], dtype=np.int64))
        if shape[axis] % parts:
            raise ValueError(MESSAGE_DIVISION.format(axis, shape, parts, spec, sizes, parts))


def placed(tensor: EagerTensor, sharding: NamedSharding) -> EagerTensor:
    """Returns a tensor with the value of another one, laid out over the devices.

    Args:
        tensor: the tensor. If it is known, its parts are sent to the devices; if it is pending, the
            program that computes it lays it out.
        sharding: the layout.

    Raises:
        ValueError: if its shape cannot be divided so.
    """
    if type(tensor) is not EagerTensor:
        raise ValueError(MESSAGE_TEXTS)
    _check_shape(sharding, tensor._type.shape)
    recording, value = THREAD.recording, tensor._value
    is_known = isinstance(value, np.ndarray | jax.Array) and not isinstance(value, Tracer)
    if is_known and recording.frame is None and recording.enclosing is None:
        return sent(tensor, sharding)
    return _recorded(tensor, sharding)


def laid_out(tensor: EagerTensor, sharding: NamedSharding) -> EagerTensor:
    """Does what `placed` does, in a way that gradients pass where a tape records.

    Args:
        tensor: the tensor.
        sharding: the layout.

    Raises:
        ValueError: if its shape cannot be divided so.
    """
    if type(tensor) is not EagerTensor or not THREAD.recording.blocks:
        return placed(tensor, sharding)
    _check_shape(sharding, tensor._type.shape)
    return _recorded(tensor, sharding)


def _recorded(tensor: EagerTensor, sharding: NamedSharding) -> EagerTensor:
    recording = THREAD.recording
    slot = tensor._slot if tensor._recording is recording else recording.leaf(tensor)
    (result,) = recording.apply(WITH_SHARDING, (sharding,), (slot,), [tensor._type])
    return result


def sent(tensor: EagerTensor, sharding: NamedSharding) -> EagerTensor:
    """Returns a known tensor whose parts lie on the devices; itself if they do already."""
    value = tensor._value
    if isinstance(value, jax.Array) and value.sharding == sharding:
        return tensor
    with jax.enable_x64(True):
        if not sharding.is_fully_addressable and _is_here(value):
            host = np.asarray(value)  # all processes have it, and none needs the others for it
            held = jax.make_array_from_callback(host.shape, sharding, host.__getitem__)
        else:
            held = jax.device_put(value, sharding)
        return EagerTensor(tensor._type, held, None, 0)


def _is_here(value: Any) -> bool:
    """Whether this process has the whole of a value."""
    return not isinstance(value, jax.Array) or (
        value.is_fully_addressable or value.is_fully_replicated
    )


def at_home(tensor: EagerTensor, home: Any) -> EagerTensor:
    """Returns a tensor on the device that a variable belongs to, if its value is known.

    Args:
        tensor: the tensor. One that is pending is sent there when it is computed.
        home: the device; None: the default one.
    """
    value, device = tensor._value, home or default_device()
    if isinstance(value, np.ndarray):
        if vars(tensor).get("_noted_device") is device:
            return tensor
        copied = type(tensor)(tensor._type, value, None, 0)
        note_device(copied, device)
        return copied
    if not isinstance(value, jax.Array) or isinstance(value, Tracer) or value.devices() == {device}:
        return tensor
    with jax.enable_x64(True):
        return EagerTensor(tensor._type, jax.device_put(value, device), None, 0)


def pickled_sharding(sharding: NamedSharding | None) -> Any:
    """Returns a sharding as what can be pickled: its devices by their platform and number."""
    if sharding is None:
        return None
    mesh: Any = sharding.mesh
    devices = [(device.platform, device.id) for device in mesh.devices.flat]
    return mesh.axis_names, mesh.devices.shape, devices, tuple(sharding.spec), sharding.memory_kind


def unpickled_sharding(pickled: Any, name: str) -> NamedSharding | None:
    """Returns a sharding again; None if a device of it is not there, which a message says."""
    if pickled is None:
        return None
    names, shape, wanted, spec, memory_kind = pickled
    found = {(device.platform, device.id): device for device in jax.devices()}
    if not found.keys() >= set(wanted):
        warn(MESSAGE_DEVICES_MISSING, name, PartitionSpec(*spec), len(wanted))
        return None
    devices = np.array([found[device] for device in wanted]).reshape(shape)
    mesh = Mesh(devices, names, axis_types=(AxisType.Auto,) * len(names))
    return NamedSharding(mesh, PartitionSpec(*spec), memory_kind=memory_kind)
