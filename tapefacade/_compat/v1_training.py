"""Optimizers and the global step of TensorFlow 1: `tf.compat.v1.train`."""

from collections.abc import Iterable
from typing import Any

from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.missing_names import root_module
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import fill, ones, zeros
from tapefacade._ops.math.clipping import clip_by_value
from tapefacade._ops.math.elementary import sqrt, square
from tapefacade._state.disconnected_variables import add_reason
from tapefacade._state.variable import Variable

_GLOBAL_STEP: list[Variable] = []  # it, once it was made


@function("compat.v1.train.Optimizer")
class Optimizer:
    """Base class of the optimizers of TensorFlow 1, in eager execution.

    A subclass makes its variables in `_create_slots(var_list)`, and updates a variable in
    `_resource_apply_dense(grad, var)`; `_prepare()` is called before all updates, and `_finish()`
    behind them. New programs use `tf.keras.optimizers`.

    Unlike TensorFlow, gradients that are `tf.IndexedSlices` become dense ones, and checkpoints of
    TensorFlow's do not restore the variables.

    Args:
        use_locking: ignored.
        name: the name.
        use_own_namescope_for_non_slot_vars: ignored.

    Raises:
        ValueError: if there is no name.

    >>> x = tf.Variable(3.0)
    >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.5)
    >>> optimizer.minimize(lambda: x**2)
    >>> x.numpy()
    np.float32(0.0)

    See https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/Optimizer.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(
        self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False
    ) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._non_slots: dict[str, Variable] = {}

    def get_name(self) -> str:
        """Returns the name."""
        return self._name

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Variable]]:
        """Computes the gradients of a loss.

        Args:
            loss: a function without arguments that returns it.
            var_list: the variables; by default the trainable ones that the function reads.
            gate_gradients: ignored.
            aggregation_method: ignored.
            colocate_gradients_with_ops: ignored.
            grad_loss: the gradient of something else with respect to the loss, by default ones.

        Returns:
            A list of pairs, each a gradient (or None) and its variable.

        Raises:
            RuntimeError: if the loss is no function.
        """
        if not callable(loss):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        with root_module().GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
        variables = list(tape.watched_variables() if var_list is None else _listed(var_list))
        gradients = tape.gradient(value, variables, grad_loss)
        return list(zip(gradients, variables, strict=True))

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> None:
        """Updates variables.

        Args:
            grads_and_vars: pairs as `compute_gradients` returns them.
            global_step: a variable to which one is added, or None.
            name: ignored.
            skip_gradients_aggregation: ignored.

        Raises:
            ValueError: if there are no variables, or none has a gradient.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        used = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
        if not used:
            names = [str(variable) for _, variable in pairs]
            error = ValueError(f"No gradients provided for any variable: {names}.")
            add_reason(error, [variable for _, variable in pairs])
            raise error
        self._create_slots([variable for _, variable in used])
        self._prepare()
        for gradient, variable in used:
            if isinstance(gradient, CompositeTensor):
                gradient = convert_to_tensor(gradient)
            self._resource_apply_dense(convert(gradient), variable)
        self._finish()
        if global_step is not None:
            global_step.assign_add(1)

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> None:
        """Computes the gradients of a loss, and updates the variables.

        Args:
            loss: as for `compute_gradients`.
            global_step: as for `apply_gradients`.
            var_list: as for `compute_gradients`.
            gate_gradients: ignored.
            aggregation_method: ignored.
            colocate_gradients_with_ops: ignored.
            name: ignored.
            grad_loss: as for `compute_gradients`.

        Raises:
            RuntimeError: if the loss is no function.
            ValueError: if no variable has a gradient.
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        self.apply_gradients(pairs, global_step)

    # The variables of the optimizer.

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """Returns what the optimizer holds for a variable, None if there is none.

        Args:
            var: the variable.
            name: one of `get_slot_names`.
        """
        return self._slots.get(name, {}).get(var.ref())

    def get_slot_names(self) -> list[str]:
        """Lists the names of what the optimizer holds for each variable."""
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """Lists the optimizer's own variables."""
        slots = [slot for slots in self._slots.values() for slot in slots.values()]
        return sorted([*self._non_slots.values(), *slots], key=lambda variable: variable.name)

    def _make_slot(self, variable: Variable, name: str, value: Any) -> None:
        """Makes what is held for a variable, unless it is there."""
        slots = self._slots.setdefault(name, {})
        if variable.ref() not in slots:
            number = sum(variable.ref() in others for others in self._slots.values())
            own = f"{variable.name.removesuffix(':0')}/{self._name}{f'_{number}' if number else ''}"
            slots[variable.ref()] = Variable(value, trainable=False, name=own)

    def _make_non_slot(self, name: str, value: Any, like: Variable) -> None:
        """Makes what is held once for all variables, unless it is there."""
        if name not in self._non_slots:
            first = _number(value, like)
            self._non_slots[name] = Variable(first, trainable=False, name=name)

    # What subclasses say.

    def _create_slots(self, var_list: list[Variable]) -> None:
        """Makes the variables that updates need."""

    def _prepare(self) -> None:
        """Is called before variables are updated."""

    def _finish(self) -> None:
        """Is called when variables have been updated."""

    def _resource_apply_dense(self, grad: EagerTensor, var: Variable) -> None:
        raise hinted(
            TypeError(f"{type(self).__name__} does not say how variables are updated."),
            "Define `_resource_apply_dense(self, grad, var)`.",
        )


