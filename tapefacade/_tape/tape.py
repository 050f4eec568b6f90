"""GradientTape: a window on the recording, and the gradients asked for in it."""

import contextlib
import enum
import logging
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

from tapefacade._core import nest
from tapefacade._core.convert import convert
from tapefacade._core.logging import get_logger
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, Tensor, hinted, invalid_argument
from tapefacade._state.variable import Variable
from tapefacade._tape import backward
from tapefacade._tape.derivative import BATCH_JACOBIAN, GRADIENT, JACOBIAN
from tapefacade._tape.reach import Window
from tapefacade._trace.recording import THREAD, Data, Recording
from tapefacade._trace.tree import Node

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
MESSAGE_WATCHED_DTYPE = "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r"
MAX_WARNINGS = 5


class UnconnectedGradients(enum.Enum):
    """What `GradientTape.gradient` gives for a source that no target depends on.

    `NONE` gives None, `ZERO` gives a tensor of zeros in the shape of the source.

    >>> tf.UnconnectedGradients("zero")
    <UnconnectedGradients.ZERO: 'zero'>
    """

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records what is computed in its block, to differentiate it.

    Args:
        persistent: keep the recording after the first gradient, for more of them.
        watch_accessed_variables: watch every trainable variable that is read in the block.

    Trainable variables are watched by themselves, tensors after `watch`. The gradient of what does
    not depend on a source is None. Tapes may be nested: a gradient is computed by ops, which an
    outer tape records.

    Unlike TensorFlow, a tape keeps the inputs of the recorded computation, not its intermediate
    results, and recording costs nothing: the ops are the same with and without a tape.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>

    See https://www.tensorflow.org/api_docs/python/tf/GradientTape.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._last_watched: tuple[Variable, ...] = ()
        self._clear()

    def _clear(self) -> None:
        self._trace: Recording | None = None
        self._data: Data | None = None
        self._end: Node | None = None
        self._intervals: list[tuple[int, int]] = []
        self._start = 0
        self._watched: dict[int, int] = {}  # slot -> the position from which on it is watched
        self._variables: dict[int, tuple[Variable, list[int]]] = {}  # its reads

    # The block.

    def __enter__(self) -> "GradientTape":
        self._push()
        assert self._trace is not None
        self._trace.held += 1
        self._block = self._trace
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._block.held -= 1
        if self._recording:
            self._pop()

    def _push(self) -> None:
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape."
            )
        trace = THREAD.recording
        if not trace.is_held and trace is not self._trace:
            trace.flush()  # a step begins
            trace = THREAD.recording
        if self._trace is None:
            self._trace, self._data = trace, trace.data
        elif self._data is not trace.data:
            raise RuntimeError(
                "The block of this tape cannot be entered again: values have been looked at since, "
                "which ended its step. Use one block, or another tape."
            )
        self._start = trace.at.end
        self._recording = True
        trace.tapes.append(self)
        trace.epoch += 1

    def _pop(self) -> None:
        trace = self._trace
        assert trace is not None
        self._recording = False
        trace.epoch += 1
        if self in trace.tapes:
            trace.tapes.remove(self)
        self._end = trace.at
        self._intervals.append((self._start, self._end.end))

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
        for item in nest.flatten(tensor, expand_composites=True):
            if not isinstance(item, Tensor | Variable):
                raise ValueError(
                    f"Passed in object {item} of type {type(item).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            if not (item.dtype.is_floating or item.dtype.is_complex):
                _warn(MESSAGE_WATCHED_DTYPE, item.dtype)
            if self._trace is None or self._data is None:
                raise hinted(
                    AttributeError("'NoneType' object has no attribute '_tape'"),
                    "Watch within the tape's block: `with tf.GradientTape() as tape: tape.watch(x)`",
                )
            if not THREAD.recording.tapes or THREAD.recording is not self._trace:
                continue  # nothing is being recorded: TensorFlow takes no note either
            if isinstance(item, Variable):
                self._read(item, item._slot_in(self._trace))
            else:
                trace = self._trace
                self._watched.setdefault(
                    trace.leaf(item) if trace.slot_of(item) is None else trace.slot_of(item),
                    trace.at.end,
                )

    def _read(self, variable: Variable, slot: int) -> None:
        """Takes note that a variable's value is in `slot`."""
        assert self._trace is not None
        self._watched.setdefault(slot, self._trace.at.end)
        known = self._variables.get(id(variable))
        if known is None:
            self._variables[id(variable)] = (variable, [slot])
        elif slot not in known[1]:
            known[1].append(slot)

    def watched_variables(self) -> tuple[Variable, ...]:
        """Returns the variables that the tape watches, in the order of their creation.

        >>> x = tf.Variable(2.0, name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> [v.name for v in tape.watched_variables()]
        ['x:0']
        """
        if self._trace is None:
            return self._last_watched
        variables = [variable for variable, _ in self._variables.values()]
        return tuple(sorted(variables, key=lambda variable: variable._serial))

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
        self._check_unused()
        if self._recording:
            if self._persistent:
                _warn(MESSAGE_PERSISTENT_INSIDE)
            else:
                self._pop()
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        flat_targets = nest.flatten(target)
        flat_sources = _checked_sources(nest.flatten(sources))
        upstream = _upstream(flat_targets, output_gradients)
        try:
            unconnected = UnconnectedGradients(unconnected_gradients)
        except ValueError:
            raise ValueError(
                f"Unknown value for unconnected_gradients: {unconnected_gradients!r}"
            ) from None
        results = self._derive(GRADIENT, flat_targets, flat_sources, upstream)
        if unconnected is UnconnectedGradients.ZERO:
            results = [
                FUNCTIONS["zeros_like"](_value(source)) if result is None else result
                for result, source in zip(results, flat_sources, strict=True)
            ]
        if not self._persistent:
            self._release()
        return nest.pack_sequence_as(sources, results)

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
            target: a tensor of any shape.
            sources: a tensor or variable, or a nest of these.
            unconnected_gradients: an `UnconnectedGradients`, or its value.
            parallel_iterations: accepted for TensorFlow's sake.
            experimental_use_pfor: accepted for TensorFlow's sake; all rows are computed at once.

        Returns:
            A nest like `sources` of tensors of shape `target.shape + source.shape`. None (or
            zeros) where the target does not depend on the source.

        Raises:
            RuntimeError: if a tape that is not persistent has been used already, or
                `experimental_use_pfor` is False and the tape is not persistent.

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
        if not experimental_use_pfor and not self._persistent:
            raise RuntimeError(
                "GradientTape must be created with persistent=True to compute the jacobian with "
                "eager execution enabled and with  experimental_use_pfor set to False."
            )
        try:
            unconnected = UnconnectedGradients(unconnected_gradients)
        except ValueError as error:
            raise ValueError(
                "Encountered an exception while vectorizing the jacobian computation. "
                "Vectorization can be disabled by setting experimental_use_pfor to False."
            ) from error
        results = self._rows(JACOBIAN, target, _checked_sources(flat_sources))
        if unconnected is UnconnectedGradients.ZERO:
            results = [
                FUNCTIONS["zeros"](shape.as_list() + source.shape.as_list(), source.dtype)
                if result is None
                else result
                for result, source in zip(results, flat_sources, strict=True)
            ]
        return nest.pack_sequence_as(sources, results)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Differentiates each example of `target` with respect to the same example of `source`.

        Args:
            target: a tensor of shape `[batch, ...]`.
            source: a tensor of shape `[batch, ...]`; example i of the target depends on example i
                of the source only.
            unconnected_gradients: accepted for TensorFlow's sake: the result is zeros anyway.
            parallel_iterations: accepted for TensorFlow's sake.
            experimental_use_pfor: accepted for TensorFlow's sake.

        Returns:
            A tensor of shape `[batch, *target.shape[1:], *source.shape[1:]]`.

        Raises:
            ValueError: if the first dimensions differ, or there are less than two.
            RuntimeError: if a tape that is not persistent has been used already, or
                `experimental_use_pfor` is False and the tape is not persistent.

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
            raise IndexError("list index out of range")
        if left.with_rank_at_least(2)[0] != right.with_rank_at_least(2)[0]:
            raise ValueError(
                f"Need first dimension of target shape ({left}) and source shape ({right}) to "
                "match."
            )
        if not experimental_use_pfor and not self._persistent:
            raise RuntimeError(
                "GradientTape must be created with persistent=True to compute the batch_jacobian "
                "with eager execution enabled and  with experimental_use_pfor set to False."
            )
        (result,) = self._rows(BATCH_JACOBIAN, target, _checked_sources([source]))
        if result is None:
            return FUNCTIONS["zeros"](left.as_list() + right.as_list()[1:], target.dtype)
        return result

    def _rows(self, kind: str, target: Any, sources: list[Any]) -> list[Any]:
        if self._recording and not self._persistent:
            self._pop()
        results = self._derive(kind, [_value(target)], sources, [None])
        if not self._persistent:
            self._release()
        return results

    def _derive(
        self, kind: str, targets: list[Any], sources: list[Any], upstream: Sequence[Any]
    ) -> list[Any]:
        """Records the derivative; returns a tensor or None for each source."""
        trace, data = self._trace, self._data
        assert trace is not None
        assert data is not None
        if self._recording:
            end, intervals = trace.at, (*self._intervals, (self._start, trace.at.end))
        else:
            assert self._end is not None
            end, intervals = self._end, tuple(self._intervals)
        scope = backward.Scope(trace, data, end, Window(intervals, tuple(self._watched.items())))
        groups = [self._slots(scope, source) for source in sources]
        slots = [self._target_slot(scope, target, groups, sources) for target in targets]
        return backward.derive(scope, kind, slots, groups, upstream)

    def _slots(self, scope: backward.Scope, source: Any) -> tuple[int, ...]:
        if isinstance(source, Variable):
            known = self._variables.get(id(source._root))
            return tuple(known[1]) if known else ()
        slot = scope.slot_of(source)
        return () if slot is None else (slot,)

    def _target_slot(
        self, scope: backward.Scope, target: Any, groups: list[Any], sources: list[Any]
    ) -> int | None:
        """Returns the slot of a target: for a variable its last read, recorded if need be."""
        if not isinstance(target, Variable):
            if not target.dtype.is_floating and not target.dtype.is_complex:
                return None
            slot = scope.slot_of(target)
        elif known := self._variables.get(id(target._root)):
            slot = known[1][-1]
        else:
            slot = None
        for place, source in enumerate(sources):  # d x / d x is 1, watched or not
            if slot is None and source is target and not groups[place]:
                slot = scope.enter(_value(target))
                groups[place] = (slot,)
        return slot

    def _check_unused(self) -> None:
        if self._trace is None:  # never entered, or used
            raise hinted(
                RuntimeError(MESSAGE_USED),
                "Write tf.GradientTape(persistent=True) to ask for more.",
            )

    def _release(self) -> None:
        self._last_watched = self.watched_variables()
        self._clear()


def _checked_sources(sources: list[Any]) -> list[Any]:
    for source in sources:
        if source is None or isinstance(source, str):
            raise hinted(
                TypeError(
                    f"Cannot convert the argument `type_value`: {source!r} to a TensorFlow DType."
                ),
                "A source of a gradient must be a tf.Tensor or tf.Variable.",
            )
        if not isinstance(source, Tensor | Variable):
            raise hinted(
                AttributeError(f"{_class_name(source)!r} object has no attribute '_id'"),
                "A source of a gradient must be a tf.Tensor or tf.Variable.",
            )
    return sources


def _class_name(value: Any) -> str:
    """Returns the name of a class as Python's messages give it."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _upstream(targets: list[Any], output_gradients: Any) -> list[Any]:
    """Returns the upstream gradient of each target, or None for ones."""
    for target in targets:
        if target is None:
            raise TypeError("Cannot convert the argument `type_value`: None to a TensorFlow DType.")
        if not isinstance(target, Tensor | Variable):
            missing = "_id" if hasattr(target, "dtype") else "dtype"
            raise hinted(
                AttributeError(f"{_class_name(target)!r} object has no attribute {missing!r}"),
                "A target of a gradient must be a tf.Tensor or tf.Variable.",
            )
    if output_gradients is None:
        return [None] * len(targets)
    given = nest.flatten(output_gradients)
    results = []
    for target, gradient in zip(targets, given, strict=False):
        if isinstance(gradient, Tensor | Variable):
            gradient = convert(gradient)
        else:
            gradient = convert(gradient, target.dtype)
        if gradient.dtype is not target.dtype:
            raise invalid_argument(
                "cannot compute Mul as input #1(zero-based) was expected to be a "
                f"{gradient.dtype.kernel_name} tensor but is a {target.dtype.kernel_name} tensor "
                "[Op:Mul] name: "
            )
        if gradient.shape != target.shape:
            gradient = _in_shape(gradient, target)
        results.append(gradient)
    return results + [None] * (len(targets) - len(results))


def _in_shape(gradient: EagerTensor, target: Any) -> EagerTensor:
    """Gives an upstream gradient the shape of its target, as TensorFlow's gradients do."""
    wanted = target.shape.as_list()
    if gradient._type.size == target.shape.num_elements():
        return FUNCTIONS["reshape"](gradient, wanted)
    if gradient._type.size == 1:
        return FUNCTIONS["broadcast_to"](FUNCTIONS["reshape"](gradient, []), wanted)
    raise invalid_argument(
        f"Input to reshape is a tensor with {gradient._type.size} values, but the requested shape "
        f"has {target.shape.num_elements()} [Op:Reshape]"
    )


def _value(item: Any) -> EagerTensor:
    """Returns the tensor of a tensor or variable, without reading the variable."""
    return item._tensor if isinstance(item, Variable) else item


_WARNED: dict[str, int] = {}


def _warn(message: str, *arguments: Any) -> None:
    """Logs a warning; each text at most `MAX_WARNINGS` times, as TensorFlow does."""
    if _WARNED.setdefault(message, 0) < MAX_WARNINGS:
        _WARNED[message] += 1
        get_logger().log(logging.WARNING, message, *arguments)
