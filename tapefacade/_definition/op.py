"""The `@op` decorator: one declarative definition per TensorFlow function."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ParamSpec, Protocol, TypeVar, overload

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from tapefacade._core import dtypes, errors, nest
from tapefacade._core.annotations import described, shown_annotation
from tapefacade._core.dispatch import dispatched
from tapefacade._core.error_texts import (
    invalid,
    kernel_prefix,
    kernel_suffix,
    refused_type,
    refuses_attribute,
    wrong_input,
)
from tapefacade._core.gradient_rules import (
    DIFFERENTIABLE as DIFFERENTIABLE,
    Differentiable as Differentiable,
    Gradient as Gradient,
    NoGradient as NoGradient,
    NotDifferentiable as NotDifferentiable,
)
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import (
    EagerTensor,
    FailedResult,
    cast_hinted,
    failed_result,
    is_left_open,
)
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._core.tracebacks import shorten, shortening, with_short_tracebacks
from tapefacade._core.traced_errors import is_of_types, mark_as_of_types, marked_alike
from tapefacade._definition.call import record as record
from tapefacade._definition.fast_path import record1 as record1, record2 as record2, record_many
from tapefacade._definition.op_properties import OpFacts, state
from tapefacade._definition.parameters import Parameter, read_parameters
from tapefacade._trace.interpreter import Interpreter
from tapefacade._trace.named_sizes import traced_for_all_sizes
from tapefacade._trace.numpy_steps import are_equal
from tapefacade._trace.open_sizes import ACCOUNTS, note_call, with_sizes_among
from tapefacade._trace.operation import Check as Check, Operation
from tapefacade._trace.program_listing import in_sentence
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import users_line
from tapefacade._trace.wait_watch import WAIT_WATCH

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
F = TypeVar("F", bound=Callable[..., Any])

# Annotations of an implementation's parameters: which are tensors, and of which dtype. `Any` to
# the type checker, since inside the implementation they are arrays.
TensorLike = Annotated[Any, "common"]  # the op's common dtype
IndexLike = Annotated[Any, "index"]  # an integer dtype of its own
BoolLike = Annotated[Any, "bool"]
FreeTensor = Annotated[Any, "free"]  # any dtype, not matched with the others
OptionalTensor = Annotated[Any, "common", "optional"]
TensorList = Annotated[Any, "common", "list"]

REGISTRY: dict[str, "Op"] = {}
MAX_INFERRED = 4096
ACTING = (  # the packages of functions that write, assign, assert, or call functions of the user's
    "tapefacade._function", "tapefacade._summary", "tapefacade._compat.v1_ops",
    "tapefacade._ops.debugging",
)  # fmt: skip
OUTPUTS = "outputs"  # of calls that are known for all sizes
# Kernels that only put arrays together or take them apart.
MOVING_KERNELS = ("ConcatV2", "Pack", "Unpack")
BODY = """\
    try:
        return {}
    except Exception as _error:
        if _is_left_open(_error) and not _stays:
            return _FailedResult(_error)
        _shorten(_error)
        raise
