"""Forward mode, Jacobians in chunks, second derivatives: against JAX, NumPy and closed forms."""

import math

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st
from steps import close_everything, counted, nothing_open, settle

import tapefacade as tf
from tapefacade._core import interned_objects
from tapefacade._function.control import checkpointed_loop
from tapefacade._tape import custom_gradient_boundary
from tapefacade._tape.derivatives import jacobian as basis
from tapefacade._trace.execution import EXECUTABLES
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import TREE, Node

F = np.float64


@pytest.fixture(autouse=True)
def nothing_left():
    settle()
    yield
    still_open = not nothing_open()
    close_everything()
    assert not still_open


def draw(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def close(got, want, rtol=1e-9):
    np.testing.assert_allclose(np.asarray(got), want, rtol=rtol, atol=1e-10)


# A step with an accumulator is one program.


class Step:
    """A step of a network: the loss falls along its gradient, and is differentiated forwards."""

    def __init__(self):
        self.w = [tf.Variable(0.3 * draw(4, 4, seed=k)) for k in range(3)]
        self.x, self.v = draw(5, 4), draw(5, 4, seed=9)
        self.vectors = [tf.constant(draw(4, 4, seed=k)) for k in range(3, 6)]

    def value(self, x):
        for w in self.w:
            x = tf.tanh(x @ w)
        return x

    def forward(self, k):
        x = tf.constant(self.x * (k + 1))
        with tf.autodiff.ForwardAccumulator(x, tf.constant(self.v)) as accumulator:
            y = self.value(x)
        return accumulator.jvp(y).numpy()

    def curvature(self, k):
        with tf.autodiff.ForwardAccumulator(self.w, self.vectors) as accumulator:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.value(self.x) ** 2)
            gradients = tape.gradient(loss, self.w)
        for w, p in zip(self.w, accumulator.jvp(gradients), strict=True):
            w.assign_sub(0.001 * p)
        return loss.numpy()

    def physics(self, k):
        with tf.GradientTape() as tape:
            x = tf.constant(self.x)
            with tf.autodiff.ForwardAccumulator(x, tf.constant(self.v)) as outer:
                with tf.autodiff.ForwardAccumulator(x, tf.constant(self.v)) as inner:
                    y = self.value(x)
                first = inner.jvp(y)
            loss = tf.reduce_mean((outer.jvp(first) - y) ** 2)
        for w, g in zip(self.w, tape.gradient(loss, self.w), strict=True):
            w.assign_sub(0.01 * g)
        return loss.numpy()

    def laplacian(self, k):
        with tf.GradientTape() as tape:
            residual = tf.autodiff.laplacian(self.value, tf.constant(self.x))
            loss = tf.reduce_mean(residual**2)
        for w, g in zip(self.w, tape.gradient(loss, self.w), strict=True):
            w.assign_sub(0.01 * g)
        return loss.numpy()

    def hvp(self, k):
        found = tf.autodiff.hvp(
            lambda: tf.reduce_sum(self.value(self.x) ** 2), self.w, self.vectors
        )
        for w, p in zip(self.w, found, strict=True):
            w.assign_sub(0.001 * p)
        return self.w[0].numpy()

    def hessian(self, k):
        w = self.w[0]
        h = tf.autodiff.hessian(lambda w: tf.reduce_sum(tf.tanh(self.x @ w)), w)
        w.assign_sub(0.001 * tf.reduce_sum(h, [0, 1]))
        return w.numpy()


@pytest.mark.parametrize("name", ["forward", "curvature", "physics", "laplacian", "hvp", "hessian"])
def test_step_is_one_program(name):
    step = getattr(Step(), name)
    for k in range(3):
        step(k)
    with counted() as count:
        for k in range(3, 8):
            assert np.isfinite(step(k)).all()
    assert (count.compiled, count.dispatched, count.recorded) == (0, 5, 0)


def test_forward_values_are_computed_once():
    """The accumulator's program computes the values on its way: a tanh for each layer, not two."""
    step = Step()
    step.forward(0)
    executable = max(EXECUTABLES._found.values(), key=lambda found: found.used)
    assert any(s.operation.name == "GradientTape.gradient" for s in executable.part.steps)
    with jax.enable_x64(True):
        arrays = [jnp.zeros(t.shape, t.numpy_dtype) for t in executable.part.inputs]
        text = jax.jit(executable._run).lower(*arrays).as_text()
    assert text.count("tanh") == 3


