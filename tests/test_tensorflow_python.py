"""What libraries import from `tensorflow.python` and `tf.__internal__`."""

import collections
import contextlib
import gc
import importlib
import inspect
import logging
import pickle
import subprocess
import sys

import jax
import numpy as np
import pytest

import tapefacade as tf
from tapefacade._distribute import distributed_variables
from tapefacade._port.tensorflow_python import nests
from tapefacade._port.tensorflow_python.modules import (
    internal_names,
    module_paths,
    private_module,
    public_names,
)
from tapefacade._port.tensorflow_python.name_sources import MODULES, NAMES

Pair = collections.namedtuple("Pair", "first second")


@pytest.fixture
def alias():
    with tf.install_as_tensorflow():
        yield


def imported(name):
    return importlib.import_module(f"tensorflow.python.{name}")


# -- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(NAMES))
def test_every_name_of_the_table_is_there(alias, path):
    module, _, name = path.rpartition(".")
    assert getattr(imported(module), name) is not None


def test_every_module_of_the_table_can_be_imported(alias):
    for path in sorted(module_paths()):
        if path and not path.startswith("__internal__"):
            assert imported(path).__name__ == f"tensorflow.python.{path}"


def public_value(path):
    value = tf
    for part in path.split("."):
        value = getattr(value, part, None)
    return value


def test_a_name_that_tensorflow_exports_is_the_public_one(alias):
    found, missing = 0, []
    for path, names in public_names().items():
        module = private_module(f"tensorflow.python.{path}")
        for own, public in names.items():
            if public.startswith("__internal__") or path in MODULES:
                continue
            value = public_value(public)
            if value is None:
                missing.append((module, own))
            else:
                found += 1
                assert getattr(module, own) is value, (path, own)
    assert found > 1000
    for module, own in missing[:20]:
        with pytest.raises(AttributeError, match="tapefacade has no `tf"):
            getattr(module, own)


def test_internal_names_lead_to_modules(alias):
    assert internal_names()["__internal__.nest.is_mapping"] == "util.nest.is_mapping"
    assert tf.__internal__.nest.is_mapping({})
    assert tf.__internal__.tf2.enabled()
    assert tf.__internal__.decorator.unwrap(len) == ([], len)
    internal = importlib.import_module("tensorflow.__internal__.nest")
    assert internal.flatten_up_to is nests.flatten_up_to


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("from tensorflow.python.util import nestt", "no 'nestt'; the nearest it has is 'nest'"),
        ("from tensorflow.python.util.nest import flaten", "the nearest it has is 'flatten'"),
        ("from tensorflow.python.util.nest import quux", "use the public name"),
        ("import tensorflow.python.utils", "nearest it has is 'tensorflow.python.util'"),
        (
            "from tensorflow.python.data.ops.dataset_ops import to_variant",
            "no `tf.data.experimental.to_variant`",
        ),
        ("from tensorflow.__internal__ import quux", "use the public name"),
        ("from tf_keras import quux", "Keras 3, which has no 'quux'"),
        ("import tf_keras.src", "Keras 3, which has no 'src'"),
    ],
)
def test_what_is_missing_says_what_to_write(alias, statement, text):
    with pytest.raises(ImportError) as error:
        exec(statement, {})
    assert text in str(error.value)


def test_the_package_is_gone_with_the_alias():
    with tf.install_as_tensorflow():
        imported("util.nest")
        assert tf.__internal__.nest.is_mapping({})
    assert not hasattr(tf, "__internal__")
    assert not hasattr(tf, "python")
    assert not [name for name in sys.modules if name.startswith(("tensorflow.", "tf_keras"))]


