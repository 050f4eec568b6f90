"""Solves Poisson's equation on an interval, and compares with the solution."""

import deepxde as dde
import numpy as np
import tensorflow as tf

dde.config.set_random_seed(1)


def equation(x, y):
    return dde.grad.hessian(y, x) + np.pi**2 * tf.sin(np.pi * x)


geometry = dde.geometry.Interval(-1, 1)
ends = dde.icbc.DirichletBC(geometry, lambda x: 0.0 * x, lambda x, on_boundary: on_boundary)
data = dde.data.PDE(geometry, equation, ends, 32, 2)
network = dde.nn.FNN([1] + [20] * 2 + [1], "tanh", "Glorot uniform")
model = dde.Model(data, network)
model.compile("adam", lr=0.01)
model.train(iterations=2000, display_every=1000)
x = np.linspace(-1, 1, 50)[:, None]
assert np.abs(model.predict(x) - np.sin(np.pi * x)).max() < 0.05
