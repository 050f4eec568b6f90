"""`input_signature` that leaves sizes open: what Python sees of shapes in a function's calls."""

from programs.functions import kind_of_error


def what_is_seen_of_an_argument(tf, np):
    found = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None])])
    def f(x, y):
        shape = x.shape
        found.append([
            str(shape), shape[0], shape[1], shape.as_list(), shape.rank, shape.num_elements(),
            shape.is_fully_defined(), str(x.get_shape()), shape == [None, 2], shape == [3, 2],
            str(x), repr(x), str(y.shape), y.shape[0] is None, x.shape[0] == 3,
        ])  # fmt: skip
        return x

    return f(tf.ones([3, 2]), tf.ones(4)), f(tf.ones([5, 2]), tf.ones(1)), found[0], found[-1]


def sizes_that_come_from_unknown_ones(tf, np):
    found = []
    constant, v = tf.ones([3, 4]), tf.Variable(tf.ones([2, 3]))

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        results = {
            "more": x + 1.0, "twice": x * x, "concat": tf.concat([x, x], 0),
            "stack": tf.stack([x, x]), "flat": tf.reshape(x, [-1]), "matmul": x @ v,
            "rows": x[1:], "first": x[0], "column": x[:, 0], "reversed": x[::-1],
            "sum": tf.reduce_sum(x, 0), "sums": tf.reduce_sum(x, 1), "all": tf.reduce_sum(x),
            "transposed": tf.transpose(x), "new": x[None], "tile": tf.tile(x, [2, 1]),
            "zeros": tf.zeros_like(x), "padded": tf.pad(x, [[1, 1], [0, 0]]), "shape": tf.shape(x),
            "gram": tf.matmul(x, x, transpose_b=True), "inner": tf.matmul(x, x, transpose_a=True),
            "outer": x[:, None] * x[None], "cast": tf.cast(x, tf.int32), "constant": constant,
            "other": constant * 2.0, "where": tf.where(x > 0.0, x, -x), "three": tf.ones([3]) + 1.0,
            "variable": v * 2.0, "split": tf.split(x, 2, axis=1)[0], "softmax": tf.nn.softmax(x),
            "joined": tf.concat([x, tf.ones([3, 2])], 0), "squares": tf.einsum("ij,ij->i", x, x),
            "gathered": tf.gather(x, [0, 1]), "deep": tf.reshape(x * 2.0, [-1, 1, 2]),
            "one hot": tf.one_hot(tf.cast(x[:, 0], tf.int32), 5), "mean": tf.reduce_mean(x, 0),
            "last": x[..., -1], "index": x[tf.shape(x)[0] - 1],
            "argmax": tf.argmax(x, 1), "unstacked": tf.unstack(x, axis=1)[0],
        }  # fmt: skip
        found.append({name: str(result.shape) for name, result in results.items()})
        return tf.reduce_sum(x)

    return f(tf.ones([3, 2])), found[0], f(tf.ones([6, 2])), found[-1]


def several_sizes_that_are_not_known(tf, np):
    found = []

    @tf.function(input_signature=[tf.TensorSpec([None, None, 3])])
    def f(x):
        y = tf.reshape(x, [-1, 3])
        found.append([str(x.shape), str(y.shape), str(tf.reduce_sum(x, 1).shape)])
        return y

    return f(tf.ones([2, 4, 3])), found[0]


def shapes_that_are_set(tf, np):
    found = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        y = tf.ensure_shape(x, [3, 2])
        z = x + 1.0
        z.set_shape([3, None])
        found.append([str(y.shape), str(z.shape), str(x.shape)])
        return y + z

    return f(tf.ones([3, 2])), found[0]


