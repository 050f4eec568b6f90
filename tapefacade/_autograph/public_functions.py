"""The public functions of `tf.autograph`: `to_code`, `to_graph`, `do_not_convert` and others."""

import ast
import contextlib
import enum
import functools
import inspect
import sys
import textwrap
import types
from collections.abc import Callable
from typing import Any

from tapefacade._autograph import operators as operators
from tapefacade._autograph.conversion import (
    LEFT_ALONE,
    RewrittenFunction,
    rewritten,
    rewritten_tree,
)
from tapefacade._autograph.loop_options import UNSPECIFIED, checked_limit
from tapefacade._autograph.sources import NoSourceError
from tapefacade._autograph.statement_outcomes import VERBOSITY, noting_outcomes
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import as_shape
from tapefacade._definition.op import function, register
from tapefacade._function.function.function_types import PolymorphicFunction
from tapefacade._trace.open_sizes import with_unknown_axes
from tapefacade._trace.recording import THREAD

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
    """Returns the text of a function as it is rewritten: its statements are calls.

    What is not rewritten, as generators are not, is given as it is.

    Args:
        entity: the function.
        recursive: accepted for TensorFlow's sake; functions that it calls are rewritten then.
        experimental_optional_features: ignored.

    Raises:
        ValueError: if it is no Python function.
        OSError: if its text cannot be found.

    >>> def positive(x):
    ...     return x if x > 0.0 else -x
    >>> print(tf.autograph.to_code(positive))
    def positive(x):
        return ag__.if_exp(x > 0.0, lambda: x, lambda: -x)
    """
    found = _function_in(entity)
    if type(found) is types.FunctionType:
        with contextlib.suppress(NoSourceError):
            return ast.unparse(rewritten_tree(found)) + "\n"
    return textwrap.dedent(inspect.getsource(found))


@function("autograph.to_graph")
def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """Returns a function rewritten, so that its statements on tensors can be recorded.

    `tf.function` does so where it is needed. What is not rewritten is returned as it is.

    Args:
        entity: the function.
        recursive: accepted for TensorFlow's sake; functions that it calls are rewritten then.
        experimental_optional_features: ignored.

    Raises:
        ValueError: if it is no Python function.

    >>> tf.autograph.to_graph(lambda x: x + 1 if x > 0 else x)(2)
    3
    """
    found = _function_in(entity)
    made, _ = rewritten(found)
    if made is None:
        return found
    inner = RewrittenFunction(made)

    @functools.wraps(found)
    def call(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **kwargs)

    call.__dict__[LEFT_ALONE] = True
    return call


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
    """Sets how much is told of the statements of functions.

    Args:
        level: from 1 on, the logger is told which statements run as Python, and why; from 3 on,
            also which have become instructions.
        alsologtostdout: whether it is printed, too.

    >>> tf.autograph.set_verbosity(1)
    >>> tf.autograph.set_verbosity(0)
    """
    VERBOSITY.level = level
    VERBOSITY.is_printed = alsologtostdout


@function("autograph.experimental.do_not_convert")
def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Returns a function like the one that it decorates, which is never rewritten.

    Args:
        func: the function; without it, a decorator is returned.

    >>> tf.autograph.experimental.do_not_convert(lambda x: x + 1)(2)
    3
    """
    if func is None:
        return do_not_convert
    if not callable(func) or isinstance(func, PolymorphicFunction):
        return func

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with noting_outcomes(None):
            return func(*args, **kwargs)

    call.__dict__[LEFT_ALONE] = True
    return call


@function("autograph.experimental.set_loop_options")
def set_loop_options(
    parallel_iterations: Any = UNSPECIFIED,
    swap_memory: Any = UNSPECIFIED,
    maximum_iterations: Any = UNSPECIFIED,
    shape_invariants: Any = UNSPECIFIED,
) -> None:
    """Sets options of the loop of a `tf.function` in whose body it is called.

    It has to be a statement of the body itself, and does nothing elsewhere.

    Args:
        parallel_iterations: accepted for TensorFlow's sake, a positive integer.
        swap_memory: accepted for TensorFlow's sake.
        maximum_iterations: the largest number of iterations, an integer.
        shape_invariants: pairs of a tensor and what is known of its shape. A loop whose variables
            change their shapes runs as Python; sizes that are None are so to the function.

    Raises:
        TypeError: in a function, if there are no parallel iterations, or an option is no integer.

    >>> @tf.function
    ... def f(x):
    ...     while x > 0:
    ...         tf.autograph.experimental.set_loop_options(maximum_iterations=3)
    ...         x -= 1
    ...     return x
    >>> f(tf.constant(10)).numpy()
    np.int32(7)
    """
    if not THREAD.functions:
        return
    given = {
        "parallel_iterations": parallel_iterations, "maximum_iterations": maximum_iterations,
        "shape_invariants": shape_invariants,
    }  # fmt: skip
    options = {name: value for name, value in given.items() if value is not UNSPECIFIED}
    checked_limit(options)
    for value, known in options.get("shape_invariants", ()):
        if isinstance(value, EagerTensor) and (shape := as_shape(known)).rank == value.shape.rank:
            axes = [axis for axis, size in enumerate(shape.as_list()) if size is None]
            with_unknown_axes(value, *axes)


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
