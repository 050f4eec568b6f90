"""Random numbers as NumPy draws them: `tf.experimental.numpy.random`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._numpy.random import (
    poisson as poisson,
    rand as rand,
    randint as randint,
    randn as randn,
    random as random,
    seed as seed,
    standard_normal as standard_normal,
    uniform as uniform,
)

__getattr__ = _missing_attribute(__name__)