def python_that_asks_for_a_size(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def compares(x):
        return x if x.shape[0] > 2 else -x

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def multiplies(x):
        return x * (x.shape[0] * 2)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def defaults(x):
        count = x.shape[0] or tf.shape(x)[0]
        return x * tf.cast(count, tf.float32)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def branches(x):
        return -x if x.shape[0] is None else x

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def lists(x):
        return [d if d is not None else -1 for d in x.shape]

    functions = (compares, multiplies, defaults, branches, lists)
    return [[kind_of_error(lambda f=f, n=n: f(tf.ones([n]))) for n in (3, 4, 3)] for f in functions]


def functions_that_look_at_values(tf, np):
    found = []

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        y = x * 2.0
        if tf.reduce_sum(x) > 3.0:
            y = -y
        found.append([str(x.shape), x.shape[0]])
        return y

    results = [f(tf.ones([n])) for n in (2, 4, 5, 2)]
    return [*results, found[0], found[-1]]


def tapes_within(tf, np):
    found = []
    v = tf.Variable([[1.0], [2.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])])
    def f(x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            residual = x @ v - y
            loss = tf.reduce_mean(residual**2)
        dx, dv = tape.gradient(loss, [x, v])
        found.append([str(t.shape) for t in (residual, loss, dx, dv)])
        return loss, dx, dv

    results = [f(tf.ones([n, 2]), tf.zeros([n, 1])) for n in (2, 3)]
    return [*results, found[0], found[-1]]


def functions_within(tf, np):
    found = []

    @tf.function
    def inner(x):
        found.append(str(x.shape))
        return x * 2.0

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        y = inner(x)
        found.append(str(y.shape))
        return y

    return [f(tf.ones([n, 2])) for n in (2, 3)], found[:2]


def layers_of_keras(tf, np):
    found = []

    class Last(tf.keras.layers.Layer):
        def call(self, x):
            found.append([str(x.shape), x.shape[0]])
            return tf.reshape(x, [-1, x.shape[-1]])

    model = tf.keras.Sequential([
        tf.keras.layers.Dense(3), tf.keras.layers.Reshape((3, 1)), tf.keras.layers.Flatten(),
        tf.keras.layers.Dropout(0.5), tf.keras.layers.BatchNormalization(),
    ])  # fmt: skip
    last = Last()

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        return last(model(x))

    return [f(tf.zeros([n, 2])) for n in (2, 3, 1)], found[0]


def shapes_are_whole_again_afterwards(tf, np):
    x = tf.ones([3, 2])

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        assert x.shape[0] is None
        return x * 2.0

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def fails(x):
        raise KeyError(str(x.shape))

    y = f(x)
    return [str(x.shape), str(y.shape), str((y + 1.0).shape), len(y), kind_of_error(
        lambda: fails(x)), str(x.shape), str(f(x).shape)]  # fmt: skip


def nests_and_defaults(tf, np):
    found = []
    spec = tf.TensorSpec([None])

    @tf.function(input_signature=[{"a": spec, "b": (tf.TensorSpec([2]), spec)}, spec])
    def f(parts, more):
        found.append([str(t.shape) for t in (parts["a"], *parts["b"], more)])
        return parts["a"]

    class Model(tf.Module):
        @tf.function(input_signature=[spec])
        def run(self, x):
            found.append(str(x.shape))
            return x

    model = Model()
    nested = f({"a": tf.ones(3), "b": (tf.ones(2), tf.ones(1))}, [1.0, 2.0])
    return nested, model.run(tf.ones(3)), found[0], found[-1]


def sizes_of_one(tf, np):
    found = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None])])
    def f(x, y):
        results = [x + tf.ones([1, 2]), x + tf.ones([2]), x + y, x[:1], tf.squeeze(x, -1)
                   if x.shape[-1] == 1 else x, x / tf.reduce_sum(x, 0, keepdims=True)]  # fmt: skip
        found.append([str(result.shape) for result in results])
        return results[0]

    return f(tf.ones([1, 2]), tf.ones(2)), found[0]


def empty_arguments(tf, np):
    found = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        found.append([str(x.shape), str((x * 2.0).shape), str(tf.concat([x, x], 1).shape)])
        return tf.reduce_sum(x, 0)

    return f(tf.zeros([0, 2])), f(tf.ones([2, 2])), found[0]
