"""GradientTape: what is recorded and watched in its block, and the derivatives taken of it."""

import contextlib
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

from tapefacade._core import nest
from tapefacade._core.error_texts import MESSAGE_PARALLEL_ITERATIONS
from tapefacade._core.logging import warn
from tapefacade._core.tensor import EagerTensor, Tensor, hinted
from tapefacade._core.thread_state import ThreadState
from tapefacade._core.tracebacks import with_short_tracebacks
from tapefacade._ops.array.copying import zeros_like
from tapefacade._ops.array.creation import eye, zeros
from tapefacade._ops.array.shaping import reshape
from tapefacade._state.disconnected_variables import keep_reason
from tapefacade._state.variable import SERIAL, Variable
from tapefacade._tape import backward_pass
from tapefacade._tape.batch_jacobian_check import check_rows
from tapefacade._tape.derivatives.derivative import (
    BATCH_JACOBIAN,
    GRADIENT,
    JACOBIAN,
    DerivativeKind,
)
from tapefacade._tape.explanation import Explanation, TapeContent, source_names
from tapefacade._tape.forward_instructions import extended
from tapefacade._tape.gradient_arguments import (
    SINGLE_TYPES,
    checked_sources,
    differentiated,
    flat_sources,
    gradient_parts,
    same_for_same,
    upstream_gradients,
    value_of,
    watched_parts,
    with_gradients,
    with_itself,
)
from tapefacade._tape.gradient_paths import Window, nodes_within
from tapefacade._tape.tape_drawing import TapeDrawing
from tapefacade._tape.tape_memory import TapeMemory, memory_of
from tapefacade._tape.tape_recomputation import first_non_finite, gradient_sizes
from tapefacade._tape.tape_window import TapeScope
from tapefacade._tape.unconnected_gradients import (
    RAISE,
    UnconnectedGradients,
    unconnected_gradients_of,
)
from tapefacade._trace.gradient_sizes import GradientSizes
from tapefacade._trace.non_finite_report import NonFinite
from tapefacade._trace.program_listing import ProgramListing, in_sentence, program_of
from tapefacade._trace.recording import CLOSED_VALUES, THREAD, RecordedValues, Recording
from tapefacade._trace.tree import TREE, Node
from tapefacade._trace.value_origins import origins_of

# The spaces are TensorFlow's.
MESSAGE_PERSISTENT = (
    "GradientTape must be created with persistent=True to compute the jacobian with eager "
    "execution enabled and with  experimental_use_pfor set to False."
)
MESSAGE_PERSISTENT_BATCH = (
    "GradientTape must be created with persistent=True to compute the batch_jacobian with eager "
    "execution enabled and  with experimental_use_pfor set to False."
)
MESSAGE_VECTORIZING = (
    "Encountered an exception while vectorizing the {} computation. Vectorization can be disabled "
    "by setting experimental_use_pfor to False."
)


def _identity(variable: Variable) -> Any:
    """Returns the Jacobian of a variable that has not been read, for itself."""
    shape = list(variable._type.shape)
    unit = eye(math.prod(shape), dtype=variable.dtype)
    return reshape(unit, shape + shape)


def _options(
    name: str, unconnected_gradients: Any, parallel_iterations: Any, vectorized: bool
) -> tuple[UnconnectedGradients | str, int | None]:
    """Returns what is unconnected, and how many rows are computed at a time."""
    if parallel_iterations is not None:
        least = 2 if vectorized else 1
        if parallel_iterations < least:
            if vectorized:
                raise ValueError(MESSAGE_VECTORIZING.format(name))
            raise TypeError(MESSAGE_PARALLEL_ITERATIONS)
        parallel_iterations = max(int(parallel_iterations), 1)
    try:
        return unconnected_gradients_of(unconnected_gradients), parallel_iterations
    except ValueError:
        if vectorized:
            raise ValueError(MESSAGE_VECTORIZING.format(name)) from None
        raise


SERIALS = itertools.count()  # of tapes, in the order in which they are made


class _RowByRow(ThreadState):
    """The Python of a function that stands for many rows, which runs for each of them."""

    since: int | None = None  # the serial of the first tape that is made in it

    def __init__(self) -> None:
        self.used: list[Callable[[], None]] = []  # what clears the tapes that have been used


_ROW_BY_ROW = _RowByRow()


@contextlib.contextmanager
def as_if_once() -> Iterator[None]:
    """A block that runs Python for each row which TensorFlow runs once: tapes are used once."""
    if _ROW_BY_ROW.since is not None:
        yield
        return
    _ROW_BY_ROW.since = next(SERIALS)
    try:
        yield
    finally:
        _ROW_BY_ROW.since, used, _ROW_BY_ROW.used = None, _ROW_BY_ROW.used, []
        for clear in used:
            clear()


def release(serial: int, clear: Callable[[], None]) -> None:
    """Clears a tape that has been used; one that serves other rows when the last has run."""
    if _ROW_BY_ROW.since is not None and serial < _ROW_BY_ROW.since:
        _ROW_BY_ROW.used.append(clear)
    else:
        clear()


