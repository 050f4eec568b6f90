"""Elements: nests of tensors, in which lists are tensors; their specs and what becomes of them."""

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

import numpy as np

from tapefacade._core import dtypes, errors, nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.error_texts import kernel_prefix
from tapefacade._core.string_arrays import OBJECT, StringTensor, string_tensor
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import MESSAGE_UNBATCH, NoneTensorSpec, TensorSpec
from tapefacade._core.type_spec import TypeSpec, spec_of
from tapefacade._extension.extension_type import require_batchable
from tapefacade._ops.array.tensor_array import TensorArray
from tapefacade._ragged.spec import RaggedTensorSpec
from tapefacade._sparse.spec import SparseTensorSpec
from tapefacade._state.variable import Variable
from tapefacade._trace.open_sizes import open_sizes

Array = np.ndarray[Any, Any]


def kernel_error(message: str, kind: type[errors.OpError] = errors.InvalidArgumentError) -> Any:
    """Makes the error of a dataset's kernel; the iterator that hands it on says where it was."""
    made: Any = kind
    error = made(None, None, message)
    error.is_of_dataset = True
    return error


def op_error(kernel: str, message: str, kind: Any = errors.InvalidArgumentError) -> Any:
    """Makes the error of the op that makes a dataset.

    Args:
        kernel: TensorFlow's name of the op, with what it appends for the types.
        message: what is wrong.
        kind: the class.
    """
    name = kernel.partition("_")[0]
    return kind(None, None, f"{kernel_prefix(kernel)}{message} [Op:{name}] name: ")


