"""Gradients made by hand in functions and bodies; recomputation; tf.gradients: what runs, and when.

What the values are is compared with TensorFlow in programs/gradients_by_hand.py.
"""

import functools

import numpy as np
import pytest
from steps import counted, nothing_open, settle, temporaries

import tapefacade as tf
from tapefacade._core.tensor_type import type_of
from tapefacade._function.control.bodies import body_of
from tapefacade._function.gradients.custom_gradient_op import is_linear

CALLS: list[str] = []


def noted(name):
    CALLS.append(name)


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


@tf.custom_gradient
def scaled(x):
    """Linear in the upstream gradient."""
    noted("forward")

    def gradient(upstream):
        noted("backward")
        return upstream * 10.0 * x

    return x * x, gradient


@tf.custom_gradient
def clipped(x):
    """Not linear in the upstream gradient."""
    noted("forward")

    def gradient(upstream):
        noted("backward")
        return tf.clip_by_value(upstream * x, -5.0, 5.0)

    return x * x, gradient


def slope(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def push(f, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = f(x)
    return accumulator.jvp(y)


both = pytest.mark.parametrize("f", [scaled, clipped])


# Custom gradients.


@both
@pytest.mark.parametrize("inside", [True, False])
def test_no_python_and_one_program_when_it_repeats(f, inside):
    made = tf.function(lambda x: slope(f, x)) if inside else tf.function(lambda x: f(x))
    step = made if inside else lambda x: slope(made, x)
    values = [tf.constant(float(k)) for k in range(1, 6)]
    found = [float(step(x)) for x in values[:3]]
    calls = list(CALLS)
    settle()
    for x in values[3:]:
        with counted() as count:
            found.append(float(step(x)))
        assert (count.compiled, count.dispatched) == (0, 1)
    assert calls == CALLS == ["forward", "backward"]
    wanted = [10.0 * k for k in range(1, 6)] if f is scaled else [1.0, 2.0, 3.0, 4.0, 5.0]
    assert found == wanted


@both
def test_a_function_recorded_without_a_tape_needs_no_python_under_one(f):
    made = tf.function(lambda x: f(x))
    assert float(made(tf.constant(3.0))) == 9.0
    calls = list(CALLS)
    assert float(slope(made, tf.constant(3.0))) == (30.0 if f is scaled else 3.0)
    assert calls == CALLS


def test_equal_gradient_functions_share_their_program():
    """A fresh lambda at every step, as eager code makes them."""

    def step(x):
        f = tf.custom_gradient(lambda x: (x * x, lambda upstream: upstream * 3.0))
        return tf.map_fn(f, x)

    x = tf.constant([1.0, 2.0])
    for _ in range(2):
        slope(step, x).numpy()
    settle()
    with counted() as count:
        assert slope(step, x).numpy().tolist() == [3.0, 3.0]
    assert (count.compiled, count.dispatched) == (0, 1)


@both
def test_second_order_in_a_loop(f):
    """Of f(f(x)): the rule at f(x) times the rule at x, as TensorFlow's."""

    def twice(x):
        return tf.foldl(lambda state, _: f(state), tf.zeros([2]), x)

    x = tf.constant(1.5)
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = slope(twice, x)
    second = outer.gradient(first, x)
    if f is scaled:  # 10 f(x) * 10 x, in which f(x) has the derivative 10 x
        assert (float(first), float(second)) == (337.5, 2475.0)
    else:  # f(x) * x, in which f(x) has the derivative x
        assert (float(first), float(second)) == (3.375, 4.5)


def test_forward_mode():
    """Where the rule is linear its transpose; where it is not, that at ones, as TensorFlow's."""
    x = tf.constant(2.0)
    assert float(push(tf.function(lambda x: scaled(x)), x)) == 20.0
    assert float(push(tf.function(lambda x: clipped(x)), x)) == 2.0
    assert float(push(lambda x: tf.foldl(lambda s, _: scaled(s), tf.zeros([2]), x), x)) == 800.0


def test_forward_mode_that_a_loop_has_not():
    """Neither of a rule that is not linear, nor over reverse mode: JAX's loops lose the rule."""
    x = tf.constant(2.0)

    def looped(f):
        return lambda x: tf.foldl(lambda s, _: f(s), tf.zeros([2]), x)

    with pytest.raises(TypeError, match="forward-mode"):
        push(looped(clipped), x).numpy()
    with pytest.raises(TypeError, match="forward-mode"):
        push(lambda x: slope(looped(scaled), x), x).numpy()
    assert float(slope(lambda x: push(looped(scaled), x), x)) == 4400.0  # 100 (x^2 + x 10 x)


@both
def test_forward_over_reverse_and_reverse_over_forward(f):
    made, x = tf.function(lambda x: f(x)), tf.constant(2.0)
    wanted = 10.0 if f is scaled else 1.0
    assert float(push(lambda x: slope(made, x), x)) == wanted
    assert float(slope(lambda x: push(made, x), x)) == wanted


@both
def test_jacobians(f):
    x = tf.constant([1.0, 2.0, 3.0])
    wide = tf.function(lambda x: tf.concat([f(x), f(x) * 2.0], 0))
    for function in (tf.function(lambda x: f(x)), wide):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        found = tape.jacobian(y, x).numpy()
        factor = 10.0 if f is scaled else 1.0
        wanted = factor * np.diag([1.0, 2.0, 3.0])
        if function is wide:
            twice = 2.0 * wanted if f is scaled else np.diag([2.0, 4.0, 5.0])
            wanted = np.concatenate([wanted, twice])
        np.testing.assert_allclose(found, wanted)


def test_complex_gradients():
    """TensorFlow's gradients of complex values are the conjugates of JAX's."""
    z = tf.constant(1.0 + 2.0j)

    @tf.custom_gradient
    def square(z):
        return z * z, lambda upstream: upstream * tf.math.conj(2.0 * z)

    made = tf.function(lambda z: square(z))
    looped = tf.function(lambda z: tf.foldl(lambda s, _: square(s), tf.zeros([1]), z))
    for f in (lambda z: z * z, square, made, looped):
        assert complex(slope(f, z).numpy()) == 2.0 - 4.0j


def test_random_numbers_in_the_gradient():
    """They are drawn anew at every call."""

    @tf.custom_gradient
    def noisy(x):
        return x * 1.0, lambda upstream: upstream * tf.random.uniform([])

    made = tf.function(lambda x: slope(noisy, x))
    found = {float(made(tf.constant(1.0))) for _ in range(4)}
    assert len(found) == 4


@pytest.mark.parametrize("inside", [True, False])
def test_a_gradient_function_that_looks_at_values_runs_as_python(inside):
    seen = []

    @tf.custom_gradient
    def f(x):
        def gradient(upstream):
            seen.append(float(upstream))
            return upstream * 2.0

        return x * x, gradient

    made = tf.function(lambda x: f(x))
    step = tf.function(lambda x: slope(made, x)) if inside else lambda x: slope(made, x)
    assert [float(step(tf.constant(3.0))) for _ in range(3)] == [2.0] * 3
    assert seen == [1.0] * 3


def test_such_a_gradient_function_in_a_loop():
    seen = []

    @tf.custom_gradient
    def f(x):
        def gradient(upstream):
            seen.append(float(upstream))
            return upstream * 2.0

        return x * x, gradient

    step = tf.function(lambda x: slope(lambda x: tf.reduce_sum(tf.map_fn(f, x)), x))
    assert step(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 2.0]
    assert seen == [1.0, 1.0]


def test_checks_in_the_gradient_function_are_not_lost():
    @tf.custom_gradient
    def f(x):
        def gradient(upstream):
            return tf.debugging.check_numerics(upstream * np.inf, "gradient")

        return x * x, gradient

    made = tf.function(lambda x: f(x))
    assert float(made(tf.constant(2.0))) == 4.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="gradient"):
        slope(made, tf.constant(2.0)).numpy()


def test_shapes_that_do_not_fit():
    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda upstream: tf.ones([3])

    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        slope(tf.function(lambda x: f(x * 1.0)), tf.constant(1.0))


def types(*shapes):
    return [type_of(shape, np.dtype("float32")) for shape in shapes]


@pytest.mark.parametrize(
    ("function", "linear"),
    [
        (lambda u, o: u * o, True),
        (lambda u, o: -u / o, True),
        (lambda u, o: tf.where(o > 0.0, u, tf.zeros_like(u)), True),
        (lambda u, o: tf.where(o > 0.0, u, 1.0), False),
        (lambda u, o: tf.reduce_sum(u) * tf.ones([2]), True),
        (lambda u, o: tf.gather(u, [1, 0]), True),
        (lambda u, o: tf.linalg.matvec(tf.stack([o, o]), u), True),
        (lambda u, o: tf.concat([u[:1], tf.zeros([1])], 0), True),
        (lambda u, o: tf.concat([u[:1], tf.ones([1])], 0), False),
        (lambda u, o: tf.pad(u, [[1, 0]])[:2], True),
        (lambda u, o: tf.pad(u, [[1, 0]], constant_values=1.0)[:2], False),
        (lambda u, o: u + o, False),
        (lambda u, o: u * u, False),
        (lambda u, o: o * 2.0, False),
        (lambda u, o: tf.abs(u), False),
        (lambda u, o: o / u, False),
        (lambda u, o: tf.clip_by_value(u, -1.0, 1.0), False),
        (lambda u, o: tf.stop_gradient(u), False),
        (lambda u, o: tf.zeros_like(u), True),
        (lambda u, o: tf.cast(tf.cast(u, tf.int32), tf.float32), False),
    ],
)
def test_linearity(function, linear):
    body = body_of(lambda given: [function(*given)], function, types((2,), (2,)))
    outer = [tensor._type for tensor in body.outer_tensors()]

    def run(first, second):
        return body.program.run([first[0], second[0]], second[1:])[0]

    assert is_linear(run, types((2,)), [*types((2,)), *outer]) is linear


def test_forward_mode_of_a_straight_through_estimator():
    """A Python zero among the operands is known to be one."""

    @tf.custom_gradient
    def sign(x):
        return tf.sign(x), lambda upstream: tf.where(tf.abs(x) <= 1.0, upstream, 0.0)

    x = tf.constant([0.5, -2.0])
    looped = tf.function(lambda x: tf.map_fn(sign, x))
    assert push(looped, x).numpy().tolist() == [1.0, 0.0]
    assert slope(looped, x).numpy().tolist() == [1.0, 0.0]


# Recomputation.


def blocks(wrap, depth=16):
    weights = [tf.Variable(0.5 + 0.01 * k) for k in range(depth)]

    def block(x, w):
        for _ in range(4):
            x = tf.tanh(x * w) + tf.sin(x)
        return x

    layers = [wrap(lambda x, w=w: block(x, w)) for w in weights]

    def step(x):
        with tf.GradientTape() as tape:
            for layer in layers:
                x = layer(x)
            loss = tf.reduce_mean(x)
        return tape.gradient(loss, weights)

    return step


@pytest.mark.parametrize("compiled", [False, True])
def test_recomputation_takes_less_memory(compiled, monkeypatch):
    x = tf.constant(np.linspace(-1.0, 1.0, 1 << 14, dtype=np.float32))
    steps = [blocks(wrap) for wrap in (lambda f: f, tf.recompute_grad)]
    if compiled:
        steps = [tf.function(step) for step in steps]
        for step in steps:
            step(x)
    (plain, want), (less, got) = (temporaries(step, x, monkeypatch) for step in steps)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-7)
    assert less < plain / 4, (less, plain)


