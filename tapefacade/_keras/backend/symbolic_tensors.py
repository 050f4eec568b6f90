"""Our functions on Keras's symbolic tensors: nodes of a functional model."""

import importlib
from typing import Any

from tapefacade._core.dispatch import HANDLERS, HandOver
from tapefacade._core.registry import FUNCTIONS


def handler() -> Any:
    """Makes the handler of symbolic tensors: for any function, a node that calls it."""
    operation = importlib.import_module("keras.src.ops.operation").Operation
    backend = importlib.import_module("keras.src.backend")
    saving = importlib.import_module("keras.src.saving")

    @saving.register_keras_serializable(package="tapefacade", name="Call")
    class Call(operation):
        """A call of a function of `tf` in a functional model."""

        def __init__(self, path: str, name: str | None = None) -> None:
            super().__init__(name=name)
            self.path = path

        def call(self, *args: Any, **kwargs: Any) -> Any:
            return FUNCTIONS[self.path](*args, **kwargs)

        def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
            return backend.compute_output_spec(self.call, *args, **kwargs)

        def get_config(self) -> dict[str, Any]:
            return {"path": self.path, "name": self.name}

    def node(path: str, *args: Any, **kwargs: Any) -> Any:
        return Call(path).symbolic_call(*args, **kwargs)

    return node


def hand_over(self: Any, *args: Any, **kwargs: Any) -> Any:
    """In the place of a conversion to a tensor: says that it is symbolic."""
    raise HandOver(self)


def register(keras_tensor: type) -> None:
    """Registers the handler."""
    HANDLERS["*", keras_tensor] = handler()


def unregister(keras_tensor: type) -> None:
    """Removes the handler."""
    HANDLERS.pop(("*", keras_tensor), None)
