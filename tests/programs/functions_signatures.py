"""`tf.function`: input signatures, and how arguments are bound."""

import inspect
from typing import NamedTuple

from programs.functions import told, without_addresses


def input_signature(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

    return {
        "results": [f(tf.constant([1, 2])), f(tf.constant([3, 4, 5])), f([6]), f(x=np.array([7]))],
        "rank": told(f, tf.constant([[1, 2], [3, 4]])),
        "dtype": told(f, tf.constant([1.0, 2.0])),
        "count": f.experimental_get_tracing_count(),
        "signature": f.input_signature,
    }


def input_signature_casts(tf, np):
    spec = tf.TensorSpec

    @tf.function(input_signature=[spec([2]), spec([], tf.float64), spec([], tf.int32)])
    def f(x, y, n):
        return x, y, n

    x, v = tf.ones(2), tf.Variable([3.0, 4.0])
    return {
        "lists": f([1, 2], 3, 4),
        "numpy": f(np.ones(2), np.float32(3), np.int64(4)),
        "variable": f(v, 1.5, True),
        "list of tensors": f([tf.constant(1.0), 2.0], 1.0, 1),
        "float to int": told(f, x, 1.0, 1.5),
        "tensor to float64": told(f, x, tf.constant(1.0), 1),
        "int64": told(f, x, 1.0, tf.constant(1, tf.int64)),
        "shape": told(f, [1.0], 1.0, 1),
        "number": told(f, 1.0, 1.0, 1),
        "none": told(f, None, 1.0, 1),
        "text": told(f, "a", 1.0, 1),
    }


class Pair(NamedTuple):
    first: object
    second: object


def _called(tf, specs, value):
    @tf.function(input_signature=[specs])
    def f(value):
        return tf.nest.map_structure(lambda tensor: 2.0 * tensor, value)

    return told(f, value)


def input_signature_nested_lists(tf, np):
    matrix, vector, number = (tf.TensorSpec([None] * rank) for rank in (2, 1, 0))
    return {
        "dictionary": _called(tf, {"b": matrix, "a": number}, {"a": 5, "b": [[1, 2], [3, 4]]}),
        "list": _called(tf, [vector], [[1.0, 2.0]]),
        "named": list(_called(tf, Pair(vector, number), Pair([1.0, 2.0], 3.0))),
        "deep": _called(tf, {"a": (vector, [number])}, {"a": ([1.0, 2.0], [3.0])}),
    }


def input_signature_other_nests(tf, np):
    matrix, vector, number = (tf.TensorSpec([None] * rank) for rank in (2, 1, 0))
    return {
        "list for a tuple": _called(tf, (vector, number), [[1.0, 2.0], 3]),
        "rank": _called(tf, {"a": vector}, {"a": [[1, 2], [3, 4]]}),
        "ragged": _called(tf, {"a": matrix}, {"a": [[1, 2], [3]]}),
        "dictionary for a tensor": _called(tf, {"a": vector}, {"a": {"b": 1.0}}),
    }


def input_signature_counts(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def f(x):
        return x

    one = tf.constant(1.0)
    return {
        "missing": told(f),
        "too many": told(f, one, one),
        "keyword": f(x=one),
        "other keyword": told(f, y=one),
        "concrete": told(lambda: without_addresses(repr(f.get_concrete_function()))),
        "other concrete": told(f.get_concrete_function, tf.TensorSpec([3])),
    }


def input_signature_is_wrong(tf, np):
    spec = tf.TensorSpec([1])

    def one(x):
        return x

    def two(x, y):
        return x

    def keyword(x, *, y):
        return x

    def make(function, signature):
        return told(lambda: tf.function(function, input_signature=signature))

    return {
        "extra": make(one, [spec, spec]),
        "missing": make(two, [spec]),
        "empty": make(one, []),
        "dictionary": make(one, {"x": spec}),
        "number": make(one, [3]),
        "nested number": make(one, [[spec, "a"]]),
        "keyword": make(keyword, [spec]),
    }


def input_signature_with_defaults(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([])])
    def f(x, y=2.0, *, z=3.0):
        return x * y + z

    x = tf.constant(1.0)
    return {
        "default": f(x),
        "the same": [f(x, 2.0), f(x, y=2.0, z=3.0)],
        "another": told(f, x, 5.0),
        "count": f.experimental_get_tracing_count(),
        "signature": f.input_signature,
    }


def input_signature_of_any_number(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([2])])
    def f(*args):
        return args[0] * args[1]

    one = tf.constant(3.0)
    return f(one, tf.ones(2)), told(f, one), told(f, one, tf.ones(2), one)