def test_nothing_of_it_is_read_before_it_is_imported():
    program = (
        "import sys, tapefacade\n"
        "with tapefacade.install_as_tensorflow():\n"
        "    from tapefacade._port.tensorflow_python import modules\n"
        "    assert modules.public_names.cache_info().misses == 0\n"
        "    assert 'tapefacade._port.tensorflow_python.nests' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_tf_keras_is_our_keras(alias):
    pytest.importorskip("keras")
    import tf_keras
    import tf_keras.api._v1.keras as v1
    from tf_keras.layers import Dense

    assert Dense is tf.keras.layers.Dense is v1.layers.Dense
    assert tf_keras.optimizers.Adam is tf.keras.optimizers.Adam


# -- what it holds --------------------------------------------------------------------------------


def refusal(shallow, tree):
    with pytest.raises((TypeError, ValueError)) as error:
        nests.assert_shallow_structure(shallow, tree)
    return type(error.value), str(error.value)


def test_upper_parts_of_structures():
    tree = {"a": [1, {"b": 2}], "c": Pair(1, (2, 3))}
    assert nests.flatten_with_tuple_paths(tree) == [
        (("a", 0), 1), (("a", 1, "b"), 2), (("c", "first"), 1),
        (("c", "second", 0), 2), (("c", "second", 1), 3),
    ]  # fmt: skip
    assert nests.flatten_up_to({"a": 0, "c": 0}, tree) == [[1, {"b": 2}], Pair(1, (2, 3))]
    assert nests.map_structure_up_to(Pair(0, 0), lambda x: (x,), Pair([1], 2)) == Pair(([1],), (2,))
    sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 2])
    assert len(nests.flatten_up_to([1, 2], [sparse, 3], expand_composites=True)) == 2
    assert len(nests.flatten_up_to([sparse, 2], [sparse, 3], expand_composites=True)) == 4


def test_refused_structures_are_those_of_tensorflow():
    assert refusal([1, 2], {"a": 1, "b": 2}) == (
        TypeError,
        "The two structures don't have the same sequence type. Input structure has type <class "
        "'dict'>, while shallow structure has type <class 'list'>.",
    )
    assert refusal([1, 2], [1, 2, 3]) == (
        ValueError,
        "The two structures don't have the same sequence length. Input structure has length 3, "
        "while shallow structure has length 2.",
    )
    assert refusal([1, [2]], [1, 2]) == (
        TypeError,
        "If shallow structure is a sequence, input must also be a sequence. Input has type: <class "
        "'int'>.",
    )
    assert refusal({"a": 1}, {"b": 1}) == (
        ValueError,
        "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has "
        "the following keys that are not in the input_tree: ['a'].",
    )


def test_how_deep_to_look():
    look = nests.get_traverse_shallow_structure
    tree = [1, [2, 3], (4, 5)]
    assert look(lambda s: isinstance(s, list), tree) == [False, [False, False], False]
    with pytest.raises(TypeError, match="traverse_fn returned a non-bool scalar: 1 for input"):
        look(lambda s: 1, tree)
    with pytest.raises(TypeError, match="didn't return a depth=1 structure of bools"):
        look(lambda s: [1, 2], [1, [2]])
    assert nests.list_to_tuple([1, [2, {"a": [3]}]]) == (1, (2, {"a": (3,)}))
    with pytest.raises(ValueError, match="Key had 2 elements, but value had 1 elements"):
        nests.flatten_dict_items({(4, 5): ("a",)})


def test_deprecated_functions_say_so_once(alias, caplog):
    deprecation = imported("util.deprecation")

    @deprecation.deprecated("2026-12-31", "Write `g`.")
    def f(x):
        """Doubles."""
        return 2 * x

    @deprecation.deprecated_args(None, "Leave it out.", "old")
    def h(x, old=None):
        return x

    old_name = deprecation.deprecated_alias("old_name", "f", f)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        with deprecation.silence():
            assert f(1) == 2
        assert not caplog.records
        assert (f(1), f(2), h(1), h(1, old=2), old_name(3)) == (2, 4, 1, 1, 6)
    said = [record.getMessage().splitlines()[0] for record in caplog.records]
    assert len(said) == 3
    assert "is deprecated and will be removed after 2026-12-31" in said[0]
    assert "with old is deprecated and will be removed in a future version" in said[1]
    assert said[2] == "The name old_name is deprecated. Please use f instead."
    assert imported("util.tf_inspect").getfullargspec(f).args == ["x"]
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        deprecation.deprecated_argument_lookup("axis", 1, "dim", 2)


