"""Expressions about types, shapes, errors and nested structures, evaluated here and in TensorFlow.

An expression sees `tf` and the names of `NAMES`. `goldens/generate_core.py` stores what TensorFlow
makes of it in `goldens/core.json`; `test_core.py` compares.
"""

import copy
import pickle
import re

import numpy as np
from cases_nest import NEST_CASES, NEST_NAMES


class Index:
    """Something that can be a size, without being an integer."""

    def __index__(self):
        return 7

    def __repr__(self):
        return "Index()"


def outcome(expression, names):
    """Evaluates an expression to what the goldens hold: its repr, or the error and its text."""
    try:
        return {"value": without_address(repr(eval(expression, dict(names))))}
    except Exception as error:
        return {"error": type(error).__name__, "text": without_address(str(error))}


def without_address(text):
    return re.sub(r"\b0x[0-9a-f]+", "0x...", text)


NAMES = {**NEST_NAMES, "np": np, "copy": copy, "pickle": pickle, "Index": Index}


def words(text):
    return text.split()


BASIC = words(
    "bool complex64 complex128 double float16 float32 float64 half bfloat16 int8 int16 int32 int64 "
    "uint8 uint16 uint32 uint64 string qint8 qint16 qint32 quint8 quint16 resource variant"
)
EXPERIMENTAL = words(
    "float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2fnuz float4_e2m1fn "
    "int2 int4 uint2 uint4"
)
DTYPES = [f"tf.{name}" for name in BASIC] + [f"tf.dtypes.experimental.{n}" for n in EXPERIMENTAL]

TABLE_OF_DTYPES = [
    template.format(dtype)
    for dtype in DTYPES
    for template in (
        "[{0}, str({0}), {0}.name, {0}.size, {0}.as_datatype_enum, {0}.base_dtype, {0}.real_dtype]",
        "[{0}.is_bool, {0}.is_complex, {0}.is_floating, {0}.is_integer, {0}.is_numeric, "
        "{0}.is_numpy_compatible, {0}.is_quantized, {0}.is_unsigned]",
        "[tf.as_dtype({0}.name) is {0}, pickle.loads(pickle.dumps({0})) is {0}, "
        "copy.deepcopy({0}) is {0}, copy.copy({0}) is {0}]",
        "float({0}.min), float({0}.max)",
        "{0}.limits",
        "np.dtype({0}.as_numpy_dtype).descr",
    )
]

