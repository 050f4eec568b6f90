"""Variables that one call assigns: all of them, or none if it is interrupted."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core.tensor import EagerTensor
from tapefacade._trace.assignments import boxes_of, set_together


def put_together(variables: Sequence[Any], tensors: Sequence[EagerTensor]) -> None:
    """Puts tensors in the boxes of variables, at one moment.

    Args:
        variables: the variables; their lock is held.
        tensors: a tensor for each.
    """
    for variable in variables:
        variable._note_put()
    set_together(boxes_of(variables), tensors)
    for variable in variables:
        variable._let_go()