def test_recomputation_repeats_without_compiling():
    step, x = blocks(tf.recompute_grad, 3), tf.constant([1.0, 2.0])
    for _ in range(2):
        [gradient.numpy() for gradient in step(x)]
    settle()
    with counted() as count:
        gradients = step(x)
        gradients[0].numpy()
    assert (count.compiled, count.dispatched) == (0, 1)


def test_python_runs_once():
    @tf.recompute_grad
    def f(x):
        noted("forward")
        return x * x

    assert float(slope(f, tf.constant(3.0))) == 6.0
    assert CALLS == ["forward"]
    made = tf.function(lambda x: slope(f, x))
    assert [float(made(tf.constant(float(k)))) for k in range(3)] == [0.0, 2.0, 4.0]
    assert CALLS == ["forward"] * 2


def test_derivatives_of_recomputed_functions():
    """Of any order, in both modes, alone and mixed."""
    x, v = tf.constant(2.0), tf.Variable(3.0)
    f = tf.recompute_grad(lambda x: x**3 * v)
    for g in (f, tf.function(f)):
        assert float(slope(lambda x, g=g: slope(g, x), x)) == 36.0
        assert float(push(g, x)) == 36.0
        assert float(push(lambda x, g=g: slope(g, x), x)) == 36.0
        assert float(slope(lambda x, g=g: push(g, x), x)) == 36.0
        assert float(push(lambda x, g=g: push(g, x), x)) == 36.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stack([g(x), g(2.0 * x), g(x * x)])
        np.testing.assert_allclose(tape.jacobian(y, x), [36.0, 288.0, 576.0])


