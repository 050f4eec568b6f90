"""Losses of single examples, and their averages over batches: `tf.nn.*_loss`, cross entropies."""

import math
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import replica_places
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.error_texts import invalid, refused_type, reshape_sizes, shape_text
from tapefacade._core.kernel_dtypes import FLOATS_COMPLEX, FLOATS_HALF_FIRST, INDICES
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.argument_checks import check_broadcast
from tapefacade._definition.op import Check, FreeTensor, TensorLike, function, op

LONG_STIRLING = 2 * np.pi


@function("nn.sigmoid_cross_entropy_with_logits", dispatch=True, elementwise=2)
def sigmoid_cross_entropy_with_logits(
    labels: TensorLike = None, logits: TensorLike = None, name: None = None
) -> EagerTensor:
    """Computes the cross entropy of independent yes-no decisions.

    Args:
        labels: the probabilities of yes, a floating tensor.
        logits: the logarithms of the odds predicted for yes, of the same shape and type.
        name: ignored.

    Returns:
        A tensor of the shape and type of `logits`.

    Raises:
        ValueError: if the shapes differ, or a tensor is missing.
        InvalidArgumentError: if the types differ, or are not floating.

    >>> tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    if labels is None or logits is None:
        raise ValueError(
            "Both `labels` and `logits` must be provided for sigmoid_cross_entropy_with_logits"
            f"Received: labels={labels} and logits={logits}"
        )
    return _sigmoid_cross_entropy(logits, labels)


@op("_sigmoid_cross_entropy", kernel="Mul", dtypes=FLOATS_COMPLEX)
def _sigmoid_cross_entropy(logits: TensorLike, labels: TensorLike) -> jax.Array:
    """Computes `tf.nn.sigmoid_cross_entropy_with_logits`."""
    _check_same_shape("logits", logits, "labels", labels)
    zero = jnp.zeros((), logits.dtype)
    positive = logits >= 0
    above = jnp.where(positive, logits, zero)
    below = jnp.where(positive, -logits, logits)
    return above - logits * labels + jnp.log1p(jnp.exp(below))


def _check_same_shape(
    first_name: str, first: jax.Array, second_name: str, second: jax.Array
) -> None:
    if first.shape != second.shape:
        raise ValueError(
            f"`{first_name}` and `{second_name}` must have the same shape, received "
            f"({first.shape} vs {second.shape})."
        )


@function("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: TensorLike, name: None = None
) -> EagerTensor:
    """Computes the cross entropy of yes-no decisions where a missed yes costs `pos_weight`.

    Args:
        labels: the probabilities of yes, a floating tensor.
        logits: the logarithms of the odds predicted for yes, of the same shape and type.
        pos_weight: the weight of the positive examples, a number or tensor that broadcasts.
        name: ignored.

    Returns:
        A tensor of the shape and type of `logits`.

    Raises:
        ValueError: if the shapes differ.
        InvalidArgumentError: if the types differ, or are not floating.

    >>> tf.nn.weighted_cross_entropy_with_logits([1.0], [0.0], 2.0).numpy().round(4)
    array([1.3863], dtype=float32)
    """
    return _weighted_cross_entropy(logits, labels, pos_weight)


@op("_weighted_cross_entropy", kernel="Mul", dtypes=FLOATS_COMPLEX)
def _weighted_cross_entropy(
    logits: TensorLike, labels: TensorLike, pos_weight: TensorLike
) -> jax.Array:
    """Computes `tf.nn.weighted_cross_entropy_with_logits`."""
    _check_same_shape("logits", logits, "labels", labels)
    one = jnp.ones((), logits.dtype)
    weight = one + (pos_weight - one) * labels
    # The sign of 0 is 0, so that |x| has the derivative 0 there, as in TensorFlow.
    size = logits * jnp.sign(logits)
    below = jnp.where(logits < 0, -logits, jnp.zeros((), logits.dtype))
    return (one - labels) * logits + weight * (jnp.log1p(jnp.exp(-size)) + below)


@function("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: FreeTensor, logits: TensorLike, axis: int = -1, name: None = None
) -> EagerTensor:
    """Computes the cross entropy between class probabilities.

    The gradient with respect to `logits` is `softmax(logits) - labels`: `labels` is expected to
    sum to 1. As in TensorFlow it does not depend on `labels` when it is differentiated again.

    Args:
        labels: the probabilities of the classes, a tensor of shape `[..., C]`; one row of them
            goes with all logits.
        logits: the predicted logarithms of the odds, a floating tensor of shape `[..., C]`.
        axis: the dimension of the classes.
        name: ignored.

    Returns:
        A tensor of the type of `logits` and its shape without `axis`.

    Raises:
        InvalidArgumentError: if the shapes do not fit together, or `logits` is not floating.

    >>> logits = [[0.0, 0.0]]
    >>> tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], logits).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    return _softmax_cross_entropy(logits, labels, axis)


