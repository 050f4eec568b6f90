"""What libraries written for TensorFlow ask beside the documented functions."""

from programs.program import caught


def shapes_to_broadcast(tf, np):
    of = tf.broadcast_dynamic_shape
    i, j, f = (tf.constant([2], t) for t in ("int32", "int64", "float32"))
    return {
        "empty and int32": of([], i),
        "empty and int64": of(j, []),
        "both empty": of([], []),
        "typed by nobody": of([], [3]),
        "empty array": of(np.zeros(0, np.float32), i),
        "empty long array": of(np.zeros(0, np.int64), i),
        "raw": tf.raw_ops.BroadcastArgs(s0=[], s1=i),
        "float": caught(lambda: of([2.0], [3])),
        "float tensor": caught(lambda: of(f[:0], i)),
    }


def distinct_parts(tf, np):
    x = tf.constant([[1, 2, 2], [1, 2, 2], [3, 4, 4]])
    nan = tf.constant([1.0, np.nan, np.nan, 2, 2])
    unique, counted = tf.raw_ops.UniqueV2, tf.raw_ops.UniqueWithCountsV2
    return {
        "rows": counted(x=x, axis=[0]),
        "columns": counted(x=x, axis=[1]),
        "last": counted(x=x, axis=[-1], out_idx=tf.int64),
        "axis of int64": unique(x=x, axis=tf.constant([1], tf.int64)),
        "vector": counted(x=tf.constant([1.0, 2, 2]), axis=[]),
        "nan": counted(x=nan, axis=[0]),
        "rows of nan": counted(x=tf.stack([nan, nan]), axis=[0]),
        "text": counted(x=tf.constant(["a", "b", "a"]), axis=[0]),
        "rows of text": unique(x=tf.constant([["a", "b"], ["a", "b"]]), axis=[0]),
        "no rows": counted(x=tf.zeros([0, 2]), axis=[0]),
        "cube": unique(x=tf.reshape(tf.constant([1, 2, 1, 2, 3, 4, 3, 4]), [2, 2, 2]), axis=[1]),
        "refused": [
            caught(lambda axis=axis: counted(x=x, axis=axis)) for axis in ([], [2], [0, 1], 0)
        ],
        "scalar": caught(lambda: counted(x=tf.constant(2.0), axis=[0])),
    }


def graphs_of_tensors(tf, np):
    found = {"outside": caught(lambda: tf.constant(1).graph)}

    @tf.function
    def ask(x):
        graph = tf.compat.v1.get_default_graph()
        found["inside"] = [x.graph is graph, tf.constant(1).graph is graph, (x + 1).graph is graph]
        return x

    ask(tf.constant(1))
    found["after"] = caught(lambda: ask(tf.constant(1)).graph)
    return found


