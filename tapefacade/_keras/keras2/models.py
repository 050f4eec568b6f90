"""Models as in Keras 2: `fit_generator`, `compiled_loss`, arguments of `fit` and `compile`."""

import functools
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tracebacks import shorten, shortening
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2.notices import Attribute, like, notice, refusal, source

TODAY_TRAINABLE = "`layer.trainable` for the layers"
WORKERS = ("workers", "use_multiprocessing", "max_queue_size")
OF_COMPILE = {
    "target_tensors": "pass the targets to `fit`.",
    "distribute": "there is no `distribute` in `compile`.",
}
DROPPED_OF_COMPILE = ("sample_weight_mode", "experimental_run_tf_function", "pss_evaluation_shards")


def apply(patches: AttributePatches) -> None:
    """Changes the classes of models.

    Args:
        patches: sets the attributes.
    """
    trainer = source("backend.jax.trainer").JAXTrainer
    base = source("trainers.trainer").Trainer
    model = source("models.model").Model
    for name in ("fit", "evaluate", "predict"):
        patches.set(trainer, name, _without_workers(vars(trainer)[name]))
    for name in ("train_on_batch", "test_on_batch"):
        patches.set(trainer, name, _resetting(vars(trainer)[name]))
    patches.set(base, "compile", _compiling(base.compile))
    patches.set(base, "metrics_names", property(_metrics_names))
    patches.set_members(model, ModelMembers)
    functional = source("models.functional").Functional
    patches.set(functional, "add_loss", source("layers.layer").Layer.add_loss)
    patches.set(functional, "_add_symbolic_losses", _add_symbolic_losses)
    patches.set(functional, "_run_through_graph", _with_losses(functional._run_through_graph))
    sequential = source("models.sequential").Sequential
    for name in ("input", "output"):
        patches.set(sequential, name, _end(name, getattr(sequential, name)))


def _end(name: str, original: property) -> property:
    """Returns the property of a sequential model that was called on nothing but its own input."""

    def get(self: Any) -> Any:
        if self._functional is None or self._inbound_nodes:
            return original.__get__(self)
        notice(f"sequential_model.{name}", f"sequential_model.{name}s[0]")
        return getattr(self._functional, name)

    return property(get)


def _without_workers(original: Callable[..., Any]) -> Callable[..., Any]:
    name = original.__name__

    @like(original)
    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        for key in [key for key in WORKERS if key in kwargs]:
            kwargs.pop(key)
            notice(f"model.{name}({key}=...)", f"model.{name} without it; `PyDataset` takes it")
        if "nb_epoch" in kwargs:
            notice("model.fit(nb_epoch=...)", "model.fit(epochs=...)")
            kwargs["epochs"] = kwargs.pop("nb_epoch")
        try:
            return original(self, *args, **kwargs)
        except Exception as error:
            shorten(error)
            raise

    return function


def _resetting(original: Callable[..., Any]) -> Callable[..., Any]:
    name = original.__name__

    @like(original)
    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        reset = kwargs.pop("reset_metrics", None)
        if reset is None:
            return original(self, *args, **kwargs)
        notice(f"model.{name}(reset_metrics=...)", "`model.reset_metrics()`")
        result = original(self, *args, **kwargs)
        if reset:
            self.reset_metrics()
        return result

    return function


def _compiling(original: Callable[..., None]) -> Callable[..., None]:
    """Returns `compile`, whose third argument was the metrics."""

    @like(original)
    def compile(self: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) > 2 and not _are_numbers(args[2]):
            notice("model.compile(optimizer, loss, metrics)", "model.compile(..., metrics=...)")
            kwargs.update(zip(("metrics", "loss_weights"), args[2:4], strict=False))
            kwargs.update(zip(("weighted_metrics", "run_eagerly"), args[4:], strict=False))
            args = args[:2]
        for key in [key for key in OF_COMPILE if key in kwargs]:
            if kwargs.pop(key) is not None:
                raise refusal(f"model.compile({key}=...)", OF_COMPILE[key])
        for key in [key for key in DROPPED_OF_COMPILE if key in kwargs]:
            kwargs.pop(key)
            notice(f"model.compile({key}=...)", "model.compile without it")
        if "experimental_steps_per_execution" in kwargs:
            notice("experimental_steps_per_execution=...", "steps_per_execution=...")
            kwargs["steps_per_execution"] = kwargs.pop("experimental_steps_per_execution")
        for key in ("metrics", "weighted_metrics"):
            if isinstance(kwargs.get(key), str) or callable(kwargs.get(key)):
                notice(f"model.compile({key}=one metric)", f"model.compile({key}=[...])")
                kwargs[key] = [kwargs[key]]
        if kwargs.get("run_eagerly", False) is None:
            kwargs["run_eagerly"] = False
        original(self, *args, **kwargs)

    return shortening(compile)


