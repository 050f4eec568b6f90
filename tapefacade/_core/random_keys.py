"""The keys that random ops draw with: host data, never part of a program."""

import contextlib
import copy
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapefacade._core import random_seeds
from tapefacade._core.random_seeds import GLOBAL
from tapefacade._core.tensor import EagerTensor, from_host
from tapefacade._core.thread_state import ThreadState

NO_STATE = np.zeros(6, np.uint32)
BLOCKS_PER_NUMBER = (
    256  # of Philox, which a kernel of TensorFlow's passes over for each number it has drawn
)


class _Draws(ThreadState):
    """The lists that record the draws of this thread, the innermost last."""

    def __init__(self) -> None:
        self.lists: list[list[Draw]] = []
        self.is_rehearsing = False
        self.functions: list[FunctionDraws] = []  # those of the functions that run


class Draw:
    """A key that was drawn, and how to draw the next one in its place.

    Attributes:
        key: the key.
        is_spare: whether it was drawn for a run that did not take place, and is still to be used.
    """

    def __init__(self, source: "_AnySource") -> None:
        self.source = source
        self.key = from_host(source.blank() if _DRAWS.is_rehearsing else source.next())
        self.is_spare = False

    @property
    def is_seeded(self) -> bool:
        """Whether TensorFlow's numbers are drawn: in a function, with a seed."""
        return self.source.is_seeded

    def again(self) -> EagerTensor:
        """Draws the next key."""
        if self.is_spare:
            self.is_spare = False
            return self.key
        return from_host(self.source.next())

    def elsewhere(self, ops: "FunctionDraws | None" = None) -> "Draw":
        """Draws for another function, where the op counts for itself, or as the next of `ops`."""
        return Draw(self.source.copy(ops))


class _DrawCount:
    """How many blocks a random op in a function has used since the global seed was set."""

    def __init__(self) -> None:
        self.key = GLOBAL.seeds.key  # stays: it is part of the function
        self._seeds = GLOBAL.seeds
        self._passed = 0

    def next(self, blocks: int) -> int:
        """Uses blocks; returns how many were used before."""
        if self._seeds is not GLOBAL.seeds:
            self._seeds, self._passed = GLOBAL.seeds, 0
        passed = self._passed
        self._passed += blocks
        return passed


# How far the random ops of a function have come, by their places in it: from 0 on. From -1 on down
# are the functions that it calls: each call has ops of its own.
Counts = dict[int, Any]


