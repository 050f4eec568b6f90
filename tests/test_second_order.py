"""Optimizers of second order: their steps are SciPy's, and they are one program."""

import json
import pathlib

import numpy as np
import pytest
from second_order_problems import LEAST_SQUARES, PROBLEMS, physics_as_squares
from steps import counted

import tapefacade as tf

ANSWERS = json.loads((pathlib.Path(__file__).parent / "goldens/second_order.json").read_text())
LBFGS = tf.optimizers.LBFGS
# Iterations after which rounding has not grown so far that steps differ.
ALIKE = 25


def flat(variables):
    return np.concatenate([variable.numpy().ravel() for variable in variables])


def bowl():
    """A quadratic that takes several iterations, and its variable."""
    x = tf.Variable(np.linspace(-1, 1, 6))
    scale = tf.constant([1.0, 3.0, 10.0, 30.0, 100.0, 300.0], tf.float64)
    return lambda: tf.reduce_sum(scale * x**2 + tf.sin(x)), x


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.__name__)
def test_each_iteration_is_that_of_scipy(problem):
    answer = ANSWERS[problem.__name__]["scipy"]
    loss, variables = problem(tf, np)
    losses = []
    LBFGS(max_iterations=ALIKE).minimize(
        loss, variables, callback=lambda result: losses.append(float(result.loss))
    )
    wanted = answer["losses"][:ALIKE]
    assert len(losses) == len(wanted)
    np.testing.assert_allclose(losses, wanted, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.__name__)
