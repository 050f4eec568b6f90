"""Products of matrices and contractions of tensors."""

import functools
import math
import re
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tapefacade._core.dtypes import DType, as_dtype, bfloat16, float32, int8, int32, uint8
from tapefacade._core.error_texts import inconvertible_argument, invalid, matrix_sizes, shape_text
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._definition.op import TensorLike, TensorList, function, op
from tapefacade._trace.products_in_blocks import product

NUMBERS = (
    "bfloat16", "half", "float", "double", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "complex64", "complex128",
)  # fmt: skip


def batches_differ(first: str, second: str) -> str:
    """Words that two batches of matrices have different sizes."""
    return f"In[0] and In[1] must have compatible batch dimensions: {first} vs. {second}"


def ndims_too_few(place: int, rank: int) -> str:
    """Words that an operand is no matrix."""
    return f"In[{place}] ndims must be >= 2: {rank}"


def ndims_differ(first: str, second: str) -> str:
    """Words that two operands have different numbers of dimensions."""
    return f"In[0] and In[1] has different ndims: {first} vs. {second}"


def _may_differ(static: tuple[Any, ...], types: Sequence[TensorType]) -> bool:
    """Tells whether the operands may be of two dtypes.

    8-bit integers are multiplied to int32, or with bfloat16 to bfloat16; a matrix of bfloat16 and
    one of float32 to float32, whatever is asked for.
    """
    if {type_.dtype for type_ in types} == {bfloat16, float32}:
        return all(len(type_.shape) <= 2 for type_ in types)
    small = [type_.dtype in (int8, uint8) for type_ in types]
    others = [type_.dtype for type_, is_small in zip(types, small, strict=True) if not is_small]
    return (int32 in static and all(small)) or (bfloat16 in static and others == [bfloat16])


@op("linalg.matmul", "matmul", kernel="MatMul", dtypes=NUMBERS, accepts=_may_differ)
def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DType | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
) -> jax.Array:
    """Multiplies matrices, or stacks of matrices whose leading dimensions broadcast.

    Beyond TensorFlow, 8-bit and 16-bit integers are multiplied on every device, and
    `output_type` may be any numeric type.

    Args:
        a: a tensor of shape `[..., M, K]`, of a floating, complex or integer type.
        b: a tensor of shape `[..., K, N]`, of the same type; for the output type int32 one may be
            int8 and the other uint8. Of two matrices one may be bfloat16 and the other float32, to
            which they are multiplied.
        transpose_a: swap the last two dimensions of `a` first.
        transpose_b: swap the last two dimensions of `b` first.
        adjoint_a: take the conjugate transpose of `a` first.
        adjoint_b: take the conjugate transpose of `b` first.
        a_is_sparse: accepted and ignored.
        b_is_sparse: accepted and ignored.
        output_type: the dtype of the result, by default that of `a` and `b`.
        grad_a: accepted and ignored.
        grad_b: accepted and ignored.

    Returns:
        A tensor of shape `[..., M, N]`.

    Raises:
        InvalidArgumentError: if an operand has fewer than two dimensions, or the shapes do not
            fit together.
        ValueError: if a matrix is to be both transposed and adjoint.

    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """
    _refuse_both("a", transpose_a, adjoint_a)
    _refuse_both("b", transpose_b, adjoint_b)
    a = jnp.conj(a) if adjoint_a and jnp.iscomplexobj(a) else a
    b = jnp.conj(b) if adjoint_b and jnp.iscomplexobj(b) else b
    wanted = None if output_type is None else as_dtype(output_type).as_numpy_dtype
    if a.dtype != b.dtype:
        if {a.dtype.name, b.dtype.name} == {"bfloat16", "float32"}:
            wanted = jnp.dtype("float32")
        a, b = a.astype(wanted), b.astype(wanted)
    return _product(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b, wanted)


def _refuse_both(name: str, transpose: bool, adjoint: bool) -> None:
    if transpose and adjoint:
        raise ValueError(
            f"Only one of `transpose_{name}` and `adjoint_{name}` can be True. Received "
            f"`transpose_{name}`={transpose}, `adjoint_{name}`={adjoint}."
        )


def _product(
    a: jax.Array, b: jax.Array, transpose_a: bool, transpose_b: bool, dtype: Any = None
) -> jax.Array:
    """Multiplies with one `dot_general` wherever the leading dimensions are equal or absent."""
    _check_ranks(a, b)
    contracted_a = a.ndim - 2 if transpose_a else a.ndim - 1
    contracted_b = b.ndim - 1 if transpose_b else b.ndim - 2
    _check_batches(a.shape[:-2], b.shape[:-2], a, b)
    if a.shape[contracted_a] != b.shape[contracted_b]:
        plain = a.ndim == b.ndim == 2
        flags = "" if plain else f" {int(transpose_a)} {int(transpose_b)}"
        raise _size_error(a.shape, b.shape, flags)
    batch = a.ndim - 2
    if a.ndim == b.ndim == 2:
        return product(a, b, contracted_a, contracted_b, dtype)
    if a.ndim == b.ndim and a.shape[:batch] == b.shape[:batch]:
        leading = tuple(range(batch))
        numbers = (((contracted_a,), (contracted_b,)), (leading, leading))
        return lax.dot_general(a, b, numbers, preferred_element_type=dtype)
    if b.ndim == 2 and not transpose_a:
        numbers = (((contracted_a,), (contracted_b,)), ((), ()))
        return lax.dot_general(a, b, numbers, preferred_element_type=dtype)
    a = jnp.swapaxes(a, -1, -2) if transpose_a else a
    b = jnp.swapaxes(b, -1, -2) if transpose_b else b
    return jnp.matmul(a, b, preferred_element_type=dtype)


