"""Element types: `DType`, one instance for each type, and the conversions to and from them."""

import builtins
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from tapefacade._core.error_texts import no_dtype
from tapefacade._core.missing_members import NO_PARTS, OF_TYPES, lacks

_BY_ENUM: dict[int, "DType"] = {}


@lacks(OF_TYPES | NO_PARTS)
class DType:
    """The type of the elements of a tensor, such as `tf.float32`.

    Each type exists once, so that types can be compared with `is`. A type also equals everything
    that `tf.as_dtype` converts to it: its name, the NumPy type, the Python type.

    Unlike TensorFlow there are no reference types (`float32_ref`), and the hash is the identity's.

    Args:
        type_enum: TensorFlow's number of the type, such as 1 for `tf.float32`.
        handle_data: accepted for compatibility, must be None.

    Returns:
        The one instance of that type.

    Raises:
        TypeError: if no type has this number.

    >>> DType(1)
    tf.float32
    >>> float32 == "float32", float32 == np.float32, float32 == float64
    (True, True, False)
    >>> float32.size, float32.is_floating, int8.max
    (4, True, 127)
    """

    __slots__ = (
        "__weakref__",
        "_limits",
        "_numpy",
        "as_datatype_enum",
        "as_numpy_dtype",
        "base_dtype",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numeric",
        "is_numpy_compatible",
        "is_quantized",
        "is_unsigned",
        "kernel_name",
        "name",
        "real_dtype",
        "size",
    )

    _limits: tuple[Any, Any] | None
    _numpy: np.dtype | None
    as_datatype_enum: int
    as_numpy_dtype: Any
    base_dtype: "DType"
    is_bool: builtins.bool
    is_complex: builtins.bool
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_numeric: builtins.bool
    is_numpy_compatible: builtins.bool
    is_quantized: builtins.bool
    is_unsigned: builtins.bool
    kernel_name: str
    name: str
    real_dtype: "DType"
    size: int

    def __new__(cls, type_enum: int, handle_data: None = None) -> "DType":
        if handle_data is not None:
            raise TypeError("handle_data must be of the type HandleData")
        try:
            return _BY_ENUM[int(type_enum)]
        except KeyError:
            message = f"{type_enum} does not correspond to a valid tensorflow::DataType"
            raise TypeError(message) from None

    @property
    def min(self) -> Any:
        """The smallest finite value of this type.

        Raises:
            TypeError: if the type has no order or is quantized.

        >>> int16.min
        -32768
        """
        return self._extreme("min", "minimum")

    @property
    def max(self) -> Any:
        """The largest finite value of this type.

        Raises:
            TypeError: if the type has no order or is quantized.

        >>> uint8.max
        255
        """
        return self._extreme("max", "maximum")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The pair (0, largest intensity) for images of this type.

        Raises:
            ValueError: if no intensities are defined for this type.

        >>> uint8.limits, float32.limits
        ((0, 255), (0, 1))
        """
        if self._limits is not None:
            return self._limits
        if self._numpy is None:
            raise KeyError(self.as_datatype_enum)
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Tells whether `other` is this type.

        Args:
            other: a type, or anything that `tf.as_dtype` accepts.

        Returns:
            True if both are the same type.

        Raises:
            TypeError: if `other` names no type.

        >>> float32.is_compatible_with("float32")
        True
        """
        return as_dtype(other) is self

    def is_subtype_of(self, other: Any) -> builtins.bool:
        """Tells whether every value of this type is one of `other`: no type contains another one.

        Args:
            other: the type to compare with.

        Returns:
            True if both are the same type.

        >>> float16.is_subtype_of(float32)
        False
        """
        return self == other

    def most_specific_common_supertype(self, types: Any) -> "DType | None":
        """Finds the type that this one and all `types` belong to.

        Args:
            types: a sequence of types.

        Returns:
            This type if all others are the same, otherwise None.

        >>> float32.most_specific_common_supertype([float32])
        tf.float32
        """
        return self if all(self == other for other in types) else None

    def _extreme(self, attribute: str, adjective: str) -> Any:
        if self.is_quantized or self in (bool, string, complex64, complex128):
            kind = "quantized type" if self.is_quantized else "type"
            raise TypeError(f"Cannot find {adjective} value of {self} with {kind} {self}.")
        if self.is_floating:
            return getattr(ml_dtypes.finfo(self.as_numpy_dtype), attribute)
        if self.is_integer:
            return int(getattr(ml_dtypes.iinfo(self.as_numpy_dtype), attribute))
        raise TypeError(f"Cannot find {adjective} value of {self}.")

    def __getattr__(self, name: str) -> NoReturn:
        # Reached by missing names only: handle types have no NumPy type, and TensorFlow's
        # look-up raises KeyError for them.
        if name == "as_numpy_dtype":
            raise KeyError(self.as_datatype_enum)
        raise AttributeError(f"'DType' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("property of 'DType' object has no setter")

    def __eq__(self, other: object) -> builtins.bool:
        if other is self:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self == other

    # In C, because types are part of most cache keys. TensorFlow's is `as_datatype_enum`.
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


def _define(
    enum: int,
    name: str,
    numpy_type: Any,
    kind: str,
    kernel_name: str | None = None,
    limits: tuple[Any, Any] | None = None,
    real_dtype: DType | None = None,
) -> DType:
    """Makes the instance of one type.

    Args:
        enum: TensorFlow's number of the type.
        name: its public name.
        numpy_type: what `as_numpy_dtype` returns, or None where there is none.
        kind: "floating", "integer", "unsigned", "bool", "complex", "quantized" or "other".
        kernel_name: the name in messages of kernels where it differs from `name`.
        limits: the intensity limits, where defined.
        real_dtype: the type of the real part, where it is another one.

    Returns:
        The new type, which is also entered into the table of types.

    Raises:
        ValueError: if the number is taken.
    """
    if enum in _BY_ENUM:
        raise ValueError(f"The type number {enum} of {name} is taken by {_BY_ENUM[enum]!r}.")
    dtype = object.__new__(DType)
    values = {
        "name": name,
        "kernel_name": kernel_name or name,
        "as_datatype_enum": enum,
        "is_floating": kind == "floating",
        "is_integer": kind in ("integer", "unsigned"),
        "is_unsigned": kind == "unsigned",
        "is_bool": kind == "bool",
        "is_complex": kind == "complex",
        "is_quantized": kind == "quantized",
        # The types of 2023 and later, from number 24 on, are no numbers to TensorFlow.
        "is_numeric": kind not in ("bool", "other") and enum < 24,
        "is_numpy_compatible": numpy_type is not None,
        "size": 0 if kind == "other" else np.dtype(numpy_type).itemsize,
        "base_dtype": dtype,
        "real_dtype": real_dtype or dtype,
        "_numpy": None if numpy_type is None else np.dtype(numpy_type),
        "_limits": limits,
    }
    if numpy_type is not None:
        values["as_numpy_dtype"] = numpy_type
    for key, value in values.items():
        object.__setattr__(dtype, key, value)
    _BY_ENUM[enum] = dtype
    return dtype


float16 = half = _define(19, "float16", np.float16, "floating", "half")
float32 = _define(1, "float32", np.float32, "floating", "float", (0, 1))
float64 = double = _define(2, "float64", np.float64, "floating", "double", (0, 1))
bfloat16 = _define(14, "bfloat16", ml_dtypes.bfloat16, "floating")
float8_e5m2 = _define(24, "float8_e5m2", ml_dtypes.float8_e5m2, "floating")
float8_e4m3fn = _define(25, "float8_e4m3fn", ml_dtypes.float8_e4m3fn, "floating")
float8_e4m3fnuz = _define(26, "float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, "floating")
float8_e4m3b11fnuz = _define(27, "float8_e4m3b11fnuz", ml_dtypes.float8_e4m3b11fnuz, "floating")
float8_e5m2fnuz = _define(28, "float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, "floating")
float4_e2m1fn = _define(33, "float4_e2m1fn", ml_dtypes.float4_e2m1fn, "floating")
int2 = _define(31, "int2", ml_dtypes.int2, "integer")
int4 = _define(29, "int4", ml_dtypes.int4, "integer")
int8 = _define(6, "int8", np.int8, "integer", limits=(0, 2**7 - 1))
int16 = _define(5, "int16", np.int16, "integer", limits=(0, 2**15 - 1))
int32 = _define(3, "int32", np.int32, "integer", limits=(0, 2**31 - 1))
int64 = _define(9, "int64", np.int64, "integer", limits=(0, 2**63 - 1))
uint2 = _define(32, "uint2", ml_dtypes.uint2, "unsigned")
uint4 = _define(30, "uint4", ml_dtypes.uint4, "unsigned")
uint8 = _define(4, "uint8", np.uint8, "unsigned", limits=(0, 2**8 - 1))
uint16 = _define(17, "uint16", np.uint16, "unsigned", limits=(0, 2**16 - 1))
uint32 = _define(22, "uint32", np.uint32, "unsigned", limits=(0, 2**32 - 1))
uint64 = _define(23, "uint64", np.uint64, "unsigned", limits=(0, 2**64 - 1))
bool = _define(10, "bool", np.bool_, "bool", limits=(0, True))
complex64 = _define(8, "complex64", np.complex64, "complex", real_dtype=float32)
complex128 = _define(18, "complex128", np.complex128, "complex", real_dtype=float64)
string = _define(7, "string", object, "other")
qint8 = _define(11, "qint8", np.dtype([("qint8", np.int8)]), "quantized")
quint8 = _define(12, "quint8", np.dtype([("quint8", np.uint8)]), "quantized")
qint16 = _define(15, "qint16", np.dtype([("qint16", np.int16)]), "quantized")
quint16 = _define(16, "quint16", np.dtype([("quint16", np.uint16)]), "quantized")
qint32 = _define(13, "qint32", np.dtype([("qint32", np.int32)]), "quantized")
resource = _define(20, "resource", None, "other")
variant = _define(21, "variant", None, "other")

QUANTIZED_DTYPES = frozenset([qint8, quint8, qint16, quint16, qint32])

# Not all of these are other names of the fixed-width types: `np.longlong` is a type of its own.
_PLATFORM_TYPES = (np.intc, np.uintc, np.int_, np.uint, np.longlong, np.ulonglong)

_BY_NUMPY_TYPE: dict[Any, DType] = {
    **{dtype.as_numpy_dtype: dtype for dtype in _BY_ENUM.values() if dtype.is_numpy_compatible},
    **dict.fromkeys((np.object_, np.bytes_, np.str_), string),
}
for _type in _PLATFORM_TYPES:  # By way of "<i8" and the like.
    _BY_NUMPY_TYPE[_type] = _BY_NUMPY_TYPE[np.dtype(np.dtype(_type).str).type]
if hasattr(np.dtypes, "StringDType"):
    _BY_NUMPY_TYPE[np.dtypes.StringDType()] = string

# What `np.dtype(...)` gives for the types above: the table of the engine's own look-ups.
_BY_NUMPY_DTYPE: dict[np.dtype, DType] = {
    np.dtype(numpy_type): dtype
    for numpy_type, dtype in _BY_NUMPY_TYPE.items()
    if not isinstance(numpy_type, np.dtype) or dtype.is_quantized
}

_BY_ANYTHING: dict[Any, DType] = {
    **_BY_ENUM,
    **{dtype.name: dtype for dtype in _BY_ENUM.values()},
    "half": float16,
    "float": float32,
    "double": float64,
    builtins.float: float32,
    builtins.bool: bool,
    **_BY_NUMPY_TYPE,
}


def as_dtype(type_value: Any) -> DType:
    """Converts a value that names a type to that type.

    Args:
        type_value: a `DType`, a name such as "float32", a NumPy type, one of the Python types
            `float` and `bool`, TensorFlow's number of a type, or a NumPy array or scalar.

    Returns:
        The `DType`.

    Raises:
        TypeError: if no type belongs to the value; `int` for one names none.

    >>> as_dtype("half"), as_dtype(np.int64), as_dtype(float)
    (tf.float16, tf.int64, tf.float32)
    """
    if type(type_value) is DType:
        return type_value
    if isinstance(type_value, np.dtype):
        dtype = _BY_NUMPY_TYPE.get(type_value.type)
        if dtype is not None:
            return dtype
    try:
        return _BY_ANYTHING[type_value]
    except (KeyError, TypeError):
        pass  # Not known, or not hashable.
    element_type = getattr(type_value, "dtype", None)  # Of an array.
    if element_type is not None:
        try:
            return _BY_NUMPY_TYPE[np.dtype(element_type).type]
        except (KeyError, TypeError):
            pass
    raise TypeError(no_dtype(type_value))


def from_numpy(np_dtype: np.dtype) -> DType:
    """Finds the type of the elements of a NumPy array: one look-up in a table.

    Args:
        np_dtype: the `dtype` of the array.

    Returns:
        The `DType`.

    Raises:
        TypeError: if TensorFlow has no such type.

    >>> from_numpy(np.ones(2).dtype)
    tf.float64
    """
    try:
        return _BY_NUMPY_DTYPE[np_dtype]
    except KeyError:
        return as_dtype(np_dtype)  # Byte orders and lengths of text that are not in the table.
