"""The summaries: `tf.summary.scalar`, `histogram`, `image`, `text`, `audio` and `write`."""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.gradient_rules import NotDifferentiable
from tapefacade._core.string_arrays import OBJECT
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import FreeTensor, function, op
from tapefacade._ops.array.casting import cast
from tapefacade._ops.audio import encode_wav
from tapefacade._ops.debugging.shapes import assert_rank, assert_scalar, assert_type
from tapefacade._ops.debugging.values import assert_non_negative
from tapefacade._ops.image.geometry import convert_image_dtype
from tapefacade._ops.image.png_files import encode_png
from tapefacade._state.scopes import get_current_name_scope, name_scope
from tapefacade._state.variable import Variable
from tapefacade._summary.event_files import SummaryMetadata
from tapefacade._summary.write_op import Array, HeldTexts, SummaryWrite, perform
from tapefacade._summary.writers import STATE, FileWriter, current_condition

DEFAULT_BUCKET_COUNT = 30
MESSAGE_NO_STEP = (
    "No step set. Please specify one either through the `step` argument or through "
    "tf.summary.experimental.set_step()"
)
WAV_ENCODING_MESSAGE = b"\x10\x0b"  # the message that says that sounds are in WAV files


def _write(
    tag: str,
    make: Callable[[], Sequence[EagerTensor]],
    step: Any,
    metadata: SummaryMetadata | None,
    finish: Callable[..., Array] = np.asarray,
    is_message: bool = False,
) -> EagerTensor:
    """Writes a summary, if there is a writer and the condition holds.

    Args:
        tag: its name.
        make: gives the tensors that it is made of; not called if nothing is written.
        step: the step, or None for the one that is set.
        metadata: what TensorBoard shows it with.
        finish: makes what is written of their values.
        is_message: whether that is a summary as a message.
    """
    writer = STATE.writer
    if not isinstance(writer, FileWriter):
        return convert(False)
    condition = current_condition()
    if _is_false(condition):
        return condition
    step = STATE.step if step is None else step
    if step is None:
        raise ValueError(MESSAGE_NO_STEP)
    if isinstance(step, np.integer):
        step = int(step)
    number = convert(step.value() if isinstance(step, Variable) else step, dtypes.int64)
    values = [_tensor(value) for value in make()]
    held = None
    if values and values[0].dtype is dtypes.string:
        held, values = HeldTexts(values[0]._numpy_array()), []
    return perform(
        SummaryWrite(writer, tag, metadata, finish, held, is_message), condition, number, values
    )


def _is_false(condition: EagerTensor) -> bool:
    value = condition._value
    return type(value) is np.ndarray and not bool(value)


def _tensor(value: Any) -> EagerTensor:
    return value.value() if isinstance(value, Variable) else convert(value)


def _tag(name: str) -> str:
    if not isinstance(name, str | bytes | None):
        raise TypeError(f"expected string or bytes-like object, got {type(name).__name__!r}")
    scope = get_current_name_scope()
    return f"{scope}/{name}" if scope else name


@function("summary.scalar")
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> EagerTensor:
    """Writes a number.

    Args:
        name: the name of the curve; names of scopes come before it.
        data: a real scalar.
        step: the step, an integer; by default that of `tf.summary.experimental.set_step`.
        description: a text in Markdown for TensorBoard.

    Returns:
        Whether it was written, a boolean scalar: there may be no writer.

    Raises:
        UnimplementedError: if `data` is a text, also where there is no writer.
        ValueError: if `data` is no scalar, or there is no step.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(f"{directory}/logs").as_default():
    ...     bool(tf.summary.scalar("loss", 0.5, step=1))
    True

    See https://www.tensorflow.org/api_docs/python/tf/summary/scalar.
    """
    assert_scalar(data)
    metadata = SummaryMetadata("scalars", description=description or "")
    number = cast(data, dtypes.float32)  # refused where it is no number, also without a writer
    return _write(_tag(name), lambda: [number], step, metadata)


