"""The `@op` decorator: one declarative definition per TensorFlow function."""

import inspect
import typing
import weakref
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ParamSpec, Protocol, overload

import jax
import numpy as np

from tapefacade._core import dtypes, errors
from tapefacade._core.convert import convert
from tapefacade._core.gradient import (
    DIFFERENTIABLE as DIFFERENTIABLE,
    Differentiable as Differentiable,
    Gradient as Gradient,
    NoGradient as NoGradient,
    NotDifferentiable as NotDifferentiable,
)
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, Tensor, from_host, host_value
from tapefacade._core.types import TensorType, type_of
from tapefacade._ops.parameters import Parameter, freeze, read_parameters
from tapefacade._trace import running
from tapefacade._trace.operation import Check as Check, Operation
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import BOOL, COMPLEX, FLOAT, INT, PENDING_LIMIT, TREE

P = ParamSpec("P")

# Annotations of an implementation's parameters: which are tensors, and of which dtype. `Any` to
# the type checker, since inside the implementation they are arrays.
TensorLike = Annotated[Any, "common"]  # the op's common dtype
IndexLike = Annotated[Any, "index"]  # an integer dtype of its own
BoolLike = Annotated[Any, "bool"]
FreeTensor = Annotated[Any, "free"]  # any dtype, not matched with the others
OptionalTensor = Annotated[Any, "common", "optional"]
OptionalIndex = Annotated[Any, "index", "optional"]
TensorList = Annotated[Any, "common", "list"]

REGISTRY: dict[str, "Op"] = {}
MARKERS = {float: FLOAT, int: INT, bool: BOOL, complex: COMPLEX}
MAX_INFERRED = 4096
MESSAGE_COMPUTING = (
    "{{{{function_node __wrapped__{}_device_/job:localhost/replica:0/task:0/device:CPU:0}}}} "
)
_REFERENCE = weakref.ref


