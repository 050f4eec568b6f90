"""Samplers of candidates: some classes to compare the true ones with, of too many to take all."""

from collections import namedtuple
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes, errors, generators, seeds
from tapefacade._core.convert import convert
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._ops import candidates
from tapefacade._ops.arguments import invalid
from tapefacade._ops.op import (
    Check,
    FreeTensor,
    NotDifferentiable,
    OptionalTensor,
    function,
    op,
)

# How far a kernel comes with each candidate.
BLOCKS = 512
FIELDS = ("sampled_candidates", "true_expected_count", "sampled_expected_count")
AllCandidateSampler = namedtuple("AllCandidateSampler", FIELDS)
FixedUnigramCandidateSampler = namedtuple("FixedUnigramCandidateSampler", FIELDS)
LearnedUnigramCandidateSampler = namedtuple("LearnedUnigramCandidateSampler", FIELDS)
LogUniformCandidateSampler = namedtuple("LogUniformCandidateSampler", FIELDS)
UniformCandidateSampler = namedtuple("UniformCandidateSampler", FIELDS)
_RESULTS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        AllCandidateSampler,
        FixedUnigramCandidateSampler,
        LearnedUnigramCandidateSampler,
        LogUniformCandidateSampler,
        UniformCandidateSampler,
    )
}


@function("random.uniform_candidate_sampler")
def uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int | None = None, name: None = None,
) -> tuple[EagerTensor, EagerTensor, EagerTensor]:  # fmt: skip
    """Draws classes that are all as probable.

    Args:
        true_classes: the true classes, an integer tensor of shape `[B, num_true]`.
        num_true: how many true classes each example has.
        num_sampled: how many classes to draw, for all examples together.
        unique: whether each class is drawn once at most.
        range_max: how many classes there are.
        seed: makes the classes repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        The classes drawn, int64 of shape `[num_sampled]`; how often each true class,
        `[B, num_true]`, and each class drawn, `[num_sampled]`, is drawn on average, float32.

    Raises:
        InvalidArgumentError: if a true class is not below `range_max`, there are fewer classes than
            to draw, or the shapes do not fit.

    >>> tf.random.uniform_candidate_sampler([[3]], 1, 2, False, 10).true_expected_count.numpy()
    array([[0.2]], dtype=float32)
    """
    make = partial(candidates.uniform, count=num_sampled, unique=unique, size=range_max)
    return _sampled("UniformCandidateSampler", true_classes, num_true, num_sampled, unique,
                    range_max, seed, make)  # fmt: skip


@function("random.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int | None = None, name: None = None,
) -> tuple[EagerTensor, EagerTensor, EagerTensor]:  # fmt: skip
    """Draws classes that are the more probable the smaller they are, as words by frequency are.

    Class `k` has the probability `(log(k + 2) - log(k + 1)) / log(range_max + 1)`.

    Args:
        true_classes: the true classes, an integer tensor of shape `[B, num_true]`.
        num_true: how many true classes each example has.
        num_sampled: how many classes to draw, for all examples together.
        unique: whether each class is drawn once at most.
        range_max: how many classes there are.
        seed: makes the classes repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        The classes drawn, int64 of shape `[num_sampled]`; how often each true class,
        `[B, num_true]`, and each class drawn, `[num_sampled]`, is drawn on average, float32.

    Raises:
        InvalidArgumentError: if a true class is not below `range_max`, there are fewer classes than
            to draw, or the shapes do not fit.

    >>> tf.random.log_uniform_candidate_sampler([[0]], 1, 3, True, 10).sampled_candidates.shape
    TensorShape([3])
    """
    make = partial(candidates.log_uniform, count=num_sampled, unique=unique, size=range_max)
    return _sampled("LogUniformCandidateSampler", true_classes, num_true, num_sampled, unique,
                    range_max, seed, make)  # fmt: skip


