"""Random numbers: `tf.random`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._ops.nn.sampled_losses import (
    all_candidate_sampler as all_candidate_sampler,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from tapefacade._ops.random.gamma_poisson import (
    gamma as gamma,
    poisson as poisson,
    stateless_binomial as stateless_binomial,
    stateless_gamma as stateless_gamma,
    stateless_poisson as stateless_poisson,
)
from tapefacade._ops.random.generator_states import Algorithm as Algorithm
from tapefacade._ops.random.stateful import (
    categorical as categorical,
    normal as normal,
    set_seed as set_seed,
    shuffle as shuffle,
    truncated_normal as truncated_normal,
    uniform as uniform,
)
from tapefacade._ops.random.stateless import (
    fold_in as fold_in,
    split as split,
    stateless_categorical as stateless_categorical,
    stateless_normal as stateless_normal,
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
    stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform,
)
from tapefacade._state.random_generator import (
    Generator as Generator,
    create_rng_state as create_rng_state,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from tapefacade.random import experimental as experimental

__getattr__ = _missing_attribute(__name__)
