"""Scopes: of names (`tf.name_scope`), and of what makes variables (`tf.variable_creator_scope`)."""

import abc
import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tapefacade._core.thread_state import ThreadState
from tapefacade._core.tracebacks import shorten
from tapefacade._definition.op import function

MESSAGE_SCOPE_NAME = "name for name_scope must be a string."


class _Scopes(ThreadState):
    """The scopes that this thread has entered."""

    def __init__(self) -> None:
        self.name = ""  # ends with "/", unless it is empty
        self.creators: list[Callable[..., Any]] = []
        self.strategy: list[Callable[..., Any]] = []  # asked after those: one, or none


SCOPES = _Scopes()


@function("name_scope")
class name_scope:  # noqa: N801 - TensorFlow's name
    """A block in which the names of variables begin with a prefix.

    Args:
        name: the prefix. Scopes within each other are joined by "/"; a name that ends with "/" is
            the whole prefix, and an empty one is none.

    Entering it gives the whole prefix, with "/" at its end.

    Unlike TensorFlow, tensors have no names.

    Raises:
        ValueError: if `name` is no text.

    >>> with tf.name_scope("model"):
    ...     with tf.name_scope("layer") as scope:
    ...         v = tf.Variable(1.0, name="w")
    >>> scope, v.name
    ('model/layer/', 'model/layer/w:0')

    See https://www.tensorflow.org/api_docs/python/tf/name_scope.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(MESSAGE_SCOPE_NAME)
        self._name = name
        self._before: list[str] = []

    @property
    def name(self) -> str:
        """The prefix, without those of the scopes around it."""
        return self._name

    def __enter__(self) -> str:
        self._before.append(SCOPES.name)
        if not self._name or self._name.endswith("/"):
            SCOPES.name = self._name
        else:
            SCOPES.name = f"{SCOPES.name}{self._name}/"
        return SCOPES.name

    def __exit__(self, *exception: object) -> None:
        SCOPES.name = self._before.pop()


@function("get_current_name_scope")
def get_current_name_scope() -> str:
    """Returns the prefix that names have now, without "/" at its end.

    >>> with tf.name_scope("model"):
    ...     tf.get_current_name_scope()
    'model'
    """
    return SCOPES.name.rstrip("/")


def scoped_name(name: str) -> str:
    """Returns a name with the prefix that names have now."""
    return SCOPES.name + name


@function("variable_creator_scope")
@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Makes a block in which a function makes the variables.

    Args:
        variable_creator: called as `variable_creator(next_creator, **kwargs)` with the arguments of
            `tf.Variable`; it returns a variable, as a rule `next_creator(**kwargs)`, which asks the
            creator of the scope around this one.

    >>> def named(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "name": "mine"})
    >>> with tf.variable_creator_scope(named):
    ...     v = tf.Variable(1.0)
    >>> v.name
    'mine:0'

    See https://www.tensorflow.org/api_docs/python/tf/variable_creator_scope.
    """
    creators = SCOPES.creators
    creators.append(variable_creator)
    try:
        yield
    finally:
        creators.pop()


@contextlib.contextmanager
def variable_creator_below(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Makes a block in which a function makes the variables, after all of `creator_scope`."""
    with SCOPES.temporarily(strategy=[variable_creator]):
        yield


def set_variable_creator(variable_creator: Callable[..., Any] | None) -> None:
    """Sets, for this thread, the function that `variable_creator_below` sets for a block."""
    SCOPES.strategy = [] if variable_creator is None else [variable_creator]


def strategy_creator() -> Callable[..., Any] | None:
    """Returns the function that `variable_creator_below` has set; None if there is none."""
    return SCOPES.strategy[-1] if SCOPES.strategy else None


# What TensorFlow 2 takes without effect, as programs written for graphs give it.
GRAPH_OPTIONS = ("use_resource", "collections", "expected_shape")


class VariableMeta(abc.ABCMeta):
    """The class of `tf.Variable`: lets the creators of the scopes make its objects.

    A subclass of `tf.Variable` can have abstract methods and bases, as in TensorFlow. No class is
    registered as one, so `isinstance` need not ask the slow function of `abc`.
    """

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    if not TYPE_CHECKING:  # to a type checker, a call gives what `__init__` says

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if kwargs and "_made_by_creators" in vars(cls):
                for name in GRAPH_OPTIONS:
                    kwargs.pop(name, None)
            waiting = (
                SCOPES.strategy + SCOPES.creators
            )  # the innermost, which is asked first, is the last
            if not waiting or "_made_by_creators" not in vars(cls):
                try:
                    return super().__call__(*args, **kwargs)
                except Exception as error:
                    shorten(error)
                    raise
            bound = cls.__signature__.bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.arguments.get("sharding") is None:
                bound.arguments.pop("sharding", None)  # creators of TensorFlow's do not know it

            def create(**given: Any) -> Any:
                if waiting:
                    return waiting.pop()(create, **given)
                return super(VariableMeta, cls).__call__(**given)

            return create(**bound.arguments)

    @property
    def __signature__(cls) -> inspect.Signature:
        """What `help()` and completions show."""
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return inspect.Signature(parameters)