@function("random.learned_unigram_candidate_sampler", "nn.learned_unigram_candidate_sampler")
def learned_unigram_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int | None = None, name: None = None,
) -> tuple[EagerTensor, EagerTensor, EagerTensor]:  # fmt: skip
    """Draws classes as often as they were among the true ones of earlier calls.

    As in eager TensorFlow, only calls with the same `seed` learn from one another, until
    `tf.random.set_seed`; without a seed all classes are as probable.

    Args:
        true_classes: the true classes, an integer tensor of shape `[B, num_true]`.
        num_true: how many true classes each example has.
        num_sampled: how many classes to draw, for all examples together.
        unique: whether each class is drawn once at most.
        range_max: how many classes there are.
        seed: makes the classes repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        The classes drawn, int64 of shape `[num_sampled]`; how often each true class,
        `[B, num_true]`, and each class drawn, `[num_sampled]`, is drawn on average, float32.

    Raises:
        InvalidArgumentError: if a true class is not below `range_max`, there are fewer classes than
            to draw, or the shapes do not fit.

    >>> tf.random.learned_unigram_candidate_sampler([[3]], 1, 2, False, 4)[1].numpy()
    array([[0.5]], dtype=float32)
    """
    known = seeds.kept()
    key = (num_true, num_sampled, unique, range_max, seed)
    weights = known.get(key) if seed is not None else None
    if weights is None:
        weights = np.ones(max(range_max, 1), np.int64)
    make = partial(candidates.counted, count=num_sampled, unique=unique, weights=weights)
    result = _sampled("LearnedUnigramCandidateSampler", true_classes, num_true, num_sampled, unique,
                      range_max, seed, make, weights)  # fmt: skip
    if seed is not None:
        seen = np.asarray(true_classes).reshape(-1).astype(np.int64)
        known[key] = weights + np.bincount(seen, minlength=range_max)
    return result


@function("random.fixed_unigram_candidate_sampler", "nn.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
    vocab_file: str = "", distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1,
    shard: int = 0, unigrams: Any = (), seed: int | None = None, name: None = None,
) -> tuple[EagerTensor, EagerTensor, EagerTensor]:  # fmt: skip
    """Draws classes with given probabilities.

    Args:
        true_classes: the true classes, an integer tensor of shape `[B, num_true]`.
        num_true: how many true classes each example has.
        num_sampled: how many classes to draw, for all examples together.
        unique: whether each class is drawn once at most.
        range_max: how many classes there are.
        vocab_file: a file with the weight of a class at the end of each line, after a comma.
        distortion: the power the weights are raised to.
        num_reserved_ids: so many classes come before the ones with weights; they are never drawn.
        num_shards: the classes are dealt to so many samplers in turn.
        shard: the number of this one among them.
        unigrams: the weights, instead of a file.
        seed: makes the classes repeatable together with `tf.random.set_seed`.
        name: ignored.

    Returns:
        The classes drawn, int64 of shape `[num_sampled]`; how often each true class,
        `[B, num_true]`, and each class drawn, `[num_sampled]`, is drawn on average, float32.

    Raises:
        InvalidArgumentError: if a true class is not below `range_max`, there are fewer classes than
            to draw, the shapes do not fit, or the weights are not `range_max`.
        NotFoundError: if there is no such file.

    >>> tf.random.fixed_unigram_candidate_sampler(
    ...     [[2]], 1, 2, False, 3, unigrams=[0.0, 1.0, 0.0]
    ... ).sampled_candidates.numpy()
    array([1, 1])
    """
    raw = _weights(vocab_file, unigrams) ** np.float32(distortion)
    weights = np.concatenate([np.zeros(num_reserved_ids, np.float32), raw])[shard::num_shards]
    if len(weights) != range_max:
        raise invalid(f"range is {range_max} must be equal to weights size  {len(weights)}")
    table = candidates.alias_table(weights.astype(np.float64))
    make = partial(candidates.weighted, count=num_sampled, unique=unique, table=table)
    return _sampled("FixedUnigramCandidateSampler", true_classes, num_true, num_sampled, unique,
                    range_max, seed, make, weights)  # fmt: skip


def _weights(vocab_file: str, unigrams: Any) -> np.ndarray[Any, Any]:
    unigrams = np.asarray(unigrams, np.float32)
    if not vocab_file and not unigrams.size:
        raise invalid("Must provide either vocab_file or unigrams.")
    if not vocab_file:
        return unigrams
    if unigrams.size:
        raise invalid("Must only provide one of vocab_file and unigrams.")
    try:
        with open(vocab_file, encoding="utf-8") as file:
            return np.array([line.rsplit(",", 1)[1] for line in file if line.strip()], np.float32)
    except FileNotFoundError:
        message = f"{vocab_file}; No such file or directory"
        raise errors.NotFoundError(None, None, message) from None