def _listed(variables: Any) -> list[Variable]:
    return list(variables) if isinstance(variables, Iterable) else [variables]


def _number(value: Any, variable: Variable) -> EagerTensor:
    """Returns a hyperparameter, maybe a function of nothing, in the dtype of a variable."""
    return cast(convert(value() if callable(value) else value), variable.dtype)


@function("compat.v1.train.GradientDescentOptimizer")
class GradientDescentOptimizer(Optimizer):
    """Gradient descent, as TensorFlow 1 has it.

    Args:
        learning_rate: a number, a tensor, or a function without arguments that returns one.
        use_locking: ignored.
        name: the name.

    >>> x = tf.Variable([1.0, 2.0])
    >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.5)
    >>> optimizer.apply_gradients([(tf.constant([1.0, 2.0]), x)])
    >>> x.numpy()
    array([0.5, 1. ], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/GradientDescentOptimizer.
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _resource_apply_dense(self, grad: EagerTensor, var: Variable) -> None:
        var.assign_sub(_number(self._learning_rate, var) * grad)


@function("compat.v1.train.AdagradOptimizer")
class AdagradOptimizer(Optimizer):
    """Adagrad, as TensorFlow 1 has it: without an epsilon.

    Args:
        learning_rate: a number, a tensor, or a function without arguments that returns one.
        initial_accumulator_value: what sums of squares begin with.
        use_locking: ignored.
        name: the name.

    Raises:
        ValueError: if the initial value is not positive.

    >>> x = tf.Variable([1.0, 2.0])
    >>> tf.compat.v1.train.AdagradOptimizer(0.5).apply_gradients([(tf.constant([1.0, 2.0]), x)])
    >>> x.numpy()
    array([0.52..., 1.50...], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdagradOptimizer.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._first = initial_accumulator_value

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            first = fill(variable.shape.as_list(), convert(self._first, variable.dtype))
            self._make_slot(variable, "accumulator", first)

    def _resource_apply_dense(self, grad: EagerTensor, var: Variable) -> None:
        total: Any = self.get_slot(var, "accumulator")
        total.assign_add(square(grad))
        var.assign_sub(_number(self._learning_rate, var) * grad / sqrt(total))


@function("compat.v1.train.AdamOptimizer")
class AdamOptimizer(Optimizer):
    """Adam, as TensorFlow 1 has it: epsilon is added before the correction of the bias.

    Args:
        learning_rate: a number, a tensor, or a function without arguments that returns one.
        beta1: how much of the mean of gradients stays at each step, likewise.
        beta2: how much of the mean of their squares stays.
        epsilon: is added to the denominator.
        use_locking: ignored.
        name: the name.
        use_own_namescope_for_non_slot_vars: ignored.

    >>> x = tf.Variable([1.0, 2.0])
    >>> tf.compat.v1.train.AdamOptimizer(0.5).apply_gradients([(tf.constant([1.0, 2.0]), x)])
    >>> x.numpy()
    array([0.5..., 1.5...], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdamOptimizer.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._epsilon = learning_rate, epsilon
        self._betas = {"beta1_power": beta1, "beta2_power": beta2}

    def _create_slots(self, var_list: list[Variable]) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        for name, beta in self._betas.items():
            self._make_non_slot(name, beta, first)
        for variable in var_list:
            for name in ("m", "v"):
                self._make_slot(variable, name, zeros(variable.shape, variable.dtype))

    def _resource_apply_dense(self, grad: EagerTensor, var: Variable) -> None:
        beta1, beta2 = (_number(beta, var) for beta in self._betas.values())
        power1, power2 = (cast(self._non_slots[name], var.dtype) for name in self._betas)
        mean, squares = self._slots["m"][var.ref()], self._slots["v"][var.ref()]
        mean.assign_add((grad - mean) * (1 - beta1))
        squares.assign_add((square(grad) - squares) * (1 - beta2))
        rate = _number(self._learning_rate, var) * sqrt(1 - power2) / (1 - power1)
        var.assign_sub(rate * mean / (sqrt(squares) + _number(self._epsilon, var)))

    def _finish(self) -> None:
        for name, beta in self._betas.items():
            power = self._non_slots[name]
            power.assign(power * _number(beta, power))


@function("compat.v1.train.MomentumOptimizer")
class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum, as TensorFlow 1 has it: the rate is not part of the momentum.

    Args:
        learning_rate: a number, a tensor, or a function without arguments that returns one.
        momentum: how much of the sum of gradients stays at each step, likewise.
        use_locking: ignored.
        name: the name.
        use_nesterov: whether the gradient is added once more, as Nesterov does.

    >>> x = tf.Variable([1.0, 2.0])
    >>> optimizer = tf.compat.v1.train.MomentumOptimizer(0.5, 0.9)
    >>> optimizer.apply_gradients([(tf.constant([1.0, 2.0]), x)])
    >>> x.numpy()
    array([0.5, 1. ], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/MomentumOptimizer.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            self._make_slot(variable, "momentum", zeros(variable.shape, variable.dtype))

    def _resource_apply_dense(self, grad: EagerTensor, var: Variable) -> None:
        rate, momentum = _number(self._learning_rate, var), _number(self._momentum, var)
        total: Any = self.get_slot(var, "momentum")
        total.assign(total * momentum + grad)
        if self._use_nesterov:
            var.assign_sub(grad * rate + total * momentum * rate)
        else:
            var.assign_sub(rate * total)


@function("compat.v1.train.RMSPropOptimizer")
class RMSPropOptimizer(Optimizer):
    """RMSProp, as TensorFlow 1 has it: epsilon is under the root, means of squares begin with one.

    Args:
        learning_rate: a number, a tensor, or a function without arguments that returns one.
        decay: how much of the mean of squares stays at each step, likewise.
        momentum: how much of the last update is part of the next.
        epsilon: is added to the mean of squares.
        use_locking: ignored.
        centered: whether the variance is taken in the place of the mean of squares.
        name: the name.

    >>> x = tf.Variable([1.0, 2.0])
    >>> tf.compat.v1.train.RMSPropOptimizer(0.5).apply_gradients([(tf.constant([1.0, 2.0]), x)])
    >>> x.numpy()
    array([0.5..., 1.12...], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/RMSPropOptimizer.
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay = learning_rate, decay
        self._momentum, self._epsilon = momentum, epsilon
        self._centered = centered

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            self._make_slot(variable, "rms", ones(variable.shape, variable.dtype))
            if self._centered:
                self._make_slot(variable, "mg", zeros(variable.shape, variable.dtype))
            self._make_slot(variable, "momentum", zeros(variable.shape, variable.dtype))

    def _resource_apply_dense(self, grad: EagerTensor, var: Variable) -> None:
        decay, epsilon = _number(self._decay, var), _number(self._epsilon, var)
        squares: Any = self.get_slot(var, "rms")
        update: Any = self.get_slot(var, "momentum")
        squares.assign_add((square(grad) - squares) * (1 - decay))
        spread = squares + epsilon
        if self._centered:
            mean: Any = self.get_slot(var, "mg")
            mean.assign_add((grad - mean) * (1 - decay))
            spread = squares - square(mean) + epsilon
        rate = _number(self._learning_rate, var)
        update.assign(update * _number(self._momentum, var) + rate * grad / sqrt(spread))
        var.assign_sub(update)


@function("compat.v1.train.AdadeltaOptimizer")
class AdadeltaOptimizer(Optimizer):
    """Adadelta, as TensorFlow 1 has it.

    Args:
        learning_rate: a number, a tensor, or a function without arguments that returns one.
        rho: how much of the means of squares stays at each step, likewise.
        epsilon: is added to these.
        use_locking: ignored.
        name: the name.

    >>> x = tf.Variable([1.0, 2.0])
    >>> tf.compat.v1.train.AdadeltaOptimizer(1.0).apply_gradients([(tf.constant([1.0, 2.0]), x)])
    >>> x.numpy()
    array([0.999..., 1.999...], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdadeltaOptimizer.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            for name in ("accum", "accum_update"):
                self._make_slot(variable, name, zeros(variable.shape, variable.dtype))

    def _resource_apply_dense(self, grad: EagerTensor, var: Variable) -> None:
        rho, epsilon = _number(self._rho, var), _number(self._epsilon, var)
        squares: Any = self.get_slot(var, "accum")
        updates: Any = self.get_slot(var, "accum_update")
        squares.assign(squares * rho + square(grad) * (1 - rho))
        update = sqrt(updates + epsilon) / sqrt(squares + epsilon) * grad
        updates.assign(updates * rho + square(update) * (1 - rho))
        var.assign_sub(update * _number(self._learning_rate, var))


@function("compat.v1.train.FtrlOptimizer")
class FtrlOptimizer(Optimizer):
    """Follow the regularized leader, as TensorFlow 1 has it.

    McMahan et al., "Ad Click Prediction: a View from the Trenches", KDD 2013.

    Args:
        learning_rate: a number, a tensor, or a function without arguments that returns one.
        learning_rate_power: the power of the sum of squares that divides it, not positive.
        initial_accumulator_value: what sums of squares begin with.
        l1_regularization_strength: the weight of the sum of absolute values.
        l2_regularization_strength: the weight of the sum of squares.
        use_locking: ignored.
        name: the name.
        accum_name: ignored.
        linear_name: ignored.
        l2_shrinkage_regularization_strength: the weight of the sum of squares in the loss itself.
        beta: what is added to the power of the sum of squares.

    Raises:
        ValueError: if a weight is negative, or the power positive.

    >>> x = tf.Variable([1.0, 2.0])
    >>> tf.compat.v1.train.FtrlOptimizer(0.5).apply_gradients([(tf.constant([1.0, 2.0]), x)])
    >>> x.numpy()
    array([0.22..., 1.19...], dtype=float32)

    See https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/FtrlOptimizer.
    """

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        for key, value in {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }.items():
            if value < 0.0:
                raise ValueError(f"{key} {value:f} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        self._learning_rate, self._power = learning_rate, learning_rate_power
        self._first, self._l1 = initial_accumulator_value, l1_regularization_strength
        self._l2, self._shrinkage = l2_regularization_strength, l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            first = fill(variable.shape.as_list(), convert(self._first, variable.dtype))
            self._make_slot(variable, "accum", first)
            self._make_slot(variable, "linear", zeros(variable.shape, variable.dtype))

    def _resource_apply_dense(self, grad: EagerTensor, var: Variable) -> None:
        rate, power = _number(self._learning_rate, var), -_number(self._power, var)
        total: Any = self.get_slot(var, "accum")
        linear: Any = self.get_slot(var, "linear")
        before, after = total**power, (total + square(grad)) ** power
        shrunk = grad + _number(2.0 * self._shrinkage, var) * var
        linear.assign_add(shrunk - (after - before) / rate * var)
        total.assign_add(square(grad))
        bound = _number(self._l1, var)
        curvature = (after + _number(self._beta, var)) / rate + _number(2.0 * self._l2, var)
        chosen = (clip_by_value(linear, -bound, bound) - linear) / curvature
        var.assign(chosen)


@function("compat.v1.train.get_global_step")
def get_global_step(graph: Any = None) -> Variable | None:
    """Returns the variable that counts steps, None unless it was made.

    Args:
        graph: ignored.

    >>> step = tf.compat.v1.train.get_or_create_global_step()
    >>> tf.compat.v1.train.get_global_step() is step
    True
    """
    return _GLOBAL_STEP[0] if _GLOBAL_STEP else None


@function("compat.v1.train.get_or_create_global_step")
def get_or_create_global_step(graph: Any = None) -> Variable:
    """Returns the variable that counts steps, an int64; the first call makes it.

    Args:
        graph: ignored.

    >>> tf.compat.v1.train.get_or_create_global_step().dtype
    tf.int64
    """
    if not _GLOBAL_STEP:
        first = zeros([], "int64")
        _GLOBAL_STEP.append(Variable(first, trainable=False, name="global_step"))
    return _GLOBAL_STEP[0]


@function("compat.v1.train.create_global_step")
def create_global_step(graph: Any = None) -> Variable:
    """Makes the variable that counts steps.

    Args:
        graph: ignored.

    Raises:
        ValueError: if it was made before.

    >>> step = tf.compat.v1.train.get_or_create_global_step()
    >>> tf.compat.v1.train.create_global_step()
    Traceback (most recent call last):
    ValueError: "global_step" already exists.
    """
    if _GLOBAL_STEP:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step()
