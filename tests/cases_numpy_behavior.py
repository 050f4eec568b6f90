"""Expressions that TensorFlow answers after `experimental_enable_numpy_behavior`."""

from typing import Any

import numpy as np
from programs.program import Caught, encoded

OPERATORS = """
x + 1 | x + i | i + 1 | i + 1.5 | 1.5 + i | x + d
x + c | c * x | u + 300 | u - 2 | u + i8 | i8 * 1.5
i + k | i + np.int64(1) | i + np.int8(1) | x + np.float64(1) | np.float64(2) * i | x * np.float32(2)
x + np.array([1.0, 2.0]) | np.array([1.0, 2.0]) + x
np.array([1, 2]) < x | h + i8 | h + i | h + 1.5
x + [1, 2] | [1, 2] + x | i + [1.5, 2] | i + (1, 2) | x + None | x * True | i * True
i / 2 | i / i | 2.5 / i | 5 / i | x / 0 | i / 0 | 2 / x | b / 2
i // 2 | i // 2.0 | 2.5 // i | x // i | i // 0 | i % 2.5 | 5 % i | i % x
i ** 2 | i ** 0.5 | 2 ** i | 2.0 ** i | 2 ** x | i ** -1
i - 0.5 | 2.5 - i | 2 - x | x - i | -i | abs(i) | +x | +b | round(x) | round(y, 1) | round(i)
b + b | b * b | b - b | b + 1 | b + 1.5 | b * 2 | b - 1 | b ** 2
b & b | b & True | True & b | b | i | i & 1 | i & i8 | 1 | i | i ^ 3 | b & 1 | i & [1, 0] | ~i | ~b
i < 2.5 | i >= 1.5 | 1.5 >= i | x < i | i == 1.0
i == x | i != x | i != 1.5 | b == 1 | b < 1 | c == x
x == None | x != None | x == [1, 2] | x == tf.ones([3])
x @ x | i @ x | x @ [1.0, 2.0] | [1.0, 2.0] @ x | np.ones([2, 2]) @ x | 2 @ x | v @ x | x @ v
v + 1 | v + i | v + 1.5 | n + 1.5 | 1.5 * n | n / 2
v + np.array([1.0, 2.0]) | v - i | i - v | 2 ** v
v > 1 | v == 1 | n == 1.5 | +v | round(v)
tf.add(i, x) | tf.multiply(i, 0.5) | tf.maximum(i, x) | tf.matmul(i, x) | tf.where(b, x, i)
tf.divide(i, x) | tf.divide(i, 2.5) | tf.math.divide(x, i) | tf.divide(1, 2.5) | tf.truediv(i, x)
tf.constant(1.5) | tf.constant([1]) | tf.sqrt(2.0) | tf.reduce_mean(i) | sum([x, i])
"""

INDEXING = """
x[0] | x[-1] | x[0:1] | x[::-1] | x[...] | x[()] | x[None]
x[0, 1] | x[k] | x[tf.constant(1, tf.int8)]
x[[0, 1]] | x[[-1]] | x[[0, 1], [1, 0]] | x[[0, -1], [-1, 0]] | x[[[0, 1], [1, 0]]] | x[([0],)]
x[np.array([1, 0])] | x[np.array([[0, 1], [1, 0]])] | x[tf.constant([1, 0])] | x[range(2)] | x[n]
x[b] | x[b, 0] | x[:, b] | x[x > 2] | x[[True, False]] | x[np.array([True, False])] | x[b, [0, 1]]
x[[True, False], [0]] | x[[True, 0]] | x[None, [0]] | x[..., [0]] | x[[0], ..., 0] | x[0:1, [0]]
x[::-1, [1]] | x[[1], ::-1] | x[..., None, [1]] | x[[1], None] | x[1, tf.constant([0, 1])]
x[[0, slice(None)]] | x[[None, 0]] | x[[k, k]] | x[tf.constant([], tf.int32)] | x[[0], k]
t[[0, 1], :, [0, 1]] | t[:, [0, 1], [0, 1]] | t[[0, 1], [0, 1]] | t[[0, 1], None, [0, 1]]
t[0, :, [0, 1]] | t[:, 0, [0, 1]] | t[..., 0, [0, 1]]
t[[0, 1], 1:, [0, 1]] | t[[[0], [1]], [0, 1]]
t[[0, 1], 0, 1:3] | t[1:, ::2, [0, 1]] | t[None, [0, 1], ..., None] | t[[0, 1], 0, [0, 1]]
t[:, [True, False, True], [1, 2]] | t[:, [True, False, True]] | t[t % 2 == 0] | t[b, ..., [0]]
t[tf.constant([[True, False, True], [False, True, False]])]
x[5] | x[[5]] | x[:, [0, 5]] | x[[0, 5], [1, 0]] | x[[-3]]
x[0.5] | x[[0.5]] | x['a'] | x[[]] | x[0, 1, 2]
x[:, :, [0]] | x[True] | k[[0]] | t[[0, 1, 0], [0, 1]] | t[tf.constant([True, False, True])]
t[:, tf.constant([[True] * 4] * 3)] | x[[0], ..., [0], ...]
v[0] | v[b] | v[1:] | v[[0, 1]] | v[tf.constant([0, 1])] | [row for row in i]
"""

