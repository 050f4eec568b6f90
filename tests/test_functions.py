"""Functions: when their Python runs, what is compiled and dispatched, and what they keep."""

import copy
import gc
import logging
import pickle
import threading
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from steps import close_everything, counted, nothing_open, settle

import tapefacade as tf
from tapefacade._trace.recording import THREAD


@pytest.fixture(autouse=True)
def nothing_pending():
    settle()
    yield
    still_open = not nothing_open() or THREAD.functions or THREAD.recording.frame
    THREAD.functions.clear()
    close_everything()
    assert not still_open


@pytest.fixture
def said():
    """What the package has said."""
    found: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: found.append(record.getMessage())
    logger = tf.get_logger()
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)


class Runs:
    """Counts the runs of Python."""

    def __init__(self):
        self.count = 0

    def __call__(self):
        self.count += 1


def counts(count):
    return count.compiled, count.dispatched


# One program.


def test_the_first_call_is_one_program_and_later_ones_run_no_python():
    runs = Runs()

    @tf.function
    def f(x, y):
        runs()
        return tf.reduce_sum(x * y), x - 3.7 * y

    x = tf.constant([1.0, 2.0])
    with counted() as count:
        f(x, x)
    assert counts(count) == (1, 1)
    with counted() as count:
        for _ in range(5):
            total, _ = f(x, x + 1.0)
    assert runs.count == 1
    assert count.dispatched == 10  # x + 1.0 runs first
    with counted() as count:
        total.numpy()
        total.numpy()
    assert counts(count) == (0, 0)
    assert total.numpy() == 8.0


def training_step():
    w, steps = tf.Variable([[0.5], [-0.25]]), tf.Variable(0)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w - y))
        w.assign_sub(0.0625 * tape.gradient(loss, w))
        steps.assign_add(1)
        return loss

    return step, w, steps


def test_a_training_step_is_one_program_and_what_it_is_without_the_decorator():
    x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[2.0], [5.0]])
    plain, w1, n1 = training_step()
    python, w2, n2 = training_step()
    compiled = tf.function(python)
    losses = [(plain(x, y).numpy(), compiled(x, y).numpy()) for _ in range(3)]
    with counted() as count:
        compiled(x, y)
    assert counts(count) == (0, 1)
    plain(x, y)
    np.testing.assert_allclose(*zip(*losses, strict=True), rtol=1e-6)
    np.testing.assert_allclose(w1.numpy(), w2.numpy(), rtol=1e-6)
    assert n1.numpy() == n2.numpy() == 4


def test_other_python_numbers_are_recorded_but_not_compiled_anew():
    runs = Runs()

    @tf.function
    def f(x, rate):
        runs()
        return x * rate - 1.0

    x = tf.constant([1.0, 2.0])
    f(x, 0.5)
    with counted() as count:
        assert f(x, 0.25).numpy().tolist() == [-0.75, -0.5]
    assert counts(count) == (0, 1)
    assert runs.count == 2
    f(x, rate=0.25)
    assert runs.count == 2


def test_equal_functions_share_a_program():
    def make():
        @tf.function
        def f(x):
            return tf.sin(x) * 2.5 + tf.cosh(x)

        return f

    x = tf.constant([0.5])
    make()(x)
    with counted() as count:
        make()(x)
    assert counts(count) == (0, 1)


def test_functions_in_functions_are_one_program():
    runs = Runs()
    v = tf.Variable(1.0)

    @tf.function
    def inner(x):
        runs()
        v.assign_add(1.0)
        return x * v

    @tf.function
    def outer(x):
        return inner(x) + inner(x + 1.0)

    x = tf.constant(2.0)
    assert outer(x).numpy() == 2.0 * 2.0 + 3.0 * 3.0
    with counted() as count:
        assert outer(x).numpy() == 2.0 * 4.0 + 3.0 * 5.0
    assert counts(count) == (0, 1)
    assert runs.count == 1
    assert v.numpy() == 5.0