def outside(trace: Recording) -> None:
    """Takes note that a tape is used in the body of a loop or branch that it does not record.

    Raises:
        ValueWanted: if it is; Python has to run the loop then.
    """
    recording = THREAD.recording
    if recording.enclosing is not None and recording.is_within(trace):
        recording.observe("a tape from outside is used in the body of a loop or branch")


def reopened(trace: Recording | None, data: RecordedValues | None) -> Recording | None:
    """Opens the recording of a tape's first block again, if it has been closed since."""
    if trace is None or data is None or trace.data is not CLOSED_VALUES or data.end is None:
        return None
    trace.reopen(data)
    return trace


MESSAGE_USED = (
    "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
)
MESSAGE_PERSISTENT_INSIDE = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less "
    "efficient than calling it outside the context (it causes the gradient ops to be recorded on "
    "the tape, leading to increased CPU and memory usage). Only call GradientTape.gradient inside "
    "the context if you actually want to trace the gradient in order to compute higher order "
    "derivatives."
)
MESSAGE_ENTERED_AGAIN = (
    "The block of this tape cannot be entered again here: its step has ended, and the block of "
    "another tape or the body of a tf.function is open. Use one block, or another tape."
)
MESSAGE_WATCHED_DTYPE = "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r"


def start_at_function(function: Any) -> None:
    """Lets a block that has just been entered start at a root that is a function's own.

    All functions that are called from one line of this package would share its root, and so lines.

    Args:
        function: what is called in the block.
    """
    inner = getattr(function, "python_function", function)
    code = getattr(getattr(inner, "__func__", inner), "__code__", None)
    recording = THREAD.recording
    if recording.at.parent is None:
        place = id(function) if code is None else f"{code.co_filename}:{code.co_firstlineno}"
        recording.at = TREE.start_at(f"called {place}")


