"""Keras's trainer on the tape: `fit` is Keras's own, its steps are ours.

A step takes the gradient with a tape and is a `tf.function`. A model that overrides `train_step` in
TensorFlow's manner (`def train_step(self, data)`, with a tape of its own) is trained by it.
"""

import contextlib
import functools
import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.replica_places import THREAD, replica_count
from tapefacade._function.function.function import Function
from tapefacade._keras.backend.variables import adopt
from tapefacade._keras.keras2.registered_types import as_tensor
from tapefacade._keras.training.datasets import READING
from tapefacade._keras.training.optimizer_update import scaled_for_replicas, unscaled_of_replicas
from tapefacade._ops.array.joining import concat
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._tape.tape import GradientTape

MESSAGE_NO_OPTIMIZER = (
    "'NoneType' object has no attribute 'apply_gradients': the model has no optimizer. Give one to "
    '`compile`, as in `model.compile(optimizer="adam", loss=...)`.'
)
MESSAGE_NO_METRICS = (
    "`{step}` of {model} returned {result}, where Keras wants the metrics as a dictionary: end it "
    'with `return {{"loss": loss}}`, or with `return {{m.name: m.result() for m in self.metrics}}`.'
)
NONE_REFUSED = "Attempt to convert a value (None)"
MESSAGE_NO_TARGETS = (
    "None values not supported: the loss compares with targets, and there is no `y`. Write "
    "`model.fit(x, y)`, or have the dataset give pairs `(x, y)`; what learns without targets has a "
    "loss of its own, by `add_loss` or `compute_loss`."
)
MESSAGE_DATA = (
    "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: {}"
)
STATES = (
    "trainable_variables",
    "non_trainable_variables",
    "optimizer_variables",
    "metrics_variables",
)


class TrainerMembers:
    """The members that Keras's trainer for JAX gets: steps on the tape."""

    # The steps, which users override.

    def train_step(self: Any, data: Any) -> Any:
        """Trains on one batch; returns the metrics."""
        x, y, sample_weight = _unpacked(data)
        with GradientTape() as tape:
            y_pred = _called(self, x, True)
            loss = _loss(self, x, y, y_pred, sample_weight, True)
            self._loss_tracker.update_state(unscaled_of_replicas(loss), sample_weight=_count(x))
            if self.optimizer is not None:
                loss = self.optimizer.scale_loss(loss)
        if weights := self.trainable_weights:
            if self.optimizer is None:
                raise AttributeError(MESSAGE_NO_OPTIMIZER)
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self: Any, data: Any) -> Any:
        """Evaluates one batch; returns the metrics."""
        x, y, sample_weight = _unpacked(data)
        y_pred = _called(self, x, False)
        loss = _loss(self, x, y, y_pred, sample_weight, False)
        self._loss_tracker.update_state(unscaled_of_replicas(loss), sample_weight=_count(x))
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self: Any, data: Any) -> Any:
        """Returns the predictions for one batch."""
        return nest.map_structure(as_tensor, _called(self, _unpacked(data)[0], False))

    # What `fit`, `evaluate` and `predict` call.

    def make_train_function(self: Any, force: bool = False) -> Any:
        """Makes the function that trains on the next batches."""
        if self.train_function is None or force:
            self.train_function = _over_batches(self, self.train_step)
        return self.train_function

    def make_test_function(self: Any, force: bool = False) -> Any:
        """Makes the function that evaluates the next batches."""
        if self.test_function is None or force:
            self.test_function = _over_batches(self, self.test_step)
        return self.test_function

    def make_predict_function(self: Any, force: bool = False) -> Any:
        """Makes the function that predicts for the next batches."""
        if self.predict_function is None or force:
            self.predict_function = _over_batches(self, self.predict_step, is_joined=True)
        return self.predict_function

    def _symbolic_build(self: Any, iterator: Any = None, data_batch: Any = None) -> None:
        """Does nothing: models, metrics and optimizers are built by the first step, as in TF."""

    def _aggregate_additional_loss(self: Any, loss: Any) -> Any:
        """Returns a loss of a layer, of which each replica has its share."""
        return scaled_for_replicas(reduce_sum(loss))

    # There is no state to carry along: programs assign the variables themselves. What Keras notes
    # of it on the model it would mix up where a thread predicts while another one trains.

    _jax_state_synced: Any = property(lambda self: True, lambda self, value: None)

    def _get_jax_state(self: Any, purge_model_variables: bool = False, **wanted: bool) -> Any:
        return tuple([] for name in STATES if wanted.get(name))

    def jax_state_sync(self: Any) -> None:
        """Does nothing: the variables have their values."""


def made_in_scope(original: Callable[..., None]) -> Callable[..., None]:
    """Makes `__init__` of models, which note the strategy that they are made in the scope of."""

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        original(self, *args, **kwargs)
        strategy = THREAD.places[-1].strategy if replica_count() > 1 else None
        object.__setattr__(self, "_replica_strategy", strategy)

    return __init__


