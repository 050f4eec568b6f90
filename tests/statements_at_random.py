"""Random Python programs of statements on tensors, as text."""

import random

FLOATS, INTEGERS = ("x", "y", "z"), ("i", "j", "k")


class Writer:
    """Writes one function, whose loops all end."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._loops = 0

    def function(self) -> str:
        """Returns the text of a function of two tensors."""
        lines = ["def program(x, n):", "    y, z = x * 0.5, x - 1.0", "    i = j = k = n"]
        lines += self._block(1, 4, loop=False)
        lines.append("    return x, y, z, i, j, k")
        return "\n".join(lines) + "\n"

    def _block(self, depth: int, most: int, loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self._random.randint(1, most)):
            lines += self._statement(depth, loop)
        return lines

    def _statement(self, depth: int, loop: bool) -> list[str]:
        pick, pad = self._random.random(), "    " * depth
        if depth > 3 or pick < 0.35:
            return [pad + self._assignment()]
        if pick < 0.65:
            lines = [f"{pad}if {self._condition()}:", *self._block(depth + 1, 2, loop)]
            if self._random.random() < 0.3:
                lines += [f"{pad}elif {self._condition()}:", *self._block(depth + 1, 2, loop)]
            if self._random.random() < 0.5:
                lines += [f"{pad}else:", *self._block(depth + 1, 2, loop)]
            return lines
        if pick < 0.72 and loop:
            jump = self._random.choice(["break", "continue"])
            return [f"{pad}if {self._condition()}:", f"{pad}    {jump}"]
        if pick < 0.76 and not loop:
            return [f"{pad}if {self._condition()}:", f"{pad}    return x, y, z, i, j, k"]
        return self._loop(depth)

    def _loop(self, depth: int) -> list[str]:
        pad = "    " * depth
        self._loops += 1
        own = f"a{self._loops}"
        if self._random.random() < 0.5:
            lines = [f"{pad}{own} = tf.constant(0)", f"{pad}while {own} < {self._count()}:"]
            lines.append(f"{pad}    {own} += 1")
        else:
            lines = [f"{pad}for {own} in tf.range({self._count()}):"]
        lines += self._block(depth + 1, 3, loop=True)
        if self._random.random() < 0.2:
            lines += [f"{pad}else:", *self._block(depth + 1, 1, loop=False)]
        return lines

    def _count(self) -> str:
        return self._random.choice(["3", "n", "n % 4", "i % 3 + 1"])

    def _assignment(self) -> str:
        choose = self._random.choice
        if self._random.random() < 0.6:
            to, a, b = choose(FLOATS), choose(FLOATS), choose(FLOATS)
            text = choose([f"{a} * 0.5 + {b}", f"{a} - {b} * 0.25", f"tf.sin({a}) + 1.0",
                           f"{a} if {self._condition()} else {b}"])  # fmt: skip
            return f"{to} = {text}"
        to, a = choose(INTEGERS), choose(INTEGERS)
        return f"{to} = {choose([f'{a} + 1', f'{a} * 3 % 7', f'{a} // 2', f'{a} - n'])}"

    def _condition(self) -> str:
        choose = self._random.choice
        one = choose([
            f"{choose(FLOATS)} > {self._random.uniform(-1, 2):.2f}",
            f"{choose(INTEGERS)} % 3 == {self._random.randint(0, 2)}",
            f"{choose(FLOATS)} < {choose(FLOATS)}",
            f"0 < {choose(INTEGERS)} < 5",
        ])  # fmt: skip
        if self._random.random() < 0.25:
            return f"{one} {choose(['and', 'or'])} {choose(FLOATS)} > 0.3"
        return f"not {one}" if " < " not in one and self._random.random() < 0.15 else one
