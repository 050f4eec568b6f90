"""Optimizers as in Keras 2: their arguments, `minimize`, `lr`, the weights as a list."""

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tracebacks import shortening
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2.notices import (
    Attribute,
    like,
    notice,
    refusal,
    renamed_method,
    source,
)
from tapefacade._state.variable import Variable
from tapefacade._tape.tape import GradientTape

TODAY_RATE = "`optimizer.learning_rate`"
MESSAGE_PAIRS = (
    "BaseOptimizer.apply_gradients() takes 2 positional arguments but 3 were given: write "
    "`optimizer.apply_gradients(zip(gradients, variables))`, or "
    "`optimizer.apply(gradients, variables)`"
)
DEFAULT_RATE = 0.001
# Arguments that say how TensorFlow 1 updates variables.
WITHOUT_MEANING = ("use_locking", "jit_compile", "is_legacy_optimizer", "mesh")


class CallableList(list[Any]):
    """A list that may be called, as the method that it was."""

    def __call__(self) -> list[Any]:
        notice("optimizer.variables()", "`optimizer.variables`, without parentheses")
        return list(self)


def apply(patches: AttributePatches) -> None:
    """Changes the class of optimizers.

    Args:
        patches: sets the attributes.
    """
    base = source("optimizers.base_optimizer").BaseOptimizer
    schedule = source("optimizers.schedules.learning_rate_schedule").LearningRateSchedule
    patches.set(base, "__init__", _initializing(base.__init__, schedule))
    patches.set(base, "apply_gradients", _applying(base.apply_gradients))
    patches.set(base, "get_config", _with_decay(base.get_config))
    patches.set(base, "_get_current_learning_rate", _decaying(base._get_current_learning_rate))
    patches.set(base, "learning_rate", _rate(base.learning_rate))
    patches.set(base, "lr", _older_rate())
    patches.set(base, "iterations", _counted(base.iterations))
    patches.set(base, "variables", property(lambda self: CallableList(self._variables)))
    patches.set(base, "set_weights", _setting_weights(base.set_weights))
    patches.set_members(base, OptimizerMembers)


class OptimizerMembers:
    """The members that Keras's class of optimizers gets: methods of Keras 2, and a text."""

    def __repr__(self: Any) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"

    def minimize(
        self: Any,
        loss: Any,
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        tape: Any = None,
    ) -> Any:
        """Takes a step that makes a loss smaller.

        Args:
            loss: a function without arguments, or a tensor that `tape` has watched.
            var_list: the variables, or a function that returns them.
            grad_loss: the gradient of what follows, with respect to the loss.
            name: a name, which means nothing.
            tape: the tape that watched, where the loss is a tensor.
        """
        notice("optimizer.minimize", "`tf.GradientTape` and `optimizer.apply_gradients`")
        return self.apply_gradients(
            _gradients(self, loss, var_list, grad_loss=grad_loss, tape=tape)
        )

    def compute_gradients(
        self: Any, loss: Any, var_list: Any, tape: Any = None, grad_loss: Any = None
    ) -> list[tuple[Any, Any]]:
        """Returns pairs of a gradient and its variable."""
        notice("optimizer.compute_gradients", "`tape.gradient`")
        return _gradients(self, loss, var_list, grad_loss=grad_loss, tape=tape)

    def _compute_gradients(
        self: Any, loss: Any, var_list: Any, grad_loss: Any = None, tape: Any = None
    ) -> list[tuple[Any, Any]]:
        notice("optimizer._compute_gradients", "`tape.gradient`")
        return _gradients(self, loss, var_list, grad_loss=grad_loss, tape=tape)

    def get_gradients(self: Any, loss: Any, params: Any) -> Any:
        """Refuses: there is no graph in which the way to the loss could be found."""
        raise refusal("optimizer.get_gradients", "use `tf.GradientTape` around the computation.")

    def get_updates(self: Any, loss: Any, params: Any) -> Any:
        """Refuses, as `get_gradients` does."""
        raise refusal("optimizer.get_updates", "use `tf.GradientTape` and `apply_gradients`.")

    def get_weights(self: Any) -> list[np.ndarray]:
        """Returns the iterations and the slots, without the learning rate, as arrays."""
        notice("optimizer.get_weights", "`[v.numpy() for v in optimizer.variables]`")
        return [np.array(variable) for variable in weights(self)]

    def _decayed_lr(self: Any, var_dtype: Any = None) -> Any:
        notice("optimizer._decayed_lr", TODAY_RATE)
        rate = source("ops").convert_to_tensor(self._get_current_learning_rate())
        return rate if var_dtype is None else source("ops").cast(rate, var_dtype)

    weights = Attribute("weights", "`optimizer.variables`", lambda self: weights(self))
    _initial_decay = Attribute("decay", "a schedule", lambda self: self.__dict__.get("_decay", 0.0))
    _create_all_weights = renamed_method(
        "optimizer._create_all_weights", lambda self, v: _build(self, v), "optimizer.build"
    )


