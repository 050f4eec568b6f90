"""Names of older versions: `tf.compat.v1.spectral`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = ""
_RENAMED = {
    "dct": "signal.dct",
    "fft": "signal.fft",
    "fft2d": "signal.fft2d",
    "fft3d": "signal.fft3d",
    "idct": "signal.idct",
    "ifft": "signal.ifft",
    "ifft2d": "signal.ifft2d",
    "ifft3d": "signal.ifft3d",
    "irfft": "signal.irfft",
    "irfft2d": "signal.irfft2d",
    "irfft3d": "signal.irfft3d",
    "rfft": "signal.rfft",
    "rfft2d": "signal.rfft2d",
    "rfft3d": "signal.rfft3d",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