@function("random.all_candidate_sampler", "nn.all_candidate_sampler")
def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: int | None = None,
    name: None = None,
) -> tuple[EagerTensor, EagerTensor, EagerTensor]:  # fmt: skip
    """Takes all classes: to see what sampling changes.

    Args:
        true_classes: the true classes, an integer tensor of shape `[B, num_true]`.
        num_true: how many true classes each example has.
        num_sampled: how many classes there are.
        unique: ignored.
        seed: ignored.
        name: ignored.

    Returns:
        All classes, int64 of shape `[num_sampled]`, and ones, float32, of the shapes
        `[B, num_true]` and `[num_sampled]`.

    Raises:
        InvalidArgumentError: if a true class is not below `num_sampled`, or the shapes do not fit.

    >>> tf.random.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy()
    array([0, 1, 2])
    """
    return _sampled("AllCandidateSampler", true_classes, num_true, num_sampled, False,
                    num_sampled, seed, lambda state: np.arange(num_sampled + 1))  # fmt: skip


def _sampled(
    kernel: str, true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: Any, make: Any, weights: np.ndarray[Any, Any] | None = None,
) -> Any:  # fmt: skip
    """Draws the candidates on the host, and records their expected counts."""
    for name, number in (
        ("num_true", num_true), ("num_sampled", num_sampled), ("range_max", range_max)
    ):  # fmt: skip
        if number < 1:
            raise invalid(f"Value for attr '{name}' of {number} must be at least minimum 1")
    if unique and num_sampled > range_max:
        raise invalid("Sampler's range is too small.")
    true_classes = FUNCTIONS["cast"](convert(true_classes), dtypes.int64)
    drawn = generators.next_made(
        kernel, (num_true, num_sampled, unique, range_max), seed, BLOCKS * num_sampled, make
    )
    shares = None
    if weights is not None:
        shares = from_host((weights / weights.sum()).astype(np.float32))
    return _RESULTS[kernel](*_counts(true_classes, drawn, shares, kernel, num_true, range_max))


def _in_range(
    true_classes: Any, drawn: Any, shares: Any, kernel: str, num_true: int, range_max: int
) -> tuple[Any, ...]:
    wrong = (true_classes < 0) | (true_classes >= range_max)
    first = jnp.argmax(wrong.reshape(-1)) if wrong.size else 0
    flat = true_classes.reshape(-1)
    return ~jnp.any(wrong), flat[first] if wrong.size else np.int64(0)


def _out_of_range(wrong: Any, kernel: str, num_true: int, range_max: int) -> Exception:
    return invalid(f"`true_candidate` out of range [0, {range_max}), received {wrong}")


@op(
    "_candidate_counts",
    kernel="CandidateSampler",
    gradient=NotDifferentiable(),
    check=Check(values=("true_classes",), test=_in_range, error=_out_of_range),
)
def _counts(
    true_classes: FreeTensor, drawn: FreeTensor, shares: OptionalTensor, kernel: str,
    num_true: int, range_max: int,
) -> tuple[jax.Array, jax.Array, jax.Array]:  # fmt: skip
    """Computes how often classes are drawn on average."""
    if true_classes.ndim != 2:
        raise invalid("true_classes must be a matrix")
    if true_classes.shape[1] != num_true:
        raise invalid(
            f"true_classes must have num_true columns, expected: {true_classes.shape[1]} was: "
            f"{num_true}"
        )
    sampled, tries = drawn[:-1], drawn[-1]
    count = np.float32(sampled.shape[0])

    def expected(classes: jax.Array) -> jax.Array:
        if kernel == "AllCandidateSampler":
            return jnp.ones(classes.shape, np.float32)
        if shares is not None:
            share = shares[classes]
        elif kernel == "UniformCandidateSampler":
            share = jnp.full(classes.shape, 1 / range_max, np.float32)
        else:
            k = classes.astype(np.float64)
            share = (jnp.log((k + 2) / (k + 1)) / np.log1p(range_max)).astype(np.float32)
        repeated = -jnp.expm1(tries.astype(np.float32) * jnp.log1p(-share))
        return jnp.where(tries == sampled.shape[0], share * count, repeated)

    return sampled, expected(true_classes), expected(sampled)
