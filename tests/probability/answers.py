"""What a case finds: each answer a list of arrays, or the name of an exception's class."""

from collections.abc import Callable
from typing import Any

import numpy as np

from probability.bijectors import BIJECTORS
from probability.distributions import DISTRIBUTIONS
from probability.inference import INFERENCES
from probability.kernels import KERNELS
from probability.layers import LAYERS
from probability.models import MODELS
from probability.programs import PROGRAMS
from probability.samplers import SAMPLERS

STATISTICS = ["mean", "mode", "stddev", "entropy"]
Answers = dict[str, Any]


def flat(tf: Any, value: Any) -> list[Any]:
    """The arrays of a nest; a gradient that is None is an empty text."""
    leaves = tf.nest.flatten(value, expand_composites=True)
    return ["" if leaf is None else np.asarray(tf.convert_to_tensor(leaf)) for leaf in leaves]


def answer(tf: Any, ask: Callable[[], Any]) -> Any:
    try:
        return flat(tf, ask())
    except Exception as error:
        return type(error).__name__


class Parameters:
    """Makes the parameters of a case, and keeps them for gradients."""

    def __init__(self, tf: Any, tape: Any = None) -> None:
        self.tf, self.tape, self.made = tf, tape, []

    def __call__(self, value: Any) -> Any:
        made = self.tf.constant(value)
        if self.tape is not None:
            self.tape.watch(made)
        self.made.append(made)
        return made


def distribution_answers(tf: Any, tfp: Any, name: str, at: list[Any] | None = None) -> Answers:
    """Asks a distribution; `at` is where densities are taken, by default at its own sample."""
    make = DISTRIBUTIONS[name]
    seed = tf.constant([1, 2])
    found: Answers = {}

    def sample() -> Any:
        return make(tfp, tf, Parameters(tf)).sample(3, seed=seed)

    def seeded() -> Any:
        tf.random.set_seed(5)
        return make(tfp, tf, Parameters(tf)).sample(2, seed=7)

    found["sample"] = answer(tf, sample)
    found["seeded"] = answer(tf, seeded)
    arrays = found["sample"] if at is None else at
    if isinstance(arrays, str):
        return found
    leaves = [tf.constant(array) for array in arrays]

    def structure() -> Any:
        distribution = make(tfp, tf, Parameters(tf))
        return tf.nest.pack_sequence_as(distribution.dtype, leaves)

    x = structure()

    def density() -> Any:
        return make(tfp, tf, Parameters(tf)).log_prob(x)

    def slopes() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            parameters = Parameters(tf, tape)
            value = tf.reduce_sum(make(tfp, tf, parameters).log_prob(x))
        floating = [leaf for leaf in leaves if leaf.dtype.is_floating]
        return tape.gradient(value, [*parameters.made, *floating])

    def moved() -> Any:
        with tf.GradientTape() as tape:
            parameters = Parameters(tf, tape)
            drawn = make(tfp, tf, parameters).sample(3, seed=seed)
            drawn = [y for y in tf.nest.flatten(drawn) if y.dtype.is_floating]
            value = tf.add_n([tf.reduce_sum(y) for y in drawn])
        return tape.gradient(value, parameters.made)

    found["log_prob"] = answer(tf, density)
    found["gradient"] = answer(tf, slopes)
    found["reparametrized"] = answer(tf, moved)
    for statistic in STATISTICS:  # each made anew, as a user would
        found[statistic] = answer(
            tf, lambda statistic=statistic: getattr(make(tfp, tf, Parameters(tf)), statistic)()
        )
    found["log_prob in a function"] = answer(tf, tf.function(density))
    found["gradient in a function"] = answer(tf, tf.function(slopes))
    found["sample in a function"] = answer(tf, tf.function(sample))
    return found


def bijector_answers(tf: Any, tfp: Any, name: str) -> Answers:
    """Asks a bijector."""
    make, given = BIJECTORS[name]
    x = tf.constant(given)

    def made(parameters: Any = None) -> Any:
        return make(tfp.bijectors, tf, parameters or Parameters(tf))

    def there() -> Any:
        return made().forward(x)

    def back() -> Any:
        return made().inverse(tf.identity(there()))

    def volume() -> Any:
        return made().forward_log_det_jacobian(x)

    def volume_back() -> Any:
        return made().inverse_log_det_jacobian(tf.identity(there()))

    def slopes() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            parameters = Parameters(tf, tape)
            bijector = made(parameters)
            value = tf.reduce_sum(tf.nest.flatten(bijector.forward(x))[0])
            value += tf.reduce_sum(bijector.forward_log_det_jacobian(x))
        return tape.gradient(value, [*parameters.made, x])

    asked = {
        "forward": there, "inverse": back, "forward_log_det_jacobian": volume,
        "inverse_log_det_jacobian": volume_back, "gradient": slopes,
    }  # fmt: skip
    found = {key: answer(tf, ask) for key, ask in asked.items()}
    found["gradient in a function"] = answer(tf, tf.function(slopes))
    return found


# What the stored answers are for. The other cases take minutes, or draw other numbers than
# TensorFlow; name them here, run generate_probability.py, and they are tested.
CHECKED = (
    "distribution Normal", "distribution Bernoulli", "distribution Categorical",
    "distribution BatchReshape", "distribution BatchBroadcast", "distribution Bernoulli logits",
    "bijector Softplus", "bijector Exp", "bijector Cumsum", "bijector Square", "bijector Ascending",
    "bijector Reciprocal", "bijector Tanh", "bijector SinhArcsinh", "bijector ScaleMatvecDiag",
    "bijector FillScaleTriL", "bijector SoftmaxCentered", "bijector PowerTransform",
    "sampler hamiltonian", "sampler random walk", "sampler lbfgs",
    "inference series density", "inference series forecast", "inference series parts",
    "inference variational", "inference factored", "inference differential equation",
    "inference learned scale", "inference hidden states", "inference linear models",
    "inference particles", "inference pinned", "inference learned kernel", "sampler two hills",
    "distribution Poisson", "distribution TruncatedNormal",
    *(f"layer {name}" for name in LAYERS),
    *(f"kernel {name}" for name in KERNELS if name != "transformed and adapted"),
    *(f"model {name}" for name in MODELS if name not in ("structural series", "special functions")),
    *(f"program {name}" for name in PROGRAMS),
)  # fmt: skip


def asked(tf: Any, tfp: Any, case: str, at: list[Any] | None = None) -> Answers:
    """Asks one of `CHECKED`."""
    kind, _, name = case.partition(" ")
    if kind == "distribution":
        return distribution_answers(tf, tfp, name, at)
    if kind == "bijector":
        return bijector_answers(tf, tfp, name)
    cases = {
        "sampler": SAMPLERS, "inference": INFERENCES, "layer": LAYERS, "kernel": KERNELS,
        "model": MODELS, "program": PROGRAMS,
    }[kind]  # fmt: skip
    return {"found": answer(tf, lambda: cases[name](tf, tfp))}
