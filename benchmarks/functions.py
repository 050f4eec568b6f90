"""Calls of a function with 20 variables and 3 arguments, where the call is what costs."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from networks import Step

VARIABLES = 20
SIZE = 16


def _values() -> tuple[list[np.ndarray[Any, Any]], list[np.ndarray[Any, Any]]]:
    random = np.random.default_rng(0)
    weights = [random.normal(size=SIZE).astype(np.float32) for _ in range(VARIABLES)]
    return weights, [random.normal(size=SIZE).astype(np.float32) for _ in range(3)]


def tf_call(tf: Any, compiled: Any) -> Step:
    """Makes a call of a function that reads its variables."""
    weights, data = _values()
    variables = [tf.Variable(weight) for weight in weights]

    def function(x: Any, y: Any, z: Any) -> Any:
        total = x * y + z
        for variable in variables:
            total = total * 0.5 + variable
        return total

    call = compiled(function)
    arguments = [tf.constant(array) for array in data]
    return lambda: call(*arguments)


def jax_call(compiled: Any) -> Step:
    """Makes the same call with `jax.jit`: the variables are arguments."""
    weights, data = _values()

    @compiled
    def function(variables: Any, x: Any, y: Any, z: Any) -> Any:
        total = x * y + z
        for variable in variables:
            total = total * 0.5 + variable
        return total

    variables = [jnp.asarray(weight) for weight in weights]
    arguments = [jnp.asarray(array) for array in data]
    return lambda: function(variables, *arguments)