@op("_summary_buckets", gradient=NotDifferentiable())
def summary_buckets(values: FreeTensor, count: int) -> jax.Array:
    """Counts the values in equal parts of their range.

    Where all values are equal, only the last bucket has any.

    Args:
        values: numbers of any shape, in double precision.
        count: the number of buckets.

    Returns:
        A tensor `[count, 3]`: in each row where a bucket begins and ends, and the number of values.
    """
    flat = values.reshape(-1)
    if count == 0 or flat.size == 0:
        return jnp.zeros((count, 3), flat.dtype)
    low, high = flat.min(), flat.max()
    width = high - low
    same = width == 0
    scaled = jnp.floor((flat - low) / jnp.where(same, 1.0, width / count))
    places = jnp.where(same, count - 1, jnp.minimum(scaled, count - 1))
    valid = jnp.isfinite(places)
    rows = jnp.where(valid, places, 0.0).astype(jnp.int32)
    counts = jnp.zeros((count,), flat.dtype).at[rows].add(valid.astype(flat.dtype))
    edges = low + jnp.arange(count + 1, dtype=flat.dtype) * (width / count)
    edges = edges.at[count].set(high)
    left = jnp.where(same, high, edges[:-1])
    right = jnp.where(same, high, edges[1:])
    return jnp.stack([left, right, counts], axis=1)


@function("summary.histogram")
def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None,
    description: str | None = None,
) -> EagerTensor:  # fmt: skip
    """Writes how values are distributed: how many are in equal parts of their range.

    Args:
        name: the name; names of scopes come before it.
        data: real values of any shape.
        step: the step, an integer; by default that of `tf.summary.experimental.set_step`.
        buckets: the number of parts, 30 by default.
        description: a text in Markdown for TensorBoard.

    Returns:
        Whether it was written, a boolean scalar: there may be no writer.

    Raises:
        ValueError: if there is no step.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(f"{directory}/logs").as_default():
    ...     bool(tf.summary.histogram("weights", tf.random.normal([100]), step=1))
    True

    See https://www.tensorflow.org/api_docs/python/tf/summary/histogram.
    """
    count = max(0, DEFAULT_BUCKET_COUNT if buckets is None else int(buckets))
    metadata = SummaryMetadata("histograms", description=description or "")

    def make() -> list[EagerTensor]:
        return [summary_buckets(cast(data, dtypes.float64), count)]

    return _write(_tag(name), make, step, metadata)


@function("summary.text")
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> EagerTensor:
    """Writes texts.

    Args:
        name: the name; names of scopes come before it.
        data: a string, or a tensor of strings; of one or two axes it is shown as a table.
        step: the step, an integer; by default that of `tf.summary.experimental.set_step`.
        description: a text in Markdown for TensorBoard.

    Returns:
        Whether it was written, a boolean scalar: there may be no writer.

    Raises:
        TypeError: if `data` is no text.
        ValueError: if there is no step.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(f"{directory}/logs").as_default():
    ...     bool(tf.summary.text("note", "The *first* run.", step=0))
    True

    See https://www.tensorflow.org/api_docs/python/tf/summary/text.
    """
    assert_type(data, dtypes.string)
    metadata = SummaryMetadata("text", description=description or "")
    return _write(_tag(name), lambda: [convert(data)], step, metadata)


@function("summary.image")
def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> EagerTensor:
    """Writes images.

    Args:
        name: the name; names of scopes come before it.
        data: images, `[count, height, width, channels]` with 1 to 4 channels. Floating values lie
            between 0 and 1, integers between 0 and the largest of their dtype.
        step: the step, an integer; by default that of `tf.summary.experimental.set_step`.
        max_outputs: how many images are written at most.
        description: a text in Markdown for TensorBoard.

    Returns:
        Whether it was written, a boolean scalar: there may be no writer.

    Raises:
        ValueError: if `data` has another number of axes, or there is no step.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(f"{directory}/logs").as_default():
    ...     bool(tf.summary.image("noise", tf.random.uniform([2, 8, 8, 1]), step=0))
    True

    See https://www.tensorflow.org/api_docs/python/tf/summary/image.
    """
    metadata = SummaryMetadata("images", description=description or "")

    def make() -> list[EagerTensor]:
        assert_rank(data, 4)
        assert_non_negative(max_outputs)
        images = convert_image_dtype(data, dtypes.uint8, saturate=True)
        return [images[: int(max_outputs)]]

    return _write(_tag(name), make, step, metadata, _pictures)