def test_decorators_keep_what_they_decorate(alias):
    decorator, inspected = imported("util.tf_decorator"), imported("util.tf_inspect")

    def target(a, b=2):
        """Adds."""
        return a + b

    wrapped = decorator.make_decorator(target, lambda *a, **k: target(*a, **k) + 1, "more")
    assert (wrapped(1), wrapped.__name__, wrapped.__doc__) == (4, "target", "Adds.")
    (record,), inner = decorator.unwrap(wrapped)
    assert (record.decorator_name, inner) == ("more", target)
    assert inspected.getcallargs(wrapped, 1) == {"a": 1, "b": 2}
    assert inspected.getargspec(wrapped) == (["a", "b"], None, None, (2,))
    assert inspected.getfullargspec(tf.rank).args == ["input", "name"]


def test_functions_are_decorated_python(alias):
    decorator, inspected = imported("util.tf_decorator"), imported("util.tf_inspect")

    class Model:
        @tf.function
        def call(self, x: int, y=1, *rest, k=2):
            return x

    model = Model()
    for function, own in ((Model.call, ["self", "x", "y"]), (model.call, ["x", "y"])):
        spec = inspect.getfullargspec(function)
        assert (spec.args, spec.varargs, spec.kwonlyargs) == (own, "rest", ["k"])
        assert inspected.getfullargspec(function).args == ["self", "x", "y"]
        (record,), python = decorator.unwrap(function)
        assert (record.decorator_name, record.decorated_target) == ("tf.function", python)
        assert inspected.ismethod(function) == (function is model.call) == inspect.ismethod(python)
    assert inspected.getcallargs(Model.call, model, 3) == {"self": model, "x": 3, "y": 1, "k": 2}
    assert list(inspected.signature(model.call).parameters) == ["x", "y", "rest", "k"]


def test_what_tf_device_says(alias):
    context = imported("eager.context").context()
    assert (context.device_name, context.device_spec.device_type) == ("", None)
    with tf.device("CPU:0"):
        assert context.device_name == "/job:localhost/replica:0/task:0/device:CPU:0"
        assert context.device_spec.device_type == "CPU"


def test_specs_that_compare_what_they_hold():
    """tensorflow_probability's specs of distributions do so."""

    class Spec(tf.TypeSpec):
        value_type = property(lambda self: object)
        _component_specs = property(lambda self: [])

        def __init__(self, held):
            self.held = held

        def _serialize(self):
            return (id(self),)

        def _to_components(self, value):
            return []

        def _from_components(self, components):
            return object()

        def _key(self):
            return self._TypeSpec__make_cmp_key((self.held,))

        def __eq__(self, other):
            return type(self) is type(other) and self._key() == other._key()

        def __hash__(self):
            return hash(self._key())

    one, same, other = (Spec({"a": [n, tf.TensorSpec([n])], "b": None}) for n in (1, 1, 2))
    assert (one == same, one == other, hash(one) == hash(same)) == (True, False, True)
    traced = []
    function = tf.function(lambda _: traced.append("again"))
    for spec in (one, same, other):
        function(spec)
    assert traced == ["again"] * 2


def test_sets_of_objects(alias):
    identity = imported("util.object_identity")
    x, y = tf.constant(1.0), tf.constant(1.0)
    found = identity.ObjectIdentitySet([x])
    assert x in found
    assert y not in found
    table = identity.ObjectIdentityDictionary([(x, 1)])
    table[y] = 2
    assert [table[x], table[y], len(table)] == [1, 2, 2]
    weak = identity.ObjectIdentityWeakKeyDictionary([(x, 1)])
    assert list(weak.values()) == [1]
    del x, found, table
    assert len(weak) == 0


def test_conditions_that_are_known(alias):
    smart = imported("framework.smart_cond")
    assert smart.smart_cond(True, lambda: 1, lambda: 2) == 1
    assert smart.smart_cond(tf.constant(False), lambda: 1, lambda: 2) == 2

    @tf.function
    def f(x):
        return smart.smart_cond(x > 0, lambda: x, lambda: -x)

    assert [f(tf.constant(v)).numpy() for v in (2.0, -3.0)] == [2.0, 3.0]
    with pytest.raises(TypeError, match="Argument `pred` must be a Tensor, or a Python bool"):
        smart.smart_cond("x", lambda: 1, lambda: 2)


