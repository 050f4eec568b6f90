"""Counts in bins: `histogram_fixed_width`, `bincount`, `confusion_matrix`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import invalid, shape_text, wrong_input
from tapefacade._core.kernel_dtypes import BINCOUNT_WEIGHTS, INDICES
from tapefacade._definition.argument_checks import as_integer, require_type
from tapefacade._definition.op import (
    Check,
    FreeTensor,
    NoGradient,
    NotDifferentiable,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.creation import ones
from tapefacade._ops.array.shaping import reshape, squeeze
from tapefacade._trace.open_sizes import with_unknown_axes

MESSAGE_NEGATIVE = "Input arr must be non-negative! [Op:DenseBincount] name: "


def unsupported_axis(axis: Any) -> str:
    """Words that numbers are not counted along an axis."""
    return f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."


def _bins_wanted(nbins: Any) -> int:
    if isinstance(nbins, tuple):
        raise invalid("nbins should be a scalar.")
    if as_integer(nbins) <= 0:
        raise invalid(f"nbins should be a positive number, but got '{nbins}'")
    return nbins


def _histogram_test(values: Any, value_range: Any, nbins: Any, dtype: Any) -> tuple[Any, ...]:
    if jnp.issubdtype(values.dtype, jnp.floating):
        defined = ~jnp.any(jnp.isnan(values))
    else:
        defined = jnp.array(True)
    ordered = value_range[0] < value_range[1]
    return defined & ordered, ordered, value_range


def _histogram_error(ordered: Any, value_range: Any, nbins: Any, dtype: Any) -> Exception:
    if not ordered:
        return invalid(
            "value_range should satisfy value_range[0] < value_range[1], but got "
            f"'[{value_range[0]:g}, {value_range[1]:g}]'"
        )
    return invalid("Histogram values must not contain NaN")


@op(
    "histogram_fixed_width",
    gradient=NoGradient("HistogramFixedWidth"),
    dtypes=BINCOUNT_WEIGHTS,
    check=Check(("values", "value_range"), _histogram_test, _histogram_error),
)
def histogram_fixed_width(
    values: TensorLike, value_range: TensorLike, nbins: int = 100, dtype: Any = dtypes.int32
) -> jax.Array:
    """Counts values in bins of equal width.

    Args:
        values: numbers, of any shape.
        value_range: the lower end of the first and the upper end of the last bin, `[2]`; what lies
            outside counts in the nearest bin.
        nbins: the number of bins.
        dtype: the dtype of the result, int32 or int64.

    Returns:
        A vector of `nbins` counts.

    Raises:
        InvalidArgumentError: if the range is empty, a value is nan, or `nbins` is not positive.

    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 1, 0, 2], dtype=int32)
    """
    result_type = require_type("dtype", dtype, INDICES)
    if value_range.shape != (2,):
        raise invalid("value_range should be a vector of 2 elements.")
    count = _bins_wanted(nbins)
    low, high = value_range[0], value_range[1]
    step = (high.astype(np.float64) - low.astype(np.float64)) / count
    above = (jnp.maximum(jnp.ravel(values), low) - low).astype(np.float64)
    bins = jnp.minimum(above / step, count - 1.0).astype(np.int32)
    return jnp.zeros((count,), result_type).at[bins].add(jnp.ones(bins.shape, result_type))


@op("histogram_fixed_width_bins", kernel="Mul", gradient=NotDifferentiable())
def histogram_fixed_width_bins(
    values: TensorLike, value_range: TensorLike, nbins: int = 100, dtype: Any = dtypes.int32
) -> jax.Array:
    """Finds the bin of each value, of bins of equal width.

    Args:
        values: floating numbers, of any shape.
        value_range: the lower end of the first and the upper end of the last bin, `[2]`; what lies
            outside counts as in the nearest bin.
        nbins: the number of bins.
        dtype: ignored, as in TensorFlow.

    Returns:
        An int32 tensor in the shape of `values`.

    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 2, 4], dtype=int32)
    """
    if not jnp.issubdtype(values.dtype, jnp.floating):
        raise invalid(wrong_input("Mul", 1, str(values.dtype), "double"))
    count = as_integer(nbins)
    if count <= 0:
        raise invalid(f"nbins {count} must be > 0")
    scaled = (values - value_range[0]) / (value_range[1] - value_range[0])
    last = jnp.asarray(count - 1, values.dtype)
    bins = jnp.floor(scaled * jnp.asarray(count, values.dtype))
    return jnp.clip(bins, jnp.zeros_like(last), last).astype(np.int32)


@op("_dense_bincount", kernel="DenseBincount", gradient=NoGradient("DenseBincount"))
def _dense_bincount(
    arr: FreeTensor, weights: FreeTensor, size: int, axis: Any, binary_output: bool
) -> jax.Array:
    """Adds up `weights` by the non-negative integers in `arr`, for a known number of bins."""

    def count(values: Any, amounts: Any) -> Any:
        zeros = jnp.zeros((size,), amounts.dtype)
        if binary_output:
            return zeros.at[values].set(jnp.ones_like(amounts), mode="drop")
        return zeros.at[values].add(amounts, mode="drop")

    if axis == -1 and arr.ndim == 2:
        return jax.vmap(count)(arr, weights)
    return count(jnp.ravel(arr), jnp.ravel(weights))


def _number_of_bins(arr: Any, minlength: Any, maxlength: Any) -> int:
    """Returns the length of the result of `bincount`."""
    values = arr.numpy()
    if np.any(values < 0):
        raise invalid(MESSAGE_NEGATIVE)
    size = int(np.max(values)) + 1 if values.size else 0
    if minlength is not None:
        size = max(size, int(minlength))
    if maxlength is not None:
        size = min(size, int(maxlength))
    if size < 0:
        raise invalid(f"size ({size}) must be non-negative [Op:DenseBincount] name: ")
    return size


def _integers_to_count(arr: Any, axis: int | None) -> Any:
    """Converts what is counted to a tensor of integers, and checks it."""
    arr = convert_to_tensor(arr)
    if not arr.dtype.is_integer:
        arr = cast(arr, dtypes.int32)
    require_type("Tidx", arr.dtype, INDICES)
    if axis == -1 and arr.ndim > 2:
        raise invalid(
            f"Shape must be at most rank 2 but is rank {arr.ndim} [Op:DenseBincount] name: "
        )
    return arr


def _weights_or_ones(arr: Any, weights: Any, dtype: Any) -> Any:
    """Converts the weights, or makes ones; checks them."""
    weights = None if weights is None else convert_to_tensor(weights)
    if weights is None or weights.shape == (0,):
        wanted = dtypes.as_dtype(dtype) if weights is None else weights.dtype
        require_type("T", wanted, BINCOUNT_WEIGHTS)
        return ones(arr.shape, wanted)
    require_type("T", weights.dtype, BINCOUNT_WEIGHTS)
    if weights.shape != arr.shape:
        raise invalid(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it "
            f"acts as all weights equal to 1. Received {shape_text(weights.shape)} "
            "[Op:DenseBincount] name: "
        )
    return weights


@function("math.bincount", dispatch=True)
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """Counts how often each integer occurs.

    The integers are looked at, for the largest decides the shape of the result.

    Unlike TensorFlow, sparse tensors are not accepted: `tf.sparse.bincount` counts them.

    Args:
        arr: non-negative integers, of any shape; `[batch, n]` for `axis=-1`.
        weights: what each occurrence counts, in the shape of `arr`; by default 1.
        minlength: the smallest length of the result.
        maxlength: the largest; integers that are not below it are left out.
        dtype: the dtype of the result if there are no weights.
        name: ignored.
        axis: -1 counts within each row; None and 0 count all.
        binary_output: tell only whether an integer occurs, as 0 or 1.

    Returns:
        A vector of counts, or of sums of weights; for `axis=-1` a matrix.

    Raises:
        ValueError: for another axis, or `binary_output` with weights.
        InvalidArgumentError: if an integer is negative or the weights have another shape.

    >>> tf.math.bincount([1, 1, 3]).numpy()
    array([0, 2, 0, 1], dtype=int32)
    """
    if binary_output and weights is not None:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only "
            "one."
        )
    if axis not in (None, 0, -1):
        raise ValueError(unsupported_axis(axis))
    arr = _integers_to_count(arr, axis)
    size = _number_of_bins(arr, minlength, maxlength)
    if axis != -1:
        arr = reshape(arr, [-1])
        weights = None if weights is None else reshape(weights, [-1])
    counts = _dense_bincount(
        arr, _weights_or_ones(arr, weights, dtype), size, axis, bool(binary_output)
    )
    return with_unknown_axes(counts, -1)


def _labels(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Converts both to int64 tensors, and drops a last axis of size 1 that one has too many."""
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    if predictions.ndim - labels.ndim == 1 and predictions.shape[-1] == 1:
        predictions = squeeze(predictions, [-1])
    if labels.ndim - predictions.ndim == 1 and labels.shape[-1] == 1:
        labels = squeeze(labels, [-1])
    return cast(labels, dtypes.int64), cast(predictions, dtypes.int64)


