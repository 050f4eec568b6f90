"""Watches the other processes of a program: if one of them dies, the others say so and end.

The processes are connected with the chief. When a process dies, its operating system closes the
connection, however it died; when a machine is cut off, the connection does so after some seconds.
Who ends in peace says so first. JAX alone would abort the others much later, and say less.
"""

import atexit
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from tapefacade._core.process_group import PROCESSES

BYE, LOST, FAILED = b"b", b"l", b"f"
SECONDS_BETWEEN_ATTEMPTS = 0.05
SECONDS_TO_CONNECT = 300.0
SECONDS_OF_SILENCE = 10  # after which the connection is asked for
SECONDS_BETWEEN_PROBES = 5
PROBES = 4
SECONDS_ALONE = 10  # after which a process is told that another one has ended
STATUS_OF_LOSS = 75  # that of a temporary failure: to start again may help
MESSAGE_LOST = (
    "tapefacade: {name} at {address} {how}. The processes of a program work in step, so this one "
    "({own}) ends as well. Start all of them again: training goes on where the last checkpoint was "
    "written (tf.keras.callbacks.BackupAndRestore, tf.train.CheckpointManager)."
)
MESSAGE_WAITING = (
    "tapefacade: the program of {} has ended, while that of {} goes on. If it waits for the "
    "other, it waits in vain: what all processes do together they must do equally often "
    "(strategy.run, reduce, gather, fit, loops over the strategy's datasets)."
)
HOW_LOST, HOW_FAILED = "was killed or has lost its connection", "has ended with an error, {}"


class WorkerWatch:
    """What a process knows of the lives of the others.

    Args:
        addresses: where the processes are; the first is the chief. Each listens at its own address,
            but the chief, where JAX does.
        index: the number of this one.
    """

    def __init__(self, addresses: Sequence[str], index: int) -> None:
        self._addresses = list(addresses)
        self._index = index
        self._connections: dict[int, socket.socket] = {}
        self._failure = ""
        self._is_over = False
        self._lock = threading.Lock()
        self._listener: socket.socket | None = None
        if index:
            port = int(addresses[index].rsplit(":", 1)[1])
            family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
            dual = family == socket.AF_INET6
            self._listener = socket.create_server(("", port), family=family, dualstack_ipv6=dual)

    def start(self) -> None:
        """Connects the processes, and begins to watch."""
        if self._index:
            assert self._listener is not None
            self._listener.settimeout(SECONDS_TO_CONNECT)
            connection, _ = self._listener.accept()
            self._listener.close()
            self._connections[0] = connection
        else:
            for other in range(1, len(self._addresses)):
                self._connections[other] = _connected(self._addresses[other])
        for other, connection in self._connections.items():
            _keep_alive(connection)
            threading.Thread(target=self._listen, args=(other, connection), daemon=True).start()
        before = sys.excepthook

        def note(kind: Any, error: Any, trace: Any) -> None:
            before(kind, error, trace)
            self._failure = kind.__name__

        sys.excepthook = note
        atexit.register(self._end)

    def name(self, index: int) -> str:
        """Returns what messages call a process."""
        return "worker 0, the chief," if index == 0 else f"worker {index}"

    def _listen(self, other: int, connection: socket.socket) -> None:
        """Waits for what another process has to say, or for its end."""
        file = connection.makefile("rb")
        while True:
            try:
                said = file.readline().rstrip()
            except OSError:
                said = b""
            if self._is_over:
                return
            if said[:1] != BYE:
                break
            index = int(said[1:])
            self._note_end(index)
            if index == other:
                return
        if said[:1] == LOST:  # the chief tells of another one
            about = json.loads(said[1:])
            self._give_up(about["index"], about["how"])
        how = HOW_FAILED.format(said[1:].decode()) if said[:1] == FAILED else HOW_LOST
        self._give_up(other, how)

    def _note_end(self, index: int) -> None:
        """Takes note that the program of another process is over; the chief tells the others."""
        PROCESSES.ended.append(self.name(index).removesuffix(","))
        if not self._index:
            self._tell(BYE + str(index).encode(), but=index)

        def say() -> None:
            if not self._is_over:
                text = MESSAGE_WAITING.format(self.name(index), self.name(self._index))
                sys.stderr.write(f"\n{text}\n")
                sys.stderr.flush()

        timer = threading.Timer(SECONDS_ALONE, say)
        timer.daemon = True
        timer.start()

    def _give_up(self, other: int, how: str) -> None:
        """Says which process is lost, to the others as well, and ends this one."""
        with self._lock:
            text = MESSAGE_LOST.format(
                name=self.name(other), address=self._addresses[other], how=how,
                own=self.name(self._index).removesuffix(","),
            )  # fmt: skip
            self._tell(LOST + json.dumps({"index": other, "how": how}).encode(), but=other)
            sys.stdout.flush()
            sys.stderr.write(f"\n{text}\n")
            sys.stderr.flush()
            os._exit(STATUS_OF_LOSS)  # the main thread waits for the lost one, and always would

    def _tell(self, message: bytes, but: int = -1) -> None:
        for other, connection in self._connections.items():
            if other != but:
                try:
                    connection.sendall(message + b"\n")
                except OSError:
                    continue

    def _end(self) -> None:
        """Says farewell, or that the program has failed: then nobody waits for the others."""
        self._is_over = True
        if not self._failure:
            self._tell(BYE + str(self._index).encode())
            return
        self._tell(FAILED + self._failure.encode())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


def _connected(address: str) -> socket.socket:
    """Connects with a process as soon as it listens."""
    host, port = address.rsplit(":", 1)
    end = time.monotonic() + SECONDS_TO_CONNECT
    while True:
        try:
            return socket.create_connection((host, int(port)), timeout=SECONDS_TO_CONNECT)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(SECONDS_BETWEEN_ATTEMPTS)


def _keep_alive(connection: socket.socket) -> None:
    """Lets the operating system find out that a machine is cut off."""
    connection.settimeout(None)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, seconds in (
        ("TCP_KEEPIDLE", SECONDS_OF_SILENCE),
        ("TCP_KEEPINTVL", SECONDS_BETWEEN_PROBES),
        ("TCP_KEEPCNT", PROBES),
    ):
        option = getattr(socket, name, None)  # not on every system
        if option is not None:
            connection.setsockopt(socket.IPPROTO_TCP, option, seconds)
