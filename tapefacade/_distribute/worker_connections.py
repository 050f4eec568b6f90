"""How the processes of a program get the connections by which they watch each other.

Each is connected with the chief. Where the program says the addresses of all, the others listen
there; where JAX has found its peers by itself (Slurm, pods of TPUs), the chief says where it does.
"""

import contextlib
import json
import secrets
import socket
import time
from collections.abc import Iterator, Sequence

from tapefacade._core.logging import warn
from tapefacade._core.process_group import PROCESSES, exchanged, told_by_chief

SECONDS_BETWEEN_ATTEMPTS = 0.05
SECONDS_TO_CONNECT = 300.0
SECONDS_TO_REACH = 5.0  # one of the names of the chief's machine
SECONDS_TO_BE_REACHED = 20.0
ANYWHERE = "10.255.255.255", 1  # nothing is sent there
WELCOME = b"w"
MESSAGE_UNWATCHED = (
    "The processes of this program do not watch each other, as {} reached the chief at {} (port "
    "{}). If one of them dies, JAX ends the others later, and says less. Let the machines reach "
    "each other, or set TF_CONFIG."
)
Connections = dict[int, socket.socket]


def by_addresses(addresses: Sequence[str], index: int) -> Connections:
    """Connects the processes, of which each but the chief listens at its own address.

    Args:
        addresses: where the processes are; the first is the chief.
        index: the number of this one.

    Returns:
        A connection with each other process that this one is connected with.
    """
    if not index:
        return {k: _connected(address) for k, address in enumerate(addresses) if k}
    with _listening(int(addresses[index].rsplit(":", 1)[1])) as listener:
        listener.settimeout(SECONDS_TO_CONNECT)
        return {0: listener.accept()[0]}


def by_chief() -> Connections | None:
    """Connects processes that JAX has joined.

    Returns:
        A connection with each other process that this one is connected with; None if one of them
        cannot reach the chief.
    """
    if PROCESSES.is_chief:
        with _listening(0) as listener:
            key, port = secrets.token_hex(), listener.getsockname()[1]
            said = told_by_chief(json.dumps([socket.gethostname(), port, key]).encode())
            where = told_by_chief(json.dumps(_names_of_machine()).encode())
            found = _welcomed(listener, key.encode())
    else:
        said, where = told_by_chief(b""), told_by_chief(b"")
        host, port, key = json.loads(said)
        names = json.loads(where) + ["localhost"] * (host == socket.gethostname())
        found = _reached(names, port, key.encode())
    counts = [int(count) for count in exchanged(str(len(found)).encode())]
    if counts == [len(counts) - 1, *[1] * (len(counts) - 1)]:
        return found
    for connection in found.values():
        connection.close()
    if PROCESSES.is_chief:
        lost = " and ".join(f"worker {k}" for k, count in enumerate(counts) if not count)
        lost = f"{lost} has not" if lost else "one of them has not"
        warn(MESSAGE_UNWATCHED, lost, ", ".join(json.loads(where)), json.loads(said)[1])
    return None


def _welcomed(listener: socket.socket, key: bytes) -> Connections:
    """Returns connections with the processes that know the key; number and key are a line."""
    found: Connections = {}
    end = time.monotonic() + SECONDS_TO_BE_REACHED
    while len(found) < PROCESSES.count - 1 and (left := end - time.monotonic()) > 0:
        listener.settimeout(left)
        with contextlib.suppress(OSError, ValueError):
            connection, _ = listener.accept()
            connection.settimeout(SECONDS_TO_REACH)
            with connection.makefile("rb") as file:
                number, _, said = file.readline(1000).rstrip().partition(b" ")
            if secrets.compare_digest(said, key):
                found[int(number)] = connection
                connection.sendall(WELCOME)
            else:
                connection.close()
    return found


def _reached(names: Sequence[str], port: int, key: bytes) -> Connections:
    """Connects with the chief at the first name of its machine that leads to it."""
    for name in names:
        with contextlib.suppress(OSError):
            connection = socket.create_connection((name, port), timeout=SECONDS_TO_REACH)
            connection.sendall(b"%d %s\n" % (PROCESSES.index, key))
            if connection.recv(1) == WELCOME:
                return {0: connection}
            connection.close()
    return {}


def _names_of_machine() -> list[str]:
    """Returns how other machines may call this one: its name, and its address in their network."""
    found = [socket.getfqdn(), socket.gethostname()]
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(ANYWHERE)
        found.append(probe.getsockname()[0])
    return list(dict.fromkeys(found))


@contextlib.contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    is_dual = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if is_dual else socket.AF_INET
    with socket.create_server(("", port), family=family, dualstack_ipv6=is_dual) as listener:
        yield listener


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
