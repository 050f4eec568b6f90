"""`tf.function`: what is printed within, by Python and by tf.print."""

# ruff: noqa: T201

import pathlib

from programs.functions import printed
from programs.program import in_a_new_directory


def printing_names(tf, np):
    @tf.function
    def f(x, y, k=2):
        print(x, y, k)
        print(x + y, x - y, x * y, x / y, -x, x**2, x > y, x + 1.0)
        print(tf.reduce_sum(x), tf.matmul(x, y), tf.nn.relu(x), tf.exp(x, name="mine"))
        return x

    return printed(lambda: f(tf.ones([2, 2]), np.ones([2, 2], np.float32)))


def names_of_arguments(tf, np):
    @tf.function
    def f(d, *args, **kwargs):
        print(d)
        print(args)
        print(kwargs)

    @tf.function
    def g(self, x):
        print(self, x, f"{x}", x.shape, x.dtype)

    one = tf.ones([1])

    def calls():
        f({"a": one, "b": [one, (one, 3)]}, one, tf.ones([2]), key=one, other=[one])
        g(one, one)

    return printed(calls)


def names_in_a_method(tf, np):
    class Layer(tf.Module):
        @tf.function
        def run(self, x):
            print(x, type(self).__name__, self is layer)
            return x

    layer = Layer()
    return printed(layer.run, tf.ones([1]))


def names_of_variables(tf, np):
    v = tf.Variable(1.0, name="v")

    @tf.function
    def f(w):
        print(v)
        print(repr(w))
        print([v, w])

    return printed(f, tf.Variable([1.0, 2.0], name="w"))


@in_a_new_directory
def tf_print(tf, np):
    stream = "file://" + str(pathlib.Path("printed").resolve())

    @tf.function
    def f(x):
        tf.print("first", x, output_stream=stream)
        tf.print("second", [x * 2, "a"], {"k": x}, output_stream=stream)
        return x

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    f([1, 2])
    return pathlib.Path("printed").read_text().splitlines()


@in_a_new_directory
def tf_print_of_state(tf, np):
    stream = "file://" + str(pathlib.Path("printed").resolve())
    v = tf.Variable(1.0)

    @tf.function
    def f():
        tf.print(v, output_stream=stream)
        v.assign_add(1.0)
        tf.print(v.read_value(), output_stream=stream)
        v.assign_add(1.0)

    f()
    f()
    return pathlib.Path("printed").read_text().splitlines()
