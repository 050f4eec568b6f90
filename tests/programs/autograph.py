"""`if`, `while` and `for` on tensors in functions, each called more than once."""

from programs.functions import told
from programs.program import caught


def calls(tf, function, *arguments, **settings):
    """What a function gives for some arguments, each of them twice."""
    compiled = tf.function(function, **settings)
    return [[told(lambda: compiled(*given)) for _ in range(2)] for given in arguments]  # noqa: B023


def scalars(tf, *values):
    return [(tf.constant(value),) for value in values]


def conditions(tf, np):
    def only_if(x):
        y = x
        if x > 0.0:
            y = x * 2.0
        return y

    def chain(x):
        if tf.reduce_sum(x) > 0.0:
            return x * 2.0
        elif tf.reduce_max(x) < -10.0:
            return x - 1.0
        else:
            return -x

    def nested(x):
        if x > 0.0:
            if x > 10.0:
                y, n = x - 10.0, 2
            else:
                y, n = x, 1
        else:
            y, n = -x, 0
        return y, n

    def several(x, flag):
        a = b = x
        if flag:
            a = a + 1.0
        if x > 2.0:
            b = a * b
        return a, b

    t = tf.constant
    return [
        calls(tf, only_if, *scalars(tf, 1.0, -1.0)),
        calls(tf, chain, (t([1.0, 2.0]),), (t([-1.0, -1.0]),), (t([-20.0, -30.0]),)),
        calls(tf, nested, *scalars(tf, 12.0, 3.0, -2.0)),
        calls(tf, several, (t(1.0), True), (t(3.0), True), (t(3.0), False)),
    ]


def early_returns(tf, np):
    def guard(x):
        if x < 0.0:
            return tf.constant(0.0)
        y = x * 2.0
        if y > 10.0:
            return y
        return y + 1.0

    def deep(x):
        if x > 0.0:
            if x > 1.0:
                if x > 2.0:
                    return x * 3.0
                return x * 2.0
            return x
        return -x

    return [
        calls(tf, guard, *scalars(tf, -1.0, 1.0, 7.0)),
        calls(tf, deep, *scalars(tf, -1.0, 0.5, 1.5, 2.5)),
    ]


def loops_while(tf, np):
    def collatz(n):
        steps = 0
        while n > 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
            if steps > 200:
                break
            if n == 7:
                continue
        return steps, n

    def newton(x):
        guess = x
        while tf.abs(guess * guess - x) > 1e-4:
            guess = 0.5 * (guess + x / guess)
        return guess

    def primes(n):
        count = tf.constant(0)
        i = tf.constant(2)
        while i < n:
            j = tf.constant(2)
            prime = True
            while j * j <= i:
                if i % j == 0:
                    prime = False
                    break
                j += 1
            if prime:
                count += 1
            i += 1
        return count

    def never(x):
        while x > 100.0:
            x = x * 0.5
        return x

    def with_else(n):
        found = tf.constant(0)
        while n > 0:
            n -= 3
            if n == 1:
                break
            found += 1
        return n, found

    return [
        calls(tf, collatz, *scalars(tf, 27, 1, 97)),
        calls(tf, newton, *scalars(tf, 2.0, 144.0)),
        calls(tf, primes, *scalars(tf, 30, 2)),
        calls(tf, never, *scalars(tf, 3.0, 1000.0)),
        calls(tf, with_else, *scalars(tf, 9, 10)),
    ]


