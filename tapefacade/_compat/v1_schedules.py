"""Learning rates of TensorFlow 1 that fall from step to step: `tf.compat.v1.train`."""

import math
from collections.abc import Callable
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._definition.op import function
from tapefacade._lookup.table_initializers import shown_dtype
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.joining import stack
from tapefacade._ops.array.selecting import where
from tapefacade._ops.math.arithmetic import minimum
from tapefacade._ops.math.comparison import greater
from tapefacade._ops.math.elementary import ceil, exp, floor, log
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._ops.math.trigonometry import cos
from tapefacade._trace.recording import THREAD


def _rate(compute: Callable[[], Any]) -> Any:
    """Returns a rate in functions, else what computes it."""
    return compute() if THREAD.functions else compute


def _passed(global_step: Any, steps: Any, dtype: dtypes.DType, staircase: bool = False) -> Any:
    """How often a number of steps has passed."""
    passed = cast(global_step, dtype) / cast(steps, dtype)
    return floor(passed) if staircase else passed


def _share(global_step: Any, steps: Any, dtype: dtypes.DType) -> Any:
    """Which share of the steps has passed, one in the end."""
    steps = cast(steps, dtype)
    return minimum(cast(global_step, dtype), steps) / steps


def _half_cosine(share: Any) -> Any:
    return 0.5 * (1.0 + cos(cast(math.pi, share.dtype) * share))


@function("compat.v1.train.exponential_decay")
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Lets a rate fall exponentially, in `decay_steps` by a factor.

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of the step, a number, tensor or variable.
        decay_steps: how many.
        decay_rate: the factor.
        staircase: whether it falls once in `decay_steps` only.
        name: ignored.

    Returns:
        In a `tf.function` the rate, a scalar; else a function without arguments that returns it,
        which the optimizers of `tf.compat.v1.train` take.

    >>> tf.compat.v1.train.exponential_decay(0.5, 10, 10, 0.5)()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.25>
    """

    def compute() -> Any:
        rate = convert(learning_rate)
        passed = _passed(global_step, decay_steps, rate.dtype, staircase)
        return rate * cast(decay_rate, rate.dtype) ** passed

    return _rate(compute)


@function("compat.v1.train.natural_exp_decay")
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Lets a rate fall exponentially, in `decay_steps` by `exp(-decay_rate)`.

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of the step, a number, tensor or variable.
        decay_steps: how many.
        decay_rate: how fast.
        staircase: whether it falls once in `decay_steps` only.
        name: ignored.

    Returns:
        In a `tf.function` the rate, a scalar; else a function without arguments that returns it,
        which the optimizers of `tf.compat.v1.train` take.

    >>> tf.compat.v1.train.natural_exp_decay(0.5, 0, 10, 0.5)()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.5>
    """
    return exponential_decay(
        learning_rate, global_step, decay_steps, exp(-convert(decay_rate)), staircase
    )


@function("compat.v1.train.inverse_time_decay")
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Divides a rate by `1 + decay_rate * global_step / decay_steps`.

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of the step, a number, tensor or variable.
        decay_steps: how many.
        decay_rate: how fast.
        staircase: whether it falls once in `decay_steps` only.
        name: ignored.

    Returns:
        In a `tf.function` the rate, a scalar; else a function without arguments that returns it,
        which the optimizers of `tf.compat.v1.train` take.

    >>> tf.compat.v1.train.inverse_time_decay(0.5, 10, 10, 1.0)()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.25>
    """

    def compute() -> Any:
        rate = convert(learning_rate)
        passed = _passed(global_step, decay_steps, rate.dtype, staircase)
        return rate / (1 + cast(decay_rate, rate.dtype) * passed)

    return _rate(compute)


@function("compat.v1.train.polynomial_decay")
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Lets a rate fall to another one, as a power of the steps that are left.

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of the step, a number, tensor or variable.
        decay_steps: when it is reached.
        end_learning_rate: the other rate.
        power: the power.
        cycle: whether it begins anew when it is reached.
        name: ignored.

    Returns:
        In a `tf.function` the rate, a scalar; else a function without arguments that returns it,
        which the optimizers of `tf.compat.v1.train` take.

    >>> tf.compat.v1.train.polynomial_decay(0.5, 5, 10, 0.0)()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.25>
    """

    def compute() -> Any:
        rate = convert(learning_rate)
        end, step = cast(end_learning_rate, rate.dtype), cast(global_step, rate.dtype)
        steps = cast(decay_steps, rate.dtype)
        if cycle:  # with the least multiple of the steps that is not passed
            steps = steps * where(greater(step, 0), ceil(step / steps), 1)
        share = minimum(step, steps) / steps
        return (rate - end) * (1 - share) ** cast(power, rate.dtype) + end

    return _rate(compute)


