"""`tf.function`: loops over nothing, whose bodies tell shapes; invariants that contradict them."""

from programs.functions import kind_of_error
from programs.program import caught


def written_in_a_loop(tf, count, **options):
    """What an array gives that a loop over numbers writes, for some numbers of them."""

    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, **options)
        for i in tf.range(n):
            array = array.write(i, tf.ones([2]))
        return array.stack()

    return [kind_of_error(lambda n=n: f(tf.constant(n))) for n in count]


def arrays_that_grow(tf, np):
    grows = {"size": 0, "dynamic_size": True}
    return {
        "unknown": written_in_a_loop(tf, (0, 2, 0, 0), **grows),
        "known": written_in_a_loop(tf, (0, 2, 0), **grows, element_shape=[2]),
        "open": written_in_a_loop(tf, (0, 2, 0), **grows, element_shape=[None]),
        "none is inferred": written_in_a_loop(tf, (0, 0), **grows, infer_shape=False),
        "three": written_in_a_loop(tf, (0, 2, 0), size=3),
    }


def arrays_of_as_many(tf, np):
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, n)
        for i in tf.range(n):
            array = array.write(i, tf.ones([2]))
        return array.stack(), array.concat(), array.size()

    return [f(tf.constant(n)) for n in (2, 0, 3, 0)]


def arrays_in_while_loops(tf, np):
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        _, array = tf.while_loop(
            lambda i, _: i < n, lambda i, a: (i + 1, a.write(i, tf.ones([3]))), [0, array]
        )
        return array.stack()

    return [f(tf.constant(n)) for n in (0, 2, 0)]


def assignments_before_the_loop(tf, np):
    """They happen once, though the Python may have to run once more."""
    v = tf.Variable(0.0)

    @tf.function
    def f(n):
        v.assign_add(1.0)
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, tf.ones([2]) * v)
        return array.stack()

    return [[f(tf.constant(n)), v.numpy()] for n in (0, 2, 0)]


def what_was_never_written(tf, np):
    def made(size=3, **options):
        return tf.TensorArray(tf.float32, size, **options)

    forms = {
        "stack": lambda: made(0, dynamic_size=True).stack(), "three": lambda: made().stack(),
        "concat": lambda: made(0, dynamic_size=True).concat(),
        "gather": lambda: made().gather([0]), "read": lambda: made().read(0),
        "known": lambda: [made(element_shape=[2]).read(0), made(element_shape=[2]).stack()],
        "out": lambda: made(element_shape=[2]).read(5), "shapes": lambda: made().write(
            0, [1.0]).write(1, [1.0, 2.0]).stack(),
        "partly": lambda: made().write(1, [1.0, 2.0]).stack(),
    }  # fmt: skip
    return {name: kind_of_error(tf.function(form, autograph=False)) for name, form in forms.items()}


def invariants_of_while_loops(tf, np):
    first, shape = tf.ones([2, 3]), tf.TensorShape

    def loop(invariant, body=lambda x: x):
        def run():
            return tf.while_loop(
                lambda i, x: i < 2, lambda i, x: (i + 1, body(x)), [tf.constant(0), first],
                [shape([]), invariant],
            )[1]  # fmt: skip

        return kind_of_error(tf.function(run))

    def twice(axis):
        return lambda x: tf.concat([x, x], axis)

    return {
        "another size": loop(shape([3, 3])), "another rank": loop(shape([2])),
        "grows": loop(shape([2, 3]), twice(0)), "grows elsewhere": loop(shape([None, 3]), twice(1)),
        "fits": loop(shape([None, 3]), twice(0)), "any": loop(shape(None), twice(1)),
        "more axes": loop(shape(None), lambda x: x[None]), "text": loop("a"),
        "spec": loop(tf.TensorSpec([3, 3])),
    }  # fmt: skip


def invariants_of_statements(tf, np):
    @tf.function
    def of_another_rank(n):
        x = tf.ones([1])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None, None]))]
            )
            x = tf.concat([x, x], 0)
        return x

    @tf.function
    def of_another_size(n):
        x = tf.ones([1])
        while tf.reduce_sum(x) < 5.0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([2]))])
            x += tf.cast(n, tf.float32)
        return x

    found = []
    for f in (of_another_rank, of_another_size):
        found.append(caught(lambda f=f: f(tf.constant(3))))
        found[-1].text = found[-1].text.strip().split("\n")[-1].strip().removeprefix("ValueError: ")
    return found


def floats_of_integers(tf, np):
    """Of Keras, where `floatx` is another one."""
    ops, x = tf.keras.ops, tf.constant([1, 2, 3])
    found = {}
    for floatx in ("float16", "float64"):
        tf.keras.backend.set_floatx(floatx)
        try:
            made = [ops.sqrt(x), ops.log(x), ops.std(x), ops.median(x), ops.log1p(x), ops.mean(x)]
            made += [ops.sum(x), ops.prod(x), ops.argmax(x), ops.argsort(x), ops.cumsum(x)]
            made += [ops.divide(x, 2), ops.hypot(x, 1), ops.sum(tf.cast(x, tf.int64))]
        finally:
            tf.keras.backend.set_floatx("float32")
        found[floatx] = [tf.cast(tensor, tensor.dtype) for tensor in made]
    return found
