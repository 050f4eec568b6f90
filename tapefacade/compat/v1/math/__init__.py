"""Names of older versions: `tf.compat.v1.math`."""

from tapefacade._compat.v1_names import older_functions as _older_functions
from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.math import special as special

_SAME = """
abs accumulate_n acos acosh add add_n angle approx_max_k approx_min_k asin asinh atan atan2 atanh
bessel_i0 bessel_i0e bessel_i1 bessel_i1e betainc ceil conj cos cosh cumprod cumsum
cumulative_logsumexp digamma divide divide_no_nan equal erf erfc erfcinv erfinv exp expm1 floor
floordiv floormod greater greater_equal igamma igammac imag invert_permutation is_finite is_inf
is_nan is_non_decreasing is_strictly_increasing l2_normalize lbeta less less_equal lgamma log
log1p log_sigmoid logical_and logical_not logical_or logical_xor maximum minimum mod multiply
multiply_no_nan ndtri negative nextafter not_equal polygamma polyval pow real reciprocal
reciprocal_no_nan reduce_euclidean_norm reduce_std reduce_variance rint round rsqrt segment_max
segment_mean segment_min segment_prod segment_sum sigmoid sign sin sinh sobol_sample softplus
softsign sqrt square squared_difference subtract tan tanh top_k truediv unsorted_segment_max
unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n
unsorted_segment_sum xdivy xlog1py xlogy zero_fraction zeta
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED, _older_functions("math"))
