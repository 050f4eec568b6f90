"""Watches the other processes of a program: if one of them dies, the others say so and end.

The processes are connected with the chief. When a process dies, its operating system closes the
connection, however it died; when a machine is cut off, the connection does so after some seconds.
Who ends in peace says so first. JAX alone would abort the others much later, and say less.

Each process tells the chief what it does with the others, which has to be the same in all of them.
One that waits for long asks the others where they are.
"""

import atexit
import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import jax

from tapefacade._core.process_group import PROCESSES
from tapefacade._core.tracebacks import PACKAGE
from tapefacade._distribute.worker_order import MESSAGE_UNLIKE, WorkerOrder
from tapefacade._trace.tree import INSTALLED_LIBRARY

BYE, LOST, FAILED = b"b", b"l", b"f"
NOTES, UNLIKE, QUESTION, ANSWER = b"n", b"u", b"q", b"a"
SECONDS_BETWEEN_NOTES = 0.25
SECONDS_BEFORE_QUESTION = 30.0  # for which a process waits for others; then twice as long
SECONDS_TO_ANSWER = 2.0
SECONDS_OF_SILENCE = 10  # after which the connection is asked for
SECONDS_BETWEEN_PROBES = 5
PROBES = 4
SECONDS_ALONE = 10  # after which a process is told that another one has ended
SECONDS_FOR_CAUSE = 1.0  # in which a process whose collective failed hears of a lost one
SECONDS_TO_LEAVE = 2.0  # in which the others end before the chief does
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
MESSAGE_IN_VAIN = (
    "tapefacade: the program of {} has ended, and that of {} waits for it in vain, so it ends as "
    "well.{} What all processes do together they must do equally often (strategy.run, reduce, "
    "gather, fit, loops over the strategy's datasets)."
)
MESSAGE_LONG = "tapefacade: {own} has waited for {seconds:.0f} s{what} at {place}. {others}"
MESSAGE_DEADLINE = (
    "tapefacade: Collective has timed out during execution: {own} has waited for {seconds:.0f} s, "
    "as long as `timeout_seconds` says,{what} at {place}. {others}"
)
NOT_THERE, SILENT = "{name} has not come there; it is at {place}.", "{name} does not answer."
SOMEWHERE = "a place outside of the program's files"
HOW_LOST, HOW_FAILED = "was killed or has lost its connection", "has ended with an error, {}"


