"""`tf.function`: Python's branches and loops on tensors, and those of TensorFlow."""

from programs.functions import kind_of_error


def python_loops_are_unrolled(tf, np):
    @tf.function
    def f(xs, n):
        total = tf.constant(0.0)
        for k, x in enumerate(xs):
            total += x * k
        for _ in range(n):
            total = total * 2.0
        return total

    return f([tf.constant(1.0), tf.constant(2.0), 3.0], 3)


def if_on_a_tensor(tf, np):
    @tf.function
    def f(x):
        if tf.reduce_sum(x) > 0:  # noqa: SIM108
            y = x * x
        else:
            y = -x
        return y + 1.0

    return [f(tf.constant([1.0, 2.0])), f(tf.constant([-1.0, -2.0])), f(tf.constant([3.0, 0.0]))]


def elif_with_returns(tf, np):
    @tf.function
    def sign(x):
        if x > 0.0:
            return 1.0
        elif x < 0.0:
            return -1.0
        else:
            return 0.0

    return [sign(tf.constant(k)) for k in (2.0, -3.0, 0.0)]


def booleans_of_tensors(tf, np):
    @tf.function
    def f(x, y):
        if x > 0 and y > 0:
            return 1
        if x > 0 or y > 0:
            return 2
        if not x < 0:
            return 3
        return 4

    pairs = [(1, 1), (1, -1), (-1, 1), (0, 0), (-1, -1)]
    return [f(tf.constant(x), tf.constant(y)) for x, y in pairs]


def conditional_expressions(tf, np):
    @tf.function
    def f(x):
        y = x * 2.0 if x > 1.0 else x / 2.0
        assert y is not None
        return y

    return [f(tf.constant(2.0)), f(tf.constant(1.0))]


def while_on_a_tensor(tf, np):
    @tf.function
    def f(x):
        steps = 0
        while tf.reduce_sum(x) > 1.0:
            x = tf.tanh(x)
            steps += 1
        return x, steps

    return [f(tf.constant([2.0, 0.5])), f(tf.constant([0.5, 0.25])), f(tf.constant([5.0, 5.0]))]


def collatz(tf, np):
    @tf.function
    def steps(n):
        count = tf.constant(0)
        while n != 1:
            if n % 2 == 0:  # noqa: SIM108
                n = n // 2
            else:
                n = 3 * n + 1
            count += 1
        return count

    return [steps(tf.constant(n)) for n in (1, 6, 27)]


def for_over_a_range(tf, np):
    @tf.function
    def f(n):
        total = tf.constant(0)
        for k in tf.range(n):
            total += k * k
        return total

    return [f(tf.constant(k)) for k in (0, 3, 5)]


def for_over_a_tensor(tf, np):
    @tf.function
    def f(xs):
        total = tf.zeros([2])
        for x in xs:
            total = total * 0.5 + x
        return total

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


def break_and_continue(tf, np):
    @tf.function
    def f(n):
        total = tf.constant(0)
        for k in tf.range(100):
            if k % 2 == 0:
                continue
            if k > n:
                break
            total += k
        return total

    return [f(tf.constant(k)) for k in (0, 4, 9)]


def searching_with_break(tf, np):
    @tf.function
    def first_above(xs, limit):
        found = -1
        for k in tf.range(tf.size(xs)):
            if xs[k] > limit:
                found = k
                break
        return found

    xs = tf.constant([1.0, 5.0, 3.0])
    return [first_above(xs, tf.constant(k)) for k in (0.0, 2.0, 9.0)]


def loops_in_loops(tf, np):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            j = i
            while j > 0:
                total += j
                j -= 1
        return total

    return [f(tf.constant(3)), f(tf.constant(5))]


def tensor_array_loop(tf, np):
    @tf.function
    def f(x, n):
        states = tf.TensorArray(tf.float32, size=n)
        for k in tf.range(n):
            x = x * 0.5
            states = states.write(k, x)
        return states.stack()

    return [f(tf.constant([4.0, 8.0]), tf.constant(3)), f(tf.constant([1.0, 2.0]), tf.constant(2))]


