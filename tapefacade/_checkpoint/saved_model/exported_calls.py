"""Calls of exported programs, as ops: they are recorded, compiled and differentiated as others."""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.interpreters import batching

from tapefacade._core import dtypes, errors, nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor, parts
from tapefacade._core.error_texts import invalid
from tapefacade._core.gradient_rules import NoGradient
from tapefacade._core.random_keys import next_key, next_made
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._extension.extension_type import ExtensionTypeSpec
from tapefacade._function.function.recorded_program import slot_in
from tapefacade._state.joint_assignments import put_together
from tapefacade._state.variable import Variable
from tapefacade._trace.assignments import locked
from tapefacade._trace.operation import Check, Operation
from tapefacade._trace.recording import THREAD


def _primitive_in(program: Any) -> Any:
    """Returns the primitive that calls exported programs, which a traced call of one has."""
    for equation in program.eqns:
        if equation.primitive.name == "call_exported":
            return equation.primitive
        for value in equation.params.values():
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns") and (found := _primitive_in(inner)) is not None:
                return found
    return None


def _call_for_each(
    primitive: Any, arrays: Sequence[Any], axes: Sequence[int | None], **parameters: Any
) -> tuple[list[Any], list[int]]:
    """Calls an exported program for one row after the other: JAX has no rule for `jax.vmap`."""
    mapped = [
        jnp.moveaxis(array, axis, 0)
        for array, axis in zip(arrays, axes, strict=True)
        if axis is not None
    ]

    def one(rows: list[Any]) -> Any:
        rest = iter(rows)
        own = [array if axis is None else next(rest)
               for array, axis in zip(arrays, axes, strict=True)]  # fmt: skip
        return primitive.bind(*own, **parameters)

    found = jax.lax.map(one, mapped)
    return found, [0] * len(found)


def _make_mappable(program: export.Exported, types: Sequence[Any]) -> None:
    """Lets `jax.vmap` go through calls of exported programs, so that replicas make them."""
    primitive = _primitive_in(jax.make_jaxpr(program.call)(*types).jaxpr)
    if primitive is not None:
        rule = functools.partial(_call_for_each, primitive)
        batching.primitive_batchers[primitive] = rule


