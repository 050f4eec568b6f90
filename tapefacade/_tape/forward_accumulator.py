"""ForwardAccumulator: a window on the recording, and the tangents asked for in it."""

from types import TracebackType
from typing import Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.errors import InvalidArgumentError
from tapefacade._core.logging import warn
from tapefacade._core.tensor import EagerTensor, Tensor, hinted
from tapefacade._definition.op import function
from tapefacade._ops.array.copying import zeros_like
from tapefacade._ops.array.shaping import broadcast_to
from tapefacade._state.variable import READ_VALUE, Variable
from tapefacade._tape.forward_instructions import extended, latest, mark_elsewhere
from tapefacade._tape.forward_pass import Tangents, tangents_of
from tapefacade._tape.gradient_arguments import no_tensor, value_of
from tapefacade._tape.gradient_paths import Window
from tapefacade._tape.tape import GradientTape
from tapefacade._tape.tape_window import TapeScope
from tapefacade._tape.unconnected_gradients import UnconnectedGradients

MESSAGE_TWICE = (
    "Tensor {} was specified as a primal multiple times. This may indicate an error. If it was "
    "intended, please sum the corresponding tangents."
)
MESSAGE_DTYPE = "The dtype of the watched primal must be floating (e.g. tf.float32), got %r"


@function("autodiff.ForwardAccumulator")
class ForwardAccumulator:
    """Computes derivatives in a direction, in forward mode: Jacobian times vector.

    Args:
        primals: a tensor or variable, or a nest of these.
        tangents: the direction, a nest like `primals` of values in their shapes and dtypes.

    Raises:
        ValueError: if a tensor is given twice, or the nests or shapes do not match.

    The cost of all `jvp` together is two or three times that of the block, whatever the size of
    `primals`; a `GradientTape` costs as much for every element of a target. Accumulators and tapes
    may be nested in any order: around a tape's gradient it gives a Hessian times a vector.

    Unlike TensorFlow, `jvp` records the computation when it is asked for: what nobody asks for
    costs nothing, and an op without a gradient is an error of `jvp`. It still belongs to the tapes
    and accumulators whose blocks were open around it when its target was computed, unless their
    blocks have ended and a value has been looked at since, which is an error. A tangent whose shape
    is not that of its primal is broadcast, or an error. What `tf.convert_to_tensor` makes of a
    `tf.IndexedSlices` has a dense tangent.

    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
    ...     y = x * x
    >>> accumulator.jvp(y).numpy()
    array([2., 0.], dtype=float32)

    A Hessian times a vector:

    >>> x = tf.Variable([1.0, 2.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
    ...     with tf.GradientTape() as tape:
    ...         loss = tf.reduce_prod(x) ** 2
    ...     gradient = tape.gradient(loss, x)
    >>> accumulator.jvp(gradient).numpy()
    array([8., 8.], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/autodiff/ForwardAccumulator.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        flat = nest.flatten(primals)
        if len({id(primal) for primal in flat}) < len(flat):
            raise ValueError(MESSAGE_TWICE)
        self._recording = False
        self._window = GradientTape(persistent=True)
        self._window._is_forward = True
        self._pairs: list[tuple[Any, EagerTensor]] = []
        self._tangents: dict[int, EagerTensor] = {}  # of the primals, by id
        self._own: dict[int, int] = {}  # a primal's place -> the slot of its tangent
        self._known = Tangents()
        nest.map_structure(self._watch, primals, tangents)

    def _watch(self, primal: Any, tangent: Any) -> None:
        if not primal.dtype.is_floating:
            warn(MESSAGE_DTYPE, primal.dtype)
        if isinstance(primal, CompositeTensor):
            raise ValueError(
                f"A {type(primal).__name__} cannot be a primal. Watch the dense tensors it is made "
                "of."
            )
        tangent = convert(tangent, primal.dtype)
        if tangent.shape != primal.shape:
            try:
                tangent = broadcast_to(tangent, primal.shape)
            except (InvalidArgumentError, ValueError):
                raise ValueError(
                    f"The tangent has shape {tangent.shape}, its primal has shape {primal.shape}."
                ) from None
        root = primal._root if isinstance(primal, Variable) else primal
        self._pairs.append((root, tangent))
        self._tangents[id(root)] = tangent

    # The block.

    def __enter__(self) -> "ForwardAccumulator":
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._window.__enter__()
        try:
            self._enter_primals()
            self._recording = True
        except BaseException:  # also Ctrl-C: no block stays open
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._note_reads()
        self._recording = False
        self._window.__exit__(kind, value, traceback)

    def _enter_primals(self) -> None:
        """Gives primals and tangents their slots."""
        window = self._window
        trace = window._trace
        assert trace is not None
        anchor = None
        for place, (primal, tangent) in enumerate(self._pairs):
            if not primal._type.inexact:
                continue
            slot = trace.slot_of(tangent)
            slot = trace.leaf(tangent) if slot is None else slot
            (own,) = trace.apply(READ_VALUE, (), (slot,), [tangent._type])
            anchor = own._slot
            self._own.setdefault(place, own._slot)
            if isinstance(primal, Variable):
                window._read(primal, primal._slot_in(trace))
            else:
                slot = trace.slot_of(primal)
                slot = trace.leaf(primal) if slot is None else slot
                self._known.of_slots[slot] = self._own[place]
        if anchor is not None:
            self._known.anchors.append(anchor)
        window._start = trace.at.end

    def _note_reads(self) -> None:
        """Gives what has been read of the variables its tangent."""
        window = self._window
        trace = window._trace
        for place, (primal, _) in enumerate(self._pairs):
            if isinstance(primal, Variable) and place in self._own:
                read = primal._read_at
                if window._recording and read is not None and read[0] is trace:
                    window._read(primal, read[3])  # tapes are not told of untrainable ones
                for slot in window._variables[id(primal)][1]:
                    self._known.of_slots[slot] = self._own[place]

    # Derivatives.

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """Returns the derivatives of what has been computed in the block, in the given direction.

        Args:
            primals: a tensor or variable, or a nest of these.
            unconnected_gradients: an `UnconnectedGradients`, or its value.

        Returns:
            A nest like `primals` of tensors in their shapes and dtypes. None (or zeros) for what
            was not computed in the block, or does not depend on what the accumulator watches.

        Raises:
            ValueError: if `unconnected_gradients` is unknown.
            AttributeError: if something is neither a tensor nor a variable.
            LookupError: if an op without a registered gradient lies on the way.

        >>> x = tf.constant(3.0)
        >>> with tf.autodiff.ForwardAccumulator(x, 1.0) as accumulator:
        ...     y = x * x
        >>> accumulator.jvp([y, tf.constant(1.0)])
        [<tf.Tensor: shape=(), dtype=float32, numpy=6.0>, None]
        """
        unconnected = UnconnectedGradients(unconnected_gradients)
        targets = nest.flatten(primals)
        for target in targets:
            if not isinstance(target, Tensor | Variable):
                raise hinted(
                    AttributeError(no_tensor(target)),
                    "Give `jvp` a tf.Tensor or tf.Variable.",
                )
        found = self._found(targets)
        results = []
        for target in targets:
            root = target._root if isinstance(target, Variable) else target
            result = self._tangents.get(id(root))
            result = found.get(id(root)) if result is None else result
            if result is None and unconnected is UnconnectedGradients.ZERO:
                result = zeros_like(value_of(target))
            results.append(result)
        return nest.pack_sequence_as(primals, results)

    def _found(self, targets: list[Any]) -> dict[int, EagerTensor]:
        """Records the tangents of what is not watched; returns them by the targets' ids."""
        window = self._window
        trace, data = window._trace, window._data
        if trace is None or data is None:
            return {}  # never entered
        self._note_reads()
        wanted = [
            target
            for target in targets
            if type(target) is EagerTensor
            and id(target) not in self._tangents
            and target._type.inexact
        ]
        intervals = tuple(window._intervals)
        if window._recording:
            end, intervals = trace.at, (*intervals, (window._start, trace.at.end))
        else:
            end = latest(extended(window._end, trace, data, wanted), trace, data)
        scope = TapeScope(trace, data, end, Window(intervals, ()))
        slots = {id(t): slot for t in wanted if (slot := scope.slot_of(t)) is not None}
        if not slots:
            return {}
        found = tangents_of(scope, self._known, list(dict.fromkeys(slots.values())))
        if not scope.is_open:
            for tensor in found.values():
                mark_elsewhere(data, tensor)
        return {key: found[slot] for key, slot in slots.items() if slot in found}
