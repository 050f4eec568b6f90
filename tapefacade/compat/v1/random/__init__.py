"""Names of older versions: `tf.compat.v1.random`."""

from tapefacade._compat.v1_names import older_functions as _older_functions
from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.random import experimental as experimental

_SAME = """
Algorithm Generator all_candidate_sampler categorical create_rng_state
fixed_unigram_candidate_sampler fold_in gamma get_global_generator
learned_unigram_candidate_sampler log_uniform_candidate_sampler normal set_global_generator
shuffle split stateless_binomial stateless_categorical stateless_gamma stateless_normal
stateless_parameterized_truncated_normal stateless_poisson stateless_truncated_normal
stateless_uniform truncated_normal uniform uniform_candidate_sampler
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED, _older_functions("random"))
