"""The operators that rewritten functions call: `if_stmt`, `while_stmt`, `for_stmt`, `and_`, ...

Without a tensor, and outside of a `tf.function`, each of them is the Python statement that it
stands for. So it is where it cannot be an instruction; why not is noted.
"""

import builtins
import itertools
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tapefacade._autograph import state as states
from tapefacade._autograph.branches import Branching
from tapefacade._autograph.conversion import converted, use_operators
from tapefacade._autograph.dataset_loops import is_dataset, run_over_dataset
from tapefacade._autograph.loop_options import checked_limit
from tapefacade._autograph.loops import LoopStatement, PythonWanted, flag_of
from tapefacade._autograph.ranges import LazyRange, lazy_range
from tapefacade._autograph.state import UNDEFINED, NotStagedError, Parts, State
from tapefacade._autograph.statement_outcomes import AN_INSTRUCTION, CURRENT, WITH_CALLS, Site
from tapefacade._core.random_keys import current_places, return_to
from tapefacade._core.tensor import EagerTensor, from_host, host_value
from tapefacade._function.control.empty_loops import learn_element_shapes
from tapefacade._function.control.host_calls import COLLECTED_CALLS
from tapefacade._ops.array.creation import range as range_of_tensors
from tapefacade._ops.array.gathering import gather
from tapefacade._ops.array.loop_rows import LoopRows
from tapefacade._ops.debugging.finiteness import Assert
from tapefacade._ops.math.comparison import logical_and, logical_not
from tapefacade._state.variable import Variable
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.recording import THREAD

MESSAGE_ASSERT = "assertion failed"


def _is_recorded() -> bool:
    """Whether what happens now is recorded, to run again without Python."""
    return THREAD.recording.frame is not None and bool(THREAD.functions)


def _is_tensor(value: Any) -> bool:
    return type(value) is EagerTensor or isinstance(value, Variable)


def _is_pending(value: Any) -> bool:
    """Whether Python would have to look at a tensor to decide."""
    if type(value) is EagerTensor:
        return value._value is None
    return isinstance(value, Variable)


def _site(kind: str, line: int) -> Site:
    return Site(sys._getframe(2).f_code.co_filename, line, kind)


def _staged(site: Site, state: State, record: Callable[[], Callable[[], None] | None]) -> bool:
    """Makes an instruction of a statement.

    Args:
        site: the statement.
        state: its variables.
        record: records it; may return what runs it.

    Returns:
        Whether that is done; if not, Python has to run it.
    """
    outcomes = CURRENT.outcomes
    assert outcomes is not None
    why = outcomes.refused.get(site)
    if why is None:
        init = state.get()
        places = current_places()
        run = None
        COLLECTED_CALLS.is_too_early = False
        try:
            run = record()
        except ValueWanted as wanted:
            if isinstance(wanted, PythonWanted) and THREAD.recording.enclosing is not None:
                state.put(init)
                return_to(places)
                raise
            why = f"{wanted.line} looked at a value" if _is_line(wanted.line) else wanted.line
        except NotStagedError as error:
            why = str(error)
        except Exception as error:  # Python is going to meet it, if it is one of the program
            why = f"{type(error).__name__}: {error}"
        else:
            outcomes.stage(site, AN_INSTRUCTION if run is None else WITH_CALLS)
            if run is not None:
                run()
            return True
        state.put(init)
        return_to(places)
        outcomes.is_too_early |= COLLECTED_CALLS.is_too_early
        if not COLLECTED_CALLS.is_too_early:  # else the next call records it
            outcomes.refuse(site, why)
    if THREAD.recording.frame is not None:
        THREAD.recording.observe(f"the {site.kind} at {site.place} runs as Python: {why}")
    return False


def _is_line(text: str) -> bool:
    return " " not in text.strip()


# Statements.


def if_stmt(
    condition: Any, body: Callable[[], Any], orelse: Callable[[], Any], read: Any, write: Any,
    names: tuple[str, ...], counts: tuple[int, int, int], line: int,
) -> None:  # fmt: skip
    """Runs one of two branches."""
    if CURRENT.outcomes is not None and _is_pending(condition) and _is_recorded():
        state = State(read, write, names, counts)

        def record() -> None:
            Branching(flag_of(condition), (body, orelse), state).record()

        if _staged(_site("if", line), state, record):
            return
    if condition:
        body()
    else:
        orelse()


def while_stmt(
    test: Callable[[], Any], body: Callable[[], Any], read: Any, write: Any,
    names: tuple[str, ...], counts: tuple[int, int, int], line: int,
    options: Callable[[], dict[str, Any]] | None = None,
) -> None:  # fmt: skip
    """Repeats a body as long as a condition holds."""
    can_stage = CURRENT.outcomes is not None and bool(THREAD.functions)
    limit = _limit(options)
    for count in itertools.count():
        if count == limit:
            return
        answer = test()
        if can_stage and _is_tensor(answer):
            can_stage = False  # once is enough
            state = State(read, write, names, counts)

            def record(state: State = state, count: int = count) -> Callable[[], None] | None:
                return LoopStatement(state, lambda *_: body()).run(
                    [], lambda _: test(), lambda _: [], lambda _: [],
                    None if limit is None else limit - count,
                )  # fmt: skip

            if _staged(_site("while", line), state, record):
                return
        if not answer:
            return
        body()