class Op(Operation):
    """A TensorFlow function: its names, its JAX implementation and its gradient rule."""

    def __init__(
        self,
        names: tuple[str, ...],
        implementation: Callable[..., Any],
        kernel: str | None,
        gradient: Gradient,
        dtypes_: tuple[str, ...] | None,
        host: Callable[..., Any] | None,
        check: Check | None,
        mismatch: Callable[[Any, Any], Exception] | None,
    ) -> None:
        if not implementation.__doc__:
            raise ValueError(f"op {names[0]!r} has no docstring.")
        self.names = names
        self.name = names[0]
        self.kernel = kernel or "".join(w.capitalize() for w in names[0].split(".")[-1].split("_"))
        self.implementation = implementation
        self.gradient = gradient
        self.dtypes = dtypes_
        self.host = host
        self.check = check
        self.mismatch = mismatch
        self.parameters = read_parameters(implementation)
        self.tensors = tuple(p for p in self.parameters if p.kind)
        self.statics = tuple(p for p in self.parameters if not p.kind)
        self.plain = all(p.form == "one" for p in self.tensors)
        self.matched = all(p.kind == "common" for p in self.tensors)
        self._inferred: dict[Any, tuple[tuple[TensorType, ...], Any]] = {}
        self._checked: dict[Any, bool] = {}
        known = {p.name for p in self.tensors}
        if isinstance(gradient, Differentiable) and (unknown := set(gradient.except_for) - known):
            raise ValueError(f"op {self.name!r} has no tensor input {sorted(unknown)}.")
        if check is not None and (unknown := set(check.values) - known):
            raise ValueError(f"op {self.name!r} has no tensor input {sorted(unknown)}.")

    # What a call gives.

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        key = (static, tuple(types))
        found = self._inferred.get(key)
        if found is None:
            if len(self._inferred) > MAX_INFERRED:
                self._inferred.clear()
            found = self._inferred[key] = self._infer(static, types)
        return found

    def _infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        self._check_dtypes(static, types)
        abstract = [jax.ShapeDtypeStruct(t.shape, t.numpy_dtype) for t in types]
        try:
            with jax.enable_x64(True):
                result = jax.eval_shape(lambda *arrays: self.call(arrays, static), *abstract)
        except errors.OpError as error:
            raise self.named(error) from None
        leaves, structure = jax.tree_util.tree_flatten(result)
        outputs = tuple([type_of(tuple(a.shape), np.dtype(a.dtype)) for a in leaves])
        return outputs, None if leaves and result is leaves[0] else structure

    def checked(self, static: tuple[Any, ...], types: Sequence[TensorType]) -> bool:
        if self.check is None:
            return False
        key = (static, tuple(types))
        if key not in self._checked:
            abstract = [jax.ShapeDtypeStruct(t.shape, t.numpy_dtype) for t in types]
            found: list[Any] = []

            def test(*arrays: Any) -> None:
                found.append(self.test(arrays, static)[0])

            with jax.enable_x64(True):
                jax.eval_shape(test, *abstract)
            self._checked[key] = found[0] is not True
        return self._checked[key]

    def named(self, error: errors.OpError, computing: bool = True) -> errors.OpError:
        """Returns the error with the name of the op, where TensorFlow puts it.

        Args:
            error: the error.
            computing: whether TensorFlow finds the error while it computes the op.
        """
        if "[Op:" in error.message:
            return error
        prefix = MESSAGE_COMPUTING.format(self.kernel) if computing else ""
        return type(error)(None, None, f"{prefix}{error.message} [Op:{self.kernel}] name: ")

    def _check_dtypes(self, static: tuple[Any, ...], types: Sequence[TensorType]) -> None:
        common = [
            t
            for t, p in zip(types, self.flat_parameters(static), strict=True)
            if p.kind == "common"
        ]
        self._check_allowed((common or list(types))[:1])
        first: TensorType | None = None
        for place, parameter in enumerate(self.flat_parameters(static)):
            given = types[place]
            expected = None
            if parameter.kind == "bool" and not given.dtype.is_bool:
                expected = dtypes.bool
            elif parameter.kind == "common":
                first = first or given
                if given.dtype is not first.dtype:
                    expected = first.dtype
            if expected is not None:
                if self.mismatch is not None:
                    raise self.mismatch(expected, given.dtype)
                message = (
                    f"cannot compute {self.kernel} as input #{place}(zero-based) was expected to "
                    f"be a {expected.kernel_name} tensor but is a {given.dtype.kernel_name} tensor"
                )
                raise self.named(errors.InvalidArgumentError(None, None, message), computing=False)

    def _check_allowed(self, types: Sequence[TensorType]) -> None:
        kind = types[0].dtype.kernel_name if types else ""
        if self.dtypes is not None and kind not in self.dtypes:
            message = (
                f"Value for attr 'T' of {kind} is not in the list of allowed values: "
                f"{', '.join(self.dtypes)}\n\t; NodeDef: {{{{node {self.kernel}}}}}"
            )
            raise self.named(errors.InvalidArgumentError(None, None, message), computing=False)

    def flat_parameters(self, static: tuple[Any, ...]) -> list[Parameter]:
        """Returns the parameter of each input."""
        if self.plain:
            return list(self.tensors)
        counts = static[-1]
        return [p for p, n in zip(self.tensors, counts, strict=True) for _ in range(max(n, 0))]

    def call(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Any:
        """Calls the implementation on arrays."""
        return self.implementation(**self._arguments(arrays, static))

    def _arguments(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> dict[str, Any]:
        if self.plain:
            arguments = {p.name: array for p, array in zip(self.tensors, arrays, strict=True)}
        else:
            arguments, rest = {}, iter(arrays)
            for parameter, count in zip(self.tensors, static[-1], strict=True):
                if parameter.form == "list":
                    arguments[parameter.name] = [next(rest) for _ in range(count)]
                else:
                    arguments[parameter.name] = next(rest) if count else None
        arguments.update(zip([p.name for p in self.statics], static, strict=False))
        return arguments

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return jax.tree_util.tree_leaves(self.call(arrays, static))

    def test(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> tuple[Any, ...]:
        assert self.check is not None
        return self.check.test(**self._arguments(arrays, static))

    def error(self, details: Sequence[Any], static: tuple[Any, ...]) -> Exception:
        assert self.check is not None
        names = [p.name for p in self.statics]
        error = self.check.error(*details, **dict(zip(names, static, strict=False)))
        return self.named(error) if isinstance(error, errors.OpError) else error

    def blocked(self, static: tuple[Any, ...], count: int) -> frozenset[int]:
        if not isinstance(self.gradient, Differentiable) or not self.gradient.except_for:
            return frozenset()
        names = [p.name for p in self.flat_parameters(static)]
        return frozenset(i for i, n in enumerate(names) if n in self.gradient.except_for)


# Recording a call. The three functions below are the hot path: an op that was recorded before at
# this point costs a dictionary lookup and one tensor.


def record1(op: Op, x: Any, static: tuple[Any, ...]) -> Any:
    """Records an op of one tensor."""
    recording = THREAD.recording
    if type(x) is EagerTensor:
        if x._recording is recording:
            slot = x._slot
        elif op.host is not None and x._type.hostable:
            return record(op, (x,), static)
        else:
            slot = recording.leaf(x)
    else:
        try:
            if op.host is not None and x._type.hostable:
                return record(op, (x,), static)
            slot = x._slot_in(recording)
        except AttributeError:
            return record(op, (x,), static)
    try:
        node = recording.at.edges[(op, static, (slot,))]
    except (KeyError, TypeError):
        return record(op, (x,), static)
    if node.slow:
        return record(op, (x,), static)
    recording.at = node
    slot = node.first_output
    tensor = EagerTensor(node.type, None, recording, slot)
    recording.owners[slot] = _REFERENCE(tensor)
    return tensor


def record2(op: Op, x: Any, y: Any, static: tuple[Any, ...], hint: bool = False) -> Any:
    """Records an op of two tensors, one of which may be a Python number."""
    recording = THREAD.recording
    scalar = None
    if type(x) is EagerTensor:
        if x._recording is recording:
            first = x._slot
        elif op.host is not None and x._type.hostable:
            return record(op, (x, y), static, hint)
        else:
            first = recording.leaf(x)
    elif type(x) is float and op.matched:
        first, scalar = FLOAT, x
    elif type(x) is int and op.matched:
        first, scalar = INT, x
    else:
        try:
            if op.host is not None and x._type.hostable:
                return record(op, (x, y), static, hint)
            first = x._slot_in(recording)
        except AttributeError:
            return record(op, (x, y), static, hint)
    if type(y) is EagerTensor:
        if y._recording is recording:
            second = y._slot
        elif op.host is not None and y._type.hostable:
            return record(op, (x, y), static, hint)
        else:
            second = recording.leaf(y)
    elif type(y) is float and op.matched and scalar is None:
        second, scalar = FLOAT, y
    elif type(y) is int and op.matched and scalar is None:
        second, scalar = INT, y
    else:
        try:
            if op.host is not None and y._type.hostable:
                return record(op, (x, y), static, hint)
            second = y._slot_in(recording)
        except AttributeError:
            return record(op, (x, y), static, hint)
    try:
        node = recording.at.edges[(op, static, (first, second))]
    except (KeyError, TypeError):
        return record(op, (x, y), static, hint)
    if node.slow:
        return record(op, (x, y), static, hint)
    if scalar is not None:
        recording.data.scalars[node.first] = scalar
    recording.at = node
    slot = node.first_output
    tensor = EagerTensor(node.type, None, recording, slot)
    recording.owners[slot] = _REFERENCE(tensor)
    return tensor


def record(op: Op, inputs: tuple[Any, ...], static: tuple[Any, ...], hint: bool = False) -> Any:
    """Records any op; converts its inputs.

    Args:
        op: the op.
        inputs: a value for each tensor parameter.
        static: a value for each static parameter.
        hint: a Python value that cannot have the common dtype keeps its own, and the op then says
            that the dtypes differ (as operators do), instead of a failed conversion.

    Returns:
        The result, in the structure the implementation returns.
    """
    values = list(inputs)
    if not op.plain:
        values, counts = _spread(op, inputs)
        static = (*static, counts)
    static = freeze(op.statics, static)
    values, scalars = _convert_inputs(op, op.flat_parameters(static), values, hint)
    if op.host is not None:
        on_host = _on_host(op, values, scalars, static)
        if on_host is not NotImplemented:
            return on_host
    if op.check is not None:
        types = [_type(value) for value in values]
        op.infer(static, types)  # raises what is wrong with the shapes
        if op.checked(static, types):
            _check_on_host(op, values, scalars, static)
    recording = THREAD.recording
    if recording.at.depth % PENDING_LIMIT == PENDING_LIMIT - 1 and not recording.tapes:
        recording.flush()
        recording = THREAD.recording
    slots = [_slot(value, recording) for value in values]
    at = recording.at
    key = (op, static, tuple(slots))
    node = at.edges.get(key)
    if node is None:
        types = [_type(value) for value in values]
        outputs, structure = op.infer(static, types)
        for place, _ in scalars:
            slots[place] = at.end
        node = TREE.extend(
            at, key, operation=op, static=static, inputs=tuple(slots), types=outputs,
            checked=op.checked(static, types), scalars=tuple(types[place] for place, _ in scalars), structure=structure,
        )  # fmt: skip
        running.STATISTICS.recorded += 1
    for _, value in scalars:
        recording.data.scalars[node.first] = value
    recording.at = node
    tensors = recording.results(node)
    if node.eager:
        recording.flush()
    if node.structure is None:
        return tensors[0]
    return jax.tree_util.tree_unflatten(node.structure, tensors)


class _Scalar:
    """A Python number among the operands, and the type it takes."""

    __slots__ = ("marker", "type")

    def __init__(self, marker: int, type_: TensorType) -> None:
        self.marker = marker
        self.type = type_


def _slot(value: Any, recording: Any) -> int:
    if type(value) is _Scalar:
        return value.marker
    if type(value) is EagerTensor:
        return value._slot if value._recording is recording else recording.leaf(value)
    return value._slot_in(recording)


def _type(value: Any) -> TensorType:
    return value.type if type(value) is _Scalar else value._type


def _spread(op: Op, inputs: tuple[Any, ...]) -> tuple[list[Any], tuple[int, ...]]:
    """Flattens lists and leaves out what is None; returns how many inputs each parameter has."""
    values: list[Any] = []
    counts = []
    for parameter, value in zip(op.tensors, inputs, strict=True):
        if parameter.form == "list":
            if not isinstance(value, list | tuple):
                value = list(value) if isinstance(value, Tensor) else [value]
            values.extend(value)
            counts.append(len(value))
        elif value is None and parameter.form == "optional":
            counts.append(0)
        else:
            values.append(value)
            counts.append(1)
    return values, tuple(counts)


def _convert_inputs(
    op: Op, parameters: list[Parameter], values: list[Any], hint: bool
) -> tuple[list[Any], list[tuple[int, Any]]]:
    """Converts the inputs as TensorFlow does: Python and NumPy values follow the tensors' dtype."""
    common = _common_dtype(parameters, values)
    scalars: list[tuple[int, Any]] = []
    converted: list[Any] = []
    for place, (parameter, value) in enumerate(zip(parameters, values, strict=True)):
        if type(value) is EagerTensor or hasattr(value, "_slot_in"):
            converted.append(value)
        elif parameter.kind == "common":
            if common is not None and not scalars and _fits(value, common):
                converted.append(_Scalar(MARKERS[type(value)], type_of((), common._numpy)))
                scalars.append((place, value))
                continue
            tensor = _convert_common(value, common, hint)
            common = common or tensor.dtype
            converted.append(tensor)
        elif parameter.kind == "index" and type(value) is int and not scalars and _small(value):
            converted.append(_Scalar(INT, type_of((), dtypes.int32._numpy)))
            scalars.append((place, value))
        elif parameter.kind == "bool":
            converted.append(convert(value, dtypes.bool))
        else:
            converted.append(convert(value))
    return converted, scalars


def _common_dtype(parameters: list[Parameter], values: list[Any]) -> dtypes.DType | None:
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.kind == "common":
            if type(value) is EagerTensor or hasattr(value, "_slot_in"):
                return value._type.dtype
            if isinstance(value, list | tuple) and (dtype := _dtype_within(value)) is not None:
                return dtype
    return None


def _dtype_within(value: Any) -> dtypes.DType | None:
    for item in value:
        if isinstance(item, Tensor) or hasattr(item, "_slot_in"):
            return item.dtype
        if isinstance(item, list | tuple) and (dtype := _dtype_within(item)) is not None:
            return dtype
    return None


def _small(value: int) -> bool:
    return -(2**31) <= value < 2**31


def _fits(value: Any, dtype: dtypes.DType) -> bool:
    kind = type(value)
    if kind is float:
        return dtype.is_floating or dtype.is_complex
    if kind is int:
        return not dtype.is_bool and -(2**63) <= value < 2**63
    if kind is bool:
        return True
    return kind is complex and dtype.is_complex


def _convert_common(value: Any, common: dtypes.DType | None, hint: bool) -> EagerTensor:
    try:
        return convert(value, common)
    except TypeError:
        if hint:
            return convert(value)
        raise


def _on_host(
    op: Op, values: list[Any], scalars: list[tuple[int, Any]], static: tuple[Any, ...]
) -> Any:
    """Computes shape arithmetic at once; NotImplemented if an input is not on the host."""
    arrays = []
    for value in values:
        if type(value) is _Scalar:
            array = next(np.array(v, value.type.numpy_dtype) for _, v in scalars)
        elif type(value) is EagerTensor:
            array = host_value(value)
        else:
            array = value._host_value()
        if array is None:
            return NotImplemented
        arrays.append(array)
    if not arrays:
        return NotImplemented
    types = [_type(value) for value in values]
    op.infer(static, types)  # raises what is wrong with the types
    if op.checked(static, types):
        _check_on_host(op, values, scalars, static)
    assert op.host is not None
    with np.errstate(all="ignore"):
        arguments = op._arguments(arrays, static)
        result = op.host(*[arguments[p.name] for p in op.parameters])
    return jax.tree_util.tree_map(lambda array: from_host(np.asarray(array)), result)


def _check_on_host(
    op: Op, values: list[Any], scalars: list[tuple[int, Any]], static: tuple[Any, ...]
) -> None:
    """Raises the error of a check whose values are known on the host."""
    assert op.check is not None
    arguments = []
    scalar = scalars[0][1] if scalars else None
    for parameter, value in zip(op.flat_parameters(static), values, strict=True):
        array = getattr(value, "_value", None)
        if type(value) is _Scalar:
            array = np.array(scalar, value.type.numpy_dtype)
        if type(array) is not np.ndarray:
            if parameter.name in op.check.values:
                return
            array = jax.ShapeDtypeStruct(_type(value).shape, _type(value).numpy_dtype)
        arguments.append(array)
    with jax.enable_x64(True):
        ok, *details = op.test(arguments, static)
        if not isinstance(ok, jax.core.Tracer) and not bool(ok):
            raise op.error([np.asarray(d) for d in details], static)


# Definition.


class Definition(Protocol):
    """Turns an implementation over arrays into a function over tensors."""

    @overload
    def __call__(self, implementation: Callable[P, jax.Array]) -> Callable[P, EagerTensor]: ...
    @overload
    def __call__(
        self, implementation: Callable[P, tuple[jax.Array, jax.Array]]
    ) -> Callable[P, tuple[EagerTensor, EagerTensor]]: ...
    @overload
    def __call__(
        self, implementation: Callable[P, list[jax.Array]]
    ) -> Callable[P, list[EagerTensor]]: ...
    @overload
    def __call__(self, implementation: Callable[..., Any]) -> Callable[..., Any]: ...


def op(
    *names: str,
    kernel: str | None = None,
    gradient: Gradient = DIFFERENTIABLE,
    dtypes: tuple[str, ...] | None = None,
    host: Callable[..., Any] | None = None,
    check: Check | None = None,
    mismatch: Callable[[Any, Any], Exception] | None = None,
) -> Definition:
    """Defines the TensorFlow function known as `names`.

    Args:
        names: paths below `tf`, the canonical one first.
        kernel: TensorFlow's name of the op, for messages.
        gradient: what a tape does with a gradient that reaches the op.
        dtypes: the kernel names of the dtypes that the first tensor may have.
        host: the same function on NumPy arrays, for shape arithmetic.
        check: an error that depends on values; its test may return True for types that need none.
        mismatch: makes the exception for two dtypes that differ.

    Returns:
        A decorator for the implementation: a documented, pure function of arrays.
    """

    def define(implementation: Callable[..., Any]) -> Callable[..., Any]:
        definition = Op(
            names, implementation, kernel, gradient, dtypes, host, check, mismatch
        )
        public = _public_function(definition)
        register(names, public)
        for name in names:
            REGISTRY[name] = definition
        return public

    return define  # type: ignore[return-value]


def function(*names: str) -> Callable[[Callable[P, Any]], Callable[P, Any]]:
    """Registers a function made of several ops, or one that has to look at values.

    Args:
        names: paths below `tf`, the canonical one first.

    Returns:
        A decorator that returns its argument.
    """

    def define(composite: Callable[P, Any]) -> Callable[P, Any]:
        if not composite.__doc__:
            raise ValueError(f"function {names[0]!r} has no docstring.")
        register(names, composite)
        return composite

    return define


def register(names: tuple[str, ...], public: Callable[..., Any]) -> None:
    """Enters a function under its names.

    Raises:
        ValueError: if a name is taken.
    """
    for name in names:
        if name in FUNCTIONS:
            where = inspect.getsourcefile(inspect.unwrap(FUNCTIONS[name]))
            raise ValueError(f"{name!r} is already defined in {where}.")
        FUNCTIONS[name] = public


def _public_function(definition: Op) -> Callable[..., Any]:
    """Makes the function of tensors: it has TensorFlow's signature and binds without `inspect`."""
    signature = inspect.signature(definition.implementation)
    parameters = list(signature.parameters.values())
    if "name" not in signature.parameters:
        parameters.append(
            inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
        )
    defaults = {f"_default_{p.name}": p.default for p in parameters}
    head = ", ".join(
        p.name if p.default is p.empty else f"{p.name}=_default_{p.name}" for p in parameters
    )
    lists = "".join(
        f"    if type({p.name}) is list: {p.name} = tuple({p.name})\n" for p in definition.statics
    )
    static = "(" + "".join(f"{p.name}, " for p in definition.statics) + ")"
    tensors = [p.name for p in definition.tensors]
    if definition.plain and len(tensors) in (1, 2):
        body = f"record{len(tensors)}(definition, {', '.join(tensors)}, {static})"
    else:
        body = f"record(definition, ({''.join(f'{t}, ' for t in tensors)}), {static})"
    name = definition.implementation.__name__
    namespace: dict[str, Any] = {
        "definition": definition, "record": record, "record1": record1, "record2": record2,
        **defaults,
    }  # fmt: skip
    exec(f"def {name}({head}):\n{lists}    return {body}\n", namespace)  # noqa: S102
    public = namespace[name]
    public.__doc__ = definition.implementation.__doc__
    public.__module__ = definition.implementation.__module__
    public.__qualname__ = name
    public.__annotations__ = typing.get_type_hints(definition.implementation)
    public.__wrapped__ = definition.implementation
    public.__signature__ = signature.replace(
        parameters=parameters, return_annotation=signature.return_annotation
    )
    public.op = definition
    return public
