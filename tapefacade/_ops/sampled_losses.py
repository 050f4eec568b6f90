"""Losses that compare the true classes with a sample of the others."""

from collections import namedtuple
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes, generators
from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid
from tapefacade._ops.candidate_samplers import log_uniform_candidate_sampler
from tapefacade._ops.op import Differentiable, FreeTensor, TensorLike, function, op

LARGEST = np.finfo(np.float32).max
ComputeAccidentalHits = namedtuple("ComputeAccidentalHits", ("indices", "ids", "weights"))


@function("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: None = None, name: None = None
) -> tuple[EagerTensor, EagerTensor, EagerTensor]:
    """Finds the classes of a sample that are true classes of an example.

    A class that was drawn more than once counts where it was drawn last.

    Args:
        true_classes: the true classes, an integer tensor of shape `[B, num_true]`.
        sampled_candidates: the classes drawn, an integer tensor of shape `[S]`.
        num_true: how many true classes each example has.
        seed: ignored.
        name: ignored.

    Returns:
        Three vectors with an element for each hit: the row of the example, int32; the place in the
        sample, int64; and the lowest float32 number, to be added to the logit.

    Raises:
        InvalidArgumentError: if the shapes do not fit.

    >>> rows, places, _ = tf.nn.compute_accidental_hits([[1], [2]], [3, 2, 4], 1)
    >>> rows.numpy(), places.numpy()
    (array([1], dtype=int32), array([1]))
    """
    _seed(seed)
    true, sampled = (convert_to_tensor(x).numpy() for x in (true_classes, sampled_candidates))
    if true.ndim != 2 or true.shape[1] != num_true:
        raise invalid("true_candidates must be a batch_size * num_true matrix")
    if sampled.ndim != 1:
        raise invalid(
            "sampled_candidates must be a vector, which is typically an output from "
            "CandidateSampler"
        )
    last = {number: place for place, number in enumerate(sampled.tolist())}
    hits = [
        (row, last[number])
        for row, numbers in enumerate(true.tolist())
        for number in numbers
        if number in last
    ]
    rows, places = np.array(hits, np.int64).reshape(-1, 2).T
    weights = np.full(len(hits), -LARGEST, np.float32)
    made = (convert_to_tensor(x) for x in (rows.astype(np.int32), places, weights))
    return ComputeAccidentalHits(*made)


def _seed(seed: Any) -> None:
    """Draws a seed that nothing is made of, since TensorFlow does."""
    generators.next_made("ComputeAccidentalHits", None, seed, 0)


@op("_sampled_logits", gradient=Differentiable(except_for=("true_count", "sampled_count")))
def _sampled_logits(
    inputs: TensorLike, weights: TensorLike, true_biases: TensorLike, others: TensorLike,
    sampled_biases: TensorLike, true_count: TensorLike, sampled_count: TensorLike,
    labels: FreeTensor, sampled: FreeTensor, remove: bool,
) -> jax.Array:  # fmt: skip
    """Computes the logits of the true classes and then of the sample, less those of the sampler."""
    true = jnp.einsum("bd,btd->bt", inputs, weights.reshape(*labels.shape, -1))
    true = true + true_biases.reshape(labels.shape)
    others = others + sampled_biases
    if remove:
        places = jnp.arange(sampled.shape[0])
        later = (sampled[:, None] == sampled) & (places > places[:, None])
        hits = (labels[:, :, None] == sampled) & ~later.any(1)
        lowest = jnp.asarray(-LARGEST, inputs.dtype)
        others = others + jnp.where(hits.any(1), lowest, jnp.zeros((), inputs.dtype))
    return jnp.concatenate([true - jnp.log(true_count), others - jnp.log(sampled_count)], 1)