def _limit(options: Callable[[], dict[str, Any]] | None) -> int | None:
    """Returns the largest number of iterations that a loop is given."""
    return None if options is None else checked_limit(options())


def for_stmt(
    iterated: Any, test: Callable[[], Any] | None, body: Callable[[Any], Any], read: Any,
    write: Any, names: tuple[str, ...], counts: tuple[int, int, int], line: int,
    options: Callable[[], dict[str, Any]] | None = None, target: str = "",
) -> None:  # fmt: skip
    """Repeats a body for what something consists of."""
    limit = _limit(options)
    if CURRENT.outcomes is not None and THREAD.functions:
        state = State(read, write, names, counts)
        if isinstance(iterated, LazyRange) and target in names:
            _define(target, iterated.start, state)
        site = _site("for", line)
        record = _recorded_for(iterated, test, body, state, limit, site)
        if record is None and is_dataset(iterated):
            if run_over_dataset(iterated, test, body, state, site):
                return
        elif record is not None and _staged(site, state, record):
            return
    rows: Iterable[Any] = iterated.python() if isinstance(iterated, LazyRange) else iterated
    if THREAD.functions and isinstance(rows, EagerTensor) and rows._type.shape[:1] == (0,):
        _learn_shapes(rows, body, State(read, write, names, counts))
    _python_for(rows if limit is None else itertools.islice(rows, limit), test, body)


def _learn_shapes(rows: EagerTensor, body: Callable[[Any], Any], state: State) -> None:
    """Tells arrays what a loop over no rows would write in them."""
    init = state.get()
    row = from_host(np.zeros(rows._type.shape[1:], rows._type.numpy_dtype))

    def leaves() -> list[Any]:
        return [leaf for group in Parts(state.get()).groups for leaf in group]

    def step() -> list[Any]:
        body(row)
        return leaves()

    learn_element_shapes(leaves(), step, body)
    state.put(init)


def _define(target: str, start: EagerTensor, state: State) -> None:
    """Gives the target of a loop over numbers the first one, as TensorFlow does, if it has none."""
    values, place = state.get(), state.names.index(target)
    if place < len(values) and values[place] is UNDEFINED:
        values[place] = start
        state.put(values)


def _python_for(
    rows: Iterable[Any], test: Callable[[], Any] | None, body: Callable[[Any], Any]
) -> None:
    if test is None:
        for row in rows:
            body(row)
    elif test():
        for row in rows:
            body(row)
            if not test():
                break


def _recorded_for(
    iterated: Any, test: Callable[[], Any] | None, body: Callable[[Any], Any], state: State,
    limit: int | None, site: Site,
) -> Callable[[], Callable[[], None] | None] | None:  # fmt: skip
    """Returns what records a loop; None if there are no tensors in its head."""
    if isinstance(iterated, LazyRange):
        if test is None and limit is None and (rows := _rows_of(iterated, site)) is not None:
            return lambda: _over_range_with_room(iterated, body, state, site, rows)
        return lambda: _over_range(iterated, test, body, state, limit)
    if type(iterated) is EagerTensor and iterated._type.shape and iterated._type.shape[0]:
        if test is None and limit is None:
            return lambda: LoopStatement(state, body).run_rows(iterated)
        return lambda: _over_rows(iterated, test, body, state, limit)
    return None


def _rows_of(numbers: LazyRange, site: Site) -> LoopRows | None:
    """Returns what a loop may take rows of, if its length is another one again and again."""
    count = _room(numbers)
    if THREAD.recording.frame is not None or THREAD.recording.enclosing is not None or not count:
        return None
    outcomes = CURRENT.outcomes
    return LoopRows(count) if outcomes is not None and outcomes.varies(site, count) else None


def _over_range_with_room(
    numbers: LazyRange, body: Callable[[Any], Any], state: State, site: Site, rows: LoopRows
) -> Callable[[], None] | None:
    """Records a loop for this and other lengths, or for this one only where it shows its length."""
    init, places, outcomes = state.get(), current_places(), CURRENT.outcomes
    assert outcomes is not None
    refused = dict(outcomes.refused)
    try:
        return _over_range(numbers, None, body, state, None, rows)
    except (Exception, ValueWanted):  # which the loop of this length has as well, or not
        state.put(init)
        return_to(places)
        outcomes.refused = refused  # what is in it may be an instruction there
        outcomes.show_lengths.add(site)
        return _over_range(numbers, None, body, state, None)


def _over_range(
    numbers: LazyRange, test: Callable[[], Any] | None, body: Callable[[Any], Any], state: State,
    most: int | None, rows: LoopRows | None = None,
) -> Callable[[], None] | None:  # fmt: skip
    limit, delta = numbers.limit, numbers.delta
    step = from_host(np.array(delta, numbers.start._type.numpy_dtype))

    def goes_on(hidden: list[EagerTensor]) -> Any:
        inside = hidden[0] < limit if delta > 0 else hidden[0] > limit
        return inside if test is None else _both(inside, test())

    return LoopStatement(state, body, _room(numbers), rows).run(
        [numbers.start], goes_on, lambda hidden: hidden, lambda hidden: [hidden[0] + step],
        _smaller(numbers.count if test is not None else None, most),
    )  # fmt: skip


