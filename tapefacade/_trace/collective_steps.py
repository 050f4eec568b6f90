"""What a program does together with the other replicas, as a text that processes compare."""

import zlib
from collections.abc import Iterator

from tapefacade._trace.program_listing import type_text
from tapefacade._trace.slices import Slice, bodies_of

MAX_NAMED = 3  # of the collectives of a program; the others are counted


def collectives_text(part: Slice) -> str:
    """Returns a text of the collectives of a program in their order; "" if there are none.

    Args:
        part: the program.
    """
    found = list(_collectives(part))
    more = len(found) - MAX_NAMED
    rest = f" and {more} more ({zlib.crc32(repr(found).encode()):08x})" if more > 0 else ""
    return ", ".join(found[:MAX_NAMED]) + rest


def _collectives(part: Slice) -> Iterator[str]:
    for step in part.steps:
        if step.operation.is_collective:
            yield f"{step.operation.name} of {', '.join(map(type_text, step.types))}"
        for body in bodies_of(step.operation):
            yield from _collectives(body)
