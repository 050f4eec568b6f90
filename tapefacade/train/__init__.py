"""`tf.train`."""

from tapefacade._checkpoint.checkpoint import Checkpoint as Checkpoint
from tapefacade._checkpoint.manager import (
    CheckpointManager as CheckpointManager,
    checkpoints_iterator as checkpoints_iterator,
)
from tapefacade._checkpoint.options import CheckpointOptions as CheckpointOptions
from tapefacade._checkpoint.reader import (
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from tapefacade._checkpoint.state_file import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
)
from tapefacade._checkpoint.views import (
    CheckpointView as CheckpointView,
    TrackableView as TrackableView,
)
from tapefacade._core.lazy_names import lazy_attributes as _lazy_attributes
from tapefacade._distribute.cluster_messages import CLUSTERS as _CLUSTERS
from tapefacade._distribute.cluster_specs import ClusterSpec as ClusterSpec
from tapefacade._io.examples import EXAMPLES as _EXAMPLES
from tapefacade._optimizers.moving_average import (
    ExponentialMovingAverage as ExponentialMovingAverage,
)
from tapefacade._queues.coordinator import Coordinator as Coordinator
from tapefacade.train import experimental as experimental

_LATE = {**_EXAMPLES.makers(), **_CLUSTERS.makers()}

__getattr__, __dir__ = _lazy_attributes(__name__, _LATE)
