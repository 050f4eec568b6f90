"""Branches and loops as programs: exact counts, derivatives of the unrolled loop, properties."""

import contextlib
import gc
import itertools
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapefacade as tf
from tapefacade._trace.execution import STATISTICS


@pytest.fixture
def collected_by_hand():
    """Python's garbage collector does nothing meanwhile."""
    gc.disable()
    yield
    gc.enable()


def counted(call):
    """What a call gives, and how many programs it has compiled and run."""
    compiled, dispatched = STATISTICS.compiled, STATISTICS.dispatched
    result = call()
    return result, STATISTICS.compiled - compiled, STATISTICS.dispatched - dispatched


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def powers(x, n):
    """`x ** (n + 1)`; every call makes its functions anew."""
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), (0, x))[1]


def until(x, limit=50.0):
    """The first power of `x` that is not below the limit."""
    return tf.while_loop(lambda y: y < limit, lambda y: (y * x,), (x,))[0]


def unrolled(x, limit=50.0):
    y = x
    while y < limit:
        y = y * x
    return y


# Counts.


def test_a_long_loop_is_one_program():
    def run():
        start = (tf.constant(0), tf.constant(1.0))
        return tf.while_loop(lambda i, x: i < 10_000, lambda i, x: (i + 1, x * 1.0001), start)[
            1
        ].numpy()

    value, compiled, dispatched = counted(run)
    assert (compiled, dispatched) == (1, 1)
    assert value == pytest.approx(1.0001**10_000, rel=1e-3)  # 10,000 roundings of float32
    assert counted(run)[1:] == (0, 1)


def test_the_number_of_iterations_is_no_part_of_the_program():
    for n in (3, 5, 900):
        _, compiled, _ = counted(lambda n=n: powers(tf.constant(1.01), n).numpy())
    assert compiled == 0


def test_a_step_with_a_loop_is_one_program():
    weights = tf.Variable([[0.5, -0.5], [0.25, 1.0]])

    def step():
        with tf.GradientTape() as tape:
            state = tf.while_loop(
                lambda i, s: i < 7, lambda i, s: (i + 1, tf.tanh(s @ weights)), (0, tf.ones([2, 2]))
            )[1]
            loss = tf.reduce_sum(state)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss.numpy()

    first, compiled, dispatched = counted(step)
    assert (compiled, dispatched) == (1, 1)
    second, compiled, dispatched = counted(step)
    assert (compiled, dispatched) == (0, 1)
    assert second < first


def test_lengths_that_vary_compile_no_more_than_their_powers_of_two():
    x = tf.constant(1.001)
    for n in (3, 5, 6, 7):  # the first few are exact
        gradient(lambda x, n=n: powers(x, n), x).numpy()
    found = [counted(lambda n=n: gradient(lambda x: powers(x, n), x).numpy()) for n in range(9, 60)]
    assert sum(compiled for _, compiled, _ in found) <= 3
    for n, (value, _, _) in zip(range(9, 60), found, strict=True):
        assert value == pytest.approx((n + 1) * 1.001**n, rel=1e-5)


def test_asking_for_a_missing_attribute_keeps_no_tensor(collected_by_hand):
    x = tf.constant(1.0)
    gone = weakref.ref(x)
    with contextlib.suppress(AttributeError):
        x.missing  # noqa: B018 - loops ask so what is a tensor, and run as Python if one is kept
    del x
    assert gone() is None


def test_a_loop_of_unknown_length_runs_once_more_under_a_tape():
    x = tf.constant(1.5)

    def step():
        return gradient(until, x).numpy()

    step()
    assert counted(step)[1:] == (0, 2)


