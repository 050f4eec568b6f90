"""`tf.function` on methods, and among other decorators."""

# ruff: noqa: T201

import copy
import functools
import gc
import itertools
import weakref

from programs.functions import printed, told


def methods(tf, np):
    class Scale:
        def __init__(self, k):
            self.k = k

        @tf.function
        def run(self, x):
            print("tracing", self.k)
            return x * self.k

    a, b, x = Scale(2.0), Scale(3.0), tf.constant(1.0)
    found = []

    def calls():
        found.extend([a.run(x), b.run(x), a.run(x)])
        a.k = 100.0
        found.extend([a.run(x), a.run(tf.constant([1.0]))])

    lines = printed(calls)
    return {
        "results": found,
        "lines": lines,
        "same": [a.run is a.run, a.run is b.run],
        "counts": [k.run.experimental_get_tracing_count() for k in (a, b, Scale)],
        "of the class": printed(lambda: found.append(Scale.run(b, x))),
        "name": [a.run.__name__, type(Scale.run) is type(a.run)],
    }


def other_methods(tf, np):
    class Several:
        k = 3.0

        @classmethod
        @tf.function
        def of_class(cls, x):
            return x * cls.k

        @staticmethod
        @tf.function
        def static(x):
            return x + 1.0

        @property
        @tf.function
        def prop(self):
            return tf.constant(self.k)

        @tf.function
        def __call__(self, x):
            return x - self.k

    s, x = Several(), tf.constant(1.0)
    return {
        "class": [Several.of_class(x), s.of_class(x)],
        "static": [Several.static(x), s.static(x)],
        "property": s.prop,
        "call": s(x),
    }


def methods_inherited(tf, np):
    class Base:
        k = 2.0

        @tf.function
        def run(self, x):
            return self.helper(x) * self.k

        def helper(self, x):
            return x

    class Derived(Base):
        k = 5.0

        def helper(self, x):
            return x + 1.0

        @tf.function
        def run(self, x):
            return super().run(x) + 100.0

    base, derived, x = Base(), Derived(), tf.constant(1.0)
    return [base.run(x), derived.run(x), derived.run(x + 1.0)]


def instances_that_are_equal(tf, np):
    class Equal:
        def __init__(self, k):
            self.k = k

        def __eq__(self, other):
            return isinstance(other, Equal)

        def __hash__(self):
            return 1

        @tf.function
        def run(self, x):
            return x * self.k

    a, b = Equal(2.0), Equal(3.0)
    return [a.run(tf.constant(1.0)), b.run(tf.constant(1.0))]


def decorated_below(tf, np):
    def doubled(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs) * 2.0

        return wrapper

    @tf.function
    @doubled
    def below(x, y=1.0):
        return x + y

    @doubled
    @tf.function
    def above(x, y=1.0):
        return x + y

    x = tf.constant(1.0)
    return [below(x), below(x, y=2.0), above(x), above(x, y=2.0), below.__name__, above.__name__]


def name_scopes_of_modules(tf, np):
    class Named(tf.Module):
        @tf.function
        @tf.Module.with_name_scope
        def within(self, x):
            if not hasattr(self, "v"):
                self.v = tf.Variable(1.0, name="v")
            return x * self.v

        @tf.function
        def without(self, x):
            if not hasattr(self, "w"):
                self.w = tf.Variable(1.0, name="w")
            return x * self.w

    m = Named(name="named")
    return [m.within(tf.constant(2.0)), m.without(tf.constant(2.0)), m.v.name, m.w.name]


def instances_that_have_no_place_in_a_dictionary(tf, np):
    class Slots:
        __slots__ = ("k",)

        @tf.function
        def run(self, x):
            return x

    class Unhashable:
        __hash__ = None

        @tf.function
        def run(self, x):
            return x

    slots, unhashable = Slots(), Unhashable()
    return {
        "slots": told(lambda: slots.run(1.0)),
        "unhashable": told(lambda: unhashable.run(1.0)),
    }