def test_it_reaches_what_scipy_and_probability_reach(problem):
    answers = ANSWERS[problem.__name__]
    loss, variables = problem(tf, np)
    result = LBFGS(max_iterations=400).minimize(loss, variables)
    scipy = answers["scipy"]
    if scipy["iterations"] < 100:
        assert int(result.iterations) == scipy["iterations"]
        assert int(result.evaluations) == scipy["evaluations"]
        np.testing.assert_allclose(flat(variables), scipy["values"], rtol=1e-6, atol=1e-7)
        assert result.converged == scipy["message"].startswith("CONVERGENCE")
    # Near 0 the loss is made of differences of nearly equal numbers: 1 - x is exact to 1e-16.
    np.testing.assert_allclose(float(result.loss), float(loss()), rtol=1e-12, atol=1e-20)
    if problem.__name__ == "physics":  # 400 iterations reach no minimum
        assert float(result.loss) < 3 * scipy["losses"][-1]
        return
    exact = LBFGS(gradient_tolerance=1e-8, loss_tolerance=0.0)
    result = exact.minimize(loss, variables)
    wanted = answers["probability"]
    np.testing.assert_allclose(float(result.loss), wanted["loss"], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(flat(variables), wanted["values"], rtol=1e-5, atol=1e-6)


def test_all_iterations_are_one_dispatch():
    loss, x = bowl()
    LBFGS().minimize(loss, x)
    start = tf.Variable(x)
    with counted() as counts:
        x.assign(np.linspace(1, -1, 6))
        result = LBFGS().minimize(loss, x)
        assert int(result.iterations) > 5
    assert counts.compiled == 0
    assert counts.dispatched <= 3
    np.testing.assert_allclose(x.numpy(), start.numpy(), atol=1e-5)


def test_the_limits_compile_nothing():
    loss, x = bowl()
    optimizer = LBFGS(max_iterations=2)
    assert optimizer.minimize(loss, x).reason == "the maximum number of iterations was reached"
    optimizer.minimize(loss, x)
    with counted() as counts:
        optimizer.max_iterations = 3
        assert int(optimizer.minimize(loss, x).iterations) == 3
    assert counts.compiled == 0


def test_a_second_call_goes_on_and_reset_begins_anew():
    loss, x = bowl()

    def losses(optimizer, is_reset):
        x.assign(np.linspace(-1, 1, 6))
        found = []
        for _ in range(8 // optimizer.max_iterations):
            optimizer.minimize(loss, x, callback=lambda r: found.append(float(r.loss)))
            if is_reset:
                optimizer.reset()
        return found

    whole = losses(LBFGS(max_iterations=8), False)
    parts, reset = (losses(LBFGS(max_iterations=4), is_reset) for is_reset in (False, True))
    np.testing.assert_allclose(parts, whole, rtol=1e-12)
    assert abs(reset[4] - whole[4]) > 1e-6 * abs(whole[4])


def test_variables_that_were_changed_begin_anew():
    loss, x = bowl()
    optimizer = LBFGS(max_iterations=4)
    optimizer.minimize(loss, x)
    x.assign(np.linspace(-1, 1, 6))
    result = optimizer.minimize(loss, x)
    x.assign(np.linspace(-1, 1, 6))
    assert float(result.loss) == float(LBFGS(max_iterations=4).minimize(loss, x).loss)


def test_a_checkpoint_holds_what_it_has_learned(tmp_path):
    loss, x = bowl()
    optimizer = LBFGS(max_iterations=4)
    optimizer.minimize(loss, x)
    path = tf.train.Checkpoint(x=x, optimizer=optimizer).save(str(tmp_path / "saved"))
    wanted = float(optimizer.minimize(loss, x).loss)
    other_loss, other = bowl()
    restored = LBFGS(max_iterations=4)
    status = tf.train.Checkpoint(x=other, optimizer=restored).restore(path)
    assert float(restored.minimize(other_loss, other).loss) == wanted
    status.assert_consumed()


def test_the_callback_sees_the_variables_and_stops():
    loss, x = bowl()
    seen = []

    def look(result):
        seen.append((int(result.iterations), float(result.loss) - float(loss()), result.reason))
        return len(seen) == 3

    result = LBFGS().minimize(loss, x, callback=look)
    assert [n for n, *_ in seen] == [1, 2, 3]
    assert all(abs(difference) < 1e-12 for _, difference, _ in seen)
    assert {reason for *_, reason in seen} == {"going on"}
    assert result.reason == "the callback stopped it"
    assert not result.converged

    def stop(result):
        raise StopIteration

    assert int(LBFGS().minimize(loss, x, callback=stop).iterations) == 1


def test_the_callback_may_be_called_seldom():
    loss, x = bowl()
    seen = []
    result = LBFGS(max_iterations=7).minimize(
        loss, x, callback=lambda r: seen.append(int(r.iterations)), callback_every=3
    )
    assert seen == [3, 6, 7]
    assert int(result.iterations) == 7


def test_an_error_in_the_callback_leaves_the_last_iteration():
    loss, x = bowl()

    def fail(result):
        raise KeyError(float(result.loss))

    with pytest.raises(KeyError) as caught:
        LBFGS().minimize(loss, x, callback=fail)
    np.testing.assert_allclose(caught.value.args[0], float(loss()), rtol=1e-12)


def test_within_a_function():
    loss, x = bowl()
    optimizer = LBFGS(max_iterations=6)

    @tf.function
    def train():
        return optimizer.minimize(loss, x)

    results = [train() for _ in range(3)]
    assert [int(result.iterations) for result in results][:2] == [6, 6]
    twice = LBFGS(max_iterations=12)
    other, y = bowl()
    np.testing.assert_allclose(
        float(results[1].loss), float(twice.minimize(other, y).loss), rtol=1e-10
    )
    assert results[2].reason
    with pytest.raises(ValueError, match="cannot call `callback`"):
        tf.function(lambda: optimizer.minimize(loss, x, callback=print))()


def test_a_loss_that_is_a_function_is_recorded_once():
    _, x = bowl()
    recorded = []

    @tf.function
    def loss():
        recorded.append(1)
        return tf.reduce_sum((x - 2) ** 4)

    optimizer = LBFGS(max_iterations=2)
    for _ in range(4):
        optimizer.minimize(loss, x)
    assert len(recorded) == 1


def test_models_of_keras_in_both_dtypes():
    keras = tf.keras
    for dtype, wanted in (("float32", tf.float32), ("float64", tf.float64)):
        keras.utils.set_random_seed(1)
        layers = [keras.layers.Dense(n, f, dtype=dtype) for n, f in ((8, "tanh"), (1, None))]
        model = keras.Sequential([keras.Input((1,), dtype=dtype), *layers])
        x = tf.constant(np.linspace(0, 1, 16)[:, None], wanted)
        result = LBFGS(max_iterations=60).minimize(
            lambda x=x, model=model: tf.reduce_mean((model(x) - tf.sin(6 * x)) ** 2),
            model.trainable_variables,
        )
        assert result.loss.dtype is wanted
        assert float(result.loss) < 2e-2


def test_dtypes_may_be_mixed_and_variables_repeated():
    single, double = tf.Variable([1.0, 5.0]), tf.Variable(3.0, dtype=tf.float64)
    half = tf.Variable(0.5, dtype=tf.float16)
    result = LBFGS().minimize(
        lambda: (
            tf.reduce_sum(tf.cast(single - 2, tf.float64) ** 2)
            + (double + 1) ** 2
            + tf.cast(half - 2, tf.float64) ** 2
        ),
        {"a": [single, single], "b": (double, half)},
    )
    assert result.loss.dtype is tf.float64
    np.testing.assert_allclose(single.numpy(), [2, 2], atol=1e-4)
    assert abs(float(double) + 1) < 1e-4
    assert abs(float(half) - 2) < 1e-2


def test_a_variable_that_the_loss_does_not_read_keeps_its_value(caplog):
    x, other = tf.Variable(1.0), tf.Variable([2.0], name="other")
    LBFGS().minimize(lambda: (x - 3) ** 2, [x, other])
    assert abs(float(x) - 3) < 1e-3
    assert other.numpy() == [2.0]
    assert "other:0" in caplog.text


def test_where_the_loss_is_no_number_the_step_is_shortened():
    x = tf.Variable([30.0, 0.01], dtype=tf.float64)
    result = LBFGS().minimize(lambda: tf.reduce_sum(x - tf.math.log(x)), x)
    assert result.converged
    np.testing.assert_allclose(x.numpy(), [1, 1], atol=1e-5)
    bad = tf.Variable(-1.0)
    result = LBFGS().minimize(lambda: tf.math.log(bad), bad)
    assert result.reason == "the loss or its gradient is not finite at the start"
    assert float(bad) == -1.0
    assert int(result.evaluations) == 1


def test_it_never_computes_the_loss_more_often_than_allowed():
    loss, variables = PROBLEMS[0](tf, np)
    result = LBFGS(max_evaluations=7).minimize(loss, variables)
    assert int(result.evaluations) == 7
    assert result.reason == "the maximum number of evaluations was reached"
    np.testing.assert_allclose(float(result.loss), float(loss()), rtol=1e-12)


def test_a_gradient_of_the_wrong_sign_ends_it_where_it_began():
    @tf.custom_gradient
    def wrong(x):
        return x**2, lambda upstream: -upstream * 2 * x

    x = tf.Variable(1.0)
    result = LBFGS().minimize(lambda: wrong(x), x)
    assert result.reason_number > 0
    assert int(result.iterations) <= 1
    assert abs(float(x) - 1) < 1e-5


def test_a_loss_that_looks_at_values_runs_in_python():
    loss, x = bowl()
    plain, y = bowl()
    looking = LBFGS().minimize(lambda: loss() * (float(x[0]) < 9), x)
    wanted = LBFGS().minimize(plain, y)
    assert int(looking.iterations) == int(wanted.iterations)
    np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=1e-6)


def test_functions_run_eagerly():
    loss, x = bowl()
    wanted = float(LBFGS(max_iterations=3).minimize(loss, x).loss)
    tf.config.run_functions_eagerly(True)
    try:
        x.assign(np.linspace(-1, 1, 6))
        result = LBFGS(max_iterations=3).minimize(loss, x)
    finally:
        tf.config.run_functions_eagerly(False)
    np.testing.assert_allclose(float(result.loss), wanted, rtol=1e-10)


def test_in_the_scope_of_a_strategy():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        loss, x = bowl()
        result = LBFGS().minimize(loss, x)
    assert result.converged
    plain, y = bowl()
    wanted = LBFGS().minimize(plain, y)
    assert int(result.iterations) == int(wanted.iterations)


@pytest.mark.parametrize("name", ["LevenbergMarquardt", "GaussNewton"])
@pytest.mark.parametrize("problem", LEAST_SQUARES, ids=lambda p: p.__name__)
def test_least_squares_are_those_of_scipy(problem, name):
    optimizer = getattr(tf.optimizers, name)()
    wanted = ANSWERS[problem.__name__]["scipy"]
    residuals, variables = problem(tf, np)
    result = optimizer.minimize(residuals, variables)
    assert result.converged
    assert int(result.evaluations) < 100
    np.testing.assert_allclose(float(result.loss), wanted["loss"], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(flat(variables), wanted["values"], rtol=2e-6, atol=2e-8)


def test_squares_solve_the_equation_that_takes_other_methods_long():
    residuals, variables = physics_as_squares(tf, np)
    losses = []
    result = tf.optimizers.LevenbergMarquardt(max_iterations=100).minimize(
        residuals, variables, callback=lambda r: losses.append(float(r.loss)), callback_every=20
    )
    assert losses == sorted(losses, reverse=True)
    # SciPy's L-BFGS does 396 iterations until its tolerance, to ten times this loss or more.
    assert 2 * float(result.loss) < 0.1 * ANSWERS["physics"]["scipy"]["losses"][-1]


def test_the_state_of_squares_goes_on():
    residuals, variables = LEAST_SQUARES[1](tf, np)
    whole = tf.optimizers.LevenbergMarquardt(max_iterations=6)
    wanted = float(whole.minimize(residuals, variables).loss)
    residuals, variables = LEAST_SQUARES[1](tf, np)
    optimizer = tf.optimizers.LevenbergMarquardt(max_iterations=3)
    optimizer.minimize(residuals, variables)
    np.testing.assert_allclose(float(optimizer.minimize(residuals, variables).loss), wanted, 1e-9)


def test_gauss_and_newton_take_the_shortest_of_many_solutions():
    x = tf.Variable(tf.zeros([4], tf.float64))
    rows = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, -1.0]])
    seen = tf.constant([1.0, 2.0], tf.float64)
    residuals = tf.function(lambda: tf.linalg.matvec(tf.constant(rows), x) - seen)
    result = tf.optimizers.GaussNewton().minimize(residuals, x)
    assert int(result.iterations) == 1
    np.testing.assert_allclose(x.numpy(), np.linalg.pinv(rows) @ [1.0, 2.0], rtol=1e-12)


