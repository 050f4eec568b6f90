"""Scopes of names and of variables of TensorFlow 1, as eager execution has them."""

import abc
import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._compat.v1_initializers import GlorotUniform, Zeros
from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.thread_state import ThreadState
from tapefacade._definition.op import function
from tapefacade._lookup.table_initializers import shown_dtype
from tapefacade._state.scopes import VariableMeta, name_scope as _name_scope
from tapefacade._state.variable import Variable
from tapefacade._state.variable_aggregation import VariableAggregation, VariableSynchronization

MESSAGE_TYPES = "Initializer type '{}' and explicit dtype '{}' don't match."


class VariableScope:
    """A scope in which variables are made; each call of `get_variable` makes a new one.

    Attributes:
        name: what the names of variables begin with.
        initializer: that of variables without one of their own, as are those that follow.
        dtype: that of variables whose initializer is no value.
        constraint: as of `tf.Variable`.
        custom_getter: what makes variables; see `get_variable`.
    """

    reuse = True
    use_resource = True
    caching_device: Any = None

    def __init__(
        self,
        name: str,
        initializer: Any = None,
        dtype: Any = dtypes.float32,
        constraint: Any = None,
        custom_getter: Any = None,
    ) -> None:
        self.name, self.initializer, self.dtype = name, initializer, dtype
        self.constraint, self.custom_getter = constraint, custom_getter

    @property
    def original_name_scope(self) -> str:
        """The name, with a slash at its end."""
        return f"{self.name}/" if self.name else ""

    def name_of(self, name: str) -> str:
        """Returns the name of a variable or scope in this one."""
        return f"{self.original_name_scope}{name}"

    def set_caching_device(self, caching_device: Any) -> None:
        """Takes note of where values would be kept: JAX decides."""
        self.caching_device = caching_device

    def set_use_resource(self, use_resource: bool) -> None:
        """Does nothing: all variables are resources."""


VariableStore = dict[str, Variable]


class _Entered(ThreadState):
    """The scope that this thread has entered.

    Attributes:
        scope: the scope.
        counts: how often each scope has been opened since the one around it was.
        store: the variables that `get_variable` finds again; None where it makes new ones.
    """

    def __init__(self) -> None:
        self.scope = VariableScope("")
        self.counts: dict[str, int] = {}
        self.store: VariableStore | None = None


_ENTERED = _Entered()


def unique_scope_name(name: str) -> str:
    """Returns a name for a scope in the one that is entered, with a number if it was opened."""
    own, number = name, 0
    while _ENTERED.counts.get(_ENTERED.scope.name_of(own)):
        number += 1
        own = f"{name}_{number}"
    return own


@contextlib.contextmanager
def _counted(name: str, again: bool) -> Iterator[None]:
    """Counts a scope that is opened; of one that is opened again, what lies in it is forgotten."""
    counts = _ENTERED.counts
    counts[name] = counts.get(name, 0) + 1
    before = dict(counts)
    try:
        yield
    finally:
        inner = {} if again else {k: n for k, n in counts.items() if not k.startswith(f"{name}/")}
        counts.clear()
        counts.update(before if again else inner)


@contextlib.contextmanager
def shared_variables(store: VariableStore | None) -> Iterator[VariableStore]:
    """Opens a block in which `get_variable` gives a variable of the store, if it has the name.

    Args:
        store: the variables by name; None for those of a block around this one, or new ones.

    Yields:
        The variables.
    """
    if store is None:
        store = {} if _ENTERED.store is None else _ENTERED.store
    with _ENTERED.temporarily(store=store):
        yield store


