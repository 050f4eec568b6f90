"""How processes join, and what they tell each other outside of programs.

JAX's coordinator is the first process; its collectives on CPUs go over Gloo. What is exchanged here
are a few bytes at a time: the first values of variables, and how large the next batches are.
"""

import io
import random
from collections.abc import Sequence

import jax
import numpy as np

from tapefacade._core.process_group import PROCESSES, bytes_of_chief, exchanged
from tapefacade._core.random_seeds import agree
from tapefacade._core.tensor import hinted
from tapefacade._distribute.worker_watch import WorkerWatch
from tapefacade._trace.background_compilation import BACKGROUND_COMPILER

SECONDS_TO_JOIN = 300
HEARTBEAT_SECONDS = 30  # a process that has been silent for so long is taken for dead
MESSAGE_STARTED = (
    "Collective ops must be configured at program startup: JAX has started its devices already."
)
HINT_STARTED = (
    "Make the strategy before the first op, and before devices are listed: "
    "strategy = tf.distribute.MultiWorkerMirroredStrategy()"
)
Array = np.ndarray


def join(addresses: Sequence[str], index: int) -> None:
    """Makes this process one of several. It waits for the others.

    Args:
        addresses: where the processes are; the first is the chief.
        index: the number of this one.

    Raises:
        RuntimeError: if JAX has started, or not all have come within five minutes.
    """
    if not jax.distributed.is_initialized():
        try:
            jax.distributed.initialize(
                addresses[0], len(addresses), index, initialization_timeout=SECONDS_TO_JOIN,
                heartbeat_timeout_seconds=HEARTBEAT_SECONDS,
            )  # fmt: skip
        except RuntimeError as error:
            if "before any JAX" not in str(error):
                raise
            raise hinted(RuntimeError(MESSAGE_STARTED), HINT_STARTED) from None
        watch = WorkerWatch(addresses, index)
        enter()
        watch.start()
    elif PROCESSES.count == 1:
        enter()


def enter() -> None:
    """Takes note of the processes that JAX has joined."""
    PROCESSES.count, PROCESSES.index = jax.process_count(), jax.process_index()
    if PROCESSES.count == 1:
        return
    # Which program runs when must not depend on how fast a process is.
    BACKGROUND_COMPILER.is_on = False
    seed = np.asarray(random.SystemRandom().getrandbits(63))
    agree(int(from_chief(seed)))


def from_chief(array: Array) -> Array:
    """Returns the chief's array, which has the type of this process's."""
    data = bytes_of_chief(np.ascontiguousarray(array).tobytes())
    return np.frombuffer(data, array.dtype).reshape(array.shape)


def exchanged_arrays(arrays: Sequence[Array]) -> list[list[Array]]:
    """Returns the arrays that each process gives, which may differ in shape."""
    file = io.BytesIO()
    for array in arrays:
        np.lib.format.write_array(file, array, allow_pickle=array.dtype == object)
    found = []
    for data in exchanged(file.getvalue()):
        file = io.BytesIO(data)
        found.append([np.lib.format.read_array(file, allow_pickle=True) for _ in arrays])
    return found
