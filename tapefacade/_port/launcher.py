"""`python -m tapefacade launch`: starts the processes of a program, and watches them.

Each is told by `TF_CONFIG` where the others are. What they print is marked with their numbers. When
one of them dies, the others are ended, and if so wanted all of them are started again.
"""

import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import IO, Any

HOST = "localhost"
SECONDS_TO_END = 5.0  # between the request to end, and the end
SECONDS_FOR_CAUSE = 1.0  # in which the process is found whose death was the first
STATUS_OF_LOSS = 75  # of a process that has ended because another one did
STATUS_OF_SIGNAL = 128  # is added to the number of the signal, as shells do
ADVICE = """\
This is for the processes of one machine. Elsewhere something else starts them, and the program
says tf.distribute.MultiWorkerMirroredStrategy() in its first lines, as here:
  Slurm        srun python SCRIPT, with the strategy's cluster_resolver =
               tf.distribute.cluster_resolver.SlurmClusterResolver()
  Kubernetes   an indexed Job with a headless service; each pod gets TF_CONFIG with the addresses of
               all of them, and its own JOB_COMPLETION_INDEX as the index of its task
  TPU pods     the same command on every host (gcloud ... ssh --worker=all), and before the strategy
               jax.distributed.initialize(), with which JAX finds the others itself
"""


class Launcher:
    """Processes that run one script.

    Args:
        command: what each of them runs, after the name of Python.
        count: how many there are.
        restarts: how often all of them may be started again.
    """

    def __init__(self, command: Sequence[str], count: int, restarts: int = 0) -> None:
        self._command = list(command)
        self._count = count
        self._restarts = restarts
        self._processes: list[subprocess.Popen[str]] = []
        self._ended: queue.Queue[int] = queue.Queue()
        self._output = threading.Lock()

    def run(self) -> int:
        """Starts the processes, and waits for their end.

        Returns:
            The status of the one that has failed first, 0 if none has.
        """
        with _ended_by_signals():
            for attempt in range(self._restarts + 1):
                try:
                    status = self._attempt()
                finally:
                    self._end()
                if status == 0 or attempt == self._restarts:
                    return status
                self._say(f"all processes start again ({attempt + 1} of {self._restarts} times).")
        return 0

    def _attempt(self) -> int:
        """Runs the program once."""
        addresses = _free_addresses(self._count)
        self._ended = queue.Queue()
        self._processes = [self._started(addresses, index) for index in range(self._count)]
        readers = [
            threading.Thread(target=self._pass_on, args=(index, *pair), daemon=True)
            for index, process in enumerate(self._processes)
            for pair in ((process.stdout, sys.stdout), (process.stderr, sys.stderr))
        ]
        waiters = [
            threading.Thread(target=self._wait, args=(self._ended, index, process), daemon=True)
            for index, process in enumerate(self._processes)
        ]
        for thread in (*readers, *waiters):
            thread.start()
        status = self._watched()
        self._end()
        for thread in readers:
            thread.join(SECONDS_TO_END)
        return status

    def _started(self, addresses: Sequence[str], index: int) -> subprocess.Popen[str]:
        task = {"type": "worker", "index": index}
        return subprocess.Popen(
            [sys.executable, *self._command],
            env={
                **os.environ, "PYTHONUNBUFFERED": "1",
                "TF_CONFIG": json.dumps({"cluster": {"worker": addresses}, "task": task}),
            },
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", start_new_session=True,
        )  # fmt: skip

    def _wait(self, ended: "queue.Queue[int]", index: int, process: subprocess.Popen[str]) -> None:
        process.wait()
        ended.put(index)

    def _watched(self) -> int:
        """Waits until all have ended in peace, or one has not."""
        for _ in range(self._count):
            index = self._ended.get()
            if self._status(index):
                return self._told(index)
        return 0

    def _told(self, index: int) -> int:
        """Says which process has failed first; returns its status."""
        while self._status(index) == STATUS_OF_LOSS:  # it says that another one has
            try:
                index = self._ended.get(timeout=SECONDS_FOR_CAUSE)
            except queue.Empty:
                break
        status = self._status(index)
        if status < 0:
            how = f"was ended by the signal {-status} ({signal.Signals(-status).name})"
        else:
            how = f"has ended with the status {status}"
        self._say(f"worker {index} {how}; the others are ended.")
        return status if status > 0 else STATUS_OF_SIGNAL - status

    def _status(self, index: int) -> int:
        return self._processes[index].poll() or 0

    def _pass_on(self, index: int, source: IO[str], target: IO[str]) -> None:
        """Writes the lines of a process, with its number before them."""
        for line in source:
            with self._output:
                target.write(f"[{index}] {line}" if line.endswith("\n") else f"[{index}] {line}\n")
                target.flush()

    def _say(self, text: str) -> None:
        with self._output:
            sys.stderr.write(f"tapefacade launch: {text}\n")
            sys.stderr.flush()

    def _end(self) -> None:
        """Ends what still runs, with all that it has started."""
        for process in self._processes:
            _send(process, signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                _send(process, signal.SIGKILL)
                process.wait()


def _send(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """Sends a signal to a process and those that it has started."""
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _free_addresses(count: int) -> list[str]:
    """Returns addresses at which nobody listens, as the operating system gives them."""
    places = [socket.create_server((HOST, 0)) for _ in range(count)]
    found = [f"{HOST}:{place.getsockname()[1]}" for place in places]
    for place in places:
        place.close()
    return found


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Makes a block that ends in order, and its processes with it, when it is asked to end."""

    def leave(number: int, frame: Any) -> None:
        raise SystemExit(STATUS_OF_SIGNAL + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
