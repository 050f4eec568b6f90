"""Variables that one call assigns: all of them, or none if it is interrupted."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._state.sharding import placed
from tapefacade._state.variable import Variable
from tapefacade._trace.assignments import HOLDS, JOURNALS, boxes_of, set_together
from tapefacade._trace.jax_transformation import NO_TRACE, current_trace
from tapefacade._trace.recording import THREAD, note_assigned

_NOTE_PUT = Variable._note_put


def put_together(variables: Sequence[Any], tensors: Sequence[EagerTensor]) -> None:
    """Puts tensors in the boxes of variables, at one moment.

    Values of replicas that a variable has beside its own follow it, unless they are among these.

    Args:
        variables: the variables; their lock is held.
        tensors: a tensor for each.
    """
    roots = [variable._root for variable in variables]
    followers = [
        follower
        for variable, tensor in zip(roots, tensors, strict=True)
        for follower in variable._followed_by(tensor)
    ]
    if followers:
        given = set(map(id, roots))
        followers = [(beside, value) for beside, value in followers if id(beside) not in given]
        roots += [beside._root for beside, _ in followers]
        tensors = [*tensors, *[value for _, value in followers]]
    _note_put(roots)
    if any(variable._sharding is not None for variable in roots):
        tensors = [_laid_out(v, t) for v, t in zip(roots, tensors, strict=True)]
    set_together(boxes_of(roots), tensors)
    for variable in roots:
        read = variable._read_at
        if read is not None:  # lets go of the value from before
            variable._read_at = (read[0], read[1], None, read[3])


def _note_put(variables: Sequence[Any]) -> None:
    """Does what each variable's `_note_put` does, in a third of the time for ordinary ones."""
    recording = THREAD.recording
    is_plain = not HOLDS and recording.frame is None and recording.notes is None
    is_plain = is_plain and current_trace(None) is NO_TRACE
    assigned = recording.assigned
    if is_plain and JOURNALS:
        note_assigned(variables)
    for variable in variables:
        if is_plain and type(variable)._note_put is _NOTE_PUT:
            if id(variable) not in assigned:
                assigned[id(variable)] = (variable, variable._tensor)
        else:
            variable._note_put()


def _laid_out(variable: Any, tensor: EagerTensor) -> EagerTensor:
    return tensor if variable._sharding is None else placed(tensor, variable._sharding)
