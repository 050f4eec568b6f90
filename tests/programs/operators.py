"""Operators of tensors and variables, with lists, NumPy values, Python numbers on either side."""

# ruff: noqa: RUF005, SIM300

import operator

from programs.program import caught

_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def _table(names, *operands):
    return {name: caught(getattr(operator, name), *operands) for name in names}


def tensors(tf, np):
    a, b = tf.constant([7.0, -7.0, 2.0]), tf.constant([2.0, 2.0, 3.0])
    return _table(_ARITHMETIC + _COMPARISONS, a, b)


def integers(tf, np):
    a, b = tf.constant([7, -7, 2]), tf.constant([2, 2, 3])
    return _table(_ARITHMETIC + _COMPARISONS + ("and_", "or_", "xor"), a, b)


def booleans(tf, np):
    a, b = tf.constant([True, True, False]), tf.constant([True, False, False])
    return _table(("and_", "or_", "xor", "eq", "ne", "add", "sub", "lt"), a, b) | {
        "invert": ~a,
        "negate": caught(lambda: -a),
        "with python": [a & True, True & a, a | [False, True, True]],
        "with numpy": a ^ np.array([True, False, True]),
    }


def with_python_numbers(tf, np):
    x, i = tf.constant([3.0, -2.0]), tf.constant([3, 2])
    return {
        "float right": _table(_ARITHMETIC + _COMPARISONS, x, 2.0),
        "float left": _table(_ARITHMETIC + _COMPARISONS, 2.0, x),
        "int right": _table(_ARITHMETIC, x, 2),
        "int left": _table(_ARITHMETIC, 2, x),
        "ints": _table(_ARITHMETIC, i, 2),
        "ints left": _table(_ARITHMETIC, 2, i),
    }


def with_lists(tf, np):
    x = tf.constant([3.0, 4.0])
    m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return {
        "right": _table(_ARITHMETIC, x, [1.0, 2.0]),
        "left": _table(_ARITHMETIC, [1.0, 2.0], x),
        "ints in the list": _table(_ARITHMETIC, x, [1, 2]),
        "tuple": x + (1.0, 2.0),
        "nested": x * [[1.0], [2.0]],
        "matmul": [m @ [[1.0], [2.0]], [[1.0, 2.0]] @ m],
        "compare": [x < [4.0, 4.0], x == [3.0, 1.0], [3.0, 5.0] != x],
        "of tensors": x + [tf.constant(1.0), tf.constant(2.0)],
    }


def with_numpy(tf, np):
    x = tf.constant([3.0, 4.0])
    a, d = np.array([1.0, 2.0], np.float32), np.array([1.0, 2.0])
    return {
        "right": _table(_ARITHMETIC, x, a),
        "left": _table(_ARITHMETIC, a, x),
        "float64 right": _table(("add", "mul"), x, d),
        "float64 left": _table(("add", "mul"), d, x),
        "scalar float64": [np.float64(2) + x, x + np.float64(2), np.float64(2) * x],
        "scalar float32": [np.float32(2) - x, x - np.float32(2)],
        "scalar int": [caught(lambda: np.int32(2) + x), caught(lambda: x + np.int64(2))],
        "integers": [
            caught(lambda: tf.constant([1, 2]) + np.array([1, 2])),
            caught(lambda: tf.constant([1, 2]) + np.array([1.5, 2.5])),
            caught(lambda: np.array([1.5, 2.5]) + tf.constant([1, 2])),
        ],
        "compare": [x == a, a < x, np.float64(3.0) == x],
        "matmul": np.ones([1, 2], np.float32) @ tf.ones([2, 1]),
    }


