"""Assignments that happen together: at one moment, by one thread at a time.

A call that assigns several variables does so in one step of C, between two bytecodes, where neither
a signal nor another thread can come in. The variables that one call assigns share one lock, so that
the call reads and assigns them undisturbed for the price of one.

While the Python of a function runs in order to be recorded, the variables hold what is recorded,
and get their values back when it ends. Other threads must not see that: for them a *hold* has the
value meanwhile, and takes what they assign.
"""

import contextlib
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any

_MERGE_LOCK = threading.RLock()
_TENSOR_NAMES = repeat("_tensor")
# The variables of each lock that several variables share.
_MEMBERS: weakref.WeakKeyDictionary[Any, list[weakref.ref[Any]]] = weakref.WeakKeyDictionary()


def set_together(boxes: Sequence[Any], tensors: Sequence[Any]) -> None:
    """Puts tensors in boxes: nothing comes between the first and the last."""
    any(map(setattr, boxes, _TENSOR_NAMES, tensors))  # each is None: all of them, in one step of C


def share_lock(variables: Sequence[Any]) -> None:
    """Gives variables that one call assigns one lock. Who waits for a lock asks again then."""
    if not variables:
        return
    with _MERGE_LOCK:
        first = variables[0]._lock
        for variable in variables:
            other = variable._lock
            if other is first:
                continue
            members = _MEMBERS.get(other) or [weakref.ref(variable)]
            known = _MEMBERS.setdefault(first, [weakref.ref(variables[0])])
            known.extend(members)  # before they change: an interrupt must not lose one
            with other:
                living = [held for member in members if (held := member()) is not None]
                any(map(setattr, living, repeat("_lock"), repeat(first)))
            _MEMBERS.pop(other, None)


@contextlib.contextmanager
def locked(variables: Sequence[Any]) -> Iterator[None]:
    """Makes a block in which no other thread assigns the variables."""
    if not variables:
        yield
        return
    share_lock(variables)
    while True:
        lock = variables[0]._lock
        with lock:
            if lock is variables[0]._lock:
                yield
                return


class Hold:
    """What a variable holds for other threads while one records a function that assigns it.

    Attributes:
        variable: the variable.
        thread: the thread that records.
        _tensor: the value for those that come after it.
    """

    __slots__ = ("_before", "_tensor", "thread", "variable")

    def __init__(self, variable: Any, tensor: Any) -> None:
        self.variable = variable
        self.thread = threading.get_ident()
        self._tensor = self._before = tensor

    @property
    def is_assigned(self) -> bool:
        """Whether another thread has assigned the variable since."""
        return self._tensor is not self._before


# The holds of each variable, by its id, in the order in which threads have begun to assign it: the
# first thread sees what is in the variable, each other what is in the hold before its own, and who
# has none what is in the last. Nearly always empty.
HOLDS: dict[int, list[Hold]] = {}


def box_of(variable: Any) -> Any:
    """Returns what holds a variable's value for this thread: the variable itself, or a hold."""
    holds = HOLDS.get(id(variable))
    if not holds:
        return variable
    thread = threading.get_ident()
    for place, hold in enumerate(holds):
        if hold.thread == thread:
            return holds[place - 1] if place else variable
    return holds[-1]


def boxes_of(variables: Sequence[Any]) -> Sequence[Any]:
    """Returns what holds the values of variables for this thread."""
    return [box_of(variable) for variable in variables] if HOLDS else variables


def hold(variable: Any, holds: list[Hold]) -> None:
    """Keeps the value of a variable for other threads, from now on.

    Args:
        variable: the variable, which this thread is about to assign.
        holds: takes note of the hold, if there is none of this thread already.
    """
    found = HOLDS.get(id(variable), ())
    thread = threading.get_ident()
    if not any(known.thread == thread for known in found):
        made = Hold(variable, box_of(variable)._tensor)
        holds.append(made)
        HOLDS.setdefault(id(variable), []).append(made)


class AssignedMeanwhileError(RuntimeError):
    """Another thread has assigned what a function has as well: its Python runs once more."""


class AssignmentJournal:
    """What variables held before a call assigned them, in case an interrupt ends it.

    What the call has looked at has been computed, so that the recording has no way back. (A buffer
    that a journal refers to is not given away, see `buffer_donation`.) What other threads assign
    meanwhile stays.
    """

    __slots__ = ("_before", "_by_others")

    def __init__(self) -> None:
        self._before: dict[int, tuple[Any, Any]] = {}
        self._by_others: set[int] = set()  # those that another thread was the last to assign

    def note(self, variables: Sequence[Any]) -> None:
        """Takes note that variables are going to hold other tensors."""
        before, by_others = self._before, self._by_others
        for variable, box in zip(variables, boxes_of(variables), strict=True):
            if id(variable) not in before or id(variable) in by_others:
                before[id(variable)] = variable, box._tensor
                by_others.discard(id(variable))

    def note_other_thread(self, variables: Sequence[Any]) -> None:
        """Takes note that another thread is about to assign variables."""
        before = self._before
        self._by_others.update([id(one) for one in variables if id(one) in before])

    def take_back(self) -> None:
        """Gives the variables back what they held."""
        own = [pair for key, pair in self._before.items() if key not in self._by_others]
        variables, tensors = zip(*own, strict=True) if own else ((), ())
        set_together(boxes_of(variables), tensors)


# The journals of each thread that has open ones, the outermost first.
JOURNALS: dict[int, list[AssignmentJournal]] = {}


def release(holds: list[Hold], restored: bool) -> None:
    """Ends holds: what other threads see and what this one sees is the same again.

    Args:
        holds: the holds; those that have ended already do not matter.
        restored: whether the value of other threads is the one that stays.

    Raises:
        AssignedMeanwhileError: if it is not, and they have assigned one. The holds do not end then.
    """
    with locked([held.variable for held in holds]):
        if not restored and any(held.is_assigned for held in holds):
            raise AssignedMeanwhileError
        here = [held for held in holds if held in HOLDS.get(id(held.variable), ())]
        lists = [HOLDS[id(held.variable)] for held in here]
        steps: Iterator[Any] = map(list.remove, lists, here)
        if restored:
            boxes = [box_of(held.variable) for held in here]
            outer = [held._tensor for held in here]
            steps = chain(map(setattr, boxes, repeat("_tensor"), outer), steps)
        deque(steps, 0)
        for held in holds:
            if not HOLDS.get(id(held.variable), True):
                HOLDS.pop(id(held.variable), None)


def release_all() -> None:
    """Ends every hold of this thread, whose functions were interrupted."""
    thread = threading.get_ident()
    mine = [held for holds in list(HOLDS.values()) for held in holds if held.thread == thread]
    if mine:
        release(mine, restored=True)


def surely(function: Callable[[], None]) -> None:
    """Calls a function that may be called twice, also if an interrupt comes in between."""
    try:
        function()
    except BaseException:  # Ctrl-C on the way: once more, to the end
        function()
        raise
