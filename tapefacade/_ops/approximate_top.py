"""The greatest and smallest elements, where approximate ones are enough."""

from typing import Any, NamedTuple

import jax
from jax import lax

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid
from tapefacade._ops.op import TensorLike, function, op

FLOATS = ("half", "bfloat16", "float")


class ApproxTopK(NamedTuple):
    """What `tf.nn.approx_max_k` and `tf.nn.approx_min_k` return."""

    values: Any
    indices: Any


@op("_approx_top_k", kernel="ApproxTopK", dtypes=FLOATS)
def _approx_top_k(
    input: TensorLike,
    k: int,
    dimension: int,
    recall: float,
    largest: bool,
    override: int,
    aggregate: bool,
) -> tuple[jax.Array, jax.Array]:
    """Finds the greatest or smallest elements along a dimension."""
    if k < 0:
        raise invalid(f"Value for attr 'k' of {k} must be at least minimum 0")
    if not -input.ndim <= dimension < input.ndim:
        raise invalid(f"The input has no dimension {dimension}: it has {input.ndim}.")
    size = input.shape[dimension]
    if size < k:
        raise invalid(f"input must have at least k columns. Had {size}, needed {k}")
    if k == 0:
        nothing = lax.slice_in_dim(input, 0, 0, axis=dimension)
        return nothing, nothing.astype("int32")
    find = lax.approx_max_k if largest else lax.approx_min_k
    values, places = find(
        input,
        k,
        reduction_dimension=dimension,
        recall_target=recall,
        reduction_input_size_override=override,
        aggregate_to_topk=aggregate,
    )
    return values, places


@function("approx_top_k")
def approx_top_k(
    input: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Finds the `k` greatest or smallest elements; see `tf.nn.approx_max_k`.

    Args:
        input: a tensor of type float16, bfloat16 or float32.
        k: how many.
        reduction_dimension: the dimension along which they are found.
        recall_target: the share of them that is found at least, on average.
        is_max_k: whether the greatest are meant.
        reduction_input_size_override: the size of the whole, if `input` is one part of it.
        aggregate_to_topk: whether the candidates are sorted, and all but `k` left out.
        name: ignored.

    Returns:
        The elements in order, and their places, int32.

    Raises:
        InvalidArgumentError: if `k` is negative or too large.

    >>> tf.approx_top_k([1.0, 3.0, 2.0], 2, is_max_k=False).values.numpy()
    array([1., 2.], dtype=float32)
    """
    found: tuple[EagerTensor, EagerTensor] = _approx_top_k(
        convert_to_tensor(input),
        k,
        reduction_dimension,
        recall_target,
        is_max_k,
        reduction_input_size_override,
        aggregate_to_topk,
    )
    return ApproxTopK(*found)


@function("nn.approx_max_k", "math.approx_max_k")
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Finds the `k` greatest elements, or almost: only a TPU leaves some out.

    Source: Chern et al., TPU-KNN: K nearest neighbor search at peak FLOP/s (2022). Unlike
    TensorFlow, every dimension can be searched on every device.

    Args:
        operand: a tensor of type float16, bfloat16 or float32.
        k: how many.
        reduction_dimension: the dimension along which they are found.
        recall_target: the share of them that is found at least, on average.
        reduction_input_size_override: the size of the whole, if `operand` is one part of it.
        aggregate_to_topk: whether the candidates are sorted, and all but `k` left out.
        name: ignored.

    Returns:
        The elements in falling order, and their places, int32.

    Raises:
        InvalidArgumentError: if `k` is negative or too large.

    >>> values, places = tf.nn.approx_max_k([1.0, 3.0, 2.0], 2)
    >>> values.numpy(), places.numpy()
    (array([3., 2.], dtype=float32), array([1, 2], dtype=int32))
    """
    override, aggregate = reduction_input_size_override, aggregate_to_topk
    return approx_top_k(operand, k, reduction_dimension, recall_target, True, override, aggregate)


@function("nn.approx_min_k", "math.approx_min_k")
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Finds the `k` smallest elements, or almost; see `tf.nn.approx_max_k`.

    Unlike TensorFlow, it works on every device.

    Args:
        operand: a tensor of type float16, bfloat16 or float32.
        k: how many.
        reduction_dimension: the dimension along which they are found.
        recall_target: the share of them that is found at least, on average.
        reduction_input_size_override: the size of the whole, if `operand` is one part of it.
        aggregate_to_topk: whether the candidates are sorted, and all but `k` left out.
        name: ignored.

    Returns:
        The elements in rising order, and their places, int32.

    Raises:
        InvalidArgumentError: if `k` is negative or too large.

    >>> tf.nn.approx_min_k([1.0, 3.0, 2.0], 2).indices.numpy()
    array([0, 2], dtype=int32)
    """
    override, aggregate = reduction_input_size_override, aggregate_to_topk
    return approx_top_k(operand, k, reduction_dimension, recall_target, False, override, aggregate)