def test_under_a_tape_a_function_is_part_of_the_step():
    runs = Runs()
    v = tf.Variable([1.0, -2.0])

    @tf.function
    def f(x):
        runs()
        return tf.reduce_sum(tf.tanh(x * v))

    def step(k):
        x = tf.constant([0.1 * k, 1.0])
        with tf.GradientTape() as tape:
            loss = f(x) * 2.0
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return loss.numpy()

    for k in range(3):
        step(k)
    with counted() as count:
        for k in range(3, 8):
            step(k)
    assert (count.compiled, count.dispatched, count.recorded) == (0, 5, 0)
    assert runs.count == 1


def test_derivatives_of_any_order_go_through():
    @tf.function
    def f(x):
        return x**4

    @tf.function
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    for _ in range(2):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = second(x)
        assert (y.numpy(), tape.gradient(y, x).numpy()) == (48.0, 48.0)


# Values that Python looks at.


def test_a_function_that_looks_at_values_runs_python_and_says_so_once(said):
    runs = Runs()

    @tf.function(autograph=False)
    def f(x):
        runs()
        if x > 0.0:
            return x * 2.0
        return -x

    got = [f(tf.constant(value)).numpy() for value in (1.0, -3.0, 2.0)]
    assert got == [2.0, 3.0, 4.0]
    assert runs.count == 3
    (message,) = said
    assert "test_functions.py" in message


def test_what_was_assigned_before_a_value_was_looked_at_stays():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(x)
        if v > 2.0:
            v.assign_add(10.0)
        return v * 1.0

    assert [f(tf.constant(1.0)).numpy(), f(tf.constant(1.0)).numpy()] == [2.0, 13.0]


def test_a_tape_outside_sees_through_a_function_that_looks_at_values(said):
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        y = x * v
        if y > 0.0:
            y = y * v
        return y

    for _ in range(2):
        with tf.GradientTape() as tape:
            y = f(tf.constant(2.0))
        assert tape.gradient(y, v).numpy() == 12.0


def test_long_loops_are_not_written_out(said):
    @tf.function(autograph=False)
    def f(n):
        total = tf.constant(0)
        for i in tf.range(200):
            total += i
        return total + n

    assert f(tf.constant(1)).numpy() == 19901
    assert "200 rows" in said[0]


def test_printing_a_tensor_is_no_look(capsys):
    @tf.function
    def f(x):
        print(x, f"{x * 2.0}")  # noqa: T201 - that is what is tested
        return x

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert capsys.readouterr().out == (
        'Tensor("x:0", shape=(), dtype=float32) Tensor("mul:0", shape=(), dtype=float32)\n'
    )


# What is kept, and what is not.


def test_captured_values_are_read_at_each_call():
    v, constant = tf.Variable(1.0), tf.constant(10.0)

    @tf.function
    def f():
        return v + constant

    found = [f().numpy()]
    v.assign(5.0)
    found.append(f().numpy())
    assert found == [11.0, 15.0]


def test_one_tensor_for_two_arguments():
    f = tf.function(lambda a, b: a - b)
    assert isinstance(f, tf.types.experimental.Callable)
    one, two = tf.constant(1.0), tf.constant(2.0)
    assert [f(one, one).numpy(), f(two, one).numpy(), f(one, two).numpy()] == [0.0, 1.0, -1.0]


def test_the_class_of_concrete_functions():
    f = tf.function(lambda x: x * x)
    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert isinstance(concrete, tf.types.experimental.ConcreteFunction)
    assert not isinstance(f, tf.types.experimental.ConcreteFunction)


class FlavorType(tf.types.experimental.TraceType):
    def __init__(self, flavor):
        self.flavor = flavor

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context):
        return Fruit(self.flavor)

    def __eq__(self, other):
        return isinstance(other, FlavorType) and self.flavor == other.flavor

    def __hash__(self):
        return hash(self.flavor)