def in_scope_of_model(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a method of models whose variables belong to the model's strategy, as all others."""

    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        strategy = None if THREAD.places else strategy_of(self)
        with contextlib.nullcontext() if strategy is None else strategy.scope():
            return original(self, *args, **kwargs)

    return method


def reads_for_strategy(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a method of models that reads data: of several processes each reads its part."""

    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        with READING.temporarily(strategy=strategy_of(self)):
            try:
                return original(self, *args, **kwargs)
            except BaseException:  # also Ctrl-C: the threads of the validation's data end
                if original.__name__ == "fit":
                    self._eval_epoch_iterator = None
                raise

    return method


def keeps_batch_whole(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a method of models that is given one batch: each replica takes all of it, as in TF."""

    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        with READING.temporarily(strategy=None):  # also in a callback of `fit`
            return original(self, *args, **kwargs)

    return method


def ends_when_dropped(original: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the generator of an epoch, which does not keep the object that keeps it.

    So the iterator of an epoch that was interrupted is gone at once, and its threads with it.
    """

    @functools.wraps(original)
    def _enumerate_iterator(self: Any) -> Iterator[Any]:
        return original(weakref.proxy(self))

    return _enumerate_iterator


def strategy_of(model: Any) -> Any:
    """Returns the strategy of several replicas that a model belongs to, or None."""
    if getattr(model, "_replica_strategy", None) is not None:
        return model._replica_strategy
    # `model.metrics` may be a property of the user's, of metrics that `compile` has yet to make.
    weights = list(model.variables)
    if getattr(model, "optimizer", None) is not None:
        weights += model.optimizer.variables
    found = (getattr(weight._root, "_strategy", None) for weight in weights)
    return next((s for s in found if s is not None and s.num_replicas_in_sync > 1), None)


def _take_in(strategy: Any, model: Any) -> None:
    """Gives a strategy the variables of an optimizer and of metrics made outside of its scope."""
    optimizer, compiled = (getattr(model, n, None) for n in ("optimizer", "_compile_metrics"))
    owners = [] if optimizer is None else [optimizer]
    for given in (compiled._user_metrics, compiled._user_weighted_metrics) if compiled else ():
        owners += [metric for metric in nest.flatten(given) if hasattr(metric, "update_state")]
    with strategy.scope():
        for variable in (variable for owner in owners for variable in owner.variables):
            if getattr(variable._root, "_strategy", None) is None:
                adopt(variable, variable._made(variable._root.value()))


def _in_replicas(strategy: Any, step: Callable[[Any], Any], is_joined: bool) -> Any:
    """Returns a step whose batch is cut for the replicas of a strategy."""

    def step_of_replicas(data: Any) -> Any:
        result = strategy.run(step, args=(data,))
        return nest.map_structure(
            lambda part: strategy.joined(part) if is_joined else strategy.averaged(part), result
        )

    return step_of_replicas


def _over_batches(
    model: Any, step: Callable[[Any], Any], is_joined: bool = False
) -> Callable[..., Any]:
    """Makes a function of the trainer's state and an iterator, which takes steps.

    Args:
        model: the model.
        step: what is done with a batch.
        is_joined: whether what several replicas give is joined, and not averaged.
    """
    name = step.__name__
    strategy = strategy_of(model)
    if strategy is not None:
        _take_in(strategy, model)
        step = _in_replicas(strategy, step, is_joined)
    call = _on_tensors(step) if model.run_eagerly else Function(step, reduce_retracing=True)

    def function(state: Any, iterator: Iterator[Any]) -> tuple[Any, Any]:
        result = call(batch(next(iterator)))
        rest = itertools.islice(iterator, model.steps_per_execution - 1)
        others = [call(batch(data)) for data in rest]
        if is_joined:
            if others:
                result = nest.map_structure(lambda *parts: concat(parts, 0), result, *others)
            return result, state
        result = [result, *others][-1]
        if not isinstance(result, dict):
            raise ValueError(
                MESSAGE_NO_METRICS.format(step=name, model=type(model).__name__, result=result)
            )
        return result, state

    def batch(data: Any) -> Any:
        return data if strategy is None or READING.strategy is None else strategy.cut(data)

    return function


def _on_tensors(step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns a step that is given tensors, as one that is a `tf.function` is."""

    def tensor(leaf: Any) -> Any:
        return convert(leaf) if isinstance(leaf, np.ndarray) else leaf

    return lambda data: step(nest.map_structure(tensor, data))


def _called(model: Any, x: Any, training: bool) -> Any:
    return model(x, training=training) if model._call_has_training_arg else model(x)


def _loss(model: Any, x: Any, y: Any, y_pred: Any, sample_weight: Any, training: bool) -> Any:
    """Returns the loss of a batch.

    Raises:
        ValueError: if there are no targets, and the loss needs some.
    """
    try:
        return model._compute_loss(x, y, y_pred, sample_weight, training)
    except ValueError as error:
        if y is None and NONE_REFUSED in str(error):
            raise ValueError(MESSAGE_NO_TARGETS) from None
        raise


def _unpacked(data: Any) -> tuple[Any, Any, Any]:
    """Returns inputs, targets and weights of a batch."""
    if not isinstance(data, tuple | list):
        return data, None, None
    if len(data) > 3:
        raise ValueError(MESSAGE_DATA.format(data))
    x, y, sample_weight = (*data, None, None)[:3]
    return x, y, sample_weight


def _count(x: Any) -> int:
    """Returns how many examples a batch has."""
    while isinstance(x, list | tuple | dict):
        x = next(iter(x.values() if isinstance(x, dict) else x))
    return x.shape[0]
