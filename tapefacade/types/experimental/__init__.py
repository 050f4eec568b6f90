"""`tf.types.experimental`."""

from tapefacade._core.missing_names import missing_attribute as _missing_attribute
from tapefacade._core.tensor_like import TensorLike as TensorLike
from tapefacade._function.function.concrete_function import ConcreteFunction as ConcreteFunction
from tapefacade._function.function.function_types import (
    Callable as Callable,
    PolymorphicFunction as GenericFunction,
    PolymorphicFunction as PolymorphicFunction,
)
from tapefacade._function.function.trace_types import (
    SupportsTracingProtocol as SupportsTracingProtocol,
    TraceType as TraceType,
)
from tapefacade.types.experimental import distributed as distributed

__getattr__ = _missing_attribute(__name__)
