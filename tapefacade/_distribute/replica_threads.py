"""Replicas whose Python looks at values: each runs in a thread, and they meet to synchronize.

Only one of these threads runs at a time. A replica runs until it calls `merge_call`, or brings
values together; then the next one runs. When all have come that far, the thread that has called
`run` does what they have met for, and each gets its answer.
"""

import contextvars
import functools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.placement import PLACED
from tapefacade._core.replica_places import THREAD as PLACES, entered
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._distribute.distributed_variables import replicas_in_turn, restored_if_it_fails
from tapefacade._distribute.reduction import (
    ReduceOp,
    added,
    gathered,
    reduced,
    require_axis,
)
from tapefacade._distribute.replica_contexts import (
    HINT_IN_BODY,
    MESSAGE_IN_BODY,
    ReplicaContext,
)
from tapefacade._distribute.replica_values import PerReplica, regrouped, selected
from tapefacade._function.gradients.custom_gradient import custom_gradient
from tapefacade._ops.array.copying import identity
from tapefacade._ops.array.slicing import slice as slice_of
from tapefacade._state.indexed_slices import IndexedSlices
from tapefacade._state.scopes import SCOPES
from tapefacade._trace.recording import THREAD

if TYPE_CHECKING:
    from tapefacade._distribute.strategies import Strategy

MESSAGE_ORDER = (
    "The replicas do not synchronize equally often: replica {} has ended, and replica {} waits."
)
MESSAGE_FAILED = "Replica {}, which another process runs, has failed: {}"
HINT_ORDER = "What decides whether a replica synchronizes must be the same in all of them."
INHERITED = (PLACES, PLACED, SCOPES)  # what a thread has of the one that has called `run`


class _Abandoned(BaseException):
    """Ends the function of a replica that waits for others, because one of them has failed."""


