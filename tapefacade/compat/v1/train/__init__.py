"""Names of older versions: `tf.compat.v1.train`."""

from tapefacade._checkpoint.reading import (
    CheckpointReader as NewCheckpointReader,
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from tapefacade._checkpoint.state_file import (
    checkpoint_exists as checkpoint_exists,
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
    get_checkpoint_mtimes as get_checkpoint_mtimes,
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
from tapefacade._core.aliases import aliases as _aliases
from tapefacade.compat.v1.train import experimental as experimental

_SAME = """
BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample
"""
_RENAMED = {
    "match_filenames_once": "io.match_filenames_once",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