@function("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """Returns the scope in which variables are made.

    >>> tf.compat.v1.get_variable_scope().name
    ''
    """
    return _ENTERED.scope


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
        default_name: the prefix if the first is None; `_1` and so on is appended if there was a
            block of this name.
        values: ignored.
        initializer: the default of `get_variable` in the block; so are `custom_getter`, `dtype` and
            `constraint`, and blocks within this one have them from it.
        regularizer: ignored.
        caching_device: ignored.
        partitioner: ignored: a variable is whole.
        custom_getter: see `initializer`; it is called before that of a block around this one.
        reuse: ignored: variables are never shared.
        dtype: see `initializer`.
        use_resource: ignored: all variables are resources.
        constraint: see `initializer`.
        auxiliary_name_scope: ignored.

    Yields:
        The scope.

    Raises:
        TypeError: if there is no name.

    >>> with tf.compat.v1.variable_scope("layer", initializer=tf.ones_initializer()):
    ...     tf.compat.v1.get_variable("w", [2])
    <tf.Variable 'layer/w:0' shape=(2,) dtype=float32, numpy=array([1., 1.], dtype=float32)>
    """
    name = name_or_scope
    if name is None:
        if default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        name = unique_scope_name(default_name)
    again = isinstance(name, VariableScope)
    if again:
        outer, prefix, name = name, name.name, name.name.rpartition("/")[-1]
    else:
        outer = _ENTERED.scope
        prefix = outer.name_of(name)
    if custom_getter is not None and outer.custom_getter is not None:
        custom_getter = _asking_first(custom_getter, outer.custom_getter)
    given = {
        "initializer": initializer, "dtype": dtype, "constraint": constraint,
        "custom_getter": custom_getter,
    }  # fmt: skip
    said = {key: getattr(outer, key) if v is None else v for key, v in given.items()}
    entered = _ENTERED.temporarily(scope=VariableScope(prefix, **said))
    with entered, _name_scope(name), _counted(prefix, again):
        yield _ENTERED.scope


def _asking_first(getter: Callable[..., Any], outer: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a getter whose first argument is the one of the block around it."""

    def custom_getter(own: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return getter(functools.partial(outer, own), *args, **kwargs)

    return custom_getter


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

    Unlike in a graph, each call makes another one, as in TensorFlow with eager execution; in a
    template (`tf.compat.v1.make_template`) each name is made once.

    Args:
        name: its name; that of the block of `variable_scope` is put in front.
        shape: its shape, unless the initializer is a value.
        dtype: its dtype, by default that of a value, else that of the block, else float32.
        initializer: a value, or a function of the shape and the dtype; by default that of the
            block, else that of Glorot, or zeros for integers.
        regularizer: accepted for TensorFlow's sake.
        trainable: whether tapes watch it.
        collections: ignored: there are no collections.
        caching_device: ignored.
        partitioner: ignored: a variable is whole.
        validate_shape: ignored.
        use_resource: ignored: all variables are resources.
        custom_getter: called as `custom_getter(getter, name, **kwargs)` with the whole name and all
            other arguments; it returns a variable, as a rule `getter(name, **kwargs)`. By default
            that of the block.
        constraint: as of `tf.Variable`, by default that of the block.
        synchronization: as of `tf.Variable`.
        aggregation: as of `tf.Variable`.

    Returns:
        The variable.

    Raises:
        ValueError: if there is no shape, or the initializer is a value and there is one, or another
            dtype; in a template, if the variable has another shape or dtype.

    >>> tf.compat.v1.get_variable("n", initializer=3)
    <tf.Variable 'n:0' shape=() dtype=int32, numpy=3>
    """
    scope = _ENTERED.scope
    if dtype is None:
        dtype = scope.dtype
    elif initializer is not None and not callable(initializer):
        own = convert_to_tensor(initializer).dtype
        if own is not as_dtype(dtype):
            raise ValueError(MESSAGE_TYPES.format(shown_dtype(own), shown_dtype(as_dtype(dtype))))
    if trainable is None:
        trainable = synchronization is not VariableSynchronization.ON_READ
    given: dict[str, Any] = {
        "name": scope.name_of(name), "shape": shape, "dtype": dtype, "trainable": trainable,
        "initializer": scope.initializer if initializer is None else initializer,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization, "aggregation": aggregation,
    }  # fmt: skip
    getter = scope.custom_getter if custom_getter is None else custom_getter
    if getter is None:
        return _found_or_made(**given)
    ignored = {
        "regularizer": regularizer, "reuse": False, "collections": collections,
        "caching_device": caching_device, "partitioner": partitioner,
        "validate_shape": validate_shape, "use_resource": use_resource,
    }  # fmt: skip
    return getter(_found_or_made, **given, **ignored)


def _found_or_made(name: str, **given: Any) -> Variable:
    """Returns the variable of a template, or makes it."""
    store = _ENTERED.store
    if store is None:
        return _made(name, **given)
    if name not in store:
        store[name] = _made(name, **given)
        return store[name]
    found, shape, dtype = store[name], given.get("shape"), given.get("dtype")
    if shape is not None and not found.shape.is_compatible_with(shape):
        told = "specified shape {} and found shape {}"
        raise _sharing(name, told, TensorShape(shape), found.shape)
    if dtype is not None and not as_dtype(dtype).is_compatible_with(found.dtype):
        told = "specified dtype {} and found dtype {}"
        raise _sharing(name, told, as_dtype(dtype).name, found.dtype.name)
    return found


def _sharing(name: str, told: str, *values: Any) -> ValueError:
    return ValueError(f"Trying to share variable {name}, but {told.format(*values)}.")


def _made(
    name: str,
    shape: Any = None,
    dtype: Any = dtypes.float32,
    initializer: Any = None,
    regularizer: Any = None,
    reuse: Any = None,
    trainable: bool | None = None,
    **rest: Any,
) -> Variable:
    """Makes a variable of the arguments that a getter is given."""
    kept = ("constraint", "synchronization", "aggregation")
    own = {"name": name, "trainable": trainable, **{k: rest[k] for k in kept if k in rest}}
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype, value = None, initializer  # which has its own
    elif shape is None:
        raise ValueError(
            f"Variable {name} did not get an initializer, so its `shape` argument must be "
            "specified."
        )
    else:
        dtype = as_dtype(dtype)
        if initializer is None:
            initializer = GlorotUniform() if dtype.is_floating else Zeros()
        elif isinstance(initializer, type):
            initializer = initializer()
        value = convert_to_tensor(initializer(shape, dtype=dtype), dtype)
    with _name_scope(""):  # the name is whole
        return Variable(value, dtype=dtype, **own)


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
