"""Jacobians of what a tape recorded."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.registry import FUNCTIONS
from tapefacade._tape.arguments import checked_sources, value_of
from tapefacade._tape.derivative import BATCH_JACOBIAN, JACOBIAN, Kind
from tapefacade._tape.unconnected import UnconnectedGradients


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
        results = self._rows(JACOBIAN, target, checked_sources(flat_sources))
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
        (result,) = self._rows(BATCH_JACOBIAN, target, checked_sources([source]))
        if result is None:
            return FUNCTIONS["zeros"](left.as_list() + right.as_list()[1:], target.dtype)
        return result

    def _rows(self, kind: Kind, target: Any, sources: list[Any]) -> list[Any]:
        if self._recording and not self._persistent:
            self._pop()
        results = self._derive(kind, [value_of(target)], sources, [None])
        if not self._persistent:
            self._release()
        return results
