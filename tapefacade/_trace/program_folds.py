"""A recorded program grouped by the user's lines, with what repeats folded into one."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

# Instructions of a part that is looked for again right after itself, at most.
MAX_PERIOD = 1000
MAX_OPS_SHOWN = 6  # of a line, as a sequence; more are counted


class FoldedStep(NamedTuple):
    """One instruction, and its repetitions.

    Attributes:
        key: what repetitions have in common: line, layer and op.
        places: those of the repetitions in the program.
    """

    key: Hashable
    places: tuple[int, ...]


class Fold(NamedTuple):
    """Steps that come several times in a row.

    Attributes:
        times: how often.
        body: what comes each time.
    """

    times: int
    body: "tuple[FoldedStep | Fold, ...]"


Item = FoldedStep | Fold


def folded(keys: Sequence[Hashable], lines: Sequence[int]) -> list[Item]:
    """Folds what repeats in a sequence: the shortest parts first, so that folds nest.

    Args:
        keys: what is equal for equal instructions.
        lines: the number of the line of each: a fold begins with its first line where it can.

    >>> [item.times for item in folded("abcabcabd", [1, 2, 3] * 3) if isinstance(item, Fold)]
    [2]
    """
    items: list[Item] = [FoldedStep(key, (place,)) for place, key in enumerate(keys)]
    firsts = list(lines)
    numbers: dict[Any, int] = {}
    ids = [numbers.setdefault(key, len(numbers)) for key in keys]
    period = 1
    while 2 * period <= len(items) and period <= MAX_PERIOD:
        found = list(_repetitions(ids, firsts, period))
        for start, times in reversed(found):  # from the end: earlier places stay
            stop = start + times * period
            rounds = [items[place : place + period] for place in range(start, stop, period)]
            body = tuple([_merged(same) for same in zip(*rounds, strict=True)])
            key = ("fold", times, *ids[start : start + period])
            items[start:stop] = [Fold(times, body)]
            firsts[start:stop] = [min(firsts[start : start + period])]
            ids[start:stop] = [numbers.setdefault(key, len(numbers))]
        period = 1 if found else period + 1  # what was folded may repeat in shorter parts
    return items


def _repetitions(
    ids: Sequence[int], firsts: Sequence[int], period: int
) -> Iterator[tuple[int, int]]:
    """Yields where parts of some length repeat, and how often."""
    array = np.array(ids)
    same = np.concatenate([[False], array[:-period] == array[period:], [False]])
    (edges,) = np.nonzero(same[1:] != same[:-1])
    end = 0
    for begin, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        start = max(begin, end)
        times, spare = divmod(stop - start + period, period)
        if times < 2:
            continue
        start = min(range(start, start + spare + 1), key=lambda place: (firsts[place], place))
        times = (stop + period - start) // period
        if times >= 2:
            end = start + times * period
            yield start, times


def _merged(same: Sequence[Any]) -> Item:
    """Returns one item for several equal ones."""
    first = same[0]
    if isinstance(first, Fold):
        bodies = zip(*[one.body for one in same], strict=True)
        return Fold(first.times, tuple([_merged(parts) for parts in bodies]))
    return FoldedStep(first.key, tuple([place for one in same for place in one.places]))


def leaves(items: Iterable[Item], times: int = 1) -> Iterator[tuple[FoldedStep, int]]:
    """Yields the steps among items, those within folds once, and how often each comes.

    Args:
        items: the items.
        times: how often all of them come.
    """
    for item in items:
        if isinstance(item, Fold):
            yield from leaves(item.body, times * item.times)
        else:
            yield item, times


def sequence_text(items: Sequence[Item], name: Callable[[FoldedStep], str]) -> str:
    """Returns what items do in a row, such as `30 x (matmul, tanh)`; of many a count of each op.

    Args:
        items: the items.
        name: returns the name of a step.
    """
    found = list(leaves(items))
    if len(found) > MAX_OPS_SHOWN:
        counts: Counter[str] = Counter()
        for step, times in found:
            counts[name(step)] += times
        shown = [f"{n} x {op}" if n > 1 else op for op, n in counts.most_common(MAX_OPS_SHOWN)]
        return ", ".join([*shown, *(["..."] if len(counts) > len(shown) else [])])
    texts = []
    for item in items:
        if isinstance(item, Fold):
            text = sequence_text(item.body, name)
            texts.append(f"{item.times} x {f'({text})' if len(item.body) > 1 else text}")
        else:
            texts.append(name(item))
    return ", ".join(texts)
