"""`tf.summary.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._summary.summaries import (
    summary_scope as summary_scope,
    write_raw_pb as write_raw_pb,
)
from tapefacade._summary.writers import get_step as get_step, set_step as set_step

__getattr__ = _missing_attribute(__name__)