def _are_numbers(value: Any) -> bool:
    leaves = source("tree").flatten(value)
    return all(leaf is None or isinstance(leaf, numbers.Number) for leaf in leaves)


def _metrics_names(self: Any) -> list[str]:
    """Returns the names of what `evaluate` returns, in its order."""
    compiled = source("trainers.compile_utils").CompileMetrics
    first: list[str] = []
    all_names: list[str] = []
    for metric in self.metrics:
        if not isinstance(metric, compiled):
            first.append(metric.name)
            all_names.append(metric.name)
        elif metric.built:
            first.extend(part.name for part in metric.metrics)
            all_names.extend(metric.result())
    ordered = [name for name in first if name in all_names]
    return [*ordered, *sorted(name for name in all_names if name not in first)]


class _CompiledMetrics:
    """What `model.compiled_metrics` was: the metrics that `compile` was given."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def update_state(self, y: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes one batch into account.

        Args:
            y: the targets.
            y_pred: the predictions.
            sample_weight: weights of the examples.
        """
        if self._model._compile_metrics is not None:
            self._model._compile_metrics.update_state(y, y_pred, sample_weight)

    def reset_state(self) -> None:
        """Starts again."""
        if self._model._compile_metrics is not None:
            self._model._compile_metrics.reset_state()

    @property
    def metrics(self) -> list[Any]:
        """The metrics."""
        compiled = self._model._compile_metrics
        return [] if compiled is None else compiled.metrics


