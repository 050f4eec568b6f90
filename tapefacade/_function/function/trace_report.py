"""Why a `tf.function` was recorded again: which argument changed, where, and what it cost."""

import functools
import itertools
import time
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapefacade._core.tensor_type import TensorType
from tapefacade._core.value_text import html_table
from tapefacade._function.function.retracing_rules import BY_VALUE, IdentityKey
from tapefacade._trace import execution
from tapefacade._trace.program_listing import function_in_sentence, in_sentence, place
from tapefacade._trace.tree import layer_of, line_and_caller

MAX_KEPT = 200  # recordings of one function that are told of; the later ones are counted
MAX_ATTRIBUTES = 3  # that are named of an object
PLAIN = (bool, int, float, complex, str, bytes, type(None))  # attributes that are told
HEADINGS = ("called at", "what changed", "what to do", "seconds", "compiled")
ADVICE_SIZE = (
    "pad to one size, or leave the last batch out by `drop_remainder=True`; sizes that always "
    "differ go into an `input_signature` with None"
)
ADVICE_RANK = "pass tensors of one rank: tf.expand_dims, or a function for each"
ADVICE_DTYPE = "convert it before the call: tf.cast(x, tf.{})"
ADVICE_NUMBER = "pass a tensor, tf.constant({}): a Python number is part of the program"
ADVICE_VALUE = "each value has a program of its own: have few of them, or a function for each"
ADVICE_OBJECT = (
    "pass the same object each time, or give what differs as tensors: objects are told apart by "
    "who they are"
)
ADVICE_STRUCTURE = "pass the same structure: as many items, in the same kinds of containers"


class ArgumentChange(NamedTuple):
    """How an argument differs from that of an earlier call.

    Attributes:
        name: of the argument, or of a part of it, such as `batch['x']`.
        old: what it was.
        new: what it is.
        advice: what to write instead.
    """

    name: str
    old: str
    new: str
    advice: str

    def __str__(self) -> str:
        return f"{self.name} was {self.old} and is {self.new}"


class Tracing(NamedTuple):
    """One recording of a function.

    Attributes:
        line: `file:line` of the call.
        layer: the layer of Keras that has called, or "".
        changes: how the arguments differ from those of the earlier call that is most alike; none
            of the first recording.
        seconds: that the call took: Python, compiling and the first run.
        compiled: the programs that were compiled in it.
        why: why Python runs at every call, or "".
    """

    line: str
    layer: str
    changes: tuple[ArgumentChange, ...]
    seconds: float
    compiled: int
    why: str


