"""Rows without values get one: ragged_fill_empty_rows and its gradient."""

from typing import Any, NamedTuple

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import invalid, kernel_prefix
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._definition.op import function
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.joining import concat
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.math.reduction import reduce_sum
from tapefacade._trace.open_sizes import with_unknown_axes

KERNEL = "RaggedFillEmptyRows"


class RaggedFillEmptyRows(NamedTuple):
    """The result of `tf.ragged_fill_empty_rows`."""

    output_value_rowids: EagerTensor
    output_values: EagerTensor
    empty_row_indicator: EagerTensor
    reverse_index_map: EagerTensor


class RaggedFillEmptyRowsGrad(NamedTuple):
    """The result of `tf.ragged_fill_empty_rows_grad`."""

    d_values: EagerTensor
    d_default_value: EagerTensor


@function("ragged_fill_empty_rows", on_values=True)
def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = None
) -> RaggedFillEmptyRows:
    """Gives each row that has no value a default one.

    Args:
        value_rowids: int64 `[count]`, the row of each value, in any order.
        values: the values `[count]`.
        nrows: how many rows there are.
        default_value: a scalar of the dtype of `values`.
        name: ignored.

    Returns:
        A named tuple: the rows of the values in order and the values, `output_value_rowids` and
        `output_values`; `empty_row_indicator`, which rows had none; `reverse_index_map`, where each
        value is now.

    Raises:
        InvalidArgumentError: if a row is not there, or the lengths differ.

    >>> filled = tf.ragged_fill_empty_rows([0, 2, 2], [1, 2, 3], 4, 9)
    >>> filled.output_values.numpy(), filled.output_value_rowids.numpy()
    (array([1, 9, 2, 3, 9], dtype=int32), array([0, 1, 2, 2, 3]))
    """
    rows: Any = convert(value_rowids, dtypes.int64)._numpy_array()
    given = convert(values)
    count, places = int(convert(nrows, dtypes.int64)._numpy_array()), given._type.shape[0]
    prefix, suffix = kernel_prefix(KERNEL), f" [Op:{KERNEL}]"
    if len(rows) != places:
        raise invalid(
            f"{prefix}The length of `values` ({places}) must match the first dimension of "
            f"`value_rowids` ({len(rows)}).{suffix}"
        )
    for place in np.flatnonzero((rows < 0) | (rows >= count))[:1]:
        raise invalid(f"{prefix}indices({place}, 0) is invalid: {rows[place]} >= {count}{suffix}")
    empty = np.bincount(rows, minlength=count)[:count] == 0
    all_rows = np.concatenate([rows, np.flatnonzero(empty)])
    order = np.argsort(all_rows, kind="stable")
    where = np.empty_like(order)
    where[order] = np.arange(len(order))
    default = reshape(convert(default_value, given.dtype), [1])
    filled = gather(concat([given, default], 0), np.minimum(order, places))
    return RaggedFillEmptyRows(
        with_unknown_axes(from_host(all_rows[order]), 0),
        with_unknown_axes(filled, 0),
        from_host(empty),
        from_host(where[:places].astype(np.int64)),
    )


@function("ragged_fill_empty_rows_grad", on_values=True)
def ragged_fill_empty_rows_grad(
    reverse_index_map: Any, grad_values: Any, name: str | None = None
) -> RaggedFillEmptyRowsGrad:
    """Computes the gradients of `tf.ragged_fill_empty_rows`, which tapes know by themselves.

    Args:
        reverse_index_map: as that function returns it.
        grad_values: the gradient with respect to its `output_values`.
        name: ignored.

    Returns:
        A named tuple: the gradients with respect to `values` and to `default_value`.

    >>> tf.ragged_fill_empty_rows_grad([0, 2], [1.0, 2.0, 3.0]).d_values.numpy()
    array([1., 3.], dtype=float32)
    """
    places: Any = convert(reverse_index_map, dtypes.int64)._numpy_array()
    gradient = convert(grad_values)
    others = np.setdiff1d(np.arange(gradient._type.shape[0]), places)
    return RaggedFillEmptyRowsGrad(gather(gradient, places), reduce_sum(gather(gradient, others)))