def _build(optimizer: Any, variables: Sequence[Any]) -> None:
    if not optimizer.built:
        optimizer.build(list(variables))


def weights(optimizer: Any) -> list[Any]:
    """Returns an optimizer's variables in the order of Keras 2: all of one kind, then the next.

    Args:
        optimizer: the optimizer.
    """
    kinds: dict[str, list[Any]] = {}
    rate = optimizer.__dict__.get("_learning_rate")
    for variable in optimizer._variables:
        if variable is not rate:
            kinds.setdefault(_kind(variable, optimizer._trainable_variables), []).append(variable)
    return [variable for alike in kinds.values() for variable in alike]


def _kind(variable: Any, trained: Sequence[Any]) -> str:
    """Returns what a variable is for: its name without that of the variable that is trained."""
    fitting = [
        prefix
        for prefix in (str(getattr(v, "path", v.name)).replace("/", "_") for v in trained)
        if variable.name.startswith(prefix)
    ]
    return variable.name[len(max(fitting, key=len, default="")) :]


def _gradients(
    optimizer: Any, loss: Any, var_list: Any, *, grad_loss: Any, tape: Any
) -> list[tuple[Any, Any]]:
    if not callable(loss) and tape is None:
        raise ValueError(f"`tape` is required when a `Tensor` loss is passed. Received: {loss=}.")
    if callable(loss):
        tape = GradientTape() if tape is None else tape
        with tape:
            loss = loss()
            variables = _flat(var_list)
    else:
        variables = _flat(var_list)
    return list(zip(tape.gradient(loss, variables, grad_loss), variables, strict=True))


def _flat(variables: Any) -> list[Any]:
    return source("tree").flatten(variables() if callable(variables) else variables)