def test_a_function_with_branches_and_loops_is_one_program():
    @tf.function
    def f(x, n):
        def body(i, y):
            return i + 1, tf.cond(y > 3.0, lambda: y * 0.5, lambda: y * x)

        return tf.while_loop(lambda i, y: i < n, body, (0, x))[1]

    x = tf.constant(1.5)
    f(x, tf.constant(3)).numpy()
    for n in (0, 1, 5, 40):
        value, compiled, dispatched = counted(lambda n=n: f(x, tf.constant(n)).numpy())
        assert (compiled, dispatched) == (0, 1)
        wanted = 1.5
        for _ in range(n):
            wanted = wanted * 0.5 if wanted > 3.0 else wanted * 1.5
        assert value == pytest.approx(wanted)


def test_both_branches_are_one_program_and_fresh_functions_compile_nothing():
    def make():
        return tf.function(lambda x: tf.cond(x > 0, lambda: x * 2.0, lambda: x - 1.0))

    def run(v):
        return make()(tf.constant(v)).numpy()

    assert counted(lambda: run(3.0)) == (6.0, 1, 1)
    assert counted(lambda: run(-3.0)) == (-4.0, 0, 1)


def test_eager_branches_run_the_chosen_function_only():
    called = []
    tf.cond(tf.constant(True), lambda: called.append(1), lambda: called.append(2))
    assert called == [1]


# Derivatives.


@pytest.mark.parametrize("v", [1.5, 2.0, 7.0, 60.0])
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_gradients_of_loops_of_unknown_length(v, wrap):
    x, f = tf.constant(v, tf.float64), wrap(until)
    np.testing.assert_allclose(f(x), unrolled(x))
    np.testing.assert_allclose(gradient(f, x), gradient(unrolled, x))
    inside = wrap(lambda x: gradient(until, x))
    np.testing.assert_allclose(inside(x), gradient(unrolled, x))
    second = gradient(lambda x: gradient(f, x), x)
    wanted = gradient(lambda x: gradient(unrolled, x), x)
    if wanted is None:
        assert second is None or not second.numpy()
    else:
        np.testing.assert_allclose(second, wanted)