DTYPE_CASES = [
    *TABLE_OF_DTYPES,
    *(f"tf.as_dtype(np.{name})" for name in words("half single double intc uintc int_ uint")),
    *(f"tf.as_dtype(np.{name})" for name in words("longlong ulonglong bool_ object_ bytes_ str_")),
    *(f"tf.as_dtype(np.{name})" for name in words("float32 int8 uint16 complex64 complex128")),
    *(f"tf.as_dtype(np.dtype('{code}'))" for code in words("f2 f4 f8 i1 u4 ? c8 S3 U3 O >f4 <i2")),
    *(f"tf.as_dtype({name!r})" for name in words("float double half bool string int32")),
    *(f"tf.as_dtype({number})" for number in (1, 2, 3, 14, 19, 20, 23, 0, -1, 34, 99)),
    "tf.as_dtype(float)",
    "tf.as_dtype(bool)",
    "tf.as_dtype(object)",
    "tf.as_dtype(int)",
    "tf.as_dtype(complex)",
    "tf.as_dtype(str)",
    "tf.as_dtype(bytes)",
    "tf.as_dtype(None)",
    "tf.as_dtype([])",
    "tf.as_dtype('floaty')",
    "tf.as_dtype('int')",
    "tf.as_dtype('f4')",
    "tf.as_dtype('<f4')",
    "tf.as_dtype(np.ones(2))",
    "tf.as_dtype(np.float32(1))",
    "tf.as_dtype(np.array(['a']))",
    "tf.as_dtype(np.float16)",
    "tf.as_dtype(np.datetime64)",
    "tf.as_dtype(np.dtype('M8[s]'))",
    "tf.as_dtype(np.dtype('m8[s]'))",
    "tf.as_dtype(np.dtype('V4'))",
    "tf.as_dtype(np.clongdouble)",
    "tf.as_dtype(np.dtype([('qint8', np.int8)]))",
    "tf.as_dtype(np.dtype([('a', np.int8)]))",
    "tf.as_dtype(tf.bfloat16.as_numpy_dtype)",
    "tf.as_dtype(np.dtype(tf.bfloat16.as_numpy_dtype))",
    "tf.dtypes.as_dtype('half')",
    "tf.DType(1)",
    "tf.DType(14) == tf.bfloat16",
    "tf.DType(500)",
    "tf.DType('float32')",
    "tf.DType(1, 2)",
    "tf.DType(1, handle_data=None)",
    "tf.DType(type_enum=3)",
    "isinstance(tf.float32, tf.DType)",
    "tf.half is tf.float16, tf.double is tf.float64",
    "tf.float32 == 'float32', tf.float32 != 'float32'",
    "tf.float32 == 'float', tf.float32 == 'float64', tf.float32 == 'nonsense'",
    "tf.float32 == np.float32, tf.float32 == np.dtype('float32'), np.float32 == tf.float32",
    "tf.float32 == np.float64, tf.float32 != np.float64, tf.int32 != np.int32",
    "tf.float32 == float, tf.float64 == float, tf.bool == bool, tf.int32 == int",
    "tf.float32 == 1, tf.float32 == 2, tf.float32 == None, tf.float32 != None",
    "tf.float32 == [], tf.float32 == (1,), tf.float32 == object()",
    "tf.float32 == tf.float32, tf.float32 == tf.float64, tf.float32 != tf.float64",
    "'float32' == tf.float32, 'float64' == tf.float32",
    "tf.string == object, tf.string == str, tf.string == np.object_",
    "tf.float32 in (tf.float16, tf.float32), tf.int32 in (tf.float16, tf.float32)",
    "{tf.float32: 1}[tf.as_dtype('float32')]",
    "len({tf.float32, tf.as_dtype('float32'), tf.float64, tf.double})",
    "tf.float32 < tf.float64",
    "tf.float32.is_compatible_with('float32'), tf.float32.is_compatible_with(tf.float64)",
    "tf.float32.is_compatible_with('nonsense')",
    "tf.float32.is_subtype_of(tf.float32), tf.float32.is_subtype_of(tf.float64)",
    "tf.float32.most_specific_common_supertype([tf.float32, tf.float32])",
    "tf.float32.most_specific_common_supertype([tf.float32, tf.float64])",
    "tf.float32.nonsense",
    "hasattr(tf.float32, 'nonsense'), hasattr(tf.float32, 'name')",
    "setattr(tf.float32, 'name', 'x')",
    "tf.resource.as_numpy_dtype",
    "tf.variant.as_numpy_dtype",
    "tf.int32.as_numpy_dtype is np.int32, tf.bool.as_numpy_dtype is np.bool_",
    "tf.string.as_numpy_dtype is object",
    "[type(d.max).__name__ for d in (tf.int32, tf.uint8, tf.float32, tf.float64, tf.bfloat16)]",
    "f'{tf.float32} {tf.float32!r}'",
    "'%s' % tf.int8",
    "np.ones(2, tf.float32.as_numpy_dtype).dtype.name",
    "all(dtype.is_quantized for dtype in tf.dtypes.QUANTIZED_DTYPES)",
    "pickle.loads(pickle.dumps([tf.float32, tf.float32]))",
    "bool(tf.float32), bool(tf.resource)",
    "int(tf.float32), int(tf.resource)",
]

