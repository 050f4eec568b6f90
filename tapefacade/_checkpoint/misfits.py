"""Values of a checkpoint that do not fit the objects that would get them, named all at once."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tapefacade._checkpoint.reader import Reader
from tapefacade._core import errors
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._lookup.mutable_tables import MutableHashTable
from tapefacade._state.variable import Variable

MESSAGE_MISFITS = (
    "{}\n\n{} values of the checkpoint do not fit, and nothing was restored:\n{}\nMake the objects "
    "as they were when they were saved, or restore only those parts that are as they were."
)


class Misfit(NamedTuple):
    """A value that does not fit.

    Attributes:
        line: what does not fit, for messages.
        value: the object that would get it.
        error: what TensorFlow says of it.
    """

    line: str
    value: Any
    error: Exception


def refusal(misfits: Sequence[Misfit], hint: str = "") -> Exception:
    """Returns the error for values that do not fit: TensorFlow's for the first, and all names.

    As in TensorFlow, dtypes are looked at before shapes.

    Args:
        misfits: what does not fit.
        hint: what else is wrong with the checkpoint, for messages with all names.
    """
    dtypes_first = sorted(
        misfits, key=lambda misfit: not isinstance(misfit.error, errors.InvalidArgumentError)
    )
    error = dtypes_first[0].error
    if len(misfits) == 1:
        return error
    is_op_error = isinstance(error, errors.OpError)
    text = MESSAGE_MISFITS.format(
        error.message if isinstance(error, errors.OpError) else error,
        len(misfits),
        "\n".join(f"    {misfit.line}" for misfit in misfits),
    )
    text += hint
    if is_op_error:
        return errors.InvalidArgumentError(None, None, text)
    return ValueError(text)


def described_misfit(path: str, value: Any, reader: Reader, keys: Mapping[str, str]) -> str:
    """Returns a line that tells what a checkpoint holds for an object, and what the object is."""
    key = keys.get("VARIABLE_VALUE", "")
    if not isinstance(value, Variable) or not reader.has(key):
        return f"{path}: {value!r}"
    shape = TensorShape(reader.shape(key))
    return (
        f"{path}: {reader.dtype(key).name} of shape {shape} in the checkpoint, "
        f"{value.dtype.name} of shape {value.shape} in the variable {value.name}"
    )


def tensor_count(value: Any) -> int:
    """Returns how many tensors a checkpoint has of an object."""
    return 2 if isinstance(value, MutableHashTable) else 1