def _room(numbers: LazyRange) -> int | None:
    """Returns how many elements arrays may get whose index is the number, if that is known."""
    start = host_value(numbers.start)
    return numbers.count if start is not None and not int(start) and numbers.delta == 1 else None


def _smaller(*limits: int | None) -> int | None:
    known = [limit for limit in limits if limit is not None]
    return min(known) if known else None


def _over_rows(
    rows: EagerTensor, test: Callable[[], Any] | None, body: Callable[[Any], Any], state: State,
    most: int | None,
) -> Callable[[], None] | None:  # fmt: skip
    count = rows._type.shape[0]
    first = from_host(np.array(0, np.int32))

    def goes_on(hidden: list[EagerTensor]) -> Any:
        return _both(hidden[0] < count, test is None or test())

    return LoopStatement(state, body).run(
        [first], goes_on, lambda hidden: [gather(rows, hidden[0])],
        lambda hidden: [hidden[0] + 1], _smaller(count, most),
    )  # fmt: skip


def _both(one: Any, other: Any) -> Any:
    if isinstance(other, bool):
        return one if other else logical_and(one, False)
    return logical_and(one, flag_of(other))


def assert_(condition: Any, message: Callable[[], Any] | None = None) -> None:
    """Checks a condition."""
    if CURRENT.outcomes is not None and _is_pending(condition) and _is_recorded():
        data = [] if message is None else [message()]
        Assert(condition, data)
        return
    if message is None:
        assert condition
    else:
        assert condition, message()


# Expressions.


def and_(first: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """Returns `first and other`."""
    one = first()
    if _is_staged(one):
        found = _chosen(one, other, lambda: one)
        if found is not UNDEFINED:
            return found
    return one and other()


def or_(first: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """Returns `first or other`."""
    one = first()
    if _is_staged(one):
        found = _chosen(one, lambda: one, other)
        if found is not UNDEFINED:
            return found
    return one or other()


def not_(value: Any) -> Any:
    """Returns `not value`."""
    return logical_not(flag_of(value)) if _is_staged(value) else not value


def if_exp(condition: Any, first: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """Returns `first if condition else other`."""
    if _is_staged(condition):
        found = _chosen(condition, first, other)
        if found is not UNDEFINED:
            return found
    return first() if condition else other()


def _is_staged(value: Any) -> bool:
    return CURRENT.outcomes is not None and _is_pending(value) and _is_recorded()


def _chosen(condition: Any, first: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """Records two expressions, one of which counts; `UNDEFINED` if Python has to choose."""
    values: list[Any] = [UNDEFINED]

    def put(found: Any) -> None:
        values[:] = found

    def runs(expression: Callable[[], Any]) -> Callable[[], None]:
        return lambda: put([expression()])

    state = State(lambda: tuple(values), put, ("an expression",), (1, 1, 1))
    frame = sys._getframe(2)
    site = Site(frame.f_code.co_filename, frame.f_lineno, "expression")

    def record() -> None:
        Branching(flag_of(condition), (runs(first), runs(other)), state).record()

    _staged(site, state, record)
    return values[0]


def iterated(function: Any) -> Any:
    """Returns what is called in the head of a `for`: ranges of tensors are not made there."""
    if CURRENT.outcomes is None or not THREAD.functions:
        return converted(function)
    if function is builtins.range or function is range_of_tensors:

        def lazily(*args: Any, **kwargs: Any) -> Any:
            made = lazy_range(function, args, kwargs)
            return function(*args, **kwargs) if made is None else made

        return lazily
    if function is builtins.enumerate or function is builtins.zip:

        def of_datasets(*args: Any, **kwargs: Any) -> Any:
            if not args or not _is_plain_dataset(args[0]):
                return function(*args, **kwargs)
            if function is enumerate:
                return args[0].enumerate(*args[1:], **kwargs)
            if kwargs or not all(map(_is_plain_dataset, args)):
                return function(*args, **kwargs)
            return type(args[0]).zip(tuple(args))

        return of_datasets
    return converted(function)


def _is_plain_dataset(value: Any) -> bool:
    """Whether something is a dataset, not the iterator of one."""
    return is_dataset(value) and hasattr(value, "enumerate")


def returned(read: Callable[[], Any]) -> Any:
    """Returns what a function returns."""
    value = states.load(read)
    return None if value is UNDEFINED else value


use_operators(
    types.SimpleNamespace(
        and_=and_, assert_=assert_, converted=converted, for_stmt=for_stmt, if_exp=if_exp,
        if_stmt=if_stmt, is_undefined=states.is_undefined, iterated=iterated, load=states.load,
        not_=not_, or_=or_, put=states.put, returned=returned, while_stmt=while_stmt,
    )
)  # fmt: skip
