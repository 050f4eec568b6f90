"""`tf.train.ExponentialMovingAverage`: averages of variables over the steps of a training."""

from collections.abc import Iterable
from typing import Any

from tapefacade._core import dtypes
from tapefacade._core.tensor import hinted
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.math.arithmetic import minimum
from tapefacade._state.variable import Variable
from tapefacade._tape.init_scope import init_scope
from tapefacade._trace.recording import THREAD

FLOATS = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


def _value_outside(variable: Variable) -> Any:
    """Returns the value that a variable had before the functions that run."""
    value, frame = None, THREAD.recording.frame
    while frame is not None:
        value = frame.assigned.get(id(variable), (None, value))[1]
        frame = frame.outer
    return variable.read_value() if value is None else value


@function("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Keeps averages of variables in which what was long ago counts less and less.

    An average begins with the value that its variable has at the first `apply`.

    Args:
        decay: how much of the average each step keeps, such as 0.999.
        num_updates: the number of steps so far, if the first ones are to count more: the decay is
            then at most `(1 + num_updates) / (10 + num_updates)`.
        zero_debias: of no effect, as in TensorFlow for variables that have values at once.
        name: what the names of the averages end with.

    >>> v = tf.Variable(1.0)
    >>> averages = tf.train.ExponentialMovingAverage(0.9)
    >>> averages.apply([v])
    >>> _ = v.assign(2.0)
    >>> averages.apply([v])
    >>> averages.average(v).numpy()
    np.float32(1.1)
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """What the names of the averages end with."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> None:
        """Makes the averages of variables that have none, and takes the values into account.

        Args:
            var_list: variables of floating types. By default those of a graph, of which there are
                none.

        Raises:
            TypeError: if something is no variable, or not of a floating type.
        """
        variables = list(var_list or ())
        for variable in variables:
            self._require_floating_variable(variable)
        for variable in variables:
            if variable.ref() not in self._averages:
                value = _value_outside(variable)
                with init_scope():
                    self._averages[variable.ref()] = Variable(
                        value, trainable=False, name=self.average_name(variable)
                    )
        for variable in variables:
            average = self._averages[variable.ref()]
            change = (average - variable) * cast(1.0 - self._decay_now(), average.dtype)
            average.assign_sub(change)

    def _require_floating_variable(self, variable: Any) -> None:
        if not isinstance(variable, Variable):
            raise hinted(
                TypeError(
                    "tf.train.ExponentialMovingAverage does not support non-Variable tensors when "
                    "eager execution is enabled."
                ),
                "Put the value in a tf.Variable and assign it at every step.",
            )
        if variable.dtype not in FLOATS:
            raise TypeError(f"The variables must be half, float, or double: {variable.name}")

    def _decay_now(self) -> Any:
        if self._num_updates is None:
            return self._decay
        count = cast(self._num_updates, dtypes.float32)
        return minimum(self._decay, (1.0 + count) / (10.0 + count))

    def average(self, var: Any) -> Variable | None:
        """Returns the variable that holds the average of a variable; None before `apply`.

        Args:
            var: the variable.
        """
        return self._averages.get(var.ref())

    def average_name(self, var: Any) -> str:
        """Returns the name of the average of a variable.

        Args:
            var: the variable.
        """
        known = self._averages.get(var.ref())
        name = var.name if known is None else known.name
        name = name.removesuffix(":0")
        return name if known is not None else f"{name}/{self._name}"

    def variables_to_restore(self, moving_avg_variables: Iterable[Any] | None = None) -> dict:
        """Returns by the names of averages what to restore from a checkpoint of them.

        Args:
            moving_avg_variables: the variables that have averages.

        Returns:
            The variables, each by the name of its average.
        """
        return {self.average_name(variable): variable for variable in moving_avg_variables or ()}
