"""`tf.optimizers.LevenbergMarquardt`, `GaussNewton` and `NaturalGradient`: steps by a metric.

Their steps solve a linear system with the matrix `J^T J` of a Jacobian, which is dense: for some
thousands of numbers that are optimized.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import FreeTensor, NotDifferentiable, function, op
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.linalg.products import matmul, matvec
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._optimizers.minimization import (
    COUNTS,
    EVALUATIONS,
    GOING_ON,
    GRADIENT_SMALL,
    ITERATIONS,
    LOSS,
    LOSS_SETTLED,
    MESSAGE_NO_GRADIENT,
    NO_LOWER_LOSS,
    NOT_FINITE,
    STEP_SMALL,
    TRIALS,
    Minimizer,
    OptimizationResult,
    checked_count,
    checked_tolerance,
    flat_size,
    loss_and_gradient,
)
from tapefacade._tape.tape import GradientTape

DAMPING, GROWTH = 2, 3  # places in `numbers` of Levenberg and Marquardt
STEP_SIZE, SLOPE = 2, 3  # places in `numbers` of the others
NUMBERS = 4
SUFFICIENT_DECREASE = 1e-4
HIGHEST = lax.Precision.HIGHEST
MESSAGE_RESIDUALS = "{} is a function without arguments that returns real floating tensors; {}."


class _SquareMinimizer(Minimizer):
    """What optimizers with a dense matrix have in common."""

    def __init__(
        self,
        max_iterations: int,
        gradient_tolerance: float,
        loss_tolerance: float,
        step_tolerance: float,
        max_evaluations: int | None,
        max_trials: int,
        name: str | None,
    ) -> None:
        super().__init__(max_iterations, max_evaluations, name)
        self.gradient_tolerance = checked_tolerance("gradient_tolerance", gradient_tolerance)
        self.loss_tolerance = checked_tolerance("loss_tolerance", loss_tolerance)
        self.step_tolerance = checked_tolerance("step_tolerance", step_tolerance)
        self.max_trials = checked_count("max_trials", max_trials)

    def _first_state(self, size: int, dtype: Any) -> dict[str, Any]:
        points = ("position", "trial", "gradient")
        return {
            **{name: np.zeros(size, dtype) for name in points},
            "matrix": np.zeros((size, size), dtype), "numbers": self._first_numbers(dtype),
            "counts": np.zeros(COUNTS, np.int32),
        }  # fmt: skip

    def _first_numbers(self, dtype: Any) -> np.ndarray[Any, Any]:
        return np.zeros(NUMBERS, dtype)

    def _tolerances(self) -> tuple[float, float, float, int]:
        return (
            self.gradient_tolerance, self.loss_tolerance, self.step_tolerance, self.max_trials,
        )  # fmt: skip


@function("optimizers.LevenbergMarquardt")
class LevenbergMarquardt(_SquareMinimizer):
    """Levenberg and Marquardt's method for least squares, as one compiled program.

    It minimizes half the sum of the squares of residuals. A step solves the linear problem at a
    point, damped so that it is not too long: the damping falls where that foretells the loss well,
    and rises where it does not. The Jacobian is computed as a whole, and a matrix with a row and
    a column for each number that is optimized: some thousands of these at most. Where it fits it
    needs far fewer iterations than L-BFGS, as in networks for differential equations.

    Args:
        max_iterations: how many iterations a call of `minimize` does at most.
        damping: the first damping, as a part of the largest element of the matrix's diagonal.
        gradient_tolerance: it stops when no element of the gradient is larger.
        loss_tolerance: it stops when an iteration lowers the loss by no more than this part of it.
        step_tolerance: it stops when a step is no longer than this part of the point's norm.
        max_evaluations: how often a call of `minimize` computes residuals and Jacobian at most.
        max_trials: how often the damping rises until the loss falls.
        name: a name.

    Raises:
        ValueError: if a number is not positive, or a tolerance negative.

    >>> x = tf.Variable([-1.2, 1.0], dtype=tf.float64)
    >>> def residuals():
    ...     return tf.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])
    >>> result = tf.optimizers.LevenbergMarquardt().minimize(residuals, [x])
    >>> x.numpy().round(6), result.converged
    (array([1., 1.]), True)
    """

    def __init__(
        self,
        max_iterations: int = 1000,
        damping: float = 1e-3,
        gradient_tolerance: float = 1e-8,
        loss_tolerance: float = 1e-12,
        step_tolerance: float = 1e-12,
        max_evaluations: int | None = None,
        max_trials: int = 30,
        name: str | None = None,
    ) -> None:
        super().__init__(
            max_iterations, gradient_tolerance, loss_tolerance, step_tolerance, max_evaluations,
            max_trials, name,
        )  # fmt: skip
        self.damping = checked_tolerance("damping", damping)

    def minimize(
        self,
        residuals: Callable[[], Any],
        var_list: Any,
        callback: Callable[[OptimizationResult], Any] | None = None,
        callback_every: int = 1,
    ) -> OptimizationResult:
        """Changes variables until half the sum of the squares of residuals has a minimum.

        Args:
            residuals: a function without arguments that computes a tensor of residuals from the
                variables, or a list of such tensors.
            var_list: a nest of `tf.Variable`s.
            callback: see `LBFGS.minimize`.
            callback_every: see `LBFGS.minimize`.

        Returns:
            An `OptimizationResult`.

        Raises:
            TypeError: if something in `var_list` is no real floating variable.
            ValueError: if there is no variable, or the residuals depend on none.
            RuntimeError: within `strategy.run`.
        """
        return self._minimized(residuals, var_list, callback, callback_every)

    def _restarted(self, state: dict[str, Any], is_same: EagerTensor) -> dict[str, Any]:
        numbers = state["numbers"]
        return {"numbers": where(is_same, numbers, zeros([NUMBERS], numbers.dtype))}

    def _evaluated(
        self, problem: Any, variables: Sequence[Any], dtype: dtypes.DType
    ) -> list[EagerTensor]:
        values, jacobian = values_and_jacobian(problem, variables, dtype, "`residuals`")
        return [
            reduce_sum(values * values) / 2, matvec(jacobian, values, transpose_a=True),
            matmul(jacobian, jacobian, transpose_a=True),
        ]  # fmt: skip

    def _advanced(self, found: list[EagerTensor], state: list[EagerTensor]) -> list[EagerTensor]:
        arguments: list[Any] = [*found, *state, self.damping, *self._tolerances()]
        return advance_damped(*arguments)


@op("_advance_damped", gradient=NotDifferentiable())
def advance_damped(
    loss: FreeTensor, gradient: FreeTensor, matrix: FreeTensor,
    position: FreeTensor, trial: FreeTensor, last_gradient: FreeTensor, last_matrix: FreeTensor,
    numbers: FreeTensor, counts: FreeTensor,
    first_damping: float, gradient_tolerance: float, loss_tolerance: float,
    step_tolerance: float, max_trials: int,
) -> list[jax.Array]:  # fmt: skip
    """Takes note of the residuals at the trial point, and chooses the next one.

    H. B. Nielsen, "Damping Parameter in Marquardt's Method", IMM-REP-1999-05, Lyngby.

    Args:
        loss: half the sum of the squares at `trial`.
        gradient: its gradient there.
        matrix: the Jacobian's product with itself there.
        position: the last point that was accepted.
        trial: the point that was tried.
        last_gradient: the gradient at `position`.
        last_matrix: the matrix there.
        numbers: the loss at `position`, the norm of the gradient there, the damping and the factor
            by which it rises next.
        counts: those of iterations and the like.
        first_damping: see `LevenbergMarquardt`.
        gradient_tolerance: see `LevenbergMarquardt`.
        loss_tolerance: see `LevenbergMarquardt`.
        step_tolerance: see `LevenbergMarquardt`.
        max_trials: see `LevenbergMarquardt`.
    """
    is_start = counts[EVALUATIONS] == 0
    is_finite = jnp.isfinite(loss) & jnp.all(jnp.isfinite(gradient))
    damping, growth = numbers[DAMPING], numbers[GROWTH]
    step = trial - position
    foretold = -jnp.vdot(last_gradient, step, precision=HIGHEST) / 2
    foretold += damping * jnp.vdot(step, step, precision=HIGHEST) / 2
    decrease = numbers[LOSS] - loss
    is_next = ~is_start & is_finite & (decrease > 0)
    is_accepted = is_start | is_next
    position = jnp.where(is_accepted, trial, position)
    reached = jnp.where(is_accepted, loss, numbers[LOSS])
    gradient = jnp.where(is_accepted, gradient, last_gradient)
    matrix = jnp.where(is_accepted, matrix, last_matrix)
    norm = jnp.max(jnp.abs(gradient), initial=0.0)
    largest = jnp.max(jnp.diagonal(matrix), initial=0.0)
    falling = damping * jnp.maximum(1 / 3, 1 - (2 * decrease / foretold - 1) ** 3)
    changed = jnp.where(is_next, falling, damping * growth)
    is_new = is_start & ~(damping > 0)  # a new problem; a second call goes on with its damping
    started = jnp.where(is_new, first_damping * largest, damping)
    damping = jnp.where(is_start, started, changed).astype(loss.dtype)
    growth = jnp.where(is_accepted, 2.0, 2 * growth).astype(loss.dtype)
    step = -_solved(matrix, damping, gradient)
    is_short = jnp.linalg.norm(step) <= step_tolerance * (
        jnp.linalg.norm(position) + step_tolerance
    )
    reason = jnp.select(
        [
            is_start & ~is_finite,
            is_accepted & (norm <= gradient_tolerance),
            is_next & (decrease <= loss_tolerance * numbers[LOSS]),
            is_short,
            ~is_accepted & (counts[TRIALS] + 1 >= max_trials),
        ],
        [NOT_FINITE, GRADIENT_SMALL, LOSS_SETTLED, STEP_SMALL, NO_LOWER_LOSS],
        GOING_ON,
    )
    numbers = jnp.stack([reached, norm, damping, growth]).astype(loss.dtype)
    return [
        position, position + step, gradient, matrix, numbers,
        _counted(counts, is_next, reason, is_accepted),
    ]  # fmt: skip


def _solved(matrix: jax.Array, damping: jax.Array, vector: jax.Array) -> jax.Array:
    """Solves a damped symmetric system; where rounding makes it indefinite, there is no number."""
    size = matrix.shape[0]
    factor = jnp.linalg.cholesky(matrix + damping * jnp.eye(size, dtype=matrix.dtype))
    return jax.scipy.linalg.cho_solve((factor, True), vector)


class _MetricMinimizer(_SquareMinimizer):
    """Steps against a gradient, as long in each direction as a metric says, halved if too long."""

    def __init__(
        self,
        max_iterations: int,
        learning_rate: float,
        damping: float,
        gradient_tolerance: float,
        loss_tolerance: float,
        step_tolerance: float,
        max_evaluations: int | None,
        max_trials: int,
        name: str | None,
    ) -> None:
        super().__init__(
            max_iterations, gradient_tolerance, loss_tolerance, step_tolerance, max_evaluations,
            max_trials, name,
        )  # fmt: skip
        self.learning_rate = checked_tolerance("learning_rate", learning_rate)
        self.damping = checked_tolerance("damping", damping)

    def _first_state(self, size: int, dtype: Any) -> dict[str, Any]:
        state = super()._first_state(size, dtype)
        del state["matrix"]
        return {**state, "direction": np.zeros(size, dtype)}

    def _advanced(self, found: list[EagerTensor], state: list[EagerTensor]) -> list[EagerTensor]:
        settings = self.learning_rate, self.damping, *self._tolerances()
        arguments: list[Any] = [*found, *state, *settings]
        return advance_by_metric(*arguments)


@function("optimizers.GaussNewton")
class GaussNewton(_MetricMinimizer):
    """Gauss and Newton's method for least squares, with steps that are halved if too long.

    It minimizes half the sum of the squares of residuals. A step solves the linear problem at a
    point; where that has many solutions, as for a network with more parameters than residuals, the
    shortest one is taken. `LevenbergMarquardt` is safer far from a solution.

    Args:
        max_iterations: how many iterations a call of `minimize` does at most.
        learning_rate: the part of a step that is tried first.
        damping: is added to the diagonal of the matrix.
        gradient_tolerance: it stops when no element of the gradient is larger.
        loss_tolerance: it stops when an iteration lowers the loss by no more than this part of it.
        step_tolerance: it stops when a step is no longer than this part of the point's norm.
        max_evaluations: how often a call of `minimize` computes residuals and Jacobian at most.
        max_trials: how often a step is halved until the loss falls.
        name: a name.

    Raises:
        ValueError: if a number is not positive, or a tolerance negative.

    >>> x = tf.Variable([1.0, 1.0])
    >>> rows, seen = tf.constant([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), tf.constant([1.0, 3.0, 5.0])
    >>> result = tf.optimizers.GaussNewton().minimize(lambda: tf.linalg.matvec(rows, x) - seen, x)
    >>> x.numpy().round(3), int(result.iterations)
    (array([1., 2.], dtype=float32), 1)
    """

    def __init__(
        self,
        max_iterations: int = 1000,
        learning_rate: float = 1.0,
        damping: float = 0.0,
        gradient_tolerance: float = 1e-8,
        loss_tolerance: float = 1e-12,
        step_tolerance: float = 1e-12,
        max_evaluations: int | None = None,
        max_trials: int = 30,
        name: str | None = None,
    ) -> None:
        super().__init__(
            max_iterations, learning_rate, damping, gradient_tolerance, loss_tolerance,
            step_tolerance, max_evaluations, max_trials, name,
        )  # fmt: skip

    def minimize(
        self,
        residuals: Callable[[], Any],
        var_list: Any,
        callback: Callable[[OptimizationResult], Any] | None = None,
        callback_every: int = 1,
    ) -> OptimizationResult:
        """Changes variables until half the sum of the squares of residuals has a minimum.

        Args:
            residuals: a function without arguments that computes a tensor of residuals from the
                variables, or a list of such tensors.
            var_list: a nest of `tf.Variable`s.
            callback: see `LBFGS.minimize`.
            callback_every: see `LBFGS.minimize`.

        Returns:
            An `OptimizationResult`.

        Raises:
            TypeError: if something in `var_list` is no real floating variable.
            ValueError: if there is no variable, or the residuals depend on none.
            RuntimeError: within `strategy.run`.
        """
        return self._minimized(residuals, var_list, callback, callback_every)

    def _evaluated(
        self, problem: Any, variables: Sequence[Any], dtype: dtypes.DType
    ) -> list[EagerTensor]:
        values, jacobian = values_and_jacobian(problem, variables, dtype, "`residuals`")
        gradient = matvec(jacobian, values, transpose_a=True)
        matrix = matmul(jacobian, jacobian, transpose_a=True)
        return [reduce_sum(values * values) / 2, gradient, matrix]


@function("optimizers.NaturalGradient")
class NaturalGradient(_MetricMinimizer):
    """Steps along the natural gradient: the gradient in the geometry of a model's outputs.

    The metric is the mean of `J^T J` over what a function gives for each example, `J` its Jacobian.
    With log-probabilities of examples that the model has drawn it is the Fisher information; with
    the residuals of a network for a differential equation the steps are those of energy natural
    gradients; with the outputs of a network, those in the space of its functions.

    Args:
        max_iterations: how many iterations a call of `minimize` does at most.
        learning_rate: the length of the step that is tried first.
        damping: is added to the diagonal of the metric.
        gradient_tolerance: it stops when no element of the gradient is larger.
        loss_tolerance: it stops when an iteration lowers the loss by no more than this part of it.
        step_tolerance: it stops when a step is no longer than this part of the point's norm.
        max_evaluations: how often a call of `minimize` computes the loss and the metric at most.
        max_trials: how often a step is halved until the loss falls.
        name: a name.

    Raises:
        ValueError: if a number is not positive, or a tolerance negative.

    >>> data = tf.constant([1.0, 2.0, 4.0, 5.0])
    >>> mean, log_scale = tf.Variable(0.0), tf.Variable(0.0)
    >>> def scores():
    ...     return -((data - mean) * tf.exp(-log_scale)) ** 2 / 2 - log_scale
    >>> optimizer = tf.optimizers.NaturalGradient()
    >>> result = optimizer.minimize(lambda: -tf.reduce_mean(scores()), scores, [mean, log_scale])
    >>> mean.numpy().round(3), tf.exp(log_scale).numpy().round(3)
    (np.float32(3.0), np.float32(1.581))
    """

    def __init__(
        self,
        max_iterations: int = 1000,
        learning_rate: float = 1.0,
        damping: float = 0.0,
        gradient_tolerance: float = 1e-5,
        loss_tolerance: float = 1e-9,
        step_tolerance: float = 1e-12,
        max_evaluations: int | None = None,
        max_trials: int = 30,
        name: str | None = None,
    ) -> None:
        super().__init__(
            max_iterations, learning_rate, damping, gradient_tolerance, loss_tolerance,
            step_tolerance, max_evaluations, max_trials, name,
        )  # fmt: skip

    def minimize(
        self,
        loss: Callable[[], Any],
        outputs: Callable[[], Any],
        var_list: Any,
        callback: Callable[[OptimizationResult], Any] | None = None,
        callback_every: int = 1,
    ) -> OptimizationResult:
        """Changes variables until the loss has a minimum, or a limit is reached.

        Args:
            loss: a function without arguments that computes the loss, a scalar.
            outputs: a function without arguments that computes a tensor, or a list of tensors, with
                a first dimension of examples. The metric is in these.
            var_list: a nest of `tf.Variable`s.
            callback: see `LBFGS.minimize`.
            callback_every: see `LBFGS.minimize`.

        Returns:
            An `OptimizationResult`.

        Raises:
            TypeError: if something in `var_list` is no real floating variable.
            ValueError: if there is no variable, or loss or outputs depend on none.
            RuntimeError: within `strategy.run`.
        """
        if not callable(outputs):
            raise TypeError(MESSAGE_RESIDUALS.format("`outputs`", f"got {outputs!r}"))
        return self._minimized(_Problem(loss, outputs), var_list, callback, callback_every)

    def _evaluated(
        self, problem: Any, variables: Sequence[Any], dtype: dtypes.DType
    ) -> list[EagerTensor]:
        loss, gradient = loss_and_gradient(problem, variables, dtype)
        values, jacobian = values_and_jacobian(problem.outputs, variables, dtype, "`outputs`")
        matrix = matmul(jacobian, jacobian, transpose_a=True)
        return [loss, gradient, matrix / cast(max(1, values.shape[0] or 1), dtype)]


class _Problem:
    """A loss, and the outputs that its metric is about."""

    def __init__(self, loss: Callable[[], Any], outputs: Callable[[], Any]) -> None:
        self.loss, self.outputs = loss, outputs

    def __call__(self) -> Any:
        return self.loss()


@op("_advance_by_metric", gradient=NotDifferentiable())
def advance_by_metric(
    loss: FreeTensor, gradient: FreeTensor, matrix: FreeTensor,
    position: FreeTensor, trial: FreeTensor, last_gradient: FreeTensor, numbers: FreeTensor,
    counts: FreeTensor, direction: FreeTensor,
    learning_rate: float, damping: float, gradient_tolerance: float, loss_tolerance: float,
    step_tolerance: float, max_trials: int,
) -> list[jax.Array]:  # fmt: skip
    """Takes note of the loss at the trial point, and chooses the next one.

    Args:
        loss: the loss at `trial`.
        gradient: its gradient there.
        matrix: the metric there.
        position: the last point that was accepted.
        trial: the point that was tried.
        last_gradient: the gradient at `position`.
        numbers: the loss at `position`, the norm of the gradient there, the size of the step and
            the derivative along the direction.
        counts: those of iterations and the like.
        direction: the direction from one to the other.
        learning_rate: see `GaussNewton`.
        damping: see `GaussNewton`.
        gradient_tolerance: see `GaussNewton`.
        loss_tolerance: see `GaussNewton`.
        step_tolerance: see `GaussNewton`.
        max_trials: see `GaussNewton`.
    """
    is_start = counts[EVALUATIONS] == 0
    is_finite = jnp.isfinite(loss) & jnp.all(jnp.isfinite(gradient))
    size, slope = numbers[STEP_SIZE], numbers[SLOPE]
    decrease = numbers[LOSS] - loss
    is_low = decrease >= -SUFFICIENT_DECREASE * size * slope
    is_next = ~is_start & is_finite & is_low
    is_accepted = is_start | is_next
    position = jnp.where(is_accepted, trial, position)
    reached = jnp.where(is_accepted, loss, numbers[LOSS])
    gradient = jnp.where(is_accepted, gradient, last_gradient)
    norm = jnp.max(jnp.abs(gradient), initial=0.0)
    direction = lax.cond(
        is_accepted & is_finite, lambda: -_pseudo_solved(matrix, damping, gradient),
        lambda: direction,
    )  # fmt: skip
    slope = jnp.where(is_accepted, jnp.vdot(gradient, direction, precision=HIGHEST), slope)
    size = jnp.where(is_accepted, learning_rate, size / 2).astype(loss.dtype)
    is_short = jnp.linalg.norm(size * direction) <= step_tolerance * (
        jnp.linalg.norm(position) + step_tolerance
    )
    reason = jnp.select(
        [
            is_start & ~is_finite,
            is_accepted & (norm <= gradient_tolerance),
            is_next & (decrease <= loss_tolerance * jnp.abs(numbers[LOSS])),
            is_accepted & is_short,
            (~is_accepted & (counts[TRIALS] + 1 >= max_trials)) | ~(slope < 0),
        ],
        [NOT_FINITE, GRADIENT_SMALL, LOSS_SETTLED, STEP_SMALL, NO_LOWER_LOSS],
        GOING_ON,
    )
    numbers = jnp.stack([reached, norm, size, slope]).astype(loss.dtype)
    return [
        position, position + size * direction, gradient, numbers,
        _counted(counts, is_next, reason, is_accepted), direction,
    ]  # fmt: skip


def _pseudo_solved(matrix: jax.Array, damping: float, vector: jax.Array) -> jax.Array:
    """Solves a symmetric system; where it has many solutions, the shortest is taken."""
    values, vectors = jnp.linalg.eigh(matrix)
    smallest = jnp.finfo(matrix.dtype).eps * matrix.shape[0] * jnp.max(values, initial=0.0)
    inverse = jnp.where(values > smallest, 1 / (values + damping), 0.0)
    inner = jnp.matmul(vector, vectors, precision=HIGHEST)
    return jnp.matmul(vectors, inverse.astype(matrix.dtype) * inner, precision=HIGHEST)


def _counted(
    counts: jax.Array, is_next: jax.Array, reason: jax.Array, is_accepted: jax.Array
) -> jax.Array:
    """The counts after an evaluation."""
    one = jnp.ones_like(counts[0])
    trials = jnp.where(is_accepted, 0, counts[TRIALS] + one)
    iterations = counts[ITERATIONS] + jnp.where(is_next, one, 0)
    found = [iterations, counts[EVALUATIONS] + one, reason.astype(counts.dtype), trials]
    return jnp.stack(found).astype(counts.dtype)


def values_and_jacobian(
    problem: Callable[[], Any], variables: Sequence[Any], dtype: dtypes.DType, name: str
) -> tuple[EagerTensor, EagerTensor]:
    """Computes tensors as one vector, and its Jacobian.

    Args:
        problem: a function without arguments that returns a tensor or a list of tensors.
        variables: the variables.
        dtype: the dtype of both results.
        name: what the function is called, for messages.

    Returns:
        The vector and the Jacobian, a row for each of its elements and a column for each number of
        the variables.

    Raises:
        TypeError: if a tensor is not real and floating.
        ValueError: if the tensors depend on none of the variables.
    """
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(variables)
        found = problem()
        parts = [convert(part) for part in (found if isinstance(found, list | tuple) else [found])]
        for part in parts:
            if not part.dtype.is_floating:
                raise TypeError(MESSAGE_RESIDUALS.format(name, f"it is {part.dtype.name}"))
        values = concat([reshape(cast(part, dtype), [-1]) for part in parts], 0)
    jacobians = tape.jacobian(values, variables)
    if all(jacobian is None for jacobian in jacobians):
        names = [variable.name for variable in variables]
        raise ValueError(MESSAGE_NO_GRADIENT.format(names))
    count = values.shape[0]
    columns = [
        zeros([count, flat_size([variable])], dtype)
        if jacobian is None
        else reshape(cast(jacobian, dtype), [count, flat_size([variable])])
        for variable, jacobian in zip(variables, jacobians, strict=True)
    ]
    return values, concat(columns, 1)
