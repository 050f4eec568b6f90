"""Mel spectra and cepstra: `tf.signal.linear_to_mel_weight_matrix` and MFCCs."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import numpy_type
from tapefacade._definition.op import FreeTensor, function, op
from tapefacade._ops.signal.cosine_transforms import dct
from tapefacade._ops.signal.windows import dtype_of_computation, scalar_of

BREAK_HERTZ, MEL_FACTOR = 700.0, 1127.0


def _no_bands(given: Any) -> str:
    return f"num_mel_bins must be positive. Got: {given}"


def _mels(hertz: Any) -> Any:
    """Converts frequencies to the mel scale (O'Shaughnessy, Speech Communication, 1987)."""
    return MEL_FACTOR * jnp.log1p(hertz / BREAK_HERTZ)


@op("_mel_weights", kernel="Maximum")
def _mel_weights(
    lower: FreeTensor, upper: FreeTensor, bands: int, bins: int, rate: float, kind: Any
) -> jax.Array:
    """Computes the weights of linear frequencies in triangles that are regular in mels."""
    wide = dtype_of_computation(kind)
    frequencies = jnp.asarray(np.linspace(0, rate / 2, max(bins, 1))[1:], wide)
    first, last = (_mels(edge.astype(wide)) for edge in (lower, upper))
    edges = jnp.linspace(first, last, bands + 2, dtype=wide)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    places = _mels(frequencies)[:, None]
    rising, falling = (places - left) / (centre - left), (right - places) / (right - centre)
    weights = jnp.where(rising <= falling, rising, falling)
    weights = jnp.where(weights > 0, weights, jnp.zeros((), wide))
    return jnp.pad(weights, [(1, 0), (0, 0)]).astype(kind)


def _check_mel(bands: Any, rate: Any, lower: Any, upper: Any, dtype: Any) -> None:
    if bands <= 0:
        raise ValueError(_no_bands(bands))
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}")
    if rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if upper > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper} for sample_rate: {rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")


@function("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> EagerTensor:
    """Makes the matrix with which spectra over frequencies are multiplied to be over mels.

    Each column weighs the frequencies by a triangle; the triangles are equally wide in mels.

    Args:
        num_mel_bins: the number of triangles.
        num_spectrogram_bins: the number of frequencies, from 0 to half the sample rate.
        sample_rate: the number of samples in a second.
        lower_edge_hertz: where the first triangle begins.
        upper_edge_hertz: where the last triangle ends.
        dtype: a floating dtype.
        name: ignored.

    Returns:
        A matrix `[num_spectrogram_bins, num_mel_bins]`.

    Raises:
        ValueError: if a number is out of range, or `dtype` is not floating.
        TypeError: if a number of bins is no integer.

    >>> tf.signal.linear_to_mel_weight_matrix(2, 5, 8000, 0.0, 4000.0).numpy().round(2)
    array([[0.  , 0.  ],
           [0.6 , 0.4 ],
           [0.  , 0.87],
           [0.  , 0.38],
           [0.  , 0.  ]], dtype=float32)
    """
    kind = dtypes.as_dtype(dtype)
    bands, bins, rate, lower, upper = (
        scalar_of(value)
        for value in (
            num_mel_bins, num_spectrogram_bins, sample_rate, lower_edge_hertz, upper_edge_hertz
        )
    )  # fmt: skip
    _check_mel(bands, rate, lower, upper, kind)
    for count in (bins, bands + 2):
        if not isinstance(count, int):
            raise TypeError(
                f"Argument `tensor` (name: num) must be of type integer. Received `tensor` = "
                f"{count} of dtype: <dtype: 'float32'>"
            )
    if bins < 0:
        raise invalid("Requires start <= limit when delta > 0: 1/-1")
    return _mel_weights(lower_edge_hertz, upper_edge_hertz, bands, bins, rate, numpy_type(kind))


@function("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: Any, name: str | None = None
) -> EagerTensor:
    """Computes mel-frequency cepstral coefficients, the cosine transforms of mel spectra.

    They are scaled as in HTK: orthogonal but for the first one.

    Args:
        log_mel_spectrograms: a tensor `[..., bins]` of type float32 or float64, the logarithms of
            spectra over mels.
        name: ignored.

    Returns:
        A tensor of the same shape and type.

    Raises:
        ValueError: if there is no bin.
        TypeError: if the tensor has another dtype.

    >>> tf.signal.mfccs_from_log_mel_spectrograms([1.0, 2.0, 5.0]).numpy().round(3)
    array([ 6.532, -2.828,  0.816], dtype=float32)
    """
    tensor = convert_to_tensor(log_mel_spectrograms)
    if not len(tensor.shape):
        raise invalid("slice index -1 of dimension 0 out of bounds. [Op:StridedSlice] name: ")
    bins: Any = tensor.shape[-1]
    if bins == 0:
        raise ValueError(_no_bands(str(tensor)))
    return dct(tensor) * math.sqrt(0.5 / bins)
