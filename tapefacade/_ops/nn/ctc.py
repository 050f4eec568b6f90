"""Connectionist temporal classification: the loss, the decoders, and sequences of labels.

A. Graves, S. Fernandez, F. Gomez and J. Schmidhuber, "Connectionist temporal classification:
labelling unsegmented sequence data with recurrent neural networks", 2006.

How many labels a decoder gives depends on the scores, so the decoders look at them.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core import errors
from tapefacade._core.conversion import convert_to_tensor
from tapefacade._core.error_texts import (
    falling_range,
    incompatible_shapes,
    invalid,
    kernel_suffix,
    too_many_indices,
    unsupported_value,
)
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import Check, FreeTensor, NotDifferentiable, TensorLike, function, op

LOG_ZERO = -1e30  # the logarithm of 0, but gradients stay numbers
# TensorFlow's logarithm of the probability that a sequence ends before its labels do.
LOG_UNFINISHED = float(np.log(1e-307))


@function("nn.ctc_loss")
def ctc_loss(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True,
    unique: Any = None, blank_index: int | None = None, name: None = None,
) -> EagerTensor:  # fmt: skip
    """Computes the negative logarithm of the probability of label sequences.

    Each frame gives a label or a blank. Labels that repeat in successive frames count once, and
    blanks are left out; the probability is that of all the sequences of frames that give the
    labels. The loss of labels that do not fit into the frames is above 700, as in TensorFlow.

    Beyond TensorFlow, whose second derivatives are NaN, the loss can be differentiated twice.

    Args:
        labels: the labels, an integer tensor of shape `[B, L]`, or a sparse one.
        logits: the logits of the classes, `[T, B, C]`.
        label_length: how many labels each row has, `[B]`; ignored if `labels` is sparse.
        logit_length: how many frames each sequence has, `[B]`.
        logits_time_major: False if the shape of `logits` is `[B, T, C]`.
        unique: ignored; what `tf.nn.ctc_unique_labels` returns.
        blank_index: the class of the blank, from the end if negative; 0 by default, needed if
            `labels` is sparse.
        name: ignored.

    Returns:
        The losses, `[B]`, of the dtype of `logits`.

    Raises:
        ValueError: if a length is missing, or `blank_index` for sparse labels.
        InvalidArgumentError: if sparse labels do not fit into the frames.

    >>> logits = tf.zeros([3, 1, 2])
    >>> tf.nn.ctc_loss([[1]], logits, [1], [3]).numpy().round(3)
    array([0.288], dtype=float32)
    """
    sparse = hasattr(labels, "dense_shape")
    if sparse and blank_index is None:
        raise ValueError(
            "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
        )
    if sparse:
        rows = convert_to_tensor(labels.indices).numpy()[:, 0]
        count = int(convert_to_tensor(labels.dense_shape).numpy()[0])
        label_length = np.bincount(rows, minlength=count).astype(np.int32)
        labels = FUNCTIONS["sparse.to_dense"](labels)
    for length in (label_length, logit_length):
        if length is None:
            raise unsupported_value(None)
    return _loss(
        labels, logits, label_length, logit_length, bool(logits_time_major), blank_index or 0,
        sparse,
    )  # fmt: skip


def _frames_suffice(
    label_length: Any, logit_length: Any, strict: bool, **_: Any
) -> tuple[Any, ...]:
    if not strict:
        return True, logit_length, logit_length
    missing = label_length.astype(np.int64) > logit_length.astype(np.int64)
    first = jnp.argmax(missing)
    return ~missing[first], label_length[first], logit_length[first]


def _too_few(needed: Any, given: Any, **_: Any) -> Exception:
    return invalid(
        f"Not enough time for target transition sequence (required: {needed}, available: {given})0"
        "You can turn this error into a warning by using the flag "
        "ignore_longer_outputs_than_inputs"
    )


@op(
    "_ctc_loss",
    kernel="CTCLoss",
    check=Check(("label_length", "logit_length"), test=_frames_suffice, error=_too_few),
)
def _loss(
    labels: FreeTensor, logits: TensorLike, label_length: FreeTensor, logit_length: FreeTensor,
    time_major: bool, blank: int, strict: bool,
) -> jax.Array:  # fmt: skip
    """Adds up the probabilities of all alignments, frame by frame, in logarithms."""
    dtype = np.float64 if logits.dtype == np.float64 else np.float32
    scores = jax.nn.log_softmax(logits.astype(dtype))
    scores = scores if time_major else scores.transpose(1, 0, 2)
    frames, batch, classes = scores.shape
    blank = blank % classes if blank < 0 else blank
    count = labels.shape[1]
    if blank:  # TensorFlow puts the blank before the other classes, and takes this label along
        labels = jnp.where(labels == blank, jnp.asarray(blank - 1, labels.dtype), labels)
    # The states: the start, then a blank before each label and one at the end.
    states = jnp.full((batch, 2 * count + 1), blank, labels.dtype).at[:, 1::2].set(labels)
    same = jnp.pad(labels[:, 1:] == labels[:, :-1], ((0, 0), (1, 0)))[:, :count]
    # A label may follow another label at once, and the first one the start.
    skips = jnp.zeros(states.shape, np.bool_).at[:, 1::2].set(~same)
    never = jnp.full((batch, 1), LOG_ZERO, dtype)
    ends = logit_length.astype(np.int64)

    def step(alphas: jax.Array, given: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        time, score = given
        seen = jnp.take_along_axis(score, states, axis=1, mode="fill", fill_value=0)
        stay, one, two = alphas[:, 1:], alphas[:, :-1], alphas[:, :-2]
        two = jnp.where(skips, jnp.concatenate([never, two], 1), LOG_ZERO)
        stepped = jnp.logaddexp(jnp.logaddexp(stay, one), two) + seen
        stepped = jnp.concatenate([never, stepped], 1)
        return jnp.where((time < ends)[:, None], stepped, alphas), None

    first = jnp.concatenate([jnp.zeros_like(never), jnp.full(states.shape, LOG_ZERO, dtype)], 1)
    alphas, _ = lax.scan(step, first, (jnp.arange(frames, dtype=np.int64), scores))
    place = jnp.arange(2 * count + 2)
    last = 2 * label_length.astype(place.dtype)[:, None]
    finished = (place == last) | (place == last + 1)
    total = jnp.where(finished, alphas, alphas + jnp.asarray(LOG_UNFINISHED, dtype))
    return -jax.nn.logsumexp(total, axis=1).astype(logits.dtype)


@op("nn.ctc_unique_labels", kernel="Unique", gradient=NotDifferentiable())
def ctc_unique_labels(labels: FreeTensor) -> list[jax.Array]:
    """Finds the different labels of each row.

    Args:
        labels: an integer tensor of shape `[B, L]`.

    Returns:
        The different labels of each row in the order in which they come, then zeros, int64 of shape
        `[B, L]`; and for each label its place among them, int32.

    >>> unique, places = tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
    >>> unique.numpy(), places.numpy()
    (array([[3, 4, 0, 0]]), array([[0, 1, 1, 0]], dtype=int32))
    """
    count = labels.shape[1]
    equal = labels[:, :, None] == labels[:, None, :]
    first = jnp.argmax(equal, axis=2)  # where each label comes first
    new = first == jnp.arange(count)
    number = jnp.cumsum(new, axis=1) - 1
    places = jnp.take_along_axis(number, first, axis=1)
    row = jnp.arange(labels.shape[0])[:, None]
    target = jnp.where(new, number, count)
    unique = jnp.zeros((labels.shape[0], count + 1), np.int64)
    unique = unique.at[row, target].set(labels.astype(np.int64))[:, :count]
    return [unique, places.astype(np.int32)]


Labels = tuple[int, ...]


@function("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[Any], EagerTensor]:
    """Takes the best class of each frame.

    Args:
        inputs: the scores of the classes, `[T, B, C]`.
        sequence_length: how many frames each sequence has, `[B]`.
        merge_repeated: whether a class that repeats in successive frames gives one label.
        blank_index: the class that gives no label, from the end if negative; the last by default.

    Returns:
        A list with a sparse tensor of the labels, int64 of shape `[B, longest]`; and minus the sums
        of the scores taken, `[B, 1]`. No gradient flows to `inputs`.

    Raises:
        InvalidArgumentError: if an input has the wrong rank, or there is no class `blank_index`.
        FailedPreconditionError: if there are other than `B` lengths, or one is above `T`.

    >>> (labels,), _ = tf.nn.ctc_greedy_decoder(tf.constant([[[0.0, 2.0, 1.0]]]), [1])
    >>> labels.values.numpy()
    array([1])
    """
    scores, lengths = _checked(inputs, sequence_length)
    frames, batch, classes = scores.shape
    index = -1 if blank_index is None else blank_index
    if not -classes <= index < classes:
        raise invalid(
            f"blank_index expected to be between -{classes} and {classes - 1} but was {index}"
        )
    blank = index % classes
    best, largest = scores.argmax(2), scores.max(2)
    used = np.arange(frames)[:, None] < lengths
    taken = used & (best != blank)
    if merge_repeated:
        taken[1:] &= best[1:] != best[:-1]
    rows = [tuple(best[taken[:, row], row].tolist()) for row in range(batch)]
    sums = -np.where(used, largest, 0).sum(0, dtype=scores.dtype)[:, None]
    return [_sparse(rows)], convert_to_tensor(sums)


@function("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[Any], EagerTensor]:
    """Searches for the most probable labels, with the sums over their alignments.

    After each frame the best prefixes are kept. The last class is the blank. It runs on the host.
    The scores of TensorFlow, which forgets others, differ a little where `beam_width` is narrow.

    Args:
        inputs: the logits of the classes, `[T, B, C]`.
        sequence_length: how many frames each sequence has, `[B]`.
        beam_width: how many prefixes to keep.
        top_paths: how many results to return.

    Returns:
        A list with `top_paths` sparse tensors of labels, int64 of shape `[B, longest]`, the best
        first; and the logarithms of their probabilities, `[B, top_paths]`.

    Raises:
        InvalidArgumentError: if an input has the wrong rank, or there are fewer prefixes than
            results.
        FailedPreconditionError: if there are other than `B` lengths, or one is above `T`.

    >>> (labels,), _ = tf.nn.ctc_beam_search_decoder(tf.constant([[[0.0, 2.0, 1.0]]]), [1])
    >>> labels.values.numpy()
    array([1])
    """
    scores, lengths = _checked(inputs, sequence_length)
    if top_paths > beam_width:
        raise invalid("requested more paths than the beam width.")
    wide = scores.astype(np.float64)
    wide = wide - wide.max(2, keepdims=True)
    wide = wide - np.log(np.exp(wide).sum(2, keepdims=True))
    found = [
        _search(wide[: lengths[row], row], beam_width, top_paths) for row in range(len(lengths))
    ]
    paths = [_sparse([beams[place][0] for beams in found]) for place in range(top_paths)]
    totals = np.array([[total for _, total in beams] for beams in found], scores.dtype)
    return paths, convert_to_tensor(totals.reshape(len(lengths), top_paths))


def _search(scores: np.ndarray[Any, Any], width: int, results: int) -> list[tuple[Labels, float]]:
    """Returns the best label sequences of one sequence of frames, and their scores.

    Each prefix has the probabilities that its last frame is a blank, and that it is a label.
    """
    beams: dict[Labels, tuple[float, float]] = {(): (0.0, -np.inf)}
    blank = scores.shape[1] - 1
    for frame in scores.tolist():
        following: dict[Labels, tuple[float, float]] = {}
        for labels, (after_blank, after_label) in beams.items():
            total = np.logaddexp(after_blank, after_label)
            _add(following, labels, total + frame[blank], -np.inf)
            if labels:
                _add(following, labels, -np.inf, after_label + frame[labels[-1]])
            for label in range(blank):
                before = after_blank if labels and labels[-1] == label else total
                _add(following, (*labels, label), -np.inf, before + frame[label])
        beams = dict(sorted(following.items(), key=_total, reverse=True)[:width])
    best = sorted(beams.items(), key=_total, reverse=True)[:results]
    if len(best) < results:
        raise invalid("Less leaves in the beam search than requested.")
    return [(labels, _total((labels, parts))) for labels, parts in best]


def _add(beams: dict[Labels, tuple[float, float]], labels: Labels, blank: float, label: float):  # noqa: ANN202
    first, second = beams.get(labels, (-np.inf, -np.inf))
    beams[labels] = (float(np.logaddexp(first, blank)), float(np.logaddexp(second, label)))


def _total(item: tuple[Labels, tuple[float, float]]) -> float:
    return float(np.logaddexp(*item[1]))


def _checked(inputs: Any, sequence_length: Any) -> tuple[Any, Any]:
    scores = convert_to_tensor(inputs).numpy()
    lengths = convert_to_tensor(sequence_length).numpy()
    if scores.ndim != 3:
        raise invalid("inputs is not a 3-Tensor")
    if lengths.ndim != 1:
        raise invalid("sequence_length is not a vector")
    frames, batch, _ = scores.shape
    if len(lengths) != batch:
        raise errors.FailedPreconditionError(
            None,
            None,
            f"len(sequence_length) != batch_size.  len(sequence_length):  {len(lengths)} "
            f"batch_size: {batch}",
        )
    for row, length in enumerate(lengths.tolist()):
        if length > frames:
            message = f"sequence_length({row}) <= {frames}"
            raise errors.FailedPreconditionError(None, None, message)
    return scores, np.maximum(lengths, 0)


def _sparse(rows: list[Labels]) -> Any:
    places = [(row, place) for row, labels in enumerate(rows) for place in range(len(labels))]
    values = [label for labels in rows for label in labels]
    longest = max((len(labels) for labels in rows), default=0)
    return FUNCTIONS["sparse.SparseTensor"](
        np.array(places, np.int64).reshape(-1, 2),
        np.array(values, np.int64),
        np.array([len(rows), longest], np.int64),
    )


@function("nn.collapse_repeated")
def collapse_repeated(
    labels: Any, seq_length: Any, name: str | None = None
) -> tuple[EagerTensor, EagerTensor]:
    """Leaves out the labels that are equal to the one before them.

    The labels are looked at, for they decide the shape of the result.

    Args:
        labels: a tensor `[batch, length]`.
        seq_length: how many labels of each row count, a vector.
        name: ignored.

    Returns:
        The other labels, `[batch, the greatest number of them in a row]`, filled up with zeros,
        and the number of them in each row.

    Raises:
        InvalidArgumentError: if `labels` is no matrix.
        ValueError: if there is another number of lengths than of rows.

    >>> found, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 3])
    >>> found.numpy(), lengths.numpy()
    (array([[1, 2, 1],
           [3, 0, 0]], dtype=int32), array([3, 1], dtype=int32))
    """
    lengths_tensor = convert_to_tensor(seq_length)
    values, lengths = convert_to_tensor(labels).numpy(), lengths_tensor.numpy()
    if values.ndim < 2:
        suffix = kernel_suffix("StridedSlice") + "strided_slice/"
        raise invalid(too_many_indices(values.ndim) + suffix)
    rows, size = values.shape
    if lengths.shape != (rows,):
        raise ValueError(incompatible_shapes(f"({values.size},)", f"({lengths.size * size},)"))
    first = np.ones((rows, min(size, 1)), bool)
    changed = np.concatenate([first, values[:, 1:] != values[:, :-1]], axis=1)
    kept = changed & (np.arange(size) < lengths[:, None])
    counts = kept.sum(axis=1)
    if rows == 0:
        raise invalid(falling_range(0, -2147483648) + kernel_suffix("Range"))
    found = np.zeros((rows, int(counts.max(initial=0))), values.dtype)
    found[np.arange(found.shape[1]) < counts[:, None]] = values[kept]
    return from_host(found), from_host(counts.astype(lengths.dtype))
