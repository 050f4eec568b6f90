"""Hashes of texts: to_hash_bucket and its relatives, fingerprint."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import below_minimum, invalid
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._strings.arguments import failed, texts
from tapefacade._strings.hash_functions import MASK_64, WordPair, farm64, hash64, sip64


@function("strings.to_hash_bucket", dispatch=True, elementwise=1, on_values=True)
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> EagerTensor:
    """Gives each text the number of a bucket, by TensorFlow's older hash.

    Args:
        input: texts of any shape.
        num_buckets: how many buckets there are.
        name: ignored.

    Returns:
        An int64 tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if there are no buckets.

    >>> tf.strings.to_hash_bucket(["a", "b"], 10).numpy()
    array([8, 0])
    """
    return _buckets("StringToHashBucket", input, num_buckets, hash64)


@function("strings.to_hash_bucket_fast", dispatch=True, elementwise=1, on_values=True)
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> EagerTensor:
    """Gives each text the number of a bucket, by FarmHash.

    Args:
        input: texts of any shape.
        num_buckets: how many buckets there are.
        name: ignored.

    Returns:
        An int64 tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if there are no buckets.

    >>> tf.strings.to_hash_bucket_fast(["hello", "other"], 3).numpy()
    array([1, 2])
    """
    return _buckets("StringToHashBucketFast", input, num_buckets, farm64)


@function("strings.to_hash_bucket_strong", dispatch=True, elementwise=1, on_values=True)
def to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Any, name: str | None = None
) -> EagerTensor:
    """Gives each text the number of a bucket, by SipHash with a key.

    Args:
        input: texts of any shape.
        num_buckets: how many buckets there are.
        key: two integers.
        name: ignored.

    Returns:
        An int64 tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: if there are no buckets, or `key` has another length.

    >>> tf.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]).numpy()
    array([2, 0])
    """
    kernel = "StringToHashBucketStrong"
    if len(key) != 2:
        raise failed(kernel, "Key must have 2 elements")
    pair = WordPair(*[int(word) & MASK_64 for word in key])
    return _buckets(kernel, input, num_buckets, lambda text: sip64(pair, text))


def _buckets(
    kernel: str, input: Any, num_buckets: Any, hashed: Callable[[bytes], int]
) -> EagerTensor:
    count = int(num_buckets)
    array = texts(input, kernel)
    if count < 1:
        raise invalid(below_minimum("num_buckets", count, 1))
    numbers = [hashed(text) % count for text in array.flat]
    return from_host(np.array(numbers, np.int64).reshape(array.shape))


@function("fingerprint", on_values=True)
def fingerprint(data: Any, method: Any = "farmhash64", name: str | None = None) -> EagerTensor:
    """Computes a fingerprint of each row.

    Args:
        data: numbers or texts of shape `[batch, ...]`.
        method: "farmhash64".
        name: ignored.

    Returns:
        A uint8 tensor of shape `[batch, 8]`: the bytes of the FarmHash of each row.

    Raises:
        InvalidArgumentError: if `data` is a scalar, or `method` is another.

    >>> tf.fingerprint(["hello"]).numpy()
    array([[232,  12,  56,  49, 169, 229, 139, 180]], dtype=uint8)
    """
    tensor = convert(data)
    array = tensor._numpy_array()
    if array.ndim == 0:
        raise failed("Fingerprint", "`data` should have at least one dimension: []")
    chosen: Any = texts(method, "Fingerprint", 1)
    if chosen.ndim:
        raise failed("Fingerprint", f"`method` should be a scalar string: [{len(chosen)}]")
    if chosen[()] != b"farmhash64":
        shown = chosen[()].decode(errors="replace")
        raise failed("Fingerprint", f"Unsupported fingerprint method: {shown}")
    if tensor.dtype is not dtypes.string:
        rows = [np.ascontiguousarray(row).tobytes() for row in array]
    elif array.ndim == 1:
        rows = list(array)
    else:
        width = int(np.prod(array.shape[1:], dtype=np.int64))
        rows = [
            b"".join([farm64(text).to_bytes(8, "little") for text in row])
            for row in array.reshape(len(array), width)
        ]
    words = np.array([farm64(row) for row in rows], "<u8")
    return from_host(words.view(np.uint8).reshape(len(rows), 8))
