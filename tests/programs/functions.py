"""`tf.function`: tracing, what it looks like, retracing; and how answers are written down."""

# ruff: noqa: T201

import contextlib
import functools
import io
import re
import threading

from programs.program import Caught, caught


def told(statement, *args, **kwargs):
    """What it gives or raises; of TensorFlow's longer texts the part that says what is wrong."""
    try:
        return caught_again(statement(*args, **kwargs))
    except Exception as e:
        found, text = Caught(e), str(e)
    if text.startswith("in user code:"):
        last = text.strip().split("\n\n")[-1].strip()
        text = last.removeprefix(f"{found.name}: ")
    elif text.startswith("Graph execution error:"):
        text = text.split("\n\n")[-1].split("\n\t [[")[0]
    found.text = Caught(Exception(without_addresses(text))).text
    return found


def caught_again(value):
    """The value, or what looking at it raises."""
    return caught(lambda: value)


def without_addresses(text):
    """Objects' addresses and the numbers of functions are those of a run."""
    return re.sub(r"0x[0-9A-Fa-f]+", "0x", re.sub(r"(__inference_\w+?)_\d+\b", r"\1", text))


def kind_of_error(statement, *args):
    """Only the class of what it raises, where the texts are about graphs."""
    found = told(statement, *args)
    return found.name if isinstance(found, Caught) else found


def traces(function, *calls):
    """For each call whether it traced the function anew, or what it raises."""
    found = []
    for call in calls:
        before = function.experimental_get_tracing_count()
        answer = told(lambda call=call: call(function))
        if isinstance(answer, Caught):
            found.append(answer)
        else:
            found.append(function.experimental_get_tracing_count() - before)
    return found