def with_variables(tf, np):
    v, w = tf.Variable([3.0, 4.0]), tf.Variable([2.0, 3.0])
    x = tf.constant([1.0, 2.0])
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return {
        "two": _table(_ARITHMETIC + _COMPARISONS, v, w),
        "tensor right": _table(_ARITHMETIC, v, x),
        "tensor left": _table(_ARITHMETIC, x, v),
        "number": _table(_ARITHMETIC, v, 2.0),
        "number left": _table(_ARITHMETIC, 2, v),
        "list": [v + [1.0, 2.0], [1.0, 2.0] * v],
        "numpy": [v + np.ones(2, np.float32), np.ones(2, np.float32) * v],
        "unary": [-v, abs(v), +v if False else None],
        "matmul": [m @ m, [[1.0, 2.0]] @ m, m @ [[1.0], [2.0]]],
        "item": [v[0], m[1], m[0, 1], v[::-1]],
        "augmented": caught(_augmented, v),
        "pow function": pow(v, 2),
        "invert": ~tf.Variable([True, False]),
        "logical": tf.Variable([True, False]) & tf.Variable([True, True]),
    }


def _augmented(v):
    before = v
    v += 1.0
    return [type(v).__name__ == type(before).__name__, v, before]


def unary(tf, np):
    x, i = tf.constant([1.5, -2.5]), tf.constant([1, -2])
    return {
        "negative": [-x, -i],
        "absolute": [abs(x), abs(i)],
        "positive": caught(lambda: +x),
        "invert floats": caught(lambda: ~x),
        "invert integers": ~i,
        "of unsigned": caught(lambda: -tf.constant([1], tf.uint8)),
        "of complex": [-tf.constant(1j), abs(tf.constant(3 + 4j))],
    }


def shifts(tf, np):
    i = tf.constant([1, 2])
    return {"left": caught(lambda: i << 1), "right": caught(lambda: i >> 1)}


def matmul(tf, np):
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
    v = tf.constant([1.0, 2.0])
    return {
        "matrices": a @ b,
        "batch": tf.ones([3, 1, 2]) @ tf.ones([3, 2, 1]),
        "broadcast batch": tf.ones([3, 1, 2]) @ tf.ones([2, 1]),
        "vectors": caught(lambda: v @ v),
        "matrix vector": caught(lambda: a @ v),
        "wrong sizes": caught(lambda: b @ b),
        "scalar": caught(lambda: a @ 2.0),
        "integers": tf.constant([[1, 2]]) @ tf.constant([[3], [4]]),
        "dtypes": caught(lambda: a @ tf.constant([[1], [2]])),
        "float64": caught(lambda: a @ tf.cast(b, tf.float64)),
        "ndarray left": np.ones([2, 2], np.float32) @ a,
        "bool": caught(lambda: tf.constant([[True]]) @ tf.constant([[True]])),
    }


def dtype_conflicts(tf, np):
    i, n, f, d = (
        tf.constant(1),
        tf.constant(1, tf.int64),
        tf.constant(1.0),
        tf.constant(1.0, tf.float64),
    )
    h, c, b = tf.constant(1.0, tf.float16), tf.constant(1j), tf.constant(True)
    pairs = {
        "i f": (i, f),
        "f i": (f, i),
        "f d": (f, d),
        "d f": (d, f),
        "i l": (i, n),
        "f h": (f, h),
    }
    pairs |= {
        "f c": (f, c),
        "f b": (f, b),
        "b b": (b, b),
        "i b": (i, b),
        "i 1.5": (i, 1.5),
        "1.5 i": (1.5, i),
    }
    pairs |= {
        "f 1j": (f, 1j),
        "f text": (f, "a"),
        "f none": (f, None),
        "none f": (None, f),
        "i True": (i, True),
    }
    pairs |= {
        "b 1": (b, 1),
        "f True": (f, True),
        "f big": (f, 2**40),
        "i big": (i, 2**40),
        "f list": (f, [1, "a"]),
    }
    pairs |= {"f dict": (f, {}), "f object": (f, [None]), "i [1.5]": (i, [1.5])}
    out = {}
    for key, (left, right) in pairs.items():
        out[key] = _table(("add", "mul", "truediv", "lt", "eq", "pow"), left, right)
    return out


