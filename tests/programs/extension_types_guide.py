"""What TensorFlow's guide to extension types does, in other words; classes of users in models."""

import contextlib
import pathlib
import tempfile
import typing

from programs.extension_types import _answers, _told


def graphs(tf, np):
    """Vertices and edges: nested types, methods, mappings, several kinds of fields."""
    e = tf.experimental.ExtensionType

    class Vertex(e):
        features: tf.Tensor
        name: str = ""

    class Graph(e):
        vertices: tuple[Vertex, ...]
        edges: tf.Tensor
        tags: typing.Mapping[str, tf.Tensor]
        directed: bool = True

        def degrees(self):
            count = len(self.vertices)
            out = tf.math.bincount(self.edges[:, 0], minlength=count)
            into = tf.math.bincount(self.edges[:, 1], minlength=count)
            return out if self.directed else out + into

        @property
        def order(self):
            return len(self.vertices)

        @classmethod
        def ring(cls, n):
            vertices = [Vertex(tf.fill([2], float(k)), f"v{k}") for k in range(n)]
            return cls(vertices, [[k, (k + 1) % n] for k in range(n)], {"size": n})

        @tf.function
        def smoothed(self):
            stacked = tf.stack([v.features for v in self.vertices])
            sums = tf.math.unsorted_segment_sum(
                tf.gather(stacked, self.edges[:, 0]), self.edges[:, 1], self.order
            )
            rows = tf.unstack(sums)
            vertices = [Vertex(row, v.name) for row, v in zip(rows, self.vertices, strict=True)]
            return Graph(vertices, self.edges, self.tags, self.directed)

    g = Graph.ring(3)
    return _answers(
        tf,
        lambda: g,
        lambda: g._type_spec,
        lambda: (g.order, g.degrees(), g.tags["size"]),
        lambda: g.smoothed(),
        lambda: g.smoothed().smoothed().vertices[0],
        lambda: Graph.ring(2) == Graph.ring(2),
        lambda: len(tf.nest.flatten(g, expand_composites=True)),
    )