def test_shapes_that_are_known(alias):
    util = imported("framework.tensor_util")
    assert util.constant_value_as_shape(tf.constant([2, -1])) == [2, None]
    assert util.constant_value_as_shape(tf.constant(-1)).rank is None
    with pytest.raises(ValueError, match="scalar value '3' as shape"):
        util.constant_value_as_shape(tf.constant(3))

    @tf.function
    def f(x):
        found.append(util.constant_value_as_shape(tf.shape(x)))
        found.append(util.constant_value(x))
        return x

    found = []
    f(tf.ones([2, 3]))
    assert found[0] == [2, 3]
    assert found[1] is None


def test_a_gradient_that_may_not_pass(alias):
    prevent = imported("ops.array_ops").prevent_gradient
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = prevent(x * 2, "it is wrong")
    assert y.numpy() == 2.0
    with pytest.raises(LookupError, match=r"Gradient explicitly disabled\. Reason: it is wrong"):
        tape.gradient(y, x)


def test_a_library_with_values_of_its_own(alias):
    composite = imported("framework.composite_tensor")
    registry = imported("framework.type_spec_registry")

    class IntervalSpec(tf.TypeSpec):
        value_type = property(lambda self: Interval)
        _component_specs = property(
            lambda self: {"low": tf.TensorSpec([]), "up": tf.TensorSpec([])}
        )

        def _serialize(self):
            return ()

        def _to_components(self, value):
            return {"low": value.low, "up": value.up}

        def _from_components(self, components):
            return Interval(components["low"], components["up"])

    class Interval(composite.CompositeTensor):
        def __init__(self, low, up):
            self.low, self.up = tf.convert_to_tensor(low), tf.convert_to_tensor(up)

        @property
        def _type_spec(self):
            return IntervalSpec()

    doubled = tf.function(lambda i: Interval(2 * i.low, 2 * i.up))(Interval(1.0, 2.0))
    assert [x.numpy() for x in tf.nest.flatten(doubled, expand_composites=True)] == [2.0, 4.0]
    given = tf.TensorSpec([])
    shown = tf.function(lambda x: Interval(x, x)).get_concrete_function(given).structured_outputs
    assert isinstance(shown, IntervalSpec)  # the class wants tensors
    registry.register("tests.Interval")(IntervalSpec)
    assert registry.lookup("tests.Interval") is IntervalSpec
    assert not tf.is_tensor(doubled)
    with contextlib.suppress(KeyError):
        del registry._NAME_TO_TYPE_SPEC["tests.Interval"]


def test_values_of_libraries_keep_their_attributes_in_structured_outputs():
    from tapefacade._port.tensorflow_python import composites

    class NamedSpec(tf.TypeSpec):
        value_type = property(lambda self: Named)
        _component_specs = property(lambda self: {"x": tf.TensorSpec([2])})

        def __init__(self, label):
            self.label = label

        def _serialize(self):
            return (self.label,)

        def _to_components(self, value):
            return {"x": value.x}

        def _from_components(self, components):
            return Named(components["x"], self.label)

    class Named(composites.CompositeTensor):
        def __init__(self, x, label):
            self.x, self.label = x, label

        @property
        def _type_spec(self):
            return NamedSpec(self.label)

    @tf.function
    def f(x):
        return [Named(2 * x, "twice"), x]

    shown, spec = f.get_concrete_function(tf.TensorSpec([2])).structured_outputs
    assert (type(shown), shown.label, shown.x) == (Named, "twice", tf.TensorSpec([2]))
    assert spec == tf.TensorSpec([2])


# -- what libraries ask of the core ---------------------------------------------------------------


def test_operators_belong_to_the_base_class():
    for name in tf.Tensor.OVERLOADABLE_OPERATORS - {"__rdiv__"}:
        assert callable(getattr(tf.Tensor, name)), name
    assert tf.Tensor.__add__(tf.constant(1), 2).numpy() == 3


