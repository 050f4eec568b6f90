"""Tells which transformation of JAX (jit, grad, vmap) the Python that runs is inside of."""

from typing import Any, Final

import jax
from jax.extend import core

set_current_trace = core.set_current_trace
trace_state = core.get_opaque_trace_state  # to be compared, and kept: it keeps no trace


def _taken(_: None) -> Any:
    with core.take_current_trace() as trace:
        return trace


# Returns the trace that the Python which runs now belongs to. JAX may drop the name; without it
# this takes 0.3 us instead of 0.05.
current_trace = getattr(core, "find_top_trace", _taken)
with jax.ensure_compile_time_eval():
    NO_TRACE: Final = current_trace(None)  # of Python that JAX does not transform


def is_within(trace: Any, outer: Any) -> bool:
    """Whether a trace is `outer`, or that of a function that is transformed in it."""
    while trace is not None and trace is not outer:
        trace = getattr(trace, "parent_trace", None)
    return trace is not None
