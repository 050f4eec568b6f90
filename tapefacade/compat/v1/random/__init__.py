"""Names of older versions: `tf.compat.v1.random`."""

from tapefacade._core.aliases import aliases as _aliases
from tapefacade.compat.v1.random import experimental as experimental

_SAME = """
categorical fold_in gamma normal shuffle split stateless_binomial stateless_categorical
stateless_gamma stateless_normal stateless_poisson stateless_truncated_normal stateless_uniform
truncated_normal uniform
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
