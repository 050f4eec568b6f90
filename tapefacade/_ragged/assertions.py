"""Assertions about ragged tensors: their partitions have to fit, and their values."""

from collections.abc import Callable
from typing import Any

from tapefacade._core.dispatch import handles
from tapefacade._core.registry import FUNCTIONS
from tapefacade._ragged.broadcasting import aligned
from tapefacade._ragged.elementwise import taken
from tapefacade._ragged.tensor import RaggedTensor

ASSERTIONS = ("equal", "greater", "greater_equal", "less", "less_equal", "near", "none_equal")


def _assertion(name: str) -> Callable[..., Any]:
    def handler(*args: Any, **kwargs: Any) -> Any:
        function = FUNCTIONS[name]
        x, y = taken(function, 2, args, kwargs)
        first, second, _ = aligned(x, y)
        return function(first, second, *args[2:], **kwargs)

    return handler


for _name in ASSERTIONS:
    handles(RaggedTensor, f"debugging.assert_{_name}")(_assertion(f"debugging.assert_{_name}"))
