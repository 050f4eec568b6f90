"""Sound: `tf.audio`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._ops.audio import decode_wav as decode_wav, encode_wav as encode_wav

__getattr__ = _missing_attribute(__name__)
