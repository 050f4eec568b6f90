"""Tables: `tf.lookup`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._io.table_sources import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)
from tapefacade._io.tables import (
    StaticHashTable as StaticHashTable,
    StaticVocabularyTable as StaticVocabularyTable,
)
from tapefacade.lookup import experimental as experimental

__getattr__ = _missing_attribute(__name__)
