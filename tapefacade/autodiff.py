"""Differentiation: `tf.autodiff`."""

from tapefacade._core.missing import missing_attribute
from tapefacade._tape.tape import GradientTape as GradientTape

__getattr__ = missing_attribute(__name__)
