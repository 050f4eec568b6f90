"""Random programs: tapes, nests, looks and assignments, functions, branches and loops, threads.

Programs of tapes are compared with a naive tape (which was itself compared with TensorFlow, see
`programs_at_random`), programs with functions with the same program run plain. A part of them runs
in threads at the same time, where each must give what it gives alone; and threads add to shared
variables, where nothing may be lost.
"""

import random
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import hypothesis
import jax
import numpy as np
from functions_at_random import Compiled, Plain, programs as programs_with_functions
from programs_at_random import Facade, Oracle, programs

COUNT = 10_000
SHORT_COUNT = 60
THREADS = 4
TOLERANCE = 1e-7


def drawn(strategy: Any, count: int, seed: int) -> list[Any]:
    """Draws `count` examples from a strategy of hypothesis; the same ones for a seed."""
    found: list[Any] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def collect(program: Any) -> None:
        found.append(program)

    collect()
    return found


def difference(got: Any, want: Any) -> str:
    """Says where two results of a program differ; "" if they do not."""
    if got is None or want is None:
        return "" if got is want else f"{got} instead of {want}"
    if isinstance(got, list | tuple):
        if len(got) != len(want):
            return f"{len(got)} values instead of {len(want)}"
        return next(filter(None, map(difference, got, want)), "")
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    scale = max(1.0, float(np.abs(want).max(initial=0.0)))
    if not np.allclose(got, want, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True):
        return f"{got} instead of {want}"
    return ""


def against_naive_tape(program: Any) -> str:
    got_gradients, got_last, got_variables = Facade().results(program)
    with jax.enable_x64(True):
        gradients, last, variables = Oracle().results(program)
    for found, expected in zip(got_gradients, gradients, strict=True):
        for a, b in zip(found, expected, strict=True):
            if a is None and b is not None and not np.any(b):
                return ""  # the naive tape has zeros there; from here on the programs differ
            text = difference(a, b)
            if text:
                return text
    return difference([got_last, got_variables], [last, variables])


def against_plain(program: Any) -> str:
    return difference(Compiled().results(program), Plain().results(program))


def in_threads(batch: list[Any]) -> str:
    """Runs programs at the same time; each must give what it gives alone."""
    alone = [Facade().results(program) for program in batch]
    together: list[Any] = [None] * len(batch)

    def work(place: int) -> None:
        try:
            together[place] = Facade().results(batch[place])
        except Exception as error:  # told as a difference
            together[place] = error

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(batch))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for got, want in zip(together, alone, strict=True):
        if isinstance(got, Exception):
            return f"in a thread: {type(got).__name__}: {got}"
        text = difference(got, want)
        if text:
            return f"in a thread: {text}"
    return ""


def lost_updates(rounds: int) -> str:
    """Counts what threads add to shared variables in functions and plain steps."""
    import tapefacade as tf

    total = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def in_function() -> Any:
        return total.assign_add(1)

    def work() -> None:
        for number in range(rounds):
            in_function() if number % 2 else total.assign_add(1)

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    want = THREADS * rounds
    return "" if int(total) == want else f"{int(total)} of {want} additions are left"


def checked(kind: str, check: Any, cases: list[Any]) -> Iterator[tuple[str, bool]]:
    failed = 0
    for case in cases:
        try:
            text = check(case)
        except Exception as error:  # told as a failure
            text = f"{type(error).__name__}: {error}"
        if text:
            failed += 1
            yield f"{kind}: {text}\n  {case}", True
    yield f"{kind}: {len(cases)} run, {failed} failed", False


def run(count: int, seed: int) -> Iterator[tuple[str, bool]]:
    """Yields a line for each kind of program, and one for each failure."""
    import tapefacade as tf

    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")  # functions made again and again are meant here
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from _all_kinds(count, seed)
    finally:
        logger.setLevel(level)


def _all_kinds(count: int, seed: int) -> Iterator[tuple[str, bool]]:
    with_tapes = drawn(programs(), count // 2, seed)
    with_functions = drawn(programs_with_functions(), count // 4, seed + 1)
    yield from checked("tapes", against_naive_tape, with_tapes)
    yield from checked("functions", against_plain, with_functions)
    dice = random.Random(seed)
    batches = [dice.choices(with_tapes, k=THREADS) for _ in range(count // 4 // THREADS)]
    yield from checked("threads", in_threads, batches)
    yield from checked("updates", lost_updates, [max(count // 5, 100)])