class FunctionDraws:
    """The random ops of a function that runs."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._met = self._numbered = self._called = 0

    def next(self, seed: int | None) -> tuple[int, _DrawCount]:
        """Returns the seed of the op that comes next, and how far it has come."""
        count: _DrawCount = self._counts.setdefault(self._met, _DrawCount())
        self._met += 1
        if seed is None:
            seed = self._numbered
            self._numbered += 1
        return seed, count

    @property
    def places(self) -> tuple[int, int, int]:
        """How many ops have been met, which of them are numbered, and the functions called."""
        return self._met, self._numbered, self._called

    @places.setter
    def places(self, places: tuple[int, int, int]) -> None:
        self._met, self._numbered, self._called = places

    def call(self) -> Counts:
        """Returns how far the ops of the function that is called next have come."""
        self._called += 1
        return self._counts.setdefault(-self._called, {})


class _KeySource:
    """Where the keys of one random op come from, at one place of a program."""

    def __init__(
        self, kernel: str, dtype: Any, seed: int | None, blocks: int,
        make: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]] | None,
    ) -> None:  # fmt: skip
        self._arguments = (kernel, dtype, seed, blocks, make)
        self._blocks = blocks
        self._make = make
        self._count = _DrawCount()
        self._fixed: tuple[int, int] | None = None  # the seeds of an op in a function
        if _DRAWS.functions and (seed is not None or GLOBAL.seeds.seed is not None):
            number, self._count = _DRAWS.functions[-1].next(seed)
            self._fixed = (number % random_seeds.LARGEST_SEED, self._count.key)

    @property
    def is_seeded(self) -> bool:
        """Whether the op has a place of its own in a function."""
        return self._fixed is not None

    def copy(self, ops: FunctionDraws | None = None) -> "_KeySource":
        """Returns a source that begins anew, or goes on as the next of `ops`."""
        made = copy.copy(self)
        made._count = _DrawCount() if ops is None or self._fixed is None else ops.next(0)[1]
        return made

    def next(self) -> np.ndarray[Any, Any]:
        """Draws a key."""
        kernel, dtype, seed, blocks, make = self._arguments
        if self._fixed is None:
            state = random_seeds.next_state(kernel, dtype, seed, blocks)
        else:
            state = random_seeds.packed_state(self._count.next(blocks), *self._fixed)
        return state if make is None else make(state)

    @property
    def numbered(self) -> int:
        """How many ops there are that a function numbers: 1 or 0."""
        return int(self._fixed is not None and self._arguments[2] is None)

    def of_replica(self, numbers: int) -> "_KeySource | None":
        """Returns the source of the op in another replica; None if it draws the same there.

        Args:
            numbers: how many numbered ops are in the replicas before that one.
        """
        if self._arguments[2] is not None:
            return None
        made = self.copy()
        if self._fixed is not None:
            number = (self._fixed[0] + numbers) % random_seeds.LARGEST_SEED
            made._fixed = (number, self._fixed[1])
        return made

    def blank(self) -> np.ndarray[Any, Any]:
        """Returns what stands for a key that is never used."""
        return NO_STATE if self._make is None else self._make(NO_STATE)


class _ReplicaSource:
    """Where the keys for all replicas of a run come from.

    An op with a seed draws the same in all replicas; in a function, other ops have numbers of their
    own in each replica.
    """

    def __init__(self, sources: "Sequence[_AnySource]", count: int, numbered: int) -> None:
        self._sources = sources
        self._count = count
        self.numbered = count * numbered
        self._others = [
            [source.of_replica(replica * numbered) for source in sources]
            for replica in range(1, count)
        ]

    @property
    def is_seeded(self) -> bool:
        """Whether one of the ops has a place of its own in a function."""
        return any(source.is_seeded for source in self._sources)

    def of_replica(self, numbers: int) -> "_ReplicaSource":
        """Returns itself: replicas are not nested."""
        return self

    def copy(self, ops: FunctionDraws | None = None) -> "_ReplicaSource":
        """Returns a source that begins anew, or goes on as the next of `ops`."""
        sources = [source.copy(ops) for source in self._sources]
        return _ReplicaSource(sources, self._count, self.numbered // self._count)

    def next(self) -> np.ndarray[Any, Any]:
        """Draws the keys: in every row the bytes of those of one replica, `[count, words]`."""
        first = [_words(source.next()) for source in self._sources]
        rows = [first]
        for others in self._others:
            pairs = zip(others, first, strict=True)
            rows.append([same if o is None else _words(o.next()) for o, same in pairs])
        return np.stack([np.concatenate(row) for row in rows])

    def blank(self) -> np.ndarray[Any, Any]:
        """Returns what stands for keys that are never used."""
        words = sum(_words(source.blank()).size for source in self._sources)
        return np.zeros((self._count, words), np.uint32)


class _RowSource:
    """Where the keys for all iterations of a loop come from, in the order of a Python loop."""

    def __init__(self, sources: "Sequence[_AnySource]", count: int) -> None:
        self._sources = sources
        self._count = count

    @property
    def is_seeded(self) -> bool:
        """Whether one of the ops has a place of its own in a function."""
        return any(source.is_seeded for source in self._sources)

    @property
    def numbered(self) -> int:
        """How many ops there are that a function numbers."""
        return sum(source.numbered for source in self._sources)

    def of_replica(self, numbers: int) -> "_RowSource":
        """Returns the source of another replica; see `_KeySource.of_replica`."""
        others = [source.of_replica(numbers) or source.copy() for source in self._sources]
        return _RowSource(others, self._count)

    def copy(self, ops: FunctionDraws | None = None) -> "_RowSource":
        """Returns a source that begins anew, or goes on as the next of `ops`."""
        return _RowSource([source.copy(ops) for source in self._sources], self._count)

    def next(self) -> np.ndarray[Any, Any]:
        """Draws the keys: in every row the bytes of those of one iteration, `[count, words]`."""
        rows = [[_words(source.next()) for source in self._sources] for _ in range(self._count)]
        return np.stack([np.concatenate(row) for row in rows]) if rows else self.blank()

    def blank(self) -> np.ndarray[Any, Any]:
        """Returns what stands for keys that are never used."""
        words = sum(_words(source.blank()).size for source in self._sources)
        return np.zeros((self._count, words), np.uint32)


def _words(key: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    data = np.ascontiguousarray(key).tobytes()
    return np.frombuffer(data + bytes(-len(data) % 4), np.uint32)


def words_of(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Returns the number of 32-bit words that a key takes among those of one iteration."""
    return -(-int(np.prod(shape, dtype=np.int64)) * dtype.itemsize // 4)


_AnySource = _KeySource | _RowSource | _ReplicaSource
_DRAWS = _Draws()


def next_state(kernel: str, dtype: Any, seed: Any, shape: Any) -> EagerTensor:
    """Draws the state with which a kernel of TensorFlow's makes its next numbers.

    Args:
        kernel: the name of the kernel.
        dtype: its dtype; both together count what was drawn with a seed of an op.
        seed: the op's own seed, or None.
        shape: the shape of the numbers that will be drawn.

    Returns:
        A uint32 tensor of shape `[6]`, different at each call, for `_ops/random/philox.py`.
    """
    if seed is None and not _DRAWS.functions:
        return next_made(kernel, dtype, None, 0)
    try:
        size = int(np.prod(np.asarray(shape, np.int64)))
    except (TypeError, ValueError):  # the op will say what is wrong with it
        size = 0
    return next_made(kernel, dtype, seed, BLOCKS_PER_NUMBER * size)


def next_made(
    kernel: str,
    dtype: Any,
    seed: Any,
    blocks: int,
    make: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]] | None = None,
) -> EagerTensor:
    """Draws a state, and what is made of it on the host.

    Args:
        kernel: the name of the kernel.
        dtype: its dtype; both together count what was drawn with a seed of an op.
        seed: the op's own seed, or None.
        blocks: how far the kernel comes with this draw.
        make: a function of the state, six uint32 words; None gives the state itself.

    Returns:
        A tensor, different at each call.
    """
    number = None if seed is None else random_seeds.as_integer(seed)
    if not (_DRAWS.lists or _DRAWS.functions):
        state = random_seeds.next_state(kernel, dtype, number, blocks)
        return from_host(state if make is None else make(state))
    return _drawn(Draw(_KeySource(kernel, dtype, number, blocks, make)))