class WorkerWatch:
    """What a process knows of the lives of the others.

    Args:
        addresses: where the processes are; the first is the chief.
        index: the number of this one.
        connections: those of the chief with each other process, or of this one with the chief.
    """

    def __init__(
        self, addresses: Sequence[str], index: int, connections: dict[int, socket.socket]
    ) -> None:
        self._addresses = list(addresses)
        self._index = index
        self._connections = connections
        self._failure = ""
        self._is_over = False
        self._lock, self._noting, self._sending = (threading.Lock() for _ in range(3))
        self._order = WorkerOrder(len(addresses))
        self._answers: dict[int, Any] = {}
        self._takes = {
            NOTES: self._take_notes, QUESTION: self._answer, ANSWER: self._take_answer,
            UNLIKE: self._end_unlike,
        }  # fmt: skip
        self._listeners: list[threading.Thread] = []

    def start(self) -> None:
        """Begins to watch."""
        for other, connection in self._connections.items():
            _keep_alive(connection)
            listener = threading.Thread(target=self._listen, args=(other, connection), daemon=True)
            listener.start()
            self._listeners.append(listener)
        PROCESSES.notes = deque()
        threading.Thread(target=self._attend, daemon=True).start()
        before = sys.excepthook

        def note(kind: Any, error: Any, trace: Any) -> None:
            self._tell_notes()  # what has been done before may be the cause
            if PROCESSES.has_failed or isinstance(error, jax.errors.JaxRuntimeError):
                time.sleep(SECONDS_FOR_CAUSE)  # news of a lost process may be on their way
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
        has_ended = False
        while True:
            try:
                said = file.readline().rstrip()
            except OSError:
                said = b""
            if self._failure or (has_ended and not said):
                return
            if said[:1] in self._takes:
                self._takes[said[:1]](other, json.loads(said[1:]))
                continue
            if said[:1] != BYE:
                break
            index, meetings = json.loads(said[1:])
            has_ended = has_ended or index == other
            self._note_end(index, meetings)
        if said[:1] == LOST:  # the chief tells of another one
            about = json.loads(said[1:])
            self._give_up(about["index"], about["how"])
        how = HOW_FAILED.format(said[1:].decode()) if said[:1] == FAILED else HOW_LOST
        self._give_up(other, how)

    def _note_end(self, index: int, meetings: int) -> None:
        """Takes note that the program of another process is over; the chief tells the others."""
        name, own = self.name(index), self.name(self._index)
        PROCESSES.ended[name] = meetings
        if not self._index:
            self._tell(BYE + json.dumps([index, meetings]).encode(), but=index)

        def judge() -> None:
            if PROCESSES.meetings > meetings and PROCESSES.is_waiting:
                self._fail(MESSAGE_IN_VAIN.format(name, own, self._waits_at()), "RuntimeError")
            elif not self._is_over:
                _say(MESSAGE_WAITING.format(name, own))

        timer = threading.Timer(SECONDS_ALONE, judge)
        timer.daemon = True
        timer.start()

    def _waits_at(self) -> str:
        place = self._place()
        return f" It waits in {place}." if place else ""

    def _place(self) -> str:
        """Returns where the main thread is in the user's files, as far as that is known."""
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        while frame is not None and not self._is_over:
            name = frame.f_code.co_filename
            if not (name.startswith((PACKAGE, "<")) or INSTALLED_LIBRARY.search(name)):
                return f"{name}:{frame.f_lineno}"
            frame = frame.f_back
        return ""

    # What all do together.

    def _attend(self) -> None:
        """Tells from time to time what this process does with the others, and asks for them."""
        since, meetings, pause = time.monotonic(), -1, 0.0
        while not self._is_over:
            time.sleep(SECONDS_BETWEEN_NOTES)
            self._tell_notes()
            if PROCESSES.meetings != meetings or not PROCESSES.is_waiting:
                since, meetings = time.monotonic(), PROCESSES.meetings
                pause = SECONDS_BEFORE_QUESTION
                continue
            waited = time.monotonic() - since
            if waited > min(pause, PROCESSES.seconds_to_wait) and not PROCESSES.ended:
                self._ask(since, meetings)
                pause = 2 * max(pause, waited)

    def _tell_notes(self) -> None:
        """Tells the chief what this process has done with the others since the last time."""
        with self._noting:
            notes = PROCESSES.notes
            found = [notes.popleft() for _ in range(len(notes))] if notes else []
            if found and self._index:
                self._tell(NOTES + json.dumps(found).encode())
            elif found:
                self._take_notes(0, found)

    def _take_notes(self, index: int, found: list[str]) -> None:
        """Compares, in the chief, what a process has done with what the others have."""
        difference = self._order.take(index, found)
        if difference is not None:
            self._end_unlike(0, difference, UNLIKE + json.dumps(difference).encode())

    def _end_unlike(self, _: int, difference: Sequence[Any], news: bytes = b"") -> None:
        """Ends this process, as what it does is not what another one does."""
        text = MESSAGE_UNLIKE.format(*difference, self._waits_at())
        self._fail(text, "InvalidArgumentError", news)

    def _ask(self, since: float, meetings: int) -> None:
        """Asks the others where they are, and says which have not come to where this one waits."""
        self._answers = {}
        self._tell(QUESTION + json.dumps(self._index).encode())
        time.sleep(SECONDS_TO_ANSWER)
        if PROCESSES.meetings != meetings or not PROCESSES.is_waiting:
            return
        others = []
        for index in range(len(self._addresses)):
            its_meetings, place = self._answers.get(index, (-1, ""))
            if index != self._index and its_meetings < meetings:
                form = NOT_THERE if index in self._answers else SILENT
                others.append(form.format(name=self.name(index), place=place or SOMEWHERE))
        if not others:
            return  # all compute
        seconds = time.monotonic() - since
        is_too_long = seconds > PROCESSES.seconds_to_wait
        text = (MESSAGE_DEADLINE if is_too_long else MESSAGE_LONG).format(
            own=self.name(self._index), seconds=seconds, place=self._place() or SOMEWHERE,
            what=f" in {PROCESSES.together}" if PROCESSES.together else "", others=" ".join(others),
        )  # fmt: skip
        if is_too_long:
            self._fail(text, "DeadlineExceededError")
        else:
            _say(text)

    def _answer(self, other: int, asking: int) -> None:
        """Tells one that asks where this process is; the chief asks the others as well."""
        if not self._index:
            self._tell(QUESTION + json.dumps(asking).encode(), but=other)
        answer = [asking, self._index, PROCESSES.meetings, self._place()]
        self._tell(ANSWER + json.dumps(answer).encode())

    def _take_answer(self, other: int, answer: list[Any]) -> None:
        """Takes the answer of another process, or passes it on."""
        asking, index, meetings, place = answer
        if asking == self._index:
            self._answers[index] = meetings, place
        elif not self._index:
            self._tell(ANSWER + json.dumps(answer).encode(), but=other)

    # How it ends.

    def _give_up(self, other: int, how: str) -> None:
        """Says which process is lost, to the others as well, and ends this one."""
        with self._lock:
            if self._failure:
                return
            self._failure = how
            _say(
                MESSAGE_LOST.format(
                    name=self.name(other), address=self._addresses[other], how=how,
                    own=self.name(self._index).removesuffix(","),
                )
            )  # fmt: skip
            self._leave(LOST + json.dumps({"index": other, "how": how}).encode(), STATUS_OF_LOSS)

    def _fail(self, text: str, error: str, news: bytes = b"") -> None:
        """Says why this process fails, and ends it; first the others are told the news, if any."""
        with self._lock:
            if self._failure:
                return
            self._failure = error  # before the others can end because of the news
            if news:
                self._tell(news)
            _say(text)
            self._leave(FAILED + error.encode(), 1)

    def _leave(self, message: bytes, status: int) -> None:
        """Ends the process at once: its main thread may wait for another one, and always would."""
        self._tell(message)
        sys.stdout.flush()
        if not self._index:  # JAX aborts the others where the chief is gone: they may end before
            end = time.monotonic() + SECONDS_TO_LEAVE
            for thread in self._listeners:
                if thread is not threading.current_thread():
                    thread.join(max(0.0, end - time.monotonic()))
        os._exit(status)

    def _tell(self, message: bytes, but: int = -1) -> None:
        for other, connection in self._connections.items():
            if other != but:
                is_free = self._sending.acquire(timeout=SECONDS_TO_LEAVE)
                with contextlib.suppress(OSError):
                    connection.sendall(message + b"\n")
                if is_free:
                    self._sending.release()

    def _end(self) -> None:
        """Says farewell, or that the program has failed: then nobody waits for the others."""
        if not self._failure:
            self._tell_notes()
        self._is_over = True
        if not self._failure:
            self._tell(BYE + json.dumps([self._index, PROCESSES.meetings]).encode())
            return
        sys.stderr.flush()
        self._leave(FAILED + self._failure.encode(), 1)


def _say(text: str) -> None:
    sys.stderr.write(f"\n{text}\n")
    sys.stderr.flush()


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