def arrays_filled_in_functions(tf, np):
    """Arrays of a stacked tensor: read by index, in branches and loops, changed, emptied."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def filled(**settings):
        return tf.TensorArray(tf.float32, 3, clear_after_read=False, **settings).unstack(x)

    @tf.function
    def read(n):
        array = filled()
        return array.read(n), array.read(1), array.read(n - 1), array.stack(), array.size()

    @tf.function
    def branches(n):
        array = filled()
        first = tf.cond(n > 0, lambda: array.read(1), lambda: array.read(0))
        return first, array.read(1), array.gather([2, 0]), array.concat()

    @tf.function
    def loops(n):
        array, total = filled(), tf.zeros([2])
        for k in tf.range(n):
            total += array.read(k) + array.read(0)
        rows = tf.map_fn(lambda row: row + array.read(1), x)
        return total, rows, array.read(1)

    @tf.function
    def written(n):
        array = filled().write(n, [0.0, 1.0])
        return array.stack(), array.write(0, [7.0, 7.0]).read(n), filled().unstack(x * 2).read(n)

    @tf.function
    def slopes(n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = filled()
            y = array.read(n) * array.read(0)
        return tape.gradient(y, x)

    @tf.function
    def other_types(n):
        array = tf.TensorArray(tf.int32, 3, clear_after_read=False).unstack(np.arange(3))
        return array.read(n), array.stack()

    one = tf.constant(1)
    captured = filled()
    inside = tf.function(lambda n: captured.read(1) + captured.read(0))
    functions = [read, branches, loops, written, slopes, other_types, inside]
    found = {f"{k}": [f(one), f(one), f(one)][-1] for k, f in enumerate(functions)}
    found["after"] = [captured.read(0), captured.stack()]
    found["too many"] = caught(lambda: tf.TensorArray(tf.float32, 2).unstack(x))
    return found


def dtypes_that_are_none(tf, np):
    """The dtype that is the default, where TensorFlow hands None to a kernel."""
    x = tf.constant([1.0, 3.0, 2.0])

    @tf.function
    def within():
        return tf.argmin(x, output_type=None)

    statements = {
        "searchsorted": lambda: tf.searchsorted(x, x, out_type=None),
        "argmax": lambda: tf.argmax(x, output_type=None),
        "argmin in a function": within,
        "shape": lambda: tf.shape(x, out_type=None),
        "histogram": lambda: tf.histogram_fixed_width(x, [0.0, 5.0], dtype=None),
        "top_k": lambda: tf.math.top_k(x, 1, index_type=None),
        "lu": lambda: tf.linalg.lu(tf.eye(2), output_idx_type=None),
        "categorical": lambda: tf.random.stateless_categorical(x[None], 2, [1, 2], dtype=None),
    }
    return {name: caught(statement) for name, statement in statements.items()}


def modules_that_stand_for_tensors(tf, np):
    """Linear operators read them at every use, as variables; `tfp.util.DeferredTensor` is one."""

    class Doubled(tf.Module):
        def __init__(self, value):
            super().__init__()
            self.variable = tf.Variable(value)
            self.dtype, self.shape = self.variable.dtype, self.variable.shape

    def converted(value, dtype=None, name=None, as_ref=False):
        return 2.0 * value.variable

    tf.register_tensor_conversion_function(Doubled, converted)
    triangle, diagonal = Doubled([[1.0, 5.0], [2.0, 3.0]]), Doubled([1.0, 2.0])
    lower = tf.linalg.LinearOperatorLowerTriangular(triangle)
    diag = tf.linalg.LinearOperatorDiag(diagonal)
    full = tf.linalg.LinearOperatorFullMatrix(triangle)

    def slopes():
        found = []
        for operator, source in ((lower, triangle), (diag, diagonal), (full, triangle)):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(operator.matvec([1.0, 2.0]))
                y += operator.log_abs_determinant() + operator.trace()
            found.append([y, tape.gradient(y, source.variable)])
        return found

    found = {"eager": slopes(), "in a function": tf.function(slopes)()}
    triangle.variable.assign([[2.0, 0.0], [0.0, 2.0]])
    found["read anew"] = [lower.to_dense(), full.matvec([1.0, 1.0]), lower.tril is triangle]
    refused = [lambda: tf.linalg.LinearOperatorToeplitz(diagonal, diagonal).to_dense()]
    refused.append(lambda: tf.linalg.LinearOperatorIdentity(diagonal))
    found["elsewhere"] = [caught(statement) for statement in refused]
    return found


def variables_made_in_functions_that_are_not_called(tf, np):
    """Initial values for which only the shape of an argument matters: Sonnet builds modules so."""

    class Average(tf.Module):
        def __init__(self, make):
            super().__init__()
            self.make, self.value = make, None

        @tf.function
        def __call__(self, x):
            mean = tf.reduce_mean(x, 0)
            if self.value is None:
                self.value = tf.Variable(self.make(mean), trainable=False)
            return self.value.assign_add(mean)

    def twice(x):
        return tf.ones_like(x) * 2.0 + tf.zeros_like(tf.zeros_like(x))

    found = {}
    for name, make in {"zeros": tf.zeros_like, "sum": twice}.items():
        for size in (3, None):
            module = Average(make)
            built = module.__call__.get_concrete_function(tf.TensorSpec([size, 2]))
            made = module.value.numpy()
            found[f"{name} {size}"] = [made, module(tf.ones([3, 2])), built(tf.ones([3, 2]))]
    return found


def values_for_numpy(tf, np):
    """`_numpy`, which tensorflow_datasets calls: as `numpy`, scalars without axes."""
    tensors = [tf.constant(x) for x in ("a", ["a"], 1.5, [1], True, 1 + 2j)]
    mapped = tf.data.Dataset.from_tensors("b").map(lambda x: tf.strings.join([x, "!"]))
    tensors += list(mapped)
    return [[type(x._numpy()).__name__, repr(x._numpy())] for x in tensors]
