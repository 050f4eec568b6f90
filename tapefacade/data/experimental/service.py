"""`tf.data.experimental.service`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.data_service import (
    CrossTrainerCache as CrossTrainerCache,
    DispatcherConfig as DispatcherConfig,
    DispatchServer as DispatchServer,
    ShardingPolicy as ShardingPolicy,
    WorkerConfig as WorkerConfig,
    WorkerServer as WorkerServer,
    distribute as distribute,
    from_dataset_id as from_dataset_id,
    register_dataset as register_dataset,
)

__getattr__ = _missing_attribute(__name__)
