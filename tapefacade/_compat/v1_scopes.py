"""Variable scopes and the default graph of TensorFlow 1, as eager execution has them."""

import contextlib
from collections.abc import Iterator
from typing import Any

from tapefacade._compat.graph_leftovers import Graph
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.missing_names import hint_for, root_module
from tapefacade._core.tensor import Tensor
from tapefacade._definition.op import function
from tapefacade._state.scopes import get_current_name_scope, name_scope
from tapefacade._state.variable import Variable

_DEFAULT_GRAPH = Graph()


class Session:
    """The session of TensorFlow 1, for annotations and `isinstance`: it cannot be made."""

    _advice = hint_for("tf.Session")  # `check` counts a class that has advice as missing

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"There are no sessions. {self._advice}.")


class VariableScope:
    """A scope in which variables are made; each call of `get_variable` makes a new one.

    Attributes:
        name: what the names of variables begin with.
    """

    reuse = True
    use_resource = True
    caching_device: Any = None

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def original_name_scope(self) -> str:
        """The name, with a slash at its end."""
        return f"{self.name}/" if self.name else ""

    def set_caching_device(self, caching_device: Any) -> None:
        """Takes note of where values would be kept: JAX decides."""
        self.caching_device = caching_device

    def set_use_resource(self, use_resource: bool) -> None:
        """Does nothing: all variables are resources."""


@function("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """Returns the scope in which variables are made.

    >>> tf.compat.v1.get_variable_scope().name
    ''
    """
    return VariableScope(get_current_name_scope())


@function("compat.v1.variable_scope")
@contextlib.contextmanager
def variable_scope(
    name_or_scope: Any, default_name: str | None = None, *args: Any, **kwargs: Any
) -> Iterator[VariableScope]:
    """Opens a block in which the names of variables begin with a prefix.

    Args:
        name_or_scope: the prefix, or a scope that was opened before.
        default_name: the prefix if the first is None.
        *args: accepted for TensorFlow's sake: variables are never shared.
        **kwargs: accepted for TensorFlow's sake.

    Yields:
        The scope.

    Raises:
        TypeError: if there is no name.

    >>> with tf.compat.v1.variable_scope("layer"):
    ...     print(tf.compat.v1.get_variable("w", [2]).name)
    layer/w:0
    """
    name = default_name if name_or_scope is None else name_or_scope
    if name is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    if isinstance(name, VariableScope):
        yield name
        return
    with name_scope(name):
        yield get_variable_scope()


@function("compat.v1.get_variable")
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    *args: Any,
    **kwargs: Any,
) -> Variable:
    """Makes a variable.

    Unlike in a graph, each call makes another one, as in TensorFlow with eager execution.

    Args:
        name: its name.
        shape: its shape, unless the initializer is a value.
        dtype: its dtype, float32 by default.
        initializer: a value, or a function of the shape and the dtype; by default that of Glorot,
            or zeros for integers.
        regularizer: accepted for TensorFlow's sake.
        trainable: whether tapes watch it.
        *args: accepted for TensorFlow's sake.
        **kwargs: accepted for TensorFlow's sake.

    Returns:
        The variable.

    Raises:
        ValueError: if there is no shape, or the initializer is a value and there is one.

    >>> tf.compat.v1.get_variable("n", initializer=3)
    <tf.Variable 'n:0' shape=() dtype=int32, numpy=3>
    """
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return Variable(initializer, trainable=trainable, name=name, dtype=dtype)
    if shape is None:
        raise ValueError(
            f"Variable {name} did not get an initializer, so its `shape` argument must be "
            "specified."
        )
    dtype = as_dtype("float32" if dtype is None else dtype)
    if initializer is None:
        initializers = root_module().keras.initializers
        initializer = initializers.GlorotUniform() if dtype.is_floating else initializers.Zeros()
    elif isinstance(initializer, type):
        initializer = initializer()
    value = convert_to_tensor(initializer(shape, dtype=dtype), dtype)
    return Variable(value, trainable=trainable, name=name)


@function("compat.v1.get_default_graph")
def get_default_graph() -> Graph:
    """Returns the graph that placeholders go to; outside of graphs one that says what runs now.

    >>> tf.compat.v1.get_default_graph().building_function
    False
    """
    return Graph._open[-1] if Graph._open else _DEFAULT_GRAPH


@function("compat.v1.colocate_with")
@contextlib.contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """Opens a block that changes nothing: JAX places what a program needs.

    Args:
        op: accepted for TensorFlow's sake.
        ignore_existing: accepted for TensorFlow's sake.

    >>> with tf.compat.v1.colocate_with(tf.constant(1)):
    ...     x = tf.constant(2)
    """
    yield


@function("compat.v1.placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """Returns a value as a tensor: nobody can feed another.

    Args:
        input: the value.
        shape: accepted for TensorFlow's sake.
        name: accepted for TensorFlow's sake.

    >>> tf.compat.v1.placeholder_with_default([1, 2], [None]).numpy()
    array([1, 2], dtype=int32)
    """
    return input if isinstance(input, Tensor) else convert_to_tensor(input)
