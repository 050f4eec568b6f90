"""What there is of the members of values, and of the arguments of calls, in a program that is read.

What is asked for is written as `Reader.details` has it: `tf.constant().numpy` is a member of what
`tf.constant` returns, `tf.zeros(dtype=)` an argument, `tf.zeros(2)` two arguments without names.
"""

import contextlib
import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tapefacade._compat.v1_namespaces import RENAMED
from tapefacade._core.missing_names import nearest_name
from tapefacade._core.tensor import EagerTensor
from tapefacade._data.dataset import Dataset
from tapefacade._port.name_status import get

CALL = re.compile(r"(.+)\((?:(\w+)=|(\d+))\)")
# Functions whose annotations do not tell that they return a tensor.
TENSOR_MAKERS = {
    f"tf.{name}"
    for name in ("zeros", "ones", "fill", "range", "cast", "reshape", "concat", "stack",
                 "zeros_like", "ones_like", "transpose", "expand_dims", "squeeze", "tile")
}  # fmt: skip
# The classes that annotations name.
ANNOTATED_CLASSES: dict[str, tuple[str, type]] = {
    "Tensor": ("tf.Tensor", EagerTensor),
    "Dataset": ("tf.data.Dataset", Dataset),
}
MESSAGE_NO_MEMBER = "There is no such attribute"
MESSAGE_NO_ARGUMENT = "There is no such argument"
MESSAGE_TOO_MANY = "It takes {} arguments without names"
MESSAGE_NEAREST_MEMBER = "; the nearest name is `{}`"
ARGUMENTS_OF_ALL_OPS = {"name"}  # every op takes it


class MissingDetail(NamedTuple):
    """A member or an argument that is not there.

    Attributes:
        name: what to call it.
        text: what to write instead.
        spelling: what the argument is called today, if only that has changed.
    """

    name: str
    text: str
    spelling: str = ""


@functools.lru_cache(maxsize=4096)
def look_up_detail(asked: str) -> MissingDetail | None:
    """Finds out whether a member or an argument is missing.

    Args:
        asked: as `Reader.details` has it.

    Returns:
        What is missing; None if it is there, or if that is not clear.

    >>> look_up_detail("tf.constant().evaluate")
    MissingDetail(name='tf.Tensor.evaluate', text='There is no such attribute.', spelling='')
    >>> look_up_detail("tf.reduce_sum(keep_dims=)").spelling
    'keepdims'
    >>> look_up_detail("tf.reduce_sum(keepdims=)")
    """
    call = CALL.fullmatch(asked)
    with contextlib.suppress(AttributeError, ImportError):
        if call is None:
            return _missing_member(*asked.rsplit("().", 1))
        path, keyword, count = call.groups()
        shown, found = _called(path)
        if found is not None:
            return _missing_argument(shown, found, keyword, int(count or 0))
    return None


def _class_made(path: str) -> tuple[str, type] | None:
    """Returns the class of what a function or class returns, and its name, if that is clear."""
    if "()" in path:
        return None
    found = get(path)
    if isinstance(found, type):
        return path, found
    returned = getattr(found, "__annotations__", {}).get("return")
    returned = "Tensor" if path in TENSOR_MAKERS else getattr(returned, "__name__", str(returned))
    return ANNOTATED_CLASSES.get(returned)


def _missing_member(maker: str, member: str) -> MissingDetail | None:
    if "." in member or "(" in member or (made := _class_made(maker)) is None:
        return None
    name, owner = made
    if _has(owner, member):
        return None
    names = [f"{name}.{other}" for other in dir(owner) if not other.startswith("_")]
    nearest = nearest_name(f"{name}.{member}", names)
    text = MESSAGE_NO_MEMBER + (MESSAGE_NEAREST_MEMBER.format(nearest) if nearest else "")
    return MissingDetail(f"{name}.{member}", f"{text}.")


def _has(owner: type, member: str) -> bool:
    """Whether objects of a class have a member; what is only set on them stands in its code."""
    if hasattr(owner, member) or member.startswith("_"):
        return True
    if owner is EagerTensor:
        return False
    return any(re.search(rf"\b{member}\b", _source(kind)) for kind in owner.__mro__)


@functools.lru_cache(maxsize=512)
def _source(kind: type) -> str:
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):  # of Python itself
        return ""


def _called(path: str) -> tuple[str, Any]:
    """Returns a function, class or method that is called, and its name; None if it is unclear."""
    maker, _, member = path.rpartition("().")
    if not maker:
        return path, None if "()" in path else get(path)
    made = _class_made(maker)
    if made is None:
        return path, None
    name, owner = made
    method = getattr(owner, member)
    own = inspect.getattr_static(owner, member)
    is_plain = not isinstance(own, staticmethod | classmethod) and callable(own)
    return f"{name}.{member}", functools.partial(method, None) if is_plain else None


def _missing_argument(
    name: str, found: Callable[..., Any], keyword: str | None, count: int
) -> MissingDetail | None:
    try:
        # Wrappers that take other spellings have more parameters than what they wrap.
        signature = inspect.signature(found, follow_wrapped=not _is_of_keras(found))
    except (TypeError, ValueError):
        return None
    kinds = {p.kind for p in signature.parameters.values()}
    if keyword is None:
        known = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
                    for p in signature.parameters.values())  # fmt: skip
        if inspect.Parameter.VAR_POSITIONAL in kinds or count <= known:
            return None
        return MissingDetail(f"{name}(...)", f"{MESSAGE_TOO_MANY.format(known)}.")
    if inspect.Parameter.VAR_KEYWORD in kinds or keyword in {
        *signature.parameters,
        *ARGUMENTS_OF_ALL_OPS,
    }:
        return None
    older = RENAMED.get(name.removeprefix("tf."))
    today = older.ours.get(keyword, "") if older else ""
    if today in signature.parameters:
        return MissingDetail(f"{name}({keyword}=)", f"Write `{today}=`.", today)
    nearest = nearest_name(keyword, list(signature.parameters))
    text = MESSAGE_NO_ARGUMENT + (MESSAGE_NEAREST_MEMBER.format(nearest) if nearest else "")
    return MissingDetail(f"{name}({keyword}=)", f"{text}.")


def _is_of_keras(found: Any) -> bool:
    inner = getattr(found, "func", found)
    return getattr(inner, "__module__", "").startswith("keras")