def masked_tensors(tf, np):  # noqa: C901 - one class with all that belongs to it
    """A masked tensor with operators, a factory, functions of its own and of TensorFlow."""
    experimental = tf.experimental

    class MaskedTensor(experimental.BatchableExtensionType):
        __name__ = "programs.guide.MaskedTensor"
        values: tf.Tensor
        mask: tf.Tensor

        def __init__(self, values, mask=None):
            self.values = tf.convert_to_tensor(values)
            self.mask = tf.ones_like(self.values, tf.bool) if mask is None else mask

        def __repr__(self):
            if not hasattr(self.values, "numpy"):
                return "MaskedTensor(...)"
            pairs = zip(self.values.numpy().flat, self.mask.numpy().flat, strict=True)
            return f"<MaskedTensor {[float(v) if m else '_' for v, m in pairs]}>"

        shape = property(lambda self: self.values.shape)
        dtype = property(lambda self: self.values.dtype)

        def with_default(self, default):
            return tf.where(self.mask, self.values, default)

        def __add__(self, other):
            return tf.add(self, other)

        def __mul__(self, other):
            return tf.multiply(self, other)

        def __getitem__(self, key):
            return MaskedTensor(self.values[key], self.mask[key])

        class Spec:
            def __init__(self, shape, dtype=tf.float32):
                self.values = tf.TensorSpec(shape, dtype)
                self.mask = tf.TensorSpec(shape, tf.bool)

            def __repr__(self):
                return f"MaskedTensor.Spec(shape={self.shape}, dtype={self.dtype})"

            shape = property(lambda self: self.values.shape)
            dtype = property(lambda self: self.values.dtype)

    @experimental.dispatch_for_unary_elementwise_apis(MaskedTensor)
    def unary(api, x):
        return MaskedTensor(api(x.values), x.mask)

    @experimental.dispatch_for_binary_elementwise_apis(MaskedTensor, MaskedTensor)
    def both(api, x, y):
        return MaskedTensor(api(x.values, y.values), x.mask & y.mask)

    @experimental.dispatch_for_binary_elementwise_apis(
        MaskedTensor,
        typing.Union[float, int, tf.Tensor],  # noqa: UP007
    )
    def one(api, x, y):
        return MaskedTensor(api(x.values, y), x.mask)

    @experimental.dispatch_for_api(tf.stack)
    def stack(values: list[MaskedTensor], axis=0):
        values = [x.values for x in values], [x.mask for x in values]
        return MaskedTensor(tf.stack(values[0], axis), tf.stack(values[1], axis))

    @experimental.dispatch_for_api(tf.reduce_sum, {"input_tensor": MaskedTensor})
    def total(input_tensor, axis=None, keepdims=False):
        return tf.reduce_sum(input_tensor.with_default(0.0), axis, keepdims)

    @experimental.dispatch_for_api(tf.shape)
    def shape(input: MaskedTensor, out_type=tf.int32):
        return tf.shape(input.values, out_type)

    x = MaskedTensor([1.0, -2.0, 3.0], [True, False, True])
    y = MaskedTensor([4.0, 5.0, 6.0])
    grid = MaskedTensor([[1.0, 2.0], [3.0, 4.0]], [[True, False], [True, True]])
    signature = [MaskedTensor.Spec([None])]

    @tf.function(input_signature=signature)
    def normalised(m):
        return m.with_default(0.0) / tf.reduce_sum(m)

    rows = tf.data.Dataset.from_tensor_slices(grid)
    found = _answers(
        tf,
        lambda: x,
        lambda: x + y,
        lambda: x * 2.0,
        lambda: tf.abs(x) + y * x,
        lambda: (x[0], x[1:], grid[:, 1]),
        lambda: tf.stack([x, y]),
        lambda: tf.reduce_sum(x),
        lambda: tf.reduce_sum(grid, axis=0),
        lambda: tf.shape(grid),
        lambda: (x.shape, x.dtype, x._type_spec),
        lambda: normalised(x),
        lambda: normalised(y[:2]),
        lambda: list(rows),
        lambda: list(rows.map(lambda m: m * 10.0).batch(2)),
        lambda: rows.batch(2).element_spec,
        lambda: tf.map_fn(tf.reduce_sum, grid, fn_output_signature=tf.float32),
        lambda: tf.cond(tf.constant(True), lambda: x, lambda: y),
        lambda: tf.while_loop(lambda i, m: i < 3, lambda i, m: (i + 1, m * 2.0), [0, x])[1],
    )
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        loss = tf.reduce_sum(tf.square(x) * y)
    found.append(tape.gradient(loss, x.values))
    for target in (unary, both, one, stack, total, shape):
        experimental.unregister_dispatch_for(target)
    return found


