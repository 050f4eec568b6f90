"""TensorArrays: what they hold, what they refuse, and the gradients that flow through them."""

from programs.program import caught


def results(tf, steps):
    """What each step gives; an array is shown by its size, not as an object."""
    shown = []
    for step in steps:
        value = caught(step)
        shown.append(value.size() if hasattr(value, "unstack") else value)
    return shown


def written_and_read(tf, np):
    array = tf.TensorArray(tf.float32, size=3)
    return {
        "attributes": [array.dtype, array.dynamic_size, array.element_shape, array.handle],
        "flow": array.flow,
        "steps": results(
            tf,
            [
                lambda: array.size(),
                lambda: array.read(0),
                lambda: array.stack(),
                lambda: array.write(0, [1.0, 2.0]),
                lambda: array.element_shape,
                lambda: array.write(0, [3.0, 4.0]),
                lambda: array.read(0),
                lambda: array.read(0),
                lambda: array.write(0, [5.0, 6.0]),
                lambda: array.read(tf.constant(0)),
                lambda: array.write(2, [7, 8]),
                lambda: array.stack(),
                lambda: array.gather([2, 0]),
            ],
        ),
    }


def refusals(tf, np):
    def array(**keywords):
        return tf.TensorArray(tf.float32, **keywords)

    return {
        "constructors": results(
            tf,
            [
                lambda: array(),
                lambda: array(size=2.5),
                lambda: array(size="a"),
                lambda: array(size=2, handle=1),
                lambda: tf.TensorArray("x", 2),
            ],
        ),
        "writes": results(
            tf,
            [
                lambda: array(size=2).write(2, 1.0),
                lambda: array(size=2).write(-1, 1.0),
                lambda: array(size=2).write(1.0, 1.0),
                lambda: array(size=2).write(0, tf.constant(1)),
                lambda: tf.TensorArray(tf.int32, 2).write(0, 1.5),
                lambda: tf.TensorArray(tf.float64, 2).write(0, tf.Variable(1.0)),
                lambda: array(size=2, element_shape=[2]).write(0, [1.0]),
                lambda: array(size=2).write(0, [1.0]).write(1, [1.0, 2.0]),
                lambda: array(size=2).write(0, None),
            ],
        ),
        "reads": results(
            tf,
            [
                lambda: array(size=2).read(2),
                lambda: array(size=2).read(-1),
                lambda: array(size=2).read(1.5),
                lambda: array(size=2).read(0),
                lambda: array(size=2, element_shape=[None]).read(0),
                lambda: array(size=2).gather([2]),
                lambda: array(size=2).gather(1),
                lambda: array(size=2).stack(),
            ],
        ),
        "parts": results(
            tf,
            [
                lambda: array(size=2).unstack(tf.ones([3, 2])),
                lambda: array(size=2).unstack(1.0),
                lambda: array(size=2).scatter([2], [1.0]),
                lambda: array(size=2).scatter([-1], [1.0]),
                lambda: array(size=2).scatter([0, 1], [1, 2]),
                lambda: array(size=2).split(1.0, [1]),
                lambda: array(size=2).split([1.0], 1),
                lambda: array(size=2).split([1.0, 2.0, 3.0], [1, 1]),
                lambda: array(size=2).split([1.0, 2.0, 3.0], [1, 1, 1]),
                lambda: array(size=2).unstack([1.0, 2.0]).concat(),
            ],
        ),
    }


def kinds_of_arrays(tf, np):
    def array(size=2, dtype=tf.float32, **keywords):
        return tf.TensorArray(dtype, size, **keywords)

    kept = array(clear_after_read=False).unstack([1.0, 2.0])
    growing = array(0, dynamic_size=True)
    closed = array()
    return {
        "kept": [kept.read(0), kept.read(0), kept.write(0, 5.0).stack()],
        "growing": [growing.write(3, 1.0).size(), growing.stack(), growing.read(1)],
        "empty": [array(0).stack(), array(0, element_shape=[2, 3]).stack(), array().gather([])],
        "unwritten": [
            array(element_shape=[3]).stack(),
            array(element_shape=[3]).concat(),
            array(element_shape=[]).read(1),
            array(3).write(1, [1.0, 2.0]).gather([0, 1]),
        ],
        "dtypes": [
            array(dtype=tf.int32).write(0, 1).read(0),
            array(dtype=tf.float64).write(0, 1.0).read(0),
            array(dtype=tf.float64).write(0, np.float32(1.0)).read(0),
            array(dtype=np.float32).write(0, True).read(0),
            array(dtype="bool").unstack([True, False]).stack(),
            array().unstack(tf.constant([1, 2])).stack(),
        ],
        "unstack": [
            array(3).unstack([[1.0, 2.0], [3.0, 4.0]]).size(),
            array(0, dynamic_size=True).unstack([1.0, 2.0]).stack(),
            array(element_shape=[3]).unstack([[1.0], [2.0]]).element_shape,
        ],
        "scatter": [
            array(3).scatter([0, 2], [[1.0], [2.0]]).stack(),
            array(3).scatter(tf.constant([0]), [1.0, 2.0]).stack(),
            array(0, dynamic_size=True).scatter([4], [9.0]).size(),
        ],
        "split": [
            array(infer_shape=False).split([1.0, 2.0, 3.0], [1, 2]).concat(),
            array().split([1, 2, 3, 4], tf.constant([2, 2])).read(1),
            array(0, dynamic_size=True).split([1.0, 2.0, 3.0], [1, 2]).size(),
        ],
        "negative gather": array().unstack([1.0, 2.0]).gather([-1]),
        "one scalar": array(1).write(0, 1.0).concat(),
        "variable": array().write(0, tf.Variable(3.0)).read(0),
        "no inference": array(infer_shape=False).write(0, [1.0]).element_shape,
        "identity": closed.identity() is closed,
        "closed": [closed.close(), closed.size(), caught(closed.read, 0)],
    }