def _check_ranks(a: jax.Array, b: jax.Array) -> None:
    if max(a.ndim, b.ndim) <= 2:
        if a.ndim != b.ndim:
            text = ndims_differ(shape_text(a.shape), shape_text(b.shape))
            raise invalid(text)
        if a.ndim < 2:
            raise invalid(f"In[0] and In[1] ndims must be == 2: {a.ndim}")
    for position, operand in enumerate((a, b)):
        if operand.ndim < 2:
            raise invalid(ndims_too_few(position, operand.ndim))


def _check_batches(first: Sequence[int], second: Sequence[int], a: jax.Array, b: jax.Array) -> None:
    if not _broadcasts(first, second):
        raise invalid(batches_differ(shape_text(a.shape), shape_text(b.shape)))


def _size_error(a: Sequence[int], b: Sequence[int], flags: str = "") -> Exception:
    return invalid(matrix_sizes(shape_text(a), shape_text(b)) + flags)


def _broadcasts(first: Sequence[int], second: Sequence[int]) -> bool:
    return all(
        x == y or 1 in (x, y) for x, y in zip(reversed(first), reversed(second), strict=False)
    )


@op("linalg.matvec", kernel="MatMul", dtypes=NUMBERS)
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
) -> jax.Array:
    """Multiplies matrices with vectors; the leading dimensions broadcast.

    Args:
        a: a tensor of shape `[..., M, K]`.
        b: a tensor of shape `[..., K]`, of the same type.
        transpose_a: swap the last two dimensions of `a` first.
        adjoint_a: take the conjugate transpose of `a` first.
        a_is_sparse: accepted and ignored.
        b_is_sparse: accepted and ignored.

    Returns:
        A tensor of shape `[..., M]`.

    Raises:
        InvalidArgumentError: if the shapes do not fit together.

    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """
    _refuse_both("a", transpose_a, adjoint_a)
    a = jnp.conj(a) if adjoint_a and jnp.iscomplexobj(a) else a
    return jnp.squeeze(_product(a, b[..., None], transpose_a or adjoint_a, False), -1)


@op("linalg.tensordot", "tensordot", kernel="MatMul", dtypes=NUMBERS)
def tensordot(a: TensorLike, b: TensorLike, axes: Any) -> jax.Array:
    """Sums the products of `a` and `b` over the given dimensions of both.

    Args:
        a: a tensor.
        b: a tensor of the same type.
        axes: the number of dimensions, the last of `a` and the first of `b`; or a pair of lists
            that name the dimensions of `a` and of `b`.

    Returns:
        A tensor whose shape is that of `a` followed by that of `b`, both without the dimensions
        summed over.

    Raises:
        ValueError: if `axes` has another form.
        InvalidArgumentError: if the dimensions summed over differ in size.

    >>> tf.tensordot([[1.0, 2.0]], [3.0, 4.0], axes=1).numpy()
    array([11.], dtype=float32)
    """
    axes_a, axes_b = _contracted(a.shape, b.shape, axes)
    if [a.shape[x] for x in axes_a] != [b.shape[x] for x in axes_b]:
        inner_a = math.prod(a.shape[x] for x in axes_a)
        inner_b = math.prod(b.shape[x] for x in axes_b)
        outer_a = math.prod(n for x, n in enumerate(a.shape) if x not in axes_a)
        outer_b = math.prod(n for x, n in enumerate(b.shape) if x not in axes_b)
        raise _size_error((outer_a, inner_a), (inner_b, outer_b))
    return lax.dot_general(a, b, ((axes_a, axes_b), ((), ())))


