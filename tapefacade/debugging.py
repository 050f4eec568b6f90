"""Assertions: `tf.debugging`."""

from tapefacade._config.check_numerics import (
    disable_check_numerics as disable_check_numerics,
    enable_check_numerics as enable_check_numerics,
)
from tapefacade._config.devices import (
    get_log_device_placement as get_log_device_placement,
    set_log_device_placement as set_log_device_placement,
)
from tapefacade._config.settings import (
    disable_traceback_filtering as disable_traceback_filtering,
    enable_traceback_filtering as enable_traceback_filtering,
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
)
from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._ops.debugging.finiteness import (
    Assert as Assert,
    assert_all_finite as assert_all_finite,
    assert_near as assert_near,
    check_numerics as check_numerics,
)
from tapefacade._ops.debugging.shapes import (
    assert_integer as assert_integer,
    assert_proper_iterable as assert_proper_iterable,
    assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least,
    assert_rank_in as assert_rank_in,
    assert_same_float_dtype as assert_same_float_dtype,
    assert_scalar as assert_scalar,
    assert_shapes as assert_shapes,
    assert_type as assert_type,
    is_numeric_tensor as is_numeric_tensor,
)
from tapefacade._ops.debugging.values import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal,
    assert_less as assert_less,
    assert_less_equal as assert_less_equal,
    assert_negative as assert_negative,
    assert_non_negative as assert_non_negative,
    assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal,
    assert_positive as assert_positive,
)
from tapefacade._port.function_comparison import compare as compare
from tapefacade._tape.gradient_checks import check_gradients as check_gradients
from tapefacade._tape.none_warnings import (
    disable_none_warnings as disable_none_warnings,
    enable_none_warnings as enable_none_warnings,
)

__getattr__ = _missing_attribute(__name__)
