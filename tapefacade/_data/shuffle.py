"""Shuffling with a buffer: the order that TensorFlow's kernel gives with the same seeds.

Each time one of the elements in the buffer is chosen, and the next one takes the place that is
free. The buffer is a ring: its first element takes the place of the chosen one.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapefacade._data.element_structures import op_error
from tapefacade._data.node import UNKNOWN, DatasetNode, ElementError
from tapefacade._data.random_numbers import RandomWords, SeedGenerator
from tapefacade._data.row_streams import Numbers, joined_blocks, length, part
from tapefacade._data.selection import RowSelection

DRAWN_AT_ONCE = 1 << 14
_END = object()


class Shuffle(RowSelection):
    """The elements in a random order."""

    name = "_ShuffleDataset"

    def __init__(self, node: DatasetNode, size: int, seeds: tuple[int, int], renew: bool) -> None:
        super().__init__(node)
        if size == UNKNOWN:  # a buffer for all elements
            size = max(1, node.cardinality())
        if size < 1:
            raise op_error(
                "ShuffleDatasetV3", "buffer_size must be greater than zero or UNKNOWN_CARDINALITY"
            )
        self._size = size
        self._seeds = SeedGenerator(seeds, renew)

    def numbers(self, blocks: Iterator[Numbers]) -> Iterator[Numbers]:
        return shuffled_numbers(blocks, self._size, RandomWords(*self._seeds.next()))

    def elements_from(self, elements: Iterator[Any]) -> Iterator[Any]:
        return shuffled_elements(elements, self._size, RandomWords(*self._seeds.next()))


def shuffled_elements(elements: Iterator[Any], size: int, words: RandomWords) -> Iterator[Any]:
    """Yields elements in another order.

    Args:
        elements: the elements, with a `ElementError` for each that cannot be made.
        size: the size of the buffer.
        words: what chooses.
    """
    random = words.stream()
    held: list[Any] = []
    goes_on = True
    while goes_on and len(held) < size:
        element = next(elements, _END)
        if type(element) is ElementError:
            yield element
        elif element is _END:
            goes_on = False
        else:
            held.append(element)
    size = left = len(held)
    start = 0
    while left:
        place = start % size
        chosen = (start + next(random) % left) % size
        element, held[chosen] = held[chosen], held[place]
        held[place] = None
        start += 1
        yield element
        del element
        while goes_on:
            new = next(elements, _END)
            if type(new) is ElementError:
                yield new
            elif new is _END:
                goes_on = False
            else:
                held[place] = new
                break
        else:
            left -= 1


def shuffled_numbers(blocks: Iterator[Numbers], size: int, words: RandomWords) -> Iterator[Numbers]:
    """Yields the numbers of rows in another order; see `shuffled_elements`."""
    first, rest = _filled(blocks, size)
    if not first:
        return
    held_all = joined_blocks(first)
    total = length(held_all)
    if total <= size:
        yield _permuted(held_all, _order(total, words))
        return
    groups = len(held_all)
    held, beyond = _items(part(held_all, 0, size)), part(held_all, size, None)
    start = 0
    for block in itertools.chain([beyond], rest):
        for at in range(0, length(block), DRAWN_AT_ONCE):
            items = _items(part(block, at, at + DRAWN_AT_ONCE))
            places = (start + np.arange(len(items))) % size
            chosen = (places + words.take(len(items)) % np.uint32(size)) % size
            yield _numbers(_exchanged(held, items, places.tolist(), chosen.tolist()), groups)
            start += len(items)
    order = [(start + k) % size for k in range(size)]
    left = [held[place] for place in order]
    yield _numbers([left[place] for place in _order(size, words)], groups)


def _filled(blocks: Iterator[Numbers], size: int) -> tuple[list[Numbers], Iterator[Numbers]]:
    """Takes blocks until there are more rows than the buffer holds, or no more."""
    found, count = [], 0
    for block in blocks:
        found.append(block)
        count += length(block)
        if count > size:
            break
    return found, blocks


def _order(total: int, words: RandomWords) -> list[int]:
    """Returns a random order of all numbers below `total`."""
    places = np.arange(total)
    chosen = places + words.take(total) % (total - places)
    order = list(range(total))
    for place, other in enumerate(chosen.tolist()):
        order[place], order[other] = order[other], order[place]
    return order


def _exchanged(held: list[Any], items: list[Any], places: list[int], chosen: list[int]) -> Any:
    """Takes one from the buffer for each new item."""
    found = []
    for item, place, other in zip(items, places, chosen, strict=True):
        found.append(held[other])
        held[other] = held[place]
        held[place] = item
    return found


def _items(numbers: Numbers) -> list[Any]:
    if len(numbers) == 1:
        return numbers[0].tolist()
    return list(zip(*[vector.tolist() for vector in numbers], strict=True))


def _numbers(items: list[Any], groups: int) -> Numbers:
    if groups == 1:
        return (np.array(items, np.int64),)
    return tuple([np.array(vector, np.int64) for vector in zip(*items, strict=True)])


def _permuted(numbers: Numbers, order: list[int]) -> Numbers:
    places = np.array(order, np.int64)
    return tuple([vector[places] for vector in numbers])
