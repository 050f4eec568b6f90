"""Where a program is: in the scope of which strategy, and whether in one of its replicas."""

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from tapefacade._core.thread_state import ThreadState


class ReplicaPlace(NamedTuple):
    """Where a thread is.

    Attributes:
        strategy: the strategy.
        replica: the context of its replica; None across the replicas.
    """

    strategy: Any
    replica: Any


class _ReplicaThread(ThreadState):
    """The places that this thread has entered, the innermost last."""

    def __init__(self) -> None:
        self.places: list[ReplicaPlace] = []
        self.lasting: ReplicaPlace | None = None  # the first one, if no block is to end it


THREAD = _ReplicaThread()


@contextlib.contextmanager
def entered(strategy: Any, replica: Any) -> Iterator[Any]:
    """Makes a block in another place."""
    with THREAD.temporarily(places=[*THREAD.places, ReplicaPlace(strategy, replica)]):
        yield strategy


def replica_count() -> int:
    """Returns the number of replicas of the strategy that the program is in the scope of."""
    return THREAD.places[-1].strategy.num_replicas_in_sync if THREAD.places else 1


def current_replica() -> Any:
    """Returns the context of the replica that runs, if it is one of several; else None."""
    if not THREAD.places:
        return None
    replica = THREAD.places[-1].replica
    return replica if replica is not None and replica.num_replicas_in_sync > 1 else None


def is_in_replica() -> bool:
    """Whether the thread is in a replica: in a function that a strategy runs."""
    return bool(THREAD.places) and THREAD.places[-1].replica is not None


def is_in_run() -> bool:
    """Whether a strategy runs a function in several replicas now, also in a `merge_call`."""
    return any(p.replica is not None and p.replica.num_replicas_in_sync > 1 for p in THREAD.places)