@op("_softmax_cross_entropy", kernel="SoftmaxCrossEntropyWithLogits", dtypes=FLOATS_HALF_FIRST)
def _softmax_cross_entropy(logits: TensorLike, labels: FreeTensor, axis: int) -> jax.Array:
    """Computes `tf.nn.softmax_cross_entropy_with_logits`."""
    rank = logits.ndim
    if not -rank <= axis < rank:
        raise invalid(f"`axis` must be in the range [{-rank}, {rank}). Received: axis={axis}")
    dtype = logits.dtype
    logits, labels = (jnp.moveaxis(x, axis, -1) for x in (_wide(logits), labels))
    labels, outer = labels.astype(logits.dtype), logits.shape[:-1]
    logits, labels = (
        jnp.reshape(x, (math.prod(x.shape[:-1]), *x.shape[-1:])) for x in (logits, labels)
    )
    try:
        shape = np.broadcast_shapes(logits.shape, labels.shape)
    except ValueError:
        raise invalid(
            f"logits and labels must be broadcastable: logits_size={shape_text(logits.shape)} "
            f"labels_size={shape_text(labels.shape)}",
        ) from None
    if shape[0] != math.prod(outer):
        raise invalid(reshape_sizes(shape[0], math.prod(outer)))
    logits, labels = (jnp.broadcast_to(x, shape) for x in (logits, labels))
    return jnp.reshape(_cross_entropy(logits, labels), outer).astype(dtype)


def _wide(logits: jax.Array) -> jax.Array:
    """Returns 16-bit numbers in single precision, in which TensorFlow computes these losses."""
    return logits.astype(np.float32) if logits.dtype.itemsize == 2 else logits


@jax.custom_jvp
def _cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    return -jnp.sum(labels * _log_softmax(logits), -1)


@_cross_entropy.defjvp
def _cross_entropy_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    (logits, labels), (logits_tangent, labels_tangent) = primals, tangents
    logarithms = _log_softmax(logits)
    difference = jnp.exp(logarithms) - _held(labels, logarithms)
    tangent = difference * logits_tangent - logarithms * labels_tangent
    return _cross_entropy(logits, labels), jnp.sum(tangent, -1)


@jax.custom_jvp
def _held(labels: jax.Array, logarithms: jax.Array) -> jax.Array:
    """Returns `labels`, with derivatives that are zeros (those of `stop_gradient` are None)."""
    return labels


@_held.defjvp
def _held_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """Multiplies with zero times the logarithms, which is nan where TensorFlow's gradient is."""
    labels, logarithms = primals
    return labels, tangents[0] * (logarithms * jnp.zeros((), logarithms.dtype))


def _log_softmax(logits: jax.Array) -> jax.Array:
    shifted = logits - lax.stop_gradient(jnp.max(logits, -1, keepdims=True, initial=-jnp.inf))
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted), -1, keepdims=True))


