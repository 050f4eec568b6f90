"""Functions with statements that TensorFlow refuses, each with arguments to call it with.

What TensorFlow says of them stands in `goldens/statements_refused.json`.
"""

from typing import Any


def functions(tf: Any) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Returns the functions and their arguments."""
    c = tf.constant

    def shape_doubles(x):
        while tf.reduce_sum(x) < 100.0:
            x = tf.concat([x, x], 0)
        return x

    def shape_grows(x):
        for _ in tf.range(40):
            x = tf.concat([x, x[:1] * 0.5], 0)
        return x

    def shape_grows_under_a_tape(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(6):
                y = tf.concat([y, tf.tanh(y[-1:])], 0)
            z = tf.reduce_sum(y**2)
        return tape.gradient(z, x)

    def rank_grows(x):
        for _ in tf.range(3):
            x = tf.expand_dims(x, 0)
        return x

    def dtype_changes(x):
        i = c(0)
        while i < 3:
            x = tf.cast(x, tf.float64)
            i += 1
        return x

    def list_grows(n):
        found = []
        for i in tf.range(n):
            found.append(i * 2)
        return found

    def tuple_grows(n):
        found = ()
        for i in tf.range(n):
            found = (*found, i)
        return found

    def tensor_is_a_key(n):
        found = {}
        for i in tf.range(n):
            found[int(i)] = i
        return found[2]

    def loop_returns(n):
        i = c(0)
        while i < n:
            if i == 2:
                return i
            i += 1
        return i * 10

    def loop_returns_or_nothing_is(n):
        for i in tf.range(n):
            if i == 3:
                return i

    def loop_is_endless(n):
        i = c(0)
        while True:
            i += 1
            if i >= n:
                break
        return i

    def branch_defines(x):
        if x > 0.0:
            y = x * 2.0
        return y

    def branch_has_a_text(x):
        y = None
        if x > 0.0:
            y = x * 2.0
        return y

    def branches_have_dtypes(x):
        if x > 0.0:
            y = x
        else:
            y = 1
        return y

    one, three, five = tf.ones([2]), c(3), c(5)
    return {
        "shape_doubles": (shape_doubles, (tf.ones([3]),)),
        "shape_grows": (shape_grows, (one,)),
        "shape_grows_under_a_tape": (shape_grows_under_a_tape, (one,)),
        "rank_grows": (rank_grows, (c(1.0),)),
        "dtype_changes": (dtype_changes, (c(1.0),)),
        "list_grows": (list_grows, (three,)),
        "tuple_grows": (tuple_grows, (three,)),
        "tensor_is_a_key": (tensor_is_a_key, (three,)),
        "loop_returns": (loop_returns, (five,)),
        "loop_returns_or_nothing_is": (loop_returns_or_nothing_is, (five,)),
        "loop_is_endless": (loop_is_endless, (five,)),
        "branch_defines": (branch_defines, (c(1.0),)),
        "branch_has_a_text": (branch_has_a_text, (c(1.0),)),
        "branches_have_dtypes": (branches_have_dtypes, (c(1.0),)),
    }
