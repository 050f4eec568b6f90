"""`tf.data.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._core.optional import Optional as Optional
from tapefacade._data.csv_files import (
    CsvDataset as CsvDataset,
    make_csv_dataset as make_csv_dataset,
)
from tapefacade._data.dataset import Dataset as _Dataset
from tapefacade._data.dataset_tables import (
    DatasetInitializer as DatasetInitializer,
    index_table_from_dataset as index_table_from_dataset,
    table_from_dataset as table_from_dataset,
)
from tapefacade._data.example_files import (
    DatasetRecordWriter as TFRecordWriter,
    make_batched_features_dataset as make_batched_features_dataset,
    parse_example_dataset as parse_example_dataset,
)
from tapefacade._data.experimental import (
    Reducer as Reducer,
    assert_cardinality as assert_cardinality,
    at as at,
    bucket_by_sequence_length as bucket_by_sequence_length,
    cardinality as cardinality,
    choose_from_datasets as choose_from_datasets,
    copy_to_device as copy_to_device,
    dense_to_ragged_batch as dense_to_ragged_batch,
    dense_to_sparse_batch as dense_to_sparse_batch,
    enumerate_dataset as enumerate_dataset,
    from_list as from_list,
    get_next_as_optional as get_next_as_optional,
    get_single_element as get_single_element,
    get_structure as get_structure,
    group_by_reducer as group_by_reducer,
    group_by_window as group_by_window,
    ignore_errors as ignore_errors,
    map_and_batch as map_and_batch,
    pad_to_cardinality as pad_to_cardinality,
    parallel_interleave as parallel_interleave,
    prefetch_to_device as prefetch_to_device,
    rejection_resample as rejection_resample,
    save as save,
    scan as scan,
    shuffle_and_repeat as shuffle_and_repeat,
    snapshot as snapshot,
    take_while as take_while,
    unbatch as unbatch,
    unique as unique,
)
from tapefacade._data.map import AUTOTUNE as AUTOTUNE
from tapefacade._data.node import (
    INFINITE as INFINITE_CARDINALITY,
    SHARD_HINT as SHARD_HINT,
    UNKNOWN as UNKNOWN_CARDINALITY,
)
from tapefacade._data.options import (
    AutoShardPolicy as AutoShardPolicy,
    AutotuneAlgorithm as AutotuneAlgorithm,
    AutotuneOptions as AutotuneOptions,
    DistributeOptions as DistributeOptions,
    ExternalStatePolicy as ExternalStatePolicy,
    OptimizationOptions as OptimizationOptions,
    ServiceOptions as ServiceOptions,
    ThreadingOptions as ThreadingOptions,
)
from tapefacade._data.sql_tables import SqlDataset as SqlDataset
from tapefacade.data.experimental import service as service

Counter = _Dataset.counter
RandomDataset = _Dataset.random
load = _Dataset.load
sample_from_datasets = _Dataset.sample_from_datasets

__getattr__ = _missing_attribute(__name__)
