"""`tf.get_static_value` in functions: constants and shapes have values, nothing is computed."""


def of_tensors_in_functions(tf, np):
    seen, outer = {}, tf.constant([1.0, 2.0])
    value = tf.get_static_value

    @tf.function
    def f(x, n):
        pair = tf.constant([1, 2])
        seen["argument"], seen["computed"] = value(x), value(x + 1)
        seen["constant"], seen["shape"] = value(pair), value(tf.shape(x))
        seen["rank"], seen["size"] = value(tf.rank(x)), value(tf.size(x))
        seen["stack"] = value(tf.stack([1, n]))
        seen["stack of constants"] = value(tf.stack([tf.constant(1), tf.constant(2)]))
        partial = value(tf.stack([1, n]), partial=True)
        seen["partial"] = [None if one is None else int(one) for one in partial]
        seen["zeros"], seen["ones"] = value(tf.zeros([2])), value(tf.ones([2]))
        seen["fill"], seen["range"] = value(tf.fill([2], 3)), value(tf.range(3))
        seen["cast"] = value(tf.cast(pair, tf.float32))
        seen["concat"] = value(tf.concat([tf.constant([1]), tf.constant([2])], 0))
        seen["equal"], seen["not equal"] = value(tf.equal(pair, 1)), value(tf.not_equal(pair, 1))
        seen["unstack"] = value(tf.unstack(pair)[0])
        seen["identity"] = value(tf.identity(tf.constant(2.0)))
        seen["stop_gradient"] = value(tf.stop_gradient(tf.constant(2.0)))
        seen["list"], seen["number"] = value(tf.convert_to_tensor([1, 2])), value(3)
        seen["random"] = value(tf.random.normal([2]))
        seen["float"] = value(tf.constant(1.5) * 2.0)
        seen["outer"], seen["symbolic"] = value(outer), tf.is_symbolic_tensor(x + 1)
        seen["cast of computed"] = value(tf.cast(x + 1, tf.int32))
        return x

    f(tf.ones([2, 3]), tf.constant(2))
    f(tf.zeros([2, 3]), tf.constant(3))
    return seen, f.experimental_get_tracing_count(), value(outer + 1), tf.is_symbolic_tensor(outer)


def functions_that_ask_are_compiled(tf, np):
    runs = []

    @tf.function
    def f(x):
        runs.append(1)
        return x + 1 if tf.get_static_value(x) is None else x - 1

    @tf.function
    def nested(x):
        return f(x * 2)

    found = [f(tf.constant(float(k))) for k in range(3)]
    return [*found, len(runs), nested(tf.constant(5.0)), nested(tf.constant(6.0))]


def within_branches_and_loops(tf, np):
    seen = {}

    def body(i, x):
        seen["i"], seen["x"] = tf.get_static_value(i), tf.get_static_value(x * 2)
        return i + 1, x

    def branch(x):
        seen["cond"] = tf.get_static_value(x)
        return x

    @tf.function
    def f(x):
        tf.while_loop(lambda i, x: i < 3, body, [0, x])
        return tf.cond(tf.reduce_sum(x) > 0, lambda: branch(x * 2), lambda: x)

    return f(tf.ones(2)), seen


def arithmetic_of_sizes(tf, np):
    """What decides shapes in a function, computed from sizes in many ways."""
    runs = []

    @tf.function
    def f(x):
        runs.append(1)
        sizes = tf.shape(x)
        order = tf.roll(tf.range(tf.rank(x)), shift=[1, 1], axis=[0, 0])
        back = tf.math.invert_permutation(order)
        grown = tf.tensor_scatter_nd_update(sizes, [[1], [0]], [2 * sizes[1], 1])
        ends = tf.cumsum(sizes, exclusive=True, reverse=True)
        starts = tf.math.cumprod(sizes, exclusive=True)
        padded = tf.pad(sizes, [[1, 0]])
        signs = tf.sign(sizes - 3) + tf.abs(sizes - 3) - tf.negative(sizes)
        ranks = tf.argsort(sizes, direction="DESCENDING")
        return [
            tf.transpose(x, order),
            tf.transpose(x, back),
            tf.zeros(grown),
            tf.zeros(ends),
            tf.zeros(starts),
            tf.zeros(padded),
            tf.zeros(signs),
            tf.transpose(x, ranks),
            tf.transpose(x, tf.argsort(ranks)),
            tf.zeros(tf.cumsum(sizes)),
            tf.zeros(tf.cumsum(sizes, reverse=True)),
            tf.zeros(tf.math.cumprod(sizes[:2], reverse=True)),
        ]

    found = [f(tf.ones([2, 3, 4])) for _ in range(3)]
    return found[-1], len(runs)
