"""`tf.gradients` and `tf.hessians`: derivatives of what a function has recorded, without a tape."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import MESSAGE_NONE
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._definition.op import function as registered
from tapefacade._ops.array.copying import zeros_like
from tapefacade._state.variable import Variable
from tapefacade._tape.aggregation import AggregationMethod
from tapefacade._tape.backward_pass import derive
from tapefacade._tape.derivatives.derivative import GRADIENT, JACOBIAN, DerivativeKind
from tapefacade._tape.gradient_arguments import with_itself
from tapefacade._tape.gradient_paths import Window, reach
from tapefacade._tape.tape_window import TapeScope
from tapefacade._tape.unconnected_gradients import (
    RAISE,
    UnconnectedGradients,
    unconnected_gradients_of,
)
from tapefacade._trace.frames import WatchedRun
from tapefacade._trace.recording import THREAD, Recording, UnwatchedGradientsError
from tapefacade._trace.tree import Node

MESSAGE_EAGER = (
    "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
)
HINT_EAGER = (
    "Where the Python of a function looks at values, tf.gradients has to stand in it, or "
    "in a function that it calls by its name: a method is not found."
)
MESSAGE_NO_GRADIENT = (
    "No gradient defined for operation'{0}' (op type: {0}). In general every operation must have "
    "an associated `@tf.RegisterGradient` for correct autodiff, which this op is lacking. If you "
    "want to pretend this operation is a constant in your program, you may insert "
    "`tf.stop_gradient`. This can be useful to silence the error in cases where you know gradients "
    "are not needed, e.g. the forward pass of tf.custom_gradient. Please see more details in "
    "https://www.tensorflow.org/api_docs/python/tf/custom_gradient."
)
MESSAGE_OUTSIDE = (
    "tf.gradients in the body of a branch or loop, of what was partly computed outside of it"
)


@registered("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Differentiates the sum of all elements of `ys`, within a `tf.function`, without a tape.

    Args:
        ys: a tensor or variable, or a list of these.
        xs: a tensor or variable, or a list of these: anything that was recorded since the
            outermost function began, or that it uses from outside.
        grad_ys: a tensor in the shape of each of `ys`, or None: what its elements are multiplied
            with before they are summed.
        name: accepted for TensorFlow's sake.
        gate_gradients: accepted for TensorFlow's sake.
        aggregation_method: accepted for TensorFlow's sake: gradients are added in one way.
        stop_gradients: tensors that are taken for constants, unless they are among `xs`
            themselves: a partial derivative.
        unconnected_gradients: a `tf.UnconnectedGradients`, or its value.

    Returns:
        A list of gradients in the shapes of `xs`, None (or zeros) where no y depends on the x.

    Raises:
        RuntimeError: in eager code.
        ValueError: if `grad_ys` does not fit, or another argument is unknown.
        TypeError: if a complex y has no upstream gradient.
        LookupError: if an op without a registered gradient lies on the way.

    >>> @tf.function
    ... def slopes(x):
    ...     square = x * x
    ...     return tf.gradients(square * x, [x, square])
    >>> [slope.numpy() for slope in slopes(tf.constant(3.0))]
    [np.float32(27.0), np.float32(3.0)]

    See https://www.tensorflow.org/api_docs/python/tf/gradients.
    """
    targets, sources = _checked(_listed(ys)), _checked(_listed(xs))
    unconnected = unconnected_gradients_of(unconnected_gradients)
    if unconnected == RAISE:
        raise ValueError("Only tapes take `unconnected_gradients='raise'`: use tf.GradientTape.")
    if aggregation_method not in (None, *_METHODS):
        raise ValueError(
            f"Invalid `aggregation_method` specified {aggregation_method}. Accepted values are "
            f"{_METHODS}."
        )
    with _recorded(targets):
        upstream = _upstream(targets, grad_ys)
        stopped = [] if stop_gradients is None else _listed(stop_gradients)
        results = _derived(GRADIENT, targets, sources, upstream, stopped)
        if unconnected is UnconnectedGradients.ZERO:
            results = [
                zeros_like(source) if result is None else result
                for result, source in zip(results, sources, strict=True)
            ]
    return results


