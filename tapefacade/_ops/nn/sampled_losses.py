"""Losses that compare the true classes with a sample of the others, and what draws the sample.

A sampler that must not repeat itself draws, on the host, until it has enough different ids, which
are those of TensorFlow's kernels. Each result ends with how many ids were drawn in all, which the
expected counts depend on.
"""

from collections import namedtuple
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes, errors, random_keys, random_seeds
from tapefacade._core.conversion import convert, convert_to_tensor
from tapefacade._core.error_texts import below_minimum, invalid
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_type import type_of
from tapefacade._definition.op import (
    Check,
    Differentiable,
    FreeTensor,
    NotDifferentiable,
    OptionalTensor,
    TensorLike,
    function,
    op,
)
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.copying import stop_gradient
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.linalg.products import matmul
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._ops.nn.embedding import embedding_lookup
from tapefacade._ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
)
from tapefacade._ops.random.philox import words

Draws = Callable[[int, int], Any]  # of the first and the number of the ids to draw
Ids = np.ndarray[Any, Any]


def taken_ids(draws: Draws, count: int, unique: bool) -> Ids:
    """Takes ids, and adds how many were drawn.

    Args:
        draws: makes ids, given where to start and how many.
        count: how many ids to take.
        unique: whether each id is taken once only.

    Returns:
        An int64 array of shape `[count + 1]`.
    """
    ids = draws(0, count)
    if not unique:
        return np.append(ids, count).astype(np.int64)
    while True:
        _, first = np.unique(ids, return_index=True)
        if len(first) >= count:
            places = np.sort(first)[:count]
            return np.append(ids[places], places[-1] + 1).astype(np.int64)
        ids = np.append(ids, draws(len(ids), len(ids)))


def _pairs(state: Ids, start: int, count: int) -> Ids:
    """Draws words of 64 bits."""
    return words(state, 2 * (start + count)).astype(np.uint32).view(np.uint64)[start:]


def _fractions(state: Ids, start: int, count: int) -> Ids:
    """Draws float64 numbers below 1, as `philox.uniform`."""
    parts = words(state, 2 * (start + count)).astype(np.uint64).reshape(-1, 2)[start:]
    bits = (parts[:, 0] & np.uint64(0xFFFFF)) << np.uint64(32) | parts[:, 1]
    return (bits | np.uint64(0x3FF0000000000000)).view(np.float64) - 1


def uniform(state: Ids, count: int, unique: bool, size: int) -> Ids:
    """Draws ids below `size` that are all as probable."""
    return taken_ids(lambda at, n: _pairs(state, at, n) % np.uint64(size), count, unique)


def log_uniform(state: Ids, count: int, unique: bool, size: int) -> Ids:
    """Draws ids below `size`, the smaller the more probable."""

    def draws(start: int, number: int) -> Ids:
        powers = np.exp(_fractions(state, start, number) * np.log1p(size))
        return (powers.astype(np.int64) - 1) % size

    return taken_ids(draws, count, unique)


def ids_by_counts(state: Ids, count: int, unique: bool, weights: Ids) -> Ids:
    """Draws ids whose probabilities are proportional to integers."""
    limits = np.cumsum(weights)

    def draws(start: int, number: int) -> Ids:
        found = words(state, start + number)[start:] % limits[-1]
        return np.searchsorted(limits, found, side="right")

    return taken_ids(draws, count, unique)


def ids_by_table(state: Ids, count: int, unique: bool, table: tuple[Ids, Ids]) -> Ids:
    """Draws ids with any probabilities, with the table that `alias_table` makes."""
    limits, others = table

    def draws(start: int, number: int) -> Ids:
        parts = words(state, 2 * (start + number)).reshape(-1, 2)[start:]
        fractions = ((parts[:, 0] & 0x7FFFFF) | 0x3F800000).astype(np.uint32).view(np.float32) - 1
        places = parts[:, 1] % len(limits)
        return np.where(fractions < limits[places], places, others[places])

    return taken_ids(draws, count, unique)


def alias_table(weights: Ids) -> tuple[Ids, Ids]:
    """Makes Walker's table: each place holds an id up to a limit, and another one beyond it.

    M. D. Vose, "A linear algorithm for generating random numbers with a given distribution", 1991.
    """
    shares = (weights * (len(weights) / weights.sum())).tolist()
    large = [place for place, share in enumerate(shares) if share > 1]
    small = [place for place, share in enumerate(shares) if share <= 1]
    limits, others = np.ones(len(shares)), np.arange(len(shares))
    while small and large:
        place, other = small.pop(), large[-1]
        limits[place], others[place] = shares[place], other
        shares[other] -= 1 - shares[place]
        if shares[other] < 1:
            small.append(large.pop())
    return limits, others


