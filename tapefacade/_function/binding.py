"""The parameters of a Python function, and how arguments are bound to them."""

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.specs import TypeSpec
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._function.signatures import is_tensor

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
