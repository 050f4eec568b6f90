"""Nests of specs and Python values as messages: `StructuredValue`, which describes functions."""

import collections
from collections.abc import Mapping
from typing import Any

from tapefacade._checkpoint.tensorflow_files.model_messages import MODELS
from tapefacade._core import dtypes
from tapefacade._core.bounded_specs import BoundedTensorSpec
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._io.spec_json import not_encoded
from tapefacade._io.tensor_protos import TENSORS, make_ndarray, make_tensor_proto, shape_proto

PLAIN = {bool: "bool_value", int: "int64_value", float: "float64_value", str: "string_value"}


def shape_of(shape: Any) -> Any:
    """Makes the message of a shape.

    Args:
        shape: a `tf.TensorShape`, or sizes; what is no number is not known.
    """
    if isinstance(shape, TensorShape):
        if shape.rank is None:
            return TENSORS["TensorShapeProto"](unknown_rank=True)
        shape = shape.as_list()
    return shape_proto([size if isinstance(size, int) else -1 for size in shape])


def structured(value: Any) -> Any:
    """Writes a nest of specs and Python values.

    Raises:
        NotEncodedError: if there is something else in it.
    """
    made = MODELS["StructuredValue"]()
    if value is None:
        made.none_value.SetInParent()
    elif type(value) in PLAIN:
        setattr(made, PLAIN[type(value)], value)
    elif isinstance(value, BoundedTensorSpec):
        _write_spec(made.bounded_tensor_spec_value, value)
        made.bounded_tensor_spec_value.minimum.CopyFrom(make_tensor_proto(value.minimum))
        made.bounded_tensor_spec_value.maximum.CopyFrom(make_tensor_proto(value.maximum))
    elif isinstance(value, TensorSpec):
        _write_spec(made.tensor_spec_value, value)
    elif isinstance(value, dtypes.DType):
        made.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorShape):
        made.tensor_shape_value.CopyFrom(shape_of(value))
    else:
        _write_parts(made, value)
    return made


def _write_spec(made: Any, spec: TensorSpec) -> None:
    made.name, made.dtype = spec.name or "", spec.dtype.as_datatype_enum
    made.shape.CopyFrom(shape_of(spec.shape))


def _write_parts(made: Any, value: Any) -> None:
    fields = getattr(value, "_fields", None)
    if fields is not None and isinstance(value, tuple):
        made.named_tuple_value.name = type(value).__name__
        for key, item in zip(fields, value, strict=True):
            made.named_tuple_value.values.add(key=key, value=structured(item))
    elif type(value) in (list, tuple):
        held = made.list_value if type(value) is list else made.tuple_value
        held.SetInParent()
        held.values.extend(map(structured, value))
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        made.dict_value.SetInParent()
        for key, item in value.items():
            made.dict_value.fields[key].CopyFrom(structured(item))
    else:
        raise not_encoded(value)


def unstructured(message: Any) -> Any:
    """Reads what `structured` has written; a named tuple is of a class made for it.

    >>> unstructured(structured({"x": [1, tf.TensorSpec([None])]}))
    {'x': [1, TensorSpec(shape=(None,), dtype=tf.float32, name=None)]}
    """
    kind = message.WhichOneof("kind")
    value = getattr(message, kind or "none_value")
    if kind in PLAIN.values():
        return value
    if kind == "tensor_dtype_value":
        return dtypes.as_dtype(value)
    if kind == "tensor_shape_value":
        return _shape(value)
    if kind == "tensor_spec_value":
        return TensorSpec(*_described(value))
    if kind == "bounded_tensor_spec_value":
        shape, dtype, name = _described(value)
        bounds = make_ndarray(value.minimum), make_ndarray(value.maximum)
        return BoundedTensorSpec(shape, dtype, *bounds, name)
    if kind in ("list_value", "tuple_value"):
        return (list if kind == "list_value" else tuple)(map(unstructured, value.values))
    if kind == "dict_value":
        return {key: unstructured(item) for key, item in sorted(value.fields.items())}
    if kind == "named_tuple_value":
        made = collections.namedtuple(value.name, [item.key for item in value.values])
        return made(*(unstructured(item.value) for item in value.values))
    return None


def _described(spec: Any) -> tuple[TensorShape, dtypes.DType, str | None]:
    return _shape(spec.shape), dtypes.as_dtype(spec.dtype), spec.name or None


def _shape(shape: Any) -> TensorShape:
    if shape.unknown_rank:
        return TensorShape(None)
    return TensorShape([None if dim.size < 0 else dim.size for dim in shape.dim])
