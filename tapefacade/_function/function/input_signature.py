"""`input_signature`, the parameters of a Python function, and how arguments are bound to them."""

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor, parts
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import HandleSpec, TensorSpec
from tapefacade._core.type_spec import TypeSpec, spec_of
from tapefacade._extension.extension_type import is_dense
from tapefacade._function.function.retracing_rules import has_unknown_sizes, is_tensor
from tapefacade._state.variable import Variable

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def binding_error(reason: str, args: Any, kwargs: Any, signature: str) -> TypeError:
    """Makes TensorFlow's error for arguments that do not fit."""
    return TypeError(
        f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and "
        f"kwargs: {kwargs} for signature: {signature}."
    )


class Parameters:
    """The parameters of a Python function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            self.signature: inspect.Signature | None = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = None
        parameters = list(self.signature.parameters.values()) if self.signature else []
        plain = all(parameter.kind in POSITIONAL for parameter in parameters)
        # How many arguments by position are complete as they are given; -1: it must be asked.
        self.count = len(parameters) if plain and self.signature else -1

    def bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], text: str = ""
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Puts arguments in their canonical form: by position, with the defaults.

        Raises:
            TypeError: if they do not fit.
        """
        if self.signature is None or (len(args) == self.count and not kwargs):
            return args, kwargs
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise binding_error(str(error), args, kwargs, text or self.text()) from None
        bound.apply_defaults()
        return bound.args, dict(sorted(bound.kwargs.items()))

    def text(self) -> str:
        """Returns the parameters as messages show them."""
        assert self.signature is not None
        parameters = self.signature.parameters.values()
        default = dict.fromkeys(parameters, "=<captured_default_value>")
        return signature_text(
            [(p, default[p] if p.default is not p.empty else "") for p in parameters]
        )

    @property
    def is_varied(self) -> bool:
        """Whether there is no fixed number of positional arguments."""
        found = self.signature.parameters.values() if self.signature else ()
        return any(parameter.kind is parameter.VAR_POSITIONAL for parameter in found)

    def names(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """Returns a name for each argument."""
        found: list[str] = []
        for parameter in self.signature.parameters.values() if self.signature else ():
            if parameter.kind in POSITIONAL:
                found.append(parameter.name)
            elif parameter.kind is parameter.VAR_POSITIONAL:
                more = (f"{parameter.name}_{place}" for place in itertools.count())
                found += itertools.islice(more, max(0, len(args) - len(found)))
        found += [f"arg_{place}" for place in range(len(found), len(args))]
        return [*found[: len(args)], *kwargs]

    def tensor_names(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
        """Returns TensorFlow's names of the tensors among the arguments."""
        values = zip(self.names(args, kwargs), [*args, *kwargs.values()], strict=True)
        return [name for own, value in values for name in leaf_names(own, value)]


class FunctionSpec:
    """The parameters of a Python function, as TensorFlow shows them.

    Attributes:
        fullargspec: what `inspect.getfullargspec` says.
        input_signature: the specs of the arguments, or None.
    """

    def __init__(self, function: Callable[..., Any], input_signature: Any) -> None:
        self.fullargspec = inspect.getfullargspec(function)
        self.input_signature = input_signature

    @property
    def arg_names(self) -> list[str]:
        """The names of the positional parameters."""
        return self.fullargspec.args

    @property
    def default_values(self) -> tuple[Any, ...] | None:
        """Their defaults."""
        return self.fullargspec.defaults


def leaf_names(name: str, value: Any) -> list[str]:
    """Returns TensorFlow's names of the tensors in one argument."""
    leaves = nest.flatten(value, expand_composites=True)
    tensors = [leaf for leaf in leaves if is_tensor(leaf)]
    given = [name, *(f"{name}_{place}" for place in range(1, len(tensors)))]
    return [
        (getattr(leaf, "name", None) if isinstance(leaf, TensorSpec) else None) or own
        for own, leaf in zip(given, tensors, strict=False)
    ]


def signature_text(parameters: Sequence[tuple[inspect.Parameter, str]]) -> str:
    """Returns parameters in parentheses, each with a text that follows it."""
    shown: list[str] = []
    before = None
    for parameter, text in parameters:
        kind = parameter.kind
        if before is parameter.POSITIONAL_ONLY and kind is not before:
            shown.append("/")
        if kind is parameter.KEYWORD_ONLY and before not in (kind, parameter.VAR_POSITIONAL):
            shown.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        shown.append(stars.get(kind, "") + parameter.name + text)
        before = kind
    if before is inspect.Parameter.POSITIONAL_ONLY:
        shown.append("/")
    return f"({', '.join(shown)})"


def type_text(value: Any) -> str:
    """Returns how TensorFlow writes the type of an argument or result: a spec, or a literal."""
    if isinstance(value, TensorSpec):
        return spec_text(value)
    if isinstance(value, TypeSpec | CompositeTensor):
        return str(value)
    if isinstance(value, Mapping):
        return f"Dict[{', '.join(f'[{k!r}, {type_text(v)}]' for k, v in value.items())}]"
    if isinstance(value, list | tuple):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(type_text(item) for item in value)}]"
    return f"Literal[{value!r}]"


