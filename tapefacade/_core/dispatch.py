"""Values that are no dense numbers (texts, ragged and sparse tensors), and what ops do with them.

Ops record dense tensors of numbers. Where one meets another kind of value, the conversion raises
`HandOver`, and the op calls the handler that was registered for its name and the class of the
value. Dense tensors never come here, so they pay nothing for it.
"""

import functools
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tapefacade._core.error_texts import unsupported_value
from tapefacade._core.tensor import FailedResult, is_left_open
from tapefacade._core.tracebacks import shorten


class HandOver(ValueError):  # noqa: N818 - an error only if nobody takes the value
    """Says that a value is no dense tensor of numbers."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def __str__(self) -> str:  # not before somebody reads it: showing a value computes it
        if isinstance(self.value, CompositeTensor):
            return self.value._refusal()
        return str(unsupported_value(self.value))


HandOver.__name__ = HandOver.__qualname__ = "ValueError"  # what it is to users
HandOver.__module__ = "builtins"


class Composite:
    """What `tf.nest` can take apart: values made of tensors, and their specs."""

    __slots__ = ()

    def _parts(self) -> list[Any]:
        """Returns the tensors, or the specs of tensors, that it is made of."""
        return [self]

    def _assembled(self, rest: Iterator[Any]) -> Any:
        """Returns a value of this form, made of the next of other tensors."""
        return next(rest)


class CompositeTensor(Composite):
    """A value made of several tensors: the base class of ragged and sparse tensors.

    A subclass says what its tensors are, so that nested structures can take it apart, and which of
    them carries gradients, so that tapes can.
    """

    __slots__ = ()
    _is_tensor = True  # whether `tf.is_tensor` says so
    if TYPE_CHECKING:
        _type_spec: Any

    def _components(self) -> Sequence[Any]:
        """Returns the tensors (or composites) that the value is made of, in TensorFlow's order."""
        raise TypeError(f"{type(self).__name__} does not say what it is made of.")

    def _with_components(self, components: Sequence[Any]) -> Any:
        """Returns a value of this form, made of other tensors."""
        raise TypeError(f"{type(self).__name__} cannot be made of {len(components)} tensors.")

    def _parts(self) -> list[Any]:
        return [part for component in self._components() for part in parts(component)]

    def _assembled(self, rest: Iterator[Any]) -> Any:
        return self._with_components([with_parts(item, rest) for item in self._components()])

    def _with_known_sizes(self, spec: Any, parts: Sequence[Any]) -> Any:
        """Returns the spec of this value with no other sizes than the specs of its tensors tell."""
        return spec

    def _differentiated(self) -> Any:
        """Returns the tensor that carries the gradients: the values."""
        return self._components()[0]

    def _with_gradient(self, gradient: Any) -> Any:
        """Returns the gradient for this value, given that for `_differentiated()`."""
        return self._with_components([gradient, *self._components()[1:]])

    def _gradient_parts(self) -> list[Any]:
        """Returns the tensors that carry the gradients."""
        return [self._differentiated()]

    def _with_gradients(self, gradients: Sequence[Any]) -> Any:
        """Returns the gradient for this value, given those for `_gradient_parts()`."""
        (gradient,) = gradients
        return None if gradient is None else self._with_gradient(gradient)

    def _watched_parts(self) -> list[Any]:
        """Returns the tensors that a tape watches when it is to watch the value."""
        return [self._differentiated()]

    def _static_parts(self) -> tuple[Hashable, ...]:
        """Returns what a function depends on in the value apart from its tensors."""
        return ()

    def _refusal(self) -> str:
        """Says that the value is no dense tensor."""
        return str(unsupported_value(self))

    def _printed(self, summarize: int) -> str:
        """Returns what `tf.print` shows."""
        return str(self)


def parts(value: Any) -> list[Any]:
    """Returns the tensors that a value is made of: itself if it is no composite."""
    return value._parts() if isinstance(value, Composite) else [value]


def with_parts(value: Any, rest: Iterator[Any]) -> Any:
    """Returns a value like `value`, made of the next tensors of `rest` in the order of `parts`."""
    return value._assembled(rest) if isinstance(value, Composite) else next(rest)


# (name of the function, class of the value) -> what the function does with such a value. What is
# under "*" is asked last, with the name in front of the arguments.
HANDLERS: dict[tuple[str, type], Callable[..., Any]] = {}
# Name of a function -> what users have registered for it (`_extension/api_dispatch.py`).
TARGETS: dict[str, Any] = {}


def handles(kind: type, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers what the functions `names` do with a value of the class `kind`.

    Args:
        kind: the class; its subclasses are handled as well.
        *names: paths below `tf`, the canonical ones.

    Returns:
        A decorator for the handler, which has the signature of the functions. It raises `HandOver`
        or returns NotImplemented for arguments that it cannot take.
    """

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            if (name, kind) in HANDLERS:
                raise ValueError(f"{name!r} already has a handler for {kind.__name__}.")
            HANDLERS[name, kind] = handler
        return handler

    return register


def is_handled(name: str, value: Any) -> bool:
    """Tells whether a function has a handler for a composite that also converts to a tensor."""
    return isinstance(value, CompositeTensor) and any(
        (name, kind) in HANDLERS for kind in type(value).__mro__
    )


def hand_over(
    name: str, given: HandOver, args: Any = (), kwargs: Any = None, is_operator: bool = False
) -> Any:
    """Calls the handler of a function for a value that is no dense tensor.

    Args:
        name: the function.
        given: what the conversion of the value raised.
        args: the positional arguments.
        kwargs: the keyword arguments.
        is_operator: whether an operator is called, which users do not override so.

    Returns:
        What the handler returns.

    Raises:
        HandOver: if there is no handler, or it returns NotImplemented.
    """
    kwargs = kwargs or {}
    if TARGETS and not is_operator and (dispatcher := TARGETS.get(name)) is not None:
        result = dispatcher(args, kwargs)
        if result is not NotImplemented:
            return result
    try:
        for kind in type(given.value).__mro__:
            for key, first in ((name, ()), ("*", (name,))):
                handler = HANDLERS.get((key, kind))
                result = NotImplemented if handler is None else handler(*first, *args, **kwargs)
                if result is not NotImplemented:
                    return result
    except HandOver as other:  # the handler has met a value of yet another kind
        if type(other.value) is type(given.value):
            raise
        return hand_over(name, other, args, kwargs)
    raise given


def dispatched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function made of several ops hand over values that its body cannot convert."""
    has_result = function.__annotations__.get("return", True) is not None

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except HandOver as given:
            return hand_over(name, given, args, kwargs)
        except Exception as error:  # of the function, whatever it raises
            if has_result and is_left_open(error):
                return FailedResult(error)
            shorten(error)
            raise

    return call
