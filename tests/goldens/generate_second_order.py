"""Asks SciPy's L-BFGS-B and tensorflow_probability's L-BFGS what they reach, and stores it as JSON.

python tests/goldens/generate_second_order.py (with TensorFlow, SciPy and tensorflow_probability)

Losses and gradients are TensorFlow's.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))


def flat_problem(tf, np, problem):
    """The loss and gradient of a problem as a function of one vector, and the first vector."""
    loss, variables = problem(tf, np)
    sizes = [int(np.prod(variable.shape)) for variable in variables]

    @tf.function
    def evaluate(vector):
        for variable, part in zip(variables, tf.split(vector, sizes), strict=True):
            variable.assign(tf.reshape(part, variable.shape))
        with tf.GradientTape() as tape:
            value = loss()
        gradients = tape.gradient(value, variables)
        return value, tf.concat([tf.reshape(g, [-1]) for g in gradients], 0)

    return evaluate, np.concatenate([variable.numpy().ravel() for variable in variables])


def by_scipy(evaluate, start):
    from scipy.optimize import minimize

    losses = []
    options = {"maxiter": 400, "maxfun": 10_000}
    found = minimize(
        lambda vector: tuple(part.numpy() for part in evaluate(vector)), start, jac=True,
        method="L-BFGS-B", options=options,
        callback=lambda intermediate_result: losses.append(float(intermediate_result.fun)),
    )  # fmt: skip
    return {
        "losses": losses, "values": found.x.tolist(), "iterations": found.nit,
        "evaluations": found.nfev, "message": found.message,
    }  # fmt: skip


def by_probability(tf, evaluate, start):
    import tensorflow_probability as tfp

    minimize = tf.function(tfp.optimizer.lbfgs_minimize)
    found = minimize(evaluate, tf.constant(start), tolerance=1e-8, max_iterations=400)
    return {"loss": float(found.objective_value), "values": found.position.numpy().tolist()}


def least_squares(tf, np, problem):
    """What SciPy's Levenberg-Marquardt (MINPACK) reaches, with TensorFlow's Jacobian."""
    from scipy.optimize import least_squares as solve

    residuals, variables = problem(tf, np)
    sizes = [int(np.prod(variable.shape)) for variable in variables]

    def assign(vector):
        for variable, part in zip(variables, np.split(vector, np.cumsum(sizes)[:-1]), strict=True):
            variable.assign(part.reshape(variable.shape))

    def values(vector):
        assign(vector)
        return tf.reshape(residuals(), [-1]).numpy()

    def jacobian(vector):
        assign(vector)
        with tf.GradientTape() as tape:
            flat = tf.reshape(residuals(), [-1])
        parts = tape.jacobian(flat, variables)
        return np.concatenate([part.numpy().reshape(len(flat), -1) for part in parts], 1)

    start = np.concatenate([variable.numpy().ravel() for variable in variables])
    tolerances = {"ftol": 1e-14, "xtol": 1e-14, "gtol": 1e-14}
    found = solve(values, start, jac=jacobian, method="lm", **tolerances)
    return {"loss": float(found.cost), "values": found.x.tolist()}


def main():
    import numpy as np
    import tensorflow as tf
    from second_order_problems import LEAST_SQUARES, PROBLEMS

    answers = {}
    for problem in PROBLEMS:
        evaluate, start = flat_problem(tf, np, problem)
        print(problem.__name__, flush=True)
        answers[problem.__name__] = {
            "scipy": by_scipy(evaluate, start), "probability": by_probability(tf, evaluate, start),
        }  # fmt: skip
    for problem in LEAST_SQUARES:
        answers[problem.__name__] = {"scipy": least_squares(tf, np, problem)}
    for name, answer in answers.items():
        found = answer["scipy"]
        print(name, found.get("iterations"), found.get("evaluations"), found.get("message"))
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in answers.items())
    (HERE / "second_order.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
