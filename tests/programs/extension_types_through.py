"""Extension types in nests, tapes, functions, branches, loops, and what functions refuse."""

import typing

from programs.extension_types import _answers, _masked, _told
from programs.program import caught


def nests(tf, np):
    masked = _masked(tf)

    class Nested(tf.experimental.ExtensionType):
        b: masked
        a: typing.Mapping[str, tf.Tensor]
        t: tuple[tf.Tensor, ...]
        r: tf.RaggedTensor
        n: int

    x = masked([1, 2], [True, False])
    y = Nested(x, {"z": 1, "y": 2}, (3, 4), tf.ragged.constant([[1], [2, 3]]), 5)
    flat = tf.nest.flatten(y, expand_composites=True)
    doubled = [tf.cast(t, tf.int32) * 2 for t in flat]
    same = tf.nest.assert_same_structure
    return _answers(
        tf,
        lambda: tf.nest.is_nested(x),
        lambda: tf.nest.flatten([x, 1]),
        lambda: tf.nest.flatten([x, 1], expand_composites=True),
        lambda: flat,
        lambda: tf.nest.pack_sequence_as(y, doubled, expand_composites=True),
        lambda: tf.nest.pack_sequence_as(y, flat[:-1], expand_composites=True),
        lambda: tf.nest.map_structure(lambda t: t.dtype, x, expand_composites=True).values,
        lambda: tf.nest.map_structure(lambda t, u: t, [x], [x], expand_composites=True),
        lambda: tf.nest.map_structure(lambda t: t.values, {"a": x}),
        lambda: same(x, masked([3, 4], [True, True]), expand_composites=True),
        lambda: same(x, masked([3, 4], [True, True])),
        lambda: same(x, 3),
        lambda: same(x, [3]),
    )


def nests_that_differ(tf, np):
    masked = _masked(tf)

    class Other(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    class Static(tf.experimental.ExtensionType):
        n: int
        t: tf.Tensor

    same = tf.nest.assert_same_structure
    x = masked([1, 2], [True, False])
    pairs = (
        (x, masked([1, 2, 3], [True, False, True])),
        (x, masked([1.0, 2.0], [True, False])),
        (x, Other([1, 2], [True, False])),
        (Static(1, 2), Static(2, 2)),
        (x, x._type_spec),
        (x, tf.constant(1)),
        (tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[1.0], [2.0]])),
        (tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[1], [2], [3]])),
        (tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([[1]])),
        (tf.sparse.from_dense([[1]]), tf.sparse.from_dense([[1, 2]])),
        (tf.sparse.from_dense([[1]]), tf.sparse.from_dense([[[1, 2]]])),
    )
    found = []
    for first, second in pairs:
        found += _answers(tf, lambda: same(first, second, expand_composites=True))  # noqa: B023
        found += _answers(tf, lambda: same(first, second))  # noqa: B023
    return found


def function_arguments(tf, np):
    masked = _masked(tf)
    traced = []

    @tf.function
    def f(x, y=None):
        traced.append(1)
        return [masked(x.values * 2, x.mask)]

    a = masked([1.0, 2.0], [True, False])
    found = _answers(
        tf,
        lambda: f(a)[0],
        lambda: f(masked([5.0, 7.0], [False, False]))[0],
        lambda: len(traced),
        lambda: f(masked([5.0], [False]))[0],
        lambda: f(masked([5], [False]))[0],
        lambda: len(traced),
        lambda: f(a, y=a)[0],
        lambda: f(a, y=[a, {"b": a}])[0],
        lambda: len(traced),
        lambda: f(x=a)[0],
        lambda: len(traced),
        lambda: f.experimental_get_tracing_count(),
    )

    class Static(tf.experimental.ExtensionType):
        n: int
        s: str
        t: tf.Tensor

    @tf.function
    def g(x):
        traced.append(1)
        return x.t * x.n, x

    del traced[:]
    return found + _answers(
        tf,
        lambda: g(Static(2, "a", 3)),
        lambda: g(Static(2, "a", 4)),
        lambda: len(traced),
        lambda: g(Static(3, "a", 4)),
        lambda: g(Static(3, "b", 4)),
        lambda: len(traced),
        lambda: g.get_concrete_function(Static(5, "b", 4)) is None,
        lambda: g.get_concrete_function(Static(5, "b", 4)._type_spec)(Static(5, "b", 9)),
        lambda: len(traced),
    )


