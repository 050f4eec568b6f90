"""Random numbers: `tf.random.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._ops.random.generator_states import Algorithm as Algorithm
from tapefacade._ops.random.index_shuffle import index_shuffle as index_shuffle
from tapefacade._ops.random.stateless import (
    fold_in as stateless_fold_in,
    split as stateless_split,
    stateless_shuffle as stateless_shuffle,
)
from tapefacade._state.random_generator import (
    Generator as Generator,
    create_rng_state as create_rng_state,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)

__getattr__ = _missing_attribute(__name__)
