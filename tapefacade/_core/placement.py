"""On which of several devices programs run and values lie: what `tf.device` chooses.

Nothing of this costs anything as long as no block has named another device than the default one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from tapefacade._core.thread_state import ThreadState
from tapefacade._core.value_text import device_of, name_of_device

JAX_CONFIG: Any = jax.config  # its attributes are not declared


class Placement:
    """Whether devices have been chosen in this process.

    Attributes:
        is_used: whether a block has ever named another device than the default one.
    """

    is_used = False


class _PlacementThread(ThreadState):
    """What the blocks of this thread have chosen.

    Attributes:
        device: JAX's device that programs run on; None: the default one.
        home: JAX's device that new variables belong to: in functions, too, all of which runs on the
            device of who calls them.
        running: whether a program is being run there.
    """

    device: Any = None
    home: Any = None
    running = False


PLACED = _PlacementThread()


def default_device() -> Any:
    """Returns the device that JAX runs programs on if nobody has chosen one."""
    chosen = JAX_CONFIG.jax_default_device
    if chosen is None or isinstance(chosen, str):
        return jax.local_devices(backend=chosen)[0]
    return chosen


def current_device() -> Any:
    """Returns the device that the programs of this thread run on."""
    return PLACED.device or default_device()


def is_on(platform: str) -> bool:
    """Returns whether programs of this thread run on a kind of device, by JAX's name of it."""
    return current_device().platform == platform


@contextmanager
def running_on(device: Any) -> Iterator[None]:
    """Makes a block in which JAX runs on a device what has no arguments from another one."""
    with PLACED.temporarily(running=True), jax.default_device(device):
        yield


def brought_together(
    values: Sequence[Any], device: Any, within: Sequence[NamedSharding] = ()
) -> list[Any]:
    """Returns the arguments of a program where it runs.

    Args:
        values: the arguments.
        device: where it runs, unless a value is laid out over a mesh: then on its devices.
        within: how values are divided that the program computes.
    """
    shardings = [value.sharding for value in values if isinstance(value, jax.Array)]
    divided = [sharding for sharding in shardings if isinstance(sharding, NamedSharding)]
    divided += within
    target = device
    if divided:
        mesh = max(divided, key=lambda sharding: len(sharding.device_set)).mesh
        target = NamedSharding(mesh, PartitionSpec())
    wanted = {device} if target is device else target.device_set
    return [
        jax.device_put(value, target)
        if isinstance(value, jax.Array) and value.sharding.device_set != wanted
        else value
        for value in values
    ]


def on_current_device(value: Any) -> Any:
    """Returns a known value as an array on the device that programs of this thread run on."""
    with jax.enable_x64(True):
        if isinstance(value, np.ndarray):
            return jax.device_put(value, current_device())
        return brought_together([value], current_device())[0]


def device_name(tensor: Any) -> str:
    """Returns TensorFlow's name of the device that a tensor lies on, or will."""
    of_replica = vars(tensor).get("_device_of_replica")
    if of_replica is not None:
        return of_replica
    if not Placement.is_used:
        return device_of(tensor._value)
    noted = vars(tensor).get("_noted_device")
    if noted is not None:
        return name_of_device(noted)
    if tensor._value is None:
        return name_of_device(current_device())
    return device_of(tensor._value)


def name_devices(tensors: Sequence[Any], names: Sequence[str]) -> None:
    """Says that values are on the devices of replicas: rows of a tensor that is on all of them."""
    for tensor, name in zip(tensors, names, strict=False):
        vars(tensor)["_device_of_replica"] = name


def note_device(tensor: Any, device: Any) -> None:
    """Notes on which device a program believes a value to be."""
    vars(tensor)["_noted_device"] = device