@registered("hessians")
def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    name: str = "hessians",
) -> list[EagerTensor]:
    """Computes the second derivatives of the sum of all elements of `ys`, within a `tf.function`.

    Args:
        ys: a tensor or variable, or a list of these.
        xs: a tensor or variable, or a list of these.
        gate_gradients: accepted for TensorFlow's sake.
        aggregation_method: accepted for TensorFlow's sake.
        name: accepted for TensorFlow's sake.

    Returns:
        For each x of shape `[...]` a tensor of shape `[..., ...]`: the derivatives with respect to
        two of its elements. Those with respect to elements of two different `xs` are left out.

    Raises:
        RuntimeError: in eager code.
        ValueError: if `ys` do not depend on an x, or their gradient does not.
        LookupError: if an op without a registered gradient lies on the way.

    Beyond TensorFlow, variables may be among `xs`.

    >>> @tf.function
    ... def curvature(x):
    ...     return tf.hessians(tf.reduce_sum(x**3), x)
    >>> curvature(tf.constant([1.0, 2.0]))[0].numpy()
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/hessians.
    """
    sources = _checked(_listed(xs))
    first = gradients(ys, sources, None, name, gate_gradients, aggregation_method)
    results = []
    for source, gradient in zip(sources, first, strict=True):
        if gradient is None:
            raise ValueError(
                "Tried to convert 'tensor' to a tensor and failed. Error: None values not "
                "supported."
            )
        gradient = convert(gradient)
        with _recorded([gradient]):
            (second,) = _derived(JACOBIAN, [gradient], [source], [None], [])
        if second is None:
            raise ValueError(MESSAGE_NONE)
        results.append(second)
    return results


_METHODS = [
    AggregationMethod.DEFAULT,
    AggregationMethod.EXPERIMENTAL_TREE,
    AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
]


def _listed(values: Any) -> list[Any]:
    return list(values) if isinstance(values, list | tuple) else [values]


def _checked(values: list[Any]) -> list[EagerTensor | Variable]:
    """Returns tensors and variables; what is none of these yet belongs to nothing."""
    for value in values:
        if value is None:
            raise hinted(
                AttributeError("'NoneType' object has no attribute 'op'"),
                "Give tf.gradients tensors and variables.",
            )
    return [value._root if isinstance(value, Variable) else convert(value) for value in values]


@contextlib.contextmanager
def _recorded(targets: Sequence[EagerTensor | Variable]) -> Iterator[None]:
    """Makes a block that records where the targets were recorded: in a body, or around it.

    Raises:
        RuntimeError: in eager code.
    """
    inner = recording = THREAD.recording
    if not _is_in_function(recording):
        if THREAD.functions:
            raise hinted(UnwatchedGradientsError(MESSAGE_EAGER), HINT_EAGER)
        raise RuntimeError(MESSAGE_EAGER)
    tensors = [target for target in targets if isinstance(target, EagerTensor)]
    while recording.enclosing is not None and not any(t._recording is recording for t in tensors):
        if not _is_in_function(recording.enclosing) or len(tensors) < len(targets):
            break
        recording = recording.enclosing
    THREAD.recording = recording
    try:
        yield
    finally:
        THREAD.recording = inner


def _derived(
    kind: DerivativeKind,
    targets: Sequence[EagerTensor | Variable],
    sources: Sequence[EagerTensor | Variable],
    upstream: Sequence[EagerTensor | None],
    stopped: Sequence[Any],
) -> list[EagerTensor | None]:
    """Records the derivatives of what was recorded since the outermost function began."""
    recording = THREAD.recording
    reads = [target._root.value() if isinstance(target, Variable) else target for target in targets]
    scope, groups = _seen(recording, sources, stopped)
    slots = [recording.slot_of(read) if read._type.inexact else None for read in reads]
    known = tuple([slot for slot in slots if slot is not None])
    if recording.enclosing is not None and _reaches_out(scope, known, sources, stopped):
        recording.observe(MESSAGE_OUTSIDE)
    try:
        results = derive(scope, kind, slots, groups, upstream)
    except LookupError as error:
        kernel = str(error).rpartition(" ")[2]
        raise LookupError(MESSAGE_NO_GRADIENT.format(kernel)) from None
    if None in slots and kind == GRADIENT:
        results = with_itself(results, reads, slots, sources, upstream)
    return results