def loops_for(tf, np):
    t = tf.constant

    def numbers(n, x):
        total = tf.constant(0.0)
        for i in tf.range(n):
            if i == 3:
                continue
            total += tf.cast(i, tf.float32) * x
            if total > 100.0:
                break
        return total

    def steps(n):
        total = tf.constant(0)
        for i in tf.range(2, n, 3):
            total += i
        for i in tf.range(n, 0, -2):
            total -= i
        return total

    def python_range(n):
        total = tf.constant(0)
        for i in range(n):
            total += i
        return total

    def rows(x):
        best = tf.constant(-1e9)
        for row in x:
            s = tf.reduce_sum(row)
            if s > best:
                best = s
        return best

    def rows_until(x):
        total = tf.constant(0.0)
        for row in x:
            total += tf.reduce_sum(row)
            if total > 5.0:
                break
        return total

    def last(n):
        for i in tf.range(n):
            last = i * 2
        return last

    def nested(n):
        total = tf.constant(0)
        for i in tf.range(n):
            for j in tf.range(i):
                if j > 2:
                    break
                total += i * j
        return total

    return [
        calls(tf, numbers, (t(10), t(2.0)), (t(3), t(1.0)), (t(50), t(1.0))),
        calls(tf, steps, *scalars(tf, 11, 0)),
        calls(tf, python_range, *scalars(tf, 5, 0)),
        calls(tf, rows, (t([[1.0, 2.0], [5.0, 1.0], [0.0, 0.0]]),)),
        calls(tf, rows_until, (t([[1.0, 2.0], [5.0, 1.0], [9.0, 0.0]]),)),
        calls(tf, last, *scalars(tf, 4, 1)),
        calls(tf, nested, *scalars(tf, 6)),
    ]


def datasets(tf, np):
    def evens(dataset):
        total = tf.constant(0, tf.int64)
        for x in dataset:
            if x % 2 == 0:
                total += x
        return total

    def until(dataset):
        total = tf.constant(0, tf.int64)
        for x in dataset:
            total += x
            if total > 10:
                break
        return total

    def batches(dataset):
        total, count = tf.constant(0.0), 0
        for x, y in dataset:
            total += tf.reduce_sum(x * y)
            count += 1
        return total, count

    def numbered(dataset):
        total = tf.constant(0, tf.int64)
        for i, x in dataset.enumerate():
            total += i * x
        return total

    count, from_slices = tf.data.Dataset.range, tf.data.Dataset.from_tensor_slices
    pairs = from_slices((np.arange(5.0, dtype="float32"), np.ones(5, "float32"))).batch(2)
    return [
        calls(tf, evens, (count(10),), (count(7),), (count(0),)),
        calls(tf, until, (count(10),), (count(3),)),
        calls(tf, batches, (pairs,)),
        calls(tf, numbered, (count(5),)),
    ]


def expressions(tf, np):
    def both(x):
        if (x > 0.0 and x < 10.0) or not x > -5.0:
            return x * 2.0
        return x

    def between(x):
        if 0.0 < x < 10.0:
            return tf.constant(1)
        return tf.constant(0)

    def chosen(x):
        y = x * 2.0 if x > 0.0 else -x
        return y

    def lazily(x):
        if x > 0.0 and tf.math.log(x) > 1.0:
            return x
        return x * 0.0

    return [
        calls(tf, both, *scalars(tf, 3.0, 20.0, -2.0, -7.0)),
        calls(tf, between, *scalars(tf, 3.0, 20.0, -2.0)),
        calls(tf, chosen, *scalars(tf, 3.0, -2.0)),
        calls(tf, lazily, *scalars(tf, 3.0, 1.0, -2.0)),
    ]