def function_conflicts(tf, np):
    i, f, d = tf.constant([1]), tf.constant([1.0]), tf.constant([1.0], tf.float64)
    return {
        "add": caught(tf.add, f, i),
        "add list": caught(tf.add, [1.0], [2]),
        "add lists": tf.add([1, 2], [3, 4]),
        "multiply": caught(tf.multiply, d, f),
        "subtract": caught(tf.subtract, i, 1.5),
        "maximum": caught(tf.maximum, f, i),
        "matmul": caught(tf.matmul, [[1.0]], [[1]]),
        "concat": caught(tf.concat, [f, i], 0),
        "stack": caught(tf.stack, [f, i]),
        "where": caught(tf.where, [True], f, i),
        "divide": [tf.divide(i, 2), tf.divide(f, 2)],
        "pow": [caught(tf.pow, i, 2.5), caught(tf.pow, 2, 3), caught(tf.pow, 2.0, 3)],
        "sqrt": caught(tf.sqrt, i),
        "sqrt of a python int": caught(tf.sqrt, 4),
        "exp": caught(tf.exp, i),
        "reduce_mean": tf.reduce_mean([1, 2]),
        "cast": [tf.cast(1.7, tf.int32), tf.cast([0, 2], tf.bool), tf.cast(i, "float32")],
        "add_n": caught(tf.add_n, [f, i]),
        "numpy float64 to float32": f + np.float64(1.5),
        "numpy float64 first": caught(tf.add, np.float64(1.5), f),
        "numpy array first": caught(tf.add, np.ones(1), f),
        "numpy array second": caught(tf.add, f, np.ones(1)),
    }


