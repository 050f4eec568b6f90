"""What the body of a loop or branch prints: the instruction once more, for that alone."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tapefacade._core.gradient import NOT_DIFFERENTIABLE
from tapefacade._core.types import TensorType, type_of
from tapefacade._ops.printing import QUIET


class Acting:
    """Put before the class of a loop or of branches: runs it for what it prints, and gives true."""

    acts = True

    def __init__(self, plan: Any) -> None:
        above: Any = super()
        above.__init__(plan)
        self.gradient = NOT_DIFFERENTIABLE

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        above: Any = super()
        above.infer(static, types)
        return (type_of((), np.dtype(np.bool_)),), None

    def evaluate(self: Any, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        if not QUIET.on:
            self.computed(arrays)
        return [jnp.ones((), bool)]

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...] | None:
        return None
