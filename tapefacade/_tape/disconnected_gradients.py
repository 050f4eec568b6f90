"""Gradients of which every one is None: an optimizer that is given them can say why.

The reason is put into words when the tape gives them, for the tape may be gone when the optimizer
asks. What is kept is a text and weak references to the variables.
"""

import weakref
from collections.abc import Sequence
from typing import Any

from tapefacade._core.thread_state import ThreadState
from tapefacade._state.variable import Variable
from tapefacade._tape.explanation import Explanation

ADVICE = "`tape.explain(target, variables)` says what to write instead."
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


def keep(tape: Any, target: Any, variables: Sequence[Any]) -> None:
    """Takes note of why a tape has given None for every variable.

    Args:
        tape: the tape.
        target: what it was asked to differentiate.
        variables: what it was asked to differentiate it by; other sources are no optimizer's.
    """
    if not all(isinstance(variable, Variable) for variable in variables):
        return
    if _LAST_GRADIENTS.count < MAX_TEXTS:
        _LAST_GRADIENTS.count += 1
        _LAST_GRADIENTS.text = _one_line(tape.explain(target, list(variables)))
        _LAST_GRADIENTS.variables = tuple(weakref.ref(variable._root) for variable in variables)


def reason(variables: Sequence[Any]) -> str | None:
    """Returns why the gradients for some variables are all None, in one line.

    Args:
        variables: those that an optimizer was given no gradient for.

    Returns:
        None if no tape of this thread is known to have given these gradients.
    """
    known = [variable() for variable in _LAST_GRADIENTS.variables]
    roots = [getattr(variable, "_root", variable) for variable in variables]
    if not roots or any(all(root is not k for k in known) for root in roots):
        return None
    return _LAST_GRADIENTS.text


def _one_line(explanation: Explanation) -> str:
    first, *others = explanation.findings
    text = f"{first.source} has no gradient, {first.reason.rstrip('.:')}"
    if first.places:
        text += f": {first.places[0]}"
    if others:
        text += f"; nor {'has' if len(others) == 1 else 'have'} {len(others)} more"
    return f"{text}. {ADVICE}"
