"""Names of older versions: `tf.compat.v1.losses`."""

from tapefacade._core.aliases import aliases as _aliases
from tapefacade._renamed.older_losses import (
    Reduction as Reduction,
    absolute_difference as absolute_difference,
    compute_weighted_loss as compute_weighted_loss,
    hinge_loss as hinge_loss,
    huber_loss as huber_loss,
    log_loss as log_loss,
    mean_squared_error as mean_squared_error,
    sigmoid_cross_entropy as sigmoid_cross_entropy,
    softmax_cross_entropy as softmax_cross_entropy,
    sparse_softmax_cross_entropy as sparse_softmax_cross_entropy,
)

_SAME = ""
_RENAMED: dict[str, str] = {}

__getattr__, __dir__ = _aliases(__name__, _SAME, _RENAMED)
