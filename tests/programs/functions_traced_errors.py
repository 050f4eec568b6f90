"""Shapes and dtypes that do not fit where TensorFlow traces: other classes than where it computes."""  # noqa: E501

# What programs match on.
WORDS = ("Dimensions must be equal, but are 3 and 7", "Dimensions must be equal, but are 3 and 4",
         "both shapes must be equal, but are 3 and 4", "slice index 5 of dimension 0 out of bounds",
         "not in list of allowed values", "that does not match type",
         "Cannot reshape a tensor with 6 elements")  # fmt: skip


def kinds(calls):
    """The class of the error of each call, and the words in it."""
    found = {}
    for name, call in calls.items():
        try:
            call()
            found[name] = "none"
        except Exception as e:
            found[name] = [type(e).__name__, [word for word in WORDS if word in str(e)]]
    return found


def steps(tf):
    """Calls that are refused, each with the tensor that it is called with."""
    v = tf.Variable(tf.ones([2]))
    return {
        "matmul": lambda x: x @ tf.ones([7, 2]),
        "add": lambda x: x + tf.ones([4]),
        "reshape": lambda x: tf.reshape(x, [4]),
        "concat": lambda x: tf.concat([x, tf.ones([2, 4])], 0),
        "index": lambda x: x[5],
        "dtype": lambda x: x + tf.constant([1, 2, 3]),
        "integers": lambda x: tf.sqrt(tf.constant(3)),
        "assign_add": lambda x: v.assign_add(tf.ones([3])),
        "values": lambda x: tf.gather(x, 5),
    }


def in_functions(tf, np):
    x = tf.ones([2, 3])
    given = {name: (lambda step=step: tf.function(step)(x)) for name, step in steps(tf).items()}
    spec = tf.TensorSpec([2, 3])
    return kinds({
        **given,
        "nested": lambda: tf.function(lambda x: tf.function(lambda y: y @ tf.ones([7, 2]))(x))(x),
        "concrete": lambda: tf.function(lambda x: x + tf.ones([4])).get_concrete_function(spec),
    })  # fmt: skip


def in_eager_code(tf, np):
    x = tf.ones([2, 3])
    given = {name: (lambda step=step: step(x)) for name, step in steps(tf).items()}

    def eagerly():
        tf.config.run_functions_eagerly(True)
        try:
            tf.function(lambda x: x @ tf.ones([7, 2]))(x)
        finally:
            tf.config.run_functions_eagerly(False)

    return kinds({
        **given,
        "eagerly": eagerly,
        "map_fn": lambda: tf.map_fn(lambda row: row + tf.ones([4]), x),
        "cond": lambda: tf.cond(tf.constant(True), lambda: x + tf.ones([4]), lambda: x),
    })  # fmt: skip


def in_datasets(tf, np):
    data = tf.data.Dataset.from_tensor_slices(tf.ones([2, 3]))
    return kinds({
        "map": lambda: data.map(lambda row: row + tf.ones([4])),
        "dtypes": lambda: data.map(lambda row: row + tf.constant([1, 2, 3])),
        "filter": lambda: data.filter(lambda row: row + tf.ones([4])),
        "reduce": lambda: data.reduce(tf.ones([3]), lambda sum, row: sum + tf.ones([4])),
        "rows": lambda: tf.vectorized_map(lambda row: row + tf.ones([4]), tf.ones([2, 3])),
    })  # fmt: skip


def in_models(tf, np):
    class Model(tf.keras.Model):
        def call(self, x):
            return x @ tf.ones([7, 2])

    x, y = np.ones([4, 3], "float32"), np.ones([4, 2], "float32")
    eager, model = Model(), Model()
    model.compile("sgd", "mse")
    eager.compile("sgd", "mse", run_eagerly=True)
    return kinds({
        "call": lambda: model(x),
        "fit": lambda: model.fit(x, y, verbose=0),
        "evaluate": lambda: model.evaluate(x, y, verbose=0),
        "predict": lambda: Model().predict(x, verbose=0),
        "fit eagerly": lambda: eager.fit(x, y, verbose=0),
    })  # fmt: skip


