"""What a TensorFlow-like module answers to a row: asked the same way of TensorFlow and of us."""

import dataclasses
import operator
import re
from typing import Any

import numpy as np

from cases.case import Case, tensors

UNSUITABLE = (LookupError, NotImplementedError, ValueError, TypeError, RuntimeError)


@dataclasses.dataclass
class Answer:
    """`error` is (class name, text); gradients hold None where the tape gave None."""

    structure: str = ""
    values: list[np.ndarray] = dataclasses.field(default_factory=list)
    error: tuple[str, str] | None = None
    gradient: list[np.ndarray | None] | None = None
    gradient_error: tuple[str, str] | None = None
    second: list[np.ndarray | None] | None = None
    second_error: tuple[str, str] | None = None


def ask(tf: Any, case: Case) -> Answer:
    """Calls the op, and takes its gradient and the gradient of that, before looking at any."""
    arguments, sources = tensors(tf, case)
    call = operator.attrgetter(case.path)(tf)
    if case.raises:
        return Answer(error=refusal(tf, call, arguments, case))
    if not (case.gradient and sources):
        structure, leaves = taken_apart(tf, call(*arguments, **case.static))
        return Answer(structure, [looked_at(v) for v in leaves])
    answer = Answer()
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as inner:
            inner.watch(sources)
            answer.structure, leaves = taken_apart(tf, call(*arguments, **case.static))
            targets = [v for v in leaves if tf.is_tensor(v) and is_float(v)]
        first = grads(tf, inner, targets, sources, answer, "gradient_error")
        targets = [g for g in first or [] if g is not None]
    second = None
    if first is not None:
        second = grads(tf, outer, targets, sources, answer, "second_error")
    answer.values = [looked_at(v) for v in leaves]
    answer.gradient = None if first is None else [looked_at(g) for g in first]
    answer.second = None if second is None else [looked_at(g) for g in second]
    return answer


def refusal(tf: Any, call: Any, arguments: list[Any], case: Case) -> tuple[str, str]:
    try:
        _, leaves = taken_apart(tf, call(*arguments, **case.static))
        for v in leaves:
            looked_at(v)
    except Exception as e:
        return described(e)
    return ("nothing", "the call succeeds")


def grads(tf: Any, tape: Any, targets: Any, sources: Any, answer: Answer, field: str) -> Any:
    if not targets:
        return [None] * len(sources)
    try:
        return [
            g if g is None else tf.convert_to_tensor(g) for g in tape.gradient(targets, sources)
        ]
    except UNSUITABLE as e:
        setattr(answer, field, described(e))
    except Exception as e:
        if not isinstance(e, getattr(tf.errors, "OpError", ())):
            raise
        setattr(answer, field, described(e))
    return None


def is_float(value: Any) -> bool:
    return value.dtype.is_floating or value.dtype.is_complex


def taken_apart(tf: Any, value: Any) -> tuple[str, list[Any]]:
    """The structure as text, "*" for each tensor, and the tensors."""
    if tf.is_tensor(value) or isinstance(value, np.ndarray | np.generic):
        return ("*" if tf.is_tensor(value) else "array"), [value]
    if isinstance(value, dict):
        parts = [(f"{key}: ", v) for key, v in value.items()]
        opening, closing = "{", "}"
    elif hasattr(value, "_fields"):
        parts = [(f"{key}=", getattr(value, key)) for key in value._fields]
        opening, closing = f"{type(value).__name__}(", ")"
    elif isinstance(value, list | tuple):
        parts = [("", v) for v in value]
        opening, closing = "[]" if isinstance(value, list) else "()"
    else:
        return repr(value), []
    inner, leaves = [], []
    for label, v in parts:
        text, below = taken_apart(tf, v)
        inner.append(label + text)
        leaves += below
    return opening + ", ".join(inner) + closing, leaves


def looked_at(value: Any) -> Any:
    if value is None or isinstance(value, np.ndarray | np.generic):
        return value
    return np.asarray(value.numpy())


def described(error: Exception) -> tuple[str, str]:
    return type(error).__name__, str(error)


def normalised(text: str) -> str:
    """An error's text without what names the run: the function node, the op suffix, addresses."""
    text = re.sub(r"\{\{function_node [^}]*\}\} ?", "", text)
    text = re.sub(r"(\n\t)?\s*; NodeDef: .*", "", text, flags=re.S)
    text = re.sub(r" used by \{\{node .*", "", text, flags=re.S)
    text = re.sub(r"\s*\[Op:.*", "", text, flags=re.S)
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r"(Previous registration was in )[^)]*", r"\1", text)
    text = re.sub(r"/job:[^ ,')}]*device:", "device:", text)
    return re.sub(r"[ \t]+\n", "\n", text).strip()
