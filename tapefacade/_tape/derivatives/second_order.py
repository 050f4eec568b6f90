"""Second derivatives of a function of arrays, forward over reverse or forward over forward."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tapefacade._core.tensor_type import TensorType
from tapefacade._tape.derivatives.jacobian import bytes_of, mapped

# From arrays to a list of outputs, and values besides.
Function = Callable[..., tuple[list[Any], list[Any]]]


def gradient_of(forward: Function) -> Callable[..., tuple[list[Any], list[Any]]]:
    """Returns the gradient of the sum of all outputs, as a function like `forward`."""

    def gradient(*primals: Any) -> tuple[list[Any], list[Any]]:
        outputs, pull_back, internal = jax.vjp(forward, *primals, has_aux=True)
        return list(pull_back([jnp.ones_like(output) for output in outputs])), internal

    return gradient


def hvp_of(
    forward: Function, primals: Sequence[Any], directions: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """Returns the Hessian times a vector, and the values besides."""
    _, results, internal = jax.jvp(gradient_of(forward), primals, directions, has_aux=True)
    return results, internal


def hessian_of(
    forward: Function,
    primals: Sequence[Any],
    groups: Sequence[Sequence[int]],
    types: Sequence[TensorType],
    steps: Sequence[TensorType],
) -> tuple[list[Any], list[Any]]:
    """Returns the Hessian, and the values besides.

    Args:
        forward: the function.
        primals: its arguments.
        groups: for each source the arguments that stand for it.
        types: the types of the sources.
        steps: the types of the intermediate values.

    Returns:
        For each source a matrix: a row for each element of it, a column for each of all sources'.
    """
    _, push, internal = jax.linearize(gradient_of(forward), *primals, has_aux=True)
    columns = []
    for source, group in zip(types, groups, strict=True):

        def column(place: Any, source: TensorType = source, group: Any = group) -> list[Any]:
            vector = jax.nn.one_hot(place, source.size, dtype=source.numpy_dtype)
            directions = [jnp.zeros_like(primal) for primal in primals]
            for k in group:
                directions[k] = vector.reshape(source.shape)
            tangents = push(*directions)
            return [sum(tangents[k] for k in g[1:]) + tangents[g[0]] for g in groups]

        columns.append(mapped(column, source.size, 2 * bytes_of(steps), None))
    rows = []
    for place, source in enumerate(types):
        parts = [found[place].reshape(-1, source.size).T for found in columns]
        rows.append(jnp.concatenate(parts, axis=1))
    return rows, internal


def laplacian_of(
    forward: Function, primals: Sequence[Any], source: TensorType, steps: Sequence[TensorType]
) -> tuple[list[Any], list[Any]]:
    """Returns the sum of the second derivatives along the last dimension, and the values besides.

    Args:
        forward: the function, which has one output.
        primals: its arguments, all of which stand for one source.
        source: the type of the source.
        steps: the types of the intermediate values.
    """
    outputs, internal = forward(*primals)
    count = source.shape[-1]

    def along(place: Any) -> list[Any]:
        vector = jax.nn.one_hot(place, count, dtype=source.numpy_dtype)
        directions = [jnp.broadcast_to(vector, source.shape)] * len(primals)

        def slope(*values: Any) -> Any:
            _, tangents, _ = jax.jvp(forward, list(values), directions, has_aux=True)
            return tangents[0]

        return [jax.jvp(slope, list(primals), directions)[1]]

    (found,) = mapped(along, count, 4 * bytes_of(steps), None)
    return [jnp.sum(found, axis=0, dtype=outputs[0].dtype)], internal