def _logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int, sampled_values: Any, remove: bool, seed: Any,
) -> tuple[EagerTensor, EagerTensor]:  # fmt: skip
    """Returns the logits, and the labels that belong to them."""
    functions = FUNCTIONS
    if isinstance(weights, list | tuple):
        weights = functions["concat"](list(weights), 0)
    labels = functions["cast"](labels, dtypes.int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed
        )
    sampled, true_count, sampled_count = (
        functions["stop_gradient"](value) for value in sampled_values
    )
    sampled = functions["cast"](sampled, dtypes.int64)
    flat = functions["reshape"](labels, [-1])
    inputs = convert_to_tensor(inputs)
    lookup = functions["nn.embedding_lookup"]
    others = functions["linalg.matmul"](inputs, lookup(weights, sampled), transpose_b=True)
    true_count, sampled_count = (
        functions["cast"](count, inputs.dtype) for count in (true_count, sampled_count)
    )
    logits = _sampled_logits(
        inputs, lookup(weights, flat), lookup(biases, flat), others, lookup(biases, sampled),
        true_count, sampled_count, functions["reshape"](labels, [-1, num_true]), sampled, remove,
    )  # fmt: skip
    if remove:
        _seed(None)
    wanted = np.zeros(logits._type.shape, np.float32)
    wanted[:, :num_true] = 1 / num_true
    return logits, convert_to_tensor(wanted, logits.dtype)


@function("nn.nce_loss")
def nce_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> EagerTensor:  # fmt: skip
    """Computes the noise-contrastive loss: whether a class is a true one or from the sample.

    M. Gutmann and A. Hyvarinen, "Noise-contrastive estimation", 2010.

    Args:
        weights: the weights of the classes, `[num_classes, D]`, or a list of parts of them.
        biases: the biases of the classes, `[num_classes]`.
        labels: the true classes, an integer tensor of shape `[B, num_true]`.
        inputs: what the classes are predicted from, `[B, D]`.
        num_sampled: how many classes to draw.
        num_classes: how many classes there are.
        num_true: how many true classes each example has.
        sampled_values: what a candidate sampler returned; by default that of
            `tf.random.log_uniform_candidate_sampler`, without repetition.
        remove_accidental_hits: whether to leave out classes of the sample that are true ones.
        name: ignored.

    Returns:
        The loss of each example, `[B]`.

    Raises:
        InvalidArgumentError: if a label is not below `num_classes`, or the shapes do not fit.

    >>> weights, biases = tf.zeros([10, 3]), tf.zeros([10])
    >>> tf.nn.nce_loss(weights, biases, [[1], [2]], tf.ones([2, 3]), 4, 10).shape
    TensorShape([2])
    """
    logits, wanted = _logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, None,
    )  # fmt: skip
    losses = FUNCTIONS["nn.sigmoid_cross_entropy_with_logits"](labels=wanted, logits=logits)
    return FUNCTIONS["math.reduce_sum"](losses, axis=1)


@function("nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = True,
    seed: int | None = None, name: str = "sampled_softmax_loss",
) -> EagerTensor:  # fmt: skip
    """Computes the softmax loss over the true classes and a sample of the others.

    S. Jean et al., "On using very large target vocabulary for neural machine translation", 2014.

    Args:
        weights: the weights of the classes, `[num_classes, D]`, or a list of parts of them.
        biases: the biases of the classes, `[num_classes]`.
        labels: the true classes, an integer tensor of shape `[B, num_true]`.
        inputs: what the classes are predicted from, `[B, D]`.
        num_sampled: how many classes to draw.
        num_classes: how many classes there are.
        num_true: how many true classes each example has.
        sampled_values: what a candidate sampler returned; by default that of
            `tf.random.log_uniform_candidate_sampler`, without repetition.
        remove_accidental_hits: whether to leave out classes of the sample that are true ones.
        seed: makes the sample repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        The loss of each example, `[B]`.

    Raises:
        InvalidArgumentError: if a label is not below `num_classes`, or the shapes do not fit.

    >>> weights, biases = tf.zeros([10, 3]), tf.zeros([10])
    >>> tf.nn.sampled_softmax_loss(weights, biases, [[1], [2]], tf.ones([2, 3]), 4, 10).shape
    TensorShape([2])
    """
    logits, wanted = _logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, seed,
    )  # fmt: skip
    return FUNCTIONS["nn.softmax_cross_entropy_with_logits"](
        FUNCTIONS["stop_gradient"](wanted), logits
    )