class ExportedCall(Operation):
    """The call of an exported program.

    Args:
        program: the program as bytes.
        checks: the program that tells whether the values are right, or None.
        failures: for each check the name of the op, its kernel and the line it was recorded at.
    """

    name = "saved_function"
    kernel = "StatefulPartitionedCall"

    def __init__(self, program: bytes, checks: bytes | None, failures: list[list[str]]) -> None:
        self._program = export.deserialize(bytearray(program))
        self._checks = None if checks is None else export.deserialize(bytearray(checks))
        self._failures = failures
        if not self._program.has_vjp():
            self.gradient = NoGradient(self.kernel)
        if self._checks is not None:
            self.check = Check((), self._tested, self._failed)

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        structs = [jax.ShapeDtypeStruct(t.shape, t.numpy_dtype) for t in types]
        with jax.enable_x64(True):
            try:
                found = jax.eval_shape(self._program.call, *structs)
            except ValueError as error:
                raise invalid(f"{error} [Op:{self.kernel}]") from None
            _make_mappable(self._program, structs)
        return tuple(type_of(tuple(a.shape), np.dtype(a.dtype)) for a in found), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        return list(self._program.call(*arrays))

    def test(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._tested(*arrays)

    def _tested(self, *arrays: Any) -> tuple[Any, ...]:
        assert self._checks is not None
        flags = jnp.stack(self._checks.call(*arrays))
        return jnp.all(flags), flags

    def error(self, details: Sequence[Any], static: tuple[Any, ...]) -> Exception:
        return self._failed(*details)

    def _failed(self, flags: Any) -> Exception:
        place = int(np.flatnonzero(~np.asarray(flags))[0])
        name, kernel, line = self._failures[place]
        return errors.InvalidArgumentError(
            None,
            None,
            f"The values given to {name}, first recorded at {line} when the model was saved, are "
            f"not valid. [Op:{kernel}]",
        )


class SavedVariant(NamedTuple):
    """A function of a saved model, for one signature.

    Attributes:
        args: the arguments, with specs in the place of tensors.
        kwargs: those by name.
        outputs: the result, with specs in the place of tensors.
        call: the program.
        variables: what it is called with after the arguments: variables,
        draws: keys that are drawn at every call,
        constants: and tensors.
        assigned: the variables that it assigns.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outputs: Any
    call: ExportedCall
    variables: list[Variable]
    draws: list[dict[str, Any]]
    constants: list[EagerTensor]
    assigned: list[Variable]

    def matched(self, args: Any, kwargs: Any, converting: bool) -> list[EagerTensor] | None:
        """Returns the tensors among arguments of this signature; None if they are of another."""
        wanted, given = (self.args, self.kwargs), (args, kwargs)
        try:
            nest.assert_same_structure(wanted, given)
        except (ValueError, TypeError):
            return None
        tensors = []
        pairs = list(zip(nest.flatten(wanted), nest.flatten(given), strict=True))
        if any(isinstance(spec, ExtensionTypeSpec) for spec, _ in pairs):
            if not all(_is_alike(*pair) for pair in pairs):
                return None
            pairs = [pair for spec, v in pairs for pair in zip(parts(spec), parts(v), strict=True)]
        for spec, value in pairs:
            if not isinstance(spec, TensorSpec):
                if type(spec) is not type(value) or spec != value:
                    return None
                continue
            tensor = _tensor(value, spec, converting)
            if tensor is None:
                return None
            tensors.append(tensor)
        return tensors

    def run(self, tensors: list[EagerTensor]) -> Any:
        """Records a call, and assigns the variables."""
        with locked(self.assigned):
            return self._run(tensors)

    def _run(self, tensors: list[EagerTensor]) -> Any:
        recording = THREAD.recording
        keys = [_drawn(draw) for draw in self.draws]
        held = [*tensors, *keys, *self.constants]
        slots = [slot_in(recording, tensor) for tensor in tensors]
        slots += [variable._slot_in(recording) for variable in self.variables]
        slots += [slot_in(recording, tensor) for tensor in (*keys, *self.constants)]
        types = [tensor._type for tensor in tensors]
        types += [variable._tensor._type for variable in self.variables]
        types += [tensor._type for tensor in held[len(tensors) :]]
        found = recording.apply(self.call, (), tuple(slots), types)
        count = len(found) - len(self.assigned)
        put_together(self.assigned, found[count:])
        rest = iter(found[:count])
        leaves = [
            next(rest) if isinstance(leaf, TensorSpec) else leaf
            for leaf in nest.flatten(self.outputs, expand_composites=True)
        ]
        return nest.pack_sequence_as(self.outputs, leaves, expand_composites=True)


def _is_alike(spec: Any, value: Any) -> bool:
    """Whether a value is of the extension type of a spec, with the same static fields."""
    if not isinstance(spec, ExtensionTypeSpec):
        return not isinstance(value, CompositeTensor)
    is_of_type = isinstance(value, spec.value_type)
    return is_of_type and value._static_parts() == spec._static_parts()


def _tensor(value: Any, spec: TensorSpec, converting: bool) -> EagerTensor | None:
    """Returns an argument as a tensor that fits a spec; None if it does not."""
    if isinstance(value, Variable):
        value = value._root.value()
    if not isinstance(value, EagerTensor):
        if not converting:
            return None
        try:
            value = convert(value, spec.dtype)
        except (ValueError, TypeError):
            return None
    fits = value.dtype is spec.dtype and spec.shape.is_compatible_with(value.shape)
    return value if fits else None


def _drawn(draw: dict[str, Any]) -> EagerTensor:
    """Draws a key."""
    kernel, seed = draw["kernel"], draw["seed"]
    if draw["hashed"]:
        return next_key(kernel, seed)
    dtype = None if draw["dtype"] is None else dtypes.as_dtype(draw["dtype"])
    return next_made(kernel, dtype, seed, draw["blocks"])
