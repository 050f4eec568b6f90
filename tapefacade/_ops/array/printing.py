"""Printing of tensors: `tf.print`, at once or as an effect of the program that is recorded."""

import pprint
import re
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tapefacade._core import nest
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.operands import is_variable
from tapefacade._core.tensor import EagerTensor, Tensor, from_host
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._core.thread_state import ThreadState
from tapefacade._definition.op import function
from tapefacade._ops.array.array_text import summary
from tapefacade._trace.named_axes import EFFECT_ORDER, NAMED_AXES
from tapefacade._trace.operation import Operation
from tapefacade._trace.recording import THREAD


@function("print")
def print(*inputs: Any, **kwargs: Any) -> None:
    """Prints values, with those of the tensors in them, to the standard error.

    Strings are printed as they are, other Python values as `pprint` writes them. As in
    TensorFlow, complex numbers are question marks. Unlike in TensorFlow, bytes that are no UTF-8
    are replaced.

    Args:
        *inputs: tensors, variables, Python values, and nests of these.
        **kwargs: `output_stream` (a stream such as `sys.stdout`, or "file://" and a path, which
            is appended to), `summarize` (how many elements to show at each end of every axis, 3
            by default, -1 for all), `sep` (" " by default), `end` (a new line by default), `name`.

    Raises:
        ValueError: for another keyword.

    >>> tf.print("x:", tf.constant([1.0, 2.5]), output_stream=sys.stdout)
    x: [1 2.5]
    """
    stream = kwargs.pop("output_stream", None)
    form = PrintFormat(
        stream, kwargs.pop("summarize", 3), kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    )
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    is_file = isinstance(stream, str) and stream.startswith("file://")
    if not (stream is None or is_file or callable(stream) or hasattr(stream, "write")):
        raise ValueError(f"output_stream {stream!r} is neither a stream nor 'file://' and a path.")
    recording = THREAD.recording
    if recording.frame is not None:
        leaves = nest.flatten(inputs)
        if not any(isinstance(leaf, CompositeTensor) for leaf in leaves):
            _record(inputs, leaves, form)
            return
    write(inputs, form)


class PrintFormat(NamedTuple):
    """How values are printed, and where."""

    stream: Any
    summarize: int
    separator: str
    end: str


def write(inputs: Sequence[Any], form: PrintFormat) -> None:
    """Prints values now."""
    text = _alone(*inputs) if len(inputs) == 1 else None
    if text is None:
        text = form.separator.join(_shown(value, form.summarize) for value in inputs)
    text += form.end
    stream = sys.stderr if form.stream is None else form.stream
    if isinstance(stream, str):
        with open(stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text)
        return
    stream.write(text)
    stream.flush()


class _PrintTemplate(NamedTuple):
    """What `tf.print` in a function prints: a format, and values with places for tensors.

    Equal if it prints the same, so that a function that is recorded again compiles nothing.
    """

    form: PrintFormat
    inputs: "_Inputs"


class _Inputs:
    """Values among which tensors have places."""

    def __init__(self, inputs: Any) -> None:
        self.inputs = inputs
        self._text = repr(inputs)

    def __hash__(self) -> int:
        return hash(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Inputs) and self._text == other._text


class _OperandPlace(int):
    """The place of a tensor among the operands."""

    def __repr__(self) -> str:
        return f"<{int(self)}>"


class _Print(Operation):
    """Prints its operands, whenever the program that it is part of runs; one after the other."""

    name = "print"
    kernel = "PrintV2"
    acts = True

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        return (type_of((), np.dtype(np.bool_)),), None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        (given,) = static
        if QUIET.on:
            return [jnp.ones((), bool)]

        def write_values(*values: Any) -> None:
            tensors = [from_host(np.asarray(value)) for value in values]
            inputs = nest.map_structure(
                lambda leaf: tensors[leaf] if isinstance(leaf, _OperandPlace) else leaf,
                given.inputs.inputs,
            )
            write(inputs, given.form)

        # Each replica prints, even what is the same for all: with its number, it is not.
        number = () if NAMED_AXES.number is None else (NAMED_AXES.number,)
        jax.debug.callback(write_values, *arrays, *number, ordered=EFFECT_ORDER.is_kept)
        return [jnp.ones((), bool)]


_PRINT = _Print()


class _PrintingState(ThreadState):
    """Whether programs are evaluated for their results alone, as derivatives are."""

    on = False


QUIET = _PrintingState()


def _record(inputs: Sequence[Any], leaves: list[Any], form: PrintFormat) -> None:
    """Records that values are printed when the function runs."""
    recording = THREAD.recording
    slots: list[int] = []
    types: list[TensorType] = []
    found: list[Any] = []
    for leaf in leaves:
        if type(leaf) is EagerTensor or is_variable(leaf):
            found.append(_OperandPlace(len(slots)))
            types.append(leaf._type)
            if type(leaf) is not EagerTensor:
                slots.append(leaf._slot_in(recording))
            else:
                own = leaf._recording is recording
                slots.append(leaf._slot if own else recording.leaf(leaf))
        else:
            found.append(leaf)
    given = _PrintTemplate(form, _Inputs(nest.pack_sequence_as(inputs, found)))
    recording.apply(_PRINT, (given,), tuple(slots), types)


def _alone(value: Any) -> str | None:
    """Returns the text of a scalar string tensor, which is bare where it is the only value."""
    if not _is_dense(value) or len(value.shape) or value.dtype.name != "string":
        return None
    return np.asarray(value).item().decode(errors="replace")


def _is_dense(value: Any) -> bool:
    return is_variable(value) or (
        isinstance(value, Tensor) and not isinstance(value, CompositeTensor)
    )


def _shown(value: Any, summarize: int) -> str:
    if isinstance(value, str):
        return value
    places: list[_Place] = []

    def placed(leaf: Any) -> Any:
        if isinstance(leaf, CompositeTensor):
            text = leaf._printed(summarize)
        elif _is_dense(leaf):
            text = array_text(np.asarray(leaf), summarize)
        else:
            return leaf
        places.append(_Place(len(places), text))
        return places[-1]

    shown = pprint.pformat(nest.map_structure(placed, value))
    return _MARKS.sub(lambda mark: places[ord(mark[0][0]) - _FIRST].text, shown)


_FIRST = 0xF0000  # the first of 65,000 characters that nobody writes
_MARKS = re.compile("([\U000f0000-\U000ffffd])\\1*")


class _Place:
    """Stands for a tensor among Python values, as wide as TensorFlow's lines are broken for."""

    def __init__(self, number: int, text: str) -> None:
        self.text = text
        wide = len("SparseTensor(indices={}, values={}, shape={})")
        self._mark = chr(_FIRST + number) * (wide if "SparseTensor(" in text else len("'{}'"))

    def __repr__(self) -> str:
        return self._mark


def array_text(array: Any, summarize: int) -> str:
    """Returns the text of an array, however many elements of it are shown at each end."""
    return summary(array, summarize).decode(errors="replace")
