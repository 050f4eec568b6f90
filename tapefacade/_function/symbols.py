"""Tensors of graphs as TensorFlow shows them, for its messages about branches and loops."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.shapes import as_shape
from tapefacade._core.types import TensorType
from tapefacade._function.bodies import Body


class SymbolicTensor:
    """What a tensor of a graph is called; it has no value."""

    def __init__(self, name: str, type_: TensorType) -> None:
        self.name = name
        self.type = type_

    @property
    def _shape(self) -> Any:
        return as_shape(self.type.shape)

    def __str__(self) -> str:
        return f'Tensor("{self.name}", shape={self._shape}, dtype={self.type.dtype.name})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape} dtype={self.type.dtype.name}>"


def numbered(name: str, number: int) -> str:
    """Returns TensorFlow's name of one of several operations of a kind."""
    return f"{name}_{number}:0" if number else f"{name}:0"


def symbols_of(body: Body, name: str) -> Any:
    """Returns what a body returns, with symbols in the place of tensors."""
    types: Sequence[TensorType] = body.program.types[: body.count]
    symbols = [SymbolicTensor(numbered(name, k), type_) for k, type_ in enumerate(types)]
    try:
        return body.structure.with_tensors(symbols)
    except (ValueError, TypeError):  # a ragged or sparse tensor, which takes tensors only
        return symbols


def flat_symbols(structure: Any) -> list[SymbolicTensor]:
    """Returns the symbols in a structure."""
    return [leaf for leaf in nest.flatten(structure) if isinstance(leaf, SymbolicTensor)]
