"""Scopes of names and of variables of TensorFlow 1, as eager execution has them."""

import abc
import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.missing_names import root_module
from tapefacade._definition.op import function
from tapefacade._state.scopes import (
    VariableMeta,
    get_current_name_scope,
    name_scope as _name_scope,
)
from tapefacade._state.variable import Variable
from tapefacade._state.variable_aggregation import VariableAggregation, VariableSynchronization


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
    name_or_scope: Any,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Opens a block in which the names of variables begin with a prefix.

    Args:
        name_or_scope: the prefix, or a scope that was opened before.
        default_name: the prefix if the first is None.
        values: ignored, as are all that follow: say them where a variable is made.
        initializer: ignored.
        regularizer: ignored.
        caching_device: ignored.
        partitioner: ignored.
        custom_getter: ignored.
        reuse: ignored: variables are never shared.
        dtype: ignored.
        use_resource: ignored.
        constraint: ignored.
        auxiliary_name_scope: ignored.

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
    with _name_scope(name):
        yield get_variable_scope()


@function("compat.v1.get_variable")
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
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
        collections: ignored: there are no collections.
        caching_device: ignored.
        partitioner: ignored: a variable is whole.
        validate_shape: ignored.
        use_resource: ignored: all variables are resources.
        custom_getter: called in the place of this function, with this function, the name, and the
            shape, dtype, initializer, regularizer and `trainable` by name.
        constraint: as of `tf.Variable`.
        synchronization: as of `tf.Variable`.
        aggregation: as of `tf.Variable`.

    Returns:
        The variable.

    Raises:
        ValueError: if there is no shape, or the initializer is a value and there is one.

    >>> tf.compat.v1.get_variable("n", initializer=3)
    <tf.Variable 'n:0' shape=() dtype=int32, numpy=3>
    """
    if custom_getter is not None:
        return custom_getter(
            get_variable, name, shape=shape, dtype=dtype, initializer=initializer,
            regularizer=regularizer, trainable=trainable,
        )  # fmt: skip
    rest: dict[str, Any] = {
        "trainable": trainable, "name": name, "constraint": constraint,
        "synchronization": synchronization, "aggregation": aggregation,
    }  # fmt: skip
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return Variable(initializer, dtype=dtype, **rest)
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
    return Variable(value, **rest)


class _OlderVariableMeta(VariableMeta, abc.ABCMeta):
    """Makes a `tf.Variable` of the arguments of TensorFlow 1."""

    def __call__(
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
    ) -> Any:
        return Variable(
            initial_value, trainable, validate_shape, caching_device, name, variable_def, dtype,
            import_scope, constraint, synchronization, aggregation, shape,
        )  # fmt: skip

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Variable)

    @property
    def __signature__(cls) -> inspect.Signature:
        parameters = list(inspect.signature(_OlderVariableMeta.__call__).parameters.values())[1:]
        return inspect.Signature(parameters)


@function("compat.v1.Variable")
class VariableV1(Variable, metaclass=_OlderVariableMeta):
    """Makes a `tf.Variable`; it takes the arguments of TensorFlow 1 in their order.

    Every variable is an instance of it.

    Args:
        initial_value: as of `tf.Variable`, as are those that are not named here.
        collections: ignored: there are no collections.
        expected_shape: ignored.
        use_resource: ignored: all variables are resources.

    >>> tf.compat.v1.Variable(1.0, collections=["kept"], name="v")
    <tf.Variable 'v:0' shape=() dtype=float32, numpy=1.0>
    """


@function("compat.v1.name_scope")
class name_scope(_name_scope):  # noqa: N801 - TensorFlow's name
    """A block in which the names of variables begin with a prefix, for functions with a `name`.

    Unlike TensorFlow, tensors have no names.

    Args:
        name: the prefix, or None.
        default_name: the prefix if `name` is None; if both are None, there is none.
        values: ignored.

    Raises:
        ValueError: if the prefix is no text.

    >>> def scaled(x, name=None):
    ...     with tf.compat.v1.name_scope(name, "scaled", [x]) as scope:
    ...         return scope
    >>> scaled(1.0), scaled(1.0, name="twice")
    ('scaled/', 'twice/')
    """

    def __init__(self, name: Any, default_name: Any = None, values: Any = None) -> None:
        own = default_name if name is None else name
        super().__init__("" if own is None else own)
        self._own = own

    @property
    def name(self) -> Any:
        """The prefix, without those of the scopes around it; None if none was given."""
        return self._own
