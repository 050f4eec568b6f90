"""`tf.distribute`: strategies, whose replicas run on several devices."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.cross_device_ops import (
    CrossDeviceOps as CrossDeviceOps,
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
    NcclAllReduce as NcclAllReduce,
    ReductionToOneDevice as ReductionToOneDevice,
)
from tapefacade._distribute.input_datasets import (
    DistributedDataset as DistributedDataset,
    DistributedIterator as DistributedIterator,
    InputContext as InputContext,
    InputOptions as InputOptions,
    InputReplicationMode as InputReplicationMode,
)
from tapefacade._distribute.reduction import ReduceOp as ReduceOp
from tapefacade._distribute.replica_contexts import (
    ReplicaContext as ReplicaContext,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
)
from tapefacade._distribute.replica_values import DistributedValues as DistributedValues
from tapefacade._distribute.strategies import (
    MirroredStrategy as MirroredStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
    ParameterServerStrategy as ParameterServerStrategy,
    RunOptions as RunOptions,
    Strategy as Strategy,
    StrategyExtended as StrategyExtended,
    TPUStrategy as TPUStrategy,
    experimental_set_strategy as experimental_set_strategy,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
)
from tapefacade._distribute.worker_strategy import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from tapefacade.distribute import cluster_resolver as cluster_resolver, experimental as experimental

__getattr__ = _missing_attribute(__name__)
