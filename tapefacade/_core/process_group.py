"""The processes that run one program together: how many there are, and which one this is."""


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
