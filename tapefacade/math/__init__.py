"""Mathematics: `tf.math`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._ops.array.casting import angle as angle, conj as conj, imag as imag, real as real
from tapefacade._ops.array.positions import (
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
)
from tapefacade._ops.array.sorting import (
    approx_max_k as approx_max_k,
    approx_min_k as approx_min_k,
    invert_permutation as invert_permutation,
    top_k as top_k,
)
from tapefacade._ops.linalg.norms import l2_normalize as l2_normalize
from tapefacade._ops.math.arithmetic import (
    add as add,
    add_n as add_n,
    atan2 as atan2,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    multiply_no_nan as multiply_no_nan,
    nextafter as nextafter,
    scalar_mul as scalar_mul,
    squared_difference as squared_difference,
    subtract as subtract,
)
from tapefacade._ops.math.bessel import (
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
)
from tapefacade._ops.math.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    in_top_k as in_top_k,
    is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    not_equal as not_equal,
)
from tapefacade._ops.math.cumulative import (
    accumulate_n as accumulate_n,
    cumprod as cumprod,
    cumsum as cumsum,
    cumulative_logsumexp as cumulative_logsumexp,
)
from tapefacade._ops.math.division import (
    divide_no_nan as divide_no_nan,
    floordiv as floordiv,
    floormod as floormod,
    floormod as mod,
    truediv as divide,
    truediv as truediv,
)
from tapefacade._ops.math.elementary import (
    abs as abs,
    ceil as ceil,
    exp as exp,
    expm1 as expm1,
    floor as floor,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    log as log,
    log1p as log1p,
    negative as negative,
    polyval as polyval,
    pow as pow,
    reciprocal as reciprocal,
    reciprocal_no_nan as reciprocal_no_nan,
    rint as rint,
    round as round,
    rsqrt as rsqrt,
    sign as sign,
    sqrt as sqrt,
    square as square,
)
from tapefacade._ops.math.histograms import (
    bincount as bincount,
    confusion_matrix as confusion_matrix,
)
from tapefacade._ops.math.reduction import (
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_euclidean_norm as reduce_euclidean_norm,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_std as reduce_std,
    reduce_sum as reduce_sum,
    reduce_variance as reduce_variance,
    zero_fraction as zero_fraction,
)
from tapefacade._ops.math.segments import (
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)
from tapefacade._ops.math.sobol import sobol_sample as sobol_sample
from tapefacade._ops.math.special import (
    betainc as betainc,
    digamma as digamma,
    erf as erf,
    erfc as erfc,
    erfcinv as erfcinv,
    erfinv as erfinv,
    igamma as igamma,
    igammac as igammac,
    lbeta as lbeta,
    lgamma as lgamma,
    ndtri as ndtri,
    polygamma as polygamma,
    xdivy as xdivy,
    xlog1py as xlog1py,
    xlogy as xlogy,
    zeta as zeta,
)
from tapefacade._ops.math.trigonometry import (
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
    cos as cos,
    cosh as cosh,
    sin as sin,
    sinh as sinh,
    tan as tan,
    tanh as tanh,
)
from tapefacade._ops.nn.activation import (
    log_sigmoid as log_sigmoid,
    log_softmax as log_softmax,
    sigmoid as sigmoid,
    softmax as softmax,
    softplus as softplus,
    softsign as softsign,
)
from tapefacade.math import special as special

__getattr__ = _missing_attribute(__name__)
