"""`tf.function`: which arguments are traced anew."""

import collections

from programs.functions import told, traces


def _calls(*arguments):
    """A call of a function with each of the arguments."""
    return [lambda f, a=a: f(a) for a in arguments]


def keys_of_tensors(tf, np):
    @tf.function
    def f(x):
        return 0

    @tf.function
    def g(x):
        return 0

    return {
        "shapes": traces(
            f, *_calls(tf.ones(2), tf.zeros(2), tf.ones(3), tf.ones(2), tf.ones([2, 1]))
        ),
        "dtypes": traces(
            g, *_calls(1.0 * tf.ones(2), tf.ones(2, tf.int32), tf.ones(2, tf.float64))
        ),
    }


def keys_of_numpy(tf, np):
    @tf.function
    def f(x):
        return 0

    @tf.function
    def g(x):
        return 0

    scalars = [
        np.float32(1),
        np.float32(2),
        np.array(3, np.float32),
        tf.constant(1.0),
        np.float64(1),
    ]
    arrays = [np.ones(3), np.zeros(3), tf.ones(3, tf.float64), np.ones(3, np.float32), np.ones(4)]
    return {"scalars": traces(f, *_calls(*scalars)), "arrays": traces(g, *_calls(*arrays))}


def keys_of_python_numbers(tf, np):
    @tf.function
    def f(x):
        return 0

    @tf.function
    def g(x):
        return 0

    nan = float("nan")
    return {
        "integers": traces(f, *_calls(1, 2, 1, 3)),
        "others": traces(g, *_calls(0.5, 0.5, nan, nan, None, None)),
    }


def keys_of_equal_numbers(tf, np):
    """TensorFlow asks `==` only: 1, 1.0 and True share a trace."""

    @tf.function
    def f(x):
        return x

    return {"traces": traces(f, *_calls(1, 1.0, True)), "float": f(1.0), "bool": f(True)}


def keys_of_texts(tf, np):
    @tf.function
    def f(x):
        return 0

    return traces(f, *_calls("a", "a", "b", b"a", "a"))


def keys_of_sequences(tf, np):
    @tf.function
    def f(x):
        return 0

    @tf.function
    def g(x):
        return 0

    one, two = tf.constant(1.0), tf.constant(2.0)
    return {
        "python": traces(f, *_calls([1, 2], (1, 2), [1, 2], [2, 1])),
        "tensors": traces(g, *_calls([one], [two], (one,), [one, two])),
    }


def keys_of_dictionaries(tf, np):
    @tf.function
    def f(x):
        return 0

    @tf.function
    def g(x):
        return 0

    one, two = tf.ones(1), tf.ones(2)
    return {
        "python": traces(
            f,
            *_calls(
                {"a": 1, "b": 2},
                {"b": 2, "a": 1},
                collections.OrderedDict(a=1, b=2),
                {"a": 1, "b": 3},
                {"a": 1},
            ),
        ),
        "tensors": traces(
            g, *_calls({"a": one, "b": two}, {"b": two, "a": one}, {"b": one, "a": two})
        ),
    }


def keys_of_variables(tf, np):
    @tf.function
    def f(x):
        return 0

    @tf.function
    def g(x):
        x.assign_add(1.0)
        return x * 2.0

    v, w = tf.Variable(1.0), tf.Variable(2.0)
    return {
        "traces": traces(f, *_calls(v, w, v, tf.Variable(1.0, trainable=False), tf.constant(1.0))),
        "results": [g(v), g(w), g(v)],
        "after": [v, w],
    }


def keys_of_the_same_variable_twice(tf, np):
    @tf.function
    def f(a, b):
        a.assign_add(1.0)
        return a * b

    v, w = tf.Variable(1.0), tf.Variable(10.0)
    return [f(v, v), f(v, w), f(w, v), f(w, w), v, w]


def keys_of_objects(tf, np):
    class Plain:
        pass

    class Equal:
        def __init__(self, k):
            self.k = k

        def __eq__(self, other):
            return isinstance(other, Equal) and self.k == other.k

        def __hash__(self):
            return hash(self.k)

    @tf.function
    def f(x):
        return 0

    @tf.function
    def g(x):
        return 0

    a, b = Plain(), Plain()
    equal = [Equal(1), Equal(1), Equal(2)]
    return {"plain": traces(f, *_calls(a, b, a)), "equal": traces(g, *_calls(*equal))}


def keys_of_functions(tf, np):
    @tf.function
    def f(x):
        return 0

    return traces(f, *_calls(abs, abs, tf.sin, tf.sin, len))


def keys_of_types(tf, np):
    @tf.function
    def f(x):
        return 0

    shapes = [tf.TensorShape([1]), tf.TensorShape([1]), tf.TensorShape([2])]
    return traces(f, *_calls(tf.float32, tf.float32, tf.int32, *shapes[:2]))


def keys_of_other_tensors(tf, np):
    @tf.function
    def f(x):
        return 0

    ragged = [tf.ragged.constant(x) for x in ([[1], [2, 3]], [[1, 2, 3], []], [[1], [2], [3]])]
    return traces(f, *_calls(*ragged))


def keys_that_cannot_be(tf, np):
    @tf.function
    def f(x):
        return 0

    return [told(f, {1, 2}), told(f, bytearray(b"a")), told(f, slice(1, 2))]


def keys_of_keywords(tf, np):
    @tf.function
    def f(a, b=2.0, *, c=3):
        return a + b

    return traces(
        f,
        lambda f: f(1.0),
        lambda f: f(1.0, 2.0),
        lambda f: f(a=1.0),
        lambda f: f(1.0, c=3, b=2.0),
        lambda f: f(1.0, 3.0),
        lambda f: f(b=3.0, a=1.0),
    )


def keys_of_any_keywords(tf, np):
    @tf.function
    def f(*args, **kwargs):
        return 0

    return traces(
        f,
        lambda f: f(a=1, b=2),
        lambda f: f(b=2, a=1),
        lambda f: f(1, a=1),
        lambda f: f(),
        lambda f: f(),
    )


def keys_and_contexts(tf, np):
    @tf.function
    def f(x):
        return x

    @tf.function
    def g(x):
        return f(x)

    x = tf.constant(1.0)
    f(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        f(x)
    with tf.name_scope("scope"), tf.device("CPU:0"):
        f(x)
    g(x)
    return f.experimental_get_tracing_count()


def wide_traces_serve_narrow_calls(tf, np):
    @tf.function
    def f(x):
        return tf.reduce_sum(x)

    f.get_concrete_function(tf.TensorSpec([None]))
    found = traces(f, *_calls(tf.ones(3), tf.ones(4), tf.constant(1.0)))
    return found, f(tf.ones(5))


def reducing_retracing(tf, np):
    @tf.function(reduce_retracing=True)
    def f(x):
        return x

    found = traces(f, *_calls(*[tf.ones(k) for k in (1, 2, 3, 4)]))
    return found, f(tf.ones(9)), traces(f, *_calls(1, 2))
