"""Differentiation: `tf.autodiff`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._tape.forward_accumulator import ForwardAccumulator as ForwardAccumulator
from tapefacade._tape.hessians import hessian as hessian, hvp as hvp, laplacian as laplacian
from tapefacade._tape.tape import GradientTape as GradientTape

__getattr__ = _missing_attribute(__name__)
