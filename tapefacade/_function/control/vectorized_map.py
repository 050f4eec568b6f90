"""`tf.vectorized_map`: a function of one row, for all rows at once."""

from collections.abc import Callable
from typing import Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import MESSAGE_SINGLETON, index_out_of_range, invalid
from tapefacade._core.random_keys import rehearsing
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._core.traced_errors import raising_as_traced
from tapefacade._core.type_spec import spec_of
from tapefacade._definition.op import function
from tapefacade._extension.extension_type import (
    BatchableExtensionType,
    BatchableExtensionTypeSpec,
    decoded_value,
    encoded_parts,
)
from tapefacade._function.control.bodies import Body, body_of
from tapefacade._function.control.row_loops import (
    WHY_LOOKED,
    WHY_SOURCES,
    RowLoop,
    needs_python,
    record_loop,
)
from tapefacade._function.control.scan_op import MAP
from tapefacade._function.function.device_implementations import VECTORIZED
from tapefacade._function.function.unknown_sizes import sizes_decided_within
from tapefacade._ops.array.indexing import getitem
from tapefacade._ops.array.joining import stack
from tapefacade._tape.tape import as_if_once
from tapefacade._trace.frames import RunningCall, ValueWanted
from tapefacade._trace.open_sizes import sized_like
from tapefacade._trace.recording import THREAD

WHY_COMPOSITE = "tf.vectorized_map over what is no dense tensor runs the Python for each row"


