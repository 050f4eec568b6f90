"""`tf.function`: concrete functions."""

from programs.functions import told, without_addresses


def concrete_functions(tf, np):
    @tf.function
    def power(a, b):
        return a**b

    spec = tf.TensorSpec
    square = power.get_concrete_function(spec([2]), b=2)
    return {
        "result": [square(tf.constant([2.0, 3.0])), square(a=tf.constant([2.0, 3.0]))],
        "with the number": [square(tf.ones(2), 2), square(tf.ones(2), b=2)],
        "list": [square([1.0, 2.0], 2), told(square, [1.0, 2.0])],
        "numpy": square(np.array([1.0, 2.0]), b=2),
        "same": power.get_concrete_function(tf.ones(2), 2) is square,
        "repr": without_addresses(repr(square)),
        "text": str(square),
        "short": square.pretty_printed_signature(verbose=False),
        "all": power.pretty_printed_concrete_signatures(),
        "signature": square.structured_input_signature,
        "shapes": [square.output_shapes, square.output_dtypes],
        "count": power.experimental_get_tracing_count(),
    }


def calling_concrete_functions_wrongly(tf, np):
    @tf.function
    def power(a, b):
        return a**b

    square = power.get_concrete_function(tf.TensorSpec([2]), b=2)
    one = tf.ones(2)
    return {
        "missing": told(square),
        "too many": told(square, one, 2, one),
        "other number": told(square, one, 3),
        "other keyword": told(square, one, b=3),
        "unknown keyword": told(square, one, c=2),
        "twice": told(square, one, a=one),
        "python shape": told(square, 1.0),
        "none": told(square, None),
        "dtype": told(square, tf.ones(2, tf.int32)),
    }


def concrete_functions_of_structures(tf, np):
    v = tf.Variable(1.0, name="v")
    u = tf.Variable(2.0, trainable=False, name="u")

    @tf.function
    def f(d, items):
        return {"sum": d["z"] * v + items[0] * u, "none": None, "pair": (d["z"], [items[0]])}

    spec = tf.TensorSpec([])
    concrete = f.get_concrete_function({"z": spec, "a": 1}, [spec, "t"])
    one = tf.constant(1.0)
    return {
        "structured": concrete({"z": one, "a": 1}, [one, "t"]),
        "flat": concrete(one, tf.constant(5.0)),
        "short": concrete.pretty_printed_signature(verbose=False),
        "signature": repr(concrete.structured_input_signature),
        "variables": [[w.name for w in concrete.variables], len(concrete.trainable_variables)],
        "shapes": str(concrete.output_shapes),
        "dtypes": str(concrete.output_dtypes),
        "missing": told(concrete, {"z": one}, [one, "t"]),
    }


def concrete_functions_of_any_number(tf, np):
    @tf.function
    def f(*args, **kwargs):
        return args[0] + kwargs["q"]

    spec = tf.TensorSpec([])
    concrete = f.get_concrete_function(spec, spec, q=spec, p=3)
    one = tf.constant(1.0)
    return {
        "result": concrete(one, one, q=tf.constant(3.0)),
        "short": concrete.pretty_printed_signature(verbose=False),
        "signature": repr(concrete.structured_input_signature),
    }


def concrete_functions_of_methods(tf, np):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(3.0, name="v")

        @tf.function
        def run(self, x, training=False):
            return x * self.v

    m = Model()
    concrete = m.run.get_concrete_function(tf.TensorSpec([None]), training=True)
    return {
        "result": concrete(tf.ones(2)),
        "short": concrete.pretty_printed_signature(verbose=False),
        "signature": repr(concrete.structured_input_signature),
        "variables": [v.name for v in concrete.variables],
    }


