"""Random numbers: `tf.random`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._core.seeds import set_seed as set_seed
from tapefacade._ops.algorithms import Algorithm as Algorithm
from tapefacade._ops.candidate_samplers import (
    all_candidate_sampler as all_candidate_sampler,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from tapefacade._ops.counting import (
    gamma as gamma,
    poisson as poisson,
    stateless_binomial as stateless_binomial,
    stateless_gamma as stateless_gamma,
    stateless_poisson as stateless_poisson,
)
from tapefacade._ops.sampling import (
    categorical as categorical,
    normal as normal,
    shuffle as shuffle,
    truncated_normal as truncated_normal,
    uniform as uniform,
)
from tapefacade._ops.stateless import (
    fold_in as fold_in,
    split as split,
    stateless_categorical as stateless_categorical,
    stateless_normal as stateless_normal,
    stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform,
)
from tapefacade._ops.truncated import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from tapefacade._state.random_generator import (
    Generator as Generator,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from tapefacade._state.random_state import create_rng_state as create_rng_state
from tapefacade.random import experimental as experimental

__getattr__ = _missing_attribute(__name__)