"""
NAME = inspect.Parameter(
    "name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=str | None
)


class _Test:
    """The test of a check, as a program for NumPy."""

    def __init__(self, closed: ClosedJaxpr, structure: Any) -> None:
        self._closed = closed
        self._structure = structure
        self._interpreter: Interpreter | None = None

    def run(self, arrays: Sequence[Any]) -> tuple[Any, ...] | None:
        """Returns what the test says; None if NumPy cannot compute it."""
        if self._interpreter is None:
            self._interpreter = Interpreter(self._closed)
        if self._interpreter.alone:
            return None
        with np.errstate(all="ignore"):
            return jax.tree.unflatten(self._structure, self._interpreter.run(arrays))


# The types of the outputs of a call, their structure, and the test of its check.
Inferred = tuple[tuple[tuple[TensorType, ...], Any], _Test | None]


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
        accepts: Callable[[tuple[Any, ...], Sequence[TensorType]], bool] | None,
        facts: OpFacts,
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
        self.accepts = accepts
        self.facts = facts
        self.signature = inspect.signature(implementation)
        self.parameters = read_parameters(self.signature)
        self.tensors = tuple(p for p in self.parameters if p.kind)
        self.statics = tuple(p for p in self.parameters if not p.kind)
        self.plain = all(p.form == "one" for p in self.tensors)
        self.matched = all(p.kind == "common" for p in self.tensors)
        self.common = tuple(i for i, p in enumerate(self.tensors) if p.kind == "common")
        forms = [p.form for p in self.tensors]
        self.only_list = forms == ["list"]
        self.no_list = "list" not in forms
        self._inferred: dict[Any, Inferred] = {}  # by the static values and the types of the inputs
        known = {p.name for p in self.tensors}
        named = set(gradient.except_for) if isinstance(gradient, Differentiable) else set()
        if unknown := named.union(check.values if check is not None else ()) - known:
            raise ValueError(f"op {self.name!r} has no tensor input {sorted(unknown)}.")

    # What a call gives.

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return self._known(static, types)[0]

    def checked(self, static: tuple[Any, ...], types: Sequence[TensorType]) -> bool:
        return self.check is not None and self._known(static, types)[1] is not None

    def test_on_host(
        self, arrays: Sequence[Any], static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[Any, ...]:
        """Tests values that are on the host: JAX would compile what NumPy computes at once.

        Args:
            arrays: the inputs, a `jax.ShapeDtypeStruct` for those that do not decide.
            static: the static values, for which the op is checked.
            types: the types of the inputs.
        """
        test = self._known(static, types)[1]
        found = test and test.run(arrays)
        return found or self.test(arrays, static)

    def _known(self, static: tuple[Any, ...], types: Sequence[TensorType]) -> Inferred:
        # 2 == 2.0 == True, but an op may refuse one of them.
        key = (static, kinds(static), tuple(types))
        found = self._inferred.get(key)
        if found is None:
            if len(self._inferred) > MAX_INFERRED:
                self._inferred.clear()
            try:
                with WAIT_WATCH.over(THREAD.recording.text, is_brief=True):
                    found = self._inferred[key] = self._infer(static, types)
            except errors.InvalidArgumentError as error:
                mark_as_of_types(error)
                raise
        return found

    def _infer(self, static: tuple[Any, ...], types: Sequence[TensorType]) -> Inferred:
        if self.accepts is None or not self.accepts(static, types):
            self._check_dtypes(static, types)
        # Sizes that differ at every call get names, which stand for all of them.
        shapes, numpy_dtypes, structure, test = traced_for_all_sizes(
            (self, OUTPUTS), (static, tuple(types)), lambda call: self._traced(*call), _are_alike
        )
        return (_types(shapes, numpy_dtypes), structure), test and _Test(*test)

    def _traced(self, static: tuple[Any, ...], types: Sequence[Any]) -> tuple[Any, ...]:
        """Calls the implementation on types only.

        Returns:
            The shapes and dtypes of the outputs, their structure, None if it is one tensor, and
            the test of the check with the structure of what it says, None if nothing can fail.
        """
        structures: list[Any] = []

        def test(*arrays: Any) -> list[Any]:
            found = self.test(arrays, static)
            flat, structure = jax.tree.flatten(found)
            structures.append(structure)
            return [] if found[0] is True else flat

        try:
            with jax.enable_x64(True):
                abstract = [jax.ShapeDtypeStruct(t.shape, t.numpy_dtype) for t in types]
                result = jax.eval_shape(lambda *arrays: self.call(arrays, static), *abstract)
                if self.check is None:
                    return *_described(result), None
                closed = jax.make_jaxpr(test)(*abstract)
        except errors.OpError as error:
            raise self.named(error) from None
        except ArithmeticError as error:  # of sizes that are 0, or that indices cannot count
            raise self.named(errors.InvalidArgumentError(None, None, str(error))) from None
        return *_described(result), (closed, structures[0]) if closed.jaxpr.outvars else None

    def named(self, error: errors.OpError, computing: bool = True) -> errors.OpError:
        """Returns the error with the name of the op, where TensorFlow puts it.

        Args:
            error: the error.
            computing: whether TensorFlow finds the error while it computes the op.
        """
        if "[Op:" in error.message:
            return error
        prefix = kernel_prefix(self.kernel) if computing else ""
        kind: Any = type(error)
        made = kind(None, None, prefix + error.message + kernel_suffix(self.kernel))
        return marked_alike(made, error)

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
                names = expected.kernel_name, given.dtype.kernel_name
                error = invalid(wrong_input(self.kernel, place, *names))
                raise cast_hinted(self.named(error, computing=False), given.dtype, expected)

    def _check_allowed(self, types: Sequence[TensorType]) -> None:
        kind = types[0].dtype.kernel_name if types else ""
        if self.dtypes is not None and kind not in self.dtypes:
            error = self.named(refused_type("T", kind, self.dtypes, self.kernel), computing=False)
            takes_floats = dtypes.float32.kernel_name in self.dtypes
            raise cast_hinted(error, types[0].dtype, dtypes.float32) if takes_floats else error

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

    def named_arguments(self, inputs: Sequence[Any], static: Sequence[Any]) -> dict[str, Any]:
        """Returns the arguments of a call by name, as the implementation's signature has them."""
        named = dict(zip([p.name for p in self.tensors], inputs, strict=True))
        named.update(zip([p.name for p in self.statics], static, strict=False))
        return named

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return jax.tree_util.tree_leaves(self.call(arrays, static))

    @property
    def is_moving(self) -> bool:  # type: ignore[override]
        return self.host is not None and self.kernel in MOVING_KERNELS

    def by_numpy(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any] | None:
        if self.host is None:
            return None
        arguments = self._arguments(arrays, static)
        with np.errstate(all="ignore"):
            found = self.host(*[arguments[p.name] for p in self.parameters])
        return found if isinstance(found, list) else [found]

    def on_host(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any] | None:
        return self.by_numpy(arrays, static) if self.is_moving else None

    def test(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> tuple[Any, ...]:
        assert self.check is not None
        return self.check.test(**self._arguments(arrays, static))

    def error(self, details: Sequence[Any], static: tuple[Any, ...]) -> Exception:
        assert self.check is not None
        names = [p.name for p in self.statics]
        error = self.check.error(*details, **dict(zip(names, static, strict=False)))
        # TensorFlow's assertions and arrays are Python's.
        bare = self.name.startswith(("_assert", "_array_"))
        return self.named(error) if isinstance(error, errors.OpError) and not bare else error

    def blocked(self, static: tuple[Any, ...], count: int) -> frozenset[int]:
        if not isinstance(self.gradient, Differentiable) or not self.gradient.except_for:
            return frozenset()
        names = [p.name for p in self.flat_parameters(static)]
        return frozenset(i for i, n in enumerate(names) if n in self.gradient.except_for)


def _are_alike(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two calls on types only have given the same."""
    if one[:-1] != other[:-1]:
        return False
    test, other_test = one[-1], other[-1]
    if test is None or other_test is None:
        return test is other_test
    return test[1] == other_test[1] and are_equal(test[0], other_test[0])


def _described(result: Any) -> tuple[Any, Any, Any]:
    """Returns the shapes and dtypes of a result, and its structure; None if it is one tensor."""
    leaves, structure = jax.tree_util.tree_flatten(result)
    is_one = leaves and result is leaves[0]
    shapes = tuple([tuple(a.shape) for a in leaves])
    return shapes, tuple([np.dtype(a.dtype) for a in leaves]), None if is_one else structure


def _types(shapes: Any, numpy_dtypes: Any) -> tuple[TensorType, ...]:
    return tuple([type_of(s, d) for s, d in zip(shapes, numpy_dtypes, strict=True)])


def kinds(static: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the classes of static values, which may be equal all the same."""
    return tuple([kinds(v) if type(v) is tuple else type(v) for v in static])


# Definition.


class PublicFunction(Protocol[P, R]):
    """What a type checker knows of a public function: its parameters, and maybe `name`."""

    __name__: str

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: Any, name: str | None, **kwargs: Any) -> R: ...


class Definition(Protocol):
    """Turns an implementation over arrays into a function over tensors."""

    @overload
    def __call__(
        self, implementation: Callable[P, jax.Array]
    ) -> "PublicFunction[P, EagerTensor]": ...
    @overload
    def __call__(
        self, implementation: Callable[P, tuple[jax.Array, jax.Array]]
    ) -> "PublicFunction[P, tuple[EagerTensor, EagerTensor]]": ...
    @overload
    def __call__(
        self, implementation: Callable[P, list[jax.Array]]
    ) -> "PublicFunction[P, list[EagerTensor]]": ...
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
    accepts: Callable[[tuple[Any, ...], Sequence[TensorType]], bool] | None = None,
    elementwise: int = 0,
    keeps_zeros: bool = False,
    moves: bool = False,
    raw_op: bool = False,
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
        accepts: tells of static values and input types whether these are allowed whatever `dtypes`
            and the rule of one common dtype say.
        elementwise: how many first tensors it takes element by element; these may be ragged.
        keeps_zeros: whether it is 0 at 0; its tensor may be sparse.
        moves: whether it only moves, repeats and compares elements; these may be strings.
        raw_op: whether `tf.raw_ops` has the kernel with these arguments.

    Returns:
        A decorator for the implementation: a documented, pure function of arrays.
    """

    def define(implementation: Callable[..., Any]) -> Callable[..., Any]:
        facts = OpFacts(elementwise, keeps_zeros, moves, raw_op)
        definition = Op(
            names, implementation, kernel, gradient, dtypes, host, check, mismatch, accepts, facts
        )
        public = _public_function(definition)
        state(names[0], facts)
        register(names, public)
        for name in names:
            REGISTRY[name] = definition
        return public

    return define


def _failing_where_it_is_used(composite: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function that looks at values fail in a `tf.function` where its result is used.

    In the body of a branch or loop, which may not run, it does not fail at all. An attribute that
    no values can make right is refused at the call.
    """

    @functools.wraps(composite)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            result = composite(*args, **kwargs)
            if ACCOUNTS:
                with_sizes_among(nest.flatten(result), nest.flatten((args, kwargs)))
                note_call(composite, (args, kwargs), result)
            return result
        except errors.OpError as error:
            if THREAD.recording.frame is not None:
                THREAD.recording.observe(f"{composite.__name__} fails")
            if THREAD.functions and not (refuses_attribute(error) or is_of_types(error)):
                if not is_left_open(error):
                    line = in_sentence(users_line())
                    error.add_note(f"The op is {composite.__name__}, called at {line}.")
                return FailedResult(error)
            shorten(error)
            raise
        except Exception as error:
            shorten(error)
            raise

    return call


def _noting_sizes(composite: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function take note of sizes that values among its arguments decide."""

    @functools.wraps(composite)
    def call(*args: Any, **kwargs: Any) -> Any:
        result = composite(*args, **kwargs)
        return note_call(composite, (args, kwargs), result) if ACCOUNTS else result

    return call


def _only_computes(composite: Callable[..., Any]) -> bool:
    """Whether a function only gives a result: it neither acts nor calls functions of the user's."""
    gives = composite.__annotations__.get("return", True) is not None
    return gives and not composite.__module__.startswith(ACTING)


def function(
    *names: str, dispatch: bool = False, elementwise: int = 0, on_values: bool = False
) -> Callable[[F], F]:
    """Registers a function made of several ops, or one that has to look at values.

    Args:
        names: paths below `tf`, the canonical one first.
        dispatch: whether the handlers of ragged tensors and the like (`_core/dispatch.py`) are
            called for what the function cannot convert. Ops do that by themselves.
        elementwise: how many first tensors it takes element by element; these may be ragged.
        on_values: whether it computes with values at once, and may fail for some. In a
            `tf.function` it fails where its result is used.

    Returns:
        A decorator that returns its argument, or a function around it.
    """

    def define(composite: F) -> F:
        if not composite.__doc__:
            raise ValueError(f"function {names[0]!r} has no docstring.")
        described(composite)
        if on_values:
            composite = _failing_where_it_is_used(composite)  # type: ignore[assignment]
        elif names[0][0] != "_" and not isinstance(composite, type) and _only_computes(composite):
            composite = _noting_sizes(composite)
        if dispatch:
            composite = dispatched(names[0], composite)  # type: ignore[assignment]
        if isinstance(composite, type):
            with_short_tracebacks(composite)
        elif not (dispatch or on_values or names[0][0] == "_"):
            if _only_computes(composite):
                composite = shortening(composite, failed_result)
            else:
                composite = shortening(composite)
        register(names, composite)
        state(names[0], OpFacts(elementwise))
        return composite  # type: ignore[return-value]

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
    signature = definition.signature
    parameters = list(signature.parameters.values())
    if "name" not in signature.parameters:
        parameters.append(NAME)
    defaults = {f"_default_{p.name}": p.default for p in parameters}
    head = ", ".join(
        p.name if p.default is p.empty else f"{p.name}=_default_{p.name}" for p in parameters
    )
    changes = "".join(
        f"    if _type({p.name}) is list: {p.name} = tuple({p.name})\n" for p in definition.statics
    )
    changes += "".join(  # as TensorFlow's kernels have it: None is the dtype that is the default
        f"    if {p.name} is None: {p.name} = _default_{p.name}\n"
        for p in definition.statics
        if isinstance(signature.parameters[p.name].default, dtypes.DType)
    )
    static = "(" + "".join(f"{p.name}, " for p in definition.statics) + ")"
    tensors = [p.name for p in definition.tensors]
    if definition.plain and len(tensors) in (1, 2):
        body = f"record{len(tensors)}(definition, {', '.join(tensors)}, {static})"
    else:
        body = f"record_many(definition, ({''.join(f'{t}, ' for t in tensors)}), {static})"
    name = definition.implementation.__name__
    namespace: dict[str, Any] = {
        "definition": definition, "record1": record1, "record2": record2,
        "record_many": record_many, "_shorten": shorten,
        "_is_left_open": is_left_open,
        "_stays": definition.check is not None and definition.check.stays,
        "_FailedResult": FailedResult,
        "_type": type,  # a parameter may have that name
        **defaults,
    }  # fmt: skip
    exec(f"def {name}({head}):\n{changes}{BODY.format(body)}", namespace)
    public = namespace[name]
    public.__doc__ = definition.implementation.__doc__
    public.__module__ = definition.implementation.__module__
    public.__qualname__ = name
    annotations = definition.implementation.__annotations__
    public.__annotations__ = {name: shown_annotation(kind) for name, kind in annotations.items()}
    public.__wrapped__ = definition.implementation
    public.__signature__ = signature.replace(
        parameters=[p.replace(annotation=shown_annotation(p.annotation)) for p in parameters],
        return_annotation=shown_annotation(signature.return_annotation),
    )
    public.op = definition
    return public