def test_variables_with_abstract_methods():
    import abc

    class Parameter(tf.Variable, metaclass=abc.ABCMeta):
        @abc.abstractmethod
        def prior(self):
            """The prior."""

    class Weight(Parameter):
        def prior(self):
            return self * 2

    with pytest.raises(TypeError, match="abstract"):
        Parameter(1.0)
    weight = Weight(3.0)
    with tf.GradientTape() as tape:
        y = weight.prior()
    assert tape.gradient(y, weight).numpy() == 2.0
    assert isinstance(weight, tf.Variable)
    assert not isinstance(1.0, tf.Variable)


def test_scopes_of_tensorflow_1():
    v1 = tf.compat.v1
    with v1.variable_scope("a") as scope:
        assert (scope.name, scope.original_name_scope) == ("a", "a/")
        assert v1.get_variable("w", [2]).name == "a/w:0"
        assert v1.get_variable("n", [2], tf.int32).numpy().tolist() == [0, 0]
        with v1.variable_scope("b"):
            assert v1.get_variable("w", initializer=3.0).name == "a/b/w:0"
    with pytest.raises(ValueError, match="Variable w did not get an initializer"):
        v1.get_variable("w")
    with pytest.raises(ValueError, match="If initializer is a constant, do not specify shape"):
        v1.get_variable("w", [1], initializer=3.0)
    with pytest.raises(RuntimeError, match="Tensors have values at once"):
        v1.Session()
    with pytest.raises(RuntimeError, match="There are no stored graphs"):
        v1.GraphDef()
    assert tf.function(lambda: v1.get_default_graph().building_function)().numpy()
    assert not v1.get_default_graph().building_function
    with tf.control_dependencies([v1.get_default_graph().get_operations()[-1]]):
        assert repr(v1.get_default_graph().get_operations()) == "[<all ops so far>]"


@pytest.mark.parametrize(
    ("s0", "s1", "axes"),
    [
        ([], [], [[], []]),
        ([2], [2], [[], []]),
        ([1, 3], [3], [[0], [0]]),
        ([2, 1], [1, 3], [[1], [0]]),
        ([1, 1], [1], [[0, 1], [0, 1]]),
        ([2, 3], [], [[], [0, 1]]),
        ([1, 2, 1], [2, 2, 1], [[0, 2], [2]]),
    ],
)  # TensorFlow's answers
def test_axes_of_repetition(s0, s1, axes):
    shapes = [tf.constant(shape, tf.int32) for shape in (s0, s1)]
    found = tf.raw_ops.BroadcastGradientArgs(s0=shapes[0], s1=shapes[1])
    assert [found.r0.numpy().tolist(), found.r1.numpy().tolist()] == axes


def test_what_is_around_a_body_has_no_static_value_there():
    known = []

    @tf.function
    def f(x):
        y = x + 1
        return tf.cond(x > 0, lambda: known.append(tf.get_static_value(y)) or y, lambda: -y)

    assert f(tf.constant(2)).numpy() == 3
    assert f(tf.constant(-3)).numpy() == 2
    assert known == [None] * len(known)
    assert known


def test_elements_at_indices_that_are_not_known_yet():
    @tf.function
    def f(i):
        looked.append(i)
        array = tf.TensorArray(tf.float32, 3).unstack([5.0, 6.0, 7.0])
        return array.gather([i])[0], array.gather(tf.stack([i, i - 1]))

    looked = []
    for i in (2, 1):
        one, two = f(tf.constant(i))
        assert (one.numpy(), two.numpy().tolist()) == (5.0 + i, [5.0 + i, 4.0 + i])
    assert len(looked) == 1  # the Python ran once


def test_loops_in_custom_gradients_on_a_tape():
    @tf.custom_gradient
    def power(x):
        y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, tf.ones([])])[1]
        return y, lambda upstream: upstream * 3 * x**2

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = power(x)
    assert [y.numpy(), tape.gradient(y, x).numpy()] == [8.0, 12.0]


def test_weights_and_scopes_of_internal_names(alias):
    space = importlib.import_module("tensorflow").__internal__
    weights = space.ops.broadcast_weights([[1.0], [2.0]], tf.zeros([2, 2]))
    assert weights.numpy().tolist() == [[1.0, 1.0], [2.0, 2.0]]
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        space.ops.broadcast_weights([1.0], tf.zeros([2, 2]))
    with tf.name_scope("a"), tf.name_scope("b"):
        assert space.get_name_scope() == "a/b"