def test_a_variable_as_argument_counts_wherever_it_is_read():
    """TensorFlow leaves out what the function itself reads of it."""
    v = tf.Variable(3.0)
    f = tf.recompute_grad(lambda x: x * x * v)
    with tf.GradientTape() as tape:
        y = f(v)
    assert float(tape.gradient(y, v)) == 27.0


def test_assignments_are_done_once():
    """TensorFlow assigns again for the gradient."""
    v = tf.Variable(0.0)

    @tf.recompute_grad
    def f(x):
        v.assign_add(1.0)
        return x * x * v

    x = tf.constant(3.0)
    for step in (lambda: slope(f, x), tf.function(lambda: slope(f, x))):
        v.assign(0.0)
        assert [float(step()), float(step())] == [6.0, 12.0]
        assert float(v) == 2.0


def test_random_numbers_are_the_same_for_the_gradient():
    x = tf.constant(1.0)
    f = tf.recompute_grad(lambda x: x * tf.nn.dropout(tf.ones([50]), 0.5))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(f(x))
    assert float(y) == float(tape.gradient(y, x))


def test_random_numbers_are_those_of_a_plain_call():
    def drawn(f):
        tf.random.set_seed(7)
        with tf.GradientTape():
            return float(f(tf.constant(1.0))), float(tf.random.uniform([]))

    plain = drawn(lambda x: x * tf.random.uniform([]))
    assert drawn(tf.recompute_grad(lambda x: x * tf.random.uniform([]))) == plain


