"""What is saved of a function: a program for each signature that it is known for."""

import functools
import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

from tapefacade._checkpoint.saved_model.program_export import (
    ExportedProgram,
    NotExportedError,
    cut_out,
    export_recorded,
    structs_of,
)
from tapefacade._checkpoint.saved_model.symbolic_shapes import export_for_all_sizes
from tapefacade._core import nest
from tapefacade._core.logging import get_logger
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.type_spec import TypeSpec
from tapefacade._function.function.concrete_function import ConcreteFunction
from tapefacade._function.function.function import Function
from tapefacade._function.function.recorded_program import RecordedProgram
from tapefacade._function.function.retracing_rules import has_unknown_sizes, specs_of_key
from tapefacade._function.function.tracing import FunctionTrace
from tapefacade._io.spec_json import NotEncodedError, encoded

MESSAGE_PYTHON = (
    "{} cannot be saved: {}. A saved model runs without the Python code: compute with tensors "
    "throughout (tf.where, tf.cond, tf.while_loop), or take the tf.function off."
)
MESSAGE_SIZES = (
    "{} cannot be saved for sizes that are not known: {}. It is saved for the shapes that it was "
    "called with; there are none yet. Call it once with each shape that is needed."
)


class FunctionVariant(NamedTuple):
    """A function for one signature.

    Attributes:
        args: the arguments, with specs in the place of tensors.
        kwargs: those by name.
        outputs: the result, with specs in the place of tensors.
        recorded: its program; None where Python has to run.
        why: why it has to.
        owner: the function.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outputs: Any
    recorded: RecordedProgram | None
    why: str
    owner: Function | None

    @property
    def is_open(self) -> bool:
        """Whether sizes are not known."""
        return has_unknown_sizes((self.args, self.kwargs))


def variants_of(function: Any) -> list[FunctionVariant]:
    """Returns the signatures that a function is known for; records the one it was given."""
    if isinstance(function, ConcreteFunction):
        variant = _concrete_variant(function, "it looks at a value")
        if not variant.is_open or variant.owner is None:
            return [variant]
        return [variant, *(other for other in _called(variant.owner) if _covers(variant, other))]
    if function.input_signature is not None:
        made = function.get_concrete_function()
        variant = _concrete_variant(made, _why(function))
        return [variant, *_called(function)] if variant.is_open else [variant]
    found = {
        key: _concrete_variant(made, _why(function, key))
        for key, made in function._concrete_functions.items()
    }
    called = [variant for variant in _called(function, found) if variant is not None]
    return [*found.values(), *called]


def _why(function: Function, key: Any = None) -> str:
    known = [trace for trace in function._traces.values() if trace.why]
    named = function._traces.get(key)
    if named is not None and named.why:
        return named.why
    return known[0].why if known else "its Python looks at a value"


def _concrete_variant(made: ConcreteFunction, why: str) -> FunctionVariant:
    owner = inspect.getclosurevars(made._call).nonlocals.get("self")
    args, kwargs = made._arguments
    return FunctionVariant(args, kwargs, made._outputs, made._recorded, why, owner)


def _called(function: Function, known: Any = ()) -> list[FunctionVariant]:
    """Returns the signatures that a function was called with."""
    found = []
    for key, trace in list(function._traces.items()):
        if key in known:
            continue
        try:
            args, kwargs = specs_of_key(key)
            args, kwargs = _named(function, args, kwargs)
        except LookupError as error:
            get_logger().warning(
                "%s is not saved for arguments that no file can hold: %s", function.name, error
            )
            continue
        outputs = _outputs(trace)
        found.append(FunctionVariant(args, kwargs, outputs, trace.recorded, trace.why, function))
    return found


def _outputs(trace: FunctionTrace) -> Any:
    if trace.recorded is None or trace.structure is None:
        return None
    types = [trace.recorded.type_of(slot) for slot in trace.recorded.results]
    return trace.structure.with_specs([TensorSpec(t.shape, t.dtype) for t in types])


def _named(function: Function, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Gives the specs the names of the parameters."""
    names = function._parameters.names(args, kwargs)

    def named(name: str, value: Any) -> Any:
        if isinstance(value, TensorSpec):
            return TensorSpec(value.shape, value.dtype, name)
        return value

    found = [named(*pair) for pair in zip(names, [*args, *kwargs.values()], strict=True)]
    return tuple(found[: len(args)]), dict(zip(kwargs, found[len(args) :], strict=True))


