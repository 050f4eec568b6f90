"""Fits a Gaussian to numbers, and asks how certain its parameters are."""

import numpy as np
import zfit

space = zfit.Space("x", -5, 5)
center = zfit.Parameter("center", 0.5, -3, 3)
width = zfit.Parameter("width", 1.5, 0.1, 5)
model = zfit.pdf.Gauss(center, width, obs=space)
numbers = np.random.default_rng(1).normal(1.0, 0.5, 3000)
loss = zfit.loss.UnbinnedNLL(model, zfit.Data.from_numpy(space, numbers))
result = zfit.minimize.Minuit().minimize(loss)
assert result.valid
np.testing.assert_allclose(result.params[center]["value"], numbers.mean(), rtol=1e-4)
np.testing.assert_allclose(result.params[width]["value"], numbers.std(), rtol=1e-4)
errors = result.hesse()
np.testing.assert_allclose(errors[center]["error"], numbers.std() / 3000**0.5, rtol=1e-3)
np.testing.assert_allclose(model.integrate(space), 1.0, rtol=1e-3)
