"""`tf.function`: what goes in and comes out."""

import collections

from programs.functions import kind_of_error


def results_of_python(tf, np):
    @tf.function
    def f():
        return 1, 2.5, True, None, "text", b"bytes", 2**40, np.ones(2), np.float32(1), [1, (2.0,)]

    return f()


def results_of_one_kind(tf, np):
    pair = collections.namedtuple("pair", "first second")

    @tf.function
    def nothing():
        pass

    @tf.function
    def dictionary(x):
        return {"b": x, "a": [x, {"c": (x, None)}], "n": 3}

    @tf.function
    def named(x):
        return pair(x, None)

    @tf.function
    def ordered(x):
        return collections.OrderedDict(z=x, a=x + 1)

    @tf.function
    def empty():
        return (), [], {}

    x = tf.constant(1.0)
    tuple_ = named(x)
    return {
        "nothing": nothing(),
        "dictionary": dictionary(x),
        "keys": list(dictionary(x)),
        "named": [type(tuple_).__name__, tuple_.first, tuple_.second],
        "ordered": [type(ordered(x)).__name__, ordered(x)],
        "empty": empty(),
    }


def the_argument_itself(tf, np):
    @tf.function
    def same(x):
        return x

    @tf.function
    def twice(x):
        return x, x

    x, v, texts = tf.constant([1.0]), tf.Variable(2.0), [1, 2.0, None, "a"]
    a, b = twice(x)
    returned = same(v)
    v.assign(5.0)
    return {
        "is": [same(x) is x, a is b, same(texts) is texts],
        "variable": returned,
        "numpy": same(np.arange(3)),
        "list": same(texts),
    }


def other_tensors(tf, np):
    @tf.function
    def f(ragged, sparse):
        return ragged + 1, tf.sparse.to_dense(sparse), ragged * 2, sparse

    found = f(tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([[0, 1], [2, 0]]))
    return [repr(found[0]), found[1], repr(found[2]), found[3]]


def strings(tf, np):
    @tf.function
    def f(names):
        return tf.strings.join([names, "!"]), tf.strings.length(names)

    return f(tf.constant(["a", "bcd"])), f(np.array(["ab", "c"]))


def numpy_function(tf, np):
    calls = []

    def outside(x):
        calls.append(float(x))
        return x + np.float32(1)

    @tf.function
    def f(x):
        return tf.numpy_function(outside, [x], tf.float32) * 2.0

    return [f(tf.constant(1.0)), f(tf.constant(2.0))], calls


def numpy_in_a_function(tf, np):
    @tf.function
    def f(x):
        weights = np.arange(3, dtype=np.float32)
        return x * weights, x + np.float32(2), np.ones(3, np.float32) - x

    return f(tf.ones([3]))


def batches_of_dictionaries(tf, np):
    @tf.function
    def step(batch):
        return {"n": tf.shape(batch["x"])[0], "sum": tf.reduce_sum(batch["x"] * batch["y"])}

    def batch(n):
        return {"x": tf.ones([n, 2]), "y": np.full([n, 2], 2.0, np.float32)}

    found = [step(batch(n)) for n in (4, 4, 2)]
    swapped = step(dict(reversed(list(batch(4).items()))))
    return found, swapped, step.experimental_get_tracing_count()


def debugging_assertions(tf, np):
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x, message="not positive")
        tf.Assert(tf.reduce_all(x < 100.0), [x])
        return tf.sqrt(x)

    return {
        "good": f(tf.constant([4.0])),
        "not positive": kind_of_error(f, tf.constant([-4.0])),
        "too large": kind_of_error(f, tf.constant([400.0])),
        "good again": f(tf.constant([9.0])),
    }


def python_assert_of_shapes(tf, np):
    @tf.function
    def f(x):
        assert x.shape[0] == 2, "two rows"
        return x.shape[0] * x, len(x.shape)

    return f(tf.ones([2, 1])), kind_of_error(f, tf.ones([3, 1]))


def shapes_and_other_arrays(tf, np):
    class Numbers:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    @tf.function
    def f(x, kind):
        return {"shape": x.shape, "array": Numbers(), "list": [x.shape[0], x]}[kind]

    x = tf.ones([2, 3])
    kinds = ["shape", "shape", "array", "list"]
    return [f(x, kind) for kind in kinds], [
        kind_of_error(tf.function(lambda y, v=v: v), x)
        for v in (tf.TensorShape([None]), 2**70, np.array(["a", 1], object), {1, 2}, tf.float32)
    ]