def caught_within(tf, np):
    """Refused at the call of the op, while the function is traced: Python there can catch it."""
    tf.get_logger().setLevel("ERROR")  # not about many functions in one line
    x = tf.ones([2, 3])
    given = steps(tf)
    given |= {
        "stack": lambda x: tf.stack([x, tf.ones([2, 4])]),
        "split": lambda x: tf.split(x, 2, axis=1),
        "axis": lambda x: tf.gather(x, 0, axis=7),
        "transpose": lambda x: tf.transpose(x, [0]),
        "squeeze": lambda x: tf.squeeze(x, 0),
        "expand": lambda x: tf.expand_dims(x, 9),
        "reduce": lambda x: tf.reduce_sum(x, 5),
        "pad": lambda x: tf.pad(x, [[1, 1]]),
        "where": lambda x: tf.where(x > 0, x, tf.ones([5])),
        "einsum": lambda x: tf.einsum("ij,jk->ik", x, tf.ones([4, 4])),
        "inv": tf.linalg.inv,
        "top_k": lambda x: tf.math.top_k(x, 9),
        "matvec": lambda x: tf.linalg.matvec(x, tf.ones([7])),
        "ensure_shape": lambda x: tf.ensure_shape(x, [4, 4]),
        "mapped": lambda x: tf.map_fn(lambda row: row + tf.ones([4]), x),
    }
    given.pop("values")

    def kind(step, x):
        try:
            step(x)
        except ValueError:
            return tf.constant("ValueError")
        except tf.errors.InvalidArgumentError:
            return tf.constant("InvalidArgumentError")
        except TypeError:
            return tf.constant("TypeError")
        return tf.constant("none")

    found = {name: tf.function(lambda x, s=s: kind(s, x))(x) for name, s in given.items()}
    return {name: str(text.numpy()) for name, text in found.items()}


def going_on_after_what_was_caught(tf, np):
    v, x = tf.Variable(0.0), tf.ones([2, 3])

    @tf.function
    def goes_on(x):
        try:
            y = x @ tf.ones([7, 2])
            v.assign_add(10.0)
        except ValueError:
            y = x * 2.0
            v.assign_add(1.0)
        return y

    @tf.function
    def in_a_loop(x):
        for _ in tf.range(2):
            try:
                x = x + tf.ones([5])
            except ValueError:
                x = x + 1.0
        return x

    @tf.function
    def in_a_tape(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            try:
                y = tf.concat([x, tf.ones([3, 3, 3])], 0)
            except ValueError:
                y = x * x
        return tape.gradient(y, x)

    return [[f(x), f(x)] for f in (goes_on, in_a_loop, in_a_tape)], v


def caught_in_python_within(tf, np):
    def step(x):
        try:
            return x @ tf.ones([7, 2])
        except tf.errors.InvalidArgumentError:
            return x * 5.0

    f = tf.function(lambda x: tf.py_function(step, [x], tf.float32))
    return f(tf.ones([2, 3])), f(tf.ones([2, 3]))


def found_where_it_computes(tf, np):
    """Some are found by the kernel only, others by what is known of Python numbers and dtypes."""
    tf.get_logger().setLevel("ERROR")  # not about many functions in one line
    x, texts = tf.ones([2, 3]), tf.constant(["a", "b"])
    given = {
        "transpose": lambda x: tf.transpose(x, [0, 0]),
        "softmax": lambda x: tf.nn.softmax(x, 4),
        "roll": lambda x: tf.roll(x, 1, 9),
        "cumsum": lambda x: tf.cumsum(x, 9),
        "set_diag": lambda x: tf.linalg.set_diag(x, tf.ones([9])),
        "range": lambda x: tf.range(0, 5, 0),
        "range up": lambda x: tf.range(5, 0),
        "range down": lambda x: tf.range(0.0, 5.0, -1.0),
        "linspace": lambda x: tf.linspace(0.0, 1.0, -1),
        "join": lambda x: tf.strings.join([texts, ["a", "b", "c"]]),
        "unique": lambda x: tf.unique(x),
        "fft": lambda x: tf.signal.fft(x),
        "fft2d": lambda x: tf.signal.fft2d(x),
        "texts": lambda x: texts + x,
    }
    kind = lambda call: next(iter(kinds({"": call}).values()))  # noqa: E731
    return {
        name: [kind(lambda f=f: tf.function(lambda x: f(x))(x)), kind(lambda f=f: f(x))]
        for name, f in given.items()
    }