class TraceReport:
    """The recordings of a function; shows itself as text, in notebooks as a table.

    Attributes:
        tracings: a `Tracing` for each recording, in their order.
    """

    def __init__(self, title: str, tracings: Sequence[Tracing], left_out: int = 0) -> None:
        self.tracings = tuple(tracings)
        self._title = title
        self._left_out = left_out

    @property
    def _heading(self) -> str:
        count = len(self.tracings) + self._left_out
        times = "never" if not count else "once" if count == 1 else f"{count:,} times"
        seconds = sum(tracing.seconds for tracing in self.tracings)
        cost = f", in {seconds:.3g} s" if count else ""
        return f"{self._title} was recorded {times}{cost}"

    def __repr__(self) -> str:
        lines = [self._heading]
        for number, tracing in enumerate(self.tracings, 1):
            lines.append(
                f"  {number}. at {place(tracing.line)}: {tracing.seconds:.3g} s, "
                f"{tracing.compiled} compiled"
            )
            lines += [f"       {change}" for change in tracing.changes]
            lines += [f"       {text}" for text in dict.fromkeys(c.advice for c in tracing.changes)]
            if tracing.why:
                lines.append(f"       its Python runs at every call: {tracing.why}")
        if self._left_out:
            lines.append(f"  and {self._left_out:,} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows: list[tuple[str, ...]] = [HEADINGS]
        for tracing in self.tracings:
            changes = "; ".join(map(str, tracing.changes)) or tracing.why or "first recording"
            advice = "; ".join(dict.fromkeys(change.advice for change in tracing.changes))
            rows.append((
                place(tracing.line), changes, advice, f"{tracing.seconds:.3g}",
                str(tracing.compiled),
            ))  # fmt: skip
        return html_table(rows, self._heading)


class TracingLog:
    """Takes note of the recordings of one function."""

    def __init__(self) -> None:
        self._kept: list[Tracing] = []
        self._count = 0

    def begin(self) -> Callable[[tuple[ArgumentChange, ...], str], None]:
        """Begins to measure a call that records; returns what ends it and takes the note."""
        line, caller = line_and_caller()
        line = line if caller is None else caller
        before, since = execution.STATISTICS.compiled, time.perf_counter()

        def end(changes: tuple[ArgumentChange, ...], why: str) -> None:
            self._count += 1
            if len(self._kept) < MAX_KEPT:
                seconds = time.perf_counter() - since
                compiled = execution.STATISTICS.compiled - before
                self._kept.append(Tracing(line, layer_of(line), changes, seconds, compiled, why))

        return end

    def report(self, function: Callable[..., Any]) -> TraceReport:
        """Returns what is known."""
        left_out = self._count - len(self._kept)
        return TraceReport(function_in_sentence(function), self._kept, left_out)


def argument_changes(
    names: Sequence[str], new: Sequence[Any], known: Sequence[Sequence[Any]]
) -> tuple[ArgumentChange, ...]:
    """Tells how the arguments of a call differ from those of the call that was most alike.

    Args:
        names: the names of the arguments.
        new: a key for each argument.
        known: the keys of the calls that were recorded before.
    """
    for key in new:
        _note_objects(key)
    if not known:
        return ()
    nearest = min(reversed(known), key=functools.partial(_distance, new))
    pairs = itertools.zip_longest(names, nearest, new)
    return tuple([c for name, old, now in pairs if old != now for c in _changes(name, old, now)])


def _distance(new: Sequence[Any], old: Sequence[Any]) -> tuple[int, int]:
    """Returns in how many arguments two calls differ, and in how many parts of these."""
    pairs = [(a, b) for a, b in itertools.zip_longest(new, old) if a != b]
    parts = [(_parts(a), _parts(b)) for a, b in pairs]
    differing = [
        sum(a[part] != b[part] for part in a) if a and b and a.keys() == b.keys() else MAX_KEPT
        for a, b in parts
    ]
    return len(pairs), sum(differing)


def _note_objects(key: Any) -> None:
    """Takes note of what objects in a key are like, which may be gone when the next one comes."""
    for part in (_parts(key) or {}).values():
        _note_objects(part)
    value = key.value if isinstance(key, IdentityKey) else None
    if isinstance(value, types.FunctionType):
        key.shown = function_in_sentence(value)
    elif value is not None and hasattr(value, "__dict__") and not callable(value):
        key.attributes = {n: item for n, item in vars(value).items() if isinstance(item, PLAIN)}


def warning_text(changes: Sequence[ArgumentChange], line: str) -> str:
    """Says in a warning what has changed, and what to do; "" if nothing is known to have."""
    if not changes:
        return ""
    advice = "; ".join(dict.fromkeys(change.advice for change in changes))
    where = in_sentence(line).partition(": `")[0]
    return (
        f"What changed: {'; '.join(map(str, changes))}, at {where}. "
        f"What to do: {advice}. All recordings: `trace_report()` of the function."
    )


def _changes(name: str, old: Any, new: Any) -> list[ArgumentChange]:
    """Compares two keys of an argument, part by part where they are alike."""
    parts = _parts(old), _parts(new)
    if parts[0] is not None and parts[1] is not None and parts[0].keys() == parts[1].keys():
        return [
            change
            for part, before in parts[0].items()
            if before != parts[1][part]
            for change in _changes(f"{name}[{part!r}]", before, parts[1][part])
        ]
    return [ArgumentChange(name, *_texts(old, new), _advice(old, new))]


def _parts(key: Any) -> dict[Any, Any] | None:
    """Returns the parts of a container in a key; None if it is no container."""
    if not (isinstance(key, tuple) and key and isinstance(key[0], type)):
        return None
    if key[0] is dict:
        return dict(key[1:])
    return dict(enumerate(key[1:])) if key[0] in (list, tuple) else None


def _texts(old: Any, new: Any) -> tuple[str, str]:
    """Returns what two keys stand for; of two objects what differs in them."""
    if isinstance(old, IdentityKey) and isinstance(new, IdentityKey) and old.kind is new.kind:
        named = _attributes(old.attributes, new.attributes)
        if named is None:
            return shown(old), f"{shown(new)} (another object)"
        return f"{shown(old)} with {named[0]}", f"{shown(new)} with {named[1]}"
    return shown(old), shown(new)


def _attributes(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, str] | None:
    """Tells which attributes of two objects differ; None if none does."""
    different = [name for name in before if name in after and before[name] != after[name]]
    different = different[:MAX_ATTRIBUTES]
    if not different:
        return None
    return (
        ", ".join(f"{name}={before[name]!r}" for name in different),
        ", ".join(f"{name}={after[name]!r}" for name in different),
    )


def _advice(old: Any, new: Any) -> str:
    if isinstance(old, TensorType) and isinstance(new, TensorType):
        if old.dtype is not new.dtype:
            return ADVICE_DTYPE.format(old.dtype.name)
        return ADVICE_SIZE if len(old.shape) == len(new.shape) else ADVICE_RANK
    if isinstance(new, IdentityKey):
        return ADVICE_OBJECT
    if isinstance(new, tuple) and len(new) == 2 and new[0] in BY_VALUE:
        is_number = new[0] in (int, float, complex)
        return ADVICE_NUMBER.format(repr(new[1])) if is_number else ADVICE_VALUE
    return ADVICE_STRUCTURE


def shown(key: Any) -> str:
    """Returns how a message calls what a key stands for."""
    if isinstance(key, TensorType):
        return f"a {key.dtype.name} tensor of shape {key.tensor_shape}"
    if isinstance(key, IdentityKey):
        is_named = key.shown != key.kind.__name__
        return f"the {key.kind.__name__} {key.shown}" if is_named else f"a {key.shown}"
    if key == (type(None), None):
        return "None"
    if isinstance(key, tuple) and key and key[0] is dict:
        return f"{{{', '.join(f'{name!r}: {shown(part)}' for name, part in key[1:])}}}"
    if isinstance(key, tuple) and len(key) == 2 and key[0] in BY_VALUE:
        return f"the {key[0].__name__} {key[1]!r}"
    if isinstance(key, tuple) and key and isinstance(key[0], type):
        return f"{key[0].__name__}({', '.join(shown(part) for part in key[1:])})"
    return "nothing" if key is None else str(key)