def printed(statement, *args):
    """What the statement writes to standard output, by lines."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        statement(*args)
    return stream.getvalue().splitlines()


def a_function(tf, np):
    @tf.function
    def add(a, b):
        return a + b

    return {
        "tensors": add(tf.ones([2, 2]), tf.ones([2, 2])),
        "again": add(tf.ones([2, 2]), 2 * tf.ones([2, 2])),
        "numbers": add(1, 2),
        "floats": add(1.5, 2.5),
        "mixed": add(tf.constant(1.5), 2),
        "numpy": add(np.ones(2), np.ones(2)),
        "texts": add(tf.constant("a"), tf.constant("b")),
        "count": add.experimental_get_tracing_count(),
    }


def tracing(tf, np):
    @tf.function
    def double(a):
        print("Tracing with", a)
        return a + a

    def calls():
        double(tf.constant(1))
        double(tf.constant(2))
        double(tf.constant(1.1))
        double(tf.constant("a"))
        double(tf.constant([1.0, 2.0]))
        double(3)

    return printed(calls)


def python_side_effects(tf, np):
    said = []

    @tf.function
    def f(x):
        said.append("called")
        tf.debugging.assert_equal(x, x)
        return x

    f(1)
    f(1)
    f(2)
    f(tf.constant(1))
    f(tf.constant(2))
    return said


def python_iterator_advances_once(tf, np):
    numbers = iter([1.0, 2.0, 3.0])

    @tf.function
    def f():
        return tf.constant(next(numbers))

    return [f(), f(), f()]


def closures_keep_what_was_traced(tf, np):
    scale = 1.0

    class Holder:
        number = 1.0
        tensor = tf.constant(1.0)

    @tf.function
    def f(x):
        return x * scale

    @tf.function
    def g(x):
        return x * Holder.number * Holder.tensor

    first = [f(tf.constant(2.0)), g(tf.constant(2.0))]
    scale, Holder.number, Holder.tensor = 10.0, 100.0, tf.constant(1000.0)
    again = [f(tf.constant(2.0)), g(tf.constant(2.0))]
    return {"first": first, "again": again, "other shape": f(tf.constant([2.0]))}


def captured_variables_are_kept(tf, np):
    held = [tf.Variable(3.0)]

    @tf.function
    def f():
        return held[0] * 2.0

    first = f()
    held[0].assign(4.0)
    second = f()
    held[0] = tf.Variable(100.0)
    replaced = f()
    held.clear()
    return [first, second, replaced, f()]


def functions_call_functions(tf, np):
    @tf.function
    def inner(x):
        print("inner", x.shape)
        return x * 2.0

    @tf.function
    def outer(x):
        print("outer", x.shape)
        return inner(x) + inner(x + 1.0)

    found = []
    lines = printed(lambda: found.extend([outer(tf.constant(1.0)), outer(tf.constant(2.0))]))
    lines += printed(lambda: found.append(inner(tf.constant(5.0))))
    return found, lines, inner.experimental_get_tracing_count()


def recursion(tf, np):
    @tf.function
    def factorial(n, x):
        return x if n == 0 else n * factorial(n - 1, x)

    return factorial(4, tf.constant(1.0)), factorial(4, tf.constant(2.0))


def function_as_argument(tf, np):
    @tf.function
    def apply(g, x):
        return g(x)

    @tf.function
    def square(x):
        return x * x

    x = tf.constant(3.0)
    return {
        "results": [apply(tf.sin, x), apply(square, x), apply(square, x), apply(tf.cos, x)],
        "count": apply.experimental_get_tracing_count(),
    }


def ways_to_make_one(tf, np):
    class Callable:
        def __call__(self, x):
            return x + 1.0

        def method(self, x):
            return x + 2.0

    def plain(a, b=1.0, *, c=2.0):
        """Adds."""
        return a + b * c

    x = tf.constant(1.0)
    from_partial = tf.function(functools.partial(plain, 10.0, c=3.0))
    with_arguments = tf.function(jit_compile=True)(plain)
    return {
        "of an op": tf.function(tf.nn.relu)(tf.constant([-1.0, 1.0])),
        "lambda": tf.function(lambda z: z * 2.0)(x),
        "partial": [from_partial(x), from_partial(b=x), from_partial(x, c=5.0)],
        "object": tf.function(Callable())(x),
        "method": tf.function(Callable().method)(x),
        "decorator": [with_arguments(x), with_arguments(x, c=x)],
        "without": tf.function()(plain)(x),
        "function": tf.function(tf.function(plain))(x),
    }


def keywords_of_the_decorator(tf, np):
    def f(x):
        return x + 1.0

    x = tf.constant(1.0)
    return {
        "jit_compile": [tf.function(f, jit_compile=k)(x) for k in (True, False, None)],
        "autograph": tf.function(f, autograph=False)(x),
        "reduce_retracing": tf.function(f, reduce_retracing=True)(x),
        "options": tf.function(f, experimental_autograph_options=None)(x),
        "implements": tf.function(f, experimental_implements="mine")(x),
        "unknown": told(lambda: tf.function(f, nope=1)),
        "not callable": told(lambda: tf.function(3)),
    }


def what_it_looks_like(tf, np):
    def original(x, y=2.0):
        """Says what it does."""
        return x + y

    f = tf.function(original)
    f.mine = 3
    return {
        "name": [f.__name__, f.name, f.__doc__, f.__qualname__.split(".")[-1]],
        "function": [f.python_function is original, f.__wrapped__ is original],
        "lambda": tf.function(lambda: 1).__name__,
        "partial": tf.function(functools.partial(original, 1.0)).name,
        "attribute": f.mine,
        "equal": [f == f, f == tf.function(original), callable(f)],
        "class": isinstance(f, tf.types.experimental.PolymorphicFunction),
        "generic": isinstance(f, tf.types.experimental.GenericFunction),
        "input_signature": f.input_signature,
        "argspec": str(f.function_spec.fullargspec),
    }


def executing_eagerly(tf, np):
    found = []

    @tf.function
    def f():
        found.append([tf.executing_eagerly(), tf.inside_function()])
        with tf.init_scope():
            found.append(tf.executing_eagerly())

    f()
    found.append([tf.executing_eagerly(), tf.inside_function()])
    return found


def running_eagerly(tf, np):
    calls = []

    @tf.function
    def f(x):
        calls.append(x)
        return x, 3, "a", [None], np.ones(1)

    tf.config.run_functions_eagerly(True)
    try:
        found = [f(1), f(2.5), f(2.5)]
        flags = [tf.config.functions_run_eagerly(), f.experimental_get_tracing_count()]
    finally:
        tf.config.run_functions_eagerly(False)
    return found, list(calls), flags, tf.config.functions_run_eagerly(), f(tf.constant(1.0))[:2]


def retracing_is_warned_of(tf, np):
    @tf.function
    def f(x):
        return x

    for k in range(8):
        f(k)
    return f.experimental_get_tracing_count()


def retracing_with_hits_between(tf, np):
    @tf.function
    def f(x):
        return x

    for k in range(20):
        f(k // 2)
    return f.experimental_get_tracing_count()


def retracing_slowly_is_not_warned_of(tf, np):
    @tf.function
    def f(x):
        return x

    for k in range(24):
        f(k // 4)
    return f.experimental_get_tracing_count()


def functions_made_in_a_loop(tf, np):
    for _ in range(6):

        @tf.function
        def f(x):
            return x

        f(tf.constant(1.0))
    return f.experimental_get_tracing_count()


def relaxed_shapes_are_not_warned_of(tf, np):
    @tf.function(reduce_retracing=True)
    def f(x):
        return tf.reduce_sum(x)

    return [f(tf.ones([k])) for k in range(1, 9)]


def in_threads(tf, np):
    @tf.function
    def f(x):
        return x * 2.0

    found = {}
    f(tf.constant(0.0))

    def run(k):
        found[k] = float(f(tf.constant(float(k))))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return dict(sorted(found.items())), f.experimental_get_tracing_count()


def tracings_of_functions_that_are_gone(tf, np):
    """The calls of a function count for its code, also when it is there no more."""

    def made():
        variable = tf.Variable(1.0)

        @tf.function
        def step():
            variable.assign_add(1.0)

        return step

    for _ in range(11):
        step = made()
        for _ in range(3):
            step()