class Fruit:
    def __init__(self, flavor):
        self.flavor = flavor

    def __tf_tracing_type__(self, context):
        return FlavorType(self.flavor)


def test_arguments_that_say_their_type():
    class Silent(Fruit):
        def __tf_tracing_type__(self, context):
            return NotImplemented

    @tf.function
    def mixed(fruits, x):
        return x + sum(fruit.flavor for fruit in fruits)

    assert isinstance(Fruit(1), tf.types.experimental.SupportsTracingProtocol)
    assert isinstance(tf.TensorSpec([]), tf.types.experimental.TraceType)
    assert [int(mixed([Fruit(1), Fruit(k)], tf.constant(k))) for k in (2, 3, 2, 3)] == [5, 7, 5, 7]
    assert mixed.experimental_get_tracing_count() == 2
    assert [int(mixed([Silent(1)], tf.constant(0))) for _ in range(2)] == [1, 1]
    assert mixed.experimental_get_tracing_count() == 4
    with pytest.raises(AssertionError, match="Can not cast 2 to type"):
        FlavorType(1).cast(2, None)


def test_arguments_that_are_equal_share_what_was_recorded():
    class Fruit:
        def __init__(self, flavor):
            self.flavor = flavor

        def __eq__(self, other):
            return isinstance(other, Fruit) and self.flavor == other.flavor

        def __hash__(self):
            return hash(self.flavor)

    @tf.function
    def mixed(a, b):
        return tf.constant(a.flavor) + tf.constant(b.flavor)

    assert [int(mixed(Fruit(1), Fruit(k))) for k in (2, 3, 2, 3)] == [3, 4, 3, 4]
    assert mixed.experimental_get_tracing_count() == 2


def test_arguments_that_come_back():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        before = v.read_value()
        v.assign(x)
        return x, x, before, 7, None

    x = tf.constant(3.0)
    for wanted in (1.0, 3.0):
        first, second, before, seven, nothing = f(x)
        assert first is not x
        assert first is not second
        assert (first.numpy(), before.numpy(), seven.numpy(), nothing) == (3.0, wanted, 7, None)
    assert v.numpy() == 3.0


def test_a_tensor_that_escapes_has_the_value_of_the_first_call():
    kept = []

    @tf.function
    def f(x):
        kept.append(x * 2.0)
        return x

    f(tf.constant(3.0))
    f(tf.constant(4.0))
    (tensor,) = kept
    assert tensor.numpy() == 6.0


def test_arguments_and_results_of_the_first_call_are_let_go():
    @tf.function
    def f(x):
        return [x * 2.0]

    x = tf.constant(np.ones(3, np.float32))
    (result,) = f(x)
    gone = [weakref.ref(x), weakref.ref(result)]
    del x, result
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def test_an_instance_with_functions_is_let_go():
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function
        def __call__(self, x):
            return self.v * x

    first, second = Model(), Model()
    second.v.assign(5.0)
    x = tf.constant(1.0)
    assert (first(x).numpy(), second(x).numpy()) == (2.0, 5.0)
    copied = copy.deepcopy(second)
    second.v.assign(6.0)
    assert (copied(x).numpy(), second(x).numpy()) == (5.0, 6.0)
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None


def double(x):
    return x * 2.0


@tf.function
def triple(x):
    return x * 3.0


def test_pickling_and_copying():
    f = tf.function(double)
    f(tf.constant(1.0))
    for again in (copy.copy(f), copy.deepcopy(f)):
        assert again(tf.constant(3.0)).numpy() == 6.0
    assert pickle.loads(pickle.dumps(f))(tf.constant(3.0)).numpy() == 6.0
    assert pickle.loads(pickle.dumps(triple)) is triple


# Errors.