@function("vectorized_map")
def vectorized_map(
    fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """Calls a function with every row of a tensor, all at once, and stacks its results.

    The Python of `fn` runs once, on a row without values, as in a `tf.function`. What it records
    is computed for all rows together: much faster than `tf.map_fn`, and of more memory. Random ops
    draw for each row.

    Unlike TensorFlow, a function that looks at values, assigns variables or prints runs row by
    row. Assertions are checked, and errors do not name the row.

    Args:
        fn: a function of one row, in the structure of `elems`.
        elems: a tensor `[n, ...]`, or a structure of such tensors; one row alone stands for all.
        fallback_to_while_loop: accepted for TensorFlow's sake; every op can be vectorized.
        warn: accepted for TensorFlow's sake.

    Returns:
        The results, stacked: tensors `[n, ...]` in the structure of what `fn` returns.

    Raises:
        IndexError: if a tensor has no rows.
        InvalidArgumentError: if tensors have different numbers of rows.

    >>> tf.vectorized_map(lambda m: m @ m, tf.ones([2, 3, 3])).shape
    TensorShape([2, 3, 3])

    See https://www.tensorflow.org/api_docs/python/tf/vectorized_map.
    """
    if any(isinstance(item, BatchableExtensionType) for item in nest.flatten(elems)):
        return _vectorized_parts(fn, elems)
    flat = [convert(item) for item in nest.flatten(elems)]
    sizes: list[Any] = [item.shape.as_list()[0] for item in flat]
    count = max(sizes)
    for size in sizes:
        if size not in (1, count):
            raise hinted(
                invalid(index_out_of_range(f"[{size}]", size, size)),
                f"The tensors of `elems` have different numbers of rows: {sizes}.",
            )
    if not callable(fn):
        raise TypeError(f"'{type(fn).__name__}' object is not callable")
    with as_if_once(), raising_as_traced(), VECTORIZED.temporarily(on=True):
        return _VectorizedMapCall(fn, elems, flat, sizes, count).result()


def _vectorized_parts(fn: Callable[..., Any], elems: Any) -> Any:
    """Maps over rows of extension types, by mapping over the tensors that stand for them."""
    flat = nest.flatten(elems)
    specs: list[Any] = [spec_of(leaf) for leaf in flat]
    rows = [spec._unbatch() if _is_batchable(spec) else None for spec in specs]
    encoded = [encoded_parts(*pair, 1) for pair in zip(specs, flat, strict=True)]
    forms: list[Any] = []  # the result for a row, with specs of extension types in their place

    def on_parts(parts: Any) -> Any:
        values = [decoded_value(row, iter(own)) for row, own in zip(rows, parts, strict=True)]
        result = fn(nest.pack_sequence_as(elems, values))
        form = nest.map_structure(lambda x: x._type_spec if _is_batchable(x) else None, result)
        forms[:] = [form]
        kinds = nest.flatten(form)
        return [encoded_parts(*pair) for pair in zip(kinds, nest.flatten(result), strict=True)]

    found = vectorized_map(on_parts, encoded)
    count = nest.flatten(encoded)[0].shape[0]
    (form,) = forms
    results = [
        decoded_value(None if spec is None else spec._batch(count), iter(own))
        for spec, own in zip(nest.flatten(form), found, strict=True)
    ]
    return nest.pack_sequence_as(form, results)


def _is_batchable(value: Any) -> bool:
    return isinstance(value, BatchableExtensionType | BatchableExtensionTypeSpec)


class _VectorizedMapCall:
    """One call, its arguments converted."""

    def __init__(
        self, fn: Callable[..., Any], elems: Any, flat: list[Any], sizes: list[int], count: int
    ) -> None:
        self.fn = fn
        self.elems = elems
        self.flat = flat
        self.mapped = [k for k, size in enumerate(sizes) if size == count]
        self.count = count
        self.alone: dict[int, Any] = {}  # rows that stand for all

    def result(self) -> Any:
        """Returns the stacked results."""
        dense = all(type(item) is EagerTensor for item in self.flat)
        recording = THREAD.recording
        if not dense:
            if recording.frame is not None:
                recording.observe(WHY_COMPOSITE)
            return self._in_python()
        self.alone = {
            k: getitem(item, 0) for k, item in enumerate(self.flat) if k not in self.mapped
        }
        rows = RowLoop(MAP, self.fn, [], [self.flat[k] for k in self.mapped], names=self._names())
        body = self._body(rows)
        if body is None:
            return self._in_python()
        return body.structure.with_tensors(record_loop(body, rows, vector=True))

    def _names(self) -> tuple[str, ...]:
        return tuple(f"loop_body/GatherV2{f'_{k}' if k else ''}" for k in range(len(self.mapped)))

    def _body(self, rows: RowLoop) -> Body | None:
        recording = THREAD.recording
        THREAD.functions.append(RunningCall(MESSAGE_SINGLETON))
        try:
            with rehearsing(), sizes_decided_within():
                step = sized_like(self._step, [], rows.elements)
                body = body_of(step, self.fn, rows.row_types, rows.names)
        except ValueWanted as wanted:
            why = WHY_LOOKED.format(wanted.line)
        else:
            if not recording.watchers() or not needs_python(body):
                return body
            why = WHY_SOURCES
        finally:
            THREAD.functions.pop()
        if recording.frame is not None:
            recording.observe(why)
        return None

    def _step(self, row: list[Any]) -> Any:
        """Calls the function with a row."""
        rest = iter(row)
        leaves = [self.alone[k] if k in self.alone else next(rest) for k in range(len(self.flat))]
        result = self.fn(nest.pack_sequence_as(self.elems, leaves))
        if THREAD.recording.enclosing is None:
            return result
        if not all(leaf is None or _is_dense(leaf) for leaf in nest.flatten(result)):
            THREAD.recording.observe(WHY_COMPOSITE)
        return result

    def _in_python(self) -> Any:
        """Runs the Python for every row."""
        results = []
        for place in range(self.count):
            row = [item[0 if item.shape[0] == 1 else place] for item in self.flat]
            results.append(self.fn(nest.pack_sequence_as(self.elems, row)))
        columns = zip(*(nest.flatten(result) for result in results), strict=True)
        stacked = [None if column[0] is None else _stacked(list(column)) for column in columns]
        return nest.pack_sequence_as(results[0], stacked)


def _is_dense(leaf: Any) -> bool:
    return type(leaf) is EagerTensor or type(convert(leaf)) is EagerTensor


def _stacked(column: list[Any]) -> Any:
    return stack([convert(value) for value in column])
