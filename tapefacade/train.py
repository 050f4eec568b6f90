"""`tf.train`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
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

__getattr__ = _missing_attribute(__name__)
