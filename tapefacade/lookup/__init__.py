"""Tables: `tf.lookup`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._lookup.static_tables import (
    StaticHashTable as StaticHashTable,
    StaticVocabularyTable as StaticVocabularyTable,
)
from tapefacade._lookup.table_initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)
from tapefacade.lookup import experimental as experimental

__getattr__ = _missing_attribute(__name__)