def integer(value: Any) -> int:
    """Returns an argument that is an int64 scalar.

    Raises:
        TypeError: if it cannot be one.
    """
    if type(value) is int:
        return value
    if isinstance(value, EagerTensor | np.ndarray | np.generic):
        return int(np.asarray(value))
    return int(convert(value, dtypes.int64)._numpy_array())


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Maps the leaves of a nest of tuples and dictionaries; a list is a leaf."""
    if isinstance(value, Mapping):
        made = {key: mapped(function, value[key]) for key in value}
        return made if type(value) is dict else _like_mapping(value, made)
    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        parts = [mapped(function, part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if hasattr(type(value), "__attrs_attrs__"):
        fields = _attributes(value)
        return type(value)(*[mapped(function, getattr(value, field.name)) for field in fields])
    if _is_protocol(value):
        metadata, parts = value.__tf_flatten__()
        return value.__tf_unflatten__(metadata, tuple([mapped(function, x) for x in parts]))
    return function(value)


def _is_protocol(value: Any) -> TypeGuard[Any]:
    """Whether a value tells its parts by `__tf_flatten__`, as dataclasses may."""
    return hasattr(type(value), "__tf_flatten__") and hasattr(type(value), "__tf_unflatten__")


def _attributes(value: Any) -> Any:
    kind: Any = type(value)
    return kind.__attrs_attrs__


def _like_mapping(value: Any, made: dict[Any, Any]) -> Any:
    flat = [made[key] for key in sorted(made)]
    if any(map(nest.is_nested, flat)):  # the nest of the values would be looked into
        return type(value)(made)
    return nest.pack_sequence_as(value, flat)


def leaves(value: Any) -> list[Any]:
    """Lists the leaves of a nest of tuples and dictionaries, those of a mapping by sorted keys."""
    if type(value) is EagerTensor:
        return [value]
    found: list[Any] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[Any]) -> None:
    if isinstance(value, Mapping):
        for key in sorted(value):
            _collect(value[key], found)
    elif isinstance(value, tuple) and not isinstance(value, TensorShape):
        for part in value:
            _collect(part, found)
    elif hasattr(type(value), "__attrs_attrs__"):
        for field in _attributes(value):
            _collect(getattr(value, field.name), found)
    elif _is_protocol(value):
        for part in value.__tf_flatten__()[1]:
            _collect(part, found)
    else:
        found.append(value)


def packer(form: Any) -> Callable[[list[Any]], Any]:
    """Returns a function that puts a list of leaves into the structure of `form`."""
    if not is_structure(form):
        return _first
    if type(form) is tuple and not any(map(is_structure, form)):
        return tuple
    if type(form) is dict and not any(map(is_structure, form.values())):
        keys, order = list(form), sorted(form)
        if keys == order:
            return lambda flat: dict(zip(keys, flat, strict=True))
    return lambda flat: packed(form, flat)


def _first(flat: list[Any]) -> Any:
    (leaf,) = flat
    return leaf


def is_structure(value: Any) -> bool:
    """Whether a value has parts, as an element of a dataset."""
    return (
        isinstance(value, Mapping)
        or (isinstance(value, tuple) and not isinstance(value, TensorShape))
        or hasattr(type(value), "__attrs_attrs__")
        or _is_protocol(value)
    )


def packed(form: Any, flat: list[Any]) -> Any:
    """Puts leaves, in the order of `leaves`, into the structure of `form`."""
    places = iter(range(len(flat)))
    order = _numbered(form, places)
    return mapped(lambda place: flat[place], order)


def _numbered(form: Any, places: Any) -> Any:
    """Returns the structure with numbers for its leaves; keys are counted sorted."""
    if isinstance(form, Mapping):
        found = {key: _numbered(form[key], places) for key in sorted(form)}
        kept = {key: found[key] for key in form}
        return kept if type(form) is dict else _like_mapping(form, kept)
    if isinstance(form, tuple) and not isinstance(form, TensorShape):
        parts = [_numbered(part, places) for part in form]
        return type(form)(*parts) if hasattr(form, "_fields") else tuple(parts)
    if hasattr(type(form), "__attrs_attrs__"):
        fields = _attributes(form)
        return type(form)(*[_numbered(getattr(form, f.name), places) for f in fields])
    if _is_protocol(form):
        metadata, parts = form.__tf_flatten__()
        return form.__tf_unflatten__(metadata, tuple([_numbered(x, places) for x in parts]))
    return next(places)


def fresh(element: Any) -> Any:
    """Returns an element with dictionaries of its own, which whoever gets it may change."""
    kind = type(element)
    if kind is EagerTensor or kind is StringTensor:
        return element
    if kind is tuple and all(type(part) in (EagerTensor, StringTensor) for part in element):
        return element
    return mapped(_same, element)


def _same(leaf: Any) -> Any:
    return leaf


def as_tensors(value: Any) -> Any:
    """Returns a value with tensors for its leaves; lists become tensors."""
    return mapped(leaf_of, value)


def leaf_of(value: Any) -> Any:
    """Returns a leaf of an element as a tensor, or as another value made of tensors."""
    if value is None or isinstance(value, EagerTensor | CompositeTensor | TensorArray):
        return value
    if isinstance(value, Variable):
        return value._root.value()
    if hasattr(value, "_is_element"):
        return value
    if not isinstance(value, list) and isinstance(spec_of(value), TypeSpec):
        return value
    return convert(value)


def with_computed_values(value: Any) -> Any:
    """Waits for the values of the tensors in an element, and brings them to the host."""
    for leaf in leaves(value):
        for part in _parts(leaf):
            part._value = part._numpy_array()
    return value


def _parts(leaf: Any) -> list[EagerTensor]:
    if isinstance(leaf, EagerTensor):
        return [leaf]
    if isinstance(leaf, CompositeTensor):
        return [part for inner in leaf._components() for part in _parts(inner)]
    return []


# Specs.


def spec_of_leaf(leaf: Any) -> Any:
    """Returns the spec of a leaf of an element; a spec stands for itself."""
    if isinstance(leaf, TypeSpec):
        return leaf
    if leaf is None:
        return NoneTensorSpec()
    if isinstance(leaf, EagerTensor):
        account = open_sizes()
        return TensorSpec(leaf.shape if account is None else account.shape_of(leaf), leaf.dtype)
    return spec_of(leaf)


def spec_of_element(element: Any) -> Any:
    """Returns the nest of the specs of an element."""
    return mapped(spec_of_leaf, element)


def merged_spec(first: Any, second: Any) -> Any:
    """Returns a spec of the elements of both; that of `first` where there is none.

    Raises:
        TypeError: if the structures differ.
    """
    pairs = zip(leaves(first), leaves(second), strict=True)
    found = [a.most_specific_common_supertype([b]) or a for a, b in pairs]
    return packed(first, found)


def batched_spec(spec: Any, size: int | None) -> Any:
    """Returns the specs of batches of such elements."""
    return mapped(lambda leaf: batched_leaf(leaf, size), spec)


def batched_leaf(spec: Any, size: int | None) -> Any:
    """Returns the spec of a batch of what a spec describes."""
    if isinstance(spec, TensorSpec | NoneTensorSpec):
        return spec._batch(size) if isinstance(spec, TensorSpec) else spec
    shape = TensorShape([size]).concatenate(getattr(spec, "shape", None))
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank + 1, spec.row_splits_dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    require_batchable(spec, "_batch")
    if hasattr(spec, "_batch"):
        return spec._batch(size)
    raise TypeError(f"batching is not supported for {spec!r}")


def row_leaf(spec: Any) -> Any:
    """Returns the spec of a row of what a spec describes.

    Raises:
        ValueError: if it has no rows.
    """
    shape = getattr(spec, "shape", TensorShape(None))
    if isinstance(spec, NoneTensorSpec):
        return spec
    if shape.rank == 0:
        raise ValueError(MESSAGE_UNBATCH)
    inner = shape[1:] if shape.rank is not None else TensorShape(None)
    if isinstance(spec, RaggedTensorSpec):
        if spec.ragged_rank == 0:
            return TensorSpec(inner, spec.dtype)
        return RaggedTensorSpec(inner, spec.dtype, spec.ragged_rank - 1, spec.row_splits_dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(inner, spec.dtype)
    if isinstance(spec, TensorSpec):
        return TensorSpec(inner, spec.dtype)
    require_batchable(spec, "_to_batched_tensor_list")
    if hasattr(spec, "_unbatch"):
        return spec._unbatch()
    raise TypeError(f"{spec!r} has no rows")


def tensor_of(array: Array) -> EagerTensor:
    """Makes a tensor of an array that nobody will change; of texts, where it holds objects."""
    return string_tensor(array) if array.dtype == OBJECT else from_host(array)


def shown_dtype(leaf: Any) -> Any:
    """Returns the dtype of a leaf, which shows itself as TensorFlow does in some messages."""
    return _ShownDType(getattr(leaf, "dtype", None))


class _ShownDType:
    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ShownDType) and self._dtype is other._dtype

    def __hash__(self) -> int:
        return hash(self._dtype)

    def __repr__(self) -> str:
        return f"<dtype: '{self._dtype.name}'>" if self._dtype is not None else "None"


def is_dense(spec: Any) -> bool:
    """Whether a spec is that of numbers in a tensor."""
    return type(spec) is TensorSpec and spec.dtype is not dtypes.string
