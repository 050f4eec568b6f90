"""`tf.function`: shapes that Python code, datasets, variables and unknown ranks leave open."""


def shapes(value):
    return [str(tensor.shape) for tensor in value]


def elements_of_datasets(tf, np):
    seen = []
    dataset = tf.data.Dataset.range(5).batch(2)

    @tf.function
    def f(argument):
        total = tf.constant(0, tf.int64)
        for batch in dataset:
            seen.append(str(batch.shape))
            total += tf.reduce_sum(batch)
        for batch in argument:
            seen.append(str(batch.shape))
            total += tf.reduce_sum(batch)
        iterator = iter(dataset)
        optional = iterator.get_next_as_optional().get_value()
        single = tf.data.experimental.get_single_element(dataset.take(1))
        seen.append(shapes([next(iterator), single, optional]))
        return total

    return f(dataset), seen[0], seen[-1]


def results_of_python(tf, np):
    seen = []

    @tf.function
    def f(x):
        y = tf.py_function(lambda a: a * 2, [x], tf.float32)
        seen.append([str(y.shape), y.shape.rank])
        y.set_shape([3])
        z = tf.numpy_function(lambda a: a, [y], tf.float32)
        seen.append(shapes([y, z, tf.ensure_shape(z, [None])]))
        a, b = tf.py_function(lambda a: (a, a), [x], [tf.float32, tf.float32])
        seen.append(shapes([a, b, a + 1, a + x, x]))
        return y + z + a

    return f(tf.ones([3])), seen[:3]


def results_of_python_described(tf, np):
    found = []
    for python in (tf.py_function, tf.numpy_function):
        f = tf.function(lambda x, python=python: python(lambda a: a, [x], tf.float32))
        concrete = f.get_concrete_function(tf.TensorSpec([3]))
        found.append([str(concrete.output_shapes), concrete(tf.ones([3]))])
    return found


def values_of_variables(tf, np):
    v, c = tf.Variable(3), tf.constant(4)
    seen = []

    @tf.function
    def f(x):
        drawn = tf.random.uniform([], 1, 5, tf.int32)
        seen.append(shapes([tf.zeros([v]), tf.zeros([c]), tf.zeros([v + c]), tf.range(v)]))
        seen.append(shapes([tf.reshape(x, [v, -1]), tf.zeros([drawn])]))
        return x

    f(tf.ones([6]))
    return seen[:2]


def what_follows_from_no_rank(tf, np):
    seen = []

    def forms(x):
        ones, floats = tf.ones([2, 3]), tf.ones([3, 2])
        return {
            "same": [tf.tile(x, [2, 1]), tf.transpose(x, [1, 0]), tf.pad(x, [[1, 1], [0, 0]])],
            "einsum": [tf.einsum("ij->ji", x)],
            "joined": [tf.concat([x, x], 0), tf.stack([x, x]), tf.matmul(x, floats), x + ones],
            "reduced": [tf.reduce_mean(x), tf.reduce_sum(x, 0), tf.reduce_sum(x, 0, keepdims=True)],
            "moved": [tf.transpose(x), tf.expand_dims(x, 0), tf.squeeze(x), tf.reverse(x, [0])],
            "numbers": [tf.rank(x), tf.size(x), tf.shape(x), tf.zeros([tf.rank(x), 2])],
            "told": [tf.ensure_shape(x, [None, 3]), tf.reshape(x, [-1, 3])],
            "broadcast": [tf.broadcast_to(x, [2, 2, 3])],
            "elements": [tf.nn.relu(x), tf.cast(x, tf.int32), tf.where(x > 0, x, 0.0), x == x],
            "made": [tf.zeros_like(x), tf.zeros(tf.shape(x)), tf.zeros([tf.shape(x)[0], 2])],
            "drawn": [tf.random.normal(tf.shape(x)), tf.nn.dropout(x, 0.5)],
            "parts": [x[0], x[:, 0], x[..., 0], *tf.unstack(x, 2), tf.split(x, 2)[0]],
            "found": [tf.argmax(x, -1), tf.sort(x), tf.math.top_k(x, 2)[0], tf.gather(x, [0, 1])],
            "mapped": [tf.map_fn(lambda row: row, x), tf.cumsum(x)],
            "texts": [tf.strings.as_string(x)],
        }

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        seen.append({name: shapes(made) for name, made in forms(x).items()})
        return x

    f(tf.ones([2, 3]))
    return seen[0]


def loops_of_one_variable(tf, np):
    """In a function a body need not return a list, also after a look at a value."""

    @tf.function(autograph=False)
    def f(n):
        first = tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])
        made = tf.zeros([n])
        return first, made, tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])

    return f(tf.constant(2))
