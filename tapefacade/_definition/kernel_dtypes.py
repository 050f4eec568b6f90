"""Which dtypes an op accepts, by TensorFlow's kernel names and in TensorFlow's order."""

FLOATS = ("bfloat16", "half", "float", "double")
FLOATS_COMPLEX = (*FLOATS, "complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = (*SIGNED, *UNSIGNED)
INDICES = ("int32", "int64")
