"""How a program's answer is written down: the same way of TensorFlow and of us."""

import functools
import logging
import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
from cases.answer import normalised


class Caught:
    """What a statement raised: the class and the text, without what names the run."""

    def __init__(self, error: BaseException):
        self.name, self.text = type(error).__name__, normalised(str(error))


def caught(statement: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What the statement gives, or what it raises; a tensor is looked at here."""
    try:
        value = statement(*args, **kwargs)
        looked = value.values if type(value).__name__ == "IndexedSlices" else value
        if callable(getattr(looked, "numpy", None)):
            looked.numpy()
    except Exception as e:
        return Caught(e)
    return value


def answers(*statements: Callable[..., Any]) -> list[Any]:
    """What each statement gives or raises; what is no dense tensor of numbers as text."""
    return [shown(caught(statement)) for statement in statements]


def shown(value: Any) -> Any:
    """Ragged, sparse and string tensors as their reprs, also within dictionaries and tuples."""
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [shown(item) for item in value]
    dtype = getattr(value, "dtype", None)
    if hasattr(value, "row_splits") or hasattr(value, "dense_shape") or dtype == "string":
        return repr(value)
    return value


def in_a_new_directory(program: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a program in a directory of its own, so that messages hold no path."""

    @functools.wraps(program)
    def run(tf, np):
        here = pathlib.Path.cwd()
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            try:
                return program(tf, np)
            finally:
                os.chdir(here)

    return run


class Messages(logging.Handler):
    """Keeps what a logger is told, each message once."""

    def __init__(self):
        super().__init__()
        self.kept: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = normalised(record.getMessage())
        # Names lines of TensorFlow's, or is about its own functions and what is slow there.
        of_tensorflow = text.startswith(
            (
                "From /", "Using MirroredStrategy", "Using CollectiveAllReduce", "Efficient batch",
                "Using CentralStorageStrategy", "Collective ops is not configured",
            )
        )  # fmt: skip
        if " triggered tf.function retracing" in text:
            of_tensorflow = any(t in text for t in ("wrapped_fn", "Strategy", "TensorFlowTrainer"))
        if not of_tensorflow and text not in self.kept:
            self.kept.append(text)


def run(tf: Any, program: Callable[..., Any]) -> dict[str, Any]:
    """The program's answer as JSON: what it returns and what it logged."""
    logger, messages = tf.get_logger(), Messages()
    level, logger.propagate = logger.level, False
    handlers, logger.handlers = logger.handlers, [messages]
    logger.setLevel(logging.WARNING)
    tf.random.set_seed(None)  # of the program before
    try:
        returned = encoded(tf, program(tf, np))
    finally:
        logger.handlers = handlers
        logger.setLevel(level)
    return {"returned": returned, "logged": messages.kept}


def encoded(tf: Any, value: Any) -> Any:
    """Anything a program returns, as JSON: what kind it is, and its value."""
    match value:
        case Caught():
            return {"raises": value.name, "text": value.text}
        case None | bool() | str():
            return normalised(value) if isinstance(value, str) else value
        case int():
            return {"int": value}
        case float() | complex():
            return {type(value).__name__: numbers(np.asarray(value))}
        case dict():
            return {"dict": {str(k): encoded(tf, v) for k, v in value.items()}}
        case list() | tuple() | set():
            return {kind(value): [encoded(tf, v) for v in value]}
        case bytes():
            return {"bytes": value.decode("latin1")}
        case type():
            return {"class": value.__name__}
        case np.ndarray() | np.generic():
            return {"numpy": arrays(value)}
    return encoded_object(tf, value)


def encoded_object(tf: Any, value: Any) -> Any:
    if isinstance(value, tf.Variable):
        shape = str(value.shape)
        return {"variable": [value.name, shape, value.trainable, arrays(value.numpy())]}
    if isinstance(value, tf.IndexedSlices):
        parts = [value.values, value.indices, value.dense_shape]
        return {"IndexedSlices": [encoded(tf, part) for part in parts]}
    if isinstance(value, tf.SparseTensor):
        parts = [value.indices, value.values, value.dense_shape]
        return {"SparseTensor": [encoded(tf, part) for part in parts]}
    if isinstance(value, tf.Tensor):
        return {"tensor": arrays(value.numpy())}
    if isinstance(value, tf.DType | tf.TensorShape | slice) or value is Ellipsis:
        return {type(value).__name__: str(value)}
    return {"object": type(value).__name__}


def kind(value: Any) -> str:
    return type(value).__name__


def arrays(value: Any) -> list[Any]:
    value = np.asarray(value)
    return [value.dtype.name, list(value.shape), numbers(value)]


def numbers(value: np.ndarray) -> Any:
    """Nested lists of numbers of six digits; what JSON has no number for is text."""
    if value.dtype.kind == "c":
        return [numbers(value.real), numbers(value.imag)]
    if value.dtype.kind in "OSU":
        return nested([v.decode() if isinstance(v, bytes) else str(v) for v in value.flat], value)
    if value.dtype.kind in "fV":
        texts = [float(f"{float(v):.6g}") for v in value.flat]
        return nested([v if np.isfinite(v) else str(v) for v in texts], value)
    return value.tolist()


def nested(flat: list[Any], like: np.ndarray) -> Any:
    held = np.empty(like.size, object)
    held[:] = flat
    return held.reshape(like.shape).tolist()


def seeded(model: Any, np: Any, seed: int) -> None:
    """Gives a Keras model weights of NumPy's generator; vectors (biases, scales) stay as made."""
    rng, weights = np.random.default_rng(seed), model.get_weights()
    for k, weight in enumerate(weights):
        if weight.ndim > 1:
            drawn = rng.normal(size=weight.shape) / np.prod(weight.shape[:-1]) ** 0.5
            weights[k] = drawn.astype(weight.dtype)
    model.set_weights(weights)