def test_random_numbers_of_a_function_that_needs_python():
    """The attempt to record it draws nothing; TensorFlow, too, draws again for the gradient."""

    def f(x):
        return x * tf.random.uniform([]) if float(x) > 0.0 else x

    def drawn(f):
        tf.random.set_seed(7)
        with tf.GradientTape():
            return float(f(tf.constant(1.0))), float(tf.random.uniform([]))

    assert drawn(tf.recompute_grad(f)) == drawn(f)


def test_checks_of_recomputed_functions():
    f = tf.recompute_grad(lambda x, i: x * tf.gather(tf.constant([1.0, 2.0]), i))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(1))
    assert float(tape.gradient(y, x)) == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in"):
        slope(lambda x: f(x, tf.constant(7)), x).numpy()


def test_missing_gradients_of_recomputed_functions():
    x = tf.constant([[2.0, 1.0], [1.0, 3.0]])
    with pytest.raises(LookupError, match="MatrixLogarithm"):
        slope(tf.recompute_grad(lambda x: tf.math.real(tf.linalg.logm(tf.complex(x, x)))), x)


def test_printing_functions_print_again(capfd):
    def f(x):
        tf.print("running")
        return x * x

    assert float(slope(tf.recompute_grad(f), tf.constant(3.0))) == 6.0
    assert capfd.readouterr().err == "running\n" * 2


