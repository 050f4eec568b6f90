"""The classes of `tf.keras.optimizers.legacy`: those of Keras 3, with the formulas of Keras 2."""

from typing import Any

from tapefacade._keras.keras2.notices import notice, source

OLDER_CLASSES = (
    "Adadelta",
    "Adagrad",
    "Adam",
    "Adamax",
    "Ftrl",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "SGD",
)
SCHEDULE_DECAY = 0.004  # of the momentum of Nadam


def older_class(name: str) -> type:
    """Makes a class of `tf.keras.optimizers.legacy`.

    Args:
        name: its name.
    """
    optimizers = source("optimizers")
    base = getattr(optimizers, name)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if name != "Optimizer":
            notice(f"tf.keras.optimizers.legacy.{name}", f"tf.keras.optimizers.{name}")
        if args and isinstance(args[-1], str):
            args, kwargs["name"] = args[:-1], args[-1]
        schedule = kwargs.pop("schedule_decay", SCHEDULE_DECAY)
        if name == "Nadam":
            schedule = kwargs.pop("decay", schedule)
        base.__init__(self, *args, **kwargs)
        self._older = True
        self.schedule_decay = schedule

    members: dict[str, Any] = {
        "__init__": __init__, "__module__": "keras.optimizers.legacy", "__doc__": base.__doc__,
    }  # fmt: skip
    members.update(_OWN_UPDATES.get(name, {}))
    return type(name, (base,), members)


def _update_rmsprop(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Updates as Keras 2 does: without momentum the small number is outside of the root."""
    if self.momentum > 0:
        source("optimizers").RMSprop.update_step(self, gradient, variable, learning_rate)
        return
    ops = source("ops")
    rate, gradient = ops.cast(learning_rate, variable.dtype), ops.cast(gradient, variable.dtype)
    place = self._get_variable_index(variable)
    mean = self._velocities[place]
    mean.assign(self.rho * mean + (1 - self.rho) * ops.square(gradient))
    size = mean + 0.0
    if self.centered:
        average = self._average_gradients[place]
        average.assign(self.rho * average + (1 - self.rho) * gradient)
        size = size - ops.square(average)
    variable.assign_sub(rate * gradient / (ops.sqrt(size) + self.epsilon))


def _update_adagrad(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Updates as Keras 2 does: the small number is outside of the root."""
    ops = source("ops")
    rate, gradient = ops.cast(learning_rate, variable.dtype), ops.cast(gradient, variable.dtype)
    total = self._accumulators[self._get_variable_index(variable)]
    total.assign_add(ops.square(gradient))
    variable.assign_sub(rate * gradient / (ops.sqrt(total) + self.epsilon))


def _update_nadam(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Updates as Keras 2 does: the momentum grows slowly, at the rate that `decay` says."""
    ops, dtype = source("ops"), variable.dtype
    rate, gradient = ops.cast(learning_rate, dtype), ops.cast(gradient, dtype)
    step = ops.cast(self.iterations, dtype) + 1
    factor, following = _nadam_factor(self, step), _nadam_factor(self, step + 1)
    product = ops.cast(self._u_product, dtype)
    place = self._get_variable_index(variable)
    mean, square = self._momentums[place], self._velocities[place]
    mean.assign(self.beta_1 * mean + (1 - self.beta_1) * gradient)
    square.assign(self.beta_2 * square + (1 - self.beta_2) * ops.square(gradient))
    direction = (1 - factor) * gradient / (1 - product)
    direction = direction + following * mean / (1 - product * following)
    size = ops.sqrt(square / (1 - ops.power(self.beta_2, step)))
    variable.assign_sub(rate * direction / (size + self.epsilon))


def _nadam_factor(optimizer: Any, step: Any) -> Any:
    power = source("ops").power(0.96, optimizer.schedule_decay * step)
    return optimizer.beta_1 * (1 - 0.5 * power)


def _update_all_nadam(self: Any, grads: Any, variables: Any, learning_rate: Any) -> None:
    step = source("ops").cast(self.iterations, self._u_product.dtype) + 1
    self._u_product.assign(self._u_product * _nadam_factor(self, step))
    for gradient, variable in zip(grads, variables, strict=True):
        self.update_step(gradient, variable, learning_rate)


# What classes of Keras 2 compute in another way than those of Keras 3.
_OWN_UPDATES: dict[str, dict[str, Any]] = {
    "RMSprop": {"update_step": _update_rmsprop},
    "Adagrad": {"update_step": _update_adagrad},
    "Nadam": {"update_step": _update_nadam, "_backend_update_step": _update_all_nadam},
}
