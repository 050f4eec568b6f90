"""`tf.ragged.cross` and `tf.ragged.cross_hashed`: the combinations of the elements of rows."""

import itertools
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid, kernel_prefix
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.string_arrays import string_tensor, text_tensor
from tapefacade._core.tensor import from_host
from tapefacade._definition.op import function
from tapefacade._ragged.partition import Partition, of_lengths
from tapefacade._ragged.tensor import RaggedTensor

DEFAULT_HASH_KEY = 0xDECAFCAFFE
HASH_FACTOR = 0xC6A4A7935BD1E995
HASH_WORD_MASK = 0xFFFFFFFFFFFFFFFF


def _rows(value: Any) -> list[list[Any]]:
    """Returns the texts or numbers of each row of a feature."""
    if (value._rank if isinstance(value, RaggedTensor) else len(value._type.shape)) != 2:
        raise ValueError("tf.ragged.cross only supports inputs with rank=2")
    if not (value.dtype is dtypes.string or value.dtype.is_integer):
        raise ValueError(f"Unexpected dtype for inputs: {value.dtype}")
    rows = value.to_list() if isinstance(value, RaggedTensor) else value.numpy().tolist()
    return rows


def as_text(part: Any) -> bytes:
    """Returns a part of a combination as a text."""
    return part if isinstance(part, bytes) else str(part).encode()


def _crossed(inputs: Any) -> tuple[list[tuple[Any, ...]], Partition]:
    """Lists the combinations of all rows, and their partition."""
    tensors = [value if isinstance(value, RaggedTensor) else convert(value) for value in inputs]
    features = [_rows(value) for value in tensors]
    if len({len(rows) for rows in features}) > 1:
        message = "inputs must all have the same batch dimension size."
        raise invalid(f"{kernel_prefix('RaggedCross')}{message} [Op:RaggedCross] name: ")
    rows = [list(itertools.product(*parts)) for parts in zip(*features, strict=True)]
    flat = [combination for row in rows for combination in row]
    return flat, of_lengths([len(row) for row in rows], np.int64)


@function("ragged.cross")
def cross(inputs: Any, name: str | None = None) -> Any:
    """Joins all combinations of the elements of rows.

    Args:
        inputs: a list of tensors and ragged tensors of texts or integers, `[rows, (length)]`.
        name: ignored.

    Returns:
        A ragged tensor of texts, the parts of which are separated by `_X_`.

    Raises:
        ValueError: if an input is no matrix.
        InvalidArgumentError: if the inputs differ in their number of rows.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), [["d"], ["e"]]])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>
    """
    combinations, partition = _crossed(inputs)
    flat = np.empty(len(combinations), object)
    flat[:] = [b"_X_".join(as_text(part) for part in parts) for parts in combinations]
    return RaggedTensor._make(string_tensor(flat), partition)


@function("ragged.cross_hashed")
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> Any:
    """Hashes all combinations of the elements of rows.

    Args:
        inputs: a list of tensors and ragged tensors of texts or integers, `[rows, (length)]`.
        num_buckets: the number of different results; 0 for all integers.
        hash_key: what the hash begins with.
        name: ignored.

    Returns:
        A ragged tensor of int64.

    Raises:
        ValueError: if an input is no matrix.
        InvalidArgumentError: if the inputs differ in their number of rows.

    Texts are hashed with FarmHash (https://github.com/google/farmhash), integers are taken as they
    are, and both combined with the mixing step of MurmurHash.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]]), [["d"], ["e"]]], 10)
    <tf.RaggedTensor [[2], [1, 1]]>
    """
    combinations, partition = _crossed(inputs)
    found = hashes(combinations, num_buckets, hash_key)
    return RaggedTensor._make(from_host(found), partition)


def hashes(
    combinations: list[tuple[Any, ...]], num_buckets: int, hash_key: int | None
) -> np.ndarray[Any, Any]:
    """Hashes combinations of texts and integers; see `cross_hashed`."""
    texts = sorted({part for parts in combinations for part in parts if isinstance(part, bytes)})
    prints: dict[Any, int] = dict(zip(texts, _fingerprints(texts), strict=True))
    limit = num_buckets or 2**63 - 1
    found = []
    for parts in combinations:
        value = DEFAULT_HASH_KEY if hash_key is None else hash_key
        for part in parts:
            value = _mixed(
                value, prints[part] if isinstance(part, bytes) else part & HASH_WORD_MASK
            )
        found.append(value % limit)
    return np.array(found, np.int64)


def _fingerprints(texts: list[bytes]) -> list[int]:
    if not texts:
        return []
    digits = FUNCTIONS["fingerprint"](text_tensor(np.array(texts, object))).numpy()
    return [int.from_bytes(bytes(row.tolist()), "little") for row in digits]


def _mixed(first: int, second: int) -> int:
    """Combines two hashes."""
    value = (second * HASH_FACTOR) & HASH_WORD_MASK
    value = ((value ^ (value >> 47)) * HASH_FACTOR) & HASH_WORD_MASK
    value = ((first ^ HASH_FACTOR ^ value) * HASH_FACTOR) & HASH_WORD_MASK
    value = ((value ^ (value >> 47)) * HASH_FACTOR) & HASH_WORD_MASK
    return value ^ (value >> 47)
