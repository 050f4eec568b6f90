"""The loss of connectionist temporal classification: labels for sequences without an alignment.

A. Graves, S. Fernandez, F. Gomez and J. Schmidhuber, "Connectionist temporal classification:
labelling unsegmented sequence data with recurrent neural networks", 2006.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.arguments import invalid
from tapefacade._ops.op import Check, FreeTensor, NotDifferentiable, TensorLike, function, op

NEVER = -1e30  # the logarithm of 0, but gradients stay numbers
# TensorFlow's logarithm of the probability that a sequence ends before its labels do.
UNFINISHED = float(np.log(1e-307))


@function("nn.ctc_loss")
def ctc_loss(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True,
    unique: Any = None, blank_index: int | None = None, name: None = None,
) -> EagerTensor:  # fmt: skip
    """Computes the negative logarithm of the probability of label sequences.

    Each frame gives a label or a blank. Labels that repeat in successive frames count once, and
    blanks are left out; the probability is that of all the sequences of frames that give the
    labels. The loss of labels that do not fit into the frames is above 700, as in TensorFlow.

    Unlike TensorFlow, whose second derivatives are NaN, the loss can be differentiated twice.

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
            raise ValueError(
                "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) "
                "to a Tensor."
            )
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
    never = jnp.full((batch, 1), NEVER, dtype)
    ends = logit_length.astype(np.int64)

    def step(alphas: jax.Array, given: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        time, score = given
        seen = jnp.take_along_axis(score, states, axis=1, mode="fill", fill_value=0)
        stay, one, two = alphas[:, 1:], alphas[:, :-1], alphas[:, :-2]
        two = jnp.where(skips, jnp.concatenate([never, two], 1), NEVER)
        stepped = jnp.logaddexp(jnp.logaddexp(stay, one), two) + seen
        stepped = jnp.concatenate([never, stepped], 1)
        return jnp.where((time < ends)[:, None], stepped, alphas), None

    first = jnp.concatenate([jnp.zeros_like(never), jnp.full(states.shape, NEVER, dtype)], 1)
    alphas, _ = lax.scan(step, first, (jnp.arange(frames, dtype=np.int64), scores))
    place = jnp.arange(2 * count + 2)
    last = 2 * label_length.astype(place.dtype)[:, None]
    finished = (place == last) | (place == last + 1)
    total = jnp.where(finished, alphas, alphas + jnp.asarray(UNFINISHED, dtype))
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