def _largest(labels: Any, predictions: Any) -> int:
    true, guessed = labels.numpy(), predictions.numpy()
    error = _wrong_labels("labels", true, None) or _wrong_labels("predictions", guessed, None)
    if error is not None:
        raise error
    return int(max(np.max(true, initial=-1), np.max(guessed, initial=-1)))


def _wrong_labels(name: str, values: np.ndarray, classes: int | None) -> Exception | None:
    if np.any(values < 0):
        listed = np.array([str(v) for v in values.ravel()])
        return invalid(
            f"`{name}` contains negative values.  \nCondition x >= 0 did not hold element-wise:\n"
            f"x (shape={values.shape} dtype=int64) = \n{list(listed.tolist())}"
        )
    if classes is not None and np.any(values >= classes):
        few = values.ravel()[:3]
        return invalid(
            f"`{name}` out of bound\nCondition x < y did not hold.\nFirst {len(few)} elements of "
            f"x:\n{few}\nFirst 1 elements of y:\n[{classes}]"
        )
    return None


def _classes_test(weights: Any, labels: Any, predictions: Any, classes: Any) -> tuple[Any, ...]:
    wrong = [jnp.any((v < 0) | (v >= classes)) for v in (labels, predictions)]
    return ~(wrong[0] | wrong[1]), labels, predictions


