"""Names of older versions: `tf.compat.v1`."""

# What these modules register under `compat.v1` is shown as well.
from tapefacade._checkpoint import manager as _manager, reader as _reader, state_file as _state_file
from tapefacade._compat.v1_namespaces import fill as _fill
from tapefacade._data import older_functions as _older_functions
from tapefacade._io import (
    features as _features,
    file_handles as _file_handles,
    gfile as _gfile,
    records as _records,
)
from tapefacade._summary.metadata_message import SUMMARIES as _SUMMARIES
from tapefacade.compat.v1 import app as app, flags as flags

_MADE = {"SummaryMetadata": _SUMMARIES.makers()["SummaryMetadata"]}

__getattr__, __dir__ = _fill(__name__, _MADE)
