"""Random programs, compared with what a live TensorFlow gives.

The environment variable `CAMPAIGN_TENSORFLOW` names a Python that has TensorFlow, hypothesis and
JAX; without it this part says that it is left out. Half of the programs are tapes, nests, looks and
assignments, half are functions, branches and loops with tapes in them.
"""

import collections
import os
import pathlib
import pickle
import subprocess
import warnings
from collections.abc import Iterator
from typing import Any

from functions_at_random import Compiled, programs as programs_with_functions
from programs_at_random import Facade, programs

from campaign.programs import difference, drawn

COUNT = 10_000
SHORT_COUNT = 60
BATCH = 50  # programs that are drawn together: the first answers come at once
PYTHON = "CAMPAIGN_TENSORFLOW"
KINDS = {"tapes": (programs, Facade), "functions": (programs_with_functions, Compiled)}


class TensorFlow:
    """TensorFlow in a process of its own, which lives as long as the campaign."""

    def __init__(self, python: str) -> None:
        worker = pathlib.Path(__file__).parent / "tensorflow_answers.py"
        self._process = subprocess.Popen(
            [python, str(worker)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, kind: str, program: Any) -> None:
        assert self._process.stdin is not None
        pickle.dump((kind, program), self._process.stdin)
        self._process.stdin.flush()

    def answer(self) -> Any:
        assert self._process.stdout is not None
        return pickle.load(self._process.stdout)

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def run(count: int, seed: int) -> Iterator[tuple[str, bool]]:
    """Yields a line for each kind of program, and one for each failure."""
    python = os.environ.get(PYTHON)
    if not python:
        yield f"left out: {PYTHON} names no Python that has TensorFlow", False
        return
    import tapefacade as tf

    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")  # functions made again and again are meant here
    tensorflow = TensorFlow(python)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from _compared(tensorflow, count, seed)
    finally:
        logger.setLevel(level)
        tensorflow.end()


def _compared(tensorflow: TensorFlow, count: int, seed: int) -> Iterator[tuple[str, bool]]:
    outcomes: dict[str, collections.Counter] = {kind: collections.Counter() for kind in KINDS}
    for start in range(0, count, 2 * BATCH):
        for kind, (strategy, machine) in KINDS.items():
            number = min(BATCH, (count - start + 1) // 2)
            for program in drawn(strategy(), number, seed + start):
                tensorflow.ask(kind, program)
                try:
                    got = machine().results(program)
                except Exception as error:  # compared as an answer
                    got = f"{type(error).__name__}: {error}"
                outcome, text = _judged(got, tensorflow.answer())
                outcomes[kind][outcome] += 1
                if text:
                    yield f"{kind}: {text}\n  {program}", True
        done = min(start + 2 * BATCH, count)
        for kind, told in outcomes.items():
            counts = ", ".join(f"{number} {name}" for name, number in sorted(told.items()))
            yield f"{kind}, after {done} of {count}: {counts}", False


def _judged(got: Any, want: Any) -> tuple[str, str]:
    """Compares what we give with TensorFlow's answer: the outcome, and what is wrong."""
    if isinstance(want, str):
        if isinstance(got, str) and got.split(":")[0] == want.split(":")[0]:
            return "raise in both", ""
        return "raise in TensorFlow", "" if not isinstance(got, str) else f"{got}, not {want}"
    if isinstance(got, str):
        return "failed", f"{got}, where TensorFlow gives a value"
    text = difference(got, want)
    return ("differ", text) if text else ("equal", "")