def drawn_again(draw: Draw) -> EagerTensor:
    """Draws once more what was drawn in a function."""
    return _drawn(draw.elsewhere()) if _DRAWS.lists else draw.again()


def drawn_for_rows(draws: Sequence[Draw], count: int) -> EagerTensor:
    """Draws keys for all iterations of a loop.

    Args:
        draws: the draws of one iteration.
        count: the number of iterations.

    Returns:
        A uint32 tensor, `[count, words]`: in every row the bytes of the keys, see `words_of`.
    """
    return _drawn(Draw(_RowSource([draw.source for draw in draws], count)))


def drawn_for_replicas(draws: Sequence[Draw], count: int) -> EagerTensor:
    """Draws keys for all replicas of a run.

    Args:
        draws: the draws of the first replica.
        count: the number of replicas.

    Returns:
        A uint32 tensor, `[count, words]`: in every row the bytes of the keys, see `words_of`.
    """
    sources = [draw.source for draw in draws]
    numbered = sum(source.numbered for source in sources)
    if _DRAWS.functions:
        ops = _DRAWS.functions[-1]
        met, number, called = ops.places
        ops.places = (met, number + (count - 1) * numbered, called)
    return _drawn(Draw(_ReplicaSource(sources, count, numbered)))


def rehearsing() -> contextlib.AbstractContextManager[None]:
    """Makes a block in which keys stand for others, and nothing is drawn.

    What is recorded in it takes keys of its own wherever it runs.
    """
    return _DRAWS.temporarily(is_rehearsing=True)