SHAPES = [
    "None",
    "[]",
    "()",
    "3",
    "0",
    "[3]",
    "(2, 3)",
    "[None, 2]",
    "[None]",
    "[2, 0, None]",
    "np.int64(4)",
    "np.array([1, 2])",
    "[np.int32(3), np.uint8(4)]",
    "range(3)",
    "iter([1, None])",
    "tf.TensorShape([5, None])",
    "[Index(), 2]",
    "Index()",
    "True",
    "tf.TensorShape([2, None]).dims",
    "tf.TensorShape([5]).dims[0]",
    "(size for size in [1, 2])",
    "{2: 3}",
    "np.ones([2, 2], int)",
]
BAD_SHAPES = [
    "-1",
    "[-1]",
    "[2, -3]",
    "'a'",
    "''",
    "2.0",
    "[2.0]",
    "['2']",
    "[[1, 2]]",
    "[(1,)]",
    "object",
    "np.array([1.5])",
    "np.float32(2)",
    "iter([1, 'a'])",
    "b'ab'",
    "1j",
    "iter([1.5])",
]

SHAPE_ATTRIBUTES = [
    "rank",
    "ndims",
    "dims",
    "as_list()",
    "num_elements()",
    "is_fully_defined()",
    "assert_is_fully_defined()",
]
OPERANDS = ["None", "[]", "[2]", "[None]", "[2, 3]", "[None, 3]", "[2, None]", "[4, 3]"]
BINARY = [
    "is_compatible_with",
    "most_specific_compatible_shape",
    "merge_with",
    "concatenate",
    "assert_same_rank",
    "assert_is_compatible_with",
]
KEYS = ["0", "-1", "2", "1:", ":1", ":", "::2", "::-1", "-1:", "0:2", "1:3", "5:", "2:1", ":-1"]