def growing_tensor_array(tf, np):
    @tf.function
    def f(limit):
        found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        value, k = tf.constant(1), tf.constant(0)
        while value < limit:
            found = found.write(k, value)
            value, k = value * 2, k + 1
        return found.stack()

    return [f(tf.constant(10)), f(tf.constant(100))]


def a_recurrent_network(tf, np):
    weights = tf.constant([[0.5, -0.5], [0.25, 1.0]])

    @tf.function
    def run(xs, state):
        xs = tf.transpose(xs, [1, 0, 2])
        outputs = tf.TensorArray(tf.float32, size=tf.shape(xs)[0])
        for k in tf.range(tf.shape(xs)[0]):
            state = tf.tanh(xs[k] + state @ weights)
            outputs = outputs.write(k, state)
        return tf.transpose(outputs.stack(), [1, 0, 2]), state

    xs = tf.reshape(tf.range(12, dtype=tf.float32), [2, 3, 2]) / 10.0
    return run(xs, tf.zeros([2, 2]))


def a_dynamic_list_of_python(tf, np):
    @tf.function
    def f(x, n):
        layers = []
        for _ in range(n):
            x = tf.nn.relu(x - 0.5)
            layers.append(x)
        return layers

    return f(tf.constant([1.0, 2.0]), 3)


def cond_and_while_loop(tf, np):
    @tf.function
    def f(x):
        y = tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
        k, total = tf.while_loop(lambda k, t: k < 4, lambda k, t: (k + 1, t + y), [0, 0])
        return y, k, total

    return f(tf.constant(3)), f(tf.constant(-3))


def map_and_scan(tf, np):
    @tf.function
    def f(xs):
        return (
            tf.map_fn(lambda x: x * x, xs),
            tf.scan(lambda a, x: a + x, xs),
            tf.vectorized_map(tf.reduce_sum, tf.stack([xs, xs])),
        )

    return f(tf.constant([1.0, 2.0, 3.0]))


def newton(tf, np):
    @tf.function
    def root(a):
        x = a
        for _ in tf.range(50):
            new = 0.5 * (x + a / x)
            if tf.abs(new - x) < 1e-6:
                break
            x = new
        return x

    return [root(tf.constant(k)) for k in (2.0, 9.0)]


def options_of_loops_that_are_refused(tf, np):
    @tf.function
    def parallel(n, count):
        x = tf.zeros([])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(parallel_iterations=count)
            x += 1.0
        return x

    @tf.function
    def limited(n, limit):
        x = tf.zeros([])
        while x < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=limit)
            x += 1.0
        return x

    @tf.function
    def shaped(n, shapes):
        x = tf.zeros([])
        while x < n:
            tf.autograph.experimental.set_loop_options(shape_invariants=shapes)
            x += 1.0
        return x

    three = tf.constant(3.0)
    return [
        *[kind_of_error(lambda k=k: parallel(tf.constant(3), k)) for k in (0, -1, "a", 2)],
        *[kind_of_error(lambda k=k: limited(three, k)) for k in ("a", 1.5, 2, None)],
        *[kind_of_error(lambda k=k: shaped(three, k)) for k in ("a", 0, [1], [(1, 2, 3)])],
    ]


def arrays_out_of_range(tf, np):
    """In a function the errors of an array are those of a list of tensors."""

    def array():
        return tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0])

    calls = [
        lambda i: array().write(i, 3.0).stack(),
        lambda i: array().read(i),
        lambda i: array().gather(tf.stack([0, i])),
    ]

    def kinds(f):
        return [kind_of_error(lambda i=i: f(tf.constant(i))) for i in (2, -1)]

    @tf.function
    def loop(n):
        made = tf.TensorArray(tf.float32, size=2)
        for i in tf.range(n):
            made = made.write(i, tf.cast(i, tf.float32))
        return made.stack()

    @tf.function
    def twice():
        made = array()
        return made.read(0) + made.read(0)

    loops = [kind_of_error(lambda n=n: loop(tf.constant(n))) for n in (2, 3)]
    return [kinds(tf.function(f)) for f in calls], [kinds(f) for f in calls[:2]], loops, twice()
