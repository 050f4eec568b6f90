"""Whether a derivative in forward mode is computed now, for instructions with rules of their own.

JAX has no forward mode of a function whose gradient is given (`jax.custom_vjp`).
"""

import contextlib
import threading
from collections.abc import Iterator


class _Mode(threading.local):
    forward = False


_MODE = _Mode()


def in_forward_mode() -> bool:
    """Whether what is traced now is differentiated in forward mode, by this op or one around it."""
    return _MODE.forward


@contextlib.contextmanager
def forward_mode() -> Iterator[None]:
    """Makes a block that computes derivatives in forward mode."""
    before, _MODE.forward = _MODE.forward, True
    try:
        yield
    finally:
        _MODE.forward = before
