"""A program computed by NumPy, step by step: each kind of step is traced once.

Deep models are made of equal blocks, and the next step of a training of the operations of the last.
So the gradients are written out (`unfolding`), and what one step does is traced on its own
(`interpreter`) and kept, by its operation and the types of its inputs: a program of a thousand
steps has a hundred kinds, and the next program like it no new ones.
"""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from tapefacade._core.placement import Placement
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._trace.executables import Executable, strong
from tapefacade._trace.interpreter import (
    Interpreter,
    is_interpretable,
    is_without_sizes,
    prepare_all,
    weight_of,
)
from tapefacade._trace.named_sizes import traced_for_all_sizes
from tapefacade._trace.operation import Operation
from tapefacade._trace.segment_cuts import size_of
from tapefacade._trace.slices import Slice
from tapefacade._trace.unfolding import MAX_UNFOLDING_GROWTH, Unfolded, unfold

# Kinds of steps that are kept, of about 10 kB each.
MAX_KINDS = 4096
MAX_ELEMENTS_BY_NUMPY = 2**14


def has_small_values(part: Slice) -> bool:
    """Whether NumPy computes a program about as fast as XLA: it has few elements in each value."""
    return all(type_.size <= MAX_ELEMENTS_BY_NUMPY for type_ in part.types())


def are_equal(one: ClosedJaxpr, other: ClosedJaxpr) -> bool:
    """Whether two programs give the same for some numbers."""
    rng = np.random.default_rng(7)
    arrays = [
        rng.uniform(0.1, 1.9, variable.aval.shape).astype(variable.aval.dtype)
        for variable in other.jaxpr.invars
    ]
    with np.errstate(all="ignore"):
        found, wanted = (Interpreter(closed).run(arrays) for closed in (one, other))
    return all(
        np.shape(a) == np.shape(b) and np.allclose(a, b, 1e-5, 1e-6, equal_nan=True)
        for a, b in zip(found, wanted, strict=True)
    )


@functools.lru_cache(MAX_KINDS)
def shared_interpreter(closed: ClosedJaxpr) -> Interpreter | None:
    """Returns what computes a program for all sizes; None if it depends on them."""
    if not is_without_sizes(closed.jaxpr):
        return None
    made = Interpreter(closed)
    return None if made.alone else made


def own_value(value: Any) -> Any:
    """Returns a copy of a value that NumPy has computed, which may be a part of another.

    It stays on the host, where the next step needs it: to bring one to the device takes as long as
    two or three ops. A compiled program brings what it gets there, and leaves what it returns. Not
    so integers that would be computed with at once there: the next step would be another program.
    """
    own = np.array(value, order="C")
    is_host = jax.default_backend() == "cpu" and not type_of(own.shape, own.dtype).hostable
    return own if is_host and not Placement.is_used else jax.device_put(own)


class StepKind:
    """What equal steps do.

    Attributes:
        is_possible: whether NumPy can compute it.
        weight: how long XLA would compile it, as in `weight_of`.
        outputs: how many outputs there are; what else is computed, a check says.
        is_checked: whether its check can fail.
    """

    def __init__(
        self, operation: Operation, static: tuple[Any, ...], types: tuple[TensorType, ...], to: Any
    ) -> None:
        self.outputs = len(to)

        def traced(call: tuple[Any, Any]) -> tuple[ClosedJaxpr, Any]:
            static, types = call
            details: list[Any] = []

            def run(*arrays: Any) -> list[Any]:
                found = operation.evaluate(list(arrays), static)
                found = [strong(v, t.numpy_dtype) for v, t in zip(found, to, strict=True)]
                if operation.check is not None:
                    ok, *rest = operation.test(list(arrays), static)
                    if ok is not True:
                        flat, structure = jax.tree.flatten(rest)
                        details.append(structure)
                        found += [ok, *flat]
                return found

            arrays = [jax.ShapeDtypeStruct(t.shape, t.numpy_dtype) for t in types]
            closed = jax.make_jaxpr(run)(*arrays)
            return closed, details[0] if details else None

        closed, self._details = traced_for_all_sizes(
            operation, (static, types), traced,
            lambda one, other: one[1] == other[1] and are_equal(one[0], other[0]),
            lambda found: shared_interpreter(found[0]) is not None,
        )  # fmt: skip
        self.is_checked = self._details is not None
        self.is_possible = is_interpretable(closed)
        self.weight = weight_of(closed.jaxpr)
        shared = shared_interpreter(closed) if self.is_possible else None
        self.interpreter = shared or (Interpreter(closed) if self.is_possible else None)

    def details(self, flat: Sequence[Any]) -> list[Any]:
        """Returns what the check says, as it has said it."""
        return jax.tree.unflatten(self._details, flat)