def gradients(tf, np):
    def bounded(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(5):
                if tf.reduce_sum(y) < 100.0:
                    y = y * y
        return tape.gradient(y, x)

    def unbounded(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while tf.reduce_sum(y) < 100.0:
                y = y * y
            if y[0] > 5.0:
                y = y * 2.0
        return tape.gradient(y, x)

    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x
                while y < 100.0:
                    y = y * y * x
            first = tape.gradient(y, x)
        return y, first, outer.gradient(first, x)

    def outside(x, n):
        while n > 0:
            x = x * x
            n -= 1
        return x

    t = tf.constant
    compiled = tf.function(outside)
    found = []
    for n in (2, 3, 0):
        x = t(1.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = compiled(x, t(n))
        found.append(tape.gradient(y, x))
    return [
        calls(tf, bounded, (t([2.0, 3.0]),), (t([1.1, 1.3]),)),
        calls(tf, unbounded, (t([2.0, 3.0]),), (t([1.1, 1.3]),)),
        calls(tf, second, *scalars(tf, 1.3, 3.0)),
        found,
    ]


def state_of_objects(tf, np):
    class Counter:
        def __init__(self):
            self.total = tf.constant(0)

        def run(self, n):
            while n > 0:
                self.total = self.total + n
                n -= 1
            return self.total

    def attribute(n):
        return Counter().run(n)

    v = tf.Variable(1.0)

    def assigned(n):
        while n > 0:
            if n % 3 == 0:
                v.assign_add(tf.cast(n, tf.float32))
            n -= 1
        return v.read_value()

    def structures(n):
        pair = (tf.constant(0), {"a": tf.constant(1.0)})
        while n > 0:
            pair = (pair[0] + n, {"a": pair[1]["a"] * 2.0})
            n -= 1
        return pair

    return [
        calls(tf, attribute, *scalars(tf, 5)),
        calls(tf, assigned, *scalars(tf, 10)),
        calls(tf, structures, *scalars(tf, 3)),
    ]


def called_functions(tf, np):
    def helper(x):
        if x > 0.0:
            return tf.sqrt(x)
        return tf.constant(0.0)

    class Model:
        scale = 2.0

        def __call__(self, x):
            if x > 1.0:
                return x * self.scale
            return x

    model = Model()

    def caller(x):
        total = helper(x) + model(x)
        for i in tf.range(3):
            total += helper(x - tf.cast(i, tf.float32))
        return total

    def mapped(xs):
        return tf.map_fn(lambda x: helper(x) + 1.0, xs)

    def lambdas(x):
        choose = lambda y: y * 2.0 if y > 0.0 else -y  # noqa: E731
        return choose(x)

    return [
        calls(tf, caller, *scalars(tf, 2.5, 0.5)),
        calls(tf, mapped, (tf.constant([4.0, -1.0, 9.0]),)),
        calls(tf, lambdas, *scalars(tf, 2.5, -0.5)),
    ]


def arrays(tf, np):
    def collected(x):
        parts = tf.TensorArray(tf.float32, size=4)
        for i in tf.range(4):
            if x > tf.cast(i, tf.float32):
                parts = parts.write(i, x - tf.cast(i, tf.float32))
            else:
                parts = parts.write(i, 0.0)
        return parts.stack()

    def read(x):
        parts = tf.TensorArray(tf.float32, size=3).unstack(x)
        total = tf.constant(0.0)
        for i in tf.range(3):
            total += parts.read(i) * tf.cast(i, tf.float32)
        return total

    return [
        calls(tf, collected, *scalars(tf, 2.5, 10.0)),
        calls(tf, read, (tf.constant([1.0, 2.0, 3.0]),)),
    ]


def options(tf, np):
    def bounded(x):
        n = tf.constant(0)
        while x > 0.0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=4)
            x = x - 1.0
            n += 1
        return x, n

    def python(x):
        return x + 1

    graph = tf.autograph.to_graph(python)
    return [
        calls(tf, bounded, *scalars(tf, 10.0, 2.0)),
        graph(2), graph(tf.constant(2)),
        calls(tf, tf.autograph.experimental.do_not_convert(python), *scalars(tf, 1)),
    ]  # fmt: skip


def targets_of_ranges_without_numbers(tf, np):
    @tf.function
    def last(n):
        for i in tf.range(n):
            tf.identity(i)
        return i

    @tf.function
    def last_from(first, n):
        for i in tf.range(first, n):
            tf.identity(i)
        return i

    @tf.function
    def known_before(n):
        i = 7
        for i in range(n):
            tf.identity(i)
        return i

    @tf.function
    def of_the_inner(n):
        for i in tf.range(n):
            for j in tf.range(i):
                tf.identity(j)
        return j

    @tf.function
    def of_the_body(n):
        for i in tf.range(n):
            x = 2 * i
        return x

    zero = tf.constant(0)
    return {
        "twice": [last(zero), last(zero), last(tf.constant(3))],
        "known": [last(0), last(2)],
        "from 5": [last_from(5, tf.constant(5)), last_from(5, tf.constant(5))],
        "int64": last_from(tf.constant(2, tf.int64), tf.constant(2, tf.int64)),
        "before": [known_before(zero), known_before(zero)],
        "nested": of_the_inner(tf.constant(1)),
        "body": [caught(lambda: of_the_body(zero)).name for _ in range(2)],
    }