ATTRIBUTES = """
x.T | t.T | x.size | x.ndim | x.data | x.tolist()
k.tolist() | x.astype(np.int32) | x.astype('float64')
x.astype(tf.float16) | x.astype(int) | x.ravel() | x.flatten() | x.flatten('F') | x.transpose()
x.transpose([1, 0]) | x.reshape(4) | x.reshape(4, 1)
x.reshape([4, 1]) | x.reshape(-1) | x.reshape(k)
x.reshape((4,), order='F') | x.reshape(newshape=4)
x.reshape() | x.clip(2, 3) | x.max() | x.max(axis=0)
x.max(out=1) | x.min(1, keepdims=True) | x.mean() | i.mean() | x.mean(axis=0, dtype=np.float64)
x.sum() | x.std() | x.all() | x.copy() | x.dot(x) | x.round | v.T | v.reshape(2) | v.size | x.foo
"""

# Most of these fail in TensorFlow before.
FUNCTIONS = """
tnp.exp(1) | tnp.exp(i) | tnp.exp(b) | tnp.exp(i8)
tnp.sqrt(4) | tnp.log(0) | tnp.exp2(3) | tnp.sinh(b)
tnp.ceil(i) | tnp.floor(b) | tnp.fix(-1.5) | tnp.fix(i) | tnp.cbrt(-8) | tnp.cbrt(-y) | tnp.sinc(0)
tnp.deg2rad(180) | tnp.rad2deg(i) | tnp.log2(y) | tnp.log10(y) | tnp.logaddexp(x, i)
tnp.logaddexp2(x, x) | tnp.hypot(3, 4) | tnp.hypot(x, i) | tnp.hypot(x, 1.5) | tnp.heaviside(1, 2)
tnp.angle(-1) | tnp.angle(i, deg=True) | tnp.arctan2(i, x) | tnp.isfinite(i) | tnp.isnan(b)
tnp.around(2.567, 1) | tnp.around(1234, -2) | tnp.around(i, -1)
tnp.around([2.5, 3.5]) | tnp.around(i8, 1)
tnp.round(y, 1) | tnp.round(b) | tnp.round([0.5, 1.5])
tnp.nansum(i) | tnp.nansum(b) | tnp.nanprod(i)
tnp.average(i) | tnp.average(b) | tnp.average(i, weights=[1, 2], axis=0)
tnp.average(i, returned=True)
tnp.take_along_axis(x, [0, 3], None) | tnp.meshgrid([1, 2], [3.0]) | tnp.linspace(i[0], i[1], 3)
tnp.linspace(0, 1, 3) | tnp.geomspace(1, 8, 4) | tnp.zeros(2)
tnp.asarray([1.5]) | tnp.asarray(1.5, float)
tnp.result_type(1.5) | tnp.result_type(h, 1.5) | tnp.result_type(i, 1.5)
tnp.result_type(1j) | tnp.add(1, 2.5)
tnp.divide(1, 2) | tnp.divide(b, b) | tnp.divide(i8, 2)
tnp.mean(i8) | tnp.std(i) | tnp.arange(3.0)
"""

GRADIENTS = """
gradient(lambda x: (x * d)[[1, 0], [0, 1]]) | gradient(lambda x: x[x > 2] ** 2)
gradient(lambda x: (x + i).T.reshape(-1)[::2]) | gradient(lambda x: x[:, [0, 0, 1]].max(axis=1))
gradient(lambda x: (x / i).mean(axis=0).astype(np.float64)) | gradient(lambda x: x @ [1.0, 2.0] + 1)
"""

TABLES = {
    "legacy": [OPERATORS, INDEXING, ATTRIBUTES, FUNCTIONS, GRADIENTS],
    "prefer_float32": [FUNCTIONS],
    "off": [
        "x + 1 | x + i | i + 1.5 | x @ i | x[[1, 0]] | x.T | tnp.add(x, i) | tnp.exp(1) | i / 2"
    ],
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "legacy": {},
    "prefer_float32": {"prefer_float32": True},
    "off": {"dtype_conversion_mode": "off"},
}


def expressions(mode: str) -> list[str]:
    """The expressions of a table; ` | ` is an operator only where nothing else could be meant."""
    found: list[str] = []
    for line in "\n".join(TABLES[mode]).splitlines():
        found += [part for part in line.split(" | ") if part]
    for whole in ("b | i", "1 | i"):
        left, right = whole.split(" | ")
        for place in range(len(found) - 1):
            if found[place : place + 2] == [left, right]:
                found[place : place + 2] = [whole]
    return found


def answers(tf: Any, mode: str) -> dict[str, Any]:
    """What the module says to each expression, as JSON; the behaviour is enabled."""
    names = operands(tf)
    values = {text: attempt(text, names) for text in expressions(mode)}
    return {text: encoded(tf, looked_at(value)) for text, value in values.items()}


def attempt(text: str, names: dict[str, Any]) -> Any:
    try:
        return eval(text, dict(names))
    except Exception as e:
        return Caught(e)


def looked_at(value: Any) -> Any:
    """The value, or the error that comes to light when somebody looks at it."""
    try:
        if callable(getattr(value, "numpy", None)):
            value.numpy()
    except Exception as e:
        return Caught(e)
    return value


def operands(tf: Any) -> dict[str, Any]:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def gradient(function: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = function(x)
        return value, tape.gradient(value, x)

    return {
        "tf": tf,
        "np": np,
        "tnp": tf.experimental.numpy,
        "x": x,
        "y": tf.constant([1.26, 8.0]),
        "t": tf.reshape(tf.range(24), [2, 3, 4]),
        "i": tf.constant([[1, 2], [3, 4]]),
        "k": tf.constant(1, tf.int64),
        "i8": tf.constant(3, tf.int8),
        "u": tf.constant(1, tf.uint8),
        "h": tf.constant(1.0, tf.float16),
        "d": tf.constant([1.0, 2.0], tf.float64),
        "c": tf.constant([1 + 2j]),
        "b": tf.constant([True, False]),
        "v": tf.Variable([1.0, 2.0]),
        "n": tf.Variable([1, 0]),
        "gradient": gradient,
    }