def in_keras_layers(tf, np):
    class Points(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor
        shape = property(lambda self: self.x.shape)
        dtype = property(lambda self: self.x.dtype)

        class Spec:
            shape = property(lambda self: self.x.shape)
            dtype = property(lambda self: self.x.dtype)

    class Mix(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.w = self.add_weight(shape=(), initializer="ones", name="w")

        def call(self, points):
            return points.x * self.w + points.y

    layer = Mix()
    points = Points([[1.0], [2.0]], [[3.0], [4.0]])
    found = _answers(
        tf,
        lambda: layer(points),
        lambda: layer(points=points),
        lambda: layer(points=Points([[5.0]], [[6.0]])),
    )
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(points=points))
    return [*found, *tape.gradient(loss, layer.trainable_variables)]


def saved(tf, np):
    class Masked(tf.experimental.ExtensionType):
        __name__ = "programs.guide.Saved"
        values: tf.Tensor
        mask: tf.Tensor

    class Named(tf.experimental.ExtensionType):
        __name__ = "programs.guide.Named"
        m: Masked
        n: int
        shape: tf.TensorShape
        tags: typing.Mapping[str, tf.Tensor]

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0)

        @tf.function
        def nested(self, x):
            total = x.m.values + x.tags["a"]
            return {"x": Named(x.m, x.n, x.shape, {"a": total}), "n": total * x.n}

        @tf.function
        def __call__(self, x):
            return Masked(x.values * self.scale, x.mask)

        @tf.function(
            input_signature=[
                Masked.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))
            ]
        )
        def open(self, x):
            return tf.where(x.mask, x.values, -self.scale)

    model = Model()
    x = Masked([1.0, 2.0], [True, False])
    y, z = Named(x, 3, [2, None], {"a": 1.0}), Named(x, 4, [2, None], {"a": 1.0})
    first = [
        model.nested(y)["x"],
        model.nested(y)["n"],
        model.nested(z)["n"],
        model(x),
        model.open(x),
        model.open(Masked([1.0], [True])),
    ]
    with tempfile.TemporaryDirectory() as directory, contextlib.suppress(OSError):
        path = str(pathlib.Path(directory) / "model")
        tf.saved_model.save(model, path)
        loaded = tf.saved_model.load(path)
        again = _answers(
            tf,
            lambda: loaded(x),
            lambda: (loaded.nested(y)["x"], loaded.nested(y)["n"]),
            lambda: loaded.open(x),
            lambda: loaded.open(Masked([1.0, 2.0, 3.0], [True, False, True])),
        )
    return [_told(tf, first), again]


def type_specs_of_users(tf, np):
    """Classes that are no extension types, with specs of their own."""

    class Interval:
        def __init__(self, low, high, closed=True):
            self.low, self.high, self.closed = low, high, closed

        def __repr__(self):
            return f"Interval({self.low.numpy()}, {self.high.numpy()}, {self.closed})"

        @property
        def _type_spec(self):
            return IntervalSpec(self.low.shape, self.low.dtype, self.closed)

    class IntervalSpec(tf.TypeSpec):
        def __init__(self, shape, dtype=tf.float32, closed=True):
            self.shape, self.dtype, self.closed = tf.TensorShape(shape), dtype, closed

        value_type = property(lambda self: Interval)

        def _serialize(self):
            return (self.shape, self.dtype, self.closed)

        @property
        def _component_specs(self):
            spec = tf.TensorSpec(self.shape, self.dtype)
            return {"low": spec, "high": spec}

        def _to_components(self, value):
            return {"low": value.low, "high": value.high}

        def _from_components(self, components):
            return Interval(components["low"], components["high"], self.closed)

    class Abstract(tf.TypeSpec):
        value_type = Interval

    a = IntervalSpec([2])
    b = IntervalSpec([None])
    value = Interval(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))
    parts = a._to_components(value)
    return _answers(
        tf,
        lambda: a,
        lambda: (a == IntervalSpec([2]), a == b, hash(a) == hash(IntervalSpec([2])), a != b),
        lambda: (a.is_compatible_with(b), a.is_subtype_of(b), b.is_subtype_of(a)),
        lambda: a.is_compatible_with(IntervalSpec([2], closed=False)),
        lambda: a.most_specific_common_supertype([IntervalSpec([3])]),
        lambda: a.most_specific_common_supertype([IntervalSpec([2], tf.int32)]),
        lambda: a.most_specific_compatible_type(IntervalSpec([3])),
        lambda: a.most_specific_compatible_type(tf.TensorSpec([2])),
        lambda: repr(a._from_components(parts)),
        lambda: a.flatten(),
        lambda: a.to_tensors(value),
        lambda: repr(a.from_tensors(iter([tf.constant([5.0, 6.0]), tf.constant([7.0, 8.0])]))),
        lambda: tf.nest.flatten(a, expand_composites=True),
        lambda: tf.nest.flatten(value, expand_composites=True) == [value],
        lambda: Abstract(),
        lambda: a.value_type.__name__,
    )
