"""Jacobians of what a tape recorded."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import Tensor
from tapefacade._state.variable import Variable
from tapefacade._tape.arguments import checked_sources
from tapefacade._tape.derivative import BATCH_JACOBIAN, JACOBIAN, Kind
from tapefacade._tape.unconnected import UnconnectedGradients

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


class Jacobians:
    """The part of a tape that computes a derivative for every element of a target."""

    _persistent: bool
    _recording: bool

    @abstractmethod
    def _check_unused(self) -> None: ...

    @abstractmethod
    def _pop(self) -> None: ...

    @abstractmethod
    def _release(self) -> None: ...

    @abstractmethod
    def _derive(
        self, kind: Kind, targets: Sequence[Any], sources: Sequence[Any], upstream: Sequence[Any]
    ) -> list[Any]: ...

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
        results = self._rows(Kind(JACOBIAN.name, chunk), target, checked_sources(flat_sources))
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
            parallel_iterations: how many rows of each example to compute at a time, to save memory;
                by default all, or as many as a GiB holds.
            experimental_use_pfor: accepted for TensorFlow's sake; the results are the same.

        Returns:
            A tensor of shape `[batch, *target.shape[1:], *source.shape[1:]]`.

        Raises:
            ValueError: if the first dimensions differ, or there are less than two; and as
                `jacobian`.
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
            raise IndexError("list index out of range")
        if left.with_rank_at_least(2)[0] != right.with_rank_at_least(2)[0]:
            raise ValueError(
                f"Need first dimension of target shape ({left}) and source shape ({right}) to "
                "match."
            )
        self._check_persistent(MESSAGE_PERSISTENT_BATCH, experimental_use_pfor)
        _, chunk = _options(
            "batch_jacobian", unconnected_gradients, parallel_iterations, experimental_use_pfor
        )
        kind = Kind(BATCH_JACOBIAN.name, chunk)
        (result,) = self._rows(kind, target, checked_sources([source]))
        if result is None:
            return FUNCTIONS["zeros"](left.as_list() + right.as_list()[1:], target.dtype)
        return result

    def _check_persistent(self, message: str, vectorized: bool) -> None:
        if not vectorized and not self._persistent:
            raise RuntimeError(message)

    def _rows(self, kind: Kind, target: Any, sources: list[Any]) -> list[Any]:
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


def _identity(variable: Variable) -> Any:
    """Returns the Jacobian of a variable that has not been read, for itself."""
    shape = variable.shape.as_list()
    unit = FUNCTIONS["eye"](variable.shape.num_elements(), dtype=variable.dtype)
    return FUNCTIONS["reshape"](unit, shape + shape)


def _options(
    name: str, unconnected_gradients: Any, parallel_iterations: Any, vectorized: bool
) -> tuple[UnconnectedGradients, int | None]:
    """Returns what is unconnected, and how many rows are computed at a time."""
    if parallel_iterations is not None:
        least = 2 if vectorized else 1
        if parallel_iterations < least:
            if vectorized:
                raise ValueError(MESSAGE_VECTORIZING.format(name))
            raise TypeError("'parallel_iterations' must be a positive integer.")
        parallel_iterations = max(int(parallel_iterations), 1)
    try:
        return UnconnectedGradients(unconnected_gradients), parallel_iterations
    except ValueError as error:
        if vectorized:
            raise ValueError(MESSAGE_VECTORIZING.format(name)) from error
        raise ValueError(
            f"Unknown value for unconnected_gradients: {unconnected_gradients!r}"
        ) from None
