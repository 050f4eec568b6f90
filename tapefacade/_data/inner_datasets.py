"""Datasets that functions of elements give."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor_spec import HandleSpec, TensorSpec
from tapefacade._data.element_functions import UNKNOWN_SIZE, UserFunction, widened
from tapefacade._data.element_structures import mapped, tensor_of
from tapefacade._data.node import Node
from tapefacade._data.random_numbers import PROBING


def spec_of_dataset(function: UserFunction, argument: Any) -> Any:
    """Returns the specs of the elements of the datasets that a function gives.

    The function is called with zeros for that, as TensorFlow calls it without values.

    Args:
        function: the function.
        argument: the specs of its arguments.

    Returns:
        A nest of specs; None if they are not known.
    """
    if argument is None:
        return None
    before, PROBING.on = PROBING.on, True
    try:
        found = function.in_python(mapped(_stand_in, argument), {})
        spec = node_of(found, function.where).known_spec()
    except Exception:  # whatever is wrong with it: zeros may be no values for it
        return None
    finally:
        PROBING.on = before
    return None if spec is None else mapped(widened, spec)


def _stand_in(spec: Any) -> Any:
    """Returns a value of a type, of zeros."""
    if isinstance(spec, HandleSpec):
        return FUNCTIONS["data.Dataset"]._empty(getattr(spec, "element_spec", None))
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        raise TypeError
    shape = [UNKNOWN_SIZE if size is None else size for size in spec.shape.as_list()]
    made = np.zeros(shape, spec.dtype._numpy)
    if spec.dtype is dtypes.string:
        made.fill(b"")
    return tensor_of(made)


def node_of(found: Any, where: str) -> Node:
    """Returns the node of what a function gave.

    Raises:
        TypeError: if it is no dataset.
    """
    node = getattr(found, "_node", None)
    if not isinstance(node, Node):
        raise TypeError(
            f"Invalid `map_func` of `{where}`: it must return a `Dataset` object, and got "
            f"{type(found).__name__}."
        )
    return node
