"""Classes whose objects are more than the tensors that they stand for, as those of distributions.

Libraries register them with Keras 2 (`tf_keras.__internal__.utils.register_symbolic_tensor_type`):
a layer may then return such an object, a loss gets the object itself, and other layers its tensor.
"""

import functools
from collections.abc import Callable
from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._keras.keras2.notices import source

_REGISTERED: list[type] = []


def register_symbolic_tensor_type(cls: type) -> None:
    """Lets layers return objects of a class.

    Args:
        cls: the class, whose objects convert to tensors.
    """
    _REGISTERED.append(cls)
    if not hasattr(cls, "ndim"):  # Keras 3 asks tensors for it
        cls.ndim = property(lambda self: len(self.shape))


def stands_for_tensor(value: Any) -> bool:
    """Whether a value is of a registered class.

    Args:
        value: anything.
    """
    return isinstance(value, tuple(_REGISTERED))


def as_tensor(value: Any) -> Any:
    """Returns the tensor that an object of a registered class stands for; another value as it is.

    Args:
        value: anything.
    """
    return convert_to_tensor(value) if stands_for_tensor(value) else value


def loss_of_objects(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the `__call__` of losses, which leaves such an object as it is.

    Args:
        original: Keras's own, which makes a tensor of it.
    """

    @functools.wraps(original)
    def __call__(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # noqa: N807
        if not stands_for_tensor(y_pred):
            return original(self, y_true, y_pred, sample_weight)
        if isinstance(self, source("losses.losses").LossFunctionWrapper):
            losses = self.fn(y_true, y_pred, **self._fn_kwargs)
        else:
            losses = self.call(y_true, y_pred)
        reduced = source("losses.loss").reduce_weighted_values
        return reduced(losses, sample_weight, reduction=self.reduction, dtype=self.dtype)

    return __call__
