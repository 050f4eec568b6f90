"""Names of older versions: `tf.compat.v1.train`."""

from tapefacade._core.aliases import aliases as _aliases

_SAME = """
BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample
"""
_RENAMED = {
    "match_filenames_once": "io.match_filenames_once",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
