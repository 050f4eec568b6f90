"""`input_signature`: the tensors that a function takes, fixed once and for all."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.convert import convert
from tapefacade._core.specs import TypeSpec
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._function.binding import Parameters, binding_error, spec_text
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
        self._parameters = parameters
        found = parameters.signature.parameters.values() if parameters.signature else []
        self._leading = 1 if found and next(iter(found)).name == "self" else 0
        self._check(list(found))

    def _check(self, found: list[inspect.Parameter]) -> None:
        positional = [p for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][
            self._leading :
        ]
        more = any(p.kind is p.VAR_POSITIONAL for p in found)
        if len(self.specs) > len(positional) and not more:
            extra = len(self.specs) - len(positional)
            raise TypeError(f"input_signature contains {extra} extra type constraints.")
        for parameter in positional[len(self.specs) :]:
            if parameter.default is parameter.empty:
                raise TypeError(f"input_signature missing type constraint for {parameter.name}")
        for parameter in found:
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
                raise TypeError(
                    f"Since input_signature is defined, keyword-only parameter `{parameter.name}` "
                    "must have a default value"
                )
        self._names = [parameter.name for parameter in positional]
        self._rest = [(p.name, p.default) for p in positional[len(self.specs) :]]

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Returns the arguments by position, converted.

        Raises:
            TypeError: if they do not fit.
        """
        text = self.text()
        bound, _ = self._parameters.bind(args, kwargs, text)
        own, rest = bound[: self._leading], list(bound[self._leading :])
        count = len(self.specs)
        for place, spec in enumerate(self.specs):
            try:
                if place < len(rest):
                    rest[place] = cast_to(rest[place], spec)
            except (TypeError, ValueError) as error:
                raise binding_error(str(error), args, kwargs, text) from None
        for (_, default), value in zip(self._rest, rest[count:], strict=False):
            try:
                cast_to(value, default)
            except TypeError as error:
                raise binding_error(str(error), args, kwargs, text) from None
        return (*own, *rest)

    def complete(self) -> tuple[Any, ...]:
        """Returns the arguments that the specs stand for."""
        return (*self.specs, *(default for _, default in self._rest))

    def text(self) -> str:
        """Returns the signature as messages show it."""
        names = [*self._names, *(f"arg_{place}" for place in range(len(self.specs)))]
        shown = [
            f"{name}: {spec_text(spec)}" for name, spec in zip(names, self.specs, strict=False)
        ]
        shown += [
            f"{name}: Literal[{default!r}] = <captured_default_value>"
            for name, default in self._rest
        ]
        return f"({', '.join(shown)})"


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
        nest.assert_same_structure(spec, value)
        parts = zip(nest.flatten(value), nest.flatten(spec), strict=True)
        return nest.pack_sequence_as(spec, [cast_to(*part, checked) for part in parts])
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
        value = value.value()
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