def input_signatures(tf, np):
    masked = _masked(tf)
    spec = masked.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))
    ranks = []

    @tf.function(input_signature=[spec])
    def f(x):
        ranks.append(x.values.shape)
        return masked(x.values + 1, ~x.mask)

    return _answers(
        tf,
        lambda: f(masked([1.0, 2.0], [True, False])),
        lambda: f(masked([1.0], [True])),
        lambda: f(masked([1.0, 2.0, 3.0], [True, False, True])),
        lambda: set(map(str, ranks)),
        lambda: f.experimental_get_tracing_count(),
        lambda: f.get_concrete_function()(masked([1.0, 2.0, 3.0], [True, False, True])),
    )


def input_signatures_that_refuse(tf, np):
    masked = _masked(tf)
    spec = masked.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))

    class Static(tf.experimental.ExtensionType):
        n: int
        t: tf.Tensor

    f = tf.function(lambda x: x.values, input_signature=[spec])
    g = tf.function(lambda x: x.t, input_signature=[Static.Spec(1, tf.TensorSpec([], tf.int32))])
    found = _answers(
        tf,
        lambda: f(masked([1, 2], [True, False])),
        lambda: f(masked([[1.0]], [True])),
        lambda: f(tf.constant([1.0])),
        lambda: f(3),
        lambda: g(Static(1, 5)),
        lambda: g(Static(2, 5)),
    )
    return [item if not hasattr(item, "name") else item.name for item in found]


def captures(tf, np):
    masked = _masked(tf)
    a = masked([1.0, 2.0], [True, False])

    @tf.function
    def f(y):
        return tf.where(a.mask, a.values, y), a

    y = tf.constant(5.0)
    found = _answers(tf, lambda: f(y), lambda: f(tf.constant(6.0)))
    with tf.GradientTape() as tape:
        tape.watch([y, a.values])
        total = tf.reduce_sum(f(y)[0])
    return [*found, *tape.gradient(total, [y, a.values]), f.experimental_get_tracing_count()]


def results(tf, np):
    masked = _masked(tf)

    class Nested(tf.experimental.ExtensionType):
        a: masked
        n: int
        s: typing.Mapping[str, tf.Tensor]
        r: tf.RaggedTensor

    @tf.function
    def f(x):
        rows = tf.RaggedTensor.from_row_splits(x, [0, 1, 2])
        return {"k": [Nested(masked(x, x > 1), 3, {"b": x * 2, "a": x}, rows)], "n": None}

    @tf.function
    def method(x):
        return x.replace_mask(x.values > 1.5)

    @tf.function
    def inner(x):
        return method(method(x)).mask

    a = masked([1.0, 2.0], [True, False])
    found = []
    for x in ([1.0, 2.0], [3.0, 0.0]):
        result = f(tf.constant(x))
        found.append([_told(tf, result["k"]), result["n"]])
    return [*found, *_answers(tf, lambda: method(a), lambda: method(a), lambda: inner(a))]


def methods_that_are_functions(tf, np):
    class Line(tf.experimental.ExtensionType):
        slope: tf.Tensor
        offset: tf.Tensor

        @tf.function
        def at(self, x):
            return self.slope * x + self.offset

        def __call__(self, x):
            return self.at(x)

    a, b = Line(2.0, 1.0), Line(3.0, 1.0)
    return _answers(
        tf, lambda: a.at(tf.constant(2.0)), lambda: b(tf.constant(2.0)), lambda: a(tf.constant(3.0))
    )


def branches(tf, np):
    masked = _masked(tf)
    x = masked([1.0, 2.0], [True, False])
    other = masked([3.0, 4.0], [True, True])
    longer = masked([3.0, 4.0, 5.0], [True, True, True])

    def branch(p, y=other):
        return tf.cond(p, lambda: x, lambda: y)

    def written(p):
        if p:  # noqa: SIM108 - a statement
            y = x
        else:
            y = masked(x.values * 10.0, x.mask)
        return y

    def switch(i):
        return tf.switch_case(i, [lambda: x, lambda: other])

    found = []
    for value in (True, False):
        p = tf.constant(value)
        found += _answers(
            tf,
            lambda: branch(p),  # noqa: B023
            lambda: tf.function(branch)(p),  # noqa: B023
            lambda: tf.function(written)(p),  # noqa: B023
            lambda: tf.function(switch)(tf.constant(int(value))),  # noqa: B023
        )
    refused = _answers(
        tf,
        lambda: tf.function(branch)(tf.constant(True), tf.constant(1.0)),
        lambda: branch(tf.constant(True), longer),
    )
    return found + [item.name if hasattr(item, "name") else item for item in refused]


