"""What the optimizers of second order have in common: one program that repeats their iterations.

Each optimizer says how a problem is evaluated at a point, and has an op that takes what was found
there and gives the next point. The loop over both is a `tf.while_loop`, so the loss is in the
program once, whatever the number of iterations.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes, nest
from tapefacade._core.annotations import described
from tapefacade._core.conversion import convert
from tapefacade._core.logging import get_logger
from tapefacade._core.replica_places import is_in_run
from tapefacade._core.tensor import EagerTensor
from tapefacade._function.control.while_loop import while_loop
from tapefacade._function.function.decorator import function as tf_function
from tapefacade._function.function.eager_mode import inside_function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.joining import concat, split
from tapefacade._ops.array.selecting import where
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.math.comparison import equal
from tapefacade._ops.math.reduction import reduce_all
from tapefacade._state.module import Module
from tapefacade._state.variable import Variable
from tapefacade._tape.init_scope import init_scope
from tapefacade._tape.tape import GradientTape

# Places in the array `counts`, which every optimizer has, and in `numbers`.
ITERATIONS, EVALUATIONS, REASON, TRIALS = range(4)  # those of one point or direction
COUNTS = 4
LOSS, GRADIENT_NORM = range(2)
# Why an optimizer has stopped, by the number in `counts`.
GOING_ON, GRADIENT_SMALL, LOSS_SETTLED, STEP_SMALL, NO_LOWER_LOSS, NOT_FINITE = range(6)
MAX_ITERATIONS_DONE, MAX_EVALUATIONS_DONE, STOPPED_BY_CALLBACK = range(6, 9)
REASONS = (
    "going on",
    "the gradient is small",
    "the loss does not decrease any more",
    "the steps are small",
    "no lower loss was found along the direction",
    "the loss or its gradient is not finite at the start",
    "the maximum number of iterations was reached",
    "the maximum number of evaluations was reached",
    "the callback stopped it",
)
MESSAGE_NO_VARIABLES = "There is nothing to optimize: `var_list` has no variables."
MESSAGE_NOT_VARIABLE = "`var_list` holds tf.Variables; {!r} is none."
MESSAGE_DTYPE = "Variables of real floating dtypes can be optimized; `{}` is {}."
MESSAGE_CONSTRAINT = (
    "`{}` has a constraint, which no line search keeps. Leave it out and compute the constrained "
    "value in the loss, such as `low + tf.nn.softplus(variable)`."
)
MESSAGE_LOSS = "The loss is a function without arguments that returns a scalar; {}."
MESSAGE_NO_GRADIENT = (
    "No gradients provided for any variable: the loss does not depend on {}. It is computed within "
    "the function from the variables themselves, by ops of tf; `tape.explain` tells where a "
    "gradient stops."
)
MESSAGE_SOME_GRADIENTS = (
    "Gradients do not exist for variables %s when minimizing the loss; they keep their values."
)
MESSAGE_CALLBACK = (
    "Within a tf.function the iterations are part of its program, which cannot call `callback`. "
    "Call `minimize` outside of the function: it is compiled all the same."
)
MESSAGE_IN_REPLICA = (
    "`minimize` cannot be called within `strategy.run`: the replicas would each take steps of "
    "their own. Call it outside, with a loss that calls `strategy.run` and reduces what it returns."
)
MESSAGE_COUNT = "`{}` is an integer of at least 1, got {!r}."
MESSAGE_TOLERANCE = "`{}` is a number that is not negative, got {!r}."
UNLIMITED = np.iinfo(np.int32).max


class OptimizationResult(NamedTuple):
    """What an optimizer has reached.

    Attributes:
        loss: the loss at the values that the variables have now, a scalar.
        gradient_norm: the largest absolute value in its gradient there.
        iterations: how many iterations there have been in this call.
        evaluations: how often the loss and its gradient have been computed in this call.
        reason_number: why it stopped, as a number.
    """

    loss: EagerTensor
    gradient_norm: EagerTensor
    iterations: EagerTensor
    evaluations: EagerTensor
    reason_number: EagerTensor

    @property
    def reason(self) -> str:
        """Why it stopped, in words; in a `callback`, that it goes on."""
        return REASONS[int(self.reason_number)]

    @property
    def converged(self) -> bool:
        """Whether a tolerance was reached, rather than a limit."""
        return GRADIENT_SMALL <= int(self.reason_number) <= STEP_SMALL


described(OptimizationResult.__new__)


class Minimizer(Module):
    """An optimizer of second order: how it meets variables, functions and checkpoints.

    Its state is in variables, which are attributes of it, so that checkpoints know them:
    `position` (the values it has reached), `trial` (those at which it wants to know the loss next),
    `numbers`, `counts` and what the optimizer adds.
    """

    def __init__(self, max_iterations: int, max_evaluations: int | None, name: str | None) -> None:
        super().__init__(name)
        self.max_iterations = checked_count("max_iterations", max_iterations)
        self.max_evaluations = (
            None if max_evaluations is None else checked_count("max_evaluations", max_evaluations)
        )
        self._state_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names = [name for name in inspect.signature(type(self)).parameters if hasattr(self, name)]
        settings = ", ".join(f"{name}={getattr(self, name)!r}" for name in names if name != "name")
        return f"tf.optimizers.{type(self).__name__}({settings})"

    # What an optimizer defines.

    def _first_state(self, size: int, dtype: Any) -> dict[str, Any]:
        """Returns the state before the first evaluation, by name: NumPy arrays of zeros."""
        raise AssertionError("an optimizer defines it")

    def _restarted(self, state: dict[str, Any], is_same: EagerTensor) -> dict[str, Any]:
        """Returns what a new call of `minimize` changes in the state of the last one.

        Args:
            state: the arrays by name.
            is_same: whether the variables have the values that the last call gave them.
        """
        return {}

    def _evaluated(
        self, problem: Any, variables: Sequence[Any], dtype: dtypes.DType
    ) -> list[EagerTensor]:
        """Computes what the optimizer wants to know where the variables are now."""
        raise AssertionError("an optimizer defines it")

    def _advanced(self, found: list[EagerTensor], state: list[EagerTensor]) -> list[EagerTensor]:
        """Returns the state after an evaluation at `trial`."""
        raise AssertionError("an optimizer defines it")

    # What they have in common.

    def reset(self) -> None:
        """Forgets what was learned of the loss.

        Otherwise the next `minimize` goes on with it, if the variables have kept their values.
        Write this where the loss has become another one, as when new points are drawn.
        """
        kept = getattr(self, "_position", None)
        if kept is not None:
            kept.assign(kept * np.nan)  # no variables have these values

    def _minimized(
        self,
        problem: Any,
        var_list: Any,
        callback: Callable[[OptimizationResult], Any] | None,
        callback_every: int,
    ) -> OptimizationResult:
        """Minimizes; `minimize` of the optimizers tells what the arguments are."""
        if not callable(problem):
            raise TypeError(MESSAGE_LOSS.format(f"got {problem!r}"))
        variables = checked_variables(var_list)
        every = checked_count("callback_every", callback_every)
        if is_in_run():
            raise RuntimeError(MESSAGE_IN_REPLICA)
        if callback is not None and inside_function():
            raise ValueError(MESSAGE_CALLBACK)
        dtype = common_dtype(variables)
        self._begin(variables, dtype)
        iterations = _Iterations(self, problem, variables, dtype)
        run = iterations if inside_function() else tf_function(iterations)
        limit = self.max_iterations if callback is None else min(every, self.max_iterations)
        while True:
            result = OptimizationResult(*run(convert(np.int32(limit))))
            if callback is None or int(result.iterations) < limit:
                return result
            going_on = result._replace(reason_number=convert(np.int32(GOING_ON)))
            if _wants_to_stop(callback, going_on):
                return result._replace(reason_number=convert(np.int32(STOPPED_BY_CALLBACK)))
            if limit >= self.max_iterations:
                return result
            limit = min(limit + every, self.max_iterations)

    def _begin(self, variables: Sequence[Any], dtype: dtypes.DType) -> None:
        """Makes the state, or renews that of the last call."""
        values = flattened(variables, dtype)
        kept = getattr(self, "_position", None)
        if kept is not None and kept.shape == values.shape and kept.dtype is dtype:
            state = {name: getattr(self, f"_{name}") for name in self._state_names}
            is_same = reduce_all(equal(kept, values))
            state.update(self._restarted(state, is_same))
            state.update(position=values, trial=values, counts=zeros([COUNTS], dtypes.int32))
            self._keep(state)
            return
        first = self._first_state(flat_size(variables), dtype.as_numpy_dtype)
        with init_scope():
            for name, value in first.items():
                setattr(self, f"_{name}", Variable(value, trainable=False, name=name))
        self._state_names = tuple(first)
        self._begin(variables, dtype)

    def _keep(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            if value is not (kept := getattr(self, f"_{name}")):
                kept.assign(value)

    def _iterate(
        self, problem: Any, variables: Sequence[Any], dtype: dtypes.DType, limit: Any
    ) -> list[EagerTensor]:
        """Iterates until the limit or the end, and returns what an `OptimizationResult` holds."""
        names = self._state_names
        trial, counts = names.index("trial"), names.index("counts")
        most = UNLIMITED if self.max_evaluations is None else self.max_evaluations

        def goes_on(*state: EagerTensor) -> EagerTensor:
            is_open = state[counts][REASON] == GOING_ON
            return (
                is_open & (state[counts][ITERATIONS] < limit) & (state[counts][EVALUATIONS] < most)
            )

        def evaluated(*state: EagerTensor) -> list[EagerTensor]:
            assign_parts(variables, state[trial])
            found = self._evaluated(problem, variables, dtype)
            return self._advanced(found, list(state))

        state = while_loop(goes_on, evaluated, [convert(getattr(self, f"_{n}")) for n in names])
        last = dict(zip(names, state, strict=True))
        self._keep(last)
        assign_parts(variables, last["position"])
        done = last["counts"]
        is_at_limit = done[ITERATIONS] >= limit
        reached = where(is_at_limit, MAX_ITERATIONS_DONE, MAX_EVALUATIONS_DONE)
        reason = where(done[REASON] == GOING_ON, reached, done[REASON])
        numbers = last["numbers"]
        return [
            numbers[LOSS], numbers[GRADIENT_NORM], done[ITERATIONS], done[EVALUATIONS], reason,
        ]  # fmt: skip


class _Iterations:
    """What `minimize` makes a function of: an object, for each call of `minimize` has its own.

    That is no function which is made in a loop by mistake, of which Python functions are warned.
    """

    __name__ = __qualname__ = "minimize"

    def __init__(
        self, minimizer: Minimizer, problem: Any, variables: Sequence[Any], dtype: dtypes.DType
    ) -> None:
        self._arguments = problem, variables, dtype
        self._minimizer = minimizer

    def __call__(self, limit: Any) -> list[EagerTensor]:
        """Iterates until the limit or the end."""
        return self._minimizer._iterate(*self._arguments, limit)

    def __repr__(self) -> str:
        return f"{type(self._minimizer).__name__}.minimize"


def loss_and_gradient(
    loss: Callable[[], Any], variables: Sequence[Any], dtype: dtypes.DType
) -> list[EagerTensor]:
    """Computes a loss and its gradient as one vector.

    Args:
        loss: a function without arguments that returns a scalar.
        variables: the variables.
        dtype: the dtype of both results.

    Returns:
        The loss and the gradient.

    Raises:
        TypeError: if the loss is no real number.
        ValueError: if it is no scalar, or depends on none of the variables.
    """
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(variables)
        value = convert(loss())
        if value.shape.rank != 0:
            raise ValueError(MESSAGE_LOSS.format(f"it has the shape {value.shape}"))
        if not value.dtype.is_floating:
            raise TypeError(MESSAGE_LOSS.format(f"it is {value.dtype.name}"))
    gradients = tape.gradient(value, variables)
    return [cast(value, dtype), flattened(with_zeros(gradients, variables), dtype)]


def with_zeros(gradients: Sequence[Any], variables: Sequence[Any]) -> list[Any]:
    """Returns gradients with zeros in the place of those that do not exist.

    Raises:
        ValueError: if none exists.
    """
    missing = [v.name for v, g in zip(variables, gradients, strict=True) if g is None]
    if len(missing) == len(variables):
        raise ValueError(MESSAGE_NO_GRADIENT.format(missing))
    if missing:
        get_logger().warning(MESSAGE_SOME_GRADIENTS, missing)
    return [
        zeros(v.shape, v.dtype) if g is None else convert(g)
        for v, g in zip(variables, gradients, strict=True)
    ]


def checked_variables(var_list: Any) -> list[Any]:
    """Returns the variables of a nest, each once.

    Raises:
        TypeError: if something is no variable, or has no real floating dtype.
        ValueError: if there is none, or one has a constraint.
    """
    found: dict[int, Any] = {}
    for value in nest.flatten(var_list):
        if not isinstance(value, Variable):
            raise TypeError(MESSAGE_NOT_VARIABLE.format(value))
        if not dtypes.as_dtype(value.dtype).is_floating:
            raise TypeError(MESSAGE_DTYPE.format(value.name, dtypes.as_dtype(value.dtype).name))
        if getattr(value, "constraint", None) is not None:
            raise ValueError(MESSAGE_CONSTRAINT.format(value.name))
        found[id(value)] = value
    if not found:
        raise ValueError(MESSAGE_NO_VARIABLES)
    return list(found.values())


def common_dtype(variables: Sequence[Any]) -> dtypes.DType:
    """Returns the dtype to compute steps in: float64 if any variable has it, else float32."""
    names = {dtypes.as_dtype(variable.dtype).name for variable in variables}
    return dtypes.float64 if "float64" in names else dtypes.float32


def flat_size(variables: Sequence[Any]) -> int:
    """Returns how many numbers variables have together."""
    return sum(int(np.prod(tuple(variable.shape), dtype=int)) for variable in variables)


def flattened(values: Sequence[Any], dtype: dtypes.DType) -> EagerTensor:
    """Returns tensors or variables as one vector.

    Args:
        values: the tensors.
        dtype: the dtype of the vector.
    """
    return concat([reshape(cast(convert(value), dtype), [-1]) for value in values], 0)


def assign_parts(variables: Sequence[Any], vector: EagerTensor) -> None:
    """Assigns a vector to variables, each its part in its shape."""
    parts = split(vector, [flat_size([variable]) for variable in variables])
    for variable, part in zip(variables, parts, strict=True):
        variable.assign(reshape(cast(part, variable.dtype), variable.shape))


def checked_count(name: str, value: Any) -> int:
    """Returns a number of iterations or the like.

    Raises:
        ValueError: if it is no integer, or less than 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(MESSAGE_COUNT.format(name, value))
    return min(int(value), UNLIMITED)


def checked_tolerance(name: str, value: Any) -> float:
    """Returns a tolerance.

    Raises:
        ValueError: if it is negative or no number.
    """
    if not isinstance(value, int | float | np.number) or not value >= 0:
        raise ValueError(MESSAGE_TOLERANCE.format(name, value))
    return float(value)


def _wants_to_stop(
    callback: Callable[[OptimizationResult], Any], result: OptimizationResult
) -> Any:
    try:
        return callback(result)
    except StopIteration:  # as SciPy's minimizers have it
        return True
