"""`python -m tapefacade doctor SCRIPT`: runs a program for some steps, and says what makes it slow.

The notes are those of a report, with a few more. What is found is put in order by the seconds that
it has cost, about.
"""

import linecache
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from tapefacade._data.iterators import OwnedIterator
from tapefacade._function.function.function import Function
from tapefacade._function.function.trace_report import Tracing
from tapefacade._port.report import Report, users_place
from tapefacade._trace.program_listing import function_in_sentence, place
from tapefacade._trace.shape_changes import changing_size, padding, shown

MAX_FINDINGS = 5
MAX_LINES = 3  # of one finding
STEPS = 50  # after which a program is ended
MIN_STEPS = 3  # with fewer nothing is said of a step
MIN_LOOKS = 20  # of a program without steps
MIN_TRACINGS = 3
MIN_OPS_OF_STEP = 200  # with fewer, Python has little to do in a step
MIN_OPS = 1000  # of a program without steps
SECONDS_OF_AN_OP = 2e-6  # about: that Python takes to record it
MOST = 0.5  # of the time of a step, that Python may take
WAITING = 0.3  # of the time, that a dataset may take
SECONDS_OF_A_LOOK = 1e-4  # about: the program ends, and nothing runs meanwhile
ADVICE_LOOKS = (
    "Each look ends the program and waits for it. Keep tensors, and look at them now and then: "
    "`if step % 100 == 0: print(float(loss))`."
)
ADVICE_FUNCTION = (
    "Python records these ops anew in each step. Put the step into a function with @tf.function: "
    "it is recorded once."
)
ADVICE_LOOP = (
    "Python records these ops anew each time. Put them into a function with @tf.function: they are "
    "recorded once."
)
ADVICE_FLOAT64 = (
    "float64 takes twice the memory, and more than twice the time on most devices. NumPy makes it: "
    "write np.float32, or tf.cast(x, tf.float32), where the values come from."
)
ADVICE_DATASET = (
    "The step waits for its data. End the pipeline with `.prefetch(tf.data.AUTOTUNE)`, give `map` "
    "`num_parallel_calls=tf.data.AUTOTUNE`, and `.cache()` what is the same in each epoch."
)


class EnoughStepsError(SystemExit):
    """The program has taken as many steps as are wanted."""


def _magnitude(seconds: float) -> int:
    """Returns a number that is the same for times that differ by less than from run to run."""
    return round(math.log(max(seconds, 1e-9), 4))


class SlowPart(NamedTuple):
    """Something that makes a program slow.

    Attributes:
        kind: `looks`, `shapes`, `retraces`, `ops`, `float64` or `dataset`.
        lines: `file:line` of where it is.
        text: what was found.
        advice: what to do.
        seconds: that it has cost, about.
    """

    kind: str
    lines: tuple[str, ...]
    text: str
    advice: str
    seconds: float

    def __str__(self) -> str:
        shown_lines = [f"   {place(line)}" for line in self.lines[:MAX_LINES]]
        more = len(self.lines) - MAX_LINES
        if more > 0:
            shown_lines.append(f"   and {more} more lines")
        return "\n".join([f"{self.text} (about {self.seconds:.2g} s)", *shown_lines,
                          f"   {self.advice}"])  # fmt: skip


