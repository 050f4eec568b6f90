"""A row of the op table: a call that TensorFlow answers or refuses, and how closely we agree."""

import dataclasses
import hashlib
from collections.abc import Iterator
from typing import Any

import ml_dtypes  # noqa: F401  NumPy then knows "bfloat16" and the float8 types by name
import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """One call of the op at `path` below `tf`.

    NumPy arrays (and NumPy scalars) among `inputs` become tensors; a list or tuple with an array
    in it becomes a list of tensors; other Python values, and `static`, are passed as they are.
    """

    path: str
    inputs: tuple[Any, ...] = ()
    static: dict[str, Any] = dataclasses.field(default_factory=dict)
    rtol: float = 1e-6
    atol: float = 0.0
    id: str = ""
    gradient: bool = True  # False where asking for a gradient makes no sense
    raises: bool = False  # the golden is TensorFlow's exception
    lists: tuple[int, ...] = ()  # positions whose lists of Python numbers are lists of tensors
    values: bool = True  # False compares dtypes and shapes only (random draws)
    numerical: bool = True  # False where TensorFlow's gradient is not the derivative


def array(values: tuple[Any, ...], dtype: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.dtype(dtype))


def f(*values: Any, dtype: Any = "float32") -> np.ndarray:
    """float32: `f(2.0)` is a scalar, `f(1.0, 2.0)` a vector, `f([[1.0]])` a matrix."""
    return array(values, dtype)


def d(*values: Any) -> np.ndarray:
    """float64, in the forms of `f`."""
    return array(values, "float64")


def i(*values: Any, dtype: Any = "int32") -> np.ndarray:
    """int32 (or another `dtype`), in the forms of `f`."""
    return array(values, dtype)


def b(*values: Any) -> np.ndarray:
    """bool, in the forms of `f`."""
    return array(values, "bool")


def c(*values: Any, dtype: Any = "complex64") -> np.ndarray:
    """complex64 (or complex128), in the forms of `f`."""
    return array(values, dtype)


def raises(path: str, inputs: tuple[Any, ...] = (), static: dict | None = None, id: str = "error"):
    """A row whose call TensorFlow refuses."""
    return Case(path, inputs, static or {}, id=id, raises=True)


def name(case: Case) -> str:
    return "-".join(filter(None, (case.path, case.id)))


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic)


def is_list(case: Case, position: int) -> bool:
    """Says whether the input at `position` is a list of tensors."""
    value = case.inputs[position]
    if not isinstance(value, list | tuple):
        return False
    return position in case.lists or any(is_array(v) for v in value)


def tensors(tf: Any, case: Case) -> tuple[list[Any], list[Any]]:
    """The arguments of the call under the module `tf`, and the floating tensors among them."""
    sources: list[Any] = []

    def tensor(value: Any) -> Any:
        made = tf.constant(value)
        if made.dtype.is_floating or made.dtype.is_complex:
            sources.append(made)
        return made

    arguments = []
    for position, value in enumerate(case.inputs):
        if is_array(value):
            arguments.append(tensor(value))
        elif is_list(case, position):
            kept = position not in case.lists
            arguments.append([v if kept and not is_array(v) else tensor(v) for v in value])
        else:
            arguments.append(value)
    return arguments, sources


def fingerprint(case: Case) -> str:
    """Changes when the golden answer could."""
    parts = [case.path, case.gradient, case.raises, case.lists, *described(case.inputs)]
    for key in sorted(case.static):
        parts += [key, *described(case.static[key])]
    return hashlib.sha1(repr(parts).encode()).hexdigest()[:12]


def described(value: Any) -> Iterator[str]:
    if is_array(value):
        yield f"{value.dtype}{value.shape}{value.tobytes().hex()}"
    elif isinstance(value, list | tuple):
        yield type(value).__name__
        for v in value:
            yield from described(v)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield key
            yield from described(value[key])
    elif callable(value):
        yield getattr(value, "__qualname__", type(value).__name__)
    else:
        yield repr(value)
