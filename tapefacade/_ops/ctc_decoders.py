"""Decoders for connectionist temporal classification: from scores of frames to labels.

How many labels there are depends on the scores, so these functions look at them.
"""

from typing import Any

import numpy as np

from tapefacade._core import errors
from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid
from tapefacade._ops.op import function

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
