"""tensorflow_probability on tapefacade: densities, numbers drawn, gradients, samplers."""

import pathlib
import sys
import types

import numpy as np
import pytest

import tapefacade

pytest.importorskip("keras", reason="needs the extra `probability`")
pytest.importorskip("tree", reason="needs the extra `probability`: tensorflow_probability")

from probability.answers import CHECKED, asked

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the library
GOLDENS = pathlib.Path(__file__).parent / "goldens" / "probability.npz"


@pytest.fixture
def tfp():
    with tapefacade.install_as_tensorflow():
        yield pytest.importorskip("tensorflow_probability", reason="needs the extra `probability`")


@pytest.fixture(scope="module")
def stored():
    found: dict = {}
    with np.load(GOLDENS) as answers:
        for key in answers.files:
            case, what, kind, _ = key.split("|")
            place = found.setdefault(case, {}).setdefault(what, (kind, []))
            place[1].append(answers[key])
    return found


@pytest.mark.parametrize("case", CHECKED)
def test_answers_are_those_of_tensorflow(tfp, stored, case):
    wanted = stored[case]
    sample = wanted.get("sample", ("", None))[1]
    got = asked(tapefacade, tfp, case, sample)
    assert list(got) == list(wanted)
    for what, (kind, parts) in wanted.items():
        if kind == "raises":
            assert got[what] == str(parts[0]), what
            continue
        assert not isinstance(got[what], str), (what, got[what])
        for one, other in zip(got[what], parts, strict=True):
            one = np.asarray(one)
            assert (one.dtype, one.shape) == (other.dtype, other.shape), what
            if one.dtype.kind == "f":
                # chains of hundreds of steps in float32
                np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5, err_msg=what)
            else:
                assert np.array_equal(one, other), what


@pytest.mark.parametrize("name", ["Gamma", "Beta", "Poisson", "Binomial"])
def test_functions_that_draw_by_rejection_run_no_python_again(tfp, name):
    calls = []

    @tapefacade.function
    def draw(seed, scale):
        calls.append(1)
        made = {"Poisson": [scale], "Binomial": [5.0, scale - 1.0]}.get(name, [scale, scale])
        return getattr(tfp.distributions, name)(*made).sample(1000, seed=seed)

    scale = tapefacade.constant(2.0)
    drawn = [draw(tapefacade.constant([1, n]), scale).numpy() for n in range(5)]
    assert len(calls) <= 2  # the first call finds out that a shape has to be known
    assert not np.array_equal(drawn[0], drawn[1])
    mean = {"Gamma": 1.0, "Beta": 0.5, "Poisson": 2.0, "Binomial": 5 / (1 + np.exp(-1))}[name]
    np.testing.assert_allclose(np.mean(drawn), mean, rtol=0.06)


FILE_FOR_KERAS_2 = """
import tf_keras

class Layer(tf_keras.layers.Layer):
    def __init__(self, variable, kept):
        super().__init__()
        self.variable, self.kept = variable, {self: [variable, kept]}

class Module(tf.Module):
    def __init__(self, layer):
        self.layers = [layer]
"""


@pytest.mark.parametrize("is_for_keras_2", [True, False])
def test_layers_of_files_that_import_keras_2_are_modules(tfp, monkeypatch, is_for_keras_2):
    file = types.ModuleType("file_of_keras_2")
    monkeypatch.setitem(sys.modules, file.__name__, file)
    vars(file)["tf"] = tapefacade
    text = FILE_FOR_KERAS_2
    exec(
        text if is_for_keras_2 else text.replace("import tf_keras", "tf_keras = tf.keras"),
        vars(file),
    )
    variable = tapefacade.Variable(2.0, name="scale")
    layer = file.Layer(variable, tapefacade.Variable([1, 2], trainable=False))
    module = file.Module(layer)
    if not is_for_keras_2:  # Keras 3's own rules, which TensorFlow has, too
        assert [*layer.variables, *module.variables] == []
        return
    (found,) = layer.trainable_variables
    assert found.name == "scale"
    assert len(layer.non_trainable_variables) == 1
    with tapefacade.GradientTape() as tape:
        loss = variable**3
    assert tape.gradient(loss, layer.trainable_variables)[0] == 12.0
    assert [v is found for v in module.trainable_variables] == [True]
    assert len(module.variables) == 2
    module.whole = [tapefacade.keras.Sequential([layer]), variable]
    assert len(module.variables) == 2  # each once, by whatever way it is reached
    layer.set_weights([np.float32(5.0), np.int32([3, 4])])
    assert variable == 5.0


def test_joint_distributions(tfp):
    tfd, tf = tfp.distributions, tapefacade

    def model():
        a = yield tfd.Normal(0.0, 1.0)
        b = yield tfd.Gamma(tf.exp(a), [1.0, 2.0])
        yield tfd.Normal(a, b)

    parts = [
        tfd.Normal(0.0, 1.0),
        lambda a: tfd.Independent(tfd.Gamma(tf.exp(a), [1.0, 2.0]), 1),
        lambda b, a: tfd.Independent(tfd.Normal(a, b), 1),
    ]
    point = [tf.constant(0.1), tf.constant([1.0, 0.5]), tf.constant([0.2, 0.3])]
    wanted = tfd.Normal(0.0, 1.0).log_prob(point[0]) + tf.reduce_sum(
        tfd.Gamma(tf.exp(point[0]), [1.0, 2.0]).log_prob(point[1])
        + tfd.Normal(point[0], point[1]).log_prob(point[2])
    )
    named = dict(zip("abc", parts, strict=True))
    for joint, given in (
        (tfd.JointDistributionSequential(parts), point),
        (tfd.JointDistributionNamed(named), dict(zip("abc", point, strict=True))),
        (tfd.JointDistributionCoroutineAutoBatched(model), point),
        (tfd.JointDistributionSequentialAutoBatched(parts), point),
    ):
        assert [shape.as_list() for shape in tf.nest.flatten(joint.event_shape)] == [[], [2], [2]]
        np.testing.assert_allclose(joint.log_prob(given), wanted, rtol=1e-5)
        count = 3 if "AutoBatched" in type(joint).__name__ else []  # the others do not broadcast so
        drawn = tf.nest.flatten(joint.sample(count, seed=(1, 2)))
        own = [3] if count else []
        assert [value.shape.as_list() for value in drawn] == [own, [*own, 2], [*own, 2]]
