"""Variables that one call assigns: all of them, or none if it is interrupted."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._state.sharding import placed
from tapefacade._trace.assignments import boxes_of, set_together


def put_together(variables: Sequence[Any], tensors: Sequence[EagerTensor]) -> None:
    """Puts tensors in the boxes of variables, at one moment.

    Values of replicas that a variable has beside its own follow it, unless they are among these.

    Args:
        variables: the variables; their lock is held.
        tensors: a tensor for each.
    """
    followers = [
        follower
        for variable, tensor in zip(variables, tensors, strict=True)
        for follower in variable._root._followed_by(tensor)
    ]
    if followers:
        given = set(map(id, variables))
        followers = [(beside, value) for beside, value in followers if id(beside) not in given]
        variables = [*variables, *[beside for beside, _ in followers]]
        tensors = [*tensors, *[value for _, value in followers]]
    for variable in variables:
        variable._note_put()
    if any(variable._root._sharding is not None for variable in variables):
        tensors = [_laid_out(v._root, t) for v, t in zip(variables, tensors, strict=True)]
    set_together(boxes_of(variables), tensors)
    for variable in variables:
        variable._let_go()


def _laid_out(variable: Any, tensor: EagerTensor) -> EagerTensor:
    return tensor if variable._sharding is None else placed(tensor, variable._sharding)
