"""`tf.map_fn`: a function of one row, for all rows."""

from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._core import dtypes, nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.error_texts import incompatible_dimensions, invalid, kernel_prefix
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.type_spec import spec_of
from tapefacade._definition.op import function
from tapefacade._extension.extension_type import (
    ExtensionType,
    ExtensionTypeSpec,
    decoded_value,
    encoded_parts,
    encoded_specs,
    require_batchable,
)
from tapefacade._function.control.row_loops import (
    RowLoop,
    found_body,
    in_graph,
    python_rows,
    record_loop,
)
from tapefacade._function.control.scan_op import MAP
from tapefacade._ops.array.copying import stop_gradient
from tapefacade._ops.array.creation import zeros
from tapefacade._ops.array.tensor_array import TensorArray
from tapefacade._ragged.joining import ragged_stack
from tapefacade._ragged.spec import RaggedTensorSpec
from tapefacade._ragged.tensor import RaggedTensor
from tapefacade._sparse.arrangement import concat, expand_dims, reshape, slice as slice_op
from tapefacade._sparse.spec import SparseTensorSpec
from tapefacade._sparse.tensor import SparseTensor
from tapefacade._trace.recording import THREAD

KERNEL = "RaggedTensorFromVariant_output_ragged_rank_1"
WHY_COMPOSITE = "tf.map_fn over rows that are ragged, sparse or strings runs the Python for each"


def inconsistent_shapes(seen: Any, expected: Any) -> str:
    """Words that the rows of a loop have several shapes; the last blank is TensorFlow's."""
    return f"Inconsistent shapes: saw {seen} but expected {expected} "