def spec_text(spec: Any) -> str:
    """Returns a spec without its name."""
    if isinstance(spec, TensorSpec):
        return str(TensorSpec(spec.shape, spec.dtype))
    return type_text(spec)


class InputSignature:
    """The specs of a function's arguments, which these are converted to."""

    def __init__(
        self, function: Callable[..., Any], parameters: Parameters, specs: Sequence[Any]
    ) -> None:
        """Checks the specs.

        Raises:
            TypeError: if they are no specs, or do not fit the function's parameters.
        """
        if not isinstance(specs, tuple | list):
            raise TypeError(f"input_signature must be either a tuple or a list, got {type(specs)}.")
        flat = nest.flatten(specs)
        wrong = [spec for spec in flat if not isinstance(spec, TypeSpec)]
        if wrong:
            raise TypeError(
                "input_signature must be a possibly nested sequence of TensorSpec objects, got "
                f"invalid args {wrong} with types {[type(spec) for spec in wrong]}."
            )
        self.specs = tuple(specs)
        self._is_open = has_unknown_sizes(specs)
        found = list(parameters.signature.parameters.values()) if parameters.signature else []
        self._leading = int(bool(found) and found[0].name == "self")
        self._signature = self._made(found[self._leading :])
        self._values = dict(zip(self._signature.parameters, self.specs, strict=False))
        self._values.update(
            (parameter.name, parameter.default)
            for parameter in self._signature.parameters.values()
            if parameter.default is not parameter.empty
        )

    def _made(self, found: list[inspect.Parameter]) -> inspect.Signature:
        """Returns the parameters that the specs leave."""
        positional = [p for p in found if p.kind in POSITIONAL]
        more = [p for p in found if p.kind is p.VAR_POSITIONAL]
        named = [p for p in found if p.kind is p.KEYWORD_ONLY]
        extra = len(self.specs) - len(positional)
        if extra > 0 and not more:
            raise TypeError(f"input_signature contains {extra} extra type constraints.")
        for parameter in positional[len(self.specs) :]:
            if parameter.default is parameter.empty:
                raise TypeError(f"input_signature missing type constraint for {parameter.name}")
        for parameter in named:
            if parameter.default is parameter.empty:
                raise TypeError(
                    f"Since input_signature is defined, keyword-only parameter `{parameter.name}` "
                    "must have a default value"
                )
        kind = (
            inspect.Parameter.POSITIONAL_ONLY if more else inspect.Parameter.POSITIONAL_OR_KEYWORD
        )
        specified = [p.replace(kind=kind, default=p.empty) for p in positional[: len(self.specs)]]
        specified += [inspect.Parameter(f"{more[0].name}_{i}", kind) for i in range(extra)]
        rest = [p.replace(kind=kind) for p in positional[len(self.specs) :]]
        return inspect.Signature([*specified, *rest, *named])

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Returns the arguments by position, converted.

        Raises:
            TypeError: if they do not fit.
        """
        own, args = args[: self._leading], args[self._leading :]
        try:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            for name, value in bound.arguments.items():
                bound.arguments[name] = cast_to(value, self._values[name])
        except (TypeError, ValueError, AttributeError) as error:
            raise binding_error(str(error), args, kwargs, self.text()) from None
        return (*own, *bound.args)

    def complete(self) -> tuple[Any, ...]:
        """Returns the arguments that the specs stand for."""
        return tuple(
            self._values[name]
            for name, parameter in self._signature.parameters.items()
            if parameter.kind is not parameter.KEYWORD_ONLY
        )

    def open_tensors(self, args: Sequence[Any]) -> list[tuple[EagerTensor, TensorShape]]:
        """Returns the tensors among the arguments that the specs leave sizes of open.

        Args:
            args: the arguments by position, tensors of known sizes in the place of the specs.

        Returns:
            Each with the shape that is known; nothing where a stand-in has the place of a size.
        """
        if not self._is_open:
            return []
        values = zip(args[self._leading :], self.specs, strict=False)
        pairs = [
            pair
            for value, spec in values
            for pair in zip(nest.flatten(value), nest.flatten(spec), strict=False)
        ]
        pairs = [
            pair
            for value, spec in pairs
            for pair in (
                zip(parts(value), parts(spec), strict=False) if is_dense(spec) else [(value, spec)]
            )
        ]
        return [
            (value, spec.shape)
            for value, spec in pairs
            if isinstance(value, EagerTensor)
            and isinstance(spec, TensorSpec)
            and not spec.shape.is_fully_defined()
        ]

    @property
    def is_dense(self) -> bool:
        """Whether all specs are of dense tensors."""
        return all(isinstance(spec, TensorSpec) for spec in nest.flatten(self.specs))

    def names(self) -> list[str]:
        """Returns TensorFlow's name of each tensor, if all of them are dense."""
        return [
            name
            for parameter, spec in zip(self._signature.parameters, self.specs, strict=False)
            for name in leaf_names(parameter, spec)
        ]

    def text(self) -> str:
        """Returns the signature as messages show it."""
        return signature_text([
            (p, f": {type_text(self._values[p.name])}" + (
                "" if p.default is p.empty else " = <captured_default_value>"
            ))
            for p in self._signature.parameters.values()
        ])  # fmt: skip