@function("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    labels: FreeTensor, logits: TensorLike, name: None = None
) -> EagerTensor:
    """Computes the cross entropy for examples of which each belongs to one class.

    Args:
        labels: the numbers of the classes, an integer tensor of shape `[...]`.
        logits: the predicted logarithms of the odds, a floating tensor of shape `[..., C]`.
        name: ignored.

    Returns:
        A tensor of the shape of `labels` and the type of `logits`.

    Raises:
        ValueError: if the shapes do not fit together.
        InvalidArgumentError: if a label is no number of a class, or a type is unsuitable.

    >>> logits = [[0.0, 0.0]]
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1], logits).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    return _sparse_cross_entropy(logits, labels)


def _labels_in_range(logits: Any, labels: Any) -> tuple[Any, ...]:
    library = np if isinstance(labels, np.ndarray) else jnp  # on the host NumPy is much faster
    return (library.all((labels >= 0) & (labels < logits.shape[-1])), labels, logits.shape[-1])


def label_error(labels: np.ndarray, classes: np.ndarray) -> Exception:
    """Makes the error for labels that are no number of a class.

    Args:
        labels: all of them.
        classes: how many classes there are.
    """
    worst = labels.min() if labels.min() < 0 else labels.max()
    values = " ".join(str(x) for x in labels.ravel())
    return invalid(
        f"Received a label value of {worst} which is outside the valid range of [0, {classes}).  "
        f"Label values: {values}",
    )


@op(
    "_sparse_cross_entropy",
    kernel="SparseSoftmaxCrossEntropyWithLogits",
    dtypes=FLOATS_HALF_FIRST,
    check=Check(values=("labels",), test=_labels_in_range, error=label_error),
)
def _sparse_cross_entropy(logits: TensorLike, labels: FreeTensor) -> jax.Array:
    """Computes `tf.nn.sparse_softmax_cross_entropy_with_logits`."""
    _check_sparse(labels, logits)
    wide = _wide(logits)
    shifted = wide - lax.stop_gradient(jnp.max(wide, -1, keepdims=True))
    total = jnp.log(jnp.sum(jnp.exp(shifted), -1))
    # A comparison fuses with the sum, where taking elements by index would not.
    classes = lax.broadcasted_iota(labels.dtype, shifted.shape, shifted.ndim - 1)
    chosen = jnp.where(classes == labels[..., None], shifted, jnp.zeros((), shifted.dtype))
    return (total - jnp.sum(chosen, -1)).astype(logits.dtype)


def _check_sparse(labels: jax.Array, logits: jax.Array) -> None:
    if logits.ndim == 0:
        raise ValueError("`logits` cannot be a scalar. Received logits of shape ()")
    if labels.ndim != logits.ndim - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
            f"labels.shape={labels.shape} of rank {labels.ndim} and "
            f"logits.shape={logits.shape} of rank {logits.ndim}"
        )
    if labels.shape != logits.shape[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} and logits.shape={logits.shape}"
        )
    kind = as_dtype(labels.dtype).kernel_name
    if kind not in INDICES:
        raise refused_type("Tlabels", kind, INDICES)
    if logits.shape[-1] == 0:
        raise invalid(
            f"Must have at least one class, but got logits shape {shape_text(logits.shape)}",
        )


@op("nn.l2_loss", kernel="L2Loss", dtypes=FLOATS_HALF_FIRST, raw_op=True)
def l2_loss(t: TensorLike) -> jax.Array:
    """Computes half the sum of the squares of all elements.

    Args:
        t: a floating tensor.

    Returns:
        A scalar of the type of `t`.

    Raises:
        InvalidArgumentError: if `t` is not floating.

    >>> tf.nn.l2_loss([3.0, 4.0]).numpy()
    np.float32(12.5)
    """
    return jnp.sum(t * t) / jnp.asarray(2, t.dtype)


@op("nn.log_poisson_loss", kernel="Mul", dtypes=FLOATS_COMPLEX)
def log_poisson_loss(
    targets: TensorLike, log_input: TensorLike, compute_full_loss: bool = False
) -> jax.Array:
    """Computes minus the logarithm of the probability that a Poisson variable is `targets`.

    Args:
        targets: the observed numbers, a floating tensor.
        log_input: the logarithms of the expected numbers, of the same shape and type.
        compute_full_loss: add Stirling's approximation of the logarithm of the factorial of
            `targets`, which does not depend on `log_input`.

    Returns:
        A tensor of the shape and type of `log_input`.

    Raises:
        ValueError: if the shapes differ.
        InvalidArgumentError: if the types differ, or are not floating.

    >>> tf.nn.log_poisson_loss([1.0], [0.0]).numpy()
    array([1.], dtype=float32)
    """
    _check_same_shape("log_input", log_input, "targets", targets)
    result = jnp.exp(log_input) - log_input * targets
    if not compute_full_loss:
        return result
    half, circle = (jnp.asarray(x, targets.dtype) for x in (0.5, LONG_STIRLING))
    stirling = targets * jnp.log(targets) - targets + half * jnp.log(circle * targets)
    small = (targets >= 0) & (targets <= 1)
    return result + jnp.where(small, jnp.zeros((), targets.dtype), stirling)


OptionalFree = Annotated[Any, "free", "optional"]


@function("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> EagerTensor:
    """Sums the losses of examples and divides by the size of the batch of all replicas.

    Args:
        per_example_loss: a tensor of shape `[B, ...]`.
        sample_weight: weights that broadcast to it, possibly without its last dimension.
        global_batch_size: the divisor, by default B times the number of replicas.

    Returns:
        A scalar of the type of `per_example_loss`, float64 if it holds integers; 0 for an empty
        batch.

    Raises:
        ValueError: if `per_example_loss` is a scalar, or `global_batch_size` is none.
        TypeError: if `global_batch_size` is no integer.
        InvalidArgumentError: if it is negative, or the shapes do not fit together.
        RuntimeError: in the scope of a strategy, but in no replica, if no size is given.

    >>> tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=4).numpy()
    np.float32(0.75)
    """
    replicas = 1 if global_batch_size is not None else _replicas("compute_average_loss")
    return _average_loss(per_example_loss, sample_weight, global_batch_size, replicas)


@op("_average_loss", kernel="Mul")
def _average_loss(
    per_example_loss: FreeTensor, sample_weight: OptionalFree, global_batch_size: Any, replicas: int
) -> jax.Array:
    """Does what `compute_average_loss` says."""
    if per_example_loss.ndim == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            "Received per_example_loss of shape () with rank 0"
        )
    losses = per_example_loss
    if sample_weight is not None:
        losses = _scaled(losses, sample_weight)
    total = jnp.sum(losses, dtype=losses.dtype)
    size = losses.shape[0] * replicas
    if global_batch_size is not None:
        size = _checked_size(global_batch_size)
    if jnp.issubdtype(total.dtype, jnp.integer):
        total = total.astype(np.float64)
    return total / jnp.asarray(size, total.dtype) if size else total * jnp.zeros((), total.dtype)


def _replicas(function: str) -> int:
    """Returns the number of replicas.

    Raises:
        RuntimeError: in the scope of a strategy, but in no replica.
    """
    if replica_places.THREAD.places and replica_places.THREAD.places[-1].replica is None:
        raise RuntimeError(
            f"You are calling `{function}` in cross replica context, while it was expected to be "
            "called in replica context."
        )
    return replica_places.replica_count()


def _checked_size(size: Any) -> int:
    if isinstance(size, tuple):
        raise ValueError(
            "global_batch_size must be scalar..  Expected scalar shape, saw shape: "
            f"{np.shape(size)}."
        )
    if not isinstance(size, int):
        raise TypeError(
            'global_batch_size must be an integer..  Expected "x" to be integer type.  Found: '
            "tensor of dtype <dtype: 'float32'>"
        )
    if size < 0:
        raise invalid(
            "global_batch_size must be non-negative..  \nCondition x >= 0 did not hold "
            f"element-wise:\nx (shape=() dtype=int32) = \n{size}",
        )
    return size


def _scaled(losses: jax.Array, weights: jax.Array) -> jax.Array:
    """Multiplies in single precision, as TensorFlow does."""
    result, scale = losses.astype(np.float32), weights.astype(np.float32)
    if scale.ndim == result.ndim + 1 and scale.shape[-1] == 1:
        scale = scale[..., 0]
    elif scale.ndim and scale.ndim == result.ndim - 1:
        scale = scale[..., None]
    check_broadcast(result, scale)
    return (result * scale).astype(losses.dtype)


@function("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> EagerTensor:
    """Sums losses that do not depend on the examples, each replica's share of them.

    Args:
        regularization_loss: a tensor of any shape.

    Returns:
        A scalar of the type of `regularization_loss`, float64 if it holds integers.

    Raises:
        RuntimeError: in the scope of a strategy, but in no replica.

    >>> tf.nn.scale_regularization_loss([1.0, 2.0]).numpy()
    np.float32(3.0)
    """
    return _regularization_loss(regularization_loss, _replicas("scale_regularization_loss"))


@op("_regularization_loss", kernel="RealDiv")
def _regularization_loss(regularization_loss: FreeTensor, replicas: int) -> jax.Array:
    """Does what `scale_regularization_loss` says."""
    total = jnp.sum(regularization_loss, dtype=regularization_loss.dtype)
    if jnp.issubdtype(total.dtype, jnp.integer):
        total = total.astype(np.float64)
    return total if replicas == 1 else total / jnp.asarray(replicas, total.dtype)