@function("compat.v1.train.cosine_decay")
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Lets a rate fall as a cosine does in half a period.

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of the step, a number, tensor or variable.
        decay_steps: when it has fallen.
        alpha: the share of the rate that stays.
        name: ignored.

    Returns:
        In a `tf.function` the rate, a scalar; else a function without arguments that returns it,
        which the optimizers of `tf.compat.v1.train` take.

    >>> tf.compat.v1.train.cosine_decay(0.5, 10, 10, 0.5)()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.25>
    """

    def compute() -> Any:
        rate = convert(learning_rate)
        falling = _half_cosine(_share(global_step, decay_steps, rate.dtype))
        return rate * ((1 - alpha) * falling + alpha)

    return _rate(compute)


@function("compat.v1.train.cosine_decay_restarts")
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Lets a rate fall as a cosine does, again and again.

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of the step, a number, tensor or variable.
        first_decay_steps: when it has fallen for the first time.
        t_mul: how much longer each time is than the one before.
        m_mul: with what the rate is multiplied at each restart.
        alpha: the share of the rate that stays.
        name: ignored.

    Returns:
        In a `tf.function` the rate, a scalar; else a function without arguments that returns it,
        which the optimizers of `tf.compat.v1.train` take.

    >>> tf.compat.v1.train.cosine_decay_restarts(0.5, 0, 10)()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.5>
    """

    def compute() -> Any:
        rate = convert(learning_rate)
        share = _passed(global_step, first_decay_steps, rate.dtype)
        longer = cast(t_mul, rate.dtype)
        if t_mul == 1.0:
            restarts = floor(share)
            share = share - restarts
        else:
            restarts = floor(log(1.0 - share * (1.0 - longer)) / log(longer))
            before = (1.0 - longer**restarts) / (1.0 - longer)
            share = (share - before) / longer**restarts
        lower = cast(m_mul, rate.dtype) ** restarts
        stays = cast(alpha, rate.dtype)
        return rate * ((1 - stays) * lower * _half_cosine(share) + stays)

    return _rate(compute)


@function("compat.v1.train.linear_cosine_decay")
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    """Lets a rate fall linearly, and as a cosine.

    Args:
        learning_rate: the rate at the beginning.
        global_step: the number of the step, a number, tensor or variable.
        decay_steps: when it has fallen.
        num_periods: how many periods the cosine has.
        alpha: what is added to the line.
        beta: what is added to the product of both.
        name: ignored.

    Returns:
        In a `tf.function` the rate, a scalar; else a function without arguments that returns it,
        which the optimizers of `tf.compat.v1.train` take.

    >>> tf.compat.v1.train.linear_cosine_decay(0.5, 0, 10, beta=0.0)()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.5>
    """

    def compute() -> Any:
        rate = convert(learning_rate)
        share = _share(global_step, decay_steps, rate.dtype)
        falling = _half_cosine(2.0 * num_periods * share)
        return rate * ((alpha + (1 - share)) * falling + beta)

    return _rate(compute)


@function("compat.v1.train.piecewise_constant", "compat.v1.train.piecewise_constant_decay")
def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """Chooses among rates by the step.

    Args:
        x: the number of the step, a number, tensor or variable.
        boundaries: the last steps of all rates but the last, numbers of the dtype of `x`.
        values: the rates, one more.
        name: ignored.

    Returns:
        In a `tf.function` the rate, a scalar; else a function without arguments that returns it.

    Raises:
        ValueError: if dtypes differ, or the numbers of rates and boundaries do not fit.

    >>> tf.compat.v1.train.piecewise_constant(5, [4, 8], [0.5, 0.25, 0.125])()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.25>
    """
    limits, rates = [convert(each) for each in boundaries], [convert(each) for each in values]
    dtype = convert(x).dtype
    for limit in limits:
        if limit.dtype is not dtype and (limit.dtype, dtype) != (dtypes.int32, dtypes.int64):
            raise ValueError(
                f"Boundaries ({shown_dtype(limit.dtype)}) must have the same dtype as x "
                f"({shown_dtype(dtype)})."
            )
    for rate in rates:
        if rate.dtype is not rates[0].dtype:
            raise ValueError(
                "Values must have elements all with the same dtype "
                f"({shown_dtype(rates[0].dtype)} vs {shown_dtype(rate.dtype)})."
            )
    if len(limits) != len(rates) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def compute() -> Any:
        passed = greater(convert(x), stack([cast(limit, dtype) for limit in limits]))
        return gather(stack(rates), reduce_sum(cast(passed, dtypes.int32)))

    return _rate(compute)
