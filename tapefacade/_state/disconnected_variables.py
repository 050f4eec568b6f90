"""Variables for which every gradient was None, and why: an optimizer that gets none can say so.

A tape tells the reason, in words, as it may be gone when the optimizer asks. What is kept is a text
and weak references to the variables.
"""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core.thread_state import ThreadState
from tapefacade._state.variable import Variable

# A program may want such gradients at every step; it does not pay for words that nobody reads.
MAX_TEXTS = 64


class _LastGradients(ThreadState):
    """The last gradients for variables of which every one was None.

    Attributes:
        variables: weak references to the variables.
        text: why there are none.
        count: how many such texts were made.
    """

    variables: tuple[weakref.ref[Variable], ...] = ()
    text = ""
    count = 0


_LAST_GRADIENTS = _LastGradients()


def keep_reason(variables: Sequence[Any], tell: Callable[[], str]) -> None:
    """Takes note of why a tape has given None for every variable.

    Args:
        variables: what it was asked to differentiate by; other sources are no optimizer's.
        tell: says why, in one line.
    """
    if not all(isinstance(variable, Variable) for variable in variables):
        return
    if _LAST_GRADIENTS.count < MAX_TEXTS:
        _LAST_GRADIENTS.count += 1
        _LAST_GRADIENTS.text = tell()
        _LAST_GRADIENTS.variables = tuple(weakref.ref(variable._root) for variable in variables)


def add_reason(error: Exception, variables: Sequence[Any]) -> None:
    """Adds to an error why the gradients for some variables are all None, if that is known.

    Args:
        error: that of an optimizer.
        variables: those that it was given no gradient for.
    """
    known = [variable() for variable in _LAST_GRADIENTS.variables]
    roots = [getattr(variable, "_root", variable) for variable in variables]
    if roots and all(any(root is k for k in known) for root in roots):
        error.add_note(_LAST_GRADIENTS.text)