def _classes_error(labels: Any, predictions: Any, classes: Any) -> Exception:
    named = (("labels", np.asarray(labels)), ("predictions", np.asarray(predictions)))
    found = [_wrong_labels(*pair, bound) for bound in (None, classes) for pair in named]
    return next(error for error in found if error is not None)


@op(
    "_confusion_matrix",
    kernel="ScatterNd",
    check=Check(("labels", "predictions"), _classes_test, _classes_error),
)
def _confusion_matrix(
    weights: TensorLike, labels: FreeTensor, predictions: FreeTensor, classes: int
) -> jax.Array:
    """Adds up `weights` by pairs of classes."""
    zeros = jnp.zeros((classes, classes), weights.dtype)
    if weights.dtype == np.bool_:
        return zeros.at[labels, predictions].max(weights)
    return zeros.at[labels, predictions].add(weights)


@function("math.confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Counts how often each class was taken for each other.

    Without `num_classes` the classes are looked at, as they decide the shape.

    Args:
        labels: the true classes, a vector of integers.
        predictions: the predicted ones.
        num_classes: the number of classes; by default one more than the largest that occurs.
        weights: what each pair counts, a vector; by default 1.
        dtype: the dtype of the result.
        name: ignored.

    Returns:
        A matrix `[num_classes, num_classes]`: rows are labels, columns are predictions.

    Raises:
        InvalidArgumentError: if a class is negative or out of range.
        ValueError: if `weights` has another shape.

    >>> tf.math.confusion_matrix([1, 2, 2], [1, 2, 1], num_classes=3).numpy()
    array([[0, 0, 0],
           [0, 1, 0],
           [0, 1, 1]], dtype=int32)
    """
    labels, predictions = _labels(labels, predictions)
    classes = _largest(labels, predictions) + 1 if num_classes is None else int(num_classes)
    wanted = dtypes.as_dtype(dtype)
    if weights is None:
        weights = ones(predictions.shape, wanted)
    else:
        weights = convert_to_tensor(weights)
        predictions.shape.assert_is_compatible_with(weights.shape)
        weights = cast(weights, wanted)
    if labels.shape != predictions.shape:
        raise invalid(
            f"Shapes of all inputs must match: values[0].shape = {shape_text(labels.shape)} != "
            f"values[1].shape = {shape_text(predictions.shape)} [Op:Pack] name: stack"
        )
    if classes < 0 and (wrong := _wrong_labels("labels", labels.numpy(), classes)) is not None:
        raise wrong
    matrix = _confusion_matrix(weights, labels, predictions, classes)
    return with_unknown_axes(matrix, 0, 1) if num_classes is None else matrix
