"""Calls that differ in sizes only share one trace, in which the sizes have names.

Batches, sequences and sets of points come with a size of their own at every step. To trace every
operation for every size takes longer than to compute it. So when a call has come with three sizes
it is traced with names for those that differ, as `jax.export` does it, and what that gives holds
for all sizes: for another one only the numbers are put in. What looks at a size while it is traced
(JAX says so) is traced for each, as are sizes that often mean something.

See https://docs.jax.dev/en/latest/export/shape_poly.html.
"""

import contextlib
import dataclasses
import functools
import operator
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Var

from tapefacade._core.tensor_type import TensorType, type_of

# Calls with sizes of their own that come before these get names. More are remembered when a size
# differs that never did, until there are too many kinds of them.
MIN_SAMPLES = 3
MAX_SAMPLES = 8
# Sizes that may have a name: 1 is broadcast, 3 are colours.
NAMED_SIZES = range(5, 2**24)
MAX_FAMILIES = 4096
MAX_TEXTS = 4096

Numbers = tuple[int, ...]
NumbersOrNames = Sequence[Any]
Sizes = Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class Flag:
    """A value in a call that equals one of another class: True is 1."""

    value: Any


@dataclasses.dataclass(frozen=True)
class TypeWithoutSizes:
    """A tensor's type in a call, without the sizes that may have names."""

    dtype: Any
    numpy_dtype: Any
    shape: tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class NamedType:
    """A tensor's type in which sizes have names, as ops read it."""

    shape: tuple[Any, ...]
    dtype: Any
    numpy_dtype: Any


SIZE_HOLE = object()  # where a number was


def split(value: Any, numbers: list[int]) -> Any:
    """Returns a call, or a part of it, without the numbers that may be sizes with names.

    These are added to a list. What remains tells calls apart that differ in kind: a part of a
    tensor from another that is turned around.

    >>> numbers = []
    >>> whole = split((20, 1, "same", (30, True)), numbers)
    >>> numbers, joined(whole, iter(numbers))
    ([20, 30], (20, 1, 'same', (30, True)))
    """
    kind = type(value)
    if kind is TensorType:
        return TypeWithoutSizes(value.dtype, value.numpy_dtype, split(value.shape, numbers))
    if kind is int:
        if value not in NAMED_SIZES:
            return value
        numbers.append(value)
        return SIZE_HOLE
    if kind is tuple:
        return tuple([split(one, numbers) for one in value])
    return Flag(value) if kind is bool or kind is float else value


def joined(whole: Any, numbers: Iterator[Any]) -> Any:
    """Puts numbers, or names, where `split` took them from."""
    if whole is SIZE_HOLE:
        return next(numbers)
    kind = type(whole)
    if kind is tuple:
        return tuple([joined(one, numbers) for one in whole])
    if kind is TypeWithoutSizes:
        shape = joined(whole.shape, numbers)
        if all(type(size) is int for size in shape):
            return type_of(shape, whole.numpy_dtype)
        return NamedType(shape, whole.dtype, whole.numpy_dtype)
    return whole.value if kind is Flag else whole


