"""Sequences of labels: `tf.nn.collapse_repeated`."""

from typing import Any

import numpy as np

from tapefacade._core.convert import convert_to_tensor
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._ops.arguments import invalid
from tapefacade._ops.op import function


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
        raise invalid(
            f"Index out of range using input dim {values.ndim}; input has only {values.ndim} "
            "dims [Op:StridedSlice] name: strided_slice/"
        )
    rows, size = values.shape
    if lengths.shape != (rows,):
        raise ValueError(f"Shapes ({values.size},) and ({lengths.size * size},) are incompatible")
    first = np.ones((rows, min(size, 1)), bool)
    changed = np.concatenate([first, values[:, 1:] != values[:, :-1]], axis=1)
    kept = changed & (np.arange(size) < lengths[:, None])
    counts = kept.sum(axis=1)
    if rows == 0:
        raise invalid("Requires start <= limit when delta > 0: 0/-2147483648 [Op:Range] name: ")
    found = np.zeros((rows, int(counts.max(initial=0))), values.dtype)
    found[np.arange(found.shape[1]) < counts[:, None]] = values[kept]
    return from_host(found), from_host(counts.astype(lengths.dtype))