def test_an_exception_undoes_what_was_recorded():
    v = tf.Variable(1.0)
    runs = Runs()

    @tf.function
    def f(x):
        runs()
        v.assign(x)
        tf.print("never")
        if runs.count == 1:
            raise KeyError("first")
        return v * 2.0

    with pytest.raises(KeyError):
        f(tf.constant(5.0))
    assert v.numpy() == 1.0
    assert f(tf.constant(5.0)).numpy() == 10.0


@pytest.mark.parametrize("taped", [False, True])
def test_an_interrupt_leaves_nothing_open(taped):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign(x)
        raise KeyboardInterrupt

    with tf.GradientTape() as tape:
        if taped:
            with pytest.raises(KeyboardInterrupt):
                f(tf.constant(5.0))
        y = v * 3.0
    if not taped:
        with pytest.raises(KeyboardInterrupt):
            f(tf.constant(5.0))
    assert v.numpy() == 1.0
    assert tape.gradient(y, v).numpy() == 3.0


def test_a_failed_check_assigns_nothing():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        tf.debugging.assert_positive(x)
        v.assign_add(1.0)
        return tf.gather([1.0, 2.0], tf.cast(x, tf.int32))

    assert f(tf.constant(1.0)).numpy() == 2.0
    for wrong in (-1.0, 5.0):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(tf.constant(wrong))
        assert v.numpy() == 3.0
    assert f(tf.constant(1.0)).numpy() == 2.0


def test_too_many_recordings_are_refused():
    @tf.function(max_traces=2)
    def f(x, flag):
        return x

    f(tf.constant(1.0), True)
    f(tf.constant(1.0), False)
    with pytest.raises(RuntimeError, match=r"3 times.*x was a float32 tensor of shape \(\)"):
        f(tf.constant([1.0]), False)
    assert f(tf.constant(2.0), True).numpy() == 2.0


def test_what_has_changed_is_said(said):
    @tf.function
    def f(x):
        return x

    for size in range(1, 6):
        f(tf.zeros(size))
    retracing, change = said
    assert "triggered tf.function retracing" in retracing
    assert change.startswith(
        "What changed: x was a float32 tensor of shape (4,) and is a float32 tensor of shape (5,), "
        f"at {__file__}:"
    )
    assert "What to do: pad to one size, or leave the last batch out" in change


# Random numbers.


def test_random_numbers_are_fresh_at_each_call():
    f = tf.function(lambda: tf.random.normal([3]))
    found = {tuple(f().numpy()) for _ in range(4)}
    assert len(found) == 4


def test_generators_count_on():
    generator = tf.random.Generator.from_seed(1)
    f = tf.function(lambda: generator.normal([2]))
    found = [f().numpy() for _ in range(3)]
    eager = tf.random.Generator.from_seed(1)
    for got in found:
        np.testing.assert_allclose(got, eager.normal([2]).numpy(), rtol=1e-6)


# Others.


def test_a_function_within_jax_jit():
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        return tf.sin(x) * v

    @jax.jit
    def call(x):
        return jnp.asarray(f(x)) + 1.0

    for value in (0.5, 0.75):
        np.testing.assert_allclose(call(jnp.float32(value)), np.sin(value) * 2 + 1, rtol=1e-6)
    np.testing.assert_allclose(f(tf.constant(0.5)).numpy(), np.sin(0.5) * 2, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int32, np.bool_, np.complex64])
def test_dtypes_and_sizes(dtype):
    f = tf.function(lambda x: (tf.reshape(x, [-1]), tf.concat([x, x], 0)))
    for shape in ((0, 2), (1, 2), (0,)):
        array = np.ones(shape, dtype)
        for _ in range(2):
            flat, twice = f(array)
            assert (flat.dtype, twice.dtype) == (array.dtype, array.dtype)
            np.testing.assert_array_equal(twice.numpy(), np.concatenate([array, array]))
    nan = tf.function(lambda x: x * 0.0)(tf.constant(np.nan, tf.float64))
    assert np.isnan(nan.numpy())