class ReplicaThread(ReplicaContext):
    """The context of a replica that runs in a thread of its own.

    Attributes:
        met: what it wants to have done for all replicas, and its part of what that is given.
        is_over: whether its function has returned, or failed.
        result: what the function has returned.
        error: what it has raised.
    """

    def __init__(
        self, strategy: "Strategy", replica: int, fn: Callable[..., Any], arguments: Any
    ) -> None:
        super().__init__(strategy, replica)
        self.met: tuple[Callable[[Sequence[Any]], Sequence[Any]], Any] | None = None
        self.is_over = False
        self.result: Any = None
        self.error: BaseException | None = None
        self._call = functools.partial(fn, *arguments[0], **arguments[1])
        self._answer: Any = None
        self._is_abandoned = False
        self._turn, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._inherited = [(state, dict(vars(state))) for state in INHERITED]
        self._journals = THREAD.journals
        run = functools.partial(contextvars.copy_context().run, self._run)
        self._thread = threading.Thread(target=run, daemon=True, name=f"replica {replica}")

    # Called by the thread that has called `run`.

    def advance(self, answer: Any) -> None:
        """Runs the function until the replica meets the others, or to its end.

        Raises:
            BaseException: what the function raises.
        """
        self._answer, self.met = answer, None
        if self._thread.ident is None:
            self._thread.start()
        else:
            self._turn.release()
        self._back.acquire()
        if self.error is not None:
            raise self.error

    def abandon(self) -> None:
        """Ends the function where it meets the others; it is waited for until then."""
        self._is_abandoned = True
        self._turn.release()
        if self._thread.ident is not None:
            self._thread.join()  # another Ctrl-C leaves it behind

    # Called by the thread of the replica.

    def _run(self) -> None:
        for state, values in self._inherited:
            vars(state).update(values)
        THREAD.journals = self._journals  # what it assigns is assigned by the call of `run`
        try:
            with entered(self._strategy, self), self._strategy.creating():
                self.result = self._call()
            THREAD.recording.flush()
        except BaseException as error:  # raised in the thread that waits for this one
            self.error = error
        self.is_over = True
        self._back.release()

    def _meet(self, do: Callable[[Sequence[Any]], Sequence[Any]], part: Any) -> Any:
        """Waits for the other replicas; then `do` gets the parts of all, and gives each its own."""
        THREAD.recording.flush()
        self.met = do, part
        self._back.release()
        self._turn.acquire()
        if self._is_abandoned:
            raise _Abandoned
        return self._answer

    def _require_replicas(self, what: str) -> None:
        recording = THREAD.recording
        if recording.frame is not None or recording.enclosing is not None:
            raise hinted(RuntimeError(MESSAGE_IN_BODY), HINT_IN_BODY)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Calls a function once for all replicas; see `ReplicaContext`."""
        self._require_replicas("call `merge_call`")
        count = self.num_replicas_in_sync

        def merge(given: Sequence[Any]) -> Sequence[Any]:
            args, kwargs = regrouped(given)
            with entered(self._strategy, None):
                result = merge_fn(self._strategy, *args, **kwargs)
            return [selected(result, replica) for replica in range(count)]

        return self._meet(merge, (tuple(args), kwargs or {}))

    def _all_reduced(self, kind: ReduceOp, value: Any) -> Any:
        return nest.map_structure(lambda part: self._reduced(kind, part), value)

    def _reduced(self, kind: ReduceOp, part: Any) -> Any:
        def do(parts: Sequence[Any]) -> Sequence[Any]:
            return [reduced(kind, PerReplica(parts), None, len(parts))] * len(parts)

        if isinstance(part, IndexedSlices):
            return self._meet(do, part)
        tensor = added(part)
        return _passed(
            self._meet(do, tensor), tensor, lambda upstream: self._reduced(kind, upstream)
        )

    def _all_gathered(self, value: Any, axis: int) -> Any:
        return nest.map_structure(lambda part: self._gathered(convert(part), axis), value)

    def _gathered(self, tensor: EagerTensor, axis: int) -> EagerTensor:
        shape = tensor._type.shape
        require_axis(axis, len(shape))

        def do(parts: Sequence[EagerTensor]) -> Sequence[Any]:
            sizes = [part._type.shape[axis] for part in parts]
            return [(gathered(PerReplica(parts), axis), sizes)] * len(parts)

        found, sizes = self._meet(do, tensor)
        start = sum(sizes[: self._replica])
        begin = [start if place == axis else 0 for place in range(len(shape))]

        def back(upstream: Any) -> EagerTensor:
            return slice_of(self._reduced(ReduceOp.SUM, upstream), begin, shape)

        return _passed(found, tensor, back)

    def _of_first(self, tensor: EagerTensor) -> EagerTensor:
        return self._meet(lambda parts: [parts[0]] * len(parts), tensor)


def _passed(found: EagerTensor, tensor: EagerTensor, back: Callable[[Any], Any]) -> EagerTensor:
    """Returns what a replica gets for a tensor: one of its own, whose gradient is given back."""
    if not THREAD.recording.blocks:
        return identity(found)
    return custom_gradient(lambda x: (identity(found), back))(tensor)


def _advanced(
    strategy: "Strategy", threads: Sequence[ReplicaThread], answers: Sequence[Any]
) -> list[bool]:
    """Runs each replica until it meets the others; returns which of all processes have ended.

    Raises:
        RuntimeError: if one of another process has failed.
        BaseException: what one of this process raises.
    """
    states: list[Any] = []
    for place in replicas_in_turn(strategy):
        try:
            threads[place].advance(answers[place])
        except Exception as error:  # whatever it is, the other processes are told
            strategy.of_all([f"{type(error).__name__}: {error}"] * len(threads))
            raise
        if place == len(threads) - 1:  # before variables take what the replicas have assigned
            states = strategy.of_all([thread.is_over for thread in threads])
            failed = [k for k, state in enumerate(states) if isinstance(state, str)]
            if failed:
                raise RuntimeError(MESSAGE_FAILED.format(failed[0], states[failed[0]]))
    return states


def run_in_threads(strategy: "Strategy", fn: Callable[..., Any], arguments: Any) -> Any:
    """Calls a function in each replica; returns the structure of what they return.

    Args:
        strategy: the strategy.
        fn: the function.
        arguments: the pair of its arguments and those by name.

    Raises:
        RuntimeError: if the replicas do not synchronize equally often.
        BaseException: what one of them raises. The variables of the strategy then have the values
            from before.
    """
    THREAD.recording.flush()
    here = strategy.here or range(strategy.num_replicas_in_sync)
    threads = [
        ReplicaThread(strategy, replica, fn, selected(arguments, place))
        for place, replica in enumerate(here)
    ]
    answers: Sequence[Any] = [None] * len(here)
    with restored_if_it_fails(strategy):
        try:
            while not all(thread.is_over for thread in threads):
                ended = _advanced(strategy, threads, answers)
                if any(ended) and not all(ended):
                    places = ended.index(True), ended.index(False)
                    raise hinted(RuntimeError(MESSAGE_ORDER.format(*places)), HINT_ORDER)
                met = [thread.met for thread in threads if thread.met is not None]
                if met:
                    every = met[0][0](strategy.values_of_all([part for _, part in met]))
                    answers = strategy.own_values([every[replica] for replica in here])
        finally:  # before variables are restored
            for thread in threads:
                thread.abandon()
    results = strategy.values_of_all([thread.result for thread in threads])
    return regrouped(results, here=strategy.here)