def specs_of(variant: FunctionVariant) -> list[TensorSpec]:
    """Returns the specs of the tensors among the arguments, in order."""
    leaves = nest.flatten((variant.args, variant.kwargs), expand_composites=True)
    return [leaf for leaf in leaves if isinstance(leaf, TensorSpec)]


def export_variants(
    name: str, variants: Sequence[FunctionVariant], known: dict[int, ExportedProgram]
) -> list[tuple[FunctionVariant, ExportedProgram]]:
    """Exports a function for its signatures.

    Args:
        name: its name, for messages.
        variants: the signatures.
        known: what has been exported, by the `token` of the recorded program.

    Raises:
        ValueError: if that cannot be.
    """
    found: list[tuple[FunctionVariant, ExportedProgram]] = []
    unknown: dict[int, str] = {}
    for variant in variants:
        if variant.recorded is None:
            raise ValueError(MESSAGE_PYTHON.format(name, variant.why))
        try:
            encoded((variant.args, variant.kwargs, variant.outputs))
            if variant.is_open or not any(o.is_open and _covers(o, variant) for o, _ in found):
                token = variant.recorded.token
                if token not in known:
                    known[token] = _exported(variant, variant.recorded)
                found.append((variant, known[token]))
        except NotEncodedError as error:
            raise ValueError(MESSAGE_PYTHON.format(name, error)) from None
        except NotExportedError as error:
            if not variant.is_open:
                raise ValueError(MESSAGE_PYTHON.format(name, error)) from error
            unknown[len(found)] = str(error)
    if unknown and not found:
        raise ValueError(MESSAGE_SIZES.format(name, next(iter(unknown.values()))))
    for reason in unknown.values():
        get_logger().warning(
            "%s is saved for the shapes that it was called with, and for no others: %s",
            name, reason,
        )  # fmt: skip
    return found


def _exported(variant: FunctionVariant, recorded: RecordedProgram) -> ExportedProgram:
    if variant.is_open:
        return export_for_all_sizes(_recorder(variant), specs_of(variant))
    return export_recorded(recorded, cut_out(recorded), structs_of(recorded))


def _covers(wide: FunctionVariant, variant: FunctionVariant) -> bool:
    """Whether a signature with sizes that are not known is that of another, too."""
    own, other = (nest.flatten((list(c.args), c.kwargs)) for c in (wide, variant))
    if len(own) != len(other):
        return False
    return all(
        a.is_compatible_with(b) if isinstance(a, TypeSpec) and isinstance(b, TypeSpec)
        else type(a) is type(b) and a == b
        for a, b in zip(own, other, strict=True)
    )  # fmt: skip


def _recorder(variant: FunctionVariant) -> Any:
    owner = variant.owner
    if owner is None:
        raise NotExportedError("the function it was made of is gone")
    return functools.partial(_recorded, owner, variant)


def _recorded(
    owner: Function, variant: FunctionVariant, specs: Sequence[TensorSpec]
) -> RecordedProgram:
    """Records a function for other shapes."""
    rest = iter(specs)
    leaves = [
        next(rest) if isinstance(leaf, TensorSpec) else leaf
        for leaf in nest.flatten((variant.args, variant.kwargs), expand_composites=True)
    ]
    args, kwargs = nest.pack_sequence_as(
        (variant.args, variant.kwargs), leaves, expand_composites=True
    )
    before = owner._tracing_count
    try:
        trace = owner._record_abstract(args, kwargs)
    finally:
        owner._tracing_count = before
    if trace.recorded is None:
        raise NotExportedError(trace.why)
    return trace.recorded