def test_residuals_that_are_no_numbers_shorten_the_step():
    for name in ("GaussNewton", "LevenbergMarquardt"):
        x = tf.Variable([8.0], dtype=tf.float64)
        result = getattr(tf.optimizers, name)().minimize(lambda x=x: tf.math.log(x) - 0.5, x)
        assert result.converged
        np.testing.assert_allclose(x.numpy(), np.exp([0.5]), rtol=1e-6)


def test_the_natural_gradient_does_not_depend_on_how_a_model_is_written():
    rng = np.random.default_rng(0)
    data = tf.constant(rng.normal(3.0, 2.0, size=50))
    paths = []
    for scaled in (1.0, 10.0):
        mean = tf.Variable(0.0, dtype=tf.float64)

        def scores(mean=mean, scaled=scaled):
            return -((data - scaled * mean) ** 2) / 2

        found = []
        result = tf.optimizers.NaturalGradient(max_iterations=4, learning_rate=0.5).minimize(
            lambda scores=scores: -tf.reduce_mean(scores()), scores, mean,
            callback=lambda r, found=found: found.append(float(r.loss)),
        )  # fmt: skip
        assert int(result.iterations) == 4
        paths.append(found)
    np.testing.assert_allclose(*paths, rtol=1e-9)
    with pytest.raises(TypeError, match="`outputs` is a function"):
        tf.optimizers.NaturalGradient().minimize(lambda: mean, mean, [mean])


