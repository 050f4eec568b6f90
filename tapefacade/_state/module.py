"""`tf.Module`: an object that knows its variables."""

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tapefacade._core import nest
from tapefacade._core.dispatch import parts
from tapefacade._definition.op import function
from tapefacade._state.scopes import name_scope
from tapefacade._state.variable import Variable

F = TypeVar("F", bound=Callable[..., Any])
WORDS = re.compile(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))")
MESSAGE_NAME = (
    "{!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid "
    "class name)."
)


class AutoTrackable:
    """An object whose attributes checkpoints and saved models find; libraries derive from it."""


@function("Module")
class Module(AutoTrackable):
    """The base class of objects that hold variables: they find them in all their attributes.

    Args:
        name: the name, a Python identifier; by default that of the class in lower case.

    Raises:
        ValueError: if `name` is no identifier.

    >>> class Dense(tf.Module):
    ...     def __init__(self, inputs, outputs):
    ...         super().__init__()
    ...         self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
    ...         self.b = tf.Variable(tf.zeros([outputs]), name="b")
    ...     def __call__(self, x):
    ...         return x @ self.w + self.b
    >>> layer = Dense(2, 1)
    >>> layer(tf.ones([1, 2])).numpy(), [v.name for v in layer.trainable_variables]
    (array([[2.]], dtype=float32), ['b:0', 'w:0'])

    See https://www.tensorflow.org/api_docs/python/tf/Module.
    """

    # Attributes in which no variables are looked for.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset(
        ("_self_unconditional_checkpoint_dependencies", "_self_unconditional_dependency_names")
    )

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = WORDS.sub(r"_\1", type(self).__name__).lower()
        if not name.isidentifier():
            raise ValueError(MESSAGE_NAME.format(name))
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def _no_dependency(self, value: Any) -> Any:
        """Returns the value, which libraries mark so as no part of a checkpoint."""
        return value

    @property
    def name_scope(self) -> name_scope:
        """The `tf.name_scope` of the module."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and then of its submodules, by the names of attributes."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are trainable."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple["Module", ...]:
        """The modules in the attributes of this one, of those modules, and so on."""
        return tuple(self._flatten(predicate=_is_module))

    @classmethod
    def with_name_scope(cls, method: F) -> F:
        """Makes a method run in the module's name scope: a decorator.

        >>> class Layer(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def build(self):
        ...         self.w = tf.Variable(1.0, name="w")
        >>> layer = Layer(name="first")
        >>> layer.build()
        >>> layer.w.name
        'first/w:0'
        """

        @functools.wraps(method)
        def method_with_name_scope(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return method_with_name_scope  # type: ignore[return-value]

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """Yields what a predicate holds of, in the attributes and those of submodules."""
        seen = None if with_path else {id(self)}
        held = predicate if predicate is not None else (lambda _: True)
        taken_apart = parts if expand_composites else (lambda leaf: [leaf])
        for path, leaf in _found(
            self, (), recursive, held, attribute_traversal_key, seen, taken_apart
        ):
            yield (path, leaf) if with_path else leaf


def _found(
    module: Module,
    path: tuple[Any, ...],
    recursive: bool,
    predicate: Callable[[Any], bool],
    key: Callable[[str], Any] | None,
    seen: set[int] | None,
    taken_apart: Callable[[Any], list[Any]],
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yields the leaves of a module with their paths; each once if `seen` is given."""
    submodules = []
    ignored = module._TF_MODULE_IGNORED_PROPERTIES
    for name in sorted(vars(module), key=key):
        if name in ignored:
            continue
        found = _leaves(vars(module)[name], (*path, name))
        for inner, leaf in ((at, part) for at, whole in found for part in taken_apart(whole)):
            if seen is not None:
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
            if predicate(leaf):
                yield inner, leaf
            if recursive and leaf is not module and _is_submodule(leaf, module):
                submodules.append((inner, leaf))
    for inner, submodule in submodules:
        if isinstance(submodule, Module):
            yield from _found(submodule, inner, recursive, predicate, key, seen, taken_apart)
        else:
            yield from _found_in_layer(submodule, inner, predicate, seen)


def _found_in_layer(
    layer: Any,
    path: tuple[Any, ...],
    predicate: Callable[[Any], bool],
    seen: set[int] | None,
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yields the variables of a layer of Keras, which may show some of ours."""
    for place, variable in enumerate(layer._variables_of_module()):
        keys = {id(variable), id(variable._root)}
        if seen is not None:
            if seen & keys:
                continue
            seen |= keys
        if predicate(variable):
            yield (*path, "variables", place), variable


def _is_submodule(leaf: Any, owner: Module) -> bool:
    """Whether a value is a module, or a layer of Keras that is one, as those of Keras 2 were."""
    of_layers = getattr(type(leaf), "_is_submodule", None)
    return isinstance(leaf, Module) or (of_layers is not None and of_layers(leaf, owner))


def _leaves(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        try:
            keys = sorted(value)
        except TypeError as error:
            raise ValueError(f"Error processing property {path[-1]!r} of a module") from error
        for key in keys:
            yield from _leaves(value[key], (*path, key))
    elif nest.is_nested(value) and not isinstance(value, Module):
        for place, item in enumerate(value):
            yield from _leaves(item, (*path, place))
    else:
        yield path, value


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def _is_trainable(value: Any) -> bool:
    return isinstance(value, Variable) and bool(value.trainable)


def _is_module(value: Any) -> bool:
    return isinstance(value, Module)
