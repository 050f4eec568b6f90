"""Losses and metrics as in Keras 2: `Reduction.AUTO`, `reset_states`, positions."""

import functools
from collections.abc import Callable
from typing import Any

from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2.notices import Attribute, like, notice, renamed_method, source
from tapefacade._keras.keras2.registered_types import loss_of_objects

REDUCTIONS = ("auto", "none", "sum", "sum_over_batch_size")
# Arguments of `add_weight` in Keras 2, in this order.
OF_WEIGHTS = ("name", "shape", "aggregation", "synchronization", "initializer", "dtype")
DROPPED_ARGUMENTS = ("aggregation", "synchronization", "use_resource", "trainable")


def apply(patches: AttributePatches) -> None:
    """Changes the classes of losses and metrics.

    Args:
        patches: sets the attributes.
    """
    losses = source("losses.loss")
    patches.set(losses, "standardize_reduction", _reducing(losses.standardize_reduction))
    patches.set(losses.Loss, "__init__", _initializing_loss(losses.Loss.__init__))
    patches.set(losses.Loss, "__call__", loss_of_objects(losses.Loss.__call__))
    wrapper = source("metrics.reduction_metrics").MeanMetricWrapper
    patches.set(wrapper, "__init__", _wrapping(wrapper.__init__))
    metric = source("metrics.metric").Metric
    patches.set(metric, "__init__", _initializing_metric(metric.__init__))
    patches.set(metric, "add_weight", _adding_weight(metric.add_weight))
    patches.set(metric, "__init_subclass__", classmethod(_of_older_class(metric)))
    patches.set(metric, "reset_states", _reset_states)
    patches.set(metric, "updates", Attribute("updates", "nothing", lambda self: []))
    patches.set(metric, "weights", Attribute("weights", "metric.variables", _variables))
    patches.set(metric, "trainable_weights", Attribute("trainable_weights", "[]", lambda s: []))
    for name in ("trainable_variables", "non_trainable_variables"):
        kept = (lambda s: []) if name == "trainable_variables" else _variables
        patches.set(metric, name, Attribute(name, "metric.variables", kept))
    patches.set(
        metric,
        "get_weights",
        renamed_method(
            "metric.get_weights",
            lambda self: [variable.numpy() for variable in self.variables],
            "`[v.numpy() for v in metric.variables]`",
        ),
    )


def _variables(metric: Any) -> list[Any]:
    return metric.variables


def _reducing(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(original)
    def standardize_reduction(reduction: Any) -> Any:
        if reduction == "auto":
            notice("Reduction.AUTO", '"sum_over_batch_size"')
            return "sum_over_batch_size"
        return original(reduction)

    return standardize_reduction


def _initializing_loss(original: Callable[..., None]) -> Callable[..., None]:
    """Returns the constructor, whose first argument was the reduction."""

    @like(original)
    def __init__(self: Any, name: Any = None, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if name in REDUCTIONS and "reduction" not in kwargs:
            older = name
            name = kwargs.pop("name", args[0] if args else None)
            if name not in REDUCTIONS:
                notice("Loss(reduction, name)", "Loss(reduction=..., name=...)")
                original(self, name, older, **kwargs)
                return
            name, args = older, (name,)
        original(self, name, *args, **kwargs)

    return __init__


def _wrapping(original: Callable[..., None]) -> Callable[..., None]:
    """Returns the constructor; in files of Keras 2 the function is there by its name."""

    @like(original)
    def __init__(self: Any, fn: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if isinstance(fn, str):
            for module in (source("metrics.accuracy_metrics"), source("losses.losses")):
                fn = getattr(module, fn, fn) if isinstance(fn, str) else fn
        original(self, fn, *args, **kwargs)

    return __init__


def _initializing_metric(original: Callable[..., None]) -> Callable[..., None]:
    """Returns the constructor, whose first argument was the name."""

    @like(original)
    def __init__(self: Any, dtype: Any = None, name: Any = None, **kwargs: Any) -> None:  # noqa: N807
        if isinstance(dtype, str) and (name is None or not isinstance(name, str)):
            try:
                source("backend").standardize_dtype(dtype)
            except ValueError:
                notice("Metric(name, dtype)", "Metric(name=..., dtype=...)")
                dtype, name = name, dtype
        for key in ("dynamic", "trainable"):
            kwargs.pop(key, None)
        original(self, dtype=dtype, name=name, **kwargs)

    return __init__


def _adding_weight(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def add_weight(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], str):
            notice('metric.add_weight("name")', 'metric.add_weight(name="name")')
            kwargs.update(zip(OF_WEIGHTS, args, strict=False))
            args = ()
        for key in DROPPED_ARGUMENTS:
            kwargs.pop(key, None)
        if "shape" in kwargs:
            kwargs["shape"] = tuple(kwargs["shape"])
        return original(self, *args, **kwargs)

    return add_weight


def _reset_states(self: Any) -> None:
    """Gives the variables of a metric their first values: the older name of `reset_state`."""
    notice("metric.reset_states", "`metric.reset_state`")
    self.reset_state()


def _of_older_class(metric: type) -> Callable[..., None]:
    """Returns what is called for new classes: `reset_state` is what one calls `reset_states`."""

    def __init_subclass__(cls: type, **kwargs: Any) -> None:  # noqa: N807
        super(metric, cls).__init_subclass__(**kwargs)
        own = vars(cls).get("reset_states")
        if own is None or "reset_state" in vars(cls):
            return

        def reset_states(self: Any) -> None:
            object.__setattr__(self, "_older_resetting", True)
            try:
                own(self)
            finally:
                object.__setattr__(self, "_older_resetting", False)

        def reset_state(self: Any) -> None:
            if self.__dict__.get("_older_resetting", False):  # `super().reset_states()` asks
                super(cls, self).reset_state()  # type: ignore[misc]
            else:
                self.reset_states()

        notice(f"{cls.__name__}.reset_states", f"`{cls.__name__}.reset_state`")
        cls.reset_states = reset_states
        cls.reset_state = reset_state

    return __init_subclass__