# The accumulator against JAX.


def polynomial(np_like, x, y):
    return np_like.sin(x) * y + x * x * y * y


def test_jvp_is_that_of_jax():
    x, y, u, v = draw(3), draw(3, seed=1), draw(3, seed=2), draw(3, seed=3)
    a, b = tf.constant(x), tf.Variable(y)
    with tf.autodiff.ForwardAccumulator([a, b], [tf.constant(u), tf.constant(v)]) as accumulator:
        z = polynomial(tf, a, b)
    with jax.enable_x64(True):
        want = jax.jvp(lambda x, y: polynomial(jnp, x, y), (x, y), (u, v))[1]
    close(accumulator.jvp(z), want)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("reverse", [0, 1, 2])
def test_high_orders_in_any_mixture(order, reverse):
    """Derivatives of sin, some of them by tapes and the others by accumulators."""
    x = tf.constant(0.7, tf.float64)

    def derivative(n):
        if n == 0:
            return tf.sin(x)
        if n <= reverse:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = derivative(n - 1)
            return tape.gradient(y, x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0, tf.float64)) as accumulator:
            y = derivative(n - 1)
        return accumulator.jvp(y)

    close(derivative(order), math.sin(0.7 + order * math.pi / 2))


def test_asked_after_the_value_was_looked_at():
    x = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 10.0])) as accumulator:
        y = x * x
    z = y.numpy()
    assert z.tolist() == [1.0, 4.0]
    assert accumulator.jvp(y).numpy().tolist() == [2.0, 40.0]
    assert accumulator.jvp(y * 2.0) is None


def test_values_looked_at_in_the_block():
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = x * x
        if y > 4.0:
            y = y * x
        first = accumulator.jvp(y)
        assert float(first) == 27.0
        z = y * y
    assert float(accumulator.jvp(z)) == 6 * 3.0**5


def test_too_late_for_a_tape_around_it():
    """TensorFlow knows the answer: it has computed all tangents in the block."""
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            y = x * x * x
    y.numpy()
    late = accumulator.jvp(y)
    assert float(late) == 27.0
    with pytest.raises(RuntimeError, match="looked at"):
        tape.gradient(late, x)
    assert float(tape.gradient(y, x)) == 27.0


def test_a_long_loop_starts_from_what_is_known():
    """Each tangent is computed from the one before: work grows with the length, not its square."""
    x = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y, found = x, []
        for _ in range(30):
            y = y * x
            found.append(accumulator.jvp(y))
    assert [float(f) for f in found] == [k + 2.0 for k in range(30)]
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        a = x * x
        accumulator.jvp(a)
        tangent = accumulator.jvp(a * x)
    recording = tangent._recording
    node = recording.at
    while node.operation is None or node.operation.name != "GradientTape.gradient":
        node = node.parent
    assert len(node.operation.part.steps) == 1


