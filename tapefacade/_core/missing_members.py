"""What is said about a member that TensorFlow's class has, and ours has not."""

from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)

NO_GRAPH = "There are no graphs: tensors have values, which `numpy()` gives."
NO_PROTO = "There is no protocol buffer of it: pickle it, or write what makes it."
# What TensorFlow's tracing asks of types.
OF_TYPES = {
    "cast placeholder_value": (
        "It belongs to TensorFlow's tracing: convert values with `tf.convert_to_tensor`."
    ),
    "experimental_as_proto experimental_from_proto experimental_type_proto": NO_PROTO,
}
NO_PARTS = {
    "flatten from_tensors to_tensors": "It is one value, not made of tensors: hand it on itself."
}
TABLE_ITSELF = "Hand the table itself on."
ENTRIES_AT_ONCE = "A `tf.lookup.StaticHashTable` has its entries at once."
NO_SESSION = "Leave it out: there are no sessions."


class Advising(type):
    """The class of classes that say what they lack also where no object of them is asked."""

    def __getattr__(cls, name: str) -> Any:
        text = f"type object {cls.__name__!r} has no attribute {name!r}"
        if name != "_lacking" and name in getattr(cls, "_lacking", {}):
            text += f". {cls._lacking[name]}"
        raise AttributeError(text)


def lacks(advice: dict[str, str]) -> Callable[[C], C]:
    """Makes a class say what to write in the place of members that it lacks.

    Args:
        advice: sentences, by the names of the members, several of them with spaces between.

    Returns:
        A decorator of the class. For all other names its objects raise what they raised before.

    >>> @lacks({"load restore": "Write `assign`."})
    ... class Box:
    ...     pass
    >>> Box().load
    Traceback (most recent call last):
    AttributeError: 'Box' object has no attribute 'load'. Write `assign`.
    >>> hasattr(Box(), "restore")
    False
    """
    sentences = {name: text for names, text in advice.items() for name in names.split()}

    def decorate(kind: Any) -> Any:
        own = (vars(base)["__getattr__"] for base in kind.__mro__ if "__getattr__" in vars(base))
        asked_before: Any = next(own, object.__getattribute__)  # that of objects, not of classes

        def __getattr__(self: Any, name: str) -> Any:  # noqa: N807
            if name in sentences:
                raise AttributeError(
                    f"{type(self).__name__!r} object has no attribute {name!r}. {sentences[name]}"
                )
            return asked_before(self, name)  # a property may have raised an error of its own

        kind.__getattr__ = __getattr__
        kind._lacking = {**getattr(kind, "_lacking", {}), **sentences}
        return kind

    return decorate
