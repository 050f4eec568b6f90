"""`tf.summary`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._summary.summaries import (
    audio as audio,
    histogram as histogram,
    image as image,
    scalar as scalar,
    text as text,
    write as write,
)
from tapefacade._summary.traces import (
    trace_export as trace_export,
    trace_off as trace_off,
    trace_on as trace_on,
)
from tapefacade._summary.writers import (
    SummaryWriter as SummaryWriter,
    create_file_writer as create_file_writer,
    create_noop_writer as create_noop_writer,
    flush as flush,
    record_if as record_if,
    should_record_summaries as should_record_summaries,
)
from tapefacade.summary import experimental as experimental

__getattr__ = _missing_attribute(__name__)
