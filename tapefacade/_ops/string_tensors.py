"""What ops do with string tensors: those that only move or compare elements work on the host."""

from typing import Any

import jax
import numpy as np

from tapefacade._core import dtypes, errors, nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import handles
from tapefacade._core.error_texts import invalid, refused_input, refused_type, unequal_shapes
from tapefacade._core.string_arrays import StringTensor, string_tensor
from tapefacade._core.tensor import from_host
from tapefacade._core.tensor_type import type_of
from tapefacade._definition.call import spread
from tapefacade._definition.op import REGISTRY, Op
from tapefacade._definition.parameters import freeze
from tapefacade._trace.open_sizes import open_sizes

ASSERTION_OPS = ("_assert_equal", "_assert_notequal")
CAST_OPS = ("_cast", "_saturate_cast")
CODE_POINT_DTYPE = np.dtype(np.uint32)


class TextCodes:
    """Numbers that stand for texts; 0 for the empty one, with which TensorFlow fills."""

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {b"": 0}

    def encode(self, texts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Returns the numbers of texts."""
        numbers = self.numbers
        codes = [numbers.setdefault(text, len(numbers)) for text in texts.reshape(-1)]
        return np.array(codes, CODE_POINT_DTYPE).reshape(texts.shape)

    def decode(self, codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Returns the texts of numbers."""
        texts = np.empty(len(self.numbers), object)
        texts[:] = list(self.numbers)
        return np.asarray(texts[np.asarray(codes)], object)


@handles(StringTensor, "*")
def on_texts(name: str, *args: Any, **kwargs: Any) -> Any:
    """Runs an op that only moves elements on string tensors; raises for any other."""
    op = REGISTRY.get(name)
    if op is None:
        return NotImplemented
    inputs = [kwargs[p.name] for p in op.tensors]
    static = tuple(kwargs[p.name] for p in op.statics if p.name in kwargs)
    values: list[Any] = inputs
    if not op.plain:
        values, counts = spread(op, tuple(inputs))
        static = (*static, counts)
    static = freeze(op.statics, static)
    tensors = _converted(op, values, static)
    if name in ASSERTION_OPS and not _differ(op, static, tensors):
        return _checked(op, [tensor._value for tensor in tensors], static)
    if not op.facts.moves or _differ(op, static, tensors):
        raise _refused(op, static, tensors)
    # The op runs on numbers that stand for the texts, of a dtype that no result has otherwise.
    codes = TextCodes()
    arrays = [
        codes.encode(t._value) if type(t) is StringTensor else t._numpy_array() for t in tensors
    ]
    computed = _run(op, arrays, static)
    result = jax.tree_util.tree_map(
        lambda array: (
            string_tensor(codes.decode(array))
            if array.dtype == CODE_POINT_DTYPE
            else from_host(array)
        ),
        computed,
    )
    account = open_sizes()
    if account is not None:
        results = _typed(nest.flatten(result), nest.flatten(computed))
        account.note_results(op, (static, static), _typed(tensors, arrays), results)
    return result


def _typed(tensors: Any, arrays: Any) -> list[Any]:
    """Returns tensors with the types of the arrays that stand for them."""
    pairs = zip(tensors, arrays, strict=True)
    return [(tensor, type_of(array.shape, array.dtype)) for tensor, array in pairs]


def _converted(op: Op, values: list[Any], static: tuple[Any, ...]) -> list[Any]:
    tensors = []
    for parameter, value in zip(op.flat_parameters(static), values, strict=True):
        is_text = parameter.kind == "common" and not hasattr(value, "dtype")
        tensors.append(convert(value, dtypes.string if is_text else None))
    return tensors


def _differ(op: Op, static: tuple[Any, ...], tensors: list[Any]) -> bool:
    pairs = zip(op.flat_parameters(static), tensors, strict=True)
    return len({tensor.dtype for parameter, tensor in pairs if parameter.kind == "common"}) > 1


def _refused(op: Op, static: tuple[Any, ...], tensors: list[Any]) -> Exception:
    """Returns TensorFlow's error for an op that takes no texts, or not these."""
    if op.name in CAST_OPS:
        kernel_name = dtypes.as_dtype(static[0]).kernel_name
        message = f"Cast string to {kernel_name} is not supported"
        return op.named(errors.UnimplementedError(None, None, message))
    op._check_dtypes(static, [tensor._type for tensor in tensors])
    return op.named(
        refused_type("T", "string", ("those of numbers",), op.kernel),
        computing=False,
    )


def _run(op: Op, arrays: list[Any], static: tuple[Any, ...]) -> Any:
    """Runs an op at once, checks included."""
    types = [type_of(array.shape, array.dtype) for array in arrays]
    op.infer(static, types)  # raises what is wrong with the shapes
    with jax.enable_x64(True):
        if op.checked(static, types):
            _checked(op, arrays, static)
        result = op.call([jax.numpy.asarray(array) for array in arrays], static)
    return jax.tree_util.tree_map(np.asarray, result)


def _checked(op: Op, arrays: list[Any], static: tuple[Any, ...]) -> None:
    ok, *details = op.test(arrays, static)
    if not bool(ok):
        raise op.error([np.asarray(d) for d in details], static)


@handles(StringTensor, "math.add")
def add(x: Any, y: Any, name: Any = None) -> Any:
    """Joins texts, element by element."""
    first, second = convert(x), convert(y)
    if first.dtype is not second.dtype:
        kernel = "Add" if first.dtype is dtypes.string else "AddV2"
        raise refused_input(kernel, 1, first.dtype.kernel_name, second.dtype.kernel_name)
    try:
        pairs = np.broadcast(first._value, second._value)
    except ValueError:
        raise invalid(unequal_shapes(first.shape, second.shape)) from None
    joined = np.empty(pairs.shape, object)
    joined.reshape(-1)[:] = [a + b for a, b in pairs] if pairs.size else []
    return string_tensor(joined)


@handles(StringTensor, "_ones_like")
def ones_like(input: Any, dtype: Any) -> Any:
    """Makes ones of another dtype."""
    known = None if dtype is None else dtypes.as_dtype(dtype)
    if known in (None, dtypes.string):
        return NotImplemented
    return from_host(np.ones(convert(input)._type.shape, known._numpy))
