"""What losses and BatchNormalization compute in replicas, of which some may have no examples."""

import functools
from collections.abc import Callable
from typing import Any

from tapefacade._core.replica_places import current_replica
from tapefacade._ops.array.copying import ones_like, zeros_like
from tapefacade._ops.math.arithmetic import maximum
from tapefacade._ops.math.division import divide_no_nan
from tapefacade._ops.math.elementary import square
from tapefacade._ops.math.reduction import reduce_sum


def reduced_in_replicas(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the function that reduces losses: that of a replica without examples is 0.

    Keras returns them as they are if it knows that there are none, which in TensorFlow's functions
    it does not.
    """

    @functools.wraps(original)
    def reduce_values(
        values: Any, sample_weight: Any = None, reduction: Any = "sum_over_batch_size"
    ) -> Any:
        is_empty = tuple(values.shape) == (0,) and reduction not in (None, "none")
        if is_empty and current_replica() is not None:
            return reduce_sum(values)
        return original(values, sample_weight, reduction)

    return reduce_values


def synchronized_layer(original: Callable[..., None]) -> Callable[..., None]:
    """Makes `__init__` of BatchNormalization, which may be synchronized here."""

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, synchronized: bool = False, **kwargs: Any) -> None:  # noqa: N807
        original(self, *args, **kwargs)
        self.synchronized = synchronized

    return __init__


def moments_of_replicas(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the method of BatchNormalization that takes the moments, of all replicas together."""

    @functools.wraps(original)
    def _moments(self: Any, inputs: Any, mask: Any) -> Any:
        replica = current_replica() if self.synchronized and mask is None else None
        if replica is None:
            self.synchronized, before = False, self.synchronized
            try:
                return original(self, inputs, mask)
            finally:
                self.synchronized = before
        axes = self._reduction_axes
        sums = [reduce_sum(part, axes) for part in (inputs, square(inputs), ones_like(inputs))]
        total, squares, count = replica.all_reduce("SUM", sums)
        mean = divide_no_nan(total, count)
        return mean, maximum(divide_no_nan(squares, count) - square(mean), zeros_like(mean))

    return _moments