def test_threads_share_a_function():
    v = tf.Variable(2.0)
    runs = Runs()

    @tf.function
    def f(x):
        runs()
        return tf.reduce_sum(x * v)

    found, errors = {}, []

    def work(number):
        try:
            found[number] = [f(tf.fill([3], float(number))).numpy() for _ in range(20)]
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert found == {number: [6.0 * number] * 20 for number in range(8)}
    assert runs.count == 1


def test_init_scope_is_outside_of_the_function():
    runs = []

    @tf.function
    def f(x):
        with tf.init_scope():
            runs.append((tf.executing_eagerly(), tf.constant(3.0).numpy()))
        runs.append(tf.executing_eagerly())
        return x

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert runs == [(True, 3.0), False]


def test_ops_may_run_immediately():
    tf.config.run_ops_immediately(True)
    try:
        f = tf.function(lambda x: x * 2.0 + 1.0)
        assert [f(tf.constant(1.0)).numpy(), f(tf.constant(2.0)).numpy()] == [3.0, 5.0]
    finally:
        tf.config.run_ops_immediately(False)


def test_other_datasets_of_one_spec_neither_record_nor_compile():
    v = tf.Variable(1.0)

    @tf.function
    def epoch(dataset):
        total = tf.constant(0.0)
        for x in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x * v) ** 2)
            v.assign_sub(0.1 * tape.gradient(loss, v))
            total += loss
        return total

    x = np.arange(8, dtype=np.float32)
    for k in range(3):
        epoch(tf.data.Dataset.from_tensor_slices(x + k).batch(2)).numpy()
    with counted() as count:
        epoch(tf.data.Dataset.from_tensor_slices(x - 7).batch(2)).numpy()
    assert (count.compiled, count.recorded) == (0, 0)
    assert epoch.experimental_get_tracing_count() == 1
    assert len(epoch._traces) == 1  # nothing is kept for each dataset


def test_ragged_rows_of_any_sizes_keep_one_trace():
    @tf.function
    def total(x):
        return tf.reduce_sum(x, 1).numpy()[0] + 0.0

    for n in range(1, 6):
        assert total(tf.ragged.constant([[1.0] * n, [2.0]])) == n
    assert len(total._traces) == 1


@pytest.mark.parametrize(
    "shape_of",
    [
        lambda x: tf.constant([3, 2]),
        lambda x: tf.concat([[3], tf.shape(x)], 0),
        lambda x: np.array([3, 2]),
        lambda x: [3, 2],
    ],
)
@pytest.mark.parametrize("autograph", [False, True])
def test_functions_within_functions_know_the_shapes_that_their_callers_know(shape_of, autograph):
    runs = []

    @tf.function(autograph=autograph)
    def inner(shape, x):
        return tf.ones(shape) * x

    @tf.function
    def middle(shape, x):
        return inner(shape, x) + 1.0

    @tf.function
    def outer(x):
        runs.append(1)
        return middle(shape_of(x), x)

    concrete = outer.get_concrete_function(tf.TensorSpec([2]))
    assert concrete.structured_outputs == tf.TensorSpec([3, 2])
    runs.clear()
    for n in range(4):
        assert outer(tf.constant([1.0, n])).numpy().tolist() == [[2.0, n + 1.0]] * 3
    assert not runs
    with tf.GradientTape() as tape:
        x = tf.constant([1.0, 2.0])
        tape.watch(x)
        y = outer(x)
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]
    assert inner(tf.constant([2]), tf.constant(5.0)).numpy().tolist() == [5.0, 5.0]
    assert inner(tf.constant([3]), tf.constant(5.0)).numpy().tolist() == [5.0, 5.0, 5.0]


def test_functions_that_are_made_anew_and_look_are_not_recorded_for_ever():
    def made(x):
        return tf.function(lambda n, x: x + float(x[0]))(tf.constant(1), x)

    f = tf.function(made, autograph=False)
    assert f.get_concrete_function(tf.TensorSpec([2])).structured_outputs == tf.TensorSpec([2])
    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]


