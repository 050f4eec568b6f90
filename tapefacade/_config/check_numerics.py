"""Looking for infinite and missing numbers in the results of all ops."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from jax.core import Tracer

from tapefacade._config.settings import ops_run_immediately, run_ops_immediately
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.error_texts import invalid
from tapefacade._core.tensor import from_host
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._definition.op import function
from tapefacade._ops.nn.losses import label_error
from tapefacade._trace import execution
from tapefacade._trace.non_finite import Origin, origins_in
from tapefacade._trace.non_finite_report import NonFinite
from tapefacade._trace.slices import Step

# Ops that make no such numbers of others.
OPS_KEEPING_FINITE = {
    "ConcatV2", "ExpandDims", "Fill", "Identity", "Maximum", "Minimum", "Reshape", "Slice",
    "Squeeze", "StridedSlice", "Transpose", "Unpack",
}  # fmt: skip
NON_FINITE_KINDS = (("-Inf", np.isneginf), ("+Inf", np.isposinf), ("NaN", np.isnan))
KERAS_LABELS = "sparse_categorical_crossentropy"  # Keras's function, as an op
_LISTED_NAMES = {"NaN": "+NaN"}  # what TensorFlow calls them in a list
_RAN_IMMEDIATELY_BEFORE: list[bool] = []  # whether ops ran immediately before, if checks are on


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
        for step in executable.part.steps:
            if step.operation.kernel == KERAS_LABELS:
                _check_labels(*[values[slot] for slot in step.inputs if slot < len(values)])
        return result

    return run


def _check_labels(labels: Any, logits: Any = None, *_: Any) -> None:
    """Refuses numbers of no class, of which Keras's cross entropy is 0."""
    if logits is None or isinstance(labels, Tracer) or not np.size(labels):
        return  # the labels are computed by the same program
    labels, classes = np.asarray(labels).astype(np.int64), np.shape(logits)[-1]
    if labels.min() < 0 or labels.max() >= classes:
        raise label_error(labels, np.asarray(classes))


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
        if step.types[place].dtype.is_floating and step.operation.kernel not in OPS_KEEPING_FINITE:
            yield step, place, np.asarray(output)


def _check(
    executable: execution.Executable,
    step: Step,
    place: int,
    output: np.ndarray[Any, Any],
    values: list[Any],
) -> None:
    wide = output.astype(np.float64)  # NumPy does not know the smallest types
    counts = {name: int(test(wide).sum()) for name, test in NON_FINITE_KINDS}
    wrong = [name for name, count in counts.items() if count]
    if not wrong:
        return
    lines = [f"  # of {_LISTED_NAMES.get(name, name)} elements: {counts[name]}" for name in wrong]
    inputs = [values[slot] for slot in step.inputs if slot < len(values)]
    tensors = [str(from_host(np.array(value))) for value in inputs]
    if len(tensors) == 1:
        lines += ["", f"  Input tensor: {tensors[0]}"]
    elif tensors:
        numbered = [f"         {i}: {tensor}" for i, tensor in enumerate(tensors)]
        lines += ["", f"  Input tensors ({len(tensors)}):", *numbered]
    type_ = step.types[place]
    origin = _origin(executable, values)
    if origin is not None and origin.kernel != step.operation.kernel:  # an op within it
        _raise_within(origin)
    error = _error(
        place, step.operation.kernel, len(step.types), type_.dtype, type_.shape, lines, wrong
    )
    found = _from_outside(executable, values) if origin is None else NonFinite(origin)
    if found is not None:
        error.add_note(repr(found))
    raise error


def _from_outside(executable: execution.Executable, values: list[Any]) -> NonFinite | None:
    """Returns the first value from outside that is not finite, and the line that uses it first."""
    part = executable.part
    lines = part.lines or ("",) * len(part.steps)
    for place, value in enumerate(values):
        users = (line for s, line in zip(part.steps, lines, strict=True) if place in s.inputs)
        if not isinstance(value, Tracer):
            found = NonFinite.of_input("a tensor or variable", next(users, ""), np.asarray(value))
            if found is not None:
                return found
    return None


def _origin(executable: execution.Executable, values: list[Any]) -> Origin | None:
    """Returns the op, within a gradient or a loop too, that has made the first wrong number."""
    if any(isinstance(value, Tracer) for value in values):
        return None
    origins, _ = origins_in(executable.part, values)
    return next(iter(origins), None)


def _raise_within(origin: Origin) -> None:
    """Raises the error of an op within a gradient, a loop or a function."""
    value = origin.value
    lines = [
        f"  # of {_LISTED_NAMES.get(name, name)} elements: {n}" for name, n in value.counts.items()
    ]
    inputs = [str(v) for v in (*origin.operands.values(), *origin.upstream.values())]
    if len(inputs) == 1:
        lines += ["", f"  Input tensor: {inputs[0]}"]
    elif inputs:
        numbered = [f"         {i}: {text}" for i, text in enumerate(inputs)]
        lines += ["", f"  Input tensors ({len(inputs)}):", *numbered]
    count = len(origin.operands) if origin.upstream else len(origin.step.types)
    dtype, _, shape = value.type.partition("[")
    shape = TensorShape([int(n) for n in shape.strip("]").split(",") if n])
    error = _error(
        origin.place, origin.kernel, count, as_dtype(dtype), shape, lines, list(value.counts)
    )
    error.add_note(repr(NonFinite(origin)))
    raise error


def _error(
    place: int, kernel: str, outputs: int, dtype: Any, shape: Any, lines: list[str],
    wrong: list[str],
) -> Exception:  # fmt: skip
    """Makes TensorFlow's error."""
    text = "\n".join(lines)
    return invalid(
        f"\n\n!!! Detected Infinity or NaN in output {place} of eagerly-executing op "
        f'"{kernel}" (# of outputs: {outputs}) !!!\n'
        f"  dtype: {dtype}\n  shape: {shape}\n{text}\n\n : "
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
    comes from the line of its op. A gradient whose result is wrong is computed once more, op by op,
    and so is a loop, or a function that was compiled before: the error names the op within it (a
    backward one as `SqrtGrad`). A note says at which line that was recorded, what the operands
    were, and the usual cure, as `GradientTape.find_nan` does.

    Labels that are no number of a class are refused where Keras's sparse categorical cross entropy
    runs by itself, as in a loop of one's own or after `compile(run_eagerly=True)`, also those that
    do not come from the host: for such a label that is 0, and there is no other sign of it.

    Args:
        stack_height_limit: ignored: the exception has its traceback.
        path_length_limit: ignored.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log([1.0, 0.0])
    Traceback (most recent call last):
    tapefacade.errors.InvalidArgumentError: ...
    >>> tf.debugging.disable_check_numerics()
    """
    if _RAN_IMMEDIATELY_BEFORE:
        return
    _RAN_IMMEDIATELY_BEFORE.append(ops_run_immediately())
    run_ops_immediately(True)
    execution.WRAPPERS.append(_checked)
    execution.EXECUTABLES.prepare_anew()


@function("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Takes `enable_check_numerics` back.

    >>> tf.debugging.disable_check_numerics()
    """
    if not _RAN_IMMEDIATELY_BEFORE:
        return
    execution.WRAPPERS.remove(_checked)
    execution.EXECUTABLES.prepare_anew()
    run_ops_immediately(_RAN_IMMEDIATELY_BEFORE.pop())