SHAPE_CASES = [
    *(f"tf.TensorShape({dims})" for dims in SHAPES + BAD_SHAPES),
    *(f"str(tf.TensorShape({dims}))" for dims in SHAPES[:10]),
    *(f"tf.TensorShape({dims}).{name}" for dims in SHAPES[:10] for name in SHAPE_ATTRIBUTES),
    *(f"bool(tf.TensorShape({dims})), len(tf.TensorShape({dims}))" for dims in SHAPES[:9]),
    *(f"list(tf.TensorShape({dims}))" for dims in ("None", "[]", "[2, None]")),
    *(
        f"tf.TensorShape({left}).{name}({right})"
        for name in BINARY
        for left in ("None", "[2]", "[None, 3]", "[2, 3]")
        for right in OPERANDS
    ),
    *(f"tf.TensorShape({dims})[{key}]" for dims in ("[2, None, 4]", "None") for key in KEYS),
    *(
        f"tf.TensorShape({left}).is_subtype_of(tf.TensorShape({right}))"
        for left in ("None", "[2]", "[2, 3]", "[None, 3]")
        for right in ("None", "[None]", "[2, 3]", "[None, None]")
    ),
    *(
        f"tf.TensorShape({dims}).{name}({rank})"
        for name in ("with_rank", "with_rank_at_least", "with_rank_at_most", "assert_has_rank")
        for dims in ("None", "[2, None]")
        for rank in (0, 1, 2, 3)
    ),
    "tf.TensorShape([2]).is_subtype_of([2])",
    "tf.TensorShape([2]).is_compatible_with('a')",
    "tf.TensorShape([2]).is_compatible_with(2)",
    "tf.TensorShape([2, 3]).merge_with((2, None))",
    "tf.TensorShape([2, 3]) + [4]",
    "tf.TensorShape([2, 3]) + (4, None)",
    "tf.TensorShape([2, 3]) + tf.TensorShape(None)",
    "tf.TensorShape([2, 3]) + 4",
    "tf.TensorShape([2, 3]) + None",
    "tf.TensorShape([2, 3]) + 'a'",
    "[1] + tf.TensorShape([2, 3])",
    "(None,) + tf.TensorShape([2, 3])",
    "1 + tf.TensorShape([2, 3])",
    "None + tf.TensorShape([2, 3])",
    "tf.TensorShape([2, 3])[:-1] + [7]",
    "tf.TensorShape([2, 3]) * 2",
    "tf.TensorShape([2, 3]) == [2, 3], tf.TensorShape([2, 3]) == (2, 3)",
    "[2, 3] == tf.TensorShape([2, 3]), (2, 3) == tf.TensorShape([2, 3])",
    "tf.TensorShape([2, 3]) != [2, 3], tf.TensorShape([2, 3]) != [2, 4]",
    "tf.TensorShape([2, None]) == [2, None], tf.TensorShape([2, None]) == [2, 3]",
    "tf.TensorShape(None) == None, tf.TensorShape(None) == tf.TensorShape(None)",
    "tf.TensorShape([]) == None, tf.TensorShape([]) == [], tf.TensorShape([]) == ()",
    "tf.TensorShape([2]) == 2, tf.TensorShape([2]) == 'a', tf.TensorShape([2]) == 2.0",
    "tf.TensorShape([2]) == [-1]",
    "tf.TensorShape([2]) != 'a'",
    "tf.TensorShape([2]) == np.array([2])",
    "tf.TensorShape([2]) < tf.TensorShape([3])",
    "hash(tf.TensorShape([2, 3])) == hash(tf.TensorShape((2, 3)))",
    "{tf.TensorShape([2, 3]): 1}[tf.TensorShape((2, 3))]",
    "hash(tf.TensorShape([2, None])) == hash((2, None))",
    "len(tf.TensorShape([2, None])), len(tf.TensorShape([]))",
    "2 in tf.TensorShape([2, None]), None in tf.TensorShape([2, None]), 5 in tf.TensorShape([2])",
    "5 in tf.TensorShape(None)",
    "tuple(tf.TensorShape([2, 3])), [*tf.TensorShape([2, 3])]",
    "tf.TensorShape([2, 3])[np.int64(1)]",
    "tf.TensorShape([2, 3])[5]",
    "tf.TensorShape([2, 3])['a']",
    "tf.TensorShape([2, 3])[None]",
    "tf.TensorShape(None)[5]",
    "type(tf.TensorShape([np.int64(2)])[0]).__name__",
    "list(reversed(tf.TensorShape([2, 3])))",
    "tf.TensorShape([2, 3]).index(3)",
    "np.zeros(tf.TensorShape([2, 3])).shape",
    "np.prod(tf.TensorShape([2, 3])).item()",
    "np.reshape(np.arange(6), tf.TensorShape([2, 3])).tolist()",
    "pickle.loads(pickle.dumps(tf.TensorShape([2, None])))",
    "pickle.loads(pickle.dumps(tf.TensorShape(None)))",
    "copy.deepcopy(tf.TensorShape([2, None]))",
    "copy.copy(tf.TensorShape(None))",
    "tf.TensorShape()",
    "tf.TensorShape(2, 3)",
    "tf.TensorShape(dims=[2])",
    "tf.TensorShape([2, 3]).most_specific_common_supertype([tf.TensorShape([2, 4])])",
    "tf.TensorShape([2, 3]).most_specific_common_supertype([tf.TensorShape([2])])",
    "tf.TensorShape([2, 3]).most_specific_common_supertype([[2, 3]])",
    "tf.TensorShape([2, 3]).most_specific_common_supertype([])",
    "tf.TensorShape(None).most_specific_common_supertype([tf.TensorShape([2])])",
    "f'{tf.TensorShape([1, None])}'",
    "'%s %r' % (tf.TensorShape([1]), tf.TensorShape([1]))",
    "setattr(tf.TensorShape([1]), 'rank', 3)",
]