def _pairs(value: Any, spec: Any) -> list[tuple[Any, Any]]:
    """Returns the parts of a value, each with its part of a nest of specs.

    A list may stand for a tensor, so that the specs say how deep the nest is.

    Raises:
        TypeError: if the value is a nest of another form.
    """
    if isinstance(spec, dict):
        if not isinstance(value, dict):
            raise TypeError(f"Can not cast {value!r} to a Dict type.")
        if set(value) != set(spec):
            raise TypeError(f"{value!r} has different keys with the TraceType {type_text(spec)}.")
        return [(value[key], spec[key]) for key in sorted(spec)]
    if not isinstance(spec, list | tuple):
        nest.assert_same_structure(spec, value)
        return list(zip(nest.flatten(value), nest.flatten(spec), strict=True))
    if hasattr(spec, "_fields"):
        if type(value) is not type(spec):
            raise TypeError(f"Cannot cast {value!r} to type {type(spec)}.")
    elif not isinstance(value, kind := list if isinstance(spec, list) else tuple):
        raise TypeError(f"Can not cast {value!r} to {kind.__name__} type.")
    if len(value) != len(spec):
        raise TypeError(f"Can not cast {value!r} to {type_text(spec)}")
    return list(zip(value, spec, strict=True))


def _cast_parts(value: Any, spec: Any, checked: bool) -> list[Any]:
    """Converts the leaves of a value to those of a nest of specs."""
    leaves: list[Any] = []
    for own, part in _pairs(value, spec):
        if nest.is_nested(part):
            leaves += _cast_parts(own, part, checked)
        else:
            leaves.append(cast_to(own, part, checked))
    return leaves


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, EagerTensor | Variable):
        return False
    return bool(value == default)


def cast_to(value: Any, spec: Any, checked: bool = True) -> Any:
    """Converts an argument to a spec, a nest of specs, or a Python value that it must be.

    Args:
        value: the argument.
        spec: what it has to fit.
        checked: refuse tensors of other shapes and dtypes.

    Raises:
        TypeError: if it does not fit.
    """
    if nest.is_nested(spec):
        return nest.pack_sequence_as(spec, _cast_parts(value, spec, checked))
    if not isinstance(spec, TypeSpec):
        if value is not spec and not _same(value, spec):
            raise TypeError(f"Can not cast {value!r} to Literal[{spec!r}]")
        return spec
    if isinstance(value, TypeSpec):
        if not spec.is_compatible_with(value):
            raise TypeError(f"Can not cast {value} to {spec}")
        return value
    if isinstance(spec, TensorSpec):
        return _cast_tensor(value, spec, checked)
    if not isinstance(spec, HandleSpec):
        return _cast_composite(value, spec)
    if not spec.is_compatible_with(value):  # a dataset or an iterator, handed on as it is
        raise TypeError(f"Can not cast {spec_of(value) or repr(value)} to {spec}")
    return value


def _cast_tensor(value: Any, spec: TensorSpec, checked: bool) -> Any:
    if isinstance(value, Variable):
        value = value._root.value()
    known = isinstance(value, EagerTensor)
    if not known:
        value = _as_dtype(value, spec)
    if (checked or not known) and not spec.is_compatible_with(value):
        given = TensorSpec(value.shape, value.dtype)
        raise TypeError(f"Can not cast {given} to {TensorSpec(spec.shape, spec.dtype)}")
    return value


def _cast_composite(value: Any, spec: Any) -> Any:
    """Checks a ragged, sparse or other composite value, tensor by tensor."""
    parts, specs = list(spec._to_components(value)), list(spec._component_specs)
    nest.assert_same_structure(specs, parts)
    for part, own in zip(nest.flatten(parts), nest.flatten(specs), strict=True):
        cast_to(part, own)
    return value


def _as_dtype(value: Any, spec: TensorSpec) -> EagerTensor:
    if hasattr(value, "astype") and spec.dtype._numpy is not None:
        return convert(value.astype(spec.dtype._numpy))
    return convert(value, spec.dtype)
