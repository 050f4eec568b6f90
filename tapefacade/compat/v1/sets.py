"""Names of older versions: `tf.compat.v1.sets`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
difference intersection size union
"""
_RENAMED = {
    "set_difference": "sets.difference",
    "set_intersection": "sets.intersection",
    "set_size": "sets.size",
    "set_union": "sets.union",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