@function("map_fn")
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Calls a function with every row of a tensor, and stacks its results.

    It is one instruction of the program, however many rows there are. Ragged and sparse tensors
    and strings are mapped by a Python loop.

    Unlike TensorFlow, eager code does not run the Python of `fn` for every row, but twice, on
    tensors without values: if both times the same is recorded, that is done for all rows. Where
    they differ, or the Python looks at a value, it runs for every row. The gradient for a variable
    of which `fn` gathers rows is dense, as in TensorFlow's functions.

    Args:
        fn: a function of one row, in the structure of `elems`.
        elems: a tensor `[n, ...]`, or a structure of such tensors; ragged and sparse ones, too.
        dtype: the older name of `fn_output_signature`.
        parallel_iterations: accepted for TensorFlow's sake.
        back_prop: in a `tf.function`, whether gradients flow through it.
        swap_memory: accepted for TensorFlow's sake.
        infer_shape: whether all results must have the same shape.
        name: ignored.
        fn_output_signature: the dtypes of the results, or `tf.TensorSpec`, `tf.RaggedTensorSpec`,
            `tf.SparseTensorSpec`, in the structure of what `fn` returns; by default that of
            `elems`.

    Returns:
        The results, stacked: tensors `[n, ...]` in the structure of the signature.

    Raises:
        ValueError: if there are no rows, or the result has another structure than the signature.
        InvalidArgumentError: if the result has another dtype than the signature.

    >>> tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0])).numpy()
    array([1., 4., 9.], dtype=float32)
    >>> tf.map_fn(lambda n: tf.range(n), tf.constant([2, 1]),
    ...           fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
    <tf.RaggedTensor [[0, 1], [0]]>

    See https://www.tensorflow.org/api_docs/python/tf/map_fn.
    """
    require_function(fn)
    signature = dtype if fn_output_signature is None else fn_output_signature
    if _is_encoded(elems) or _is_encoded(signature):
        return _map_encoded(fn, elems, signature, back_prop, infer_shape)
    flat = [_converted(item) for item in nest.flatten(elems)]
    if not flat:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. Got "
            f"{elems}, which does not contain any Tensors."
        )
    _require_rows(flat)
    pattern = elems if signature is None else signature
    if signature is None:
        specs = [_spec_of_row(item) for item in flat]
    else:
        specs = [_spec(item) for item in nest.flatten(signature)]
    call = _MapCall(fn, elems, flat, pattern, specs, infer_shape)
    results = [without_gradient(tensor, back_prop) for tensor in call.results()]
    return nest.pack_sequence_as(pattern, results)


def _is_encoded(structure: Any) -> bool:
    """Whether there is a batchable extension type, or a spec of one, in a structure."""
    kinds = ExtensionType | ExtensionTypeSpec
    return any(isinstance(leaf, kinds) for leaf in nest.flatten(structure))


def _map_encoded(
    fn: Callable[..., Any], elems: Any, signature: Any, back_prop: bool, infer_shape: bool
) -> Any:
    """Maps over rows of extension types, by mapping over the tensors that stand for them."""
    flat = nest.flatten(elems)
    specs: list[Any] = [spec_of(leaf) for leaf in flat]
    for spec in specs:
        require_batchable(spec, "_unbatch")
    rows = [spec._unbatch() if _is_encoded(spec) else spec for spec in specs]
    encoded = [encoded_parts(*pair, 1) for pair in zip(specs, flat, strict=True)]
    pattern, wanted = signature, nest.flatten(signature)
    if signature is None:
        pattern = elems
        wanted = [
            row if _is_encoded(row) else _spec_of_row(_converted(leaf))
            for row, leaf in zip(rows, flat, strict=True)
        ]

    def on_parts(parts: Any) -> Any:
        values = [
            decoded_value(row, iter(own)) if row is not None else own[0]
            for row, own in zip(rows, parts, strict=True)
        ]
        result = fn(nest.pack_sequence_as(elems, values))
        nest.assert_same_structure(pattern, result, expand_composites=True)
        return [encoded_parts(*pair) for pair in zip(wanted, nest.flatten(result), strict=True)]

    found = map_fn(
        on_parts, encoded, back_prop=back_prop, infer_shape=infer_shape,
        fn_output_signature=[encoded_specs(spec) for spec in wanted],
    )  # fmt: skip
    count = nest.flatten(encoded)[0].shape[0]
    results = [
        decoded_value(spec._batch(count) if _is_encoded(spec) else spec, iter(own))
        for spec, own in zip(wanted, found, strict=True)
    ]
    return nest.pack_sequence_as(pattern, results)


def require_function(fn: Any) -> None:
    """Refuses what cannot be called.

    Raises:
        AttributeError: TensorFlow's.
    """
    if not callable(fn):
        raise AttributeError(f"'{type(fn).__name__}' object has no attribute '__name__'")


def without_gradient(result: Any, back_prop: bool) -> Any:
    """Stops the gradient where TensorFlow does: in graphs, if that is wanted."""
    if back_prop or not in_graph() or not isinstance(result, EagerTensor):
        return result
    return stop_gradient(result)


def _require_rows(flat: list[Any]) -> None:
    shapes = [item.shape for item in flat]
    if any(shape.rank == 0 for shape in shapes):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    size = shapes[0][:1]
    for shape in shapes[1:]:
        if not size.is_compatible_with(shape[:1]):
            raise ValueError(incompatible_dimensions(size[0], shape[0]))


class _MapCall:
    """One call of `tf.map_fn`, its arguments converted."""

    def __init__(
        self, fn: Callable[..., Any], elems: Any, flat: list[Any], pattern: Any, specs: list[Any],
        infer_shape: bool,
    ) -> None:  # fmt: skip
        self.fn = fn
        self.elems = elems
        self.flat = flat
        self.pattern = pattern
        self.specs = specs
        self.infer_shape = infer_shape

    def results(self) -> list[Any]:
        """Returns the stacked results, one for each leaf of the signature."""
        dense = all(type(item) is EagerTensor for item in self.flat) and all(
            type(spec) is TensorSpec and spec.dtype is not dtypes.string for spec in self.specs
        )
        if not dense:
            recording = THREAD.recording
            if recording.frame is not None:
                recording.observe(WHY_COMPOSITE)
            return self._in_python(self._rows(), [])
        names = tuple(
            f"map/while/TensorArrayV2Read{f'_{k}' if k else ''}/TensorListGetItem"
            for k in range(len(self.flat))
        )
        rows = RowLoop(MAP, self.fn, [], self.flat, names=names)
        if not rows.iterations and not in_graph():
            return [self._array(spec, 0).stack() for spec in self.specs]
        body, done = found_body(rows, self._step)
        if body is None:
            return self._in_python(python_rows(rows), done)
        return record_loop(body, rows)

    def _step(self, row: list[Any]) -> list[Any]:
        """Calls the function with a row; returns what is right according to the signature."""
        result = self.fn(nest.pack_sequence_as(self.elems, row))
        nest.assert_same_structure(self.pattern, result)
        leaves = zip(nest.flatten(result), self.specs, strict=True)
        return [self._fitting(leaf, spec) for leaf, spec in leaves]

    def _fitting(self, leaf: Any, spec: Any) -> Any:
        """Returns one result as a tensor, which is what its spec says."""
        if type(spec) is not TensorSpec:
            return _converted(leaf)
        shape = convert(leaf).shape if in_graph() and spec.shape.rank is not None else spec.shape
        if not spec.shape.is_compatible_with(shape):
            raise ValueError(inconsistent_shapes(shape, spec.shape))
        return self._array(spec, 1).write(0, leaf).read(0)

    def _array(self, spec: TensorSpec, size: int) -> TensorArray:
        return TensorArray(
            spec.dtype, size, dynamic_size=True, element_shape=spec.shape,
            infer_shape=self.infer_shape,
        )  # fmt: skip

    def _rows(self) -> Iterator[list[Any]]:
        """Yields the rows of tensors of any kind."""
        first = self.flat[0]
        count = int(first.shape[0] if first.shape[0] is not None else first.nrows())
        for place in range(count):
            yield [_row(item, place) for item in self.flat]

    def _in_python(self, rows: Iterator[list[Any]], done: list[Any]) -> list[Any]:
        """Runs the Python for every row."""
        columns = [
            self._array(spec, 0) if type(spec) is TensorSpec else _Column(spec)
            for spec in self.specs
        ]
        for place, row in enumerate(rows):
            leaves = done[place].again(row) if place < len(done) else self._step(row)
            for column, leaf in zip(columns, leaves, strict=True):
                column.write(place, leaf)
        return [column.stack() for column in columns]


class _Column:
    """Results that are stacked to a ragged or sparse tensor."""

    def __init__(self, spec: RaggedTensorSpec | SparseTensorSpec) -> None:
        self._spec = spec
        self._values: list[Any] = []

    def write(self, place: int, value: Any) -> None:
        """Takes a result.

        Raises:
            InvalidArgumentError: if it is a scalar, of which no ragged tensor can be made.
        """
        if isinstance(self._spec, RaggedTensorSpec) and value.shape.rank == 0:
            raise invalid(
                f"{kernel_prefix(KERNEL)}Ragged values must have rank >= 1; encoded "
                f"scalar element at index {place} has values Tensor: Tensor<type: "
                f"{value.dtype.kernel_name} shape: [] values: {value.numpy()}> "
                "[Op:RaggedTensorFromVariant] name: "
            )
        self._values.append(value)

    def stack(self) -> Any:
        """Returns the tensor."""
        if isinstance(self._spec, SparseTensorSpec):
            wider = [expand_dims(value, 0) for value in self._values]
            return concat(0, wider)
        if self._values:
            return ragged_stack(self._values)
        return RaggedTensor.from_row_splits(zeros([0], self._spec.dtype), [0])


def _converted(value: Any) -> Any:
    return value if isinstance(value, CompositeTensor) else convert(value)


def _row(item: Any, place: int) -> Any:
    if isinstance(item, SparseTensor):
        part = slice_op(
            item, [place, *[0] * (len(item.shape.as_list()) - 1)], [1, *item.dense_shape[1:]]
        )
        return reshape(part, item.dense_shape[1:])
    return item[place]


def _spec(item: Any) -> Any:
    """Returns what a leaf of a signature says about the result."""
    if isinstance(item, TensorSpec | RaggedTensorSpec | SparseTensorSpec):
        return item
    return TensorSpec(None, dtypes.as_dtype(item))


def _spec_of_row(item: Any) -> Any:
    """Returns what is known of the results if there is no signature: they are like the rows."""
    if isinstance(item, RaggedTensor):
        return RaggedTensorSpec(item.shape[1:], item.dtype, len(item.nested_row_splits) - 1)
    if isinstance(item, SparseTensor):
        return SparseTensorSpec(item.shape[1:], item.dtype)
    return TensorSpec(None, item.dtype)
