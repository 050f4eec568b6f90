"""How processes join, and what they tell each other outside of programs.

JAX's coordinator is the first process; its collectives on CPUs go over Gloo. What is exchanged here
are a few bytes at a time: the first values of variables, and how large the next batches are.
"""

import contextlib
import io
import random
import socket
from collections.abc import Iterator, Sequence

import jax
import numpy as np

from tapefacade._core.process_group import PROCESSES, bytes_of_chief, exchanged
from tapefacade._core.random_seeds import agree
from tapefacade._core.tensor import hinted
from tapefacade._distribute.worker_connections import by_addresses, by_chief
from tapefacade._distribute.worker_watch import WorkerWatch
from tapefacade._trace.background_compilation import BACKGROUND_COMPILER
from tapefacade._trace.compilation_cache import JAX_CONFIG
from tapefacade._trace.executables import EXECUTABLES

SECONDS_TO_JOIN = 300
HEARTBEAT_SECONDS = 30  # a process that has been silent for so long is taken for dead
SECONDS_TO_SHUT_DOWN = 30 * 86400  # the last one, as a chief that exports, may take its time
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
            with _mortal():
                jax.distributed.initialize(
                    addresses[0], len(addresses), index, initialization_timeout=SECONDS_TO_JOIN,
                    heartbeat_timeout_seconds=HEARTBEAT_SECONDS,
                    shutdown_timeout_seconds=SECONDS_TO_SHUT_DOWN,
                )  # fmt: skip
        except RuntimeError as error:
            if "before any JAX" not in str(error):
                raise
            raise hinted(RuntimeError(MESSAGE_STARTED), HINT_STARTED) from None
        enter()
        WorkerWatch(addresses, index, by_addresses(addresses, index)).start()
    elif PROCESSES.count == 1:
        enter()
        if PROCESSES.count > 1 and (connections := by_chief()) is not None:
            machines = [name.decode() for name in exchanged(socket.gethostname().encode())]
            WorkerWatch(machines, PROCESSES.index, connections).start()


@contextlib.contextmanager
def _mortal() -> Iterator[None]:
    """Makes a block in which JAX does not start to catch SIGTERM, which then ends no process."""
    before = JAX_CONFIG.jax_enable_preemption_service
    JAX_CONFIG.update("jax_enable_preemption_service", False)
    try:
        yield
    finally:
        JAX_CONFIG.update("jax_enable_preemption_service", before)


def enter() -> None:
    """Takes note of the processes that JAX has joined."""
    PROCESSES.count, PROCESSES.index = jax.process_count(), jax.process_index()
    if PROCESSES.count == 1:
        return
    # Which program runs when must not depend on how fast a process is.
    BACKGROUND_COMPILER.is_on = False
    EXECUTABLES.prepare_anew()  # those that are of all processes are to be counted
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