class _CompiledLoss:
    """What `model.compiled_loss` was: the loss that `compile` was given, and its mean."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __call__(
        self, y: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
    ) -> Any:
        if self._model._compile_loss is None:
            raise ValueError("No loss to compute. Provide a `loss` argument in `compile()`.")
        loss = self._model._compile_loss(y, y_pred, sample_weight)
        for other in regularization_losses or ():
            loss = loss + source("ops").cast(source("ops").sum(other), loss.dtype)
        count = source("tree").flatten(y_pred)[0].shape[0]
        self._model._loss_tracker.update_state(loss, sample_weight=count)
        return loss

    @property
    def metrics(self) -> list[Any]:
        """The means that it keeps."""
        return [self._model._loss_tracker, *self._model._compile_loss.metrics]


class ModelMembers:
    """The members that Keras's class of models gets: methods of Keras 2."""

    compiled_metrics = Attribute(
        "compiled_metrics", "`model.compute_metrics(x, y, y_pred)`", _CompiledMetrics
    )
    compiled_loss = Attribute("compiled_loss", "`model.compute_loss(x, y, y_pred)`", _CompiledLoss)
    uses_learning_phase = Attribute("uses_learning_phase", "nothing", lambda self: False)
    state_updates = Attribute("state_updates", "nothing", lambda self: [])

    def fit_generator(self: Any, generator: Any, *args: Any, **kwargs: Any) -> Any:
        """Trains on what a generator yields."""
        notice("model.fit_generator", "`model.fit`")
        names = (
            "steps_per_epoch", "epochs", "verbose", "callbacks", "validation_data",
            "validation_steps", "validation_freq", "class_weight", "max_queue_size", "workers",
            "use_multiprocessing", "shuffle", "initial_epoch",
        )  # fmt: skip
        named = _named(names, args, kwargs)
        if not hasattr(generator, "__getitem__"):
            named["shuffle"] = False  # nothing can shuffle it
        return self.fit(generator, **named)

    def evaluate_generator(self: Any, generator: Any, *args: Any, **kwargs: Any) -> Any:
        """Evaluates on what a generator yields."""
        notice("model.evaluate_generator", "`model.evaluate`")
        return self.evaluate(generator, **_named(_OF_GENERATORS, args, kwargs))

    def predict_generator(self: Any, generator: Any, *args: Any, **kwargs: Any) -> Any:
        """Predicts for what a generator yields."""
        notice("model.predict_generator", "`model.predict`")
        return self.predict(generator, **_named(_OF_GENERATORS, args, kwargs))

    def predict_classes(self: Any, x: Any, batch_size: int = 32, verbose: Any = 0) -> np.ndarray:
        """Returns the classes that are predicted."""
        notice("model.predict_classes", "`np.argmax(model.predict(x), axis=-1)`")
        probabilities = self.predict(x, batch_size=batch_size, verbose=verbose)
        if probabilities.shape[-1] > 1:
            return probabilities.argmax(axis=-1)
        return (probabilities > 0.5).astype("int32")

    def predict_proba(self: Any, x: Any, batch_size: int = 32, verbose: Any = 0) -> np.ndarray:
        """Returns the predictions."""
        notice("model.predict_proba", "`model.predict`")
        return self.predict(x, batch_size=batch_size, verbose=verbose)

    def reset_states(self: Any) -> None:
        """Gives the states of all recurrent layers their first values."""
        notice("model.reset_states", "`layer.reset_state` for the layers that have it")
        for layer in self._flatten_layers(include_self=False):
            if getattr(layer, "stateful", False) and hasattr(layer, "reset_state"):
                layer.reset_state()

    def _make_predict_function(self: Any) -> None:
        notice("model._make_predict_function", "`model.make_predict_function`")
        self.make_predict_function()

    def _make_train_function(self: Any) -> None:
        notice("model._make_train_function", "`model.make_train_function`")
        self.make_train_function()

    def _get_trainable_state(self: Any) -> dict[Any, bool]:
        notice("model._get_trainable_state", TODAY_TRAINABLE)
        return {layer: layer.trainable for layer in self._flatten_layers()}

    def _set_trainable_state(self: Any, state: dict[Any, bool]) -> None:
        notice("model._set_trainable_state", TODAY_TRAINABLE)
        for layer in self._flatten_layers():  # each is set again after those it is in
            if layer in state:
                layer.trainable = state[layer]


_OF_GENERATORS = (
    "steps", "callbacks", "max_queue_size", "workers", "use_multiprocessing", "verbose",
)  # fmt: skip


def _named(names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    named = {**dict(zip(names, args, strict=False)), **kwargs}
    return {key: value for key, value in named.items() if key not in WORKERS}


def _add_symbolic_losses(self: Any, losses: Any) -> None:
    """Adds symbolic losses to a functional model: what they need is computed with its outputs."""
    notice("model.add_loss(symbolic tensor)", "`self.add_loss(value)` within a layer's `call`")
    kept = [*self.__dict__.get("_older_symbolic", []), *losses]
    function = source("ops.function").Function(self._inputs, [*self._outputs, *kept])
    known = {id(layer) for layer in self._flatten_layers()}
    for operation in function._operations:
        if isinstance(operation, source("layers.layer").Layer) and id(operation) not in known:
            self._tracker.track(operation)
    self.__dict__["_older_symbolic"] = kept
    self.__dict__["_older_function"] = function


def _with_losses(original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the computation of a functional model; losses that were added are computed too."""

    @functools.wraps(original)
    def _run_through_graph(self: Any, *args: Any, **kwargs: Any) -> Any:
        function = self.__dict__.get("_older_function")
        if function is None:
            return original(self, *args, **kwargs)
        values = list(original(function, *args, **kwargs))
        count = len(self._outputs)
        for loss in values[count:]:
            if isinstance(loss, EagerTensor) or source("backend").is_tensor(loss):
                self.add_loss(loss)
        return source("tree").pack_sequence_as(self._outputs_struct, values[:count])

    return _run_through_graph