def test_the_natural_gradient_of_a_normal_distribution_finds_its_parameters():
    data = tf.constant(np.random.default_rng(0).normal(3.0, 2.0, size=50))
    mean, log_scale = tf.Variable(0.0, dtype=tf.float64), tf.Variable(0.0, dtype=tf.float64)

    def scores():
        return -(((data - mean) * tf.exp(-log_scale)) ** 2) / 2 - log_scale

    tf.optimizers.NaturalGradient().minimize(
        lambda: -tf.reduce_mean(scores()), scores, [mean, log_scale]
    )
    np.testing.assert_allclose(float(mean), np.mean(data.numpy()), rtol=1e-4)
    np.testing.assert_allclose(np.exp(float(log_scale)), np.std(data.numpy()), rtol=1e-4)


@pytest.mark.parametrize("name", ["LevenbergMarquardt", "GaussNewton"])
def test_wrong_residuals(name):
    optimizer = getattr(tf.optimizers, name)()
    x = tf.Variable([1.0])
    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.minimize(lambda: tf.constant([1.0]), x)
    with pytest.raises(TypeError, match=r"`residuals` is a function.* it is int32"):
        optimizer.minimize(lambda: tf.constant([1]), x)
    with pytest.raises(ValueError, match="`damping` is"):
        getattr(tf.optimizers, name)(damping=-1.0)


