"""The parts that means and variances are made of, and a normalization from before Keras."""

from typing import Any

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.normalization import batch_normalization
from tapefacade._ops.op import NoGradient, TensorLike, function, op


@function("nn.sufficient_statistics")
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[EagerTensor, EagerTensor, EagerTensor, EagerTensor | None]:
    """Computes the number, the sum and the sum of squares of elements.

    Args:
        x: a numeric tensor.
        axes: the dimensions to reduce, a list.
        shift: is subtracted before, which keeps the sums exact if it is near the mean; or None.
        keepdims: keep the reduced dimensions with size 1.
        name: ignored.

    Returns:
        The number of the elements, their sum, the sum of their squares, and the shift, for
        `tf.nn.normalize_moments`.

    Raises:
        TypeError: if `axes` is no list.
        IndexError: if there is no such dimension.

    >>> count, total, squares, _ = tf.nn.sufficient_statistics([1.0, 3.0], [0])
    >>> count.numpy(), total.numpy(), squares.numpy()
    (np.float32(2.0), np.float32(4.0), np.float32(10.0))
    """
    tensor = convert_to_tensor(x)
    places = list(set(axes))
    count, shape = 1, tensor.shape.as_list()
    for axis in places:
        count *= shape[axis]
    shifted = tensor
    if shift is not None:
        shift = convert_to_tensor(shift, tensor.dtype)
        shifted = tensor - shift
    reduce_sum = FUNCTIONS["reduce_sum"]
    total = reduce_sum(shifted, places, keepdims)
    squares = reduce_sum(FUNCTIONS["square"](shifted), places, keepdims)
    return convert_to_tensor(count, tensor.dtype), total, squares, shift


@function("nn.normalize_moments")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[EagerTensor, EagerTensor]:
    """Computes the mean and the variance from what `tf.nn.sufficient_statistics` returns.

    Args:
        counts: the number of the elements.
        mean_ss: their sum.
        variance_ss: the sum of their squares.
        shift: what was subtracted from them before, or None.
        name: ignored.

    Returns:
        The mean and the variance.

    >>> mean, variance = tf.nn.normalize_moments(2.0, 4.0, 10.0, None)
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(1.0))
    """
    inverse = FUNCTIONS["math.reciprocal"](counts)
    shifted = FUNCTIONS["multiply"](mean_ss, inverse)
    squares = FUNCTIONS["multiply"](variance_ss, inverse)
    mean = shifted if shift is None else FUNCTIONS["add"](shifted, shift)
    return mean, squares - FUNCTIONS["square"](shifted)


@function("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> EagerTensor:
    """Normalizes images by the mean and variance of each channel; see `tf.nn.batch_normalization`.

    Args:
        input: a tensor of four dimensions, the channels last.
        mean: the mean of each channel.
        variance: the variance of each channel.
        beta: what is added to the normalized channel.
        gamma: what it is multiplied with before, if `scale_after_normalization`.
        variance_epsilon: a small number that is added to the variance.
        scale_after_normalization: whether `gamma` counts.
        name: ignored.

    Returns:
        A tensor of the shape and type of `input`.

    Raises:
        InvalidArgumentError: if the shapes or types do not fit together.

    >>> zero, one = tf.constant([0.0]), tf.constant([1.0])
    >>> x = [[[[3.0]]]]
    >>> tf.nn.batch_norm_with_global_normalization(x, one, one, zero, one, 0.0, False).numpy()
    array([[[[2.]]]], dtype=float32)
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


@op("guarantee_const", gradient=NoGradient("GuaranteeConst"))
def guarantee_const(input: TensorLike) -> Any:
    """Returns a tensor of which the program promises that it never changes.

    It has no gradient, as in TensorFlow.

    Args:
        input: a tensor.

    Returns:
        The same values.

    >>> tf.guarantee_const([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    return input
