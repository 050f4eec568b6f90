"""Whether what is traced now is part of a body: of a branch or a loop."""

from tapefacade._core.thread_state import ThreadState


class _BodiesTraced(ThreadState):
    """The bodies that this thread traces, within each other."""

    depth = 0


BODIES_TRACED = _BodiesTraced()


def is_within_body() -> bool:
    """Whether what is traced now may be run, and differentiated, in a loop."""
    return BODIES_TRACED.depth > 0