# How far a kernel comes with each candidate.
BLOCKS_PER_CANDIDATE = 512
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
    make = partial(uniform, count=num_sampled, unique=unique, size=range_max)
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
    make = partial(log_uniform, count=num_sampled, unique=unique, size=range_max)
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
    known = random_seeds.sampler_memory()
    key = (num_true, num_sampled, unique, range_max, seed)
    weights = known.get(key) if seed is not None else None
    if weights is None:
        numbers = type_of((max(range_max, 1),), np.dtype(np.int64))  # refuses what has no place
        weights = np.ones(numbers.shape, np.int64)
    make = partial(ids_by_counts, count=num_sampled, unique=unique, weights=weights)
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
        vocab_file: a file with the weight of a class at the end of each line, after the last comma.
            Its path may have `://`, as those of `tf.io.gfile`.
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
            to draw, the shapes do not fit, the weights are not `range_max`, or a line of the file
            has none.
        NotFoundError: if there is no such file.

    >>> tf.random.fixed_unigram_candidate_sampler(
    ...     [[2]], 1, 2, False, 3, unigrams=[0.0, 1.0, 0.0]
    ... ).sampled_candidates.numpy()
    array([1, 1])
    """
    unigrams = np.asarray(unigrams, np.float32)
    raw = _weights(vocab_file, unigrams) ** np.float32(distortion)
    weights = np.concatenate([np.zeros(num_reserved_ids, np.float32), raw])[shard::num_shards]
    if len(weights) != range_max:
        raise invalid(f"range is {range_max} must be equal to weights size  {len(weights)}")
    table = alias_table(weights.astype(np.float64))
    make = partial(ids_by_table, count=num_sampled, unique=unique, table=table)
    return _sampled("FixedUnigramCandidateSampler", true_classes, num_true, num_sampled, unique,
                    range_max, seed, make, weights,
                    (vocab_file, distortion, num_reserved_ids, num_shards, shard,
                     hash(unigrams.tobytes())))  # fmt: skip


def _weights(vocab_file: str, unigrams: Any) -> np.ndarray[Any, Any]:
    """Returns the weights that are given, or those in a file."""
    if not vocab_file and not unigrams.size:
        raise invalid("Must provide either vocab_file or unigrams.")
    if not vocab_file:
        return unigrams
    if unigrams.size:
        raise invalid("Must only provide one of vocab_file and unigrams.")
    with FUNCTIONS["io.gfile.GFile"](vocab_file, "rb") as file:
        lines = [line for line in file.read().replace(b"\r", b"").split(b"\n") if line]
    try:
        return _numbers_at_ends(lines)
    except errors.InvalidArgumentError:
        wrong = next(line for line in lines if not _has_number_at_end(line))
        text = wrong.decode(errors="replace")
        raise invalid(f"Wrong vocabulary format at line: {text}") from None


def _numbers_at_ends(lines: list[bytes]) -> np.ndarray[Any, Any]:
    """Reads what is behind the last comma of each line."""
    texts = np.array([line.rpartition(b",")[2] for line in lines], object)
    return FUNCTIONS["strings.to_number"](convert(texts, dtypes.string)).numpy()


def _has_number_at_end(line: bytes) -> bool:
    try:
        return bool(_numbers_at_ends([line]).size)
    except errors.InvalidArgumentError:
        return False


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
    seed: Any, make: Any, weights: np.ndarray[Any, Any] | None = None, also: tuple[Any, ...] = (),
) -> Any:  # fmt: skip
    """Draws the candidates on the host, and records their expected counts.

    Calls with equal arguments, `also` among them, go on with one sequence of random numbers.
    """
    for name, number in (
        ("num_true", num_true), ("num_sampled", num_sampled), ("range_max", range_max)
    ):  # fmt: skip
        if number < 1:
            raise invalid(below_minimum(name, number, 1))
    if unique and num_sampled > range_max:
        raise invalid("Sampler's range is too small.")
    true_classes = cast(convert(true_classes), dtypes.int64)
    drawn = random_keys.next_made(
        kernel,
        (num_true, num_sampled, unique, range_max, *also),
        seed,
        BLOCKS_PER_CANDIDATE * num_sampled,
        make,
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


LARGEST_FLOAT = np.finfo(np.float32).max
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
    weights = np.full(len(hits), -LARGEST_FLOAT, np.float32)
    made = (convert_to_tensor(x) for x in (rows.astype(np.int32), places, weights))
    return ComputeAccidentalHits(*made)


def _seed(seed: Any) -> None:
    """Draws a seed that nothing is made of, since TensorFlow does."""
    random_keys.next_made("ComputeAccidentalHits", None, seed, 0)


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
        lowest = jnp.asarray(-LARGEST_FLOAT, inputs.dtype)
        others = others + jnp.where(hits.any(1), lowest, jnp.zeros((), inputs.dtype))
    return jnp.concatenate([true - jnp.log(true_count), others - jnp.log(sampled_count)], 1)


def _logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
    num_true: int, sampled_values: Any, remove: bool, seed: Any,
) -> tuple[EagerTensor, EagerTensor]:  # fmt: skip
    """Returns the logits, and the labels that belong to them."""
    if isinstance(weights, list | tuple):
        weights = concat(list(weights), 0)
    labels = cast(labels, dtypes.int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed
        )
    sampled, true_count, sampled_count = (stop_gradient(value) for value in sampled_values)
    sampled = cast(sampled, dtypes.int64)
    flat = reshape(labels, [-1])
    inputs = convert_to_tensor(inputs)
    others = matmul(inputs, embedding_lookup(weights, sampled), transpose_b=True)
    true_count, sampled_count = (cast(count, inputs.dtype) for count in (true_count, sampled_count))
    logits = _sampled_logits(
        inputs, embedding_lookup(weights, flat), embedding_lookup(biases, flat), others,
        embedding_lookup(biases, sampled), true_count, sampled_count,
        reshape(labels, [-1, num_true]), sampled, remove,
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
    losses = sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits)
    return reduce_sum(losses, axis=1)


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
    return softmax_cross_entropy_with_logits(stop_gradient(wanted), logits)
