"""`tensorflow.python.util.tf_decorator`: decorators that know what they decorate."""

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

from tapefacade._function.function.function import Function, Method

ATTRIBUTE = "_tf_decorator"


class TFDecorator:
    """What a decorator has done to a function; callable as the decorated function.

    Args:
        decorator_name: the name of the decorator.
        target: what it was given.
        decorator_doc: what it says about itself.
        decorator_argspec: the arguments of the result, where they are not those of the target.
    """

    def __init__(
        self,
        decorator_name: str,
        target: Any,
        decorator_doc: str = "",
        decorator_argspec: Any = None,
    ) -> None:
        self._decorated_target = target
        self._decorator_name = decorator_name
        self._decorator_doc = decorator_doc
        self._decorator_argspec = decorator_argspec
        self.__doc__ = decorator_doc or getattr(target, "__doc__", "") or ""
        for name in ("__name__", "__qualname__"):
            if hasattr(target, name):
                setattr(self, name, getattr(target, name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._decorated_target(*args, **kwargs)

    @property
    def decorated_target(self) -> Any:
        """What the decorator was given."""
        return self._decorated_target

    @decorated_target.setter
    def decorated_target(self, target: Any) -> None:
        self._decorated_target = target

    @property
    def decorator_name(self) -> str:
        """The name of the decorator."""
        return self._decorator_name

    @property
    def decorator_doc(self) -> str:
        """What the decorator says about itself."""
        return self._decorator_doc

    @property
    def decorator_argspec(self) -> Any:
        """The arguments of the result, None where they are those of the target."""
        return self._decorator_argspec


def make_decorator(
    target: Any,
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Callable[..., Any]:
    """Makes a function that decorates another look like it.

    Args:
        target: the function that is decorated.
        decorator_func: what is called in its place.
        decorator_name: the name of the decorator; by default that of the calling function.
        decorator_doc: what the decorator says about itself.
        decorator_argspec: the arguments of the result, where they are not those of the target.

    Returns:
        `decorator_func`, with the name and the documentation of the target.
    """
    if decorator_name is None:
        frame = inspect.currentframe()
        caller = None if frame is None else frame.f_back
        decorator_name = "" if caller is None else caller.f_code.co_name
    record = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorated: Any = decorator_func
    setattr(decorated, ATTRIBUTE, record)
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        if hasattr(target, name):
            setattr(decorated, name, getattr(target, name))
    if hasattr(target, "__dict__"):
        for name, value in vars(target).items():
            decorated.__dict__.setdefault(name, value)
    decorated.__wrapped__ = target
    if decorator_argspec is not None:
        decorated.__signature__ = _signature(decorator_argspec)
    elif callable(target):
        with contextlib.suppress(TypeError, ValueError):  # functions in C need not tell
            decorated.__signature__ = inspect.signature(target)
    return decorated


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """Finds what was decorated, and by what.

    Args:
        maybe_tf_decorator: any callable.

    Returns:
        The decorators from the outermost on, and the function that was decorated first.
    """
    found: list[TFDecorator] = []
    current = maybe_tf_decorator
    while True:
        if isinstance(current, TFDecorator):
            found.append(current)
        elif isinstance(current, Function):
            python = current.python_function
            target = python.bound() if isinstance(python, Method) else python
            found.append(TFDecorator("tf.function", target))
        elif isinstance(record := getattr(current, ATTRIBUTE, None), TFDecorator):
            found.append(record)
        else:
            return found, current
        current = found[-1].decorated_target


def rewrap(
    decorator_func: Callable[..., Any], previous_target: Any, new_target: Any
) -> Callable[..., Any]:
    """Has a decorator decorate another function.

    Args:
        decorator_func: what `make_decorator` has returned.
        previous_target: what it decorates, at any depth.
        new_target: what it shall decorate.

    Returns:
        `decorator_func`, or `new_target` if the two are not decorated.
    """
    decorators, target = unwrap(decorator_func)
    if not decorators:
        return new_target
    for record in decorators:
        if record.decorated_target is previous_target or record is decorators[-1]:
            record.decorated_target = new_target
            break
    if getattr(decorator_func, "__wrapped__", None) is target:
        decorated: Any = decorator_func
        decorated.__wrapped__ = new_target
    return decorator_func


def _signature(argspec: Any) -> inspect.Signature:
    """The signature that an argument specification means."""
    Parameter = inspect.Parameter  # noqa: N806 - a class
    defaults = dict(
        zip(argspec.args[len(argspec.args) - len(argspec.defaults or ()) :],
            argspec.defaults or (), strict=True)
    )  # fmt: skip
    found = [
        Parameter(
            name, Parameter.POSITIONAL_OR_KEYWORD, default=defaults.get(name, Parameter.empty)
        )
        for name in argspec.args
    ]
    if argspec.varargs:
        found.append(Parameter(argspec.varargs, Parameter.VAR_POSITIONAL))
    for name in getattr(argspec, "kwonlyargs", ()):
        default = (argspec.kwonlydefaults or {}).get(name, Parameter.empty)
        found.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default))
    rest = getattr(argspec, "varkw", None) or getattr(argspec, "keywords", None)
    if rest:
        found.append(Parameter(rest, Parameter.VAR_KEYWORD))
    return inspect.Signature(found)
