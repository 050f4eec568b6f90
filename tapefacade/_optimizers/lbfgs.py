"""`tf.optimizers.LBFGS`: the quasi-Newton method of limited memory, as L-BFGS-B has it."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import FreeTensor, NotDifferentiable, function, op
from tapefacade._ops.array.selecting import where
from tapefacade._optimizers.line_search import LARGEST_STEP, LineSearch, continued, search_from
from tapefacade._optimizers.minimization import (
    COUNTS,
    EVALUATIONS,
    GOING_ON,
    GRADIENT_SMALL,
    ITERATIONS,
    LOSS,
    LOSS_SETTLED,
    NO_LOWER_LOSS,
    NOT_FINITE,
    TRIALS,
    Minimizer,
    OptimizationResult,
    checked_count,
    checked_tolerance,
    loss_and_gradient,
)

# Those of L-BFGS-B (R. H. Byrd, P. Lu, J. Nocedal, C. Zhu, SIAM J. Sci. Comput. 16, 1995).
DECREASE, CURVATURE, INTERVAL_PRECISION = 1e-3, 0.9, 0.1
SEARCH_NUMBERS = 2  # `numbers` are the loss, the norm of the gradient, and a line search
PAIRS, NEXT_ROW = range(2)  # places in `kept`
HIGHEST = lax.Precision.HIGHEST  # else an accelerator rounds products of float32
DEFAULT_MAX_ITERATIONS = 15_000


@function("optimizers.LBFGS")
class LBFGS(Minimizer):
    """L-BFGS with a line search for the strong Wolfe conditions, as one compiled program.

    It takes the steps that SciPy's `minimize(method="L-BFGS-B")` takes without bounds, and stops
    where that stops. Iterations, line searches and gradients are a loop within one XLA program, on
    the device and in the dtype of the variables.

    Args:
        max_iterations: how many iterations a call of `minimize` does at most.
        num_correction_pairs: how many of the last steps it learns the curvature from. The state has
            twice as many numbers for each number that is optimized.
        gradient_tolerance: it stops when no element of the gradient is larger.
        loss_tolerance: it stops when an iteration lowers the loss by no more than this part of it
            (of 1 if the loss is smaller than 1).
        max_evaluations: how often a call of `minimize` computes the loss at most.
        max_line_search_iterations: how many steps are tried along one direction.
        name: a name.

    Raises:
        ValueError: if a number is not positive, or a tolerance negative.

    Its state is in variables, so a `tf.train.Checkpoint(optimizer=...)` saves it: a run that is
    restored goes on with the steps that it would have taken.

    >>> x = tf.Variable([-1.2, 1.0], dtype=tf.float64)
    >>> def rosenbrock():
    ...     return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
    >>> result = tf.optimizers.LBFGS().minimize(rosenbrock, [x])
    >>> x.numpy().round(4), int(result.iterations), result.reason
    (array([1., 1.]), 36, 'the loss does not decrease any more')
    """

    def __init__(
        self,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        num_correction_pairs: int = 10,
        gradient_tolerance: float = 1e-5,
        loss_tolerance: float = 1e7 * 2.0**-52,
        max_evaluations: int | None = None,
        max_line_search_iterations: int = 20,
        name: str | None = None,
    ) -> None:
        super().__init__(max_iterations, max_evaluations, name)
        self.num_correction_pairs = checked_count("num_correction_pairs", num_correction_pairs)
        self.gradient_tolerance = checked_tolerance("gradient_tolerance", gradient_tolerance)
        self.loss_tolerance = checked_tolerance("loss_tolerance", loss_tolerance)
        self.max_line_search_iterations = checked_count(
            "max_line_search_iterations", max_line_search_iterations
        )

    def minimize(
        self,
        loss: Callable[[], Any],
        var_list: Any,
        callback: Callable[[OptimizationResult], Any] | None = None,
        callback_every: int = 1,
    ) -> OptimizationResult:
        """Changes variables until the loss has a minimum, or a limit is reached.

        Args:
            loss: a function without arguments that computes the loss, a scalar, from the
                variables. It is recorded in each call of `minimize`, as a `tf.function` is.
            var_list: a nest of `tf.Variable`s, such as `model.trainable_variables`. Their dtypes
                may differ: steps are computed in float64 if one is, else in float32.
            callback: called after iterations with an `OptimizationResult`, when the variables have
                their new values. It stops by returning True, or by raising StopIteration.
            callback_every: after how many iterations it is called; these run on the device.

        Returns:
            An `OptimizationResult`: `loss`, `gradient_norm`, `iterations`, `evaluations`,
            `reason` and `converged`. In a `tf.function` its tensors may be returned.

        Raises:
            TypeError: if something in `var_list` is no real floating variable.
            ValueError: if there is no variable, the loss is no scalar or depends on none of them,
                or if a callback is given within a `tf.function`.
            RuntimeError: within `strategy.run`.

        A second call goes on where the first one stopped, with what that has learned, as long as
        the variables have not been changed meanwhile; see `reset`.
        """
        return self._minimized(loss, var_list, callback, callback_every)

    def _first_state(self, size: int, dtype: Any) -> dict[str, Any]:
        pairs = self.num_correction_pairs
        numbers = SEARCH_NUMBERS + len(LineSearch._fields)
        points = ("position", "trial", "direction", "gradient")
        return {
            **{name: np.zeros(size, dtype) for name in points},
            **{name: np.zeros((pairs, size), dtype) for name in ("steps", "changes")},
            "weights": np.zeros(pairs, dtype), "numbers": np.zeros(numbers, dtype),
            "counts": np.zeros(COUNTS, np.int32), "kept": np.zeros(2, np.int32),
        }  # fmt: skip

    def _restarted(self, state: dict[str, Any], is_same: EagerTensor) -> dict[str, Any]:
        return {"kept": where(is_same, state["kept"], 0)}

    def _evaluated(
        self, problem: Any, variables: Sequence[Any], dtype: dtypes.DType
    ) -> list[EagerTensor]:
        return loss_and_gradient(problem, variables, dtype)

    def _advanced(self, found: list[EagerTensor], state: list[EagerTensor]) -> list[EagerTensor]:
        limits = self.gradient_tolerance, self.loss_tolerance, self.max_line_search_iterations
        arguments: list[Any] = [*found, *state, *limits]
        return advance(*arguments)


@op("_advance_lbfgs", gradient=NotDifferentiable())
def advance(
    loss: FreeTensor, gradient: FreeTensor,
    position: FreeTensor, trial: FreeTensor, direction: FreeTensor, last_gradient: FreeTensor,
    steps: FreeTensor, changes: FreeTensor, weights: FreeTensor, numbers: FreeTensor,
    counts: FreeTensor, kept: FreeTensor,
    gradient_tolerance: float, loss_tolerance: float, max_trials: int,
) -> list[jax.Array]:  # fmt: skip
    """Takes note of the loss at the trial point, and chooses the next one.

    Args:
        loss: the loss at `trial`.
        gradient: its gradient there.
        position: the last point that was accepted.
        trial: the point that was tried.
        direction: the direction from one to the other.
        last_gradient: the gradient at `position`.
        steps: the steps that the curvature is learned from, the rows of a ring.
        changes: how the gradient changed with each.
        weights: for each, 1 divided by the product of both.
        numbers: the loss at `position`, the norm of the gradient there, a line search.
        counts: those of iterations and the like.
        kept: how many rows of the ring are used, and which is the next.
        gradient_tolerance: see `LBFGS`.
        loss_tolerance: see `LBFGS`.
        max_trials: see `LBFGS`.
    """
    search = LineSearch(*numbers[SEARCH_NUMBERS:])
    is_start = counts[EVALUATIONS] == 0
    slope = jnp.vdot(gradient, direction, precision=HIGHEST)
    following, is_over = continued(
        search, loss, slope, DECREASE, CURVATURE, INTERVAL_PRECISION
    )  # fmt: skip
    is_lower = (loss <= search.loss) & (search.step > 0)  # rounding ends a search as well
    is_next = is_over & ~is_start & is_lower
    is_accepted = is_start | is_next
    has_failed = ~is_accepted & (is_over | (counts[TRIALS] + 1 >= max_trials))

    # What the step tells of the curvature, unless rounding hides it.
    product = search.step * (slope - search.slope)
    is_telling = is_next & (product > -search.step * search.slope * jnp.finfo(loss.dtype).eps)
    row = kept[NEXT_ROW]
    steps = steps.at[row].set(jnp.where(is_telling, search.step * direction, steps[row]))
    changes = changes.at[row].set(jnp.where(is_telling, gradient - last_gradient, changes[row]))
    weights = weights.at[row].set(jnp.where(is_telling, 1 / product, weights[row]))
    size = weights.shape[0]
    one = jnp.ones_like(row)
    pairs = jnp.minimum(kept[PAIRS] + jnp.where(is_telling, one, 0), size)
    row = jnp.where(is_telling, (row + one) % size, row)

    position = jnp.where(is_accepted, trial, position)
    reached = jnp.where(is_accepted, loss, search.loss)
    last_gradient = jnp.where(is_accepted, gradient, last_gradient)
    norm = jnp.max(jnp.abs(last_gradient), initial=0.0)

    # Along which line it goes on; after a search that failed, along the gradient.
    pairs_left = jnp.where(has_failed, 0, pairs)
    turns = is_accepted | has_failed
    direction = lax.cond(
        turns, lambda: _descent(last_gradient, steps, changes, weights, row, pairs_left),
        lambda: direction,
    )  # fmt: skip
    new_slope = jnp.vdot(last_gradient, direction, precision=HIGHEST)
    is_upward = turns & ~(new_slope < 0) & (pairs_left > 0)
    direction = jnp.where(is_upward, -last_gradient, direction)
    new_slope = jnp.where(is_upward, -jnp.vdot(last_gradient, last_gradient), new_slope)
    pairs_left = jnp.where(is_upward, 0, pairs_left)
    length = jnp.sqrt(jnp.vdot(direction, direction, precision=HIGHEST))
    first = jnp.where(is_start & (pairs_left == 0), jnp.minimum(1 / length, LARGEST_STEP), 1.0)
    begun = search_from(reached, new_slope, first.astype(loss.dtype))
    search = LineSearch(*(jnp.where(turns, a, b) for a, b in zip(begun, following, strict=True)))

    decrease = numbers[LOSS] - reached
    scale = jnp.maximum(jnp.maximum(jnp.abs(numbers[LOSS]), jnp.abs(reached)), 1.0)
    is_finite = jnp.isfinite(loss) & jnp.all(jnp.isfinite(gradient))
    reason = jnp.select(
        [
            is_start & ~is_finite,
            is_accepted & (norm <= gradient_tolerance),
            is_next & (decrease <= loss_tolerance * scale),
            (has_failed & (pairs == 0)) | (turns & ~(new_slope < 0)),
        ],
        [NOT_FINITE, GRADIENT_SMALL, LOSS_SETTLED, NO_LOWER_LOSS],
        GOING_ON,
    )
    counts = jnp.stack([
        counts[ITERATIONS] + jnp.where(is_next, one, 0), counts[EVALUATIONS] + 1, reason,
        jnp.where(turns, 0, counts[TRIALS] + 1),
    ]).astype(counts.dtype)  # fmt: skip
    numbers = jnp.stack([reached, norm, *search]).astype(loss.dtype)
    trial = position + search.step * direction
    kept = jnp.stack([pairs_left, row]).astype(kept.dtype)
    return [
        position, trial, direction, last_gradient, steps, changes, weights, numbers, counts, kept,
    ]  # fmt: skip


def _descent(
    gradient: jax.Array, steps: jax.Array, changes: jax.Array, weights: jax.Array,
    next_row: jax.Array, pairs: jax.Array,
) -> jax.Array:  # fmt: skip
    """The gradient times the inverse Hessian that the pairs tell of, negative: the two loops.

    J. Nocedal and S. Wright, Numerical Optimization, algorithm 7.4.
    """
    size = weights.shape[0]

    def backward(k: Any, carried: Any) -> Any:
        found, factors = carried
        row = (next_row - 1 - k) % size
        factor = weights[row] * jnp.vdot(steps[row], found, precision=HIGHEST)
        return found - factor * changes[row], factors.at[row].set(factor)

    def forward(k: Any, found: Any) -> Any:
        row = (next_row - pairs + k) % size
        factor = weights[row] * jnp.vdot(changes[row], found, precision=HIGHEST)
        return found + (factors[row] - factor) * steps[row]

    found, factors = lax.fori_loop(0, pairs, backward, (gradient, jnp.zeros_like(weights)))
    last = (next_row - 1) % size
    square = weights[last] * jnp.vdot(changes[last], changes[last], precision=HIGHEST)
    found = found / jnp.where(pairs > 0, square, 1.0)
    return -lax.fori_loop(0, pairs, forward, found)