def test_functions_for_a_device():
    attributes = {"api_implements": "sampler", "api_preferred_device": "CPU"}
    f = tf.function(lambda x: x + 1, experimental_attributes=attributes)
    assert f(tf.constant(1)).numpy() == 2
    concrete = f.get_concrete_function(tf.constant(1))
    assert concrete.add_to_graph() is concrete.add_gradient_functions_to_graph() is None
    with pytest.raises(ValueError, match=r"other is not supported by tf[.]function"):
        tf.function(lambda x: x, experimental_attributes={"other": 1})


def test_the_function_that_prefers_the_device_is_called(monkeypatch):
    def implementation(result, device=None):
        def python(x, shape):
            return tf.fill([int(n) for n in shape], x + result)  # the shape is known

        attributes = {"api_implements": "filled"}
        if device is not None:
            attributes["api_preferred_device"] = device
        return tf.function(python, experimental_attributes=attributes)

    by_default, x, shape = implementation(0), tf.constant(1), tf.constant([2])
    assert by_default(x=x, shape=shape).numpy().tolist() == [1, 1]
    preferred, other = implementation(10, "CPU"), implementation(20, "GPU")
    assert by_default(x=x, shape=shape).numpy().tolist() == [11, 11]
    assert other(x=x, shape=shape).numpy().tolist() == [11, 11]
    assert preferred(x=x, shape=shape).numpy().tolist() == [11, 11]
    recorded = tf.function(lambda x: by_default(x=x, shape=shape))
    assert [recorded(tf.constant(n)).numpy()[0] for n in (1, 2, 3)] == [11, 12, 13]
    assert recorded.experimental_get_tracing_count() == 1
    concrete = preferred.get_concrete_function(x=x, shape=shape)
    assert concrete.add_to_graph() is None
    assert preferred.experimental_get_tracing_count() in (0, 1)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert by_default(x=x, shape=shape).numpy().tolist() == [21, 21]
    del other
    gc.collect()
    assert by_default(x=x, shape=shape).numpy().tolist() == [1, 1]


SPARSE = [[0.0, 2.0, 0.0], [3.0, 0.0, 0.0]]