def loops(tf, np):
    masked = _masked(tf)
    x = masked([1.0, 2.0], [True, False])

    def loop(x):
        return tf.while_loop(
            lambda i, m: i < 3, lambda i, m: (i + 1, masked(m.values * 2.0, ~m.mask)), [0, x]
        )

    def written(x, n):
        for _ in tf.range(n):
            x = masked(x.values + 1.0, x.mask)
        return x

    def while_written(x):
        while tf.reduce_sum(x.values) < 20.0:
            x = masked(x.values * 2.0, ~x.mask)
        return x

    def grown(x):
        spec = masked.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))

        def longer(i, m):
            return i + 1, masked(tf.concat([m.values, [0.0]], 0), tf.concat([m.mask, [True]], 0))

        return tf.while_loop(
            lambda i, m: i < 3,
            longer,
            [tf.constant(0), x],
            shape_invariants=[tf.TensorShape([]), spec],
        )[1]  # fmt: skip

    return _answers(
        tf,
        lambda: loop(x),
        lambda: tf.function(loop)(x),
        lambda: tf.function(written)(x, tf.constant(3)),
        lambda: tf.function(written)(x, tf.constant(5)),
        lambda: written(x, 2),
        lambda: tf.function(while_written)(x),
        lambda: tf.function(while_written)(masked([1.0], [True])),
        lambda: grown(x),
        lambda: tf.function(grown)(x),
    )


def gradients(tf, np):
    masked = _masked(tf)
    v = tf.Variable(3.0)
    x = masked([1.0, 2.0], [True, False])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = masked(x.values**2 * v, x.mask)
        total = tf.reduce_sum(tf.where(y.mask, y.values, 0.0))
    found = _answers(
        tf,
        lambda: tape.gradient(total, x.values),
        lambda: tape.gradient(total, [x.values, v]),
        lambda: tape.gradient(y.values, v),
        lambda: tape.gradient(total, x),
        lambda: tape.gradient(y, v),
        lambda: tape.gradient(y, x),
        lambda: tape.gradient(total, {"a": x}),
    )

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(x.values**3)
        return tape.gradient(loss, x.values)

    def through_a_loop(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            last = tf.while_loop(
                lambda i, m: i < 3, lambda i, m: (i + 1, masked(m.values**2, m.mask)), [0, x]
            )[1]
            loss = tf.reduce_sum(last.values)
        return tape.gradient(loss, x.values)

    return found + _answers(
        tf,
        lambda: f(x),
        lambda: f(x),
        lambda: through_a_loop(x),
        lambda: tf.function(through_a_loop)(x),
    )


def rules_for_gradients(tf, np):
    class ValuesOnly:
        def get_gradient_components(self, value):
            return value.values

        def replace_gradient_components(self, value, components):
            return value.with_values(components)

    class Both:
        def get_gradient_components(self, value):
            return [value.values, value.mask]

        def replace_gradient_components(self, value, components):
            return type(value)(*components)

    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor
        __composite_gradient__ = ValuesOnly()

        def with_values(self, values):
            return Masked(values, self.mask)

    class Pair(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor
        __composite_gradient__ = Both()

    class Outer(tf.experimental.ExtensionType):
        values: Masked
        n: int
        __composite_gradient__ = ValuesOnly()

        def with_values(self, values):
            return Outer(values, self.n)

    x = Masked([1.0, 2.0], [True, False])
    p = Pair([1.0, 2.0], [3.0, 4.0])
    o = Outer(x, 3)
    c = tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, p, o, c])
        y = Masked(x.values**2, x.mask)
        q = Pair(p.values * p.mask, c * p.values)
        w = tf.reduce_sum(o.values.values**3)
        half = p.values * 3.0
    return _answers(
        tf,
        lambda: tape.gradient(y, x),
        lambda: tape.gradient(y.values, x),
        lambda: tape.gradient(y, [x, c]),
        lambda: tape.gradient(y, x, output_gradients=Masked([10.0, 20.0], x.mask)),
        lambda: tape.gradient(q, p),
        lambda: tape.gradient(q, [p, c]),
        lambda: tape.gradient(half, p),
        lambda: tape.gradient(half, x),
        lambda: tape.gradient(w, o),
        lambda: tape.gradient(w, {"o": o, "x": x}),
    )