def concrete_functions_without_results(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def nothing():
        v.assign_add(1.0)

    @tf.function
    def several(x):
        return x, (), [x, {"k": None}]

    concrete = nothing.get_concrete_function()
    more = several.get_concrete_function(tf.TensorSpec([1], tf.int32))
    before = v.numpy()
    return {
        "result": [concrete(), before, v],
        "short": [c.pretty_printed_signature(verbose=False) for c in (concrete, more)],
        "outputs": [concrete.structured_outputs, list(concrete.outputs), len(more.outputs)],
    }


def concrete_functions_that_are_missing_arguments(tf, np):
    @tf.function
    def f(a, b, c=3):
        return a

    return {
        "none": told(f.get_concrete_function),
        "one": told(f.get_concrete_function, tf.TensorSpec([])),
        "too many": told(f.get_concrete_function, 1, 2, 3, 4),
        "values": told(lambda: f.get_concrete_function(1, 2)()),
    }


def printed_signatures_of_calls(tf, np):
    @tf.function
    def scaled(x, n=2):
        return x * n

    scaled(tf.constant(1.0)), scaled(tf.constant([1.0, 2.0])), scaled(tf.constant(1.0), 3)
    scaled(tf.constant(2.0)), scaled.get_concrete_function(tf.constant(2.0))

    @tf.function
    def shifted(x):
        return x + 1.0

    shifted.get_concrete_function(tf.TensorSpec([None]))
    shifted(tf.constant([1.0])), shifted(tf.constant([1.0, 2.0])), shifted(tf.constant(1.0))

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def summed(x):
        return tf.reduce_sum(x)

    summed(tf.constant([1.0])), summed(tf.constant([1.0, 2.0]))
    return [f.pretty_printed_concrete_signatures(False) for f in (scaled, shifted, summed)]


def layer_that_makes(tf, initial):
    """A layer that makes its variable when it is first called."""

    class Layer(tf.Module):
        w = None

        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(initial(), name="w")
            return x * self.w

    return Layer()


def variables_made_for_a_signature(tf, np):
    outside = tf.constant([1.0, 2.0])
    found = []
    for spec in (tf.TensorSpec([2]), tf.TensorSpec([None, 2])):
        layer = layer_that_makes(tf, lambda: tf.sqrt(outside + 3.0) * 2.0)
        f = tf.function(layer).get_concrete_function(spec)
        size = [2 if n is None else n for n in spec.shape]
        found.append((f(tf.ones(size)), layer.w, len(f.variables)))
    layer = layer_that_makes(tf, lambda: tf.random.normal([3]))
    f = tf.function(layer).get_concrete_function(tf.TensorSpec([3]))
    same = np.all(f(tf.ones([3])).numpy() == layer.w.numpy())
    return found, same, len(set(layer.w.numpy().tolist()))


def variables_made_in_an_inner_function(tf, np):
    layer = layer_that_makes(tf, lambda: tf.ones([2]) + 2.0)
    inner = tf.function(layer)
    outer = tf.function(lambda x: inner(x) + 1.0)
    f = outer.get_concrete_function(tf.TensorSpec([2]))
    return f(tf.constant([1.0, 2.0])), layer.w


def variables_made_in_loops_and_branches(tf, np):
    def looped(layer, x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, layer(y)), (0, x))[1]

    def chosen(layer, x):
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: layer(x), lambda: x)

    found = []
    for body in (looped, chosen):
        for concrete in (False, True):
            layer = layer_that_makes(tf, lambda: tf.ones([2]) * 2.0)
            f = tf.function(lambda x, body=body, layer=layer: body(layer, x))
            if concrete:
                f = f.get_concrete_function(tf.TensorSpec([2]))
            found.append((f(tf.constant([1.0, 2.0])), layer.w.numpy()))
    return found


def random_variables_made_in_a_loop(tf, np):
    layer = layer_that_makes(tf, lambda: tf.random.normal([3]))
    f = tf.function(
        lambda x: tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, layer(y)), (0, x))[1]
    )
    result = f(tf.ones([3])).numpy()
    same = np.allclose(result, layer.w.numpy() ** 2)
    return same, len(set(layer.w.numpy().tolist()))
