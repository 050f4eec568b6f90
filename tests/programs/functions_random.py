"""`tf.function`: random numbers within."""


def random_numbers(tf, np):
    """With a global seed: the op's place among the random ops of the function is its seed."""

    @tf.function
    def one():
        return tf.random.uniform([])

    @tf.function
    def two():
        return tf.random.uniform([]), tf.random.normal([2])

    tf.random.set_seed(1)
    found = [one(), one(), two(), two(), one(), tf.random.uniform([])]
    tf.random.set_seed(1)
    return found, [one(), two()]


def random_numbers_with_seeds(tf, np):
    @tf.function
    def f():
        return tf.random.uniform([], seed=3), tf.random.uniform([], seed=3)

    tf.random.set_seed(1)
    found = [f(), f()]
    tf.random.set_seed(1)
    return found, [f(), tf.random.uniform([], seed=3), tf.random.uniform([], seed=3)]


def random_numbers_of_two_functions(tf, np):
    @tf.function
    def f(x):
        return x + tf.random.uniform([])

    @tf.function
    def g(x):
        return f(x) + tf.random.uniform([])

    x = tf.constant(0.0)
    tf.random.set_seed(7)
    return f(x), g(x), f(x), g(x)


def random_numbers_keep_their_seed(tf, np):
    @tf.function
    def f():
        return tf.random.uniform([])

    tf.random.set_seed(1)
    found = [f()]
    tf.random.set_seed(2)
    return found, [f(), f()]


def random_numbers_eagerly_between(tf, np):
    @tf.function
    def f():
        return tf.random.uniform([])

    tf.random.set_seed(5)
    alone = [tf.random.uniform([]) for _ in range(2)]
    tf.random.set_seed(5)
    f()
    first = tf.random.uniform([])
    f()
    return alone, [first, tf.random.uniform([])]


def dropout(tf, np):
    @tf.function
    def f(x, training):
        return tf.nn.dropout(x, 0.5) if training else x

    x = tf.ones([8])
    tf.random.set_seed(3)
    a, b, c = f(x, True), f(x, True), f(x, False)
    differ = tf.reduce_any(a != b)
    return a, b, differ, c


def generators(tf, np):
    g, same = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)

    @tf.function
    def f():
        return g.normal([2])

    return [f(), f(), g.uniform([])], [same.normal([2]), same.normal([2]), same.uniform([])]


def stateless_random_numbers(tf, np):
    @tf.function
    def f(seed):
        a, b = tf.unstack(tf.random.split(seed, 2))
        return tf.random.stateless_uniform([2], a), tf.random.stateless_normal([2], b)

    return f([1, 2]), f(tf.constant([1, 2])), f([3, 4])


def random_numbers_of_concrete_functions(tf, np):
    found = []
    for sizes in ([None], [3]):
        tf.random.set_seed(1)
        f = tf.function(lambda t: (tf.random.normal(tf.shape(t)), tf.random.normal([2], seed=3)))
        f = f.get_concrete_function(tf.TensorSpec(sizes))
        before = tf.random.normal([2]), tf.random.normal([2], seed=3)
        found.append((before, f(tf.ones([3])), f(tf.ones([3]))))
    return found


def functions_that_look_at_values(tf, np):
    """Also where Python runs at every call, each op goes on where it was."""

    @tf.function
    def of_size(n):
        return tf.random.normal([2, n]), tf.random.uniform([n], seed=4), tf.random.normal([2])

    @tf.function
    def choosing(x):
        y = x + 1.0 if tf.reduce_sum(x) > 0 else x - 1.0
        return y + tf.random.normal([2]), tf.random.shuffle(tf.range(5))

    @tf.function
    def outer(n):
        return of_size(n)[0] + tf.random.uniform([])

    x, n, found = tf.ones([2]), tf.constant(2), []
    for seed in (3, 4):
        tf.random.set_seed(seed)
        found += [f() for f in (lambda: of_size(n), lambda: choosing(x)) for _ in range(3)]
        found += [of_size(n), of_size(tf.constant(3)), of_size(n), tf.random.normal([2])]
        found += [choosing(-x), choosing(x), outer(n), outer(n), of_size(n)]
    return found


def sizes_of_a_signature(tf, np):
    """One function of TensorFlow's serves all sizes, so that its ops go on where they were."""

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        return x + tf.random.normal(tf.shape(x)), tf.random.uniform([2], seed=1)

    g = tf.function(lambda x: x + tf.random.normal(tf.shape(x)))
    found = []
    for seed in (3, 4):
        tf.random.set_seed(seed)
        for size in (2, 2, 3, 2, 4, 3):
            found.append((f(tf.zeros([size])), g(tf.zeros([size]))))
    return found


def random_numbers_in_loops_over_a_range(tf, np):
    """The body of a loop is a function of its own, whose ops are the same in each iteration."""

    @tf.function
    def f(n):
        made = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        first = tf.random.uniform([])
        for i in tf.range(n):
            made = made.write(i, tf.random.uniform([]) + 2.0 * tf.random.uniform([]))
        return first, made.stack(), tf.random.uniform([])

    @tf.function
    def until(n):
        total = 0.0
        for _ in tf.range(n):
            total = total + tf.random.uniform([])
            if total > 1.5:
                break
        return total, tf.random.uniform([])

    @tf.function
    def nested(n):
        total = 0.0
        for _ in tf.range(n):
            for _ in tf.range(2):
                total = total * 2.0 + tf.random.uniform([])
            total = total + tf.random.uniform([])
        return total, tf.random.uniform([])

    tf.random.set_seed(5)
    two, five, six = tf.constant(2), tf.constant(5), tf.constant(6)
    return [f(five), f(five), f(6), f(six), until(six), until(six), nested(two), nested(two)]


def beside_branches_and_loops(tf, np):
    """Their bodies are functions of their own; what comes after them goes on.

    TensorFlow runs the iterations in any order: only the sum is the same.
    """

    @tf.function
    def f(x):
        first = tf.random.uniform(())
        chosen = tf.cond(x > 0, lambda: tf.random.uniform(()), lambda: -tf.random.uniform(()))
        second = tf.random.uniform(())
        steps = tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y + tf.random.normal(())), (0, x)
        )
        return first, chosen, second, steps[1], tf.random.normal([2]), tf.random.uniform((), seed=2)

    tf.random.set_seed(5)
    found = [f(tf.constant(1.0)) for _ in range(3)]
    tf.random.set_seed(6)
    return found, [f(tf.constant(1.0)) for _ in range(2)]