def rows_and_elements(tf, np):
    masked = _masked(tf)
    x = masked([1.0, 2.0], [True, False])
    found = _answers(
        tf,
        lambda: tf.map_fn(lambda m: m.values, x),
        lambda: tf.vectorized_map(lambda m: m.values * 2, x),
        lambda: tf.scan(lambda a, m: a, x),
        lambda: list(x),
        lambda: x[0],
    )
    return [item.name if hasattr(item, "name") else item for item in found]


def identities(tf, np):
    masked = _masked(tf)

    class Nested(tf.experimental.ExtensionType):
        a: masked
        r: tf.RaggedTensor
        n: int

    x = Nested(masked([1.0, 2.0], [True, False]), tf.ragged.constant([[1], [2, 3]]), 4)
    return _answers(
        tf,
        lambda: tf.identity(x),
        lambda: tf.identity(x) is x,
        lambda: tf.function(tf.identity)(x),
        lambda: tf.stop_gradient(x.a.values),
        lambda: tf.get_static_value(x),
        lambda: tf.nest.map_structure(tf.stop_gradient, x, expand_composites=True),
        lambda: tf.no_op(x),
        lambda: tf.group(x),
    )[:6]


def custom_gradients(tf, np):
    masked = _masked(tf)

    @tf.custom_gradient
    def f(x):
        return x.values * 2.0, lambda upstream: upstream * 100.0

    @tf.custom_gradient
    def h(x):
        return masked(x * 2.0, x > 0), lambda upstream: upstream

    x = masked([1.0, 2.0], [True, False])
    found = _answers(tf, lambda: f(x), lambda: h(tf.constant([1.0])))
    return [item.name if hasattr(item, "name") else item for item in found]


def within_modules(tf, np):
    masked = _masked(tf)

    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0)
            self.table = masked([1.0, 2.0], [True, False])

        @tf.function
        def __call__(self, x):
            return masked(x.values * self.scale + self.table.values, x.mask)

    layer = Layer()
    x = masked([10.0, 20.0], [True, True])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x).values)
    return [
        *_answers(tf, lambda: layer(x), lambda: layer(x)),
        tape.gradient(loss, layer.scale),
        len(layer.variables),
    ]


def printed(tf, np):
    masked = _masked(tf)
    x = masked([1.0, 2.0], [True, False])
    path = []
    return _answers(
        tf,
        lambda: f"{x}",
        lambda: tf.strings.format("{}", x.values),
        lambda: path,
        lambda: caught(tf.print, x, output_stream="file:///dev/null"),
    )


def debugging(tf, np):
    masked = _masked(tf)
    x = masked([1.0, 2.0], [True, False])
    found = _answers(
        tf,
        lambda: tf.debugging.assert_equal(x, x),
        lambda: tf.debugging.assert_shapes([(x, ("N",))]),
        lambda: tf.debugging.is_numeric_tensor(x),
        lambda: tf.debugging.assert_type(x, tf.float32),
        lambda: tf.debugging.check_numerics(x, ""),
    )
    return [item.name if hasattr(item, "name") else item for item in found]


def python_calls(tf, np):
    masked = _masked(tf)
    spec = masked.Spec(tf.TensorSpec([2], tf.float32), tf.TensorSpec([2], tf.bool))
    x = masked([1.0, 2.0], [True, False])
    f = tf.function(
        lambda x: tf.py_function(lambda m: masked(m.values * 2, m.mask), [x], Tout=spec)
    )
    return _answers(
        tf,
        lambda: f(x),
        lambda: tf.py_function(lambda m: m.values * 2, [x], tf.float32),
        lambda: tf.py_function(lambda m: masked(m.values * 2, m.mask), [x], Tout=[spec]),
    )
