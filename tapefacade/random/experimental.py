"""Random numbers: `tf.random.experimental`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._ops.algorithms import Algorithm as Algorithm
from tapefacade._ops.shuffled_indices import index_shuffle as index_shuffle
from tapefacade._ops.stateless import (
    fold_in as stateless_fold_in,
    split as stateless_split,
    stateless_shuffle as stateless_shuffle,
)
from tapefacade._state.random_generator import (
    Generator as Generator,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from tapefacade._state.random_state import create_rng_state as create_rng_state

__getattr__ = _missing_attribute(__name__)
