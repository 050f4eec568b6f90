"""`tf.function`: what it refuses, and how."""

import re

from programs.functions import kind_of_error, told


def told_of_results(function, *args):
    """What is told, without the way in which the function is named: TensorFlow's has an address."""
    found = told(function, *args)
    found.text = re.sub(r"(?<=in compilation of ).*?(?=, found)", "f", found.text)
    return found


def results_that_are_no_tensors(tf, np):
    def ask(value):
        @tf.function
        def f():
            return value

        return told_of_results(f)

    return [ask(v) for v in (object(), {1}, tf.float32, len, [1, object()], {"a": {2}}, int)]


def tapes_are_no_results(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
        return tape

    return told_of_results(f, tf.constant(1.0))


def changing_an_argument(tf, np):
    @tf.function
    def append(items):
        items.append(items[0] + 1.0)

    @tf.function
    def put(d):
        d["new"] = tf.constant(1.0)

    @tf.function
    def copied(items):
        items = list(items)
        items.append(items[0] + 1.0)
        return items

    items, d = [tf.constant(1.0)], {}
    return told(append, items), told(put, d), copied(items), len(items), len(d)


def exceptions_of_python(tf, np):
    class MineError(ValueError):
        pass

    def ask(error):
        @tf.function
        def f(x):
            raise error

        return told(f, tf.constant(1.0))

    errors = [ValueError("a"), TypeError("b"), KeyError("k"), RuntimeError("c"), MineError("mine")]
    return [ask(e) for e in errors]


def exceptions_are_caught_within(tf, np):
    @tf.function
    def f(x, d):
        try:
            y = d["missing"]
        except KeyError:
            y = x
        finally:
            x = x + 1.0
        return x, y

    return f(tf.constant(1.0), {"a": 1})


def exceptions_without_autograph(tf, np):
    @tf.function(autograph=False)
    def f(x):
        raise ValueError(f"{x.shape} {x.dtype.name}")

    return told(f, tf.ones([2]))


def nested_exceptions(tf, np):
    @tf.function
    def inner(x):
        raise ValueError("inner")

    @tf.function
    def outer(x):
        return inner(x)

    return told(outer, tf.constant(1.0))


def shapes_that_do_not_fit(tf, np):
    """The classes: texts are about graphs."""

    @tf.function
    def product(x):
        return tf.matmul(x, x)

    @tf.function
    def total(x):
        return x + tf.ones([3])

    return kind_of_error(product, tf.ones([1, 2])), kind_of_error(total, tf.ones([2]))


def dtypes_that_do_not_fit(tf, np):
    @tf.function
    def f(x, y):
        return x + y

    return kind_of_error(f, tf.constant(1), tf.constant(1.0))


def wrong_attributes(tf, np):
    @tf.function
    def f(x):
        return x.nope

    return kind_of_error(f, tf.ones([2]))


def values_out_of_range(tf, np):
    @tf.function
    def f(x, i):
        return tf.gather(x, i)

    x = tf.constant([1.0, 2.0])
    return [told(f, x, tf.constant(k)) for k in (1, 2, -1)]


def assertions(tf, np):
    @tf.function
    def f(x):
        tf.debugging.assert_less(x, 1.0, message="too large")
        tf.debugging.assert_equal(tf.shape(x)[0], 2)
        return x * 2.0

    good, bad = tf.constant([0.5, 0.0]), tf.constant([2.0, 0.0])
    return f(good), kind_of_error(f, bad), f(good), kind_of_error(f, tf.constant([0.0]))


def assertions_known_while_tracing(tf, np):
    @tf.function
    def f(x):
        tf.debugging.assert_rank(x, 1)
        tf.debugging.assert_shapes([(x, (2,))])
        x.shape.assert_is_compatible_with([2])
        return x * 2.0

    return f(tf.ones([2])), kind_of_error(f, tf.ones([2, 2])), kind_of_error(f, tf.ones([3]))


def numerics(tf, np):
    @tf.function
    def f(x):
        return tf.debugging.check_numerics(tf.math.log(x), "log")

    return f(tf.constant(1.0)), kind_of_error(f, tf.constant(0.0)), f(tf.constant(2.0))


def no_ir_without_a_compiler(tf, np):
    return told(lambda: tf.function(lambda x: x).experimental_get_compiler_ir(1.0))


def unknown_attributes(tf, np):
    return told(lambda: tf.function(lambda x: x, experimental_attributes={"a": 1}))


def decorating_a_classmethod(tf, np):
    def make():
        class Wrong:
            @tf.function
            @classmethod
            def run(cls, x):
                return x

    return kind_of_error(make)
