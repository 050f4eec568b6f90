"""Differentiation: `tf.autodiff`."""

from tapefacade._core.missing import missing_attribute as _missing_attribute
from tapefacade._tape.forward import ForwardAccumulator as ForwardAccumulator
from tapefacade._tape.higher import hessian as hessian, hvp as hvp, laplacian as laplacian
from tapefacade._tape.tape import GradientTape as GradientTape

__getattr__ = _missing_attribute(__name__)