@functools.cache
def _names(count: int, limits: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """Returns names of sizes, which are large enough to have one, and keep within limits."""
    names = [f"n{place}" for place in range(count)]
    known = [f"{name} >= {NAMED_SIZES.start}" for name in names]
    return tuple(jax.export.symbolic_shape(",".join(names), constraints=(*known, *limits)))


NAME = type(_names(1)[0])  # of names and what is computed with them


def _differences(column: Numbers) -> Numbers:
    return tuple([number - column[0] for number in column])


class Pattern:
    """Which numbers of a call have names, and which of these have the same, or it and something.

    Attributes:
        numbers: the call's, with names.
        limits: pairs of places of numbers, the second of which is never smaller.
    """

    def __init__(self, samples: Sequence[Numbers], is_limited: bool = False) -> None:
        """Compares calls.

        Args:
            samples: their numbers.
            is_limited: whether numbers are at most what they have been at most in all of these.
        """
        columns = list(zip(*samples, strict=True))
        smallest: dict[Numbers, Numbers] = {}  # column of those that differ alike
        for column in columns:
            if len(set(column)) > 1:
                key = _differences(column)
                smallest[key] = min(column, smallest.get(key, column))
        places = {key: place for place, key in enumerate(smallest)}
        # For each number the place of its name, None if it has none, and what is added to that.
        self._terms = [
            (places.get(key), column[0] - smallest.get(key, (0,))[0])
            for column in columns
            for key in [_differences(column)]
        ]
        self.limits = list(self._found_limits(columns)) if is_limited else []
        texts = [f"{self._text(one)} <= {self._text(other)}" for one, other in self.limits]
        names = _names(len(places), tuple(texts)) if places else ()
        self.numbers = [
            added if place is None else names[place] + added for place, added in self._terms
        ]

    def _found_limits(self, columns: Sequence[Numbers]) -> Iterator[tuple[int, int]]:
        distinct = {column: place for place, column in enumerate(columns)}
        for column, own in distinct.items():
            if self._terms[own][0] is not None:
                for other, place in distinct.items():
                    is_apart = self._terms[own][0] != self._terms[place][0]
                    if is_apart and all(map(operator.le, column, other)):
                        yield own, place

    def _text(self, number: int) -> str:
        place, added = self._terms[number]
        return str(added) if place is None else f"n{place} + {added}"

    def sizes(self, numbers: Numbers) -> dict[str, int] | None:
        """Returns what the names stand for in a call; None if it is not like this."""
        found: dict[int, int] = {}
        for number, (place, added) in zip(numbers, self._terms, strict=True):
            size = number - added
            if place is None:
                if size:
                    return None
            elif size not in NAMED_SIZES or found.setdefault(place, size) != size:
                return None
        if any(numbers[one] > numbers[other] for one, other in self.limits):
            return None
        return {f"n{place}": size for place, size in found.items()}


class Family:
    """The calls that differ in numbers only, and what one trace gives for all of them."""

    def __init__(self) -> None:
        self._samples: dict[Numbers, None] = {}
        self._is_open = True  # whether names may be given, or given anew
        self._known: tuple[Pattern, Any] | None = None  # and what was traced
        self._lock = threading.Lock()

    def find(self, numbers: Numbers) -> tuple[Any, Sizes] | None:
        """Returns what was traced with names, and what these stand for in a call."""
        if self._known is None:
            return None
        pattern, found = self._known
        sizes = pattern.sizes(numbers)
        return None if sizes is None else (found, sizes)

    def note(
        self,
        numbers: Numbers,
        trace: Callable[[NumbersOrNames], Any],
        is_right: Callable[[Any, Sizes], bool],
    ) -> None:
        """Takes note of a call that was traced on its own.

        Args:
            numbers: the call's.
            trace: traces it with names for sizes.
            is_right: whether that gives for these sizes what the call gave.
        """
        if not self._is_open or not self._lock.acquire(blocking=False):
            return  # or this is a part of what is being traced
        try:
            self._samples[numbers] = None
            if len(self._samples) < MIN_SAMPLES:
                return
            self._is_open = len(self._samples) < MAX_SAMPLES
            for is_limited in (False, True):
                pattern = Pattern(list(self._samples), is_limited)
                sizes = pattern.sizes(numbers)
                if not sizes:
                    return
                if is_limited and not pattern.limits:
                    break
                found = _in_other_thread(pattern, sizes, trace, is_right)
                if found is not None:
                    self._known = pattern, found
                    return
            self._is_open = False
        finally:
            self._lock.release()


def _in_other_thread(
    pattern: Pattern,
    sizes: Sizes,
    trace: Callable[[NumbersOrNames], Any],
    is_right: Callable[[Any, Sizes], bool],
) -> Any:
    """Returns what is traced for a pattern; None if that fails, or is not right for some sizes.

    Errors that JAX catches meanwhile keep the calls above them until the next garbage collection.
    In a thread of its own these do not hold tensors of the user's.
    """
    found: list[Any] = []

    def run() -> None:
        with contextlib.suppress(Exception), jax.enable_x64(True):
            # Whatever an op does with a size that it cannot look at.
            traced = trace(pattern.numbers)
            found.extend([traced] if is_right(traced, sizes) else [])

    thread = threading.Thread(target=run, name="tapefacade sizes")
    thread.start()
    thread.join()
    return found[0] if found else None


@functools.lru_cache(MAX_FAMILIES)
def family_of(whole: Any) -> Family:
    """Returns the family of a call without its numbers."""
    return Family()


def traced_for_all_sizes(
    kind: Any,
    call: Any,
    trace: Callable[[Any], Any],
    are_equal: Callable[[Any, Any], bool] = operator.eq,
    holds_for_all: Callable[[Any], bool] = lambda traced: False,
) -> Any:
    """Returns what tracing a call gives: what was traced for other sizes, where it can be.

    Args:
        kind: what is traced.
        call: its static values and types.
        trace: traces a call, in which sizes may have names.
        are_equal: whether two results are the same.
        holds_for_all: whether what was traced with names holds for all sizes as it is.
    """
    numbers: list[int] = []
    whole = split(call, numbers)
    family = family_of((kind, whole))
    known = family.find(tuple(numbers))
    if known is not None:
        return known[0] if holds_for_all(known[0]) else with_sizes(*known)
    result = trace(call)
    family.note(
        tuple(numbers),
        lambda names: trace(joined(whole, iter(names))),
        lambda found, sizes: are_equal(with_sizes(found, sizes), result),
    )
    return result


# Putting the numbers in.

_FUNCTIONS = {
    "__builtins__": {}, "floordiv": operator.floordiv, "mod": operator.mod, "max": max, "min": min,
}  # fmt: skip


@functools.lru_cache(MAX_TEXTS)
def _code(text: str) -> CodeType:
    """Compiles what JAX writes for a size, in the language of `jax.export.symbolic_shape`."""
    return compile(text.replace("^", "**"), "<size>", "eval")


def with_sizes(value: Any, sizes: Sizes) -> Any:
    """Returns a size, or what holds sizes, a traced program too, with numbers for the names.

    Raises:
        TypeError: if it holds them where they cannot be found.

    >>> size = _names(2)[0] * 3 // 2
    >>> with_sizes((size, "other"), {"n0": 5})
    (7, 'other')
    """
    kind = type(value)
    if kind is NAME:
        return eval(_code(str(value)), _FUNCTIONS, dict(sizes))
    if kind is tuple:
        return tuple([with_sizes(one, sizes) for one in value])
    if kind is list:
        return [with_sizes(one, sizes) for one in value]
    if isinstance(value, ClosedJaxpr):
        return ClosedJaxpr(with_sizes(value.jaxpr, sizes), value.consts)
    if isinstance(value, Jaxpr):
        return _with_sizes(value, sizes)
    return value


def _with_sizes(jaxpr: Jaxpr, sizes: Sizes) -> Jaxpr:
    known: dict[Any, Any] = {}

    def variable(old: Any) -> Any:
        aval: Any = old.aval
        shape = getattr(aval, "shape", ())
        if any(type(size) is NAME for size in shape):
            aval = aval.update(shape=with_sizes(shape, sizes))
        known[old] = found = Var(aval)
        return found

    def atom(old: Any) -> Any:
        return old if isinstance(old, Literal) else known[old]

    constants = [variable(old) for old in jaxpr.constvars]
    inputs = [variable(old) for old in jaxpr.invars]
    equations = []
    for equation in jaxpr.eqns:
        params = equation.params
        if equation.primitive.name == "dim_as_value":
            (out,) = equation.outvars
            aval: Any = out.aval
            known[out] = Literal(np.asarray(with_sizes(params["dim"], sizes), aval.dtype), aval)
            continue
        operands = [atom(old) for old in equation.invars]
        outputs = [variable(old) for old in equation.outvars]
        params = {key: with_sizes(one, sizes) for key, one in params.items()}
        equations.append(equation.replace(invars=operands, outvars=outputs, params=params))
    return jaxpr.replace(
        constvars=constants, invars=inputs, outvars=[atom(old) for old in jaxpr.outvars],
        eqns=equations,
    )  # fmt: skip
