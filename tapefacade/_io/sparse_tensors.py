"""Sparse tensors as bytes: serialize_sparse, serialize_many_sparse, deserialize_many_sparse."""

from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.error_texts import shape_text
from tapefacade._core.tensor import EagerTensor
from tapefacade._definition.op import function
from tapefacade._io.parsed_tensors import sparse_of
from tapefacade._io.tensor_protos import TENSORS, make_ndarray, serialized
from tapefacade._sparse.tensor import MESSAGE_NOT_SPARSE, SparseTensor
from tapefacade._strings.arguments import Array, failed, text_array, texts

KERNEL = "DeserializeManySparse"
PARTS = 3


def _parts(sp_input: Any, out_type: Any) -> tuple[Array, Any, Array]:
    if not isinstance(sp_input, SparseTensor):
        raise TypeError(MESSAGE_NOT_SPARSE)
    if dtypes.as_dtype(out_type) is not dtypes.string:
        raise TypeError("Sparse tensors are serialized as strings only: write out_type=tf.string.")
    return sp_input.indices._numpy_array(), sp_input.values, sp_input.dense_shape._numpy_array()


@function("io.serialize_sparse", on_values=True)
def serialize_sparse(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> EagerTensor:
    """Writes a sparse tensor as three texts.

    Args:
        sp_input: a sparse tensor.
        out_type: `tf.string`.
        name: ignored.

    Returns:
        A string vector: the indices, the values and the shape, as `tf.io.serialize_tensor` writes
        tensors.

    Raises:
        TypeError: if `sp_input` is no sparse tensor, or `out_type` is another.

    >>> tf.io.serialize_sparse(tf.sparse.SparseTensor([[0]], [5], [3])).shape
    TensorShape([3])
    """
    _parts(sp_input, out_type)
    values = serialized(sp_input.values, packed=True)
    return text_array(
        [serialized(sp_input.indices), values, serialized(sp_input.dense_shape)], (PARTS,)
    )


@function("io.serialize_many_sparse", on_values=True)
def serialize_many_sparse(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> EagerTensor:
    """Writes each row of a sparse tensor as three texts.

    Args:
        sp_input: a sparse tensor of rank 2 or more.
        out_type: `tf.string`.
        name: ignored.

    Returns:
        A string tensor of shape `[rows, 3]`.

    Raises:
        TypeError: if `sp_input` is no sparse tensor, or `out_type` is another.
        InvalidArgumentError: if its rank is smaller.

    >>> tf.io.serialize_many_sparse(tf.sparse.SparseTensor([[0, 1]], [5], [4, 3])).shape
    TensorShape([4, 3])
    """
    indices, values, shape = _parts(sp_input, out_type)
    if len(shape) <= 1:
        raise failed(
            "SerializeManySparse",
            f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}",
            named=" name: ",
        )
    flat = values._numpy_array().tolist()
    found: list[bytes] = []
    for row in range(int(shape[0])):
        (chosen,) = np.nonzero(indices[:, 0] == row)
        part = sparse_of(indices[chosen, 1:], [flat[k] for k in chosen], values.dtype, shape[1:])
        found += serialize_sparse(part)._numpy_array().tolist()
    return text_array(found, (int(shape[0]), PARTS))


@function("io.deserialize_many_sparse", on_values=True)
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Reads sparse tensors and puts them on top of one another.

    Args:
        serialized_sparse: a string tensor of shape `[rows, 3]`, as `tf.io.serialize_many_sparse`
            makes it.
        dtype: the dtype of the values.
        rank: the rank of the result.
        name: ignored.

    Returns:
        A sparse tensor with a dimension of the rows in front; each other one is as large as the
        largest.

    Raises:
        InvalidArgumentError: if these are no sparse tensors, or not of `dtype`.
        ValueError: if they have another rank.

    >>> rows = tf.io.serialize_many_sparse(tf.sparse.SparseTensor([[0, 1]], [5], [4, 3]))
    >>> tf.io.deserialize_many_sparse(rows, tf.int32).shape
    TensorShape([4, 3])
    """
    wanted = dtypes.as_dtype(dtype)
    array = texts(serialized_sparse, KERNEL)
    if array.ndim != 2 or array.shape[-1] != PARTS:
        shape = shape_text(array.shape)
        raise failed(KERNEL, f"Serialized sparse should have 3 as the last dimension {shape}")
    indices, values, shapes = [], [], []
    for row, texts_ in enumerate(array):
        places, held, shape = (_read(text) for text in texts_)
        if held.dtype != wanted.kernel_name:
            raise failed(
                KERNEL,
                f"Requested SparseTensor of type {wanted.kernel_name} but "
                f"SparseTensor[{row}].values.dtype() == {held.dtype}",
            )
        numbers = places.array.reshape(-1, len(shape.array))
        if rank is not None and len(shape.array) + 1 != rank:
            raise ValueError(
                f"Tensor's shape {(len(numbers), len(shape.array) + 1)} is not compatible with "
                f"supplied shape (None, {rank})."
            )
        indices.append(np.insert(numbers, 0, row, axis=1))
        values += held.array.tolist()
        shapes.append(shape.array)
    whole = [len(array), *np.max(shapes, axis=0).tolist()]
    return sparse_of(np.concatenate(indices), values, wanted, whole)


class _Part:
    """An array and the kernel name of its dtype."""

    def __init__(self, array: Array, dtype: str) -> None:
        self.array = array
        self.dtype = dtype


def _read(text: bytes) -> _Part:
    try:
        proto = TENSORS["TensorProto"].FromString(text)
        array = make_ndarray(proto)
    except (TENSORS.decode_error(), ValueError, TypeError):
        raise failed(KERNEL, "Could not parse serialized proto") from None
    return _Part(array, dtypes.as_dtype(proto.dtype).kernel_name)
