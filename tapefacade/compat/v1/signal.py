"""Names of older versions: `tf.compat.v1.signal`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
dct fft fft2d fft3d fftnd fftshift frame hamming_window hann_window idct ifft ifft2d ifft3d ifftnd
ifftshift inverse_mdct inverse_stft inverse_stft_window_fn irfft irfft2d irfft3d irfftnd
kaiser_bessel_derived_window kaiser_window linear_to_mel_weight_matrix mdct
mfccs_from_log_mel_spectrograms overlap_and_add rfft rfft2d rfft3d rfftnd stft vorbis_window
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
