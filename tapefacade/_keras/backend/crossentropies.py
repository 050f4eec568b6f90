"""Keras's cross entropies, as Keras has them for TensorFlow: of the logits, where these are known.

Probabilities of a softmax or a sigmoid remember what they are computed from. The cross entropy of
that is exact, and has a gradient, where a probability is as good as 0 or 1.
"""

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from tapefacade._core.tensor import EagerTensor
from tapefacade._trace.recording import THREAD

ACTIVATIONS = {
    "binary_crossentropy": "Sigmoid",
    "categorical_crossentropy": "Softmax",
    "sparse_categorical_crossentropy": "Softmax",
}  # which gives the probabilities
MESSAGE_LOGITS = (
    '"`{}` received `from_logits=True`, but the `output` argument was produced by a {} activation '
    "and thus does not represent logits. Was this intended?"
)


def of_logits(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of the backend that remembers logits, or a cross entropy that asks.

    Args:
        name: its name.
        function: the function, on tensors.
    """
    if name in ("sigmoid", "softmax"):

        @functools.wraps(function)
        def activation(x: Any, *args: Any, **kwargs: Any) -> Any:
            output = function(x, *args, **kwargs)
            if type(output) is EagerTensor:
                vars(output)["_keras_logits"] = x
            return output

        return activation
    if name not in ACTIVATIONS:
        return function

    @functools.wraps(function)
    def crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
        logits = _logits_of(output, ACTIVATIONS[name])
        if logits is not None:
            if from_logits:
                message = MESSAGE_LOGITS.format(name, ACTIVATIONS[name])
                warnings.warn(message, stacklevel=3)
            output, from_logits = logits, True
        # A binary one has no axis.
        rest = () if name == "binary_crossentropy" else (axis,)
        return function(target, output, from_logits, *rest)

    return crossentropy


def _logits_of(output: Any, activation: str) -> Any:
    """Returns what probabilities are computed from, if that is known.

    In a function it is known of the op that gives them, as of TensorFlow's graphs.
    """
    logits, recording = getattr(output, "_keras_logits", None), THREAD.recording
    is_recorded = type(output) is EagerTensor and output._recording is recording
    if logits is not None or not THREAD.functions or not is_recorded:
        return logits
    node = recording.at
    while node.first > output._slot:
        assert node.parent is not None  # the root's first is 0
        node = node.parent
    (axis, *_) = *node.static, None  # a sigmoid has none
    is_last = axis in (None, -1, len(output._type.shape) - 1)
    if node.operation is None or node.operation.kernel != activation or not is_last:
        return None
    return recording.tensor_at(node.inputs[0], output._type)


def of_probabilities(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of the backend; the cross entropy of classes takes any numbers.

    What is no probability, because nobody has said `from_logits=True`, is cut to one, and all are
    made to add up afterwards.

    Args:
        name: its name.
        function: the function, on JAX's arrays.
    """
    if name != "sparse_categorical_crossentropy":
        return function
    config = importlib.import_module("keras.src.backend.config")

    @functools.wraps(function)
    def crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
        if not from_logits:
            edge = config.epsilon()
            output = jnp.log(jnp.clip(jnp.asarray(output), edge, 1 - edge))
        return function(target, output, True, axis)

    return crossentropy
