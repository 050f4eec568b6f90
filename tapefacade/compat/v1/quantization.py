"""Names of older versions: `tf.compat.v1.quantization`."""

from tapefacade._core.lazy_names import aliases as _aliases

_SAME = """
fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
fake_quant_with_min_max_vars_per_channel_gradient quantize_and_dequantize
quantize_and_dequantize_v2
"""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
