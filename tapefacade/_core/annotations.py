"""How annotations show themselves in `help()` and in completions: as what users give and get.

An implementation is annotated with what it sees, which is arrays.
"""

import inspect
import re
import types
from collections.abc import Callable
from typing import Any, TypeVar


class ShownAnnotation:
    """An annotation in the signature of a public function.

    >>> ShownAnnotation("Tensor")
    Tensor
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


FORMS = {"one": "TensorLike", "optional": "TensorLike | None", "list": "Sequence[TensorLike]"}
TENSORS = re.compile(r"jax[\w.]*\.Array|[\w.]+\.EagerTensor")
MODULES = re.compile(
    r"\b(?:tapefacade\._|tensorflow\.python\.|collections\.abc\.|typing\.)(?:\w+\.)*"
)
F = TypeVar("F", bound=Callable[..., Any])

_SHOWN_ANNOTATIONS: dict[Any, Any] = {}


def shown_annotation(annotation: Any) -> Any:
    """Returns what stands for an annotation in a signature.

    >>> import jax
    >>> shown_annotation(tuple[jax.Array, jax.Array]), shown_annotation(int)
    (tuple[Tensor, Tensor], <class 'int'>)
    """
    found = _SHOWN_ANNOTATIONS.get(annotation)
    if found is None:
        found = _SHOWN_ANNOTATIONS[annotation] = _made(annotation)
    return found


def described(public: F) -> F:
    """Has a function show its annotations so, and returns it.

    >>> @described
    ... def doubled(x: "TensorLike") -> jax.Array:
    ...     return 2 * x
    >>> inspect.signature(doubled)
    <Signature (x: 'TensorLike') -> Tensor>
    """
    written = inspect.unwrap(public)
    if isinstance(written, types.FunctionType):
        annotations = written.__annotations__
        written.__annotations__ = {
            name: shown_annotation(kind) for name, kind in annotations.items()
        }
    return public


def _made(annotation: Any) -> Any:
    marks = getattr(annotation, "__metadata__", ())
    if marks:
        return ShownAnnotation(FORMS[marks[1] if len(marks) > 1 else "one"])
    before = inspect.formatannotation(annotation)
    text = MODULES.sub("", TENSORS.sub("Tensor", before))
    return annotation if text == before else ShownAnnotation(text)
