"""The base classes of functions, for `isinstance`: `tf.types.experimental`."""

from typing import Any

from tapefacade._core.missing_members import lacks
from tapefacade._definition.op import function


@function("types.experimental.Callable")
@lacks(
    {
        "function_type": (
            "Write `get_concrete_function(...)`, and of that `structured_input_signature` and "
            "`structured_outputs`."
        ),
        "get_initialization_function": "Call the function once: variables have values then.",
    }
)
class Callable:
    """The base class of what can be called with tensors: functions and concrete functions.

    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.Callable)
    True
    """


@function("types.experimental.GenericFunction", "types.experimental.PolymorphicFunction")
class PolymorphicFunction(Callable):
    """The base class of functions for several signatures: what `tf.function` makes.

    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.PolymorphicFunction)
    True
    """

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the function for one signature."""
        raise TypeError(f"{type(self).__name__} has no concrete functions")
