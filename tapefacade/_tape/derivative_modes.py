"""Whether a forward or a reverse derivative is being computed, for rules that depend on it.

JAX has no forward mode of a function whose gradient is given (`jax.custom_vjp`), and its loops lose
the rule of a function whose derivative is given (`jax.custom_jvp`) where they are differentiated
twice (0.10). So such an instruction has to know how it is differentiated.
"""

import contextlib
from typing import Final

from tapefacade._core.thread_state import ThreadState

FORWARD_MODE: Final = "forward"
REVERSE_MODE: Final = "reverse"


class _Modes(ThreadState):
    """How what this thread traces now is differentiated."""

    modes: tuple[str, ...] = ()
    rematerializing = False


_MODES = _Modes()


def current_modes() -> tuple[str, ...]:
    """Returns how what is traced now is differentiated: by the outermost derivative first."""
    return _MODES.modes


def in_forward_mode() -> bool:
    """Whether what is traced now is differentiated in forward mode, by any of the derivatives."""
    return FORWARD_MODE in _MODES.modes


def with_modes(modes: tuple[str, ...]) -> contextlib.AbstractContextManager[None]:
    """Makes a block in which these derivatives are computed and no others."""
    return _MODES.temporarily(modes=modes)


def differentiating(*modes: str) -> contextlib.AbstractContextManager[None]:
    """Makes a block that computes derivatives, within those that are computed already."""
    return with_modes((*_MODES.modes, *modes))


def is_rematerializing() -> bool:
    """Whether gradients within what is traced now compute intermediate values again."""
    return _MODES.rematerializing


def rematerializing() -> contextlib.AbstractContextManager[None]:
    """Makes a block in which gradients compute intermediate values again."""
    return _MODES.temporarily(rematerializing=True)
