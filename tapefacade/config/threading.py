"""`tf.config.threading`."""

from tapefacade._config.settings import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
from tapefacade._core.missing_names import missing_attribute as _missing_attribute

__getattr__ = _missing_attribute(__name__)