def test_jacobians_of_loops_and_branches():
    x = tf.constant([1.5, 2.0, 3.0])

    def vectors(x):
        return tf.while_loop(lambda y: tf.reduce_sum(y) < 50.0, lambda y: (y * x,), (x,))[0]

    @tf.function
    def chosen(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x**3, lambda: x)

    for f, wanted in ((vectors, 4.0 * x**3), (chosen, 3.0 * x**2)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        if f is vectors:
            wanted = tf.constant([13.5, 32.0, 108.0])
        np.testing.assert_allclose(tape.jacobian(y, x), tf.linalg.diag(wanted), rtol=1e-6)


def test_forward_derivatives_need_no_number_of_iterations():
    @tf.function
    def tangent(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = until(x)
        return accumulator.jvp(y)

    x = tf.constant(1.5)
    np.testing.assert_allclose(tangent(x), gradient(unrolled, x), rtol=1e-6)
    assert counted(lambda: tangent(tf.constant(1.25)).numpy())[1:] == (0, 1)


def test_a_function_recorded_without_a_tape_serves_a_later_one():
    f = tf.function(until)
    x = tf.constant(1.5)
    f(x)
    np.testing.assert_allclose(gradient(f, x), gradient(unrolled, x), rtol=1e-6)


def test_a_bound_lets_a_function_with_a_tape_be_one_program():
    @tf.function
    def f(x):
        def bounded(x):
            return tf.while_loop(
                lambda y: y < 50.0, lambda y: (y * x,), (x,), maximum_iterations=20
            )[0]

        return gradient(bounded, x)

    x = tf.constant(1.5)
    np.testing.assert_allclose(f(x), gradient(unrolled, x), rtol=1e-6)
    assert counted(lambda: f(tf.constant(2.0)).numpy())[1:] == (0, 1)


def test_jax_transforms_loops_and_branches():
    def f(x):
        x = tf.convert_to_tensor(x)
        y = tf.function(lambda x: tf.cond(x > 0, lambda: until(x), lambda: x))(x)
        return (y + until(x)).__jax_array__()

    x = jnp.float32(1.5)
    wanted = 2 * gradient(unrolled, tf.constant(1.5)).numpy()
    assert jax.jit(f)(x) == pytest.approx(2 * unrolled(tf.constant(1.5)).numpy())
    assert jax.jvp(f, (x,), (jnp.ones_like(x),))[1] == pytest.approx(wanted)
    powered = jax.grad(lambda x: powers(tf.convert_to_tensor(x), 4).__jax_array__())
    assert powered(x) == pytest.approx(5 * 1.5**4)


# What Python does in bodies.


def test_python_that_keeps_tensors_has_them_all():
    seen = []

    def body(i, x):
        seen.append(x)
        return i + 1, x * 2.0

    tf.while_loop(lambda i, x: i < 5, body, (tf.constant(0), tf.constant(1.0)))
    assert [x.numpy() for x in seen] == [1.0, 2.0, 4.0, 8.0, 16.0]


def test_python_that_counts_is_run_for_every_iteration():
    steps = itertools.count(1)

    def body(i, x):
        return i + 1, x + next(steps)

    assert tf.while_loop(lambda i, x: i < 5, body, (0, tf.constant(0)))[1].numpy() == 15


def test_an_error_in_an_iteration_leaves_variables_alone():
    v = tf.Variable(1.0)

    def body(i):
        v.assign_add(1.0)
        tf.gather([1.0, 2.0], i)
        return (i + 1,)

    last = tf.while_loop(lambda i: i < 5, body, (tf.constant(0),))
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices = 2 is not in"):
        last[0].numpy()
    assert v.numpy() == 1.0


def test_an_endless_loop_ends_at_an_error():
    def body(i):
        tf.debugging.assert_less(i, 7)
        return (i + 1,)

    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.while_loop(lambda i: i > -1, body, (tf.constant(0),))


def growing(write, condition=lambda i, *_: i < 5, maximum=None):
    """A function whose loop writes into an array that begins empty; how often its Python ran."""
    runs = []

    @tf.function
    def run(x):
        runs.append(1)
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        state = tf.while_loop(
            condition,
            lambda i, x, array: (i + 1, 2.0 * x, write(i, x, array)),
            (0, x, array),
            maximum_iterations=maximum,
        )
        return state[2].stack()

    return run, runs


@pytest.mark.parametrize(
    "function",
    [
        growing(lambda i, x, array: array.write(i, x)),
        growing(lambda i, x, array: array.write(i, x), lambda *_: True, 5),
        growing(lambda i, x, array: array.write(i, x), lambda *_: True, tf.constant(5)),
    ],
    ids=["counted", "bounded", "bounded by a tensor"],
)
def test_arrays_that_get_an_element_in_each_iteration_are_part_of_the_program(function):
    run, runs = function
    for start in (1.0, 2.0, 3.0):
        assert run(tf.constant(start)).numpy().tolist() == [start * 2.0**i for i in range(5)]
    assert len(runs) == 1


def test_arrays_that_grow_in_other_ways_are_left_to_python():
    run, runs = growing(lambda i, x, array: array.write(2 * i, x))
    for start in (1.0, 2.0, 3.0):
        assert run(tf.constant(start)).numpy()[::2].tolist() == [start * 2.0**i for i in range(5)]
    assert len(runs) == 3


def test_random_numbers_are_those_of_a_python_loop():
    def step(s):
        return s * 0.5 + tf.random.uniform([2]) + tf.random.normal([], seed=5)

    tf.random.set_seed(3)
    wanted = tf.zeros([2])
    for _ in range(6):
        wanted = step(wanted)
    after = tf.random.uniform([]).numpy()
    tf.random.set_seed(3)
    found = tf.while_loop(lambda i, s: i < 6, lambda i, s: (i + 1, step(s)), (0, tf.zeros([2])))[1]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert tf.random.uniform([]).numpy() == after


def test_random_numbers_of_loops_in_functions_differ_in_every_iteration_and_call():
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, size=8)
        return tf.while_loop(
            lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, tf.random.normal([]))), (0, array)
        )[1].stack()

    numbers = np.concatenate([f(tf.constant(8)).numpy(), f(tf.constant(8)).numpy()])
    assert len(set(numbers.tolist())) == 16
    assert 0.2 < numbers.std() < 3


