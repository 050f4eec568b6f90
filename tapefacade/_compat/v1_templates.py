"""Functions that share the variables they make over their calls: `tf.compat.v1.make_template`."""

import functools
from collections.abc import Callable
from typing import Any

from tapefacade._compat.v1_scopes import (
    VariableScope,
    VariableStore,
    shared_variables,
    unique_scope_name,
    variable_scope,
)
from tapefacade._core.tensor import hinted
from tapefacade._definition.op import function
from tapefacade._state.variable import Variable

MESSAGE_NEW_VARIABLES = (
    "Trainable variable created when calling a template after the first time, perhaps you used "
    "tf.Variable when you meant tf.get_variable: {}"
)


@function("compat.v1.make_template")
def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> "Template":
    """Wraps a function so that its calls share the variables that the first one makes.

    Args:
        name_: the name of the scope of its variables; `_1` and so on is appended if it is taken.
        func_: a function that makes its variables with `tf.compat.v1.get_variable`.
        create_scope_now_: whether the scope lies where the template is made, and not where it is
            called first.
        unique_name_: None; a name of its own is for graphs.
        custom_getter_: as of `tf.compat.v1.variable_scope`.
        **kwargs: arguments of `func_`, for all calls.

    Returns:
        A `Template`: what it is called with, `func_` is called with. It has `variables` and
        `trainable_variables`, and can be part of a checkpoint.

    Raises:
        ValueError: if there is no name, or a unique one.

    >>> def scaled(x):
    ...     return x * tf.compat.v1.get_variable("w", [], initializer=tf.ones_initializer())
    >>> scale = tf.compat.v1.make_template("scale", scaled)
    >>> scale(2.0).numpy(), scale(3.0).numpy(), len(scale.variables)
    (np.float32(2.0), np.float32(3.0), 1)

    See https://www.tensorflow.org/api_docs/python/tf/compat/v1/make_template.
    """
    if unique_name_ is not None:
        raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
    if name_ is None:
        raise ValueError("name cannot be None.")
    own = functools.partial(func_, **kwargs) if kwargs else func_
    return Template(name_, own, create_scope_now_, custom_getter_)


class Template:
    """A function whose calls share variables; `make_template` makes it.

    Attributes:
        name: the name that was asked for.
        func: the function.
        variable_scope: the scope of its variables; None before it is known.
    """

    def __init__(
        self, name: str, func: Callable[..., Any], create_scope_now: bool, custom_getter: Any
    ) -> None:
        self.name, self.func = name, func
        self.variable_scope: VariableScope | None = None
        self._getter = custom_getter
        self._store: VariableStore | None = None
        self._was_called = False
        if create_scope_now:
            name = unique_scope_name(name)
            with variable_scope(name, custom_getter=custom_getter) as self.variable_scope:
                pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        scope = self.variable_scope
        getter = self._getter if scope is None else None  # a scope has its own
        with variable_scope(scope, self.name, custom_getter=getter) as entered:
            self.variable_scope = scope or entered
            with shared_variables(self._store) as self._store:
                before = self._found()
                result = self.func(*args, **kwargs)
                known = {id(variable) for variable in before}
                new = [v for v in self._found() if v.trainable and id(v) not in known]
                if self._was_called and new:
                    raise hinted(
                        ValueError(MESSAGE_NEW_VARIABLES.format(new)),
                        f"All variables of {self.name!r} have to be made in its first call.",
                    )
                self._was_called = True
                return result

    def _found(self) -> list[Variable]:
        """The variables in the scope, in the order of their names."""
        if self._store is None or self.variable_scope is None:
            return []
        start = self.variable_scope.original_name_scope
        return [self._store[name] for name in sorted(self._store) if name.startswith(start)]

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the scope with a slash; None before it is known."""
        scope = self.variable_scope
        return None if scope is None else scope.original_name_scope

    @property
    def variables(self) -> list[Variable]:
        """The variables, in the order of their names; none before the first call has ended."""
        return self._found() if self._was_called else []

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those of `variables` that tapes watch."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The others."""
        return [variable for variable in self.variables if not variable.trainable]

    @property
    def local_variables(self) -> list[Variable]:
        """None: eager execution has no such collection."""
        return []

    global_variables = weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables
    var_scope = property(lambda self: self.variable_scope, doc="The scope of its variables.")

    def _checkpoint_children(self) -> dict[str, Any]:
        start = len(self.variable_scope_name or "")
        return {v.name[start:].removesuffix(":0"): v for v in self.variables}
