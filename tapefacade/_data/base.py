"""What the parts of `tf.data.Dataset` share: a dataset is a node with the options for it."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core.registry import FUNCTIONS
from tapefacade._data.node import Node
from tapefacade._data.options import Options

# Classes of datasets, by TensorFlow's names: nothing but names.
_KINDS: dict[str, Any] = {}


class Base:
    """A dataset, without its methods."""

    _is_element = True  # a dataset may be a part of an element
    _node: Node
    _own_options: Options | None = None

    def _made(self, node: Node) -> Any:
        """Makes a dataset out of this one."""
        return wrap(node, self._own_options)


def wrap(node: Node, options: Options | None = None) -> Any:
    """Makes a dataset of a node."""
    kind = _KINDS.get(node.name)
    if kind is None:
        parent = FUNCTIONS["data.Dataset"]
        kind = _KINDS[node.name] = type(node.name, (parent,), {"__doc__": parent.__doc__})
    made = kind.__new__(kind)
    made._node = node
    made._own_options = options
    return made


def common_options(datasets: Sequence[Any]) -> Options | None:
    """Returns the options of a dataset that is made of several."""
    found: Options | None = None
    for dataset in datasets:
        options = dataset._own_options
        if options is not None:
            found = options if found is None else found.merge(options)
    return found
