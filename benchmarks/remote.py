"""Contestants in processes of their own, which have their turns when they are asked.

Keras has one backend in a process, and torchax changes PyTorch for the whole process, so that
`torch.compile` no longer works. Such a process waits on a pipe while the others have their turns;
it measures its own steps, so that the pipe costs nothing.
"""

import importlib
import os
import pickle
import select
import subprocess
import sys
from typing import Any

from timing import Contestant, Results


class Worker:
    """A process that makes contestants and runs them.

    It imports a module of this folder, whose `contestant(name, workload, every)` makes them.
    """

    def __init__(self, module: str, environment: dict[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, module], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})},
        )  # fmt: skip

    def ask(self, *request: Any, seconds: float | None = None) -> Any:
        """Sends a request; returns the answer.

        Raises:
            RuntimeError: if the process could not do it, with what it says.
            TimeoutError: if it takes more than `seconds`; the process has ended then.
        """
        pickle.dump(request, self._process.stdin)
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            self._process.kill()
            raise TimeoutError(f"more than {seconds:.0f} s")
        try:
            done, answer = pickle.load(self._process.stdout)
        except EOFError:
            raise RuntimeError("its process ended") from None
        if not done:
            raise RuntimeError(answer)
        return answer

    @property
    def runs(self) -> bool:
        """Whether the process is still there."""
        return self._process.poll() is None

    def close(self) -> None:
        """Ends the process."""
        self._process.stdin.close()
        self._process.wait()


class Remote(Contestant):
    """A contestant in a worker."""

    def __init__(
        self, worker: Worker, name: str, workload: str, every: bool, limit: float | None = None
    ) -> None:
        super().__init__(name, lambda: None, lambda result: result, every)
        self._worker = worker
        self._limit = limit
        worker.ask("make", name, workload, every, seconds=limit)

    def results(self, steps: int) -> Results:
        """Does the work some times; returns the arrays of each time."""
        return self._worker.ask("results", self.name, steps, seconds=self._limit)

    def run(self, count: int) -> float:
        """Does the work `count` times; returns the seconds."""
        return self._worker.ask("run", self.name, count)


def serve(module: str) -> None:
    """Answers requests until the pipe is closed."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get into the pipe
    made: dict[str, Contestant] = {}

    def answer_to(kind: str, name: str, *arguments: Any) -> Any:
        if kind == "make":
            made.pop(name, None)
            made[name] = importlib.import_module(module).contestant(name, *arguments)
            return None
        return getattr(made[name], kind)(*arguments)

    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = True, answer_to(*request)
        except Exception as error:  # whatever it is, who asked has to hear of it
            answer = False, f"{type(error).__name__}: {(str(error).strip() or '?').splitlines()[0]}"
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
