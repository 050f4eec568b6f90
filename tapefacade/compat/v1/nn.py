"""Names of older versions: `tf.compat.v1.nn`."""

from tapefacade._core.aliases import aliases as _aliases

_SAME = """
avg_pool1d avg_pool3d batch_normalization bias_add compute_average_loss conv1d_transpose elu
l2_loss l2_normalize leaky_relu local_response_normalization log_poisson_loss lrn max_pool1d
max_pool2d max_pool3d relu relu6 scale_regularization_loss selu sigmoid silu softplus softsign
swish tanh top_k zero_fraction
"""
_RENAMED = {
    "avg_pool_v2": "nn.avg_pool",
    "max_pool_v2": "nn.max_pool",
}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
