"""Where data comes from: tensors, their slices, numbers, Python generators."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.error_texts import incompatible_dimensions
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import NoneTensorSpec, TensorSpec
from tapefacade._core.type_spec import TypeSpec
from tapefacade._data.composite_elements import count_of, rows_of
from tapefacade._data.element_functions import apart
from tapefacade._data.element_structures import (
    as_tensors,
    fresh,
    kernel_error,
    leaf_of,
    leaves,
    mapped,
    op_error,
    packed,
    packer,
    row_leaf,
    spec_of_element,
    tensor_of,
    with_computed_values,
)
from tapefacade._data.node import (
    INFINITE,
    UNKNOWN,
    BoxedIterator,
    DatasetNode,
    ElementError,
    attempt,
)
from tapefacade._data.random_numbers import RandomWords, SeedGenerator, seeds_of
from tapefacade._data.row_streams import Column, Columns, CountingColumn, IndexedRows, numbers_up_to
from tapefacade._function.py_function import error_of_python

_END = object()


class FromTensors(DatasetNode):
    """One element, that was given."""

    name = "_TensorDataset"

    def __init__(self, value: Any) -> None:
        super().__init__()
        self._element = with_computed_values(as_tensors(value))
        self._form = spec_of_element(self._element)

    def known_spec(self) -> Any:
        return self._form

    def cardinality(self) -> int:
        return 1

    def elements(self) -> Iterator[Any]:
        yield fresh(self._element)


class FromTensorSlices(DatasetNode):
    """The rows of tensors."""

    name = "_TensorSliceDataset"

    def __init__(self, value: Any) -> None:
        super().__init__()
        made = as_tensors(value)
        self._leaves = [leaf for leaf in leaves(made) if leaf is not None]
        if not self._leaves:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        with_computed_values(made)
        self._form = spec_of_element(made)
        self._rows = mapped(row_leaf, self._form)
        counts = {count_of(leaf) for leaf in self._leaves}
        if len(counts) > 1:
            raise self._different()
        (self._count,) = counts
        self._dense = all(isinstance(leaf, EagerTensor) for leaf in self._leaves)
        self._dense = self._dense and len(self._leaves) == len(leaves(made))

    def _different(self) -> Exception:
        first = self._leaves[0]
        other = next(x for x in self._leaves if count_of(x) != count_of(first))
        return hinted(
            ValueError(incompatible_dimensions(count_of(first), count_of(other))),
            "All tensors must have the same number of rows.",
        )

    def known_spec(self) -> Any:
        return self._rows

    def cardinality(self) -> int:
        return self._count

    @property
    def is_indexed(self) -> bool:
        return self._dense

    def indexed(self) -> IndexedRows | None:
        if not self._dense:
            return None
        columns = Columns(*[Column(leaf._numpy_array()) for leaf in self._leaves])
        return IndexedRows((columns,), packer(self._rows), numbers_up_to(self._count))

    def elements(self) -> Iterator[Any]:
        if self._dense:
            return super().elements()
        return self._composites()

    def _composites(self) -> Iterator[Any]:
        columns = [rows_of(leaf) for leaf in self._leaves]
        flat = leaves(self._rows)
        for row in zip(*columns, strict=True):
            rest = iter(row)
            items = [None if isinstance(s, NoneTensorSpec) else next(rest) for s in flat]
            yield packed(self._rows, items)


class FromList(DatasetNode):
    """Elements that were given, one by one."""

    name = "_ListDataset"

    def __init__(self, elements: Sequence[Any]) -> None:
        super().__init__()
        if not elements:
            raise ValueError(
                "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, "
                "use `tf.data.Dataset.range(0)`."
            )
        if not isinstance(elements, list):
            raise ValueError("Invalid `elements`. `elements` must be a list.")
        self._given = [with_computed_values(as_tensors(element)) for element in elements]

    def known_spec(self) -> Any:
        return spec_of_element(self._given[0])

    def cardinality(self) -> int:
        return len(self._given)

    def elements(self) -> Iterator[Any]:
        return map(fresh, self._given)


class Range(DatasetNode):
    """Numbers at equal distances."""

    name = "_RangeDataset"

    def __init__(self, start: int, stop: int, step: int, dtype: dtypes.DType) -> None:
        super().__init__()
        if not step:
            raise op_error("RangeDataset", "step must be a non-zero integer.")
        self._numbers = range(start, stop, step)
        self._dtype = dtype

    def known_spec(self) -> Any:
        return TensorSpec([], self._dtype)

    def cardinality(self) -> int:
        return max(0, -(-(self._numbers.stop - self._numbers.start) // self._numbers.step))

    @property
    def is_indexed(self) -> bool:
        return True

    def indexed(self) -> IndexedRows:
        numbers = self._numbers
        dtype: Any = self._dtype._numpy
        column = CountingColumn(numbers.start, numbers.step, dtype)
        return IndexedRows((Columns(column),), _alone, numbers_up_to(self.cardinality()))


def _alone(row: list[Any]) -> Any:
    return row[0]


class Random(DatasetNode):
    """Random integers without end."""

    name = "_RandomDataset"

    def __init__(self, seed: Any, renew: bool) -> None:
        super().__init__()
        self._seeds = SeedGenerator(seeds_of(seed), renew)

    def known_spec(self) -> Any:
        return TensorSpec([], dtypes.int64)

    def cardinality(self) -> int:
        return INFINITE

    def elements(self) -> Iterator[Any]:
        for number in RandomWords(*self._seeds.next()).stream():
            yield tensor_of(np.array(number, np.int64))


class Counter(DatasetNode):
    """Numbers at equal distances, without end."""

    name = "_ScanDataset"

    def __init__(self, start: Any, step: Any) -> None:
        super().__init__()
        self._start, self._step = start, step

    def known_spec(self) -> Any:
        return TensorSpec([], dtypes.from_numpy(self._start.dtype))

    def cardinality(self) -> int:
        return INFINITE

    def elements(self) -> Iterator[Any]:
        number = self._start
        while True:
            yield tensor_of(np.array(number))
            number = number + self._step


class FromGenerator(DatasetNode):
    """What a Python generator gives."""

    name = "_FlatMapDataset"

    def __init__(self, function: Callable[..., Any], args: Any, signature: Any) -> None:
        super().__init__()
        self._function = function
        self._args = args
        self._signature = signature
        self._flat = leaves(signature)
        self._pack = packer(signature)

    def known_spec(self) -> Any:
        return self._signature

    def cardinality(self) -> int:
        return UNKNOWN

    def elements(self) -> Iterator[Any]:
        return BoxedIterator(self._generated())

    def _generated(self) -> Iterator[Any]:
        with apart():
            try:
                values = iter(self._function(*self._args))
            except Exception as error:  # of the user's Python: it becomes TensorFlow's
                raise _error_of_generator(error) from None
        while True:
            with apart():
                try:
                    value = next(values, _END)
                except Exception as error:  # of the user's Python
                    value = ElementError(_error_of_generator(error))
                if value is _END:
                    return
                element = attempt(
                    lambda v: with_computed_values(self._pack(self._converted(v))), value
                )
            yield element

    def _converted(self, value: Any) -> list[Any]:
        flat = self._flattened(value)
        return [self._leaf(item, spec, value) for item, spec in zip(flat, self._flat, strict=True)]

    def _flattened(self, value: Any) -> list[Any]:
        try:
            flat = leaves(_like(self._signature, value))
        except (TypeError, ValueError, KeyError, AttributeError):
            raise self._unlike(value) from None
        if len(flat) != len(self._flat):
            raise self._unlike(value)
        return flat

    def _unlike(self, value: Any) -> Exception:
        if all(type(spec) is TensorSpec for spec in self._flat):
            expected = mapped(lambda spec: spec.dtype, self._signature)
        else:
            expected = self._signature
        return _type_error(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {expected}, but the yielded element was {value}."
        )

    def _leaf(self, item: Any, spec: TypeSpec, value: Any) -> Any:
        if type(spec) is not TensorSpec:
            made = leaf_of(item)
            if not spec.is_compatible_with(made):
                raise _type_error(
                    f"`generator` yielded an element of {spec_of_element(made)} where an element "
                    f"of {spec!r} was expected."
                )
            return made
        try:
            made = _as_tensor(item, spec.dtype)
        except (TypeError, ValueError):
            raise _type_error(
                "`generator` yielded an element that could not be converted to the expected type. "
                f"The expected type was {spec.dtype.name}, but the yielded element was {item}."
            ) from None
        if not spec.shape.is_compatible_with(made.shape):
            raise _type_error(
                f"`generator` yielded an element of shape {made.shape} where an element of shape "
                f"{spec.shape} was expected."
            )
        return made


def _error_of_generator(error: Exception) -> Any:
    found = error_of_python(error, "")
    return kernel_error(found.message, type(found))


def _type_error(message: str) -> Any:
    return kernel_error(f"TypeError: {message}")


def _like(form: Any, value: Any) -> Any:
    """Returns a value in the structure of `form`: lists stand for tuples of it."""
    if isinstance(form, tuple) and not isinstance(form, TensorShape):
        if not isinstance(value, tuple | list) or len(value) != len(form):
            raise TypeError
        return tuple([_like(f, v) for f, v in zip(form, value, strict=True)])
    if isinstance(form, dict):
        if not isinstance(value, dict) or set(value) != set(form):
            raise TypeError
        return {key: _like(form[key], value[key]) for key in form}
    return _TensorTuple(value) if isinstance(value, tuple | dict) else value


class _TensorTuple:
    """A tuple that is one tensor."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _as_tensor(item: Any, dtype: dtypes.DType) -> EagerTensor:
    value = item.value if isinstance(item, _TensorTuple) else item
    if isinstance(value, EagerTensor):
        value = value.numpy()
    if isinstance(value, CompositeTensor):
        raise TypeError
    if dtype is dtypes.string:
        return convert(value, dtype)
    return convert(np.asarray(value, dtype._numpy))