def _initializing(original: Callable[..., None], schedule: type) -> Callable[..., None]:
    """Returns the constructor that takes the arguments of Keras 2 as well."""

    @like(original)
    def __init__(self: Any, learning_rate: Any = None, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        decay = kwargs.pop("decay", None)
        # Classes of the older manner pass their name first, or no rate. Keras's own need one.
        is_of_keras = type(self).__module__.startswith("keras.")
        if isinstance(learning_rate, str) and not is_of_keras:
            kwargs["name"], learning_rate = learning_rate, None
        older = bool(decay)
        if "lr" in kwargs:
            learning_rate, older = kwargs.pop("lr"), True
            notice(f"{type(self).__name__}(lr=...)", f"{type(self).__name__}(learning_rate=...)")
        for name in WITHOUT_MEANING:
            kwargs.pop(name, None)
        if kwargs.get("ema_overwrite_frequency", 0) == 0:
            kwargs.pop("ema_overwrite_frequency", None)
        rate = (
            learning_rate
            if is_of_keras and learning_rate is None
            else _as_rate(learning_rate, schedule)
        )
        original(self, rate, *args, **kwargs)
        self._older = older  # it then takes new variables at any time
        if decay:
            notice(
                f"{type(self).__name__}(decay=...)",
                "learning_rate=tf.keras.optimizers.schedules.InverseTimeDecay(...)",
            )
            self._decay = float(decay)

    return __init__


def _as_rate(rate: Any, schedule: type) -> Any:
    """Returns a learning rate that Keras 3 takes."""
    if rate is None:
        return DEFAULT_RATE
    if isinstance(rate, Variable):
        return rate.value
    if isinstance(rate, float | schedule):
        return rate
    if isinstance(rate, numbers.Real | np.generic | np.ndarray | EagerTensor):
        return float(rate)
    return rate


def _decaying(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns the rate of this step: less with every step, where there is a `decay`."""

    def _get_current_learning_rate(self: Any) -> Any:
        rate = original(self)
        decay = self.__dict__.get("_decay")
        if not decay:
            return rate
        ops = source("ops")
        steps = ops.cast(self._iterations, rate.dtype)
        return ops.divide(rate, 1.0 + decay * steps)

    return _get_current_learning_rate


def _rate(original: property) -> property:
    """Returns the property; what is read stays the variable, which programs assign."""

    def get(self: Any) -> Any:
        if self.__dict__.get("_decay") and not callable(self._learning_rate):
            return self._learning_rate
        return original.fget(self)  # type: ignore[misc]

    return property(get, original.fset)


def _counted(original: property) -> property:
    """Returns the property, which programs may set."""

    def put(self: Any, value: Any) -> None:
        notice("optimizer.iterations = ...", "`optimizer.iterations.assign(...)`")
        self._iterations.assign(source("ops").cast(value, self._iterations.dtype))

    return property(original.fget, put)


def _older_rate() -> property:
    def get(self: Any) -> Any:
        notice("optimizer.lr", TODAY_RATE)
        return self.learning_rate

    def put(self: Any, rate: Any) -> None:
        notice("optimizer.lr", TODAY_RATE)
        self.learning_rate = rate

    return property(get, put)


def _applying(original: Callable[..., Any]) -> Callable[..., Any]:
    def apply_gradients(
        self: Any, grads_and_vars: Any, name: str | None = None, **kwargs: Any
    ) -> Any:
        """Applies gradients to variables; returns the number of steps."""
        if isinstance(name, list | tuple):
            raise TypeError(MESSAGE_PAIRS)
        unknown = set(kwargs) - {"experimental_aggregate_gradients", "skip_gradients_aggregation"}
        if unknown:
            raise TypeError(
                f"apply_gradients() got an unexpected keyword argument {min(unknown)!r}"
            )
        if name is not None or kwargs:
            notice("apply_gradients(name=..., ...)", "optimizer.apply_gradients(grads_and_vars)")
        return original(self, list(grads_and_vars))

    return shortening(apply_gradients)


def _with_decay(original: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    def get_config(self: Any) -> dict[str, Any]:
        config = original(self)
        decay = self.__dict__.get("_decay")
        return {**config, "decay": decay} if decay else config

    return get_config


def _setting_weights(original: Callable[..., None]) -> Callable[..., None]:
    def set_weights(self: Any, values: Sequence[Any]) -> None:
        """Gives the variables values: all of them, or those that `get_weights` returns."""
        if not self.built and self.__dict__.get("_older_waiting"):
            self.__dict__["_older_values"] = [np.asarray(value) for value in values]
            return
        if not self.built or len(values) == len(self._variables):
            original(self, [np.asarray(value) for value in values])
            return
        notice("optimizer.set_weights", "`variable.assign(value)` for `optimizer.variables`")
        own = weights(self)
        if [v.shape for v in own] != [np.shape(value) for value in values]:
            own = [v for v in self._variables if v is not self._learning_rate]  # as since 2.11
        if len(values) == len(own) - 1:  # from before the iterations were among them
            own = own[1:]
        if len(values) != len(own):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self.name} with a weight list of "
                f"length {len(values)}, but the optimizer was expecting {len(own)} weights."
            )
        for variable, value in zip(own, values, strict=True):
            variable.assign(value)

    return set_weights
