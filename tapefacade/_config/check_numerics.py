"""Looking for infinite and missing numbers in the results of all ops."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from jax.core import Tracer

from tapefacade._config.settings import ops_run_immediately, run_ops_immediately
from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._trace import execution
from tapefacade._trace.slices import Step

# Ops that make no such numbers of others.
SAFE = {
    "ConcatV2", "ExpandDims", "Fill", "Identity", "Maximum", "Minimum", "Reshape", "Slice",
    "Squeeze", "StridedSlice", "Transpose", "Unpack",
}  # fmt: skip
KINDS = (("-Inf", np.isneginf), ("+Inf", np.isposinf), ("NaN", np.isnan))
_BEFORE: list[bool] = []  # whether ops ran immediately before, if checks are on


def _values(executable: execution.Executable, arguments: tuple[Any, ...]) -> list[Any]:
    """Returns the inputs of the slice, which travel alone or in vectors."""
    values: list[Any] = [None] * len(executable.part.inputs)
    layout = executable.layout
    for place, value in zip(layout.arrays, arguments, strict=False):
        values[place] = value
    rest = arguments[len(layout.arrays) :]
    for vector, (_, places, rows) in zip(rest, layout.vectors, strict=True):
        for place, row in zip(places, rows, strict=True):
            values[place] = vector[row]
    return values


def _checked(executable: execution.Executable, call: Any) -> Any:
    """Puts the look at the results around a compiled function."""

    def run(*arguments: Any) -> Any:
        result = call(*arguments)
        values = _values(executable, arguments)
        outputs = execution.outputs_of(result, executable)
        for step, place, output in _of_steps(executable, outputs):
            _check(executable, step, place, output, values)
        return result

    return run


def _of_steps(
    executable: execution.Executable, outputs: list[Any]
) -> Iterator[tuple[Step, int, np.ndarray[Any, Any]]]:
    """Lists the outputs that may be wrong: the step, which of its outputs it is, and the value."""
    part = executable.part
    makers: dict[int, tuple[Step, int]] = {}
    slot = len(part.inputs)
    for step in part.steps:
        for place in range(len(step.types)):
            makers[slot + place] = step, place
        slot += len(step.types)
    for slot, output in zip(part.outputs, outputs, strict=True):
        if slot not in makers or isinstance(output, Tracer):
            continue
        step, place = makers[slot]
        if step.types[place].dtype.is_floating and step.operation.kernel not in SAFE:
            yield step, place, np.asarray(output)


def _check(
    executable: execution.Executable,
    step: Step,
    place: int,
    output: np.ndarray[Any, Any],
    values: list[Any],
) -> None:
    wide = output.astype(np.float64)  # NumPy does not know the smallest types
    counts = {name: int(test(wide).sum()) for name, test in KINDS}
    wrong = [name for name, count in counts.items() if count]
    if not wrong:
        return
    shown = {"NaN": "+NaN"}
    lines = [f"  # of {shown.get(name, name)} elements: {counts[name]}" for name in wrong]
    inputs = [values[slot] for slot in step.inputs if slot < len(values)]
    tensors = [str(from_host(np.array(value))) for value in inputs]
    if len(tensors) == 1:
        lines += ["", f"  Input tensor: {tensors[0]}"]
    elif tensors:
        numbered = [f"         {i}: {tensor}" for i, tensor in enumerate(tensors)]
        lines += ["", f"  Input tensors ({len(tensors)}):", *numbered]
    type_ = step.types[place]
    text = "\n".join(lines)
    raise invalid(
        f"\n\n!!! Detected Infinity or NaN in output {place} of eagerly-executing op "
        f'"{step.operation.kernel}" (# of outputs: {len(step.types)}) !!!\n'
        f"  dtype: {type_.dtype}\n  shape: {type_.shape}\n{text}\n\n : "
        f"Tensor had {_listed(wrong)} values [Op:CheckNumericsV2] name: "
    )


def _listed(names: list[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


@function("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Makes every op that gives an infinite or missing number raise an error.

    Ops run at their calls meanwhile, as `tf.config.run_ops_immediately` says, so that the error
    comes from the line of its op. Unlike TensorFlow, what a tape computes counts as one op, called
    `GradientTape`.

    Args:
        stack_height_limit: ignored: the exception has its traceback.
        path_length_limit: ignored.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log([1.0, 0.0])
    Traceback (most recent call last):
    tapefacade.errors.InvalidArgumentError: ...
    >>> tf.debugging.disable_check_numerics()
    """
    if _BEFORE:
        return
    _BEFORE.append(ops_run_immediately())
    run_ops_immediately(True)
    execution.WRAPPERS.append(_checked)
    execution.EXECUTABLES.prepare_anew()


@function("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Takes `enable_check_numerics` back.

    >>> tf.debugging.disable_check_numerics()
    """
    if not _BEFORE:
        return
    execution.WRAPPERS.remove(_checked)
    execution.EXECUTABLES.prepare_anew()
    run_ops_immediately(_BEFORE.pop())