class Examination(Report):
    """A report that ends the program after some steps, and finds what makes it slow."""

    def __init__(self, steps: int = STEPS) -> None:
        """Prepares to take notes.

        Args:
            steps: after how many the program is ended.
        """
        super().__init__()
        self._max_steps = steps
        self._seen: dict[int, Function] = {}
        self.waits: dict[str, float] = {}  # seconds that a dataset took, by the line that asks

    def start(self) -> None:
        """Begins to take notes."""
        super().start()
        self._replace(OwnedIterator, "__next__", self._next)

    def _next(self, original: Any) -> Any:
        def following(iterator: OwnedIterator) -> Any:
            since = time.perf_counter()
            try:
                return original(iterator)
            finally:
                line = users_place()
                self.waits[line] = self.waits.get(line, 0.0) + time.perf_counter() - since

        return following

    def _enter(self, original: Any) -> Any:
        noting = super()._enter(original)

        def enter(tape: Any) -> Any:
            self._end_in_time()
            return noting(tape)

        return enter

    def _call(self, original: Any) -> Any:
        noting = super()._call(original)

        def call(function: Function, *args: Any, **kwargs: Any) -> Any:
            if self._thread.called is None:
                self._end_in_time()
            return noting(function, *args, **kwargs)

        return call

    def _keep(self, original: Any) -> Any:
        noting = super()._keep(original)

        def keep(function: Function, *args: Any) -> None:
            self._seen[id(function)] = function
            noting(function, *args)

        return keep

    def _end_in_time(self) -> None:
        if len(self.starts) >= self._max_steps:
            raise EnoughStepsError(0)

    # What the notes say.

    def findings(self) -> list[SlowPart]:
        """Returns what makes the program slow, the worst first; about equal costs in one order."""
        found = [
            *self._slow_looks(), *self._slow_shapes(), *self._slow_recordings(),
            *self._slow_python(), *self._wide_numbers(), *self._slow_data(),
        ]  # fmt: skip
        return sorted(found, key=lambda one: -_magnitude(one.seconds))

    def advice(self) -> str:
        """Returns the findings that matter as text."""
        found = self.findings()[:MAX_FINDINGS]
        seconds, steps = self._ended - self._began, len(self.starts)
        head = f"{steps:,} step{'s' * (steps != 1)} in {seconds:.3g} s"
        if not found:
            return f"{head}: nothing stands out"
        return "\n".join([head, *(f"{n}. {one}" for n, one in enumerate(found, 1))])

    @property
    def _later_seconds(self) -> float:
        """The seconds of the steps after the first."""
        return self.starts[-1] - self.starts[1] if len(self.starts) > 2 else 0.0

    def _slow_looks(self) -> Iterable[SlowPart]:
        steps = len(self.starts)
        most = steps if steps >= MIN_STEPS else MIN_LOOKS
        lines = [(n, line) for line, n in self.looks.most_common() if n >= max(steps, MIN_STEPS)]
        count = sum(n for n, _ in lines)
        if count < most:
            return
        text = f"{count:,} looks at values"
        if steps >= MIN_STEPS:
            text += f", {count / steps:.3g} in each step"
        seconds = count * SECONDS_OF_A_LOOK
        yield SlowPart("looks", tuple([line for _, line in lines]), text, ADVICE_LOOKS, seconds)

    def _slow_shapes(self) -> Iterable[SlowPart]:
        seconds = {id(t.executable.part): t.compile_seconds for t in self.executables.values()}
        found = []
        for known, parts in self.alike.values():
            line, shapes = known.change()
            if len(parts) >= MIN_TRACINGS and len(shapes) >= MIN_TRACINGS:
                cost = sum(seconds.get(id(part), 0.0) for part in parts[1:])
                found.append((cost, line, len(parts), shapes))
        if found:
            found.sort(key=lambda one: -one[0])
            count = sum(parts for _, _, parts, _ in found)
            shapes = found[0][3]
            text = f"{count} programs compiled for shapes {shown(shapes)}{changing_size(shapes)}"
            lines = tuple(dict.fromkeys(line for _, line, _, _ in found))
            cost = sum(seconds for seconds, *_ in found)
            yield SlowPart("shapes", lines, text, f"To have fewer, {padding(shapes)}.", cost)

    def _slow_recordings(self) -> Iterable[SlowPart]:
        for function in self._seen.values():
            by_argument: dict[tuple[str, str], list[Tracing]] = defaultdict(list)
            for tracing in function.trace_report().tracings:
                for change in tracing.changes:
                    kind = change.advice.partition("(")[0]
                    by_argument[change.name, kind].append(tracing)
            for (name, kind), tracings in by_argument.items():
                if len(tracings) < MIN_TRACINGS - 1:
                    continue
                last = next(
                    c for c in tracings[-1].changes
                    if (c.name, c.advice.partition("(")[0]) == (name, kind)
                )  # fmt: skip
                text = (
                    f"{function_in_sentence(function.python_function)} recorded "
                    f"{len(tracings) + 1} times: {last}"
                )
                lines = tuple(dict.fromkeys(t.line for t in tracings))
                cost = sum(tracing.seconds for tracing in tracings)
                advice = f"{last.advice[:1].upper()}{last.advice[1:]}."
                yield SlowPart("retraces", lines, text, advice, cost)

    def _slow_python(self) -> Iterable[SlowPart]:
        steps, seconds = len(self.starts), self._later_seconds
        if len(self._stepping):
            return
        ops: Counter[str] = Counter()
        for totals in self.executables.values():
            if steps or totals.runs >= MIN_STEPS:  # else nothing comes again
                for line in totals.executable.part.lines:
                    ops[line] += totals.runs
        lines = tuple([line for line, _ in ops.most_common(MAX_LINES)])
        count = sum(ops.values())
        if not steps and not self._seen and count >= MIN_OPS:
            text = f"{count:,} ops outside of functions, which come again"
            yield SlowPart("ops", lines, text, ADVICE_LOOP, count * SECONDS_OF_AN_OP)
        if steps < MIN_STEPS or not seconds:
            return
        device = sum(totals.seconds for totals in self.executables.values())
        of_step = count / steps
        python = seconds - device - sum(self.waits.values()) - self.compiling
        if of_step < MIN_OPS_OF_STEP or python < MOST * seconds:
            return
        text = f"{of_step:,.0f} ops in each step, for which Python takes {python / seconds:.0%}"
        yield SlowPart("ops", lines, text, ADVICE_FUNCTION, python)

    def _wide_numbers(self) -> Iterable[SlowPart]:
        wide, narrow = np.dtype(np.float64), np.dtype(np.float32)
        made: Counter[str] = Counter()  # lines in which float64 begins
        has_narrow, seconds = False, 0.0
        for totals in self.executables.values():
            part = totals.executable.part
            types = part.types()
            for step, line in zip(part.steps, part.lines, strict=False):
                given = {types[s].numpy_dtype for s in step.inputs}
                results = {type_.numpy_dtype for type_ in step.types}
                has_narrow |= narrow in results
                outside = any(s < len(part.inputs) and types[s].numpy_dtype == wide
                              and types[s].shape for s in step.inputs)  # fmt: skip
                if wide in results and (wide not in given or outside):
                    made[line] += totals.runs
            share = [t for t in types[len(part.inputs) :] if t.numpy_dtype == wide]
            seconds += totals.seconds * len(share) / max(len(types) - len(part.inputs), 1) / 2
        lines = tuple([line for line, _ in made.most_common()])
        if made and (has_narrow or not any(map(_says_float64, lines))):
            text = (
                "float64 among float32" if has_narrow else "float64, which the program never names"
            )
            yield SlowPart("float64", lines, text, ADVICE_FLOAT64, seconds)

    def _slow_data(self) -> Iterable[SlowPart]:
        seconds = sum(self.waits.values())
        whole = self._ended - self._began - self.compiling
        if len(self.starts) >= MIN_STEPS and seconds > WAITING * whole:
            lines = tuple(sorted(self.waits, key=lambda line: -self.waits[line]))
            text = f"The dataset takes {seconds / whole:.0%} of the time"
            yield SlowPart("dataset", lines, text, ADVICE_DATASET, seconds)


def _says_float64(line: str) -> bool:
    """Whether the file of a line names float64: it is meant then."""
    text = "".join(linecache.getlines(line.rpartition(":")[0]))
    return "float64" in text or "double" in text
