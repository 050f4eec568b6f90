"""What a trace has to know of replicas: their named axis, and whether they print in order."""

from collections.abc import Callable
from typing import Any

import jax

from tapefacade._core.thread_state import ThreadState


class _NamedAxes(ThreadState):
    """The named axes around what this thread traces, and their sizes.

    Where replicas run for what they print, also the number of the one that is traced: XLA computes
    on one device only what depends on nothing that is divided among several.
    """

    sizes: tuple[tuple[str, int], ...] = ()
    number: Any = None


NAMED_AXES = _NamedAxes()


class _EffectOrder(ThreadState):
    """Whether what a program prints keeps its order, which JAX knows on one device only."""

    is_kept = True


EFFECT_ORDER = _EffectOrder()


def traced(function: Callable[..., Any], return_shape: bool = False) -> Callable[..., Any]:
    """Returns `jax.make_jaxpr(function)`, in which collectives know the axes of this thread."""
    sizes = NAMED_AXES.sizes
    return jax.make_jaxpr(function, axis_env=sizes or None, return_shape=return_shape)


def result_types(function: Callable[..., Any], *arguments: Any) -> Any:
    """Returns `jax.eval_shape(function, *arguments)`, where collectives know the axes."""
    if not NAMED_AXES.sizes:
        return jax.eval_shape(function, *arguments)
    return traced(function, return_shape=True)(*arguments)[1]