@pytest.mark.parametrize("are_sparse", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_products_of_sparse_matrices(alias, are_sparse, batch):
    sparse = imported("ops.linalg.sparse.sparse")
    dense = [tf.ones([*batch, 2, 1]) * SPARSE, tf.ones([*batch, 2, 1]) * [[1.0, 0.0, -1.0]] * 2]
    given = [sparse.CSRSparseMatrix(x) if k else x for x, k in zip(dense, are_sparse, strict=True)]
    product = sparse.matmul(*given, transpose_b=True)
    assert isinstance(product, sparse.SparseMatrix) is all(are_sparse)
    found = product.to_dense() if all(are_sparse) else product
    wanted = tf.matmul(*dense, transpose_b=True)
    assert found.numpy().tolist() == wanted.numpy().tolist()
    if all(are_sparse):
        assert product.nnz().numpy().tolist() == ([2, 2] if batch else 2)


def test_sparse_matrices(alias):
    sparse = imported("ops.linalg.sparse.sparse_csr_matrix_ops")
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        value = tf.SparseTensor([[1, 0], [0, 1]], x, [2, 2])
        matrix = sparse.CSRSparseMatrix(value)
        total = tf.reduce_sum(sparse.matmul(matrix, matrix.transpose()).to_dense())
    assert tape.gradient(total, x).numpy().tolist() == [2.0, 4.0]
    assert matrix.sorted_indices().numpy().tolist() == [[0, 1], [1, 0]]
    assert matrix.hermitian_transpose().to_dense().numpy().tolist() == [[0, 1], [2, 0]]
    assert (matrix.shape, matrix.dtype) == ([2, 2], tf.float32)
    given = sparse.CSRSparseMatrix(tf.constant(SPARSE), [[0, 0], [0, 1]])
    assert given.to_dense().numpy().tolist() == [[0, 2, 0], [0, 0, 0]]
    assert given.nonzero().numpy() == 2
    with pytest.raises(ValueError, match="indices must be None if value is a SparseTensor"):
        sparse.CSRSparseMatrix(value, [[0, 0]])
    with pytest.raises(ValueError, match="rank 2 or 3, given 1"):
        sparse.CSRSparseMatrix([1.0])


def test_sparse_values_are_sorted(alias):
    reorder = imported("ops.gen_sparse_ops").sparse_reorder
    found = reorder([[1, 0], [0, 1]], [1.0, 2.0], [2, 2])
    assert found.output_indices.numpy().tolist() == [[0, 1], [1, 0]]
    assert found.output_values.numpy().tolist() == [2.0, 1.0]


def test_parts_of_what_has_a_value(alias):
    parts = imported("ops.tensor_getitem_override")

    class Wrapped:
        def value(self):
            return tf.constant([1, 2, 3])

        __getitem__ = parts._slice_helper_var

    assert Wrapped()[1:].numpy().tolist() == [2, 3]
    assert parts._slice_helper_var(tf.Variable([4, 5]), 1).numpy() == 5
    assert parts._slice_helper([4, 5], slice(1, None)).numpy().tolist() == [5]


def test_variables_can_be_asked_whether_they_are_of_a_strategy(alias):
    values, servers = imported("distribute.values"), imported("distribute.ps_values")
    assert values.DistributedVariable is distributed_variables.DistributedVariable
    for kind in (values.DistributedVariable, servers.AggregatingVariable):
        assert issubclass(kind, tf.Variable)
        assert not isinstance(tf.Variable(1.0), kind)


def test_specs_with_bounds(alias):
    module = importlib.import_module("tensorflow.python.framework.tensor_spec")
    BoundedTensorSpec = module.BoundedTensorSpec  # noqa: N806 - the name of the class
    spec = BoundedTensorSpec([None, 3], tf.float32, 0, [1, 2, 3], "x")
    assert repr(spec) == (
        "BoundedTensorSpec(shape=(None, 3), dtype=tf.float32, name='x', "
        "minimum=array(0., dtype=float32), maximum=array([1., 2., 3.], dtype=float32))"
    )
    assert spec.is_compatible_with(tf.ones([2, 3]))
    assert not spec.is_compatible_with(tf.ones([2, 2]))
    assert spec == BoundedTensorSpec.from_spec(spec) == pickle.loads(pickle.dumps(spec))
    assert spec != BoundedTensorSpec([None, 3], tf.float32, 0, 1, "x")
    assert BoundedTensorSpec.from_spec(tf.TensorSpec([2], tf.int32)).maximum == 2**31 - 1
    with pytest.raises(ValueError, match=r"`maximum` can not be None\."):
        BoundedTensorSpec([2], tf.float32, 0, None)
    with pytest.raises(ValueError, match=r"`minimum` \[1, 2\] is not compatible with shape"):
        BoundedTensorSpec([None, 3], tf.float32, [1, 2], 5)


def test_specs_with_bounds_of_what_has_types_of_numpy(alias):
    spec = importlib.import_module("tensorflow.python.framework.tensor_spec").BoundedTensorSpec
    Given = collections.namedtuple("Given", "shape dtype minimum name")
    made = spec.from_spec(Given((2,), np.dtype("int32"), 1, "x"))
    assert (made.dtype, made.minimum, made.maximum) == (tf.int32, 1, tf.int32.max)


def test_what_libraries_annotate_and_derive_from(alias):
    base = importlib.import_module("tensorflow.python.trackable.base")

    class Holder(base.Trackable):
        pass

    holder = Holder()
    holder.v = tf.Variable(2.0)
    assert base.TrackableReference("v", holder.v).ref is holder.v
    path = tf.train.Checkpoint(holder=holder)
    assert path.holder is holder
    with tf.Graph().as_default():
        assert tf.compat.v1.Graph is tf.Graph


def test_tests_run_once(alias):
    test_util = importlib.import_module("tensorflow.python.framework.test_util")

    @test_util.run_all_in_graph_and_eager_modes
    class Tests:
        @test_util.run_in_graph_and_eager_modes(use_gpu=False)
        def one(self):
            return tf.executing_eagerly()

    assert Tests().one()
