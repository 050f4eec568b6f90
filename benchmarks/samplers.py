"""Samplers and minimizers of tensorflow_probability in a function: time of a first and later calls.

python benchmarks/samplers.py [tensorflow | both] [CASE ...]

All of them are about a logistic regression of 200 rows and 5 weights. Reported are the CPU seconds
of the first call and the median of later ones, in milliseconds. `both` runs TensorFlow in a process
of its own for each case, and prints the ratios; TensorFlow's part needs `tf-keras`.
"""

import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
KINDS = ("tapefacade", "tensorflow", "both")
KIND = sys.argv[1] if sys.argv[1:2] and sys.argv[1] in KINDS else "tapefacade"
if KIND == "tapefacade":
    import tapefacade

    tapefacade.install_as_tensorflow()
if KIND != "both":
    import tensorflow as tf
    import tensorflow_probability as tfp

    tf.get_logger().setLevel("ERROR")
import numpy as np  # noqa: E402

WARM_CALLS, CALLS = 3, 7


def log_density():
    random = np.random.RandomState(0)
    x = random.randn(200, 5).astype("float32")
    chances = 1 / (1 + np.exp(-x @ (0.3 * np.arange(5).astype("float32"))))
    y = (random.rand(200) < chances).astype("float32")

    def density(weights):
        logits = tf.linalg.matvec(tf.constant(x), weights)
        prior = tf.reduce_sum(tfp.distributions.Normal(0.0, 1.0).log_prob(weights))
        likelihood = tfp.distributions.Bernoulli(logits=logits).log_prob(tf.constant(y))
        return prior + tf.reduce_sum(likelihood)

    return density


def chain(kernel, steps=200):
    @tf.function
    def run(seed):
        return tfp.mcmc.sample_chain(
            steps, tf.zeros(5), kernel=kernel, num_burnin_steps=20, trace_fn=None, seed=seed
        )

    return lambda k: run(tf.constant([1, k]))


def hmc():
    return chain(tfp.mcmc.HamiltonianMonteCarlo(log_density(), 0.05, 8))


def adaptive_hmc():
    inner = tfp.mcmc.HamiltonianMonteCarlo(log_density(), 0.05, 8)
    return chain(tfp.mcmc.DualAveragingStepSizeAdaptation(inner, 20))


def nuts():
    return chain(tfp.mcmc.NoUTurnSampler(log_density(), 0.1))


def random_walk():
    return chain(tfp.mcmc.RandomWalkMetropolis(log_density()))


def minimized(name):
    density = log_density()

    @tf.function
    def run(start):
        def loss(x):
            return tfp.math.value_and_gradient(lambda x: -density(x), x)

        return getattr(tfp.optimizer, name)(loss, initial_position=start, tolerance=1e-6).position

    return lambda k: run(tf.fill([5], 0.01 * k))


def lbfgs():
    return minimized("lbfgs_minimize")


def bfgs():
    return minimized("bfgs_minimize")


class Descent:
    def apply_gradients(self, pairs):
        return [variable.assign_sub(0.01 * slope) for slope, variable in pairs]


def minimize():
    density, weights = log_density(), tf.Variable(tf.zeros(5))

    @tf.function
    def run():
        return tfp.math.minimize(
            lambda: -density(weights), 200, Descent(), trainable_variables=[weights]
        )

    return lambda _: run()


CASES = (hmc, adaptive_hmc, nuts, random_walk, lbfgs, bfgs, minimize)


def cpu_seconds(run, k):
    start = time.process_time()
    np.asarray(run(k))
    return time.process_time() - start


def both(names):
    for name in names:
        found = []
        for kind in ("tapefacade", "tensorflow"):
            command = [sys.executable, __file__, kind, name]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            print(said, end="", flush=True)
            found.append([float(word) for word in said.split() if word[0].isdigit()])
        first, each = (ours / theirs for ours, theirs in zip(*found, strict=True))
        print(f"{'ratios':10s} {name:14s} first {first:8.2f}    each {each:9.3f}", flush=True)


def main() -> None:
    names = [case.__name__ for case in CASES]
    names = [
        name for name in names if name in (sys.argv[1:] if set(names) & {*sys.argv} else names)
    ]
    if KIND == "both":
        both(names)
        return
    for case in CASES:
        if case.__name__ not in names:
            continue
        run = case()
        first = cpu_seconds(run, 0)
        for k in range(WARM_CALLS):
            cpu_seconds(run, k)
        each = statistics.median(cpu_seconds(run, k) for k in range(CALLS))
        print(
            f"{KIND:10s} {case.__name__:14s} first {first:8.2f} s, each {1e3 * each:9.3f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
