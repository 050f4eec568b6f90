"""Streams of data: `tf.data`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._data.dataset import Dataset as Dataset
from tapefacade._data.files import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)
from tapefacade._data.iterators import (
    DatasetSpec as DatasetSpec,
    Iterator as Iterator,
    IteratorSpec as IteratorSpec,
    NumpyIterator as NumpyIterator,
)
from tapefacade._data.map import AUTOTUNE as AUTOTUNE
from tapefacade._data.node import (
    INFINITE as INFINITE_CARDINALITY,
    UNKNOWN as UNKNOWN_CARDINALITY,
)
from tapefacade._data.options import Options as Options, ThreadingOptions as ThreadingOptions
from tapefacade.data import experimental as experimental

__getattr__ = _missing_attribute(__name__)