def test_what_a_library_keeps_for_a_tensor_in_a_function_is_kept_for_another_object():
    """As bijectors keep volumes: what one function has recorded means nothing to the next call."""
    x, size = tf.constant([0.5, 2.0]), tf.constant(2)
    kept = {}

    def squared(value):
        value = tf.convert_to_tensor(value)
        return kept.setdefault(id(value), (value, value * value))[1]

    @tf.function
    def slope():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = squared(x)
            y = tf.while_loop(lambda n, y: n < 2, lambda n, y: (n + 1, y * squared(x)), [0, y])[1]
        return tape.gradient(y, x)

    @tf.function
    def compared():
        inside = tf.convert_to_tensor(x)
        assert tf.get_static_value(inside).tolist() == [0.5, 2.0]
        assert tf.get_static_value(tf.convert_to_tensor(size)) == 2
        return inside is x, inside is tf.convert_to_tensor(x), squared(x) is squared(x)

    assert compared() == (False, True, True)
    for _ in range(2):
        assert slope().numpy().tolist() == [6 * 0.5**5, 6 * 2.0**5]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = squared(x)
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 4.0]
    assert tf.convert_to_tensor(x) is x


def test_a_stand_in_keeps_its_gradient_after_a_look():
    x = tf.constant([0.5, 2.0])

    @tf.function
    def looking():
        before = tf.convert_to_tensor(x)
        if float(tf.reduce_sum(before * 2.0)) > 0:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = before * before
            return tape.gradient(y, x)

    for _ in range(3):
        assert looking().numpy().tolist() == [1.0, 4.0]


def test_an_argument_that_is_made_of_constants_is_no_look():
    # ReplicaExchangeMC of tensorflow_probability gives `MatrixDiagPartV2` a cast zero, and asks
    # for `tf.gradients` afterwards, which works as long as the function is recorded.
    calls = []

    @tf.function
    def slopes(x):
        calls.append(1)
        padding = tf.cast(tf.constant(3), tf.float32)
        parts = tf.linalg.diag_part(x * x, k=(0, 1), padding_value=padding)
        return parts, tf.gradients(parts, x)[0]

    for shift in (0.0, 1.0):
        parts, slope = slopes(tf.constant([[1.0, 2.0], [3.0, 4.0]]) + shift)
        x = np.array([[1, 2], [3, 4]]) + shift
        assert np.array_equal(parts, [[3.0, x[0, 1] ** 2], [x[0, 0] ** 2, x[1, 1] ** 2]])
        assert np.array_equal(slope, [[2 * x[0, 0], 2 * x[0, 1]], [0, 2 * x[1, 1]]])
    assert len(calls) == 1


def test_sizes_that_are_computed_with_constants_are_no_look():
    # The Langevin sampler of tensorflow_probability divides sizes: they leave the host as floats.
    calls = []

    @tf.function
    def slopes(x):
        calls.append(1)
        count = tf.cast(tf.size(x) / tf.cast(tf.reduce_prod([1]), tf.int32), tf.int32)
        array = tf.TensorArray(tf.float32, count)
        _, array = tf.while_loop(
            lambda j, _: j < count, lambda j, rows: (j + 1, rows.write(j, x[j] ** 2)), [0, array]
        )
        return tf.gradients(array.stack(), x)[0]

    for x in ([1.0, 2.0], [3.0, 4.0]):
        assert slopes(tf.constant(x)).numpy().tolist() == [2 * value for value in x]
    assert len(calls) == 1


def test_an_argument_that_follows_from_another_is_looked_at():
    @tf.function
    def padded(x):
        return tf.linalg.diag_part(x, k=(0, 1), padding_value=tf.identity(x[0, 0]))

    for shift in (0.0, 1.0):
        x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32) + np.float32(shift)
        assert np.array_equal(padded(tf.constant(x)), [[x[0, 0], x[0, 1]], [x[0, 0], x[1, 1]]])
