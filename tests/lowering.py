"""Lowers what the rows of `tests/cases` record for CUDA and TPU, on a machine that has neither.

    cd tests && JAX_PLATFORMS=cpu python lowering.py [SECONDS]

takes every kind of recorded step (an operation, gradients included, and the dtypes of its inputs),
at most 4 of each operation, or as many as the seconds suffice for: about half an hour on two cores
for all, once a week. Nothing is compiled or computed. `test_lowering.py` does so for a few. It does
not show that XLA then compiles what was lowered.
"""

import collections
import sys
import time
import warnings
from typing import Any, NamedTuple

import jax
import numpy as np
from cases import CASES
from cases.answer import ask

import tapefacade as tf
from tapefacade._tape.derivatives.derivative import Derivative
from tapefacade._trace.execution import Program
from tapefacade._trace.recording import THREAD, Recording

PLATFORMS = ("cuda", "tpu")
# What TPUs have no eigenvalues of general matrices for; these raise an error of their own there.
MISSING_ON_TPU = "for primitive 'eig' not found"
MOST_OF_AN_OPERATION, MOST_OF_A_KIND = 4, 2


def label_of(operation: Any) -> str:
    """Returns the name of an operation, and of what it is the derivative."""
    if isinstance(operation, Derivative):
        return f"gradient of {', '.join(label_of(step.operation) for step in operation.part.steps)}"
    return operation.name or type(operation).__name__


class Form(NamedTuple):
    """A step with the types of its inputs."""

    operation: Any
    static: Any
    types: tuple[Any, ...]

    @property
    def label(self) -> str:
        return label_of(self.operation)

    def lowered(self, platform: str) -> str:
        """Lowers it; returns the text of the error, empty if there is none."""
        arguments = [jax.ShapeDtypeStruct(t.shape, t.numpy_dtype) for t in self.types]

        def evaluate(*arrays: Any) -> list[Any]:
            return list(self.operation.evaluate(arrays, self.static))

        try:
            with jax.enable_x64(True):
                jax.jit(evaluate).trace(*arguments).lower(lowering_platforms=(platform,))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""


def recorded_forms(rows: list[Any]) -> dict[Form, None]:
    """Asks the rows, without computing anything, and returns the steps that they record."""
    found: dict[Form, None] = {}
    plain = Program.execute

    def execute(self: Program, arguments: list[Any], first: Any = None) -> list[Any]:
        part = self.executable.part
        types = part.types()
        for step in part.steps:
            found[Form(step.operation, step.static, tuple([types[s] for s in step.inputs]))] = None
        return [np.zeros(types[slot].shape, types[slot].numpy_dtype) for slot in part.outputs]

    Program.execute = execute
    try:
        for case in rows:
            if not case.raises:
                try:
                    ask(tf, case)
                except Exception:  # an answer that makes no sense of zeros
                    THREAD.recording = Recording()
    finally:
        Program.execute = plain
    return found


def chosen(forms: dict[Form, None]) -> list[Form]:
    """Returns a few forms of each operation, with different dtypes if there are."""
    counts: collections.Counter[Any] = collections.Counter()
    found = []
    for form in forms:
        operation = type(form.operation), form.label
        kind = (*operation, tuple([t.numpy_dtype.name for t in form.types]))
        if counts[operation] < MOST_OF_AN_OPERATION and counts[kind] < MOST_OF_A_KIND:
            counts.update([operation, kind])
            found.append(form)
    return found


def failures(
    forms: list[Form], platform: str, seconds: float = float("inf")
) -> tuple[int, list[tuple[str, str]]]:
    """Returns how many forms were lowered, and the labels and errors of those that cannot be."""
    end, found, count = time.monotonic() + seconds, [], 0
    for form in forms:
        if time.monotonic() > end:
            break
        count += 1
        if text := form.lowered(platform):
            found.append((form.label, text))
    return count, found


def main() -> int:
    warnings.simplefilter("ignore")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else float("inf")
    forms = chosen(recorded_forms(CASES))
    print(
        f"{len(CASES)} rows, {len({form.label for form in forms})} operations, {len(forms)} forms"
    )
    wrong = 0
    for platform in PLATFORMS:
        count, found = failures(forms, platform, seconds / len(PLATFORMS))
        unknown = [pair for pair in found if platform != "tpu" or MISSING_ON_TPU not in pair[1]]
        wrong += len(unknown)
        print(f"{platform}: {count} lowered, {len(found)} failed, {len(unknown)} unexpectedly")
        for label, text in found:
            print(f"  {label}: {text.splitlines()[0][:160]}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