def division(tf, np):
    i, j = tf.constant([7, -7, 1]), tf.constant([2, 2, 3])
    return {
        "int by int": i / j,
        "int64": tf.constant(7, tf.int64) / 2,
        "int8": tf.constant(7, tf.int8) / tf.constant(2, tf.int8),
        "uint8": tf.constant(7, tf.uint8) / tf.constant(2, tf.uint8),
        "floor": [i // j, tf.constant(-7.0) // 2.0],
        "mod": [i % j, tf.constant(-7.0) % 2.0, tf.constant(7.0) % -2.0],
        "by zero": tf.constant([1.0, 0.0]) / 0.0,
        "int by zero": tf.constant([1, 0]) / 0,
        "int floor by zero": caught(lambda: tf.constant(3) // tf.constant(0)),
        "int mod by zero": caught(lambda: tf.constant(3) % tf.constant(0)),
        "float floor by zero": tf.constant(3.0) // 0.0,
        "truncatediv": [tf.truncatediv(-7, 2), tf.truncatemod(-7, 2)],
        "divide_no_nan": tf.math.divide_no_nan([1.0, 0.0], [0.0, 0.0]),
        "half": tf.constant(1.0, tf.float16) / 3.0,
        "complex": tf.constant(1 + 1j) / 2.0,
        "bool": caught(lambda: tf.constant(True) / tf.constant(True)),
        "rdiv": [1 / tf.constant(4), 1.0 / tf.constant(4.0)],
        "zero by a later value": caught(lambda: tf.constant([4, 5]) // (tf.constant([2, 1]) - 1)),
    }


def powers(tf, np):
    x, i = tf.constant([2.0, -3.0, 0.0]), tf.constant([2, -3, 0])
    return {
        "square": x**2,
        "cube": x**3.0,
        "zero": x**0,
        "half": x**0.5,
        "negative": x**-1,
        "integers": [i**2, i**3],
        "integer by negative": caught(lambda: i**-1),
        "reflected": [2**x, 2.0**x, caught(lambda: 2**i)],
        "tensor": x ** tf.constant([1.0, 2.0, 3.0]),
        "complex": tf.constant(1j) ** 2,
    }


def equality(tf, np):
    x = tf.constant([1, 2])
    v = tf.Variable([1, 2])
    return {
        "tensors": [x == tf.constant([1, 3]), x != tf.constant([1, 3])],
        "none": [caught(lambda: x == None), caught(lambda: x != None)],  # noqa: E711
        "text": [caught(lambda: x == "a"), caught(lambda: x != "a")],
        "object": [caught(lambda: x == object()), caught(lambda: x != object())],
        "other shape": [
            caught(lambda: x == tf.constant([1, 2, 3])),
            caught(lambda: x != tf.constant([1, 2, 3])),
        ],
        "broadcast": x == 1,
        "dtypes": [caught(lambda: x == tf.constant([1.0, 2.0])), caught(lambda: x == 1.5)],
        "variables": [v == v, v == x, x == v, v != 1],
        "list": [x == [1, 2], x == [1, 5]],
        "in a list": [caught(lambda: tf.constant(1) in [1, 2]), caught(lambda: v in [v])],
        "scalar truth": bool(tf.constant(1) == 1),
        "nan": tf.constant(float("nan")) == tf.constant(float("nan")),
        "variable and none": [caught(lambda: v == None), v is None],  # noqa: E711
    }


def shape_errors(tf, np):
    a, b = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])
    m = tf.ones([2, 3])
    return {
        "add": caught(lambda: a + b),
        "multiply": caught(lambda: a * b),
        "less": caught(lambda: a < b),
        "equal": caught(lambda: a == b),
        "pow": caught(lambda: a**b),
        "matrix": caught(lambda: m + tf.ones([3, 2])),
        "matmul": caught(lambda: m @ m),
        "reshape": caught(lambda: tf.reshape(a, [3])),
        "reshape -1": caught(lambda: tf.reshape(b, [2, -1])),
        "concat": caught(lambda: tf.concat([m, tf.ones([3, 2])], 0)),
        "stack": caught(lambda: tf.stack([a, b])),
        "where": caught(lambda: tf.where([True, False], a, b)),
        "squeeze": caught(lambda: tf.squeeze(m, axis=0)),
        "reduce": caught(lambda: tf.reduce_sum(a, axis=1)),
        "transpose": caught(lambda: tf.transpose(m, [0])),
        "broadcast_to": caught(lambda: tf.broadcast_to(a, [3])),
        "split": caught(lambda: tf.split(b, 2)),
        "unstack": caught(lambda: tf.unstack(a, num=3)),
        "expand_dims": caught(lambda: tf.expand_dims(a, 3)),
        "gather": caught(lambda: tf.gather(a, [5])),
        "add list": caught(lambda: a + [1.0, 2.0, 3.0]),
        "maximum": caught(lambda: tf.maximum(a, b)),
        "tensordot": caught(lambda: tf.tensordot(a, b, 1)),
        "einsum": caught(lambda: tf.einsum("i,i->", a, b)),
        "inside a tape": caught(_error_inside_a_tape, tf, a, b),
    }


def _error_inside_a_tape(tf, a, b):
    with tf.GradientTape() as tape:
        tape.watch(a)
        c = a + b
    return tape.gradient(c, a)


def gradients_of_operators(tf, np):
    out = {}
    for name in _ARITHMETIC:
        a, b = tf.constant([3.5, 2.0]), tf.constant([2.0, 1.5])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([a, b])
            y = getattr(operator, name)(a, b)
            z = getattr(operator, name)(2.0, a)
        out[name] = [tape.gradient(y, [a, b]), tape.gradient(z, a)]
    return out


def values_that_are_wrong(tf, np):
    """Errors that depend on values, in a step and out of it."""
    one = tf.constant(1)

    def in_a_tape(function):
        with tf.GradientTape() as tape:
            x = tf.constant([1.0, 2.0])
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return {
        "cholesky": tf.linalg.cholesky(tf.constant([[-1.0]])),
        "inverse": caught(lambda: tf.linalg.inv(tf.constant([[0.0]]))),
        "gather of a computed index": caught(lambda: tf.gather(tf.constant([1.0]), one + one)),
        "in a tape": caught(in_a_tape, lambda x: tf.gather(x, tf.cast(x * 3.0, tf.int32))),
        "in a tape, right": caught(in_a_tape, lambda x: tf.gather(x, tf.cast(x - 1.0, tf.int32))),
        "division in a tape": caught(
            in_a_tape, lambda x: x * tf.cast(one // tf.cast(x[0] - 1.0, tf.int32), tf.float32)
        ),
        "assert": caught(lambda: tf.debugging.assert_positive(tf.constant([1.0, -1.0]))),
        "assert equal": caught(lambda: tf.debugging.assert_equal(one + one, 3)),
        "assert that holds": caught(lambda: tf.debugging.assert_equal(one + one, 2)),
        "check_numerics": caught(
            lambda: tf.debugging.check_numerics(tf.math.log([-1.0]), "the message")
        ),
        "afterwards": one + one,
    }
