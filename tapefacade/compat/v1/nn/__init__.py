"""Names of older versions: `tf.compat.v1.nn`."""

from tapefacade._compat.v1_names import older_functions as _older_functions
from tapefacade._core.lazy_names import aliases as _aliases
from tapefacade.compat.v1.nn import experimental as experimental

_SAME = """
all_candidate_sampler approx_max_k approx_min_k atrous_conv2d atrous_conv2d_transpose avg_pool1d
avg_pool3d batch_normalization bias_add collapse_repeated compute_accidental_hits
compute_average_loss conv1d_transpose conv_transpose ctc_greedy_decoder ctc_unique_labels
depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input elu
fixed_unigram_candidate_sampler l2_loss l2_normalize leaky_relu learned_unigram_candidate_sampler
local_response_normalization log_poisson_loss lrn max_pool1d max_pool2d max_pool3d
normalize_moments relu relu6 scale_regularization_loss selu sigmoid silu softplus softsign swish
tanh top_k with_space_to_batch zero_fraction
"""
_RENAMED = {
    "avg_pool_v2": "nn.avg_pool",
    "ctc_beam_search_decoder_v2": "nn.ctc_beam_search_decoder",
    "depthwise_conv2d_native_backprop_filter": "nn.depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_native_backprop_input": "nn.depthwise_conv2d_backprop_input",
    "log_uniform_candidate_sampler": "random.log_uniform_candidate_sampler",
    "max_pool_v2": "nn.max_pool",
    "uniform_candidate_sampler": "random.uniform_candidate_sampler",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED, _older_functions("nn"))
