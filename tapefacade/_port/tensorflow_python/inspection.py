"""`tensorflow.python.util.tf_inspect`: `inspect`, which looks through decorators of TensorFlow."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from tapefacade._core.missing_names import root_name
from tapefacade._port.tensorflow_python.decorators import unwrap


class ArgSpec(NamedTuple):
    """The arguments of a function, as Python 2 described them."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """Describes the arguments of a function or class, or of what is decorated.

    Args:
        obj: any callable.

    >>> getfullargspec(lambda x, y=1: x).args
    ['x', 'y']
    """
    decorators, target = unwrap(obj)
    for record in decorators:
        if (found := record.decorator_argspec) is not None:
            if isinstance(found, inspect.FullArgSpec):
                return found
            return inspect.FullArgSpec(
                found.args, found.varargs, found.keywords, found.defaults, [], None, {}
            )
    if _is_ours(target):  # our functions are wrapped, and annotated as TensorFlow's are not
        return inspect.getfullargspec(inspect.unwrap(target))._replace(annotations={})
    return inspect.getfullargspec(target)


def _is_ours(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    return module.partition(".")[0] == root_name()


def getargspec(obj: Any) -> ArgSpec:
    """Describes the arguments of a function or class as Python 2 did.

    Args:
        obj: any callable.

    >>> getargspec(lambda x, y=1: x)
    ArgSpec(args=['x', 'y'], varargs=None, keywords=None, defaults=(1,))
    """
    found = getfullargspec(obj)
    defaults = (*(found.defaults or ()), *(found.kwonlydefaults or {}).values())
    return ArgSpec(found.args + found.kwonlyargs, found.varargs, found.varkw, defaults or None)


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """Names the arguments of a call.

    Args:
        *func_and_positional: the function, then the positional arguments.
        **named: the keyword arguments.

    >>> getcallargs(lambda x, y=1: x, 2)
    {'x': 2, 'y': 1}
    """
    func, *positional = func_and_positional
    found = getfullargspec(func)
    call = dict(named)
    if inspect.ismethod(func):
        positional = [func.__self__, *positional]
    call.update(zip([name for name in found.args if name not in call], positional, strict=False))
    defaults = found.defaults or ()
    for name, value in zip(found.args[len(found.args) - len(defaults) :], defaults, strict=True):
        call.setdefault(name, value)
    for name, value in (found.kwonlydefaults or {}).items():
        call.setdefault(name, value)
    return call


def signature(obj: Any, *, follow_wrapped: bool = True) -> inspect.Signature:
    """Returns the signature of a callable, or of what is decorated.

    Args:
        obj: any callable.
        follow_wrapped: looks through decorators.
    """
    return inspect.signature(unwrap(obj)[1], follow_wrapped=follow_wrapped)


def isanytargetmethod(obj: Any) -> bool:
    """Tells whether a callable, or anything that it decorates, is a method."""
    decorators, target = unwrap(obj)
    return any(inspect.ismethod(record.decorated_target) for record in decorators) or (
        inspect.ismethod(target)
    )


def _through(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function of `inspect` look at what is decorated."""

    def call(object: Any) -> Any:
        return function(unwrap(object)[1])

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


LOOKING_THROUGH = {
    name: _through(getattr(inspect, name))
    for name in [
        "getfile",
        "getsource",
        "getsourcefile",
        "getsourcelines",
        "isbuiltin",
        "isclass",
        "isframe",
        "isfunction",
        "isgenerator",
        "isgeneratorfunction",
        "ismethod",
        "ismodule",
        "isroutine",
    ]
}
# What the module has beside the functions above.
NAMES = {
    **{
        name: getattr(inspect, name)
        for name in [
            "FullArgSpec",
            "Parameter",
            "Signature",
            "currentframe",
            "getdoc",
            "getframeinfo",
            "getmembers",
            "getmodule",
            "getmro",
            "stack",
        ]
    },
    **LOOKING_THROUGH,
    "_inspect": inspect,
}
