"""Assertions about containers, texts and numbers, for `tf.test.TestCase`."""

# ruff: noqa: N802, PT009 - the names and the calls are those of unittest

import re
import unittest
from collections.abc import Collection, Iterable, Sequence, Sized
from typing import Any


class ContainerAssertions(unittest.TestCase):
    """The assertions that are not about tensors, beyond those of `unittest`."""

    def _told(self, text: str, msg: Any) -> BaseException:
        return self.failureException(text if msg is None else f"{text} : {msg!r}")

    # Sizes.

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        """Fails unless a container is empty.

        Args:
            container: what has a length.
            msg: what to say if it fails.
        """
        if size := self._size(container, msg):
            raise self._told(f"{container!r} has length of {size}.", msg)

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        """Fails if a container is empty.

        Args:
            container: what has a length.
            msg: what to say if it fails.
        """
        if not self._size(container, msg):
            raise self._told(f"{container!r} has length of 0.", msg)

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        """Fails unless a container has a length.

        Args:
            container: what has a length.
            expected_len: the length.
            msg: what to say if it fails.
        """
        size = self._size(container, msg)
        if size != expected_len:
            raise self._told(f"{container!r} has length of {size}, expected {expected_len}.", msg)

    def _size(self, container: Any, msg: Any) -> int:
        if not isinstance(container, Sized):
            raise self._told(f"Expected a Sized object, got: {type(container).__name__!r}", msg)
        return len(container)

    # Numbers.

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """Fails unless a number lies between two others, the ends included.

        Args:
            value: the number.
            minv: the lower end.
            maxv: the upper end.
            msg: what to say if it fails.
        """
        text = f'"{value}" unexpectedly not between "{minv}" and "{maxv}"' if msg is None else msg
        self.assertLessEqual(minv, value, text)
        self.assertGreaterEqual(maxv, value, text)

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Sequence[Any],
        actual_seq: Sequence[Any],
        places: int | None = None,
        msg: Any = None,
        delta: Any = None,
    ) -> None:
        """Fails unless the numbers of two sequences are almost equal.

        Args:
            expected_seq: a sequence of numbers.
            actual_seq: another one.
            places: how many digits after the point have to agree, 7 by default.
            msg: what to say if it fails.
            delta: the largest difference, instead of `places`.
        """
        if len(expected_seq) != len(actual_seq):
            raise self._told(
                f"Sequence size mismatch: {len(expected_seq)} vs {len(actual_seq)}", msg
            )
        wrong = []
        for i, (first, second) in enumerate(zip(expected_seq, actual_seq, strict=True)):
            try:
                self.assertAlmostEqual(first, second, places=places, delta=delta)
            except self.failureException as error:
                wrong.append(f"At index {i}: {error}")
        if wrong:
            raise self._told("\n".join(wrong[:30]), msg)

    def assertDictAlmostEqual(
        self, a: Any, b: Any, places: int | None = None, msg: Any = None, delta: Any = None
    ) -> None:
        """Fails unless two dictionaries of numbers are almost equal.

        Args:
            a: a dictionary.
            b: another one.
            places: how many digits after the point have to agree, 7 by default.
            msg: what to say if it fails.
            delta: the largest difference, instead of `places`.
        """
        self.assertEqual(set(a), set(b), msg)
        for key in a:
            self.assertAlmostEqual(a[key], b[key], places=places, msg=msg, delta=delta)

    def assertTotallyOrdered(self, *groups: Iterable[Any], msg: Any = None) -> None:
        """Fails unless the members of each group are equal, and less than those of later groups.

        Args:
            *groups: the groups, in their order.
            msg: what to say if it fails.
        """
        held = [list(group) for group in groups]
        for place, group in enumerate(held):
            for first in group:
                for second in group:
                    self.assertEqual(first, second, msg)
                    self.assertEqual(hash(first), hash(second), msg)
                for second in (member for later in held[place + 1 :] for member in later):
                    self.assertLess(first, second, msg)
                    self.assertGreater(second, first, msg)

    # Texts.

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Any = None) -> None:
        """Fails unless a text starts with another one.

        Args:
            actual: the text.
            expected_start: its start.
            msg: what to say if it fails.
        """
        if not actual.startswith(expected_start):
            raise self._told(f"{actual!r} does not start with {expected_start!r}", msg)

    def assertNotStartsWith(self, actual: Any, unexpected_start: Any, msg: Any = None) -> None:
        """Fails if a text starts with another one.

        Args:
            actual: the text.
            unexpected_start: the start.
            msg: what to say if it fails.
        """
        if actual.startswith(unexpected_start):
            raise self._told(f"{actual!r} does start with {unexpected_start!r}", msg)

    def assertEndsWith(self, actual: Any, expected_end: Any, msg: Any = None) -> None:
        """Fails unless a text ends with another one.

        Args:
            actual: the text.
            expected_end: its end.
            msg: what to say if it fails.
        """
        if not actual.endswith(expected_end):
            raise self._told(f"{actual!r} does not end with {expected_end!r}", msg)

    def assertNotEndsWith(self, actual: Any, unexpected_end: Any, msg: Any = None) -> None:
        """Fails if a text ends with another one.

        Args:
            actual: the text.
            unexpected_end: the end.
            msg: what to say if it fails.
        """
        if actual.endswith(unexpected_end):
            raise self._told(f"{actual!r} does end with {unexpected_end!r}", msg)

    def assertRegexMatch(self, actual_str: Any, regexes: Any, message: Any = None) -> None:
        """Fails unless one of several patterns is found in a text.

        Args:
            actual_str: the text.
            regexes: the patterns.
            message: what to say if it fails.
        """
        if not any(re.search(pattern, actual_str, re.MULTILINE) for pattern in regexes):
            raise self._told(
                f'"{actual_str}" does not contain any of these regexes: {regexes}.', message
            )

    def assertContainsInOrder(self, strings: Sequence[str], target: str, msg: Any = None) -> None:
        """Fails unless a text has several others in it, in their order.

        Args:
            strings: what it has in it.
            target: the text.
            msg: what to say if it fails.
        """
        at, last = 0, ""
        for part in strings:
            found = target.find(part, at)
            if found < 0 and not last:
                raise self._told(f"Did not find {part!r} in {target!r}", msg)
            if found < 0:
                raise self._told(f"Did not find {part!r} after {last!r} in {target!r}", msg)
            at, last = found, part

    # Members.

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Fails unless two containers have the same members, however often.

        Args:
            expected_seq: a container.
            actual_seq: another one.
            msg: what to say if it fails.
        """
        missing = [x for x in expected_seq if x not in actual_seq]
        more = [x for x in actual_seq if x not in expected_seq]
        if missing or more:
            text = f"Expected, but missing:\n  {missing}\n" if missing else ""
            text += f"Unexpected, but present:\n  {more}\n" if more else ""
            raise self._told(text.rstrip(), msg)

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Fails unless two containers have the same members, equally often, as `assertCountEqual`.

        Args:
            first: a container.
            second: another one.
            msg: what to say if it fails.
        """
        self.assertCountEqual(first, second, msg)

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: Any = None) -> None:
        """Fails unless a container has some members.

        Args:
            expected_subset: the members.
            actual_set: the container.
            msg: what to say if it fails.
        """
        if missing := set(expected_subset) - set(actual_set):
            raise self._told(
                f"Missing elements {missing}\nExpected: {expected_subset}\nActual: {actual_set}",
                msg,
            )

    def assertNoCommonElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Fails if two containers have a member in common.

        Args:
            expected_seq: a container.
            actual_seq: another one.
            msg: what to say if it fails.
        """
        if common := set(expected_seq) & set(actual_seq):
            raise self._told(
                f"Common elements {common}\nExpected: {expected_seq}\nActual: {actual_seq}", msg
            )

    def assertContainsSubsequence(
        self, container: Iterable[Any], subsequence: Collection[Any], msg: Any = None
    ) -> None:
        """Fails unless a container has some members in their order, others among them or not.

        Args:
            container: the container.
            subsequence: the members.
            msg: what to say if it fails.
        """
        rest = iter(container)
        for wanted in subsequence:
            if not any(member == wanted for member in rest):
                raise self._told(
                    f"{subsequence} not a subsequence of {container}. First non-matching element: "
                    f"{wanted}",
                    msg,
                )

    def assertContainsExactSubsequence(
        self, container: Sequence[Any], subsequence: Sequence[Any], msg: Any = None
    ) -> None:
        """Fails unless a container has some members in their order, with no others among them.

        Args:
            container: the container.
            subsequence: the members.
            msg: what to say if it fails.
        """
        held, wanted = list(container), list(subsequence)
        starts = range(max(len(held), 1))
        longest = max(
            next((n for n in range(len(wanted), 0, -1) if held[i : i + n] == wanted[:n]), 0)
            for i in starts
        )
        if longest < len(wanted):
            raise self._told(
                f"{subsequence} not an exact subsequence of {container}. Longest matching prefix: "
                f"{wanted[:longest]}",
                msg,
            )

    # Classes and structures.

    def assertIsSubclass(self, cls: Any, superclass: Any, msg: Any = None) -> None:
        """Fails unless a class is derived from another one.

        Args:
            cls: the class.
            superclass: the other one.
            msg: what to say if it fails.
        """
        if not issubclass(cls, superclass):
            raise self._told(f"{cls!r} is not a subclass of {superclass!r}", msg)

    def assertNotIsSubclass(self, cls: Any, superclass: Any, msg: Any = None) -> None:
        """Fails if a class is derived from another one.

        Args:
            cls: the class.
            superclass: the other one.
            msg: what to say if it fails.
        """
        if issubclass(cls, superclass):
            raise self._told(f"{cls!r} is a subclass of {superclass!r}", msg)

    def assertSameStructure(
        self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: Any = None
    ) -> None:
        """Fails unless two structures of lists and dictionaries are equal; says where they differ.

        Args:
            a: a structure.
            b: another one.
            aname: what to call the first.
            bname: what to call the second.
            msg: what to say if it fails.
        """
        if wrong := list(_differences(a, b, aname, bname)):
            raise self._told("; ".join(wrong[:20]), msg)


def _differences(a: Any, b: Any, aname: str, bname: str) -> Iterable[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a:
            if key not in b:
                yield f"{aname} has [{key!r}] with value {a[key]!r} but it's missing in {bname}"
            else:
                yield from _differences(a[key], b[key], f"{aname}[{key!r}]", f"{bname}[{key!r}]")
        for key in b:
            if key not in a:
                yield f"{bname} has [{key!r}] with value {b[key]!r} but it's missing in {aname}"
    elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
        for i, (first, second) in enumerate(zip(a, b, strict=False)):
            yield from _differences(first, second, f"{aname}[{i}]", f"{bname}[{i}]")
        if len(a) != len(b):
            yield f"{aname} has length {len(a)} but {bname} has length {len(b)}"
    elif a != b:
        yield f"{aname} is {a!r} but {bname} is {b!r}"