step_kind = functools.lru_cache(MAX_KINDS)(StepKind)


class NumpyProgram:
    """A program as calls of NumPy's functions.

    Attributes:
        weight: how long XLA would compile it, as in `weight_of`.
        weight_of_loops: the part of it that loops have.
        is_possible: whether NumPy can compute all of it.
    """

    def __init__(self, executable: Executable) -> None:
        self._executable = executable
        part, origins = _written_out(executable.part)
        types = part.types()
        self.weight, self.weight_of_loops, self.is_possible = 0.0, 0.0, True
        self._calls: list[Any] = []
        first = len(part.inputs)
        for step, origin in zip(part.steps, origins, strict=True):
            of_inputs = tuple([types[slot] for slot in step.inputs])
            kind = step_kind(step.operation, step.static, of_inputs, step.types)
            self.weight += kind.weight
            self.weight_of_loops += kind.weight if step.operation.bodies else 0.0
            self.is_possible = self.is_possible and kind.is_possible
            self._calls.append((kind, step.inputs, first, origin))
            first += len(step.types)
        self._count = first
        self._types = types
        self._outputs = part.outputs
        self._gone = self._last_uses()

    @property
    def check_order(self) -> list[int]:
        """The steps whose checks the last run has told about."""
        return self._executable.check_order

    def _last_uses(self) -> list[list[int]]:
        """Returns for each call the slots that nobody needs after it."""
        kept = set(self._outputs)
        gone = []
        for kind, inputs, first, _ in reversed(self._calls):
            last = {s for s in (*inputs, *range(first, first + kind.outputs)) if s not in kept}
            kept |= last
            gone.append(list(last))
        return gone[::-1]

    def prepare(self) -> None:
        """Compiles single operations that XLA has to compute."""
        prepare_all({id(kind): kind.interpreter for kind, *_ in self._calls}.values())

    def __call__(self, *arguments: Any) -> Any:
        """Does what the compiled program will do, and returns as much."""
        outputs, checks = self._computed(arguments)
        return self._result([own_value(value) for value in outputs], checks)

    def on_host(self, *arguments: Any) -> Any:
        """Does so as well; the outputs are NumPy's, and may be parts of the arguments."""
        return self._result(*self._computed(arguments))

    def _computed(self, arguments: Sequence[Any]) -> tuple[list[Any], dict[int, tuple[Any, Any]]]:
        """Returns the outputs, and for each check whether it has passed, and the details."""
        values: list[Any] = [None] * self._count
        layout = self._executable.layout
        arrays = [np.asarray(argument) for argument in arguments]
        for place, array in zip(layout.arrays, arrays, strict=False):
            values[place] = array
        vectors = arrays[len(layout.arrays) :]
        for vector, (_, places, rows) in zip(vectors, layout.vectors, strict=True):
            for place, row in zip(places, rows, strict=True):
                values[place] = vector[row]
        checks: dict[int, tuple[Any, Any]] = {}
        with np.errstate(all="ignore"):
            for (kind, inputs, first, origin), gone in zip(self._calls, self._gone, strict=True):
                found = kind.interpreter.run([values[slot] for slot in inputs])
                values[first : first + kind.outputs] = found[: kind.outputs]
                if kind.is_checked and origin >= 0:
                    ok, *flat = found[kind.outputs :]
                    checks[origin] = ok, kind.details(flat)
                for slot in gone:
                    values[slot] = None
            outputs = [np.asarray(values[s], self._types[s].numpy_dtype) for s in self._outputs]
        return outputs, checks

    def _result(self, outputs: list[Any], checks: dict[int, tuple[Any, Any]]) -> Any:
        executable = self._executable
        if not executable.is_checked:
            return outputs if len(outputs) != 1 else outputs[0]
        order = [index for index, _ in executable.part.order() if index in checks]
        executable.check_order = order
        passed = np.array([checks[index][0] for index in order]) if order else None
        return outputs, passed, [checks[index][1] for index in order]


def _written_out(part: Slice) -> Unfolded:
    """Returns a program with its gradients written out, if they are of the first order."""
    unfolded = unfold(part)
    if size_of(unfolded.part) > MAX_UNFOLDING_GROWTH * size_of(part):
        return Unfolded(part, list(range(len(part.steps))))
    return unfolded
