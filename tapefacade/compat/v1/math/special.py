"""Names of older versions: `tf.compat.v1.math.special`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1
bessel_k1e bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
