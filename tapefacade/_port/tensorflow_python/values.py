"""`tensor_util`, `tensor_shape`, `ops` and others: what is known of a value, and what it is."""

from collections.abc import Callable
from typing import Any

from tapefacade._core import dtypes, nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.type_spec import TypeSpec
from tapefacade._function.gradients.custom_gradient import custom_gradient
from tapefacade._ops.array.copying import identity
from tapefacade._ops.array.shapes import get_static_value, is_symbolic_tensor
from tapefacade._state.variable import Variable


def constant_value(tensor: Any, partial: bool = False) -> Any:
    """Returns the value of a tensor, if it is known without computing: `tf.get_static_value`.

    Args:
        tensor: a tensor.
        partial: of scalars that are stacked, return those that are known.
    """
    return get_static_value(tensor, partial)


def try_evaluate_constant(tensor: Any) -> Any:
    """Returns the value of a tensor, if it is known without computing.

    Args:
        tensor: a tensor.
    """
    return get_static_value(tensor)


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Reads a shape from a tensor, as far as it is known without computing.

    Args:
        tensor: a vector of sizes, -1 for one that is not known; or -1 for a shape of any rank.

    Returns:
        The shape.

    Raises:
        ValueError: if it is a scalar other than -1.

    >>> constant_value_as_shape(tf.constant([2, -1]))
    TensorShape([2, None])
    """
    tensor = convert(tensor)
    known = get_static_value(tensor, partial=True)
    if tensor.shape.rank == 0:
        if known is None or int(known) != -1:
            given = "with unknown value" if known is None else f"value '{known}'"
            raise ValueError(
                f"Received a scalar {given} as shape; require a statically known scalar with value "
                "'-1' to describe an unknown shape."
            )
        return TensorShape(None)
    if known is None:
        return TensorShape([None] * tensor.shape[0])
    return TensorShape([None if size is None or size < 0 else int(size) for size in known])


def unknown_shape(rank: int | None = None) -> TensorShape:
    """Makes a shape whose sizes are not known.

    Args:
        rank: the number of axes, None if it is not known.

    >>> unknown_shape(2)
    TensorShape([None, None])
    """
    return TensorShape(None if rank is None else [None] * rank)


def shape_tensor(shape: Any) -> EagerTensor:
    """Makes a tensor of a shape."""
    return convert(shape.as_list() if isinstance(shape, TensorShape) else shape, dtype=dtypes.int32)


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    """Returns a tensor through which no gradient may pass.

    Args:
        input: the tensor.
        message: why not.
        name: accepted for TensorFlow's sake.

    Returns:
        The tensor; a tape that meets it raises a LookupError.
    """

    @custom_gradient
    def pass_on(x: Any) -> tuple[Any, Callable[..., Any]]:
        def refuse(*gradients: Any) -> Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message}")

        return identity(x), refuse

    return pass_on(input)


def convert_variables_to_tensors(values: Any) -> Any:
    """Replaces the variables in a structure by their values.

    Args:
        values: the structure; also values made of others, which have `_type_spec`.

    Returns:
        The structure without variables.

    >>> convert_variables_to_tensors([tf.Variable(1.0)])[0].numpy()
    np.float32(1.0)
    """

    def convert_one(value: Any) -> Any:
        if isinstance(value, Variable):
            return convert(value)
        convert_own = getattr(value, "_convert_variables_to_tensors", None)
        return value if convert_own is None else convert_own()

    return nest.map_structure(convert_one, values)


def rows_of_tensor(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """Returns a part of a tensor: `tensor[slice_spec]`.

    Args:
        tensor: the tensor.
        slice_spec: what is between the brackets.
        var: accepted for TensorFlow's sake: parts of tensors are not assigned.
    """
    return convert(tensor)[slice_spec]


def rows_of_variable(var: Any, slice_spec: Any) -> Any:
    """Returns a part of a variable, or of what has its method `value`.

    Args:
        var: the variable.
        slice_spec: what is between the brackets.
    """
    if isinstance(var, Variable):
        return Variable.__getitem__(var, slice_spec)
    return convert(var.value())[slice_spec]


def is_resource_variable(value: Any) -> bool:
    """Tells whether a value is a variable."""
    return isinstance(value, Variable)


def is_sparse_like(value: Any) -> bool:
    """Tells whether a value is made of several tensors."""
    return isinstance(value, CompositeTensor)


def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Converts a value to a tensor, unless it is made of several.

    Args:
        value: the value.
        dtype: the dtype of the tensor.
        name: accepted for TensorFlow's sake.
    """
    return value if isinstance(value, CompositeTensor) else convert(value, dtype)


def executing_eagerly_outside_functions() -> bool:
    """Returns True: outside of functions there are no graphs."""
    return True


def numpy_text(tensor: Any, is_repr: bool = False) -> str:
    """Writes the value of a tensor as its text does.

    Args:
        tensor: the tensor.
        is_repr: as its repr does.
    """
    return repr(tensor._numpy_array()) if is_repr else str(tensor._numpy_array())


def is_symbolic(value: Any) -> bool:
    """Tells whether a tensor has no value because a `tf.function` is recorded."""
    return is_symbolic_tensor(value)


def is_type_spec(value: Any) -> bool:
    """Tells whether a value is a spec."""
    return isinstance(value, TypeSpec)