def test_a_function_that_is_replayed_within_a_tape():
    """Where a forward derivative belongs is carried along when a function is recorded again."""

    @tf.function
    def slope(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = x * x * x
        return accumulator.jvp(y)

    for value in (1.0, 2.0, 3.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            unused = x * 2.0
            y = slope(x) + unused
        close(tape.gradient(y, x), 6 * value + 2.0, 1e-6)


def test_an_op_without_a_gradient():
    """TensorFlow raises in the op's own call."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.5]])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        lu, _ = tf.linalg.lu(x)
        other = x * 2.0
    with pytest.raises(LookupError, match="no entry for: Lu"):
        accumulator.jvp(lu)
    assert accumulator.jvp(other) is not None


@pytest.mark.parametrize("looked", [True, False])
def test_an_op_whose_gradient_is_registered(looked, monkeypatch):
    """Its tangent is that of the transposed gradient function."""
    monkeypatch.setattr(custom_gradient_boundary, "_REGISTERED", {})
    tf.RegisterGradient("Lu")(lambda op, upstream, _: upstream * op.inputs[0])
    x, v = tf.constant([[4.0, 2.0], [1.0, 3.0]]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        lu, _ = tf.linalg.lu(x)
        y = 3.0 * lu
    if looked:
        y.numpy()
    close(accumulator.jvp(y), 3 * x.numpy() * v.numpy(), 1e-6)
    close(accumulator.jvp(lu), x.numpy() * v.numpy(), 1e-6)


def test_shapes_of_tangents():
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant(3.0)) as accumulator:
        y = tf.reduce_sum(x * x)
    assert float(accumulator.jvp(y)) == 18.0
    with pytest.raises(ValueError, match=r"tangent has shape \(3,\), its primal has shape \(2,\)"):
        tf.autodiff.ForwardAccumulator(x, tf.ones(3))
    with pytest.raises(ValueError, match="RaggedTensor cannot be a primal"):
        tf.autodiff.ForwardAccumulator(tf.ragged.constant([[1.0]]), tf.ragged.constant([[1.0]]))


def test_a_gradient_of_rows_is_a_tensor():
    table, v = tf.Variable(draw(4, 2)), draw(4, 2, seed=1)
    with tf.autodiff.ForwardAccumulator(table, tf.constant(v)) as accumulator:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, [2, 0, 2]) ** 3)
        gradient = tf.convert_to_tensor(tape.gradient(loss, table))
    want = 6 * table.numpy() * v * np.array([[1], [0], [2], [0]])
    close(accumulator.jvp(gradient), want)


def test_an_interrupted_block_is_closed():
    x = tf.constant(1.0)
    accumulator = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    found = []

    def interrupted():
        with accumulator:
            found.append(x * x)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    (y,) = found
    assert float(accumulator.jvp(y)) == 2.0


STEPS = {
    "sin": tf.sin,
    "square": tf.square,
    "exp": lambda x: tf.exp(-(x**2)),
    "reverse": lambda x: tf.reverse(x, [0]),
    "scale": lambda x: x * tf.reduce_sum(x),
    "softmax": tf.nn.softmax,
    "matmul": lambda x: tf.linalg.matvec(tf.reshape(tf.range(9.0, dtype=x.dtype), [3, 3]) / 9, x),
    "where": lambda x: tf.where(x > 0, x, 0.5 * x),
    "cumsum": tf.cumsum,
    "sort": tf.sort,
    "norm": lambda x: x / tf.norm(x),
}


@hypothesis.settings(max_examples=40, derandomize=True, deadline=None, database=None)
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=5), st.integers(0, 99))
def test_forward_is_reverse(names, seed):
    """<u, J v> is the same both ways; so is <v, H v>."""
    x, v, u = (tf.constant(draw(3, seed=seed + k)) for k in range(3))

    def value():
        y = x
        for name in names:
            y = STEPS[name](y)
        return y

    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = value()
        gradient = tape.gradient(y, x, u)
    close(tf.reduce_sum(u * accumulator.jvp(y)), float(tf.reduce_sum(gradient * v)), 1e-7)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = value()
        slope = tf.reduce_sum(tape.gradient(y, x, u) * v)
    reverse = outer.gradient(slope, x, unconnected_gradients="zero")
    forward = accumulator.jvp(gradient, unconnected_gradients="zero")
    np.testing.assert_allclose(forward, reverse, rtol=1e-6, atol=1e-8)


# Jacobians in chunks.


def network(x):
    w = tf.constant(draw(5, 5))
    return tf.tanh(x @ w) * tf.reduce_sum(x, 1, keepdims=True)


@pytest.mark.parametrize("kind", ["rows", "columns", "batch"])
@pytest.mark.parametrize("chunk", [2, 3, 7, 100])
@pytest.mark.parametrize("vectorized", [True, False])
def test_chunks_give_the_same(kind, chunk, vectorized):
    x = tf.constant(draw(4, 5))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = network(x)
        y = tf.tile(y, [1, 2]) if kind == "columns" else y
    method = tape.batch_jacobian if kind == "batch" else tape.jacobian
    got = method(y, x, parallel_iterations=chunk, experimental_use_pfor=vectorized)
    close(got, method(y, x).numpy(), 1e-12)


@pytest.mark.parametrize("tall", [True, False])
def test_memory_is_bounded(tall, monkeypatch):
    """With less memory allowed, the compiled program takes less beside its result."""
    x, first = draw(64), draw(64, 2048)
    second = draw(2048, 96 if tall else 48)

    def temporaries(limit):
        monkeypatch.setattr(basis, "MAX_BYTES", limit)
        # Nothing of what was recorded with another limit.
        monkeypatch.setattr(interned_objects, "TABLES", {})
        monkeypatch.setattr(TREE, "root", Node(None))
        monkeypatch.setattr(TREE, "_roots", {})
        THREAD.recording.close()

        def jacobian(x, first, second):
            x, first, second = tf.constant(x), tf.constant(first), tf.constant(second)
            with tf.GradientTape() as tape:
                tape.watch(x)
                wide = tf.tanh(tf.linalg.matvec(first, x, transpose_a=True))
                y = tf.linalg.matvec(second, wide, transpose_a=True)
            return tape.jacobian(y, x)._device_array()

        with jax.enable_x64(True):
            compiled = jax.jit(jacobian).lower(x, first, second).compile()
            return compiled.memory_analysis().temp_size_in_bytes, compiled(x, first, second)

    full, want = temporaries(1 << 40)
    bounded, got = temporaries(1 << 18)
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    assert bounded < full / 3, (bounded, full)


def test_jacobian_of_a_chunked_jacobian():
    x = tf.constant(draw(3))
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.sin(x) * tf.reduce_prod(x)
        first = inner.jacobian(y, x, parallel_iterations=2)
        total = tf.reduce_sum(first**2)
    with jax.enable_x64(True):
        function = lambda x: jnp.sin(x) * jnp.prod(x)  # noqa: E731
        jacobian = jax.jacfwd(function)
        close(outer.jacobian(first, x, parallel_iterations=2), jax.jacfwd(jacobian)(x.numpy()))
        close(outer.gradient(total, x), jax.grad(lambda x: jnp.sum(jacobian(x) ** 2))(x.numpy()))


def test_jacobian_of_nothing():
    x = tf.constant(draw(3, 2))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.sin(x)[:0]
    assert tape.jacobian(y, x).shape == (0, 2, 3, 2)
    with tf.GradientTape() as tape:
        empty = x[:0]
        tape.watch(empty)
        y = tf.sin(empty)
    assert tape.batch_jacobian(y, empty).shape == (0, 2, 2)


# Second derivatives.


def energy(np_like, x, y):
    return np_like.exp(-x[0] * y) * np_like.cos(x[1]) + x[0] ** 3 * x[1] + y**4


@pytest.mark.parametrize("taped", [True, False])
@pytest.mark.parametrize("looked", [True, False])
def test_hvp_and_hessian_are_those_of_jax(taped, looked):
    a, b = draw(2), float(draw(1)[0])
    x, y = tf.Variable(a), tf.constant(b, tf.float64)
    u, v = draw(2, seed=5), 0.5
    with jax.enable_x64(True):
        function = lambda x, y: energy(jnp, x, y)  # noqa: E731
        want = jax.hessian(function, (0, 1))(a, b)
        product = jax.jvp(jax.grad(function, (0, 1)), (a, b), (u, v))[1]
    tape, target = None, lambda x, y: energy(tf, x, y)
    if taped:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            target = energy(tf, x, y)
        if looked:
            target.numpy()
    got = tf.autodiff.hessian(target, [x, y], tape)
    for i in range(2):
        for j in range(2):
            close(got[i][j], want[i][j])
    for g, w in zip(tf.autodiff.hvp(target, (x, y), (u, v), tape), product, strict=True):
        close(g, w)


def test_nests_of_sources():
    x, y = tf.constant(draw(2)), tf.constant(draw(3))
    sources = {"b": (x,), "a": y}
    function = lambda s: tf.reduce_sum(s["a"] ** 3) * tf.reduce_sum(s["b"][0])  # noqa: E731
    got = tf.autodiff.hessian(function, sources)
    close(got["a"]["a"], np.diag(6 * y.numpy()) * x.numpy().sum())
    close(got["a"]["b"][0], np.outer(3 * y.numpy() ** 2, np.ones(2)))
    close(got["b"][0]["a"], got["a"]["b"][0].numpy().T)
    assert not got["b"][0]["b"][0].numpy().any()
    product = tf.autodiff.hvp(function, sources, {"a": [1.0, 0.0, 0.0], "b": ([1.0, 1.0],)})
    assert list(product) == list(sources)
    close(product["b"][0], np.ones(2) * 3 * y.numpy()[0] ** 2)


def test_zeros_where_nothing_depends():
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    function = lambda x, y: tf.reduce_sum(3.0 * x)  # noqa: E731
    blocks = tf.autodiff.hessian(function, [x, y])
    assert [[tuple(b.shape) for b in row] for row in blocks] == [[(2, 2), (2,)], [(2,), ()]]
    assert not any(b.numpy().any() for row in blocks for b in row)
    assert tf.autodiff.hvp(function, [x, y], [[1.0, 1.0], 1.0])[1].numpy() == 0.0
    assert tf.autodiff.laplacian(lambda x: tf.constant([1.0]), x).numpy().tolist() == [0.0]


def test_a_variable_that_is_read_twice():
    v = tf.Variable([1.0, 2.0], dtype=tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        first = v * v
        v.assign([3.0, 4.0])
        y = tf.reduce_sum(first * v)
    want = np.diag([2 * 3 + 4.0 * 1, 2 * 4 + 4.0 * 2])
    close(tf.autodiff.hessian(y, v, tape), want)
    close(tf.autodiff.hvp(y, v, [1.0, 0.0], tape), want[0])


def test_an_intermediate_as_a_source():
    x = tf.constant(draw(3))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        middle = tf.sin(x)
        y = tf.reduce_sum(middle**3)
    close(tf.autodiff.hessian(y, middle, tape), np.diag(6 * np.sin(x.numpy())))
    m = x.numpy()
    want = 6 * np.sin(m) * np.cos(m) ** 2 - 3 * np.sin(m) ** 3
    close(tf.autodiff.hvp(y, x, tf.ones(3, tf.float64), tape), want)
    close(tf.autodiff.laplacian(y, x, tape), want.sum())


@pytest.mark.parametrize("batch", [(), (7,), (2, 3)])
@pytest.mark.parametrize("value", [(), (1,), (2,)])
def test_laplacian_is_the_trace_of_each_hessian(batch, value):
    points = draw(*batch, 3)
    w = draw(3, *value)
    function = lambda x: tf.sin(tf.tensordot(x, tf.constant(w), 1)) ** 2  # noqa: E731
    got = tf.autodiff.laplacian(function, tf.constant(points))
    s = np.tensordot(points, w, 1)
    close(got, 2 * np.cos(2 * s) * (w**2).sum(0))
    assert tuple(got.shape) == (*batch, *value)


def test_second_derivatives_are_differentiable():
    w = tf.Variable(draw(2, 3))
    x, v = draw(4, 2), draw(4, 2, seed=1)

    def value(np_like, x, w):
        return np_like.tanh(x @ w) ** 2

    with tf.GradientTape(persistent=True) as tape:
        x_ = tf.constant(x)
        lap = tf.reduce_sum(tf.autodiff.laplacian(lambda x: value(tf, x, w), x_) ** 2)
        product = tf.autodiff.hvp(lambda x: value(tf, x, w), x_, v)
        product = tf.reduce_sum(product**2)
        hess = tf.reduce_sum(tf.autodiff.hessian(lambda x: value(tf, x, w), x_) ** 2)

    def of_point(p, w):
        return jnp.trace(jax.hessian(lambda p: value(jnp, p, w))(p), axis1=-2, axis2=-1)

    def total(x, w):
        return jnp.sum(value(jnp, x, w))

    with jax.enable_x64(True):
        w_ = w.numpy()
        want = jax.grad(lambda w: jnp.sum(jax.vmap(lambda p: of_point(p, w))(x) ** 2))(w_)
        close(tape.gradient(lap, w), want)
        want = jax.grad(
            lambda w: jnp.sum(jax.jvp(lambda x: jax.grad(total)(x, w), (x,), (v,))[1] ** 2)
        )(w_)
        close(tape.gradient(product, w), want)
        want = jax.grad(lambda w: jnp.sum(jax.hessian(total)(x, w) ** 2))(w_)
        close(tape.gradient(hess, w), want)


@tf.custom_gradient
def cube(x):
    return x * x * x, lambda upstream: 3.0 * x * x * upstream


def test_gradients_made_by_hand():
    x = tf.constant(draw(3, 2))
    p = x.numpy()
    function = lambda x: tf.reduce_sum(cube(x) * x)  # noqa: E731
    close(tf.autodiff.hvp(function, x, tf.ones_like(x)), 12 * p**2)
    close(tf.autodiff.hessian(function, x), np.diag(12 * p.ravel() ** 2).reshape(3, 2, 3, 2))
    got = tf.autodiff.laplacian(lambda x: cube(x) * x, x[..., None])
    close(got, (12 * p**2)[..., None])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    y.numpy()
    with pytest.raises(RuntimeError, match="made by hand"):
        tf.autodiff.hvp(y, x, tf.ones_like(x), tape)


def test_tapes_are_used_up():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x**3
    assert float(tf.autodiff.hessian(y, x, tape)) == 12.0
    with pytest.raises(RuntimeError, match="non-persistent"):
        tf.autodiff.hessian(y, x, tape)
    with tf.GradientTape(persistent=True) as tape:
        y = x**3
        assert float(tf.autodiff.hvp(y, x, 1.0, tape)) == 12.0
    assert float(tape.gradient(y, x)) == 12.0


def test_errors():
    x, y = tf.constant([1.0, 2.0]), tf.constant(1.0)
    autodiff = tf.autodiff
    with pytest.raises(TypeError, match="source 0 is int32"):
        autodiff.hessian(lambda x: x, tf.constant(1))
    with pytest.raises(TypeError, match="source 0 is complex64"):
        autodiff.hvp(tf.abs, tf.constant(1j, tf.complex64), 1.0)
    with pytest.raises(TypeError, match="the target is complex64"):
        autodiff.hessian(lambda x: tf.cast(x, tf.complex64), y)
    with pytest.raises(TypeError, match="together with the tape"):
        autodiff.hessian(y, x)
    with pytest.raises(TypeError, match="takes no tape"):
        autodiff.hessian(tf.reduce_sum, x, tf.GradientTape())
    with pytest.raises(ValueError, match=r"Vector 0 has shape \(3,\), its source has shape \(2,\)"):
        autodiff.hvp(tf.reduce_sum, x, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="no nest like the sources"):
        autodiff.hvp(lambda x, y: tf.reduce_sum(x) * y, [x, y], [x])
    with pytest.raises(ValueError, match="no nest like the sources"):
        autodiff.hvp(lambda s: s["x"], {"x": x}, [x])
    with pytest.raises(ValueError, match="it is a scalar"):
        autodiff.laplacian(tf.sin, y)
    with pytest.raises(ValueError, match=r"shape \(\) does not begin with \[2\]"):
        autodiff.laplacian(tf.reduce_sum, tf.ones([2, 3]))
    with pytest.raises(AttributeError, match="float"):
        autodiff.hessian(tf.sin, 1.0)


def test_loops_of_unknown_length_in_all_orders_of_derivatives(monkeypatch):
    """A loop over tangents is a loop again: TensorFlow has none of these in compiled functions."""
    monkeypatch.setattr(checkpointed_loop, "SLOTS", ((8, 1, None),))  # less to compile
    x, v = tf.constant([1.0, 2.0]), tf.constant([1.0, 10.0])

    @tf.function
    def value(x):
        y = x
        while tf.reduce_sum(y) < 100.0:
            y = y * x * 2.0
        return tf.reduce_sum(y)  # of 8 * x**4

    def reverse(f):
        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return tape.gradient(y, x)

        return slope

    def forward(f):
        def slope(x):
            with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
                y = f(x)
            return accumulator.jvp(y)

        return slope

    value(x)
    z, t = x.numpy(), v.numpy()
    orders = {
        "reverse over forward": (reverse(forward(value)), 96 * z**2 * t),
        "forward over reverse": (forward(reverse(value)), 96 * z**2 * t),
        "forward, reverse, reverse": (forward(reverse(lambda x: tf.reduce_sum(
            reverse(value)(x)))), 192 * z * t),
    }  # fmt: skip
    for name, (slope, expected) in orders.items():
        found = tf.function(slope)(x).numpy()
        np.testing.assert_allclose(found, expected, 1e-5, err_msg=name)
