"""TensorFlow's wordings of the errors that more than one op raises."""

from collections.abc import Iterable
from typing import Any

from tapefacade._core.errors import InvalidArgumentError, OpError
from tapefacade._core.traced_errors import mark_as_of_kernel, mark_as_of_types

MESSAGE_SINGLETON = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the "
    "tf.Variable is only created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)
MESSAGE_MIXED = "Can't convert Python sequence with mixed types to Tensor."
MESSAGE_ARGUMENTS = "`args` must be a list or tuple of arguments to `f`, not a {}"
MESSAGE_NONE = "None values not supported."
MESSAGE_RAGGED = "Can't convert non-rectangular Python sequence to Tensor."
MESSAGE_LARGE = "Can't convert Python sequence with out-of-range integer to Tensor."
MESSAGE_PARALLEL_ITERATIONS = "'parallel_iterations' must be a positive integer."
MESSAGE_BOTH = "Cannot specify both '{}' and '{}'."
MESSAGE_BOXES = "boxes must have 4 columns"
BEGIN_OF_REFUSAL = "Value for attr"


def kernel_prefix(kernel: str) -> str:
    """Writes how TensorFlow begins an error that it finds while it computes an op."""
    return (
        f"{{{{function_node __wrapped__{kernel}_device_/job:localhost/replica:0/task:0/"
        "device:CPU:0}} "
    )


def kernel_suffix(kernel: str) -> str:
    """Writes how TensorFlow ends the error of an op.

    >>> kernel_suffix("MatMul")
    ' [Op:MatMul] name: '
    """
    return f" [Op:{kernel}] name: "


def shape_text(shape: Iterable[Any]) -> str:
    """Writes a shape as TensorFlow's kernels do.

    >>> shape_text((2, 3))
    '[2,3]'
    """
    return f"[{','.join(map(str, shape))}]"


def no_batch_of_images(shape: Iterable[Any]) -> str:
    """Words that the input of a kernel for images has not four dimensions."""
    return f"input must be 4-dimensional{shape_text(shape)}"


def index_text(values: Iterable[Any]) -> str:
    """Writes an index as TensorFlow does.

    >>> index_text([0, 3])
    '[0, 3]'
    """
    return f"[{', '.join(str(int(v)) for v in values)}]"


def refused_value(attribute: str, given: str, allowed: Iterable[str], kernel: str = "") -> str:
    """Words that an attribute of an op has none of the allowed values.

    Args:
        attribute: TensorFlow's name of the attribute, such as `"T"`.
        given: the value, such as the kernel name of a dtype.
        allowed: the values it may have.
        kernel: the kernel, if TensorFlow names it here.

    Returns:
        The text.

    >>> refused_value("T", "bool", ("int32", "int64"))
    "Value for attr 'T' of bool is not in the list of allowed values: int32, int64"
    """
    node = f"\n\t; NodeDef: {{{{node {kernel}}}}}" if kernel else ""
    return (
        f"{BEGIN_OF_REFUSAL} '{attribute}' of {given} is not in the list of allowed values: "
        f"{', '.join(allowed)}{node}"
    )


def refused_choice(attribute: str, given: Any, choices: Iterable[str]) -> str:
    r"""Words that a text argument is none of the choices.

    >>> refused_choice("padding", "FULL", ("SAME", "VALID"))
    'Value for attr \'padding\' of "FULL" is not in the list of allowed values: "SAME", "VALID"'
    """
    return refused_value(attribute, f'"{given}"', [f'"{choice}"' for choice in choices])


def below_minimum(attribute: str, given: Any, minimum: int) -> str:
    """Words that an integer argument is too small.

    >>> below_minimum("num_split", 0, 1)
    "Value for attr 'num_split' of 0 must be at least minimum 1"
    """
    return f"{BEGIN_OF_REFUSAL} '{attribute}' of {given} must be at least minimum {minimum}"


def refuses_attribute(error: OpError) -> bool:
    """Tells whether an error is about an attribute of an op, wrong whatever the values are.

    >>> refuses_attribute(InvalidArgumentError(None, None, below_minimum("num_split", 0, 1)))
    True
    """
    return error.message.startswith(BEGIN_OF_REFUSAL)


def wrong_input(kernel: str, place: int, expected: str, given: str) -> str:
    """Words that an input of a kernel has a dtype that does not go with the others.

    >>> wrong_input("Mul", 1, "float", "double")
    'cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a double tensor'
    """  # noqa: E501
    return (
        f"cannot compute {kernel} as input #{place}(zero-based) was expected to be a {expected} "
        f"tensor but is a {given} tensor"
    )


