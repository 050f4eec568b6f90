"""What is true of an op or a function beside what it computes, said once, at its definition.

What other packages need to know of many functions (which apply to the values of ragged and sparse
tensors, which to string tensors, which are a raw op) they read here, so that they keep no lists.
"""

from collections.abc import Callable
from typing import NamedTuple


class OpFacts(NamedTuple):
    """What a definition says of its function.

    Attributes:
        elementwise: how many first arguments are tensors that it takes element by element, after
            broadcasting them; 0 if it computes otherwise.
        keeps_zeros: whether it is 0 at 0, so that sparse tensors stay sparse.
        moves: whether it only moves, repeats and compares elements, whatever they are.
        raw_op: whether `tf.raw_ops` has its kernel with the same names and defaults of arguments.
    """

    elementwise: int = 0
    keeps_zeros: bool = False
    moves: bool = False
    raw_op: bool = False


NO_FACTS = OpFacts()
# path below `tf`, the canonical one -> what its definition says; without those that say nothing
FACTS: dict[str, OpFacts] = {}
_LISTENERS: list[Callable[[str, OpFacts], None]] = []


def state(path: str, facts: OpFacts) -> None:
    """Enters what a definition says."""
    if facts != NO_FACTS:
        FACTS[path] = facts
        for listener in _LISTENERS:
            listener(path, facts)


def for_each(listener: Callable[[str, OpFacts], None]) -> Callable[[str, OpFacts], None]:
    """Calls a function with each path and its facts: those there are, and those of modules to come.

    >>> found = for_each(lambda path, facts: None)
    >>> FACTS["math.sin"]
    OpFacts(elementwise=1, keeps_zeros=True, moves=False, raw_op=True)
    """
    for path, facts in FACTS.items():
        listener(path, facts)
    _LISTENERS.append(listener)
    return listener
