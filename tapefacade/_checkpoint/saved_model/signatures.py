"""Signatures of saved models: functions that take tensors by name and return tensors by name."""

from collections.abc import Iterator, Mapping
from typing import Any

from tapefacade._core import nest
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._function.function.concrete_function import ConcreteFunction
from tapefacade._function.function.function import Function
from tapefacade._trace.program_listing import function_in_sentence

DEFAULT_SIGNATURE = "serving_default"


def named_signatures(signatures: Any) -> dict[str, ConcreteFunction]:
    """Returns the functions to save as signatures, by name.

    Raises:
        ValueError: if one is no function with a signature, or returns something else than tensors.
    """
    named = signatures if isinstance(signatures, Mapping) else {DEFAULT_SIGNATURE: signatures}
    found: dict[str, ConcreteFunction] = {}
    for name, made in named.items():
        concrete = _concrete(made)
        if concrete is None:
            shown = function_in_sentence(made) if callable(made) else made
            raise ValueError(
                "Expected a TensorFlow function for which to generate a signature, but got "
                f"{shown}. Only `tf.functions` with an input signature or concrete functions can "
                "be used as a signature."
            )
        if outputs_by_name(concrete._outputs) is None:
            raise ValueError(
                f"Got non-flat/non-unique argument names or outputs for SavedModel signature "
                f"{name!r}: {concrete._outputs}. Signatures have one Tensor, a list or a "
                "dictionary of Tensors as outputs."
            )
        found[name] = concrete
    return found


def default_signature(functions: Mapping[str, Any]) -> dict[str, ConcreteFunction]:
    """Returns the default signature: the only function that can be one, if there is just one."""
    found = [made for made in map(_concrete, functions.values()) if made is not None]
    if len(found) != 1 or outputs_by_name(found[0]._outputs) is None:
        return {}
    return {DEFAULT_SIGNATURE: found[0]}


def _concrete(made: Any) -> ConcreteFunction | None:
    if isinstance(made, ConcreteFunction):
        return made
    if isinstance(made, Function) and made.input_signature is not None:
        return made.get_concrete_function()
    return None


def outputs_by_name(outputs: Any) -> dict[str, Any] | None:
    """Returns the result of a signature by names; None if it is no flat structure."""
    if isinstance(outputs, Mapping):
        found = dict(sorted(outputs.items()))
    elif isinstance(outputs, list | tuple):
        found = {f"output_{place}": value for place, value in enumerate(outputs)}
    elif outputs is None:
        found = {}
    else:
        found = {"output_0": outputs}
    flat = all(isinstance(k, str) and not nest.is_nested(v) for k, v in found.items())
    return found if flat else None


def inputs_by_name(args: Any, kwargs: Any) -> dict[str, TensorSpec]:
    """Returns the tensors among the arguments of a signature by names."""
    specs = [leaf for leaf in nest.flatten((args, kwargs)) if isinstance(leaf, TensorSpec)]
    return {spec.name or f"args_{place}": spec for place, spec in enumerate(specs)}


class SignatureMap(Mapping[str, ConcreteFunction]):
    """The signatures of a model that was loaded, by name; they cannot be changed."""

    def __init__(self, signatures: dict[str, ConcreteFunction]) -> None:
        self._signatures = signatures

    def __getitem__(self, key: str) -> ConcreteFunction:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"
