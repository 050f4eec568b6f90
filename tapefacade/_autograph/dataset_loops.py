"""`for` over datasets: Python fetches the elements, and the body runs as a program for each."""

from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._autograph.loops import LoopStatement, flag_of
from tapefacade._autograph.state import WHY_UNSETTLED, NotStagedError, Parts, State
from tapefacade._autograph.statement_outcomes import CURRENT, Site
from tapefacade._core.random_keys import current_places, return_to
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_type import TensorType
from tapefacade._function.function.function import Function
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.recording import THREAD


def is_dataset(value: Any) -> bool:
    """Whether something is a dataset, that of a strategy, or the iterator of one."""
    return getattr(value, "_has_elements", False) is True


def run_over_dataset(
    dataset: Any, test: Callable[[], Any] | None, body: Callable[[Any], Any], state: State,
    site: Site,
) -> bool:  # fmt: skip
    """Runs a loop over the elements of a dataset.

    Returns:
        Whether that is done; if not, Python has to run it.

    Raises:
        ValueWanted: if this is the body of another statement, in which there are no elements.
    """
    outcomes = CURRENT.outcomes
    assert outcomes is not None
    if THREAD.recording.frame is not None:
        THREAD.recording.observe(f"the for at {site.place} runs over a dataset")
    if site in outcomes.refused:
        return False
    if test is not None and not test():
        return True
    rows = iter(dataset)
    loop = _Loop(test, body, state)
    for element in rows:
        why = loop.prepared(element)
        if why:
            outcomes.refuse(site, why)
            _python(element, rows, test, body)
            return True
        outcomes.stage(site)
        loop.run(element, rows)
        break  # it has gone through the others
    return True


def _python(
    element: Any, rows: Iterator[Any], test: Callable[[], Any] | None, body: Callable[[Any], Any]
) -> None:
    while True:
        body(element)
        if test is not None and not test():
            return
        try:
            element = next(rows)
        except StopIteration:
            return


class _Loop:
    """A loop over elements that come from the host."""

    def __init__(
        self, test: Callable[[], Any] | None, body: Callable[[Any], Any], state: State
    ) -> None:
        self._test = test
        self._body = body
        self._state = state
        self._statement: LoopStatement | None = None

    def prepared(self, element: Any) -> str:
        """Learns what the variables become in an iteration; returns why that is not possible."""
        init, places = self._state.get(), current_places()
        why = ""
        try:
            statement = self._statement = LoopStatement(self._state, self._body)
            form = Parts([element])
            types = _types(form)
            body = statement.recorded_body(
                [], lambda tensors: [form.joined(0, tensors)], lambda _: [], types
            )
            statement.require_same(statement.kept.tensors(), body, 0)
        except ValueWanted as wanted:
            why = f"{wanted.line} looked at a value"
        except NotStagedError as error:
            why = str(error)
        except Exception as error:  # Python is going to meet it, if it is one of the program
            why = f"{type(error).__name__}: {error}"
        self._state.put(init)
        return_to(places)
        return why

    def run(self, element: Any, rows: Iterator[Any]) -> None:
        """Runs the iterations, each as a call of a function."""
        statement = self._statement
        assert statement is not None
        kept = statement.kept
        step = Function(self._step, autograph=False)
        tensors = kept.tensors()
        while True:
            found = step(element, *tensors)
            tensors = list(found[: len(tensors)])
            if self._test is not None and not bool(found[-1]):
                break
            try:
                element = next(rows)
            except StopIteration:
                break
        kept.settle(tensors)

    def _step(self, element: Any, *tensors: EagerTensor) -> list[EagerTensor]:
        statement = self._statement
        assert statement is not None
        statement.kept.put(tensors)
        self._body(element)
        results, changes = statement.kept.taken()
        if changes:
            raise NotStagedError(WHY_UNSETTLED)
        return [*results, flag_of(self._test())] if self._test is not None else results


def _types(form: Parts) -> list[TensorType]:
    leaves = form.groups[0]
    if any(type(leaf) is not EagerTensor for leaf in leaves):
        raise NotStagedError("elements of the dataset are no tensors")
    return [leaf._type for leaf in leaves]