def signature_of(types: Any, shapes: Any, signature: Any) -> Any:
    """Returns the specs of what a generator gives.

    Raises:
        TypeError: if the arguments exclude each other, or are missing, or hold something else.
    """
    for name, value in (("output_types", types), ("output_shapes", shapes)):
        if value is not None and signature is not None:
            raise TypeError(
                f"The `{name}` argument can not be used together with the `output_signature` "
                "argument."
            )
    if signature is None:
        if types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the `output_signature` "
                "argument or the `output_types` argument."
            )
        kinds = mapped(dtypes.as_dtype, types)
        if shapes is None:
            return mapped(lambda kind: TensorSpec(None, kind), kinds)
        flat = [
            TensorSpec(shape, kind)
            for shape, kind in zip(_shapes(kinds, shapes), leaves(kinds), strict=True)
        ]
        return packed(kinds, flat)
    made = mapped(_spec, signature)
    return made


def _shapes(form: Any, shapes: Any) -> list[Any]:
    """Lists the shapes of a structure, in which shapes may be tuples themselves."""
    if isinstance(form, dict):
        return [s for key in sorted(form) for s in _shapes(form[key], shapes[key])]
    if isinstance(form, tuple):
        return [s for f, inner in zip(form, shapes, strict=True) for s in _shapes(f, inner)]
    return [TensorShape(shapes)]


def _spec(spec: Any) -> Any:
    if not isinstance(spec, TypeSpec):
        raise TypeError(
            "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
            f"{type(spec)} which is not."
        )
    return spec
