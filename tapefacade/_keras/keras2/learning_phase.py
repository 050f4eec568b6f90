"""Whether a program trains, as Keras 2 keeps it: for all layers, until it is set again."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._core.thread_state import ThreadState
from tapefacade._keras.keras2.notices import notice, source

TODAY_ARGUMENT = "the argument `training` of `call`"
SPELLING_TODAY = "`layer(x, training=...)`"


class _Phase(ThreadState):
    """The phase that a program has set, if any."""

    value: bool | None = None


_PHASE = _Phase()


def learning_phase() -> int:
    """Returns 1 where the layer that runs now trains, or where `set_learning_phase` says so."""
    notice("K.learning_phase", TODAY_ARGUMENT)
    return int(bool(now()))


def now() -> bool | None:
    """Returns what holds now; None if nobody has said it."""
    context = source("backend.common.global_state").get_global_attribute("current_call_ctx")
    said = None if context is None else context.get_value("training")
    return _PHASE.value if said is None else bool(said)


def preset() -> bool | None:
    """Returns what a program has set for all layers; None if it has set nothing."""
    return _PHASE.value


def set_learning_phase(value: Any) -> None:
    """Sets the phase of all layers that are called without `training`.

    Args:
        value: 1 or True for training, 0 or False for inference.
    """
    notice("K.set_learning_phase", SPELLING_TODAY)
    _put(value)


def _put(value: Any) -> None:
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _PHASE.value = bool(value)


@contextlib.contextmanager
def learning_phase_scope(value: Any) -> Iterator[None]:
    """Sets the phase for the time of a block.

    Args:
        value: 1 or True for training, 0 or False for inference.
    """
    notice("K.learning_phase_scope", SPELLING_TODAY)
    with _PHASE.temporarily(value=_PHASE.value):
        _put(value)
        yield


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Returns one of two values, or of what two functions return: the first while training.

    Args:
        x: the value for training, or a function that returns it.
        alt: the value for inference, or a function that returns it.
        training: says which; the phase, if None.
    """
    notice("K.in_train_phase", TODAY_ARGUMENT)
    training = now() if training is None else training
    if not isinstance(training, bool | int | type(None)):
        return source("ops").cond(training, lambda: _value(x), lambda: _value(alt))
    return _value(x if training else alt)


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Returns one of two values, or of what two functions return: the first while not training.

    Args:
        x: the value for inference, or a function that returns it.
        alt: the value for training, or a function that returns it.
        training: says which; the phase, if None.
    """
    return in_train_phase(alt, x, training)


def _value(value: Any) -> Any:
    return value() if callable(value) else value


def resolve_with_learning_phase(original: Callable[..., None]) -> Callable[..., None]:
    """Returns the search for what `training` is in a call, which sees the phase.

    Args:
        original: Keras's own.
    """

    def _resolve_and_populate_arg(
        self: Any, arg_name: str, call_spec: Any, call_context: Any, kwargs: Any
    ) -> None:
        if (
            _PHASE.value is not None
            and arg_name == "training"
            and call_spec.user_arguments_dict.get(arg_name) is None
            and call_context.get_value(arg_name) is None
        ):
            call_spec.user_arguments_dict[arg_name] = _PHASE.value
        original(self, arg_name, call_spec, call_context, kwargs)

    return _resolve_and_populate_arg