# Symbolic gradients.


def test_symbolic_gradients_repeat_without_python():
    made = tf.function(lambda x: tf.gradients(x * x * x, x)[0])
    assert [float(made(tf.constant(float(k)))) for k in range(2)] == [0.0, 3.0]
    settle()
    with counted() as count:
        assert float(made(tf.constant(2.0))) == 12.0
    assert (count.compiled, count.dispatched) == (0, 1)


def test_symbolic_gradients_after_a_look():
    """The function goes on as Python, and still knows what it has computed."""

    @tf.function
    def f(x):
        y = x * x
        if float(y) > 0.0:
            return tf.gradients(y, x)
        return [y]

    assert [float(f(tf.constant(x))[0]) for x in (2.0, 3.0, 2.0)] == [4.0, 6.0, 4.0]
    assert nothing_open()


def test_symbolic_gradients_after_a_look_in_a_method():
    class Model:
        @tf.function
        def slope(self, x, power=2.0):
            y = x**power
            return tf.gradients(y, x)[0] if float(y) > 0.0 else y

    model = Model()
    of_cube = tf.function(functools.partial(Model.slope.python_function, model, power=3.0))
    found = [[float(f(tf.constant(x))) for x in (2.0, 3.0, 2.0)] for f in (model.slope, of_cube)]
    assert found == [[4.0, 6.0, 4.0], [12.0, 27.0, 12.0]]


def test_a_function_with_symbolic_gradients_that_calls_python():
    """What is made outside of it there is none of its own."""

    def scaled(x):
        with tf.init_scope():
            scale = tf.Variable(3.0)
        return scale * x

    @tf.function
    def f(x):
        y = tf.py_function(scaled, [x], tf.float32)
        return tf.gradients(y * x, x)[0]

    assert [float(f(tf.constant(x))) for x in (2.0, 3.0, 2.0)] == [12.0, 18.0, 12.0]


def test_symbolic_gradients_that_leave_a_body():
    """What a branch has computed depends on x also by what was computed before it."""

    @tf.function
    def f(x):
        y = x * x
        return tf.cond(x > 0.0, lambda: tf.gradients(y * x, x)[0], lambda: x)

    assert [float(f(tf.constant(x))) for x in (2.0, -1.0, 2.0)] == [12.0, -1.0, 12.0]


def test_symbolic_gradients_that_a_function_does_not_name():
    class Slope:
        def of(self, y, x):
            return tf.gradients(y, x)

    slope, variable, calls = Slope(), tf.Variable(0.0), []

    def f(x, least):
        calls.append(1)
        variable.assign_add(1.0)
        y = x * x * variable
        return slope.of(y, x) if float(y) > least else [y]

    found = tf.function(f)(tf.constant(2.0), 0.0)  # its Python runs once more, as if for the first
    assert [float(found[0]), float(variable), len(calls)] == [4.0, 1.0, 2]

    @tf.function
    def around(x):
        return tf.function(f)(x, 0.0)[0] * 2.0

    assert [float(around(tf.constant(2.0))), float(variable)] == [16.0, 2.0]

    late = tf.function(f, autograph=False)
    assert float(late(tf.constant(1.0), 5.0)[0]) == 3.0
    with pytest.raises(RuntimeError, match=r"Use tf\.GradientTape instead") as caught:
        late(tf.constant(2.0), 5.0)
    assert "has to stand in it" in caught.value.__notes__[0]


def test_hessians_of_variables():
    v = tf.Variable([1.0, 2.0])
    made = tf.function(lambda: tf.hessians(tf.reduce_sum(v**3), v))
    assert made()[0].numpy().tolist() == [[6.0, 0.0], [0.0, 12.0]]