X = tf.Variable([1.0, 2.0])
WRONG = {
    "no variables": (lambda: X[0], [], ValueError, "There is nothing to optimize"),
    "no variable": (lambda: X[0], [X * 1], TypeError, "`var_list` holds tf.Variables"),
    "integers": (lambda: X[0], tf.Variable(1), TypeError, "real floating dtypes"),
    "a constraint": (
        lambda: X[0],
        tf.Variable(1.0, constraint=tf.nn.relu),
        ValueError,
        "has a constraint",
    ),
    "no function": (1.0, X, TypeError, "a function without arguments"),
    "a vector": (lambda: X * X, X, ValueError, r"it has the shape \(2,\)"),
    "an integer": (lambda: tf.constant(1), X, TypeError, "it is int32"),
    "independent": (lambda: tf.constant(1.0), X, ValueError, "No gradients provided"),
}


def test_constraints_of_keras_are_refused():
    layer = tf.keras.layers.Dense(1, kernel_constraint="non_neg")
    layer.build((None, 2))
    with pytest.raises(ValueError, match=r"has a constraint.*Leave it out"):
        LBFGS().minimize(lambda: tf.reduce_sum(layer.kernel**2.0), layer.trainable_variables)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name):
    loss, variables, error, text = WRONG[name]
    with pytest.raises(error, match=text):
        LBFGS().minimize(loss, variables)
    assert X.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "arguments",
    [{"max_iterations": 0}, {"num_correction_pairs": 2.5}, {"gradient_tolerance": -1.0},
     {"loss_tolerance": float("nan")}, {"max_evaluations": True}],
    ids=str,
)  # fmt: skip
def test_wrong_settings(arguments):
    with pytest.raises(ValueError, match=f"`{next(iter(arguments))}` is"):
        LBFGS(**arguments)


def test_the_optimizers_of_keras_are_there_and_keep_their_own_namespace():
    assert tf.optimizers.Adam is tf.keras.optimizers.Adam
    assert tf.optimizers.schedules is tf.keras.optimizers.schedules
    assert not hasattr(tf.keras.optimizers, "LBFGS")
    assert {"LBFGS", "Adam", "schedules"} <= set(dir(tf.optimizers))
    with pytest.raises(AttributeError, match=r"nearest name it has is `tf[.]optimizers[.]LBFGS`"):
        _ = tf.optimizers.LBFG
