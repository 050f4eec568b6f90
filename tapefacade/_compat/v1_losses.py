"""Losses of TensorFlow 1 with weights: `tf.compat.v1.losses`.

Unlike TensorFlow's, they are not added to collections: there are no graphs that hold any.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._config.settings import executing_eagerly
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import MESSAGE_BOTH
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import stop_gradient
from tapefacade._ops.array.creation import range as range_op
from tapefacade._ops.array.shaping import broadcast_to, squeeze
from tapefacade._ops.math.arithmetic import add_n, maximum, minimum, squared_difference
from tapefacade._ops.math.comparison import not_equal
from tapefacade._ops.math.division import divide_no_nan
from tapefacade._ops.math.elementary import abs as abs_op, log, square
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._ops.nn.activation import relu
from tapefacade._ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)

BY_NONZERO = "weighted_sum_by_nonzero_weights"


@function("compat.v1.losses.Reduction")
class Reduction:
    """How the losses of the elements become one number.

    >>> tf.compat.v1.losses.Reduction.SUM
    'weighted_sum'
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = BY_NONZERO
    SUM_OVER_NONZERO_WEIGHTS = BY_NONZERO

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Lists the ways."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, BY_NONZERO, BY_NONZERO)

    @classmethod
    def validate(cls, key: str) -> None:
        """Refuses what is none of the ways.

        Raises:
            ValueError: if `key` is unknown.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def _check_weights(weights: EagerTensor, values: EagerTensor) -> None:
    given, wanted = weights.shape.as_list(), values.shape.as_list()
    if not given:
        return
    received = f"Received weights={weights.numpy()}, values={values.numpy()}"
    if len(given) != len(wanted):
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={len(wanted)}. "
            f"weights.rank={len(given)}. values.shape={values.shape}. "
            f"weights.shape={weights.shape}. {received}"
        )
    for axis, (n, m) in enumerate(zip(given, wanted, strict=True)):
        if n not in (1, m):
            raise ValueError(
                f"weights can not be broadcast to values. Mismatch at dim {axis}. "
                f"values.shape={wanted}, weights.shape={given}. {received}"
            )


def broadcast_weights(weights: Any, values: Any) -> EagerTensor:
    """Broadcasts weights to the shape of values, which must have as many axes.

    Args:
        weights: a scalar, or a tensor of the rank of `values`, of sizes 1 or those of `values`.
        values: a tensor.

    Returns:
        A tensor of the shape and dtype of `values`.

    Raises:
        ValueError: if the shapes do not fit.

    >>> broadcast_weights([[1.0], [2.0]], tf.zeros([2, 2])).numpy()
    array([[1., 1.],
           [2., 2.]], dtype=float32)
    """
    values = convert(values)
    weights = convert(weights, values.dtype)
    _check_weights(weights, values)
    return broadcast_to(weights, values.shape)


@function("compat.v1.losses.compute_weighted_loss")
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """Weighs losses and makes one number of them.

    Args:
        losses: a tensor `[batch, ...]`.
        weights: a number, or a tensor that can be broadcast to the losses.
        scope: ignored.
        loss_collection: ignored.
        reduction: a `tf.compat.v1.losses.Reduction`.

    Returns:
        A scalar float tensor; with `Reduction.NONE` one of the shape of the losses.

    Raises:
        ValueError: if the weights do not fit, or the reduction is unknown.

    >>> tf.compat.v1.losses.compute_weighted_loss([1.0, 3.0]).numpy()
    np.float32(2.0)
    """
    Reduction.validate(reduction)
    given = convert(losses)
    values = cast(given, "float32")
    factors = cast(convert(weights), "float32")
    _check_weights(factors, values)
    weighted = values * factors
    if reduction != Reduction.NONE:
        total = reduce_sum(weighted)
        if reduction == Reduction.SUM:
            weighted = total
        elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
            weighted = divide_no_nan(total, float(values._type.size))
        else:
            every = broadcast_to(factors, values.shape)
            if reduction == BY_NONZERO:
                every = cast(not_equal(every, 0.0), "float32")
            weighted = divide_no_nan(total, reduce_sum(every))
    return cast(weighted, given.dtype)


def _floats(*values: Any) -> list[Any]:
    return [cast(convert(value), "float32") for value in values]


def _pair(labels: Any, predictions: Any) -> tuple[Any, Any]:
    for name, value in (("labels", labels), ("predictions", predictions)):
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")
    expected, given = _floats(labels, predictions)
    given.shape.assert_is_compatible_with(expected.shape)
    return expected, given


def _elementwise(name: str, compute: Callable[..., Any], text: str, shown: str) -> None:
    """Registers a loss of labels and predictions that is computed element by element."""

    def loss(
        labels: Any,
        predictions: Any,
        weights: Any = 1.0,
        scope: Any = None,
        loss_collection: Any = "losses",
        reduction: str = BY_NONZERO,
    ) -> Any:
        values = compute(*_pair(labels, predictions))
        return compute_weighted_loss(values, weights, reduction=reduction)

    loss.__name__ = loss.__qualname__ = name
    loss.__doc__ = f"""{text}

    Args:
        labels: the true values.
        predictions: the predicted ones, a tensor of the same shape.
        weights: a number, or a tensor that can be broadcast to the labels.
        scope: ignored.
        loss_collection: ignored.
        reduction: a `tf.compat.v1.losses.Reduction`.

    Returns:
        A scalar float tensor.

    Raises:
        ValueError: if the shapes or weights do not fit.

    >>> tf.compat.v1.losses.{name}([1.0, 2.0], [2.0, 4.0]).numpy()
    np.float32({shown})
    """
    function(f"compat.v1.losses.{name}")(loss)
    globals()[name] = loss


_elementwise(
    "absolute_difference",
    lambda y, x: abs_op(x - y),
    "Computes the mean absolute difference.",
    "1.5",
)
_elementwise(
    "mean_squared_error",
    lambda y, x: squared_difference(x, y),
    "Computes the mean squared difference.",
    "2.5",
)


@function("compat.v1.losses.huber_loss")
def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """Computes Huber's loss: quadratic for errors up to `delta`, then linear.

    Args:
        labels: the true values.
        predictions: the predicted ones, a tensor of the same shape.
        weights: a number, or a tensor that can be broadcast to the labels.
        delta: where it becomes linear.
        scope: ignored.
        loss_collection: ignored.
        reduction: a `tf.compat.v1.losses.Reduction`.

    Returns:
        A scalar float tensor.

    >>> tf.compat.v1.losses.huber_loss([1.0, 5.0], [2.0, 2.0]).numpy()
    np.float32(1.5)
    """
    expected, given = _pair(labels, predictions)
    error = abs_op(given - expected)
    quadratic = minimum(error, delta)
    values = 0.5 * quadratic * quadratic + delta * (error - quadratic)
    return compute_weighted_loss(values, weights, reduction=reduction)


@function("compat.v1.losses.hinge_loss")
def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """Computes the hinge loss of binary labels.

    Args:
        labels: 0 or 1.
        logits: the predictions, a tensor of the same shape.
        weights: a number, or a tensor that can be broadcast to the labels.
        scope: ignored.
        loss_collection: ignored.
        reduction: a `tf.compat.v1.losses.Reduction`.

    Returns:
        A scalar float tensor.

    >>> tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 0.25]).numpy()
    np.float32(0.875)
    """
    expected, given = _pair(labels, logits)
    values = relu(1.0 - (2.0 * expected - 1.0) * given)
    return compute_weighted_loss(values, weights, reduction=reduction)


@function("compat.v1.losses.log_loss")
def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """Computes the cross entropy of binary labels and predicted probabilities.

    Args:
        labels: 0 or 1, or probabilities.
        predictions: the predicted probabilities, a tensor of the same shape.
        weights: a number, or a tensor that can be broadcast to the labels.
        epsilon: what is added in the logarithms.
        scope: ignored.
        loss_collection: ignored.
        reduction: a `tf.compat.v1.losses.Reduction`.

    Returns:
        A scalar float tensor.

    >>> tf.compat.v1.losses.log_loss([1.0], [0.5]).numpy()
    np.float32(0.693147)
    """
    expected, given = _pair(labels, predictions)
    values = -expected * log(given + epsilon) - (1.0 - expected) * log(1.0 - given + epsilon)
    return compute_weighted_loss(values, weights, reduction=reduction)


@function("compat.v1.losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """Computes the cross entropy of labels and the sigmoid of logits.

    Args:
        multi_class_labels: 0 or 1.
        logits: a floating tensor of the same shape.
        weights: a number, or a tensor that can be broadcast to the labels.
        label_smoothing: how far the labels are moved towards 1/2.
        scope: ignored.
        loss_collection: ignored.
        reduction: a `tf.compat.v1.losses.Reduction`.

    Returns:
        A scalar float tensor.

    >>> tf.compat.v1.losses.sigmoid_cross_entropy([1.0], [0.0]).numpy()
    np.float32(0.693147)
    """
    given = convert(logits)
    expected = cast(convert(multi_class_labels), given.dtype)
    given.shape.assert_is_compatible_with(expected.shape)
    if label_smoothing > 0:
        expected = expected * (1.0 - label_smoothing) + 0.5 * label_smoothing
    values = sigmoid_cross_entropy_with_logits(labels=expected, logits=given)
    return compute_weighted_loss(values, weights, reduction=reduction)


@function("compat.v1.losses.softmax_cross_entropy")
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """Computes the cross entropy of one-hot labels and the softmax of logits.

    Args:
        onehot_labels: the labels, `[batch, classes]`.
        logits: a floating tensor `[batch, classes]`.
        weights: a number, or a tensor `[batch]`.
        label_smoothing: how far the labels are moved towards a uniform distribution.
        scope: ignored.
        loss_collection: ignored.
        reduction: a `tf.compat.v1.losses.Reduction`.

    Returns:
        A scalar float tensor. Its gradient goes to the logits only.

    >>> tf.compat.v1.losses.softmax_cross_entropy([[1.0, 0.0]], [[1.0, 1.0]]).numpy()
    np.float32(0.693147)
    """
    given = convert(logits)
    expected = cast(convert(onehot_labels), given.dtype)
    given.shape.assert_is_compatible_with(expected.shape)
    if label_smoothing > 0:
        classes = expected.shape.as_list()[1]
        expected = expected * (1.0 - label_smoothing) + label_smoothing / classes
    expected = stop_gradient(expected)
    values = softmax_cross_entropy_with_logits(labels=expected, logits=given)
    return compute_weighted_loss(values, weights, reduction=reduction)


@function("compat.v1.losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """Computes the cross entropy of labels by number and the softmax of logits.

    Args:
        labels: the classes, `[batch]`, integers; a last dimension of size 1 is dropped.
        logits: a floating tensor `[batch, classes]`.
        weights: a number, or a tensor `[batch]`.
        scope: ignored.
        loss_collection: ignored.
        reduction: a `tf.compat.v1.losses.Reduction`.

    Returns:
        A scalar float tensor.

    >>> tf.compat.v1.losses.sparse_softmax_cross_entropy([1], [[1.0, 1.0]]).numpy()
    np.float32(0.693147)
    """
    given, classes = convert(logits), convert(labels)
    if len(classes.shape) == len(given.shape) and classes.shape.as_list()[-1] == 1:
        classes = squeeze(classes, [-1])
    values = sparse_softmax_cross_entropy_with_logits(labels=classes, logits=given)
    factors = convert(np.float32(weights) if isinstance(weights, int | float) else weights)
    if len(factors.shape) == len(values.shape) + 1:
        factors = squeeze(factors, [-1])
    return compute_weighted_loss(values, factors, reduction=reduction)


@function("compat.v1.losses.cosine_distance")
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
    dim: int | None = None,
) -> Any:
    """Computes 1 minus the product of labels and predictions, summed over an axis.

    Args:
        labels: vectors of length 1.
        predictions: vectors of length 1, a tensor of the same shape.
        axis: the axis of the vectors.
        weights: a number, or a tensor that can be broadcast to the losses, whose size is 1 along
            the axis.
        scope: ignored.
        loss_collection: ignored.
        reduction: a `tf.compat.v1.losses.Reduction`.
        dim: another name for `axis`.

    Returns:
        A scalar float tensor; with `Reduction.NONE` one loss for each pair of vectors.

    Raises:
        ValueError: if there is no axis, or a tensor is missing or has the wrong shape.

    >>> tf.compat.v1.losses.cosine_distance([[1.0, 0.0]], [[0.6, 0.8]], axis=1).numpy()
    np.float32(0.4)
    """
    if dim is not None and axis is not None:
        raise ValueError(MESSAGE_BOTH.format("dim", "axis"))
    along = dim if axis is None else axis
    if along is None:
        raise ValueError("You must specify argument `axis`.")
    expected, given = _pair(labels, predictions)
    values = 1.0 - reduce_sum(given * expected, (along,), keepdims=True)
    return compute_weighted_loss(values, weights, reduction=reduction)


@function("compat.v1.losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
) -> Any:
    """Computes how far differences between predictions are from those between labels, squared.

    The mean is over all pairs of elements of an example, and these means are added up. Outside of
    functions and with one weight for all, TensorFlow counts the elements of all examples as those
    of each one; so does this.

    Args:
        labels: a tensor `[batch, ...]`.
        predictions: a tensor of the same shape.
        weights: a number, or a tensor that can be broadcast to the labels.
        scope: ignored.
        loss_collection: ignored.

    Returns:
        A scalar float tensor.

    Raises:
        ValueError: if a tensor is missing or has the wrong shape.

    >>> tf.compat.v1.losses.mean_pairwise_squared_error([[0.0, 1.0]], [[0.0, 3.0]]).numpy()
    np.float32(4.0)
    """
    expected, given = _pair(labels, predictions)
    factors = cast(convert(weights), "float32")
    _check_weights(factors, expected)
    differences = given - expected
    axes = tuple(range_op(1, len(differences.shape)).numpy().tolist())

    def summed(values: Any) -> Any:
        return reduce_sum(values, axes, keepdims=True)

    if executing_eagerly() and not factors.shape.rank and factors.numpy():
        count = float(differences._type.size)
    else:
        count = summed(cast(not_equal(broadcast_to(factors, differences.shape), 0.0), "float32"))
    squares = divide_no_nan(summed(square(differences)), maximum(count - 1.0, 0.0))
    common = divide_no_nan(square(summed(differences)), maximum(count * (count - 1.0), 0.0))
    return reduce_sum(factors * (2.0 * squares - 2.0 * common))


@function("compat.v1.losses.add_loss")
def add_loss(loss: Any, loss_collection: Any = "losses") -> None:
    """Does nothing, as TensorFlow with eager execution: nobody would know when to forget the loss.

    Args:
        loss: a tensor.
        loss_collection: ignored.

    >>> tf.compat.v1.losses.add_loss(tf.constant(1.0))
    """


@function("compat.v1.losses.get_losses")
def get_losses(scope: Any = None, loss_collection: Any = "losses") -> list[EagerTensor]:
    """Returns the losses of a collection: none, see `tf.compat.v1.losses.add_loss`.

    Args:
        scope: ignored.
        loss_collection: ignored.

    Returns:
        An empty list.

    >>> tf.compat.v1.losses.get_losses()
    []
    """
    return []


@function("compat.v1.losses.get_regularization_losses")
def get_regularization_losses(scope: Any = None) -> list[EagerTensor]:
    """Returns the losses of regularizers: none are kept, read `model.losses`.

    Args:
        scope: ignored.

    Returns:
        An empty list.

    >>> tf.compat.v1.losses.get_regularization_losses()
    []
    """
    return []


@function("compat.v1.losses.get_regularization_loss")
def get_regularization_loss(
    scope: Any = None, name: str = "total_regularization_loss"
) -> EagerTensor:
    """Returns the sum of the losses of regularizers, of which none are kept.

    Args:
        scope: ignored.
        name: ignored.

    Returns:
        A scalar tensor: 0.

    >>> tf.compat.v1.losses.get_regularization_loss().numpy()
    np.float32(0.0)
    """
    return convert(np.float32(0.0))


@function("compat.v1.losses.get_total_loss")
def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: Any = None
) -> EagerTensor:
    """Raises, as TensorFlow with eager execution: no losses are kept that could be added up.

    Args:
        add_regularization_losses: ignored.
        name: ignored.
        scope: ignored.

    Raises:
        ValueError: always.

    >>> tf.compat.v1.losses.get_total_loss()
    Traceback (most recent call last):
    ValueError: Inputs must be an iterable of at least one Tensor/IndexedSlices with the same ...
    """
    return add_n(get_losses())
