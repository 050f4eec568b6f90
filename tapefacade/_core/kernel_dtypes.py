"""Sets of dtypes that many ops accept, by TensorFlow's kernel names and in TensorFlow's order.

An error lists the dtypes in the order of the kernel's definition, so that sets with the same
members occur in several orders. A set that belongs to one op stands beside it.
"""

FLOATS = ("bfloat16", "half", "float", "double")
FLOATS_HALF_FIRST = ("half", "bfloat16", "float", "double")
FLOATS_EXCEPT_DOUBLE = ("half", "bfloat16", "float")
FLOATS_EXCEPT_BFLOAT16 = ("half", "float", "double")
FLOATS_WIDE = ("float", "double")
COMPLEX = ("complex64", "complex128")
FLOATS_COMPLEX = (*FLOATS, *COMPLEX)

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = (*SIGNED, *UNSIGNED)
FLOATS_SIGNED = (*FLOATS, *SIGNED)
FLOATS_SIGNED_COMPLEX = (*FLOATS_SIGNED, *COMPLEX)

INDICES = ("int32", "int64")
INDICES_INT16 = ("int16", *INDICES)
BINCOUNT_WEIGHTS = (*INDICES, *FLOATS_WIDE)

# What TensorFlow calls `realnumbertype` and `numbertype`.
REALS = (
    "float", "double", "int32", "uint8", "int16", "int8", "int64", "bfloat16", "uint16", "half",
    "uint32", "uint64",
)  # fmt: skip
REALS_QUANTIZED = (*REALS, "qint8", "quint8", "qint32", "qint16", "quint16")
REALS_QUANTIZED_BOOL = (*REALS_QUANTIZED, "bool")
NUMBERS = (
    "float", "double", "int32", "uint8", "int16", "int8", "complex64", "int64", "qint8", "quint8",
    "qint32", "bfloat16", "qint16", "quint16", "uint16", "complex128", "half", "uint32", "uint64",
)  # fmt: skip
