"""Layers of TensorFlow 1 that libraries take from `tf_keras`: their variables are in scopes.

They are `get_variable`'s, so a template (`tf.compat.v1.make_template`) shares them over its calls.
"""

from typing import Any

from tapefacade._compat.v1_initializers import Zeros
from tapefacade._compat.v1_scopes import VariableScope, get_variable, variable_scope
from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.missing_names import root_module
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.linalg.products import tensordot


class Dense:
    """A dense layer, `activation(inputs @ kernel + bias)`.

    Args:
        units: the size of the outputs.
        activation: a function, or what Keras calls it; None for none.
        use_bias: whether there is a bias.
        kernel_initializer: an initializer of TensorFlow 1 or a function of the shape and the dtype;
            by default Glorot's.
        bias_initializer: that of the bias.
        kernel_regularizer: ignored: there are no collections of losses. So are `bias_regularizer`
            and `activity_regularizer`.
        kernel_constraint: as of `tf.Variable`.
        bias_constraint: likewise.
        trainable: whether tapes watch the variables.
        name: the name of the scope of the variables; by default `dense`, `dense_1` and so on.
        dtype: that of the variables, by default that of the inputs.
        _scope: a scope that was opened before.
        _reuse: ignored: templates share variables, and nothing else does.
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        _scope: Any = None,
        _reuse: bool | None = None,
    ) -> None:
        self.units, self.use_bias, self.trainable, self.dtype = units, use_bias, trainable, dtype
        self.activation = root_module().keras.activations.get(activation)
        self._of_kernel = {"initializer": kernel_initializer, "constraint": kernel_constraint}
        self._of_bias = {"initializer": bias_initializer or Zeros(), "constraint": bias_constraint}
        self._scope: VariableScope | str | None = _scope or name

    def __call__(self, inputs: Any) -> EagerTensor:
        """Computes the outputs; the first call makes the variables.

        Args:
            inputs: a floating tensor `[..., n]`.

        Returns:
            A tensor `[..., units]`.
        """
        inputs = convert_to_tensor(inputs, dtype_hint=dtypes.float32)
        given: dict[str, Any] = {"dtype": self.dtype or inputs.dtype, "trainable": self.trainable}
        if not hasattr(self, "kernel"):
            with variable_scope(self._scope, default_name="dense") as self._scope:
                sizes = [inputs.shape[-1], self.units]
                self.kernel = get_variable("kernel", sizes, **given, **self._of_kernel)
                self.bias = None
                if self.use_bias:
                    self.bias = get_variable("bias", [self.units], **given, **self._of_bias)
        outputs = tensordot(inputs, self.kernel, 1)
        if self.bias is not None:
            outputs = outputs + self.bias
        return self.activation(outputs)

    apply = __call__


def dense(inputs: Any, units: int, *args: Any, reuse: Any = None, **kwargs: Any) -> EagerTensor:
    """Computes a dense layer; see `Dense`.

    Args:
        inputs: a floating tensor `[..., n]`.
        units: the size of the outputs.
        *args: further arguments of `Dense`.
        reuse: ignored.
        **kwargs: likewise.

    Returns:
        A tensor `[..., units]`.
    """
    return Dense(units, *args, **kwargs)(inputs)