def _seen(
    recording: Recording, sources: Sequence[EagerTensor | Variable], stopped: Sequence[Any]
) -> tuple[TapeScope, list[tuple[int, ...]]]:
    """Returns what was recorded since the outermost function began, and the sources' slots."""
    start, seen = _beginning(recording)
    groups: list[tuple[int, ...]] = []
    for source in sources:
        if not source._type.inexact:
            groups.append(())
        elif isinstance(source, Variable):
            groups.append(tuple([slot for slot, v in seen.items() if v is source]))
        else:
            slot = recording.slot_of(source)
            groups.append(() if slot is None else (slot,))
    watched = sorted({slot for group in groups for slot in group})
    constant = {recording.slot_of(t) for t in stopped if isinstance(t, EagerTensor)}
    intervals = _intervals(recording.at, start, constant)
    window = Window(intervals, tuple([(slot, 0) for slot in watched]))
    return TapeScope(recording, recording.data, recording.at, window), groups


def _beginning(recording: Recording) -> tuple[int, dict[int, Any]]:
    """Returns where the outermost function began, and the variables whose value is in a slot."""
    frame = recording.frame
    if frame is None:
        watched = _watched(recording)
        assert watched is not None
        return watched.start, watched.seen
    while frame.outer is not None:
        frame = frame.outer
    return frame.at.end, frame.seen


def _is_in_function(recording: Recording) -> bool:
    """Whether it is a function's, which is recorded or whose Python runs."""
    return recording.frame is not None or _watched(recording) is not None


def _watched(recording: Recording) -> WatchedRun | None:
    """Returns what a function has recorded whose Python runs, if it is there."""
    runs = [call.watched for call in THREAD.functions if call.watched is not None]
    return next((run for run in runs if run.trace is recording), None)


def _intervals(end: Node, start: int, constant: set[int | None]) -> tuple[tuple[int, int], ...]:
    """Returns where gradients flow: everywhere but through the ops that give constants."""
    cuts = []
    node = end
    while constant and node.parent is not None and node.first >= start:
        if node.operation is not None and not constant.isdisjoint(range(node.first, node.end)):
            cuts.append(node)
        node = node.parent
    edges = [start, *(edge for node in reversed(cuts) for edge in (node.first, node.end)), end.end]
    return tuple(zip(edges[::2], edges[1::2], strict=True))


def _reaches_out(
    scope: TapeScope,
    targets: tuple[int, ...],
    sources: Sequence[EagerTensor | Variable],
    stopped: Sequence[Any],
) -> bool:
    """Whether, in a body, targets depend on sources by way of what was computed outside of it."""
    recording = scope.trace
    outside = recording.enclosing
    if outside is None or recording.frame is None or not _is_in_function(outside):
        return False
    reads = recording.frame.seen
    taken = {
        slot: tensor
        for slot, tensor in recording.data.leaves.items()
        if slot not in reads
        and tensor._recording is outside
        and tensor._type.inexact
        and not any(tensor is source for source in sources)
    }
    window = Window(scope.window.intervals, tuple([(slot, 0) for slot in taken]))
    groups = tuple([(slot,) for slot in taken])
    connected = reach(scope.end, window, targets, groups).connected
    used = [t._slot for t, on in zip(taken.values(), connected, strict=True) if on]
    if not used:
        return False
    around, of_sources = _seen(outside, sources, stopped)
    found = reach(around.end, around.window, tuple(used), tuple(of_sources))
    return any(found.connected) or _reaches_out(around, tuple(used), sources, stopped)


def _upstream(targets: Sequence[EagerTensor | Variable], grad_ys: Any) -> list[EagerTensor | None]:
    """Returns the upstream gradient of each target, or None for ones."""
    given = [None] * len(targets) if grad_ys is None else _listed(grad_ys)
    if len(given) != len(targets):
        raise ValueError(f"Length mismatch. Passed {len(given)} grad_ys for {len(targets)} ys")
    upstream: list[EagerTensor | None] = []
    for target, gradient in zip(targets, given, strict=True):
        if gradient is None:
            if target.dtype.is_complex:
                raise TypeError(
                    f"Gradients of complex tensors ({target}) must set grad_ys (y.dtype = "
                    f"{target.dtype.name})"
                )
            upstream.append(None)
            continue
        is_tensor = isinstance(gradient, EagerTensor | Variable)
        gradient = convert(gradient) if is_tensor else convert(gradient, target.dtype)
        if gradient.dtype is not target.dtype:
            raise TypeError(
                f"Gradient type {gradient.dtype.name} given for the tensor {target} with type "
                f"{target.dtype.name}: they must be the same"
            )
        if gradient.shape != target.shape:
            raise ValueError(
                "Incompatible shapes between op input and calculated input gradient. "
                f"Original input shape: {target.shape}. Calculated input gradient shape: "
                f"{gradient.shape}"
            )
        upstream.append(gradient)
    return upstream