def _pictures(pixels: Array) -> Array:
    """Returns the width, the height, and the images as PNG files."""
    count, height, width, _ = pixels.shape
    found = np.empty(2 + count, OBJECT)
    found[:2] = str(width).encode(), str(height).encode()
    for place, picture in enumerate(pixels):
        found[2 + place] = encode_png(from_host(np.array(picture)))._numpy_array().item()
    return found


@function("summary.audio")
def audio(
    name: str, data: Any, sample_rate: Any, step: Any = None, max_outputs: int = 3,
    encoding: str | None = None, description: str | None = None,
) -> EagerTensor:  # fmt: skip
    """Writes sounds.

    Args:
        name: the name; names of scopes come before it.
        data: sounds, `[count, frames, channels]`, values between -1 and 1.
        sample_rate: frames in a second.
        step: the step, an integer; by default that of `tf.summary.experimental.set_step`.
        max_outputs: how many sounds are written at most.
        encoding: "wav" or None.
        description: a text in Markdown for TensorBoard.

    Returns:
        Whether it was written, a boolean scalar: there may be no writer.

    Raises:
        ValueError: if `data` has another number of axes, or there is no step.

    See https://www.tensorflow.org/api_docs/python/tf/summary/audio.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    metadata = SummaryMetadata("audio", WAV_ENCODING_MESSAGE, description or "")

    def make() -> list[EagerTensor]:
        assert_rank(data, 3)
        assert_non_negative(max_outputs)
        return [_tensor(data)[: int(max_outputs)]]

    finish = functools.partial(_sounds, rate=int(sample_rate))
    return _write(_tag(name), make, step, metadata, finish)


def _sounds(samples: Array, rate: int) -> Array:
    """Returns the sounds as WAV files, each with a label."""
    found = np.empty((len(samples), 2), OBJECT)
    for place, sound in enumerate(samples):
        file = encode_wav(from_host(np.array(sound)), rate)
        found[place] = [file._numpy_array().item(), b""]
    return found


@function("summary.write")
def write(
    tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> EagerTensor:
    """Writes a tensor for a plugin of TensorBoard.

    Args:
        tag: the name, which is taken as it is.
        tensor: a tensor, or a function without arguments that makes one if it is written.
        step: the step, an integer; by default that of `tf.summary.experimental.set_step`.
        metadata: a message `SummaryMetadata`, or its bytes.
        name: ignored.

    Returns:
        Whether it was written, a boolean scalar: there may be no writer.

    Raises:
        ValueError: if there is no step.

    >>> import tempfile
    >>> directory = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(f"{directory}/logs").as_default():
    ...     bool(tf.summary.write("values", tf.constant([1, 2]), step=0))
    True
    """
    given = None
    if metadata is not None:
        message = metadata if isinstance(metadata, bytes) else metadata.SerializeToString()
        given = SummaryMetadata(message=message)

    def make() -> list[EagerTensor]:
        if callable(tensor) and not isinstance(tensor, EagerTensor | Variable):
            return [_tensor(tensor())]
        return [_tensor(tensor)]

    return _write(tag, make, step, given)


@function("summary.experimental.write_raw_pb")
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> EagerTensor:
    """Writes a summary that is a message `Summary` as bytes.

    Args:
        tensor: the bytes, a string scalar.
        step: the step, an integer; by default that of `tf.summary.experimental.set_step`.
        name: ignored.

    Returns:
        Whether it was written, a boolean scalar: there may be no writer.

    Raises:
        ValueError: if there is no step.
    """
    return _write("", lambda: [convert(tensor)], step, None, is_message=True)


@function("summary.experimental.summary_scope")
@contextlib.contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """Makes a scope of names for a summary.

    Args:
        name: the name of the summary.
        default_name: the name if that is None.
        values: ignored.

    Yields:
        The name of the summary with those of the scopes around it, and the scope.

    >>> with tf.summary.experimental.summary_scope("loss") as (tag, scope):
    ...     tag, scope
    ('loss', 'loss/')
    """
    tag = _tag(name or default_name)
    with name_scope(name or default_name) as scope:
        yield tag, scope