def _contracted(
    shape_a: Sequence[int], shape_b: Sequence[int], axes: Any
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        for shape in (shape_a, shape_b):
            if axes > len(shape):
                raise ValueError(
                    "`axes` must not be larger than the number of dimensions of a tensor of shape "
                    f"{tuple(shape)}.  Received {axes}, vs tensor dimensions {len(shape)}."
                )
        return tuple(range(len(shape_a) - axes, len(shape_a))), tuple(range(axes))
    if isinstance(axes, str):
        raise inconvertible_argument(axes)
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {list(axes)}.")
    of_a, of_b = ((x,) if isinstance(x, int) else tuple(x) for x in axes)
    if len(of_a) != len(of_b):
        raise ValueError(
            f"Different number of contraction axes `a` and `b`, {len(of_a)} != {len(of_b)}."
        )
    return _positions(shape_a, of_a), _positions(shape_b, of_b)


def _positions(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    if any(not -len(shape) <= x < len(shape) for x in axes):
        raise IndexError("list index out of range")
    found = tuple(x % len(shape) for x in axes)
    if len(set(found)) != len(found):
        raise ValueError(f"`axes` names a dimension twice: {tuple(axes)}.")
    return found


@function("linalg.einsum", "einsum")
def einsum(equation: str, *inputs: TensorLike, **kwargs: Any) -> EagerTensor:
    """Sums products of the elements of tensors as an equation between subscripts says.

    Args:
        equation: such as `"ij,jk->ik"`. A subscript that the output lacks is summed over, one
            that an input has twice selects its diagonal, `...` stands for dimensions that
            broadcast. Without `->` the subscripts that occur once form the output, in
            alphabetical order.
        *inputs: the tensors, of one type, as many as the equation has left of `->`.
        **kwargs: `optimize` (`"greedy"`, `"optimal"` or another of `opt_einsum`'s strategies)
            and `name`.

    Returns:
        A tensor of the type of `inputs`.

    Raises:
        ValueError: if the equation is malformed, or not for this number of inputs.
        InvalidArgumentError: if the shapes do not fit to it.

    >>> tf.einsum("ij,jk->ik", [[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """
    kwargs.pop("name", None)
    optimize = kwargs.pop("optimize", "greedy")
    if kwargs:
        unknown = ", ".join(kwargs)
        raise TypeError(
            f"Invalid keyword arguments for einsum: {unknown}. "
            "Valid arguments: name, optimize, greedy."
        )
    return _einsum(list(inputs), _canonical(equation, len(inputs)), optimize)


@op("_einsum", kernel="Einsum")
def _einsum(inputs: TensorList, equation: str, optimize: str) -> jax.Array:
    """Evaluates an equation that `_canonical` returned."""
    _check_einsum(equation.split("->")[0].split(","), inputs)
    return jnp.einsum(equation, *inputs, optimize=optimize)


# An equation as TensorFlow reads it: letters, commas, `...`, and at most one arrow.
_EQUATION = re.compile(r"^[a-zA-Z,.]*(->[a-zA-Z.]*)?$")


@functools.lru_cache(maxsize=1024)
def _canonical(equation: str, count: int) -> str:
    """Checks an equation and returns it with its output, without spaces."""
    packed = equation.replace(" ", "")
    if not _EQUATION.match(packed) or "." in packed.replace("...", ""):
        raise ValueError(f"Subscripts have incorrect format: {packed}")
    left, arrow, right = packed.partition("->")
    terms = left.split(",")
    letters = left.replace(",", "").replace(".", "")
    if not arrow:
        right = "..." if "..." in left else ""
        right += "".join(sorted(x for x in set(letters) if letters.count(x) == 1))
    if len(terms) != count:
        raise ValueError(f'Got {count} inputs for equation "{packed}", expecting {len(terms)}')
    output = right.replace("...", "")
    if len(set(output)) != len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {packed}")
    for label in output:
        if label not in letters:
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )
    return f"{left}->{right}"


def _check_einsum(terms: Sequence[str], inputs: Sequence[jax.Array]) -> None:
    """Raises if the inputs do not have the ranks or sizes the equation asks for."""
    sizes: dict[str, int] = {}
    for position, (term, array) in enumerate(zip(terms, inputs, strict=True)):
        front, dots, back = term.partition("...")
        rank = len(front) + len(back)
        if array.ndim < rank or (not dots and array.ndim != rank):
            wanted = f"at least {rank}" if dots else f"{rank}"
            raise invalid(
                f"Expected input {position} to have rank {wanted} but got: {array.ndim}",
            )
        labels = [*enumerate(front), *enumerate(back, array.ndim - len(back))]
        for axis, label in labels:
            if sizes.setdefault(label, array.shape[axis]) != array.shape[axis]:
                raise invalid(
                    f"Expected dimension {sizes[label]} at axis {axis} of the input shaped "
                    f"{shape_text(array.shape)} but got dimension {array.shape[axis]}",
                )


@op("linalg.adjoint", kernel="Conj")
def adjoint(matrix: TensorLike) -> jax.Array:
    """Exchanges the last two dimensions and conjugates complex numbers.

    Args:
        matrix: a tensor of shape `[..., M, N]`.

    Returns:
        A tensor of shape `[..., N, M]` and the type of `matrix`.

    Raises:
        ValueError: if `matrix` has fewer than two dimensions.

    >>> tf.linalg.adjoint([[1, 2]]).numpy()
    array([[1],
           [2]], dtype=int32)
    """
    if matrix.ndim < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2.  Received a tensor with "
            f"shape: {matrix.shape}"
        )
    return jnp.conj(jnp.swapaxes(matrix, -1, -2))
