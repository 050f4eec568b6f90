"""Products of matrices in blocks, so that XLA runs a small program in the thread that calls it.

On a CPU XLA hands a program of 1,000 floating-point operations or more to another thread. To wait
for that takes 40 us where other processes keep the cores busy, and the program 15 us: a loop that
calls Python between two programs does so in each iteration. XLA counts the body of a loop once. So
a product that is computed in blocks, one after the other, counts as one of them, and takes about as
long as before.
"""

import math
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr

from tapefacade._core.thread_state import ThreadState
from tapefacade._trace.compiler_options import equations_within, shape_of
from tapefacade._trace.op_costs import MOVES

MAX_OPERATIONS = 850  # that are counted here; XLA also counts what it computes twice
MIN_PRODUCT = 200  # operations of a product that is worth it
BLOCKS = (2, 4, 8, 16)
COUNTED_MOVES = frozenset({"convert_element_type", "select_n"})


class _Products(ThreadState):
    """In how many blocks this thread computes products of matrices."""

    blocks = 1


PRODUCTS = _Products()


def blocks_for(traced: ClosedJaxpr) -> int:
    """Returns in how many blocks the products of a program are to be computed.

    Args:
        traced: the program, as JAX has traced it.
    """
    products = others = 0
    for equation in equations_within(traced.jaxpr):
        size = math.prod(shape_of(equation.outvars[0])) if equation.outvars else 0
        if equation.primitive.name == "dot_general":
            (contracted, _), _ = equation.params["dimension_numbers"]
            size *= 2 * math.prod(shape_of(equation.invars[0])[axis] for axis in contracted)
            products += size if size >= MIN_PRODUCT else 0
            others += size if size < MIN_PRODUCT else 0
        elif equation.primitive.name not in MOVES - COUNTED_MOVES:
            others += size
    return next((n for n in (1, *BLOCKS) if others + products / n <= MAX_OPERATIONS), 1)


def product(a: Any, b: Any, contracted_a: int, contracted_b: int, dtype: Any) -> Any:
    """Multiplies two matrices.

    Args:
        a: the first one.
        b: the second one.
        contracted_a: the dimension of `a` that is summed over.
        contracted_b: that of `b`.
        dtype: what is summed in; None if that of the matrices.
    """
    numbers = (((contracted_a,), (contracted_b,)), ((), ()))
    count, rows = PRODUCTS.blocks, a.shape[1 - contracted_a]
    size, columns = b.shape[contracted_b], b.shape[1 - contracted_b]

    def multiplied(a: Any, b: Any) -> Any:
        return lax.dot_general(a, b, numbers, preferred_element_type=dtype)

    def block(array: Any, axis: int, number: Any) -> Any:
        each = array.shape[axis] // count
        return lax.dynamic_slice_in_dim(array, number * each, each, axis)

    def with_columns(number: Any, found: Any) -> Any:
        part = multiplied(a, block(b, 1 - contracted_b, number))
        return lax.dynamic_update_slice_in_dim(found, part, number * (columns // count), 1)

    def with_terms(number: Any, found: Any) -> Any:
        return found + multiplied(block(a, contracted_a, number), block(b, contracted_b, number))

    is_in_blocks = count > 1 and 2 * rows * size * columns >= MIN_PRODUCT
    if not is_in_blocks or (columns % count and size % count):
        return multiplied(a, b)
    start = jnp.zeros((rows, columns), dtype or a.dtype)
    return lax.fori_loop(0, count, with_terms if columns % count else with_columns, start)
