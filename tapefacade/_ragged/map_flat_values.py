"""`tf.ragged.map_flat_values`."""

from collections.abc import Callable
from typing import Any

from tapefacade._core import errors
from tapefacade._definition.op import function
from tapefacade._ops.array.copying import identity
from tapefacade._ops.debugging.values import assert_equal
from tapefacade._ragged.partition import Partition, nested_ragged
from tapefacade._ragged.tensor import RaggedTensor, length_of

MESSAGE_SIZE = (
    "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size "
    "as flat_values of any ragged inputs. (output shape: {}; expected outer dimension size: {})"
)


def check_same(ragged: list[Any]) -> list[Partition]:
    """Returns the partitions of ragged tensors.

    Raises:
        InvalidArgumentError: if they differ.
        ValueError: if their ragged ranks differ.
    """
    partitions = ragged[0]._partitions
    for value in ragged[1:]:
        others = value._partitions
        if len(others) != len(partitions):
            raise ValueError("Input RaggedTensors have mismatched ragged_rank.")
        for mine, theirs in zip(partitions, others, strict=True):
            if mine != theirs:
                raise _differ(mine, theirs)
    return partitions


def _differ(x: Partition, y: Partition) -> Exception:
    text = "RowPartition._merge_precomputed_encodings: partitions have incompatible row_splits"
    try:
        assert_equal(x.tensor, y.tensor, message=text)
    except (errors.InvalidArgumentError, ValueError) as error:
        return error
    return errors.InvalidArgumentError(None, None, text)


@function("ragged.map_flat_values")
def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function with the flat values of ragged tensors, and partitions what it returns.

    Args:
        op: a function whose result has as many rows as the flat values.
        *args: its arguments; ragged tensors among them, also within lists, have the same splits.
        **kwargs: its keyword arguments, likewise.

    Returns:
        A ragged tensor; what `op` returns if no argument is ragged.

    Raises:
        InvalidArgumentError: if splits differ.
        ValueError: if the result has another number of rows.

    >>> rt = tf.ragged.constant([[1, 2], [3]])
    >>> tf.ragged.map_flat_values(tf.ones_like, rt)
    <tf.RaggedTensor [[1, 1], [1]]>
    """
    ragged: list[Any] = []
    args = _flat(args, ragged)
    kwargs = _flat(kwargs, ragged)
    if not ragged:
        return op(*args, **kwargs)
    partitions = check_same(ragged)
    result = op(*args, **kwargs)
    if isinstance(result, RaggedTensor):
        shape, count = result.shape, length_of(result)
    else:
        result = identity(result) if not hasattr(result, "_type") else result
        shape = result.shape
        count = shape.as_list()[0] if shape.rank else None
    if count != partitions[-1].nvals:
        raise ValueError(MESSAGE_SIZE.format(shape, partitions[-1].nvals))
    return nested_ragged(result, partitions, RaggedTensor)


def _flat(value: Any, found: list[Any]) -> Any:
    """Replaces ragged tensors by their flat values, and notes them."""
    if isinstance(value, RaggedTensor):
        found.append(value)
        return value.flat_values
    if isinstance(value, dict):
        return {key: _flat(item, found) for key, item in value.items()}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(_flat(item, found) for item in value)
    return value