def mixed_list(given: Any, wanted: Any, tensor: Any) -> str:
    """Words that a tensor in a list has another dtype than the list.

    >>> mixed_list(tf.int64, tf.int32, tf.constant(3, tf.int64))
    "Cannot convert a list containing a tensor of dtype <dtype: 'int64'> to <dtype: 'int32'> (Tensor is: <tf.Tensor: shape=(), dtype=int64, numpy=3>)"
    """  # noqa: E501
    return (
        f"Cannot convert a list containing a tensor of dtype {given} to {wanted} (Tensor is: "
        f"{tensor!r})"
    )


def reshape_sizes(given: Any, wanted: Any) -> str:
    """Words that a tensor has more or fewer values than a shape.

    >>> reshape_sizes(6, 4)
    'Input to reshape is a tensor with 6 values, but the requested shape has 4'
    """
    return f"Input to reshape is a tensor with {given} values, but the requested shape has {wanted}"


def matrix_sizes(first: str, second: str) -> str:
    """Words that two matrices cannot be multiplied.

    >>> matrix_sizes("[2,3]", "[2,3]")
    'Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]'
    """
    return f"Matrix size-incompatible: In[0]: {first}, In[1]: {second}"


def transpose_sizes(rank: int, given: int) -> str:
    """Words that a permutation has another length than a tensor has dimensions.

    >>> transpose_sizes(3, 2)
    'transpose expects a vector of size 3. But input(1) is a vector of size 2'
    """
    return f"transpose expects a vector of size {rank}. But input(1) is a vector of size {given}"


def too_many_indices(rank: int) -> str:
    """Words that more dimensions are indexed than there are.

    >>> too_many_indices(1)
    'Index out of range using input dim 1; input has only 1 dims'
    """
    return f"Index out of range using input dim {rank}; input has only {rank} dims"


def incompatible_dimensions(first: Any, second: Any) -> str:
    """Words that two sizes that should be equal are not.

    >>> incompatible_dimensions(2, 3)
    'Dimensions 2 and 3 are not compatible'
    """
    return f"Dimensions {first} and {second} are not compatible"


def negative_dimension(size: Any) -> str:
    """Words that a size is negative.

    >>> negative_dimension(-2)
    'Dimension -2 must be >= 0'
    """
    return f"Dimension {size} must be >= 0"


def incompatible_shapes(first: Any, second: Any) -> str:
    """Words that two shapes that should be equal are not.

    >>> incompatible_shapes((2,), (3,))
    'Shapes (2,) and (3,) are incompatible'
    """
    return f"Shapes {first} and {second} are incompatible"


def unequal_shapes(first: Any, second: Any) -> str:
    """Words that a kernel cannot combine two shapes element by element.

    >>> unequal_shapes("[2]", "[3]")
    'Incompatible shapes: [2] vs. [3]'
    """
    return f"Incompatible shapes: {first} vs. {second}"


def wrong_rank(shape: Any, rank: int) -> str:
    """Words that a shape has another rank than the one wanted.

    >>> wrong_rank((2, 3), 1)
    'Shape (2, 3) must have rank 1'
    """
    return f"Shape {shape} must have rank {rank}"


def rank_too_low(shape: Any, rank: int) -> str:
    """Words that a shape has too few dimensions.

    >>> rank_too_low((2, 3), 3)
    'Shape (2, 3) must have rank at least 3'
    """
    return f"Shape {shape} must have rank at least {rank}"


def input_rank_too_low(wanted: int, rank: int) -> str:
    """Words that the input of a kernel has too few dimensions.

    >>> input_rank_too_low(2, 1)
    'Shape must be at least rank 2 but is rank 1'
    """
    return f"Shape must be at least rank {wanted} but is rank {rank}"


def slice_out_of_bounds(index: int, dimension: int) -> str:
    """Words that an index is not within its dimension.

    >>> slice_out_of_bounds(5, 0)
    'slice index 5 of dimension 0 out of bounds.'
    """
    return f"slice index {index} of dimension {dimension} out of bounds."


def index_out_of_range(place: str, value: Any, limit: Any) -> str:
    """Words that a tensor of indices holds one that is too large or negative.

    >>> index_out_of_range("[0,1]", 7, 5)
    'indices[0,1] = 7 is not in [0, 5)'
    """
    return f"indices{place} = {value} is not in [0, {limit})"


def negative_multiple(place: int, given: Any) -> str:
    """Words that a tensor cannot be repeated less than no times.

    >>> negative_multiple(0, -1)
    'Expected multiples[0] >= 0, but got -1'
    """
    return f"Expected multiples[{place}] >= 0, but got {given}"