def lazily_built_layers(tf, np):
    class Dense(tf.Module):
        def __init__(self, units, name=None):
            super().__init__(name=name)
            self.units, self.built = units, False

        @tf.function
        def __call__(self, x):
            print("tracing", x.shape)
            if not self.built:
                self.w = tf.Variable(tf.ones([x.shape[-1], self.units]), name="w")
                self.b = tf.Variable(tf.zeros([self.units]), name="b")
                self.built = True
            return tf.nn.relu(x @ self.w + self.b)

    layer, found = Dense(2), []

    def calls():
        found.append(layer(tf.ones([1, 3])))
        layer.b.assign([1.0, -10.0])
        found.append(layer(tf.ones([1, 3])))
        found.append(layer(tf.ones([2, 3])))

    return {
        "lines": printed(calls),
        "found": found,
        "names": [v.name for v in layer.trainable_variables],
        "count": layer.__call__.experimental_get_tracing_count(),
    }


def modules_of_modules(tf, np):
    class Dense(tf.Module):
        def __init__(self, inputs, outputs, name=None):
            super().__init__(name)
            self.w = tf.Variable(tf.ones([inputs, outputs]) / inputs, name="w")
            self.b = tf.Variable(tf.zeros([outputs]), name="b")

        def __call__(self, x):
            return tf.nn.relu(x @ self.w + self.b)

    class Network(tf.Module):
        def __init__(self, sizes):
            super().__init__()
            self.layers = [Dense(*pair, name="d") for pair in itertools.pairwise(sizes)]

        @tf.function
        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

        @tf.function
        def loss(self, x, y):
            return tf.reduce_mean((self(x) - y) ** 2)

    net = Network([2, 3, 1])
    x, y = tf.constant([[1.0, 2.0]]), tf.constant([[1.0]])
    with tf.GradientTape() as tape:
        loss = net.loss(x, y)
    gradients = tape.gradient(loss, net.trainable_variables)
    for v, g in zip(net.trainable_variables, gradients, strict=True):
        v.assign_sub(0.1 * g)
    return loss, gradients, net.loss(x, y), [v.name for v in net.variables]


def functions_kept_as_attributes(tf, np):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0, name="v")
            self.fast = tf.function(self.slow)
            self.steps = {"f": tf.function(lambda x: x * self.v), "g": [tf.function(self.slow)]}

        def slow(self, x):
            return x + self.v

    m, x = Model(), tf.constant(3.0)
    return {
        "results": [m.fast(x), m.steps["f"](x), m.steps["g"][0](x)],
        "variables": [v.name for v in m.variables],
        "submodules": len(m.submodules),
    }


def decorating_an_instance(tf, np):
    """The method of one object is replaced by a function of it."""

    class Model(tf.Module):
        def __init__(self, k):
            super().__init__()
            self.v = tf.Variable(k)

        def call(self, x, training=False):
            return x * self.v if training else x + self.v

        def __call__(self, x):
            return self.call(x)

    a, b, x = Model(2.0), Model(3.0), tf.constant(10.0)
    a.call = tf.function(a.call)
    return [a(x), b(x), a.call(x, training=True), a.call(x, True)]


def copies_of_a_module(tf, np):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function
        def __call__(self, x):
            return x * self.v

    m, x = Model(), tf.constant(1.0)
    before = copy.deepcopy(m)
    found = [m(x)]
    after = copy.deepcopy(m)
    before.v.assign(5.0)
    after.v.assign(7.0)
    return [*found, m(x), before(x), after(x)]


def instances_are_collected(tf, np):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function
        def __call__(self, x):
            return x * self.v

    m = Model()
    found, reference = m(tf.constant(1.0)), weakref.ref(m)
    del m
    gc.collect()
    return found, reference() is None


def calling_what_nobody_keeps(tf, np):
    class Model(tf.Module):
        def __init__(self, k):
            super().__init__()
            self.k = k

        @tf.function
        def __call__(self, x):
            return x * self.k

    return Model(2.0)(tf.constant(3.0)), Model(4.0)(tf.constant(3.0))


def functions_decorated_in_place(tf, np):
    def doubled(function):
        return lambda *args: function(*args) * 2.0

    f = tf.function(lambda x: x + 1.0)
    f._decorate(doubled)
    method = tf.function(lambda self, x: x + self, input_signature=None)
    method._decorate(doubled)
    found = f(tf.constant(1.0)), method(3.0, tf.constant(2.0))
    try:
        f._decorate(doubled)
    except ValueError as error:
        return found, str(error)


def attributes_of_an_object_that_is_called(tf, np):
    class Layer(tf.Module):
        def __init__(self):
            super().__init__(name="layer")
            self.w = tf.Variable(2.0)
            self._lock = self._python = "its own"

        def __call__(self, x):
            return x * self.w

    f = tf.function(Layer())
    return f.w, f(tf.constant(3.0)), hasattr(f, "other")
