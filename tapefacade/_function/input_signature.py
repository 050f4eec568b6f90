"""`input_signature`: the tensors that a function takes, fixed once and for all."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.convert import convert
from tapefacade._core.specs import TypeSpec
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._function.binding import (
    POSITIONAL,
    Parameters,
    binding_error,
    leaf_names,
    signature_text,
    type_text,
)
from tapefacade._state.variable import Variable


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
        except (TypeError, ValueError) as error:
            raise binding_error(str(error), args, kwargs, self.text()) from None
        return (*own, *bound.args)

    def complete(self) -> tuple[Any, ...]:
        """Returns the arguments that the specs stand for."""
        return tuple(
            self._values[name]
            for name, parameter in self._signature.parameters.items()
            if parameter.kind is not parameter.KEYWORD_ONLY
        )

    def names(self) -> list[str]:
        """Returns TensorFlow's name of each tensor."""
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
    if not isinstance(spec, TensorSpec):
        return value
    if isinstance(value, Variable):
        value = value._root.value()
    known = isinstance(value, EagerTensor)
    if not known:
        value = _as_dtype(value, spec)
    if (checked or not known) and not spec.is_compatible_with(value):
        given = TensorSpec(value.shape, value.dtype)
        raise TypeError(f"Can not cast {given} to {TensorSpec(spec.shape, spec.dtype)}")
    return value


def _as_dtype(value: Any, spec: TensorSpec) -> EagerTensor:
    if hasattr(value, "astype") and spec.dtype._numpy is not None:
        return convert(value.astype(spec.dtype._numpy))
    return convert(value, spec.dtype)
