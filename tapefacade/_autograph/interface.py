"""`tf.autograph`, where there is nothing to convert: functions are recorded while they run."""

import enum
import inspect
import sys
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from tapefacade._definition.op import function, register

F = TypeVar("F")
MESSAGE_NO_CODE = (
    "converting {0}: ValueError: Cannot apply autograph to a function that doesn't expose a "
    "__code__ object. If this is a @tf.function, try passing f.python_function instead."
)


def _function_in(entity: Any) -> Any:
    """Returns the Python function of something that can be called.

    Raises:
        ValueError: if it has none.
    """
    found = getattr(entity, "python_function", entity)
    if not hasattr(found, "__code__"):
        raise ValueError(MESSAGE_NO_CODE.format(entity))
    return found


@function("autograph.to_code")
def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """Returns the text of a function.

    Unlike TensorFlow, the text is the function's own: nothing is converted.

    Args:
        entity: the function.
        recursive: ignored.
        experimental_optional_features: ignored.

    Raises:
        ValueError: if it is no Python function.
        OSError: if its text cannot be found.

    >>> print(tf.autograph.to_code(tf.autograph.set_verbosity).splitlines()[0])
    @function("autograph.set_verbosity")
    """
    return textwrap.dedent(inspect.getsource(_function_in(entity)))


@function("autograph.to_graph")
def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """Returns a function as it is.

    Unlike TensorFlow, nothing is converted: functions are recorded while they run.

    Args:
        entity: the function.
        recursive: ignored.
        experimental_optional_features: ignored.

    Raises:
        ValueError: if it is no Python function.

    >>> tf.autograph.to_graph(lambda x: x + 1)(2)
    3
    """
    return _function_in(entity)


@function("autograph.trace")
def trace(*args: Any) -> None:
    """Prints its arguments.

    Args:
        *args: what to print.

    >>> tf.autograph.trace("here", 1)
    here 1
    """
    sys.stdout.write(" ".join(str(arg) for arg in args) + "\n")


@function("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Does nothing: there is no conversion to tell about.

    Args:
        level: ignored.
        alsologtostdout: ignored.

    >>> tf.autograph.set_verbosity(3)
    """


@function("autograph.experimental.do_not_convert")
def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Returns the function that it decorates.

    Unlike TensorFlow, no function is converted.

    Args:
        func: the function; without it, a decorator is returned.

    >>> tf.autograph.experimental.do_not_convert(lambda x: x + 1)(2)
    3
    """
    if func is None:
        return _unchanged
    return func


def _unchanged(func: F) -> F:
    return func


@function("autograph.experimental.set_loop_options")
def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Does nothing: a Python loop runs as Python runs it.

    Args:
        parallel_iterations: ignored.
        swap_memory: ignored.
        maximum_iterations: ignored.
        shape_invariants: ignored.

    >>> for i in tf.range(2):
    ...     tf.autograph.experimental.set_loop_options(maximum_iterations=3)
    """


class Feature(enum.Enum):
    """What TensorFlow can convert beyond what it must; nothing here depends on it.

    >>> tf.autograph.experimental.Feature.LISTS
    <Feature.LISTS: 'LISTS'>
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple["Feature", ...]:
        """Returns all features.

        >>> len(tf.autograph.experimental.Feature.all())
        7
        """
        return tuple(cls.__members__.values())

    @classmethod
    def all_but(cls, exclude: Any) -> tuple["Feature", ...]:
        """Returns all features but some.

        Args:
            exclude: a feature, or a list of features.

        >>> len(tf.autograph.experimental.Feature.all_but([tf.autograph.experimental.Feature.ALL]))
        6
        """
        excluded = exclude if isinstance(exclude, list | tuple | set) else (exclude,)
        return tuple(feature for feature in cls.all() if feature not in {*excluded, cls.ALL})


register(("autograph.experimental.Feature",), Feature)