@with_short_tracebacks
class GradientTape:
    """Records what is computed in its block, to differentiate it.

    Args:
        persistent: keep the recording after the first gradient, for more of them.
        watch_accessed_variables: watch every trainable variable that is read in the block.
        rematerialize: compute intermediate values again for the gradients instead of keeping them,
            which TensorFlow has not. A block of n computations keeps values at about sqrt(n) places
            only, and costs a second forward computation (Chen et al., "Training Deep Nets with
            Sublinear Memory Cost", arXiv:1604.06174). Gradients that the block
            takes are computed in the same way.

    Trainable variables are watched by themselves, tensors after `watch`. The gradient of what does
    not depend on a source is None. Tapes may be nested: a gradient is computed by ops, which an
    outer tape records.

    Beyond TensorFlow, recording costs nothing: the ops are the same with and without a tape, which
    keeps the inputs of the recorded computation, not its intermediate results. A tape that is
    opened after another one has recorded, and in which the gradient of that other one is taken,
    differentiates it in full; TensorFlow takes the older tape's intermediate results as constants.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>

    See https://www.tensorflow.org/api_docs/python/tf/GradientTape.
    """

    _is_forward = False  # whether it only serves a ForwardAccumulator

    def __init__(
        self,
        persistent: bool = False,
        watch_accessed_variables: bool = True,
        *,
        rematerialize: bool = False,
    ) -> None:
        self._serial = next(SERIALS)
        self._rematerialize = rematerialize
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._block: Recording | None = None
        self._variables: dict[int, tuple[Variable, tuple[int, ...]]] = {}  # its reads
        # What follows is set when the block begins.
        self._trace: Recording | None = None
        self._data: RecordedValues | None = None
        self._end: Node | None = None
        self._intervals: list[tuple[int, int]]
        self._start: int
        self._watched: dict[int, int]  # slot -> the position from which on it is watched
        # Of a tape that has been used: the recording, its slots, its end and what was watched.
        self._past: tuple[Any, dict[int, int], Node | None, dict[int, int]] | None = None
        self._refused: dict[int, frozenset[int]] = {}  # of such a tape
        self._origins: dict[int, str] = {}
        self._last_serial: int  # of the variables that were there when the block ended

    def _clear(self) -> None:
        if self._data is not None:  # for `explain`; no values
            self._past = self._trace, self._data.slots, self._end, self._watched
            self._origins = origins_of(self._data.leaves)
            self._refused = self._data.refused
        self._trace = self._data = self._end = None
        self._watched = {}

    # The block.

    def __enter__(self) -> "GradientTape":
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape."
            )
        try:
            self._push()
            assert self._trace is not None
            self._block = self._trace
            self._trace.open_block(self)
        except BaseException:  # also Ctrl-C: no block stays open
            self._leave()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._leave()
        except BaseException:  # Ctrl-C before its first line
            self._leave()
            raise

    def _leave(self) -> None:
        if self._block is not None:
            self._block.close_block(self)
        if self._recording:
            self._pop()

    def _push(self) -> None:
        trace = THREAD.recording
        if trace is not self._trace and not trace.is_held:
            trace.flush()  # a step begins
            trace = reopened(self._trace, self._data) or THREAD.recording
            if trace.at.parent is None:
                trace.at = TREE.start_of_block(sys._getframe(2))
        if self._trace is None:
            self._trace, self._data = trace, trace.data
            self._intervals, self._watched, self._variables = [], {}, {}
        elif self._data is not trace.data:
            if trace.enclosing is not None:
                trace.observe("a tape from outside is entered in the body of a loop or branch")
            raise RuntimeError(MESSAGE_ENTERED_AGAIN)
        self._start = trace.at.end
        self._recording = True
        trace.epoch += 1

    def _pop(self) -> None:
        trace = self._trace
        assert trace is not None
        self._end = trace.at
        self._intervals.append((self._start, self._end.end))
        self._recording = False
        self._last_serial = next(SERIAL)
        trace.epoch += 1

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Pauses the tape within a block: what is computed there has no gradient.

        Raises:
            RuntimeError: if the tape's block has not been entered, or the tape has been used.
            ValueError: if the tape is not recording now.

        >>> x = tf.Variable(2.0)
        >>> with tf.GradientTape() as tape:
        ...     with tape.stop_recording():
        ...         y = x * x
        >>> tape.gradient(y, x) is None
        True
        """
        if self._trace is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if not self._recording:
            raise ValueError("Tape is not recording.")
        outside(self._trace)
        self._pop()
        try:
            yield
        finally:
            self._push()

    def reset(self) -> None:
        """Forgets what has been recorded and watched; the block goes on.

        Raises:
            ValueError: if the tape is not recording.

        >>> x = tf.Variable(2.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        ...     tape.reset()
        ...     y = x * 3.0
        >>> tape.gradient(y, x).numpy()
        np.float32(3.0)
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._pop()
        self._clear()
        self._push()

    # What is watched.

    def watch(self, tensor: Any) -> None:
        """Watches a tensor, variable, or a nest of these, from here on.

        Args:
            tensor: what to watch.

        Raises:
            ValueError: if something in it is neither a tensor nor a variable.
            AttributeError: if the tape's block has not been entered.

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.gradient(y, x).numpy()
        np.float32(6.0)
        """
        items: list[Any] = nest.flatten(tensor)
        for item in [part for given in items for part in watched_parts(given)]:
            if not isinstance(item, EagerTensor | Variable):
                raise ValueError(
                    f"Passed in object {item} of type {type(item).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            dtype = getattr(item, "_root", item).dtype
            if not (dtype.is_floating or dtype.is_complex):
                warn(MESSAGE_WATCHED_DTYPE, dtype)
            if self._trace is None or self._data is None:
                raise hinted(
                    AttributeError("'NoneType' object has no attribute '_tape'"),
                    "Watch in the tape's block: `with tf.GradientTape() as tape: tape.watch(x)`",
                )
            outside(self._trace)
            if THREAD.recording is not self._trace or not self._trace.watchers():
                continue  # nothing is being recorded: TensorFlow takes no note either
            if isinstance(item, Variable):
                self._read(item._root, item._slot_in(self._trace))
            else:
                slot = self._trace.slot_of(item)
                slot = self._trace.leaf(item) if slot is None else slot
                self._watched.setdefault(slot, self._trace.at.end)

    def watched_variables(self) -> tuple[Variable, ...]:
        """Returns the variables that the tape watches, in the order of their creation.

        >>> x = tf.Variable(2.0, name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> [v.name for v in tape.watched_variables()]
        ['x:0']
        """
        variables = [variable for variable, _ in self._variables.values()]
        return tuple(sorted(variables, key=lambda variable: variable._serial))

    def _wants(self, variable: Variable) -> bool:
        """Whether the tape takes note of a read of a variable."""
        return self._recording and (
            (variable._trainable and self._watch_accessed_variables)
            or id(variable) in self._variables  # it was told to watch it
        )

    def _read(self, variable: Variable, slot: int) -> None:
        """Takes note that a variable's value is in `slot`."""
        assert self._trace is not None
        self._watched.setdefault(slot, self._trace.at.end)
        known = self._variables.get(id(variable))
        if known is None:
            self._variables[id(variable)] = (variable, (slot,))
        elif slot not in known[1]:
            self._variables[id(variable)] = (variable, (*known[1], slot))

    # Derivatives.

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Differentiates the sum of all elements of `target` with respect to `sources`.

        Args:
            target: a tensor or variable, or a nest of these.
            sources: a tensor or variable, or a nest of these.
            output_gradients: a tensor in the shape of each target, or None: what the target's
                elements are multiplied with before they are summed.
            unconnected_gradients: an `UnconnectedGradients`, or its value.

        Returns:
            A nest like `sources` of tensors in their shapes. None (or zeros) where no target
            depends on the source within the tape's block.

        Raises:
            RuntimeError: if a tape that is not persistent has been used already.
            TypeError: if `target` is None.
            ValueError: if `unconnected_gradients` is unknown.
            LookupError: if an op without a registered gradient lies on the way.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.gradient(y, x).numpy()
        array([2., 4.], dtype=float32)
        """
        if self._trace is None:
            self._check_unused()
        if self._recording:
            if self._persistent:
                warn(MESSAGE_PERSISTENT_INSIDE)
            else:
                self._pop()
        if (
            output_gradients is None
            and unconnected_gradients is UnconnectedGradients.NONE
            and type(target) is EagerTensor
            and (sources_are_flat := flat_sources(sources))
        ):  # the common case
            if sources_are_flat is SINGLE_TYPES:
                results = self._derive(GRADIENT, (target,), (sources,), _ONES)[0]
                if results is None:
                    self._keep_reason(target, [sources])
            else:
                results = self._derive(GRADIENT, (target,), sources, _ONES)
                if results and results[0] is None and _all_none(results):
                    self._keep_reason(target, sources)
                if type(sources) is tuple:
                    results = tuple(results)
        else:
            results = self._gradient(target, sources, output_gradients, unconnected_gradients)
        if not self._persistent:
            self._release()
        return results

    def _keep_reason(self, target: Any, sources: Sequence[Any]) -> None:
        keep_reason(sources, lambda: self.explain(target, list(sources)).in_one_line())

    def _gradient(
        self, target: Any, sources: Any, output_gradients: Any, unconnected_gradients: Any
    ) -> Any:
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        flat_targets = [part for item in nest.flatten(target) for part in gradient_parts(item)]
        given_sources = nest.flatten(sources)
        flat_sources = checked_sources(
            [part for item in given_sources for part in gradient_parts(item)]
        )
        upstream = upstream_gradients(flat_targets, output_gradients)
        unconnected = unconnected_gradients_of(unconnected_gradients)
        results = self._derive(GRADIENT, flat_targets, flat_sources, upstream)
        if flat_targets and results and _all_none(results):
            self._keep_reason(flat_targets[0], flat_sources)
        if unconnected is UnconnectedGradients.ZERO:
            results = [
                zeros_like(value_of(source)) if result is None else result
                for result, source in zip(results, flat_sources, strict=True)
            ]
        elif unconnected == RAISE:
            self._refuse_none(flat_targets, flat_sources, results)
        return nest.pack_sequence_as(sources, with_gradients(given_sources, results))

    def _refuse_none(
        self, targets: Sequence[Any], sources: Sequence[Any], results: Sequence[Any]
    ) -> None:
        """Raises an error that says why there is no gradient for some sources, if it is so."""
        pairs = zip(sources, results, strict=True)
        missing = [source for source, result in pairs if result is None]
        if missing:
            raise ValueError(f"No gradient:\n{self.explain(targets, missing)!r}")

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Differentiates every element of `target` with respect to every element of `sources`.

        Args:
            target: a tensor or variable of any shape.
            sources: a tensor or variable, or a nest of these.
            unconnected_gradients: an `UnconnectedGradients`, or its value.
            parallel_iterations: how many rows (or columns) to compute at a time, to save memory;
                by default all, or as many as a GiB holds.
            experimental_use_pfor: accepted for TensorFlow's sake; the results are the same.

        Returns:
            A nest like `sources` of tensors of shape `target.shape + source.shape`. None (or
            zeros) where the target does not depend on the source.

        Raises:
            RuntimeError: if a tape that is not persistent has been used already, or
                `experimental_use_pfor` is False and the tape is not persistent.
            ValueError: if `unconnected_gradients` is unknown, or `parallel_iterations` is less
                than 2 where `experimental_use_pfor` is True.
            TypeError: if `parallel_iterations` is not positive, or no number.

        The cost is that of one gradient for each element of the target, or of one forward
        derivative for each element of the sources, whichever is less, in one vectorized program.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy()
        array([[2., 0.],
               [0., 4.]], dtype=float32)
        """
        self._check_unused()
        flat_sources = nest.flatten(sources)
        shape = target.shape
        self._check_persistent(MESSAGE_PERSISTENT, experimental_use_pfor)
        unconnected, chunk = _options(
            "jacobian", unconnected_gradients, parallel_iterations, experimental_use_pfor
        )
        results = self._jacobian(
            DerivativeKind(JACOBIAN.name, chunk), target, checked_sources(flat_sources)
        )
        if unconnected is UnconnectedGradients.ZERO:
            results = [
                zeros(shape.as_list() + source.shape.as_list(), source.dtype)
                if result is None
                else result
                for result, source in zip(results, flat_sources, strict=True)
            ]
        elif unconnected == RAISE:
            self._refuse_none([target], flat_sources, results)
        return nest.pack_sequence_as(sources, results)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
        *,
        check: bool = False,
    ) -> Any:
        """Differentiates each example of `target` with respect to the same example of `source`.

        Args:
            target: a tensor of shape `[batch, ...]`.
            source: a tensor of shape `[batch, ...]`; example i of the target depends on example i
                of the source only.
            unconnected_gradients: accepted for TensorFlow's sake: the result is zeros anyway.
            parallel_iterations: how many rows of each example to compute at a time, to save memory;
                by default all, or as many as a GiB holds.
            experimental_use_pfor: accepted for TensorFlow's sake; the results are the same.
            check: prove from what was recorded that example i of the target depends on example i of
                the source only, which TensorFlow takes for granted. It computes nothing.

        Returns:
            A tensor of shape `[batch, *target.shape[1:], *source.shape[1:]]`.

        Raises:
            ValueError: if the first dimensions differ, or there are less than two; with `check`
                if examples are mixed, as by batch normalization, or that cannot be excluded: it
                names the op and its line; and as `jacobian`.
            RuntimeError: if a tape that is not persistent has been used already, or
                `experimental_use_pfor` is False and the tape is not persistent.
            TypeError: if `parallel_iterations` is not positive, or no number.

        >>> x = tf.constant([[1.0], [2.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy()
        array([[[2.]],
        <BLANKLINE>
               [[4.]]], dtype=float32)
        """
        self._check_unused()
        left, right = target.shape, source.shape
        if left.rank == 0:
            raise IndexError("list index out of range: the target is a scalar, and has no batch")
        if left.with_rank_at_least(2)[0] != right.with_rank_at_least(2)[0]:
            raise ValueError(
                f"Need first dimension of target shape ({left}) and source shape ({right}) to "
                "match."
            )
        self._check_persistent(MESSAGE_PERSISTENT_BATCH, experimental_use_pfor)
        _, chunk = _options(
            "batch_jacobian", unconnected_gradients, parallel_iterations, experimental_use_pfor
        )
        if check:
            self._check_rows(target, *checked_sources([source]))
        kind = DerivativeKind(BATCH_JACOBIAN.name, chunk)
        (result,) = self._jacobian(kind, target, checked_sources([source]))
        if result is None:
            return zeros(left.as_list() + right.as_list()[1:], target.dtype)
        return result

    def _check_rows(self, target: Any, source: Any) -> None:
        """Proves that examples are not mixed."""
        end, window = self._seen()
        assert self._trace is not None
        assert self._data is not None
        target = differentiated(target)
        end = extended(end, self._trace, self._data, [target])
        slot = self._slots(target)[-1:]
        check_rows(end, window, slot[0] if slot else None, self._slots(source), source.shape[0])

    def _check_persistent(self, message: str, vectorized: bool) -> None:
        if not vectorized and not self._persistent:
            raise RuntimeError(message)

    def _jacobian(self, kind: DerivativeKind, target: Any, sources: list[Any]) -> list[Any]:
        if self._recording and not self._persistent:
            self._pop()
        results = [None] * len(sources)
        if isinstance(target, Tensor | Variable):
            results = self._derive(kind, [target], sources, [None])
        if isinstance(target, Variable):
            results = [
                _identity(target) if result is None and source is target else result
                for source, result in zip(sources, results, strict=True)
            ]
        if not self._persistent:
            self._release()
        return results

    def _derive(
        self,
        kind: DerivativeKind,
        targets: Sequence[Any],
        sources: Sequence[Any],
        upstream: Sequence[Any],
    ) -> list[Any]:
        """Records the derivative; returns a tensor or None for each source."""
        trace, data = self._trace, self._data
        assert trace is not None
        assert data is not None
        outside(trace)
        if self._recording:
            end, intervals = trace.at, (*self._intervals, (self._start, trace.at.end))
        else:
            end, intervals = extended(self._end, trace, data, targets), tuple(self._intervals)
        window = Window(intervals, tuple(self._watched.items()), self._rematerialize)
        variables = self._variables
        groups: list[tuple[int, ...]] = []
        for source in sources:
            if isinstance(source, EagerTensor):
                slot = source._slot if source._recording is trace else data.slots.get(id(source))
                groups.append(() if slot is None else (slot,))
            else:
                known = variables.get(id(source)) or variables.get(id(source._root))
                groups.append(known[1] if known else ())
        if upstream is _ONES and targets[0]._recording is trace and targets[0]._type.inexact:
            key = (kind, (targets[0]._slot,), tuple(groups), _GIVEN, True, window)
            replayed = backward_pass.replay(trace, data, end, key)
            if replayed is not None:
                return replayed if len(sources) == 1 else same_for_same(replayed, sources)
        scope = TapeScope(trace, data, end, window)
        slots = [
            target._slot
            if type(target) is EagerTensor and target._recording is trace and target._type.inexact
            else self._target_slot(scope, target)
            for target in targets
        ]
        results = backward_pass.derive(scope, kind, slots, groups, upstream)
        if kind == GRADIENT and (None in slots or not all(t._type.inexact for t in targets)):
            results = with_itself(results, targets, slots, sources, upstream)
        return results if len(sources) == 1 else same_for_same(results, sources)

    def _target_slot(self, scope: TapeScope, target: Any) -> int | None:
        """Returns the slot of a target: for a variable that of its last read."""
        if isinstance(target, Variable):
            known = self._variables.get(id(target._root))
            return known[1][-1] if known else None
        return scope.slot_of(target)

    def _check_unused(self) -> None:
        if self._trace is None:  # never entered, or used
            raise hinted(
                RuntimeError(MESSAGE_USED),
                "Write tf.GradientTape(persistent=True) to ask for more.",
            )

    def _release(self) -> None:
        release(self._serial, self._clear)  # what was watched can still be asked for

    # What it has recorded.

    def program(self, full: bool = False) -> ProgramListing:
        """Returns what the tape has recorded, which shows itself as a table of your lines.

        TensorFlow has nothing like it. It computes nothing, and does not use up the tape.

        Args:
            full: show every op and value, where a line stands for all its ops, and what repeats
                for its repetitions.

        Returns:
            A `ProgramListing`, whose `parts` are the lines with their ops, floating-point
            operations and bytes of results, and whose `rows` are texts for every op.

        Raises:
            RuntimeError: if the block has not been entered, or a tape that is not persistent has
                been used already.

        >>> x = tf.Variable([1.0, 2.0, 3.0], name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = tf.sinh(x)
        >>> tape.program()
        Recorded program: 1 op, 1 value from outside; 3 FLOP, results of 12 B
          from outside: float32[3] x (watched)
          ops  FLOP  bytes  line                 what
          1    3     12 B   ...y = tf.sinh(x)    tf.math.sinh
        >>> tape.program(full=True)
        Recorded program: 1 op, 1 value from outside
          value  op            of  type                    line
          %0                       float32[3] x (watched)
          %1     tf.math.sinh  %0  float32[3]              ...y = tf.sinh(x)
        """
        end, window = self._seen()
        assert self._data is not None
        names = {slot: repr(value) for slot, value in self._data.scalars.items()}
        names.update((slot, "watched") for slot, _ in window.watched)
        for variable, slots in self._variables.values():
            names.update((slot, f"{variable.name.removesuffix(':0')} (watched)") for slot in slots)
        return program_of(list(nodes_within(end, window.intervals))[::-1], names, full)

    def _repr_html_(self) -> str | None:
        if self._trace is None:
            return None
        return f"{self.drawing()._repr_html_()}{self.program()._repr_html_()}"

    def __repr__(self) -> str:
        """Says what was recorded and from which line on, as TensorFlow does not."""
        trace, end = self._trace, self._end
        if trace is None and self._past is not None:
            end = self._past[2]
        elif self._recording and trace is not None:
            end = trace.at
        if end is None:
            return f"<tf.{type(self).__name__}: its block has not been entered>"
        last = [(self._start, end.end)] if self._recording else []
        nodes = list(nodes_within(end, [*self._intervals, *last]))
        state = "recording" if self._recording else "used" if trace is None else "ready"
        count = f"{len(nodes):,} op{'s' * (len(nodes) != 1)}"
        place = f", the first at {in_sentence(nodes[-1].line)}" if nodes else ""
        return f"<tf.{type(self).__name__}: {count}{place}; {state}>"

    def explain(self, target: Any, sources: Any) -> Explanation:
        """Tells why the gradient of `target` is None for some of `sources`, or why it is not.

        TensorFlow has nothing like it. It computes nothing, and does not use up the tape; a tape
        that has been used answers as well. Gradient functions of `tf.custom_gradient` on the way
        are asked what they return.

        Args:
            target: a tensor or variable, or a nest of these.
            sources: a tensor or variable, or a nest of these.

        Returns:
            An `Explanation`, which shows itself as text; its `findings` hold for each source
            whether it is `connected`, the `reason`, the `places` and what to do.

        Raises:
            RuntimeError: if the block has not been entered.
            TypeError: if `target` or a source is no tensor or variable.

        >>> x = tf.Variable([1.0, 2.0], name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = tf.cast(tf.cast(x, tf.int32), tf.float32)
        >>> tape.explain(y, x)
        x: None, because the gradient stops on its way from it to the target:
            ...: tf.cast gives int32[2]
          Keep the values floating: cast nothing on the way to an integer dtype.

        See https://www.tensorflow.org/guide/autodiff#getting_a_gradient_of_none.
        """
        asked = self._asked_for(target, sources)
        return self._content().explanation(*asked)

    def _content(self) -> TapeContent:
        """Returns what is recorded and watched so far; of a used tape what was."""
        if self._trace is None and self._past is not None:
            _, _, past_end, watched = self._past
            assert past_end is not None
            end, window = past_end, Window(tuple(self._intervals), tuple(watched.items()))
        else:
            end, window = self._seen()
        data = self._data
        return TapeContent(
            end, window, self._variables, self._slots, self._watch_accessed_variables,
            None if self._recording else self._last_serial,
            self._refused if data is None else data.refused,
            self._origins if data is None else origins_of(data.leaves),
        )  # fmt: skip

    def _asked_for(
        self, target: Any, sources: Any
    ) -> tuple[list[Any], list[Any], list[str | None]]:
        """Returns targets, sources and their names, and asks gradient functions on the way."""
        content = self._content()
        targets = checked_sources([differentiated(item) for item in nest.flatten(target)])
        flat = checked_sources([differentiated(item) for item in nest.flatten(sources)])
        # A variable of Keras is known by the one that it holds, and called by its path.
        given = [differentiated(item) for item in nest.flatten(sources)]
        names = [getattr(item, "path", None) for item in given]
        flat = [item._root if isinstance(item, Variable) else item for item in flat]
        for one in targets if self._data is not None else ():
            if content.instructions(one).asks_python():
                self._ask_python(one, flat)
        return targets, flat, names

    def drawing(self, target: Any = None, sources: Any = None) -> TapeDrawing:
        """Draws what the tape has recorded, for a notebook, with the path of a gradient.

        TensorFlow has nothing like it. A box is a line of yours with its ops, or a value from
        outside; what the tape watches is blue, the path of the gradient green, and where it stops
        red, with the reason. It computes nothing, and does not use up the tape; a tape that has
        been used is drawn as well.

        Args:
            target: a tensor or variable, or a nest of these; without it the path is all that
                depends on what is watched.
            sources: a tensor or variable, or a nest of these; by default the watched variables.

        Returns:
            A `TapeDrawing`: it shows itself in notebooks, and `save(path)` writes a page of HTML.

        Raises:
            RuntimeError: if the block has not been entered.
            TypeError: if `target` or a source is no tensor or variable.

        >>> x = tf.Variable([1.0, 2.0], name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = tf.cast(x, tf.int32)
        ...     y = tf.cast(y, tf.float32)
        >>> tape.drawing(y, x)
        <TapeDrawing of 2 lines; the gradient stops at ...y = tf.cast(x, tf.int32)>
        """
        asked: Any = (), (), ()
        self._content()  # raises if there is nothing
        if target is not None:
            sources = list(self.watched_variables()) if sources is None else sources
            asked = self._asked_for(target, sources)
        content = self._content()
        way = content.way(*asked)
        names = self._names() if self._data is not None else self._variable_names()
        nodes = list(nodes_within(content.end, content.window.intervals))[::-1]
        watched = [slot for slot, _ in content.window.watched]
        reads = [slots for _, slots in self._variables.values()]
        return TapeDrawing(program_of(nodes, names), names, reads, watched, way)

    def _ask_python(self, target: Any, sources: Sequence[Any]) -> None:
        """Asks the gradient functions on the way whether they return None; computes nothing."""
        pausing = self.stop_recording() if self._recording else contextlib.nullcontext()
        with pausing, contextlib.suppress(Exception):
            self._derive(GRADIENT, [target], sources, [None])

    def find_nan(self, target: Any = None, sources: Any = None) -> NonFinite | None:
        """Finds the first number that is not finite, forward or backward, and the line it is from.

        TensorFlow has nothing like it. What was recorded is computed once more, op by op, with a
        look at each result: none of your Python runs again but gradient functions of
        `tf.custom_gradient`. It does not use up the tape.

        Args:
            target: the tensor or variable whose computation is looked at, or a nest of these; by
                default all that was recorded, without a backward pass.
            sources: what to differentiate it by; by default all that the tape watches.

        Returns:
            A `NonFinite`, which shows itself as text: the op, its line, its operands, for
            `tf.where` that it does not take the element, and the usual cure. None if all numbers
            are finite. Where an op merely passes on what is not finite, it is not named.

        Raises:
            RuntimeError: if the block has not been entered, or a tape that is not persistent has
                been used already.
            TypeError: if `target` or a source is no tensor or variable.
            LookupError: if an op without a registered gradient lies between sources and target.

        >>> x = tf.Variable([0.0, 4.0], name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(tf.sqrt(x))
        >>> tape.find_nan(y, x)
        +Inf in the gradient of tf.math.sqrt for operand 0, at ...y = tf.reduce_sum(tf.sqrt(x))
            gradient: float32[2], all 0.25, 1 +Inf, the first at [0]
            operand 0: float32[2], from 0 to 4; 0 at [0]
            upstream gradient 0: float32[2], all 1; 1 at [0]
          Its derivative is infinite at 0: write `tf.sqrt(x + 1e-12)`, or ...
        """
        if self._recording:
            with self.stop_recording():
                return self.find_nan(target, sources)
        scope, slots, flat = self._replayable("tape.find_nan looks at values", target, sources)
        if target is not None and not slots:
            return None
        if sources is None:
            groups = list(dict.fromkeys((slot,) for slot, _ in scope.window.watched))
            with contextlib.suppress(LookupError):  # nobody has asked for that gradient
                return first_non_finite(scope, slots, groups, self._names())
            groups = []
        else:
            groups = [self._slots(item) for item in flat]
        return first_non_finite(scope, slots, groups, self._names())

    def gradient_sizes(self, target: Any, sources: Any = None) -> GradientSizes:
        """Tells how large the gradient is at each op on its way, and why it is zero where it is.

        TensorFlow has nothing like it. What was recorded is computed once more, op by op; it does
        not use up the tape.

        Args:
            target: a tensor or variable, or a nest of these.
            sources: a tensor or variable, or a nest of these; by default the watched variables.

        Returns:
            A `GradientSizes`, which shows itself as a table from the target to the sources: the
            norms of the gradients that arrive at an op and leave it, the share of zeros, the line,
            and where they become zero the reason (a dead `relu`, a saturated clip, a mask).

        Raises:
            RuntimeError: if the block has not been entered, or a tape that is not persistent has
                been used already.
            TypeError: if `target` or a source is no tensor or variable.
            LookupError: if an op without a registered gradient lies between sources and target.

        >>> w = tf.Variable([-1.0, -2.0], name="w")
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(tf.nn.relu(w) * 3.0)
        >>> tape.gradient_sizes(y, w)
        Norms of the gradients: w 0
          op                      arrives  leaves  factor  zeros  line
          tf.math.reduce_sum [0]  1        1.41    1.41    0%     ...
          tf.math.multiply [0]    1.41     4.24    3       0%     ...
          tf.nn.relu [0]          4.24     0       0       100%   ...(dead: its operand goes from -2 to -1, never above 0)
        """  # noqa: E501
        if sources is None:
            sources = list(self.watched_variables())
        if self._recording:
            with self.stop_recording():
                return self.gradient_sizes(target, sources)
        scope, slots, flat = self._replayable("tape.gradient_sizes computes", target, sources)
        given = [differentiated(item) for item in nest.flatten(sources)]
        names = source_names(flat, [getattr(item, "path", None) for item in given])
        return gradient_sizes(scope, slots, [self._slots(item) for item in flat], names)

    def memory(self, target: Any = None, sources: Any = None) -> TapeMemory:
        """Tells what the gradient will keep of the forward computation, by lines, before it runs.

        TensorFlow has nothing like it. It computes nothing, and does not use up the tape.

        Args:
            target: a tensor or variable, or a nest of these; by default all that was recorded.
            sources: a tensor or variable, or a nest of these; by default all that is watched.

        Returns:
            A `TapeMemory`, which shows itself as a table: for each line the bytes of what it makes
            that is kept until the gradient is computed, and what `rematerialize=True` makes of it.
            XLA fuses ops and may keep less.

        Raises:
            RuntimeError: if the block has not been entered, or a tape that is not persistent has
                been used already.
            TypeError: if `target` or a source is no tensor or variable.
            LookupError: if an op without a registered gradient lies between sources and target.

        >>> w = tf.Variable(tf.ones([256, 256]), name="w")
        >>> with tf.GradientTape() as tape:
        ...     y = tf.ones([512, 256])
        ...     for _ in range(16):
        ...         y = tf.tanh(y @ w)
        >>> tape.memory(y, w)
        Kept for gradients: ... MiB, and ... of variables and data, which are there anyway
          bytes   line                        what is kept of
          ... MiB  ...y = tf.tanh(y @ w)  16 x tf.math.tanh...
        With rematerialize=True: ...
        """
        end, window = self._seen()
        trace, data = self._trace, self._data
        assert trace is not None
        assert data is not None
        window = window._replace(rematerialize=self._rematerialize)
        targets = [] if target is None else [differentiated(t) for t in nest.flatten(target)]
        scope = TapeScope(trace, data, extended(end, trace, data, targets), window)
        slots = [slot for item in checked_sources(targets) for slot in self._slots(item)[-1:]]
        if sources is None:
            variables = {slots for _, slots in self._variables.values()}
            known = {slot for group in variables for slot in group}
            groups = [*variables, *((slot,) for slot, _ in window.watched if slot not in known)]
        else:
            flat = checked_sources([differentiated(item) for item in nest.flatten(sources)])
            groups = [self._slots(getattr(item, "_root", item)) for item in flat]
        return memory_of(scope, slots, groups)

    def _replayable(
        self, why: str, target: Any, sources: Any
    ) -> tuple[TapeScope, list[int], list[Any]]:
        """Returns what is computed once more: what was recorded, target slots and sources."""
        self._seen()  # raises if there is nothing
        trace, data = self._trace, self._data
        assert trace is not None
        assert data is not None
        if THREAD.recording is trace or THREAD.recording.is_within(trace):
            THREAD.recording.observe(why)
        end, window = self._seen()
        targets = [] if target is None else [differentiated(t) for t in nest.flatten(target)]
        slots = [slot for item in checked_sources(targets) for slot in self._slots(item)[-1:]]
        flat = [] if sources is None else nest.flatten(sources)
        flat = [
            getattr(item, "_root", item)
            for item in checked_sources([differentiated(item) for item in flat])
        ]
        return TapeScope(trace, data, extended(end, trace, data, targets), window), slots, flat

    def _names(self) -> dict[int, str]:
        """Returns what variables and numbers are called, by their slots."""
        assert self._data is not None
        names = {slot: repr(value) for slot, value in self._data.scalars.items()}
        return names | self._variable_names()

    def _variable_names(self) -> dict[int, str]:
        """Returns what variables are called, by the slots of their reads."""
        return {
            slot: variable.name.removesuffix(":0")
            for variable, slots in self._variables.values()
            for slot in slots
        }

    def _seen(self) -> tuple[Node, Window]:
        """Returns where the tape's window ends for now, and what was recorded and watched."""
        if self._trace is None:
            self._check_unused()
        assert self._trace is not None
        intervals, end = tuple(self._intervals), self._end
        if self._recording:
            end = self._trace.at
            intervals += ((self._start, end.end),)
        assert end is not None
        return end, Window(intervals, tuple(self._watched.items()))

    def _slots(self, source: Any) -> tuple[int, ...]:
        """Returns the slots of a tensor, or of the reads of a variable."""
        if isinstance(source, Variable):
            known = self._variables.get(id(source._root))
            return known[1] if known else ()
        if self._data is not None:
            trace, slots = self._trace, self._data.slots
        else:
            assert self._past is not None
            trace, slots = self._past[:2]
        slot = source._slot if source._recording is trace else slots.get(id(source))
        return () if slot is None else (slot,)


def _all_none(results: Sequence[Any]) -> bool:
    return all(result is None for result in results)


_ONES = (None,)  # the upstream gradient of one target that was given none
_GIVEN = (False,)
