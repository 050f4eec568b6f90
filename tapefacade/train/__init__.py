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
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._io.examples import (
    BytesList as BytesList,
    Example as Example,
    Feature as Feature,
    FeatureList as FeatureList,
    FeatureLists as FeatureLists,
    Features as Features,
    FloatList as FloatList,
    Int64List as Int64List,
    SequenceExample as SequenceExample,
)
from tapefacade.train import experimental as experimental

__getattr__ = _missing_attribute(__name__)