def effective_key(key: EagerTensor) -> EagerTensor:
    """Returns the key to use in the place of one that stands for others; any other tensor as is."""
    for draw in _DRAWS.lists[0] if _DRAWS.is_rehearsing and _DRAWS.lists else ():
        if draw.key is key:
            return from_host(draw.source.next())
    return key


def _drawn(draw: Draw) -> EagerTensor:
    for draws in _DRAWS.lists:
        draws.append(draw)
    return draw.key


def next_key(kind: str, seed: Any = None) -> EagerTensor:
    """Draws a key for JAX's generator: a host tensor of two 32-bit words.

    Args:
        kind: the kind of the random op; each kind counts its own draws for a seed.
        seed: the op's own seed, or None.

    Returns:
        A tensor of shape `[2]` and type uint32, different at each call.
    """
    return next_made(kind, None, seed, 1, _hashed)


def _hashed(state: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.frombuffer(hashlib.blake2b(state.tobytes(), digest_size=8).digest(), np.uint32)


@contextlib.contextmanager
def recorded_draws() -> Iterator[list[Draw]]:
    """Records the keys that this thread draws, so that a function can draw others when it is
    called again.

    Yields:
        The list of the draws, in order, which grows while the context is open.
    """  # noqa: D205 - one sentence
    draws: list[Draw] = []
    depth = len(_DRAWS.lists)
    try:
        _DRAWS.lists.append(draws)
        yield draws
    finally:
        del _DRAWS.lists[depth:]  # not by value: empty lists are equal


@contextlib.contextmanager
def function_draws(counts: Counts | None = None) -> Iterator[list[Draw]]:
    """Records the keys that a function draws; with a global seed each op has one of its own.

    As in TensorFlow, this is its place among the random ops of the function, and it counts for
    itself what it has drawn.

    Args:
        counts: as for `draws_by_place`.

    Yields:
        The list of the draws, as `recorded_draws`.
    """
    with draws_by_place({} if counts is None else counts), recorded_draws() as draws:
        yield draws


@contextlib.contextmanager
def draws_by_place(counts: Counts) -> Iterator[None]:
    """Makes a block in which random ops draw as those of a function, and nothing is recorded.

    Args:
        counts: how far they have come before, if no other function calls this one.
    """
    functions = _DRAWS.functions
    outer = functions[-1] if functions else None
    depth = len(functions)
    try:
        functions.append(FunctionDraws(counts if outer is None else outer.call()))
        yield
    finally:
        del functions[depth:]  # with those of loops that an error has left


def numbers_ops_of_caller() -> bool:
    """Whether a function runs whose random ops count anew at each call, and is not recorded.

    A function that it calls draws what it would in place of the call only while its Python runs.
    """
    return bool(_DRAWS.functions) and not _DRAWS.lists


def current_places() -> Any:
    """Returns how far the ops of the function that runs are numbered, for `return_to`."""
    ops = _DRAWS.functions[-1] if _DRAWS.functions else None
    return ops, None if ops is None else ops.places


def return_to(places: Any) -> None:
    """Numbers the ops of a function as if what was recorded since had not been."""
    ops, before = places
    if ops is not None:
        ops.places = before


def body_draws() -> contextlib.AbstractContextManager[None]:
    """Makes a block for the body of a branch or loop: in a function it is one of its own.

    So its random ops are numbered from 0 on, and those after it go on where they were before it.
    """
    return draws_by_place({}) if _DRAWS.functions else contextlib.nullcontext()


def loop_draws(rows: Iterator[Any]) -> Iterator[Any]:
    """Gives what a Python loop runs over; in a function, each iteration has the same random ops.

    As in TensorFlow, whose AutoGraph makes one body of it, which is a function of its own.
    """
    return _in_loop(rows, _DRAWS.functions) if _DRAWS.functions else rows


def _in_loop(rows: Iterator[Any], functions: list[FunctionDraws]) -> Iterator[Any]:
    depth = len(functions)
    counts = functions[-1].call()
    body = None
    try:
        for row in rows:
            body = FunctionDraws(counts)
            functions[depth:] = [body]
            yield row
    finally:
        if body in functions[depth : depth + 1]:
            del functions[depth:]
