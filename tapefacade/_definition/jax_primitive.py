"""Primitives of JAX, for linear functions whose transpose JAX would compute slowly."""

from collections.abc import Callable, Hashable
from typing import Any

import jax
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import mlir


class LinearPrimitive:
    """A function that JAX lowers as it is, and transposes and maps by rules of its own.

    Args:
        name: its name in programs.
        function: computes it, of arrays and `how`, what is known of it, which can be hashed.
        shape: returns the shape of the result, of the types of the arrays and of `how`. Its dtype
            is that of the first array.
        plain: computes the same by primitives of JAX that can be transposed; `function` if None.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., jax.Array],
        shape: Callable[..., tuple[int, ...]],
        plain: Callable[..., jax.Array] | None = None,
    ) -> None:
        def computed(*arrays: jax.Array, how: Hashable) -> jax.Array:
            return function(*arrays, how)

        self.primitive = Primitive(name)
        self.plain = plain or function
        self.primitive.def_impl(jax.jit(computed, static_argnames="how"))
        self.primitive.def_abstract_eval(
            lambda first, *rest, how: ShapedArray(shape(first, *rest, how), first.dtype)
        )
        mlir.register_lowering(self.primitive, mlir.lower_fun(computed, multiple_results=False))

    def __call__(self, *arrays: jax.Array, how: Hashable) -> Any:
        # What differs from device to device in a `jax.shard_map` has types of its own.
        if jax.sharding.get_abstract_mesh().manual_axes:
            return self.plain(*arrays, how)
        return self.primitive.bind(*arrays, how=how)