def gradients(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        array = tf.TensorArray(tf.float32, 3).unstack(x)
        replaced = array.write(1, array.read(1) ** 2).stack()
        scattered = tf.TensorArray(tf.float32, 3).scatter([0, 2], tf.stack([x, x * x])).stack()
        parts = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x * x, [1, 2])
        joined = parts.concat()
        powers = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        state = x[0] * v
        for i in range(4):
            powers = powers.write(i, state)
            state = state * v + tf.reduce_sum(x)
        loop = tf.reduce_sum(powers.stack() * powers.gather([3, 2, 1, 0]))
    return {
        "replaced": tape.gradient(replaced, x),
        "scattered": tape.gradient(scattered, x),
        "joined": tape.gradient(joined, x),
        "loop": tape.gradient(loop, [x, v]),
        "flow": tape.gradient(powers.flow, x),
    }


def second_order(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            array = tf.TensorArray(tf.float32, 2).unstack(x**3)
            y = array.read(0) * array.read(1)
        first = inner.gradient(y, x)
    return [first, outer.gradient(first, x)]


def recurrence(tf, np):
    """A cell of a recurrent network, the use that arrays were made for."""
    inputs = tf.reshape(tf.linspace(-1.0, 1.0, 12), [3, 2, 2])
    kernel = tf.Variable([[0.5, -0.25], [0.1, 0.3]])
    with tf.GradientTape() as tape:
        steps = tf.TensorArray(tf.float32, 3).unstack(inputs)
        outputs = tf.TensorArray(tf.float32, 3)
        state = tf.zeros([2, 2])
        for t in tf.range(3):
            state = tf.tanh(steps.read(t) + state @ kernel)
            outputs = outputs.write(t, state)
        loss = tf.reduce_sum(tf.transpose(outputs.stack(), [1, 0, 2]) ** 2)
    return {"loss": loss, "gradient": tape.gradient(loss, kernel)}


def _empty(tf, **options):
    return tf.TensorArray(options.pop("dtype", tf.float32), size=0, dynamic_size=True, **options)


def _grown(tf, x, body, first=0, limit=4, **options):
    start = first, x, _empty(tf, **options)
    state = tf.while_loop(lambda i, *_: i < limit, body, start)
    return state[1], state[2].stack()


def _add(i, x, array):
    return i + 1, 2 * x, array.write(i, x)


def arrays_that_grow_in_loops(tf, np):
    """`tf.while_loop` in functions over arrays that begin empty, and get an element each time."""

    @tf.function
    def bounded(x):
        def body(i, k, x, arrays):
            first, second = arrays["first"].write(k, x), arrays["second"].write(i, [i, k])
            return i + 1, k + 1, 2 * x, {"first": first, "second": second}

        arrays = {"first": _empty(tf), "second": _empty(tf, dtype=tf.int32)}
        found = tf.while_loop(lambda *_: True, body, (0, 0, x, arrays), maximum_iterations=3)
        return found[2], found[3]["first"].stack(), found[3]["second"].concat()

    @tf.function
    def slopes(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            state = tf.while_loop(
                lambda i, *_: i < 3,
                lambda i, y, array: (i + 1, y * x, array.write(i, y * y)),
                (0, x, _empty(tf)),
            )
            total = tf.reduce_sum(state[2].stack() * state[2].read(1))
        return total, tape.gradient(total, x)

    once = tf.function(lambda x: [_grown(tf, x, _add), _grown(tf, x, _add, 4, element_shape=[])])
    values = [tf.constant(value) for value in (1.0, 3.0)]
    return {
        "once": [once(value) for value in values],
        "constant condition": [bounded(value) for value in values],
        "gradient": slopes(tf.constant([1.0, 2.0])),
    }


def arrays_that_grow_otherwise_in_loops(tf, np):
    def two(i, x, array):
        return i + 1, 2 * x, array.write(2 * i, x).write(2 * i + 1, -x)

    def sized(i, x, array):
        return i + 1, x + tf.cast(array.size(), tf.float32), array.write(i, x)

    @tf.function
    def others(x):
        return {
            "gap": _grown(tf, x, lambda i, x, array: (i + 1, 2 * x, array.write(i + 1, x)), 0, 3),
            "from 1": _grown(tf, x, _add, 1, element_shape=[]),
            "two": _grown(tf, x, two),
            "size": _grown(tf, x, sized),
            "again": _grown(tf, x, lambda i, x, array: (i + 1, 2 * x, array.write(0, x))),
        }

    any_length = tf.function(lambda x, n: _grown(tf, x, _add, 0, n))
    return {
        "others": [others(tf.constant(value)) for value in (1.0, 3.0)],
        "any length": [any_length(tf.constant(1.0), tf.constant(n)) for n in (3, 5)],
    }
