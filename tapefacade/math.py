"""`tf.math`: functions of numbers, element by element and along axes."""

from tapefacade import _math_special
from tapefacade._ops.arithmetic import (
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
from tapefacade._ops.bessel import (
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
)
from tapefacade._ops.casting import (
    angle as angle,
    conj as conj,
    imag as imag,
    real as real,
)
from tapefacade._ops.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    in_top_k as in_top_k,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    not_equal as not_equal,
)
from tapefacade._ops.cumulative import (
    accumulate_n as accumulate_n,
    cumprod as cumprod,
    cumsum as cumsum,
)
from tapefacade._ops.division import (
    divide_no_nan as divide_no_nan,
    floordiv as floordiv,
    truediv as truediv,
    xdivy as xdivy,
    xlog1py as xlog1py,
    xlogy as xlogy,
)
from tapefacade._ops.elementwise import (
    abs as abs,
    exp as exp,
    expm1 as expm1,
    log as log,
    log1p as log1p,
    negative as negative,
    reciprocal as reciprocal,
    reciprocal_no_nan as reciprocal_no_nan,
    rsqrt as rsqrt,
    sign as sign,
    sqrt as sqrt,
    square as square,
)
from tapefacade._ops.powers import (
    pow as pow,
)
from tapefacade._ops.rounding import (
    ceil as ceil,
    floor as floor,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    rint as rint,
    round as round,
)
from tapefacade._ops.sigmoids import (
    log_sigmoid as log_sigmoid,
    sigmoid as sigmoid,
    softplus as softplus,
    softsign as softsign,
)
from tapefacade._ops.special import (
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
    zeta as zeta,
)
from tapefacade._ops.trigonometry import (
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

special = _math_special