def unsupported_objects(kind: str) -> str:
    """Words that no tensor holds the objects of an array.

    >>> unsupported_objects("dict")
    'Failed to convert a NumPy array to a Tensor (Unsupported object type dict).'
    """
    return f"Failed to convert a NumPy array to a Tensor (Unsupported object type {kind})."


def no_dtype(value: Any) -> str:
    """Words that a value is no dtype, and names none.

    >>> no_dtype("float31")
    "Cannot convert the argument `type_value`: 'float31' to a TensorFlow DType."
    """
    return f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType."


def falling_range(start: Any, limit: Any) -> str:
    """Words that a range begins above its end.

    >>> falling_range(0, -1)
    'Requires start <= limit when delta > 0: 0/-1'
    """
    return f"Requires start <= limit when delta > 0: {start}/{limit}"


def invalid(message: str) -> InvalidArgumentError:
    """Makes the exception of an op that refuses its arguments."""
    return InvalidArgumentError(None, None, message)


def refused_by_kernel(message: str) -> InvalidArgumentError:
    """Makes the exception for what TensorFlow refuses where it computes, not where it traces."""
    return mark_as_of_kernel(invalid(message))


def refused_type(
    attribute: str, given: str, allowed: Iterable[str], kernel: str = ""
) -> InvalidArgumentError:
    """Makes the exception for an argument whose dtype is not among the `allowed` ones."""
    return invalid(refused_value(attribute, given, allowed, kernel))


def refused_input(kernel: str, place: int, expected: str, given: str) -> InvalidArgumentError:
    """Makes the exception of a kernel for an input that has the wrong dtype.

    Args:
        kernel: TensorFlow's name of the kernel.
        place: which input it is, counted from 0.
        expected: the kernel name of the dtype it should have.
        given: that of the dtype it has.

    Returns:
        The exception.
    """
    text = wrong_input(kernel, place, expected, given) + kernel_suffix(kernel)
    return mark_as_of_types(invalid(text))


def unsupported_value(value: Any) -> ValueError:
    """Makes the exception for a value that is nothing a tensor could hold, such as None."""
    error = ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)!r}) to a "
        "Tensor."
    )
    if value is None:
        error.add_note(
            "`tape.gradient` gives None for what was not watched, and for what the target does not "
            "depend on: `tape.explain(target, sources)` says which it is."
        )
    if hasattr(value, "element_spec"):
        error.add_note(
            "A dataset is no tensor: iterate over it. The elements of `window` are datasets; "
            "`flat_map(lambda window: window.batch(size))` makes tensors of them."
        )
    return error


def inconvertible(value: Any, kernel_name: str) -> TypeError:
    """Makes the exception for a Python value that cannot have a certain dtype."""
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {kernel_name}")


def inconvertible_argument(value: Any, kernel_name: str = "int32") -> TypeError:
    """Makes that exception for a static argument of an op, where a list has become a tuple."""
    return inconvertible(list(value) if isinstance(value, tuple) else value, kernel_name)


def no_text(value: Any) -> TypeError:
    """Makes the exception for a value that should be `str` or `bytes`."""
    return TypeError(f"Expected binary or unicode string, got {value!r}")


def reduction_axis_out_of_range(axis: int, rank: int) -> InvalidArgumentError:
    """Makes the exception for an axis that a reduced tensor does not have."""
    return invalid(f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)")


def reduction_axis_twice(axis: int) -> InvalidArgumentError:
    """Makes the exception for an axis that is named twice."""
    return invalid(f"Invalid reduction arguments: Axes contains duplicate dimension: {axis}")


def choice_no_scalar(shape: Iterable[int]) -> InvalidArgumentError:
    """Makes the exception for a condition, or the number of a branch, that is no scalar."""
    return invalid(f"The second input must be a scalar, but it has shape {list(shape)}")


def dtype_of_numbers(dtype: Any, accepted: Iterable[str]) -> ValueError:
    """Makes the exception for a dtype of which no random numbers are drawn."""
    names = ", ".join(f"tf.{name}" for name in accepted)
    return ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are ({names}).")


def stride_too_small(stride: int) -> InvalidArgumentError:
    """Makes the exception for a stride that is not positive."""
    return invalid(f"Stride must be > 0, but got {stride}")


def no_real_input(tensor: Any) -> ValueError:
    """Makes the exception of `rfft` for a tensor that is not real."""
    return ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {tensor!s}")


def no_complex_input(tensor: Any) -> ValueError:
    """Makes the exception of `irfft` for a tensor that is not complex."""
    return ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {tensor!s}")
