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
