"""The edit distance of sequences."""

from typing import Any

import numpy as np

from tapefacade._core.error_texts import invalid, wrong_input
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._sparse.tensor import SparseTensor
from tapefacade._strings.arguments import failed

KERNEL, NAME_SUFFIX = "EditDistance", " name: edit_distance"
Sequences = dict[tuple[int, ...], list[Any]]


@function("edit_distance", on_values=True)
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> EagerTensor:
    """Counts how many elements must be put in, taken out or replaced to make a sequence another.

    V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals",
    1966.

    Args:
        hypothesis: a sparse tensor of shape `[..., elements]`.
        truth: a sparse tensor of the same dtype and rank: the sequences to be made.
        normalize: whether to divide by the length of these.
        name: ignored.

    Returns:
        A float32 tensor of shape `[...]`, the larger of the two in each dimension.

    Raises:
        TypeError: if an argument is no sparse tensor.
        InvalidArgumentError: if dtypes or ranks differ, or the rank is 1.

    >>> ours = tf.sparse.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> theirs = tf.sparse.SparseTensor([[0, 0], [0, 1]], ["a", "c"], [1, 2])
    >>> tf.edit_distance(ours, theirs).numpy()
    array([0.5], dtype=float32)
    """
    for label, given in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(given, SparseTensor):
            raise TypeError(f"{label} must be a SparseTensor.")
    _check(hypothesis, truth)
    shapes = [s.dense_shape._numpy_array()[:-1] for s in (hypothesis, truth)]
    shape = tuple(np.maximum(*shapes).tolist())
    ours, theirs = _sequences(hypothesis), _sequences(truth)
    distances = np.zeros(shape, np.float32)
    for place in {*ours, *theirs}:
        wanted = theirs.get(place, [])
        distance = float(levenshtein(ours.get(place, []), wanted))
        if normalize:
            distance = distance / len(wanted) if wanted else np.inf
        distances[place] = distance
    return from_host(distances)


def _check(hypothesis: SparseTensor, truth: SparseTensor) -> None:
    if hypothesis.dtype is not truth.dtype:
        names = hypothesis.dtype.kernel_name, truth.dtype.kernel_name
        raise invalid(f"{wrong_input(KERNEL, 4, *names)} [Op:{KERNEL}]{NAME_SUFFIX}")
    ranks = [int(s.dense_shape._type.size) for s in (truth, hypothesis)]
    if ranks[0] != ranks[1]:
        raise failed(
            KERNEL,
            "Expected truth and hypothesis to have matching ranks, but their shapes are: "
            f"[{ranks[0]}] and [{ranks[1]}]",
            named=NAME_SUFFIX,
        )
    if ranks[0] < 2:
        raise failed(
            KERNEL,
            f"Input SparseTensors must have rank at least 2, but truth_shape rank is: {ranks[0]}",
            named=NAME_SUFFIX,
        )


def _sequences(sparse: SparseTensor) -> Sequences:
    found: Sequences = {}
    places = sparse.indices._numpy_array()[:, :-1].tolist()
    for place, value in zip(places, sparse.values._numpy_array().tolist(), strict=True):
        found.setdefault(tuple(place), []).append(value)
    return found


def levenshtein(first: list[Any], second: list[Any]) -> int:
    """Returns the edit distance of two lists.

    >>> levenshtein(list("kitten"), list("sitting"))
    3
    """
    row = list(range(len(second) + 1))
    for k, mine in enumerate(first, 1):
        above, row[0] = row[0], k
        for j, other in enumerate(second, 1):
            best = min(above + (mine != other), row[j] + 1, row[j - 1] + 1)
            above, row[j] = row[j], best
    return row[-1]