def test_arrays_in_loops_are_one_program():
    def run():
        array = tf.TensorArray(tf.float32, size=50)
        return tf.while_loop(
            lambda i, a: i < 50, lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32) ** 2)),
            (tf.constant(0), array),
        )[1].stack().numpy()  # fmt: skip

    found, _, dispatched = counted(run)
    np.testing.assert_array_equal(found, np.arange(50.0) ** 2)
    assert dispatched == 1
    assert counted(run)[1:] == (0, 1)


def test_an_array_that_a_loop_has_filled_is_used_further():
    array = tf.TensorArray(tf.float32, size=3, clear_after_read=False)
    _, filled = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, 1.0)), (0, array))
    assert filled is array
    filled = filled.write(1, 5.0)
    assert filled.read(0).numpy() == 1.0
    assert filled.stack().numpy().tolist() == [1.0, 5.0, 1.0]
    filled.unstack([4.0, 5.0, 6.0])
    assert filled.gather([2, 0]).numpy().tolist() == [6.0, 4.0]


# Properties: a loop is what Python computes.


@pytest.mark.parametrize("seed", range(8))
def test_random_loops_are_those_of_python(seed):
    rng = np.random.default_rng(seed)
    n, start, delta = int(rng.integers(0, 9)), int(rng.integers(-3, 3)), int(rng.integers(1, 4))
    m = rng.normal(size=(3, 3)) * 0.5
    limit = None if seed % 2 else int(rng.integers(0, 6))
    compare = [tf.less, tf.less_equal, lambda i, n: tf.greater(n, i)][seed % 3]

    def cond(i, x, y):
        return compare(i, n)

    def body(i, x, y):
        new = tf.tanh(tf.linalg.matvec(tf.constant(m), x) + y[0])
        return i + delta, new, (tf.cond(new[0] > 0.1, lambda: y[0] * 0.5, lambda: y[0] + new[1]),)

    x = tf.constant(rng.normal(size=3))
    y = tf.constant(rng.normal(), tf.float64)

    def structured(x, y):
        start_values = (tf.constant(start), x, (y,))
        found = tf.while_loop(cond, body, start_values, maximum_iterations=limit)
        return found[0], tf.reduce_sum(found[1] ** 2) + found[2][0]

    def plain(x, y):
        i, x, y = tf.constant(start), x, (y,)
        steps = 0
        while bool(cond(i, x, y)) and (limit is None or steps < limit):
            i, x, y = body(i, x, y)
            steps += 1
        return i, tf.reduce_sum(x**2) + y[0]

    found = []
    for f in (plain, structured, tf.function(structured)):
        with tf.GradientTape() as outer:
            outer.watch([x, y])
            with tf.GradientTape() as inner:
                inner.watch([x, y])
                count, z = f(x, y)
            slopes = inner.gradient(z, [x, y], unconnected_gradients="zero")
            total = sum(tf.reduce_sum(slope * slope) for slope in slopes)
        second = outer.gradient(total, [x, y], unconnected_gradients="zero")
        found.append([count, z, *slopes, *second])
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_allclose(two, one, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("k", range(-1, 5))
def test_switches_are_lists_of_functions(k):
    branches = [lambda x: x * x, tf.sin, lambda x: x + 1.0, tf.exp]
    f = tf.function(lambda x, k: tf.switch_case(k, [lambda b=b: b(x) for b in branches]))
    x = tf.constant(0.7)
    wanted = branches[k if 0 <= k < 4 else -1]
    np.testing.assert_allclose(f(x, tf.constant(k)), wanted(x), rtol=1e-6)
    slope = gradient(lambda x: f(x, tf.constant(k)), x)
    np.testing.assert_allclose(slope, gradient(wanted, x), rtol=1e-6)