def input_signature_nested(tf, np):
    spec = tf.TensorSpec([])

    @tf.function(input_signature=[{"a": spec, "b": (spec, [spec])}])
    def f(d):
        return d["a"] + d["b"][0] * d["b"][1][0]

    one = tf.constant(2.0)
    return {
        "tensors": f({"a": one, "b": (one, [one])}),
        "numbers": f({"b": (1.0, [2]), "a": 3.0}),
        "list for tuple": told(f, {"a": one, "b": [one, [one]]}),
        "missing": told(f, {"a": one}),
        "extra": told(f, {"a": one, "b": (one, [one]), "c": one}),
    }


def input_signature_of_a_method(tf, np):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec(None)])
        def run(self, x, y):
            return tf.reduce_sum(x) * self.v + tf.reduce_sum(y)

    m = Model()
    return {
        "results": [m.run(tf.ones([1, 2]), 1.0), m.run(tf.ones([3, 2]), [1.0, 2.0])],
        "signature": [m.run.input_signature, Model.run.input_signature],
        "shape": told(m.run, tf.ones([1, 3]), 1.0),
        "missing": told(m.run, tf.ones([1, 2])),
        "count": m.run.experimental_get_tracing_count(),
    }


def shapes_that_are_not_known(tf, np):
    said = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="rows"), tf.TensorSpec(None)])
    def f(x, y):
        said.extend([str(x), str(y), str(x.shape), str(y.shape), str(x.shape[0])])
        return tf.shape(x)[0], x + 1.0, tf.size(y)

    return {"results": [f(tf.ones([2, 3]), 1.0), f(tf.ones([1, 3]), [[1.0]])], "said": said}


def signatures_of_python(tf, np):
    @tf.function
    def f(a, b=2.0, *args, c, **kwargs):
        return a

    return [
        str(inspect.signature(f)),
        f.function_spec.arg_names,
        f.function_spec.fullargspec.kwonlyargs,
    ]


def binding(tf, np):
    @tf.function
    def f(a, b):
        return a

    @tf.function
    def g(a, b=1, *, c=2):
        return a

    return {
        "none": told(f),
        "one": told(f, 1),
        "too many": told(f, 1, 2, 3),
        "twice": told(f, 1, a=2),
        "unknown": told(f, 1, 2, z=3),
        "tensor": told(f, tf.constant([1.0, 2.0])),
        "defaults": [told(g), told(g, 1, 2, 3)],
    }


def objects_like_tensors(tf, np):
    class Net(tf.Module):
        dtype = "float32"

        def __call__(self, x):
            return x * 2.0

    class Series:
        """Gives an array, as those of pandas do."""

        __hash__ = None

        def __init__(self, values):
            self._values = np.array(values, np.float32)

        def __array__(self, dtype=None, copy=None):
            return self._values

    f = tf.function(lambda net, x: net(x))
    g = tf.function(lambda x: x + x)
    net = Net()
    results = f(net, tf.constant(3.0)), f(net, 2.0), g(Series([1.0, 2.0])), g(Series([3.0, 4.0]))
    counts = f.experimental_get_tracing_count(), g.experimental_get_tracing_count()
    return results, counts, g.pretty_printed_concrete_signatures(verbose=False)
