"""The processes that run one program together: how many there are, and which one this is."""

from jax.experimental import multihost_utils


class ProcessGroup:
    """What a process knows of those that run the same program.

    Attributes:
        count: how many there are; 1 unless a strategy has joined them.
        index: the number of this one; that of the chief is 0.
    """

    def __init__(self) -> None:
        self.count = 1
        self.index = 0

    @property
    def is_chief(self) -> bool:
        """Whether this process writes what all of them would write."""
        return self.index == 0


PROCESSES = ProcessGroup()


def barrier(name: str) -> None:
    """Waits until all processes have come here.

    Args:
        name: tells this place from others.

    Raises:
        AssertionError: if one of them has come to another place.
    """
    if PROCESSES.count > 1:
        multihost_utils.sync_global_devices(name)
