"""`tf.optimizers`: the optimizers of Keras, and those of second order, which are not Keras's."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._keras.lazy_namespaces import (
    names_of_keras as _names_of_keras,
    with_names_of_keras as _with_names_of_keras,
)
from tapefacade._optimizers.lbfgs import LBFGS as LBFGS
from tapefacade._optimizers.least_squares import (
    GaussNewton as GaussNewton,
    LevenbergMarquardt as LevenbergMarquardt,
    NaturalGradient as NaturalGradient,
)
from tapefacade._optimizers.minimization import OptimizationResult as OptimizationResult

__getattr__ = _with_names_of_keras("optimizers", _missing_attribute(__name__, depth=2))
__dir__ = _names_of_keras("optimizers", __name__)
