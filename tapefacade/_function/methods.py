"""Methods that are functions: each instance has its own."""

import functools
import inspect
import weakref
from collections.abc import Callable
from typing import Any


class Method:
    """A Python function bound to an instance, which it does not keep alive."""

    def __init__(
        self, function: Callable[..., Any], instance: Any, forget: Callable[[], Any]
    ) -> None:
        """Binds a function.

        Args:
            function: the Python function.
            instance: its first argument.
            forget: called when the instance is gone.
        """
        functools.update_wrapper(self, function)
        self.__code__ = getattr(function, "__code__", None)
        self._function = function
        try:
            self._instance: Callable[[], Any] = weakref.ref(instance, lambda _: forget())
        except TypeError:
            self._instance = lambda: instance
        signature = inspect.signature(function)
        self.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        instance = self._instance()
        if instance is None:
            raise ReferenceError(
                f"The object whose method {self._function.__name__} is called is gone. Keep it in "
                "a variable."
            )
        return self._function(instance, *args, **kwargs)

    def __repr__(self) -> str:
        return repr(self._function)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        instance = self._instance()
        return self._function.__get__(memo.get(id(instance), instance))

    def __reduce__(self) -> tuple[Any, ...]:
        return self._function.__get__, (self._instance(),)
