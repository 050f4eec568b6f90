"""Names of older versions: `tf.compat.v1.train`."""

from tapefacade._checkpoint.manager import remove_checkpoint as remove_checkpoint
from tapefacade._checkpoint.reader import CheckpointReader as NewCheckpointReader
from tapefacade._checkpoint.state_file import (
    checkpoint_exists as checkpoint_exists,
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
    get_checkpoint_mtimes as get_checkpoint_mtimes,
    update_checkpoint_state as update_checkpoint_state,
)
from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.train import experimental as experimental

_SAME = """
BytesList CheckpointManager CheckpointOptions Example Feature FeatureList FeatureLists Features
FloatList Int64List SequenceExample checkpoints_iterator get_checkpoint_state latest_checkpoint
list_variables load_checkpoint load_variable
"""
_RENAMED = {
    "match_filenames_once": "io.match_filenames_once",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
