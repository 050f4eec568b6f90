"""Signal processing: `tf.signal`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._ops.fourier import (
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    fftshift as fftshift,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
    ifftshift as ifftshift,
)
from tapefacade._ops.real_fourier import (
    irfft as irfft,
    irfft2d as irfft2d,
    irfft3d as irfft3d,
    rfft as rfft,
    rfft2d as rfft2d,
    rfft3d as rfft3d,
)

__getattr__ = _missing_attribute(__name__)