DIMENSION = "tf.TensorShape([6]).dims[0]"
UNKNOWN = "tf.TensorShape([None]).dims[0]"
DIMENSION_CASES = [
    *(
        f"{left} {symbol} {right}"
        for symbol in ("+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">=")
        for left, right in (
            (DIMENSION, 4),
            (DIMENSION, UNKNOWN),
            (UNKNOWN, 4),
            (13, DIMENSION),
            (DIMENSION, "'a'"),
        )
    ),
    *(f"{function}({DIMENSION})" for function in ("str", "repr", "int", "bool", "range", "hash")),
    *(f"{function}({UNKNOWN})" for function in ("str", "repr", "int", "bool", "range")),
    f"{DIMENSION} - 7",
    f"{DIMENSION} / 2",
    f"2 / {DIMENSION}",
    f"{DIMENSION} < -1",
    f"{DIMENSION} + (-1)",
    f"{DIMENSION} + 2.0",
    f"'a' + {DIMENSION}",
    f"2.0 < {DIMENSION}",
    f"{DIMENSION}.value, {UNKNOWN}.value",
    f"{DIMENSION}.merge_with({UNKNOWN}), {UNKNOWN}.merge_with(3), {UNKNOWN}.merge_with(None)",
    f"{DIMENSION}.merge_with(7)",
    f"{DIMENSION}.merge_with('a')",
    f"{DIMENSION}.is_compatible_with(6), {DIMENSION}.is_compatible_with(None)",
    f"{DIMENSION}.is_compatible_with(7), {UNKNOWN}.is_compatible_with(7)",
    f"{DIMENSION}.assert_is_compatible_with(7)",
    f"list(range(9))[{DIMENSION}]",
    f"pickle.loads(pickle.dumps({DIMENSION})), copy.copy({UNKNOWN})",
]

ERRORS = words(
    "Cancelled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied "
    "Unauthenticated ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented "
    "Internal Unavailable DataLoss"
)
OP = "types.SimpleNamespace(name='Add_1', traceback=[], _original_op=None)"
ERROR_CASES = [
    *(
        f"(lambda e: [str(e), repr(e), e.args, e.message, e.op, e.node_def, e.error_code, "
        f"e.experimental_payloads, isinstance(e, tf.errors.OpError)])"
        f"(tf.errors.{name}Error(None, None, 'bad'))"
        for name in ERRORS
    ),
    *(
        f"(lambda e: [type(e).__name__, str(e), e.error_code])"
        f"(pickle.loads(pickle.dumps(tf.errors.{name}Error(None, None, 'bad'))))"
        for name in ERRORS
    ),
    "{k: v for k, v in sorted(vars(tf.errors).items()) if k.isupper()}",
    "[k for k in sorted(vars(tf.errors)) if k[0] != '_' and k[-5:] == 'Error']",
    "str(tf.errors.OpError(None, None, 'bad', 3))",
    "tf.errors.OpError(None, None, 'bad', 3).error_code",
    "tf.errors.OpError(None, None, 'bad', 3, {'a': b'1'}).experimental_payloads",
    "tf.errors.NotFoundError(None, None, 'bad', {'a': b'1'}).experimental_payloads",
    "tf.errors.OpError(None, None, 'bad').error_code",
    "str(tf.errors.NotFoundError(node_def='n', op=None, message='bad'))",
    "tf.errors.NotFoundError('node', None, 'bad').node_def",
    f"str(tf.errors.NotFoundError(None, {OP}, 'bad'))",
    f"tf.errors.NotFoundError(None, {OP}, 'bad').op.name",
    "copy.copy(tf.errors.NotFoundError(None, None, 'bad')).message",
    "copy.deepcopy(tf.errors.NotFoundError(None, None, 'bad', {'a': 1})).experimental_payloads",
    "pickle.loads(pickle.dumps(tf.errors.OpError(None, None, 'bad', 7))).error_code",
    "issubclass(tf.errors.OpError, Exception), issubclass(tf.errors.OpError, RuntimeError)",
    "issubclass(tf.errors.InvalidArgumentError, ValueError)",
    "issubclass(tf.errors.NotFoundError, tf.errors.InvalidArgumentError)",
    "issubclass(tf.errors.OperatorNotAllowedInGraphError, TypeError)",
    "issubclass(tf.errors.OperatorNotAllowedInGraphError, tf.errors.OpError)",
    "str(tf.errors.OperatorNotAllowedInGraphError('no')), "
    "tf.errors.OperatorNotAllowedInGraphError('no').args",
    "setattr(tf.errors.NotFoundError(None, None, 'bad'), 'message', 'x')",
    "type('Mine', (tf.errors.NotFoundError,), {})(None, None, 'mine').error_code",
]

CASES = DTYPE_CASES + SHAPE_CASES + DIMENSION_CASES + ERROR_CASES + NEST_CASES
