"""`tf.distribute.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._distribute.input_datasets import ValueContext as ValueContext
from tapefacade._distribute.preemption import (
    PreemptionCheckpointHandler as PreemptionCheckpointHandler,
    PreemptionWatcher as PreemptionWatcher,
    TerminationConfig as TerminationConfig,
)
from tapefacade._distribute.strategies import (
    CentralStorageStrategy as CentralStorageStrategy,
    ExperimentalTPUStrategy as TPUStrategy,
    ParameterServerStrategy as ParameterServerStrategy,
)
from tapefacade._distribute.worker_strategy import (
    CommunicationImplementation as CollectiveCommunication,
    CommunicationImplementation as CommunicationImplementation,
    CommunicationOptions as CommunicationOptions,
    ExperimentalMultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    collective_hints as CollectiveHints,  # noqa: N812 - TensorFlow's name
)
from tapefacade.distribute.experimental import partitioners as partitioners

__getattr__ = _missing_attribute(__name__)
