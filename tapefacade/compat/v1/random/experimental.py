"""Names of older versions: `tf.compat.v1.random.experimental`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
Algorithm Generator create_rng_state get_global_generator index_shuffle set_global_generator
stateless_fold_in stateless_shuffle stateless_split
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
