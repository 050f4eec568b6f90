"""`tf.function`: a Python function that is recorded once, and then runs as one program."""

import contextlib
import copy
import functools
import inspect
import sys
import threading
import types
import weakref
from collections.abc import Callable, Sequence
from operator import is_not
from typing import Any

from tapefacade._core import nest
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.error_texts import MESSAGE_SINGLETON
from tapefacade._core.logging import get_logger
from tapefacade._core.process_group import PROCESSES
from tapefacade._core.random_keys import (
    Counts,
    draws_by_place,
    function_draws,
    numbers_ops_of_caller,
)
from tapefacade._core.tensor import EagerTensor, hinted
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.tensor_type import type_of
from tapefacade._core.tracebacks import is_own, shorten, shortening
from tapefacade._core.traced_errors import raising_as_traced
from tapefacade._core.type_spec import TypeSpec
from tapefacade._function.function.concrete_function import ConcreteFunction, not_one_program
from tapefacade._function.function.eager_mode import EAGER_MODE
from tapefacade._function.function.function_types import PolymorphicFunction
from tapefacade._function.function.input_signature import FunctionSpec, InputSignature, Parameters
from tapefacade._function.function.outputs import OutputStructure
from tapefacade._function.function.retracing_rules import (
    covers,
    has_composite_specs,
    has_text_specs,
    has_unknown_sizes,
    is_textual,
    key_of,
    known_parts,
    open_signature,
    relaxed,
    shared_key_of,
    specs_of_key,
    tensor_specs,
    types_in,
    with_examples,
    with_specs,
    with_tensors,
)
from tapefacade._function.function.retracing_warnings import CallCount, detector_of
from tapefacade._function.function.rewriter import REWRITER, Rewritten
from tapefacade._function.function.stand_in_sizes import recorded_with_stand_ins
from tapefacade._function.function.trace_report import (
    ArgumentChange,
    TraceReport,
    TracingLog,
    argument_changes,
    warning_text,
)
from tapefacade._function.function.tracing import (
    FunctionTrace,
    RecordedRun,
    raise_asserted,
    record_body,
)
from tapefacade._function.function.unknown_sizes import (
    OpenSizes,
    sizes_decided_within,
    unknown_sizes_shown,
)
from tapefacade._trace.assignments import AssignedMeanwhileError, release_all, surely
from tapefacade._trace.example_values import EXAMPLE_NUMBERS, ExampleValues
from tapefacade._trace.frames import RunningCall, ValueWanted
from tapefacade._trace.open_sizes import SizeAccount, open_sizes
from tapefacade._trace.program_listing import ProgramListing, function_in_sentence
from tapefacade._trace.recording import (
    THREAD,
    EmptyLoopError,
    UnwatchedGradientsError,
    all_or_nothing,
)
from tapefacade._trace.tree import TREE, users_line

MESSAGE_CREATED_LATER = (
    "Creating variables on a non-first call to a function decorated with tf.function."
)
ENOUGH_EXAMPLES = 2  # what differs in two runs is not known
# In the place of sizes that specs of ragged and sparse tensors leave open.
EXAMPLE_SIZES = (3, 5)
WHY_COMPOSITE = "specs of ragged and sparse tensors do not tell how many elements there are"
MESSAGE_NOT_CALLED = (
    "{} has not been called, so nothing is recorded. Give `program` arguments, or call it first."
)
MESSAGE_PYTHON = (
    "%s runs its Python at every call with arguments like these: %s. The results are the same; "
    "what is computed from that value on is compiled step by step. Python code that prints or "
    "counts runs at every call, too."
)


class Method:
    """A Python function bound to an instance, which it does not keep alive."""

    def __init__(
        self, function: Callable[..., Any], instance: Any, forget: Callable[[], Any]
    ) -> None:
        """Binds a function.

        Args:
            function: the Python function.
            instance: its first argument.
            forget: called when the instance is gone.
        """
        functools.update_wrapper(self, function)
        self.__code__ = getattr(function, "__code__", None)
        self._function = function
        try:
            self._instance: Callable[[], Any] = weakref.ref(instance, lambda _: forget())
        except TypeError:
            self._instance = lambda: instance
        signature = inspect.signature(function)
        self.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        instance = self._instance()
        if instance is None:
            raise ReferenceError(
                f"The object whose method {self._function.__name__} is called is gone. Keep it in "
                "a variable."
            )
        return self._function(instance, *args, **kwargs)

    def bound(self) -> Any:
        """Returns Python's own method, as long as there is the instance."""
        instance = self._instance()
        return self if instance is None else self._function.__get__(instance)

    def __repr__(self) -> str:
        return repr(self._function)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        instance = self._instance()
        return self._function.__get__(memo.get(id(instance), instance))

    def __reduce__(self) -> tuple[Any, ...]:
        return self._function.__get__, (self._instance(),)


class _WatchedPython:
    """A rewritten function; notes whether an error has come after a look at a value."""

    def __init__(self, python: Callable[..., Any]) -> None:
        self._python = python
        self.has_run = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._python(*args, **kwargs)
        except Exception:  # of the user's Python
            self.has_run = THREAD.recording.frame is None
            raise


SYMBOLIC = ("gradients", "hessians")  # which need to know what a function has recorded
# How often a function is recorded again because functions within it look at what it knows.
MAX_RUNS_FOR_KNOWN_VALUES = 4


def _trace_of_look(wanted: ValueWanted) -> FunctionTrace:
    return FunctionTrace(None, None, f"{wanted.line} looked at a value", looked=True)


def _knows_values(tensors: Sequence[EagerTensor]) -> bool:
    """Whether the caller, a function that is recorded, knows values of arguments, as shapes."""
    return (
        bool(THREAD.functions)
        and THREAD.recording.is_held
        and any(tensor._value is not None for tensor in tensors)
    )


class Function(PolymorphicFunction):
    """A function that is compiled; made by `tf.function`."""

    _warns = True  # when it is recorded often

    def __init__(
        self,
        python_function: Callable[..., Any],
        name: str | None = None,
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        max_traces: int | None = None,
    ) -> None:
        self._python = python_function
        self._name = name
        self._settings = {
            "autograph": autograph, "jit_compile": jit_compile,
            "reduce_retracing": reduce_retracing, "max_traces": max_traces,
        }  # fmt: skip
        self._parameters = Parameters(python_function)
        self._signature = (
            None
            if input_signature is None
            else InputSignature(python_function, self._parameters, input_signature)
        )
        self._traces: dict[Any, FunctionTrace] = {}
        self._counts_of_immediate_ops: Counts = {}
        self._draw_counts: Counts = {}  # how far the random ops of a signature have come
        # What calls with nothing but dense tensors by position come to.
        self._fast_calls: dict[Any, Callable[..., Any]] = {}
        self._shared_keys: set[Any] = set()  # of specs of other things than dense tensors
        self._is_shared = False  # whether there are traces under them
        self._positional_count = -1 if self._signature is not None else self._parameters.count
        self._tracing_count = 0
        self._tracings = TracingLog()
        self._has_variables = False
        self._has_warned = False
        # Whether its Python is known to look at values, and not to where it is rewritten.
        # One that ends a recording, which `tf.gradients` needs whole, is rewritten at once.
        self._looks = self._settings["autograph"] and (
            REWRITER.is_directed(python_function)
            or _names_any(getattr(python_function, "__code__", None), SYMBOLIC)
        )
        self._lock = threading.RLock()
        self._detector = detector_of(python_function)
        self._calls_without_tracing = CallCount(self._detector)
        self._methods: dict[int, Function] = {}  # of methods, by the instance
        self._concrete_functions: dict[Any, ConcreteFunction] = {}
        self._signature_texts: dict[Any, tuple[str, str]] = {}  # signatures as texts
        self._open_signatures: list[Any] = []  # signatures with unknown sizes
        # The attributes of an object that is called, as a layer is, are no attributes of ours.
        own = ("__dict__",) if inspect.isroutine(python_function) else ()
        functools.update_wrapper(self, python_function, updated=own)
        if self._parameters.signature is not None:  # `inspect.getfullargspec` asks for it
            self.__signature__ = self._parameters.signature
        for key, value in getattr(python_function, "__dict__", {}).items():
            if not hasattr(self, key):
                self.__dict__[key] = value  # `tf.function(layer).weights`

    def _decorate(self, decorator: Callable[[Any], Any]) -> None:
        """Puts a decorated function in the place of the Python function; Sonnet does so.

        Raises:
            ValueError: if the function has been called.
        """
        if self._traces or self._concrete_functions or self._tracing_count:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        signature = None if self._signature is None else self._signature.specs
        self.__init__(decorator(self._python), self._name, signature, **self._settings)

    # Calls.

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Returns:
            What the Python function returns, with tensors in the place of numbers and variables.

        Raises:
            TypeError: if the arguments do not fit, or the result is no nest of tensors.
            ValueError: if a variable is made on a later call than the first.
        """
        try:
            if len(args) == self._positional_count and not kwargs:
                types = []
                for argument in args:
                    if type(argument) is not EagerTensor:
                        break
                    types.append(argument._type)
                else:
                    call = self._fast_calls.get(tuple(types))
                    if call is not None and not EAGER_MODE.on:
                        self._calls_without_tracing.number += 1
                        return call(args)
            if PROCESSES.count > 1 and not THREAD.functions:
                return self._call_in_step(args, kwargs)
            return self._call(args, kwargs)
        except StopIteration as end:
            error = getattr(end, "as_out_of_range", end)
            shorten(error)
            raise error from None
        except Exception as error:
            shorten(error)
            raise

    def _call_in_step(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function in one of several processes: all of them compute all of it now."""
        result = self._call(args, kwargs)
        if THREAD.recording.enclosing is None:
            THREAD.recording.flush()
        return result

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function in the general way."""
        if EAGER_MODE.on or THREAD.describing:
            return self._python(*args, **kwargs)
        args, kwargs = self._bind(args, kwargs)
        tensors: list[EagerTensor] = []
        key = key_of((args, kwargs), tensors)
        trace = self._traces.get(key) or self._shared_trace(args, kwargs)
        if trace is None:
            if TREE.eager:  # nothing would be recorded: every op is a look
                return self._run(args, kwargs, tensors, self._counts_of_immediate_ops)
            return self._first_call(key, args, kwargs, tensors)
        self._calls_without_tracing.number += 1
        if trace.looked and not numbers_ops_of_caller():
            if _knows_values(tensors):
                return self._run(args, kwargs, tensors, trace.counts, self._rewritten())
            return self._record_rewritten(key, args, kwargs, tensors, trace)
        if trace.needs_python:
            return self._run(args, kwargs, tensors, trace.counts, trace.rewritten)
        if trace.draws_rewritten and numbers_ops_of_caller():
            return self._run(args, kwargs, tensors, trace.counts)
        return trace.call(tensors)

    def _shared_trace(self, args: Any, kwargs: dict[str, Any]) -> FunctionTrace | None:
        """Returns what is known of a function whose Python runs for arguments of such specs."""
        return self._traces.get(shared_key_of((args, kwargs))) if self._is_shared else None

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        if self._signature is not None:
            return self._signature.bind(args, kwargs), {}
        return self._parameters.bind(args, kwargs)

    def _run(
        self, args: Any, kwargs: dict[str, Any], tensors: Sequence[EagerTensor], counts: Counts,
        python: Callable[..., Any] | None = None,
    ) -> Any:  # fmt: skip
        """Runs the Python without recording it."""
        running = RunningCall(self._refusal, takes_gradients=self._takes_gradients)
        running.may_run_again = python is None

        def run() -> Any:
            with draws_by_place(counts):
                result = self._on_tensors(args, kwargs, tensors, python)
                structure = OutputStructure(result, self._python)
                del result
                raise_asserted(running, structure.tensors)
                return structure.result()

        def end() -> None:
            if running.watched is not None:
                running.watched.end()
            if THREAD.functions[-1:] == [running]:
                THREAD.functions.pop()

        try:
            THREAD.functions.append(running)
            if running.watched is not None:
                running.watched.begin(THREAD.recording)
            return all_or_nothing(run)
        except EmptyLoopError as error:
            empty = error
        finally:
            try:  # Ctrl-C may come before it has begun
                end()
            except BaseException:  # Ctrl-C on the way
                end()
                raise
        return self._run_on_values(args, kwargs, tensors, counts, empty)

    @functools.cached_property
    def _takes_gradients(self) -> bool:
        """Whether `tf.gradients` may be called in it: it is named there, or in what it names.

        That it is called in a method turns out by the error, and the Python runs once more.
        """
        waiting, known = [self._python], set()
        while waiting:
            function = _python_of(waiting.pop())
            if not isinstance(function, types.FunctionType) or function in known:
                continue
            known.add(function)
            if _names_any(function.__code__, SYMBOLIC):
                return True
            if not is_own(function.__code__.co_filename):
                waiting += _named_in(function)
        return False

    @property
    def _refusal(self) -> str:
        """Why variables must not be made now; "" if they may."""
        if self._has_variables:
            return MESSAGE_SINGLETON
        return MESSAGE_CREATED_LATER if self._traces else ""

    def _first_call(
        self, key: Any, args: Any, kwargs: dict[str, Any], tensors: Sequence[EagerTensor]
    ) -> Any:
        """Runs the Python for the first time with such arguments."""
        outermost = not THREAD.functions
        with self._lock:
            known = self._traces.get(key) or self._shared_trace(args, kwargs)
            if known is not None and not known.needs_python:
                return known.call(tensors)  # another thread has recorded it
            self._check_count(key, args, kwargs)
            end = self._tracings.begin()
            try:
                trace, result, has_run = self._trace_call(args, kwargs, tensors)
            except BaseException as error:  # also Ctrl-C: no variable stays held
                if isinstance(error, ValueWanted) and _knows_values(tensors):
                    self._keep(key, args, kwargs, _trace_of_look(error))
                    error.is_worth_another_run = True
                if outermost and THREAD.recording.enclosing is None:
                    surely(release_all)
                raise
            changes = self._what_changed(key, args, kwargs)
            self._keep(key, args, kwargs, trace)
        if outermost and not self._settings["reduce_retracing"] and self._signature is None:
            self._detector.collect()
            if self._warns and self._detector.traced(self._python) and changes:
                get_logger().warning(warning_text(changes, users_line()))
        self._tell(trace)
        try:
            return result if has_run else trace.call(tensors)
        finally:
            end(changes, self.why_python(trace))

    def _tell(self, trace: FunctionTrace) -> None:
        """Says once that the Python runs at every call."""
        if not self._has_warned and (why := self.why_python(trace)):
            self._has_warned = True
            get_logger().warning(MESSAGE_PYTHON, function_in_sentence(self._python), why)

    def why_python(self, trace: FunctionTrace) -> str:
        """Returns why the Python runs at every call with such arguments, "" if it does not.

        That of a first call that has looked at a value does not: the next one is recorded.
        """
        return "" if trace.looked and self._rewritten() is not None else trace.why

    def _rewritten(self) -> Rewritten | None:
        """Returns the Python rewritten such that it need not look at values; None if it cannot."""
        return REWRITER.rewrite(self._python) if self._settings["autograph"] else None

    def _record_rewritten(
        self, key: Any, args: Any, kwargs: dict[str, Any], tensors: Sequence[EagerTensor],
        trace: FunctionTrace,
    ) -> Any:  # fmt: skip
        """Records the rewritten Python, where the user's has looked at a value before."""
        with self._lock:
            known = self._traces.get(key) or self._shared_trace(args, kwargs)
            if known is not trace:
                return self._call(args, kwargs)  # another thread has recorded it
            trace.looked = False
            python = self._rewritten()
            if python is None:
                return self._run(args, kwargs, tensors, trace.counts)
            watched = _WatchedPython(python)
            names = self._tensor_names(args, kwargs)
            call = functools.partial(self._on_tensors, args, kwargs, python=watched)
            try:
                tracing = RecordedRun(
                    call, self._python, tensors, names, self._refusal, trace.counts,
                    takes_gradients=self._takes_gradients,
                )  # fmt: skip
            except EmptyLoopError as error:
                return self._run_on_values(args, kwargs, tensors, trace.counts, error)
            except AssignedMeanwhileError:
                trace.looked = True
                return self._run(args, kwargs, tensors, trace.counts)
            except Exception:  # the Python shows whether it is its own: nothing was computed
                if watched.has_run:
                    raise
                return self._run(args, kwargs, tensors, trace.counts)
            try:
                made, result, has_run = tracing.settle()
            except AssignedMeanwhileError:
                trace.looked = True
                return self._run(args, kwargs, tensors, trace.counts)
            made.looked, made.report = False, python
            made.rewritten = python if python.is_useful else None
            self._looks |= python.is_useful
            self._keep(key, args, kwargs, made)
            if made.recorded is not None and trace.recorded is None and self._is_shared:
                trace.looked = True  # other sizes are recorded as well
        self._tell(made)
        return result if has_run else made.call(tensors)

    def _run_on_values(
        self, args: Any, kwargs: dict[str, Any], tensors: Sequence[EagerTensor],
        counts: Counts, error: EmptyLoopError,
    ) -> Any:  # fmt: skip
        """Runs the rewritten Python, whose loops tell of arrays what they would write in them."""
        python = self._rewritten()
        if python is None:
            raise error.error from None
        return self._run(args, kwargs, tensors, counts, python)

    def _trace_call(
        self, args: Any, kwargs: dict[str, Any], tensors: Sequence[EagerTensor]
    ) -> tuple[FunctionTrace, Any, bool]:
        """Records a run; where that turns out not to do, the Python runs once more, on values."""
        try:
            return self._recorded_call(args, kwargs, tensors)
        except EmptyLoopError as error:
            why = "a loop over nothing tells the shape of a tf.TensorArray"
            trace = FunctionTrace(None, None, why, looked=True)
            return trace, self._run_on_values(args, kwargs, tensors, trace.counts, error), True
        except AssignedMeanwhileError:
            trace = FunctionTrace(None, None, "another thread has assigned a variable", looked=True)
            return trace, self._run(args, kwargs, tensors, trace.counts), True

    def _recorded_call(
        self, args: Any, kwargs: dict[str, Any], tensors: Sequence[EagerTensor]
    ) -> tuple[FunctionTrace, Any, bool]:
        """Records a run; a second one, if variables were made in the first."""
        if is_textual(key_of((args, kwargs), [])):
            why = "texts among the arguments are not computed by compiled programs"
            self._tracing_count += 1
            trace = FunctionTrace(None, None, why)
            return trace, self._run(args, kwargs, tensors, trace.counts), True
        # TensorFlow has one function for all sizes of a signature.
        counts: Counts = {} if self._signature is None else self._draw_counts
        python = self._rewritten() if self._looks else None
        try:
            tracing = self._recorded_run(args, kwargs, tensors, counts, python)
        except UnboundLocalError:  # of a loop over no numbers, which gives its target one
            python = self._rewritten() if python is None else None
            if python is None:
                raise
            counts.clear()
            tracing = self._recorded_run(args, kwargs, tensors, counts, python)
        except UnwatchedGradientsError:
            if THREAD.functions or self._takes_gradients:
                raise
            self._takes_gradients = True
            counts.clear()
            tracing = self._recorded_run(args, kwargs, tensors, counts, python)
        if tracing.created:
            self._has_variables = True
            if not tracing.frame.observed:
                tracing.undo()
                counts.clear()
                tracing = self._recorded_run(args, kwargs, tensors, counts, python)
        trace, result, has_run = tracing.settle()
        if python is not None:
            trace.looked, trace.report = False, python
            trace.rewritten = python if python.is_useful else None
        return trace, result, has_run

    def _recorded_run(
        self, args: Any, kwargs: dict[str, Any], tensors: Sequence[EagerTensor], counts: Counts,
        python: Callable[..., Any] | None = None,
    ) -> RecordedRun:  # fmt: skip
        described: list[Any] = []
        call = functools.partial(self._on_tensors, args, kwargs, python=python, described=described)
        names = self._tensor_names(args, kwargs)
        is_rehearsal = python is None and self._settings["autograph"]
        tracing = RecordedRun(
            call, self._python, tensors, names, self._refusal, counts, is_rehearsal,
            self._takes_gradients,
        )  # fmt: skip
        tracing.specs = described[-1] if described else None
        if not self._counts_as_traced(args, kwargs):
            self._tracing_count += 1
        return tracing

    def _tensor_names(self, args: Any, kwargs: dict[str, Any]) -> list[str]:
        if self._signature is not None and self._signature.is_dense:
            return self._signature.names()
        return self._parameters.tensor_names(args, kwargs)

    def _counts_as_traced(self, args: Any, kwargs: dict[str, Any]) -> bool:
        """Whether TensorFlow would have a function for such arguments, of other sizes."""
        if self._signature is not None:
            return bool(self._traces or self._open_signatures)
        if any(covers(wide, args, kwargs) for wide in self._open_signatures):
            return True
        if self._shared_keys and shared_key_of((args, kwargs)) in self._shared_keys:
            return True
        if not self._settings["reduce_retracing"]:
            return False
        key = relaxed(key_of((args, kwargs), []))
        return sum(relaxed(known) == key for known in self._traces) > 1

    def _on_tensors(
        self, args: Any, kwargs: dict[str, Any], tensors: Sequence[EagerTensor],
        python: Callable[..., Any] | None = None, described: list[Any] | None = None,
        has_values: bool = True,
    ) -> Any:  # fmt: skip
        """Calls the Python with other tensors in the place of those among the arguments.

        Args:
            args: the arguments.
            kwargs: those by name.
            tensors: the tensors.
            python: what is called, if it is not the user's Python.
            described: takes the specs of the result, if sizes of the tensors are open.
            has_values: whether the tensors have values; else there are specs among the arguments.
        """
        positional, named = with_tensors((args, kwargs), tensors)
        before = [nest.flatten(value) for value in (*positional, *named.values())]
        opened: Sequence[Any] = ()
        if not has_values:
            shapes = [spec.shape for spec in tensor_specs((args, kwargs))]
            opened = [*zip(tensors, shapes, strict=True)]
        elif self._signature is not None:
            opened = self._signature.open_tensors(positional)
        elif self._settings["reduce_retracing"] and self._traces:
            opened = self._relaxed_tensors(args, kwargs, tensors)
        sizes = OpenSizes(opened, has_values) if opened else None
        with sizes_decided_within() if sizes is None else unknown_sizes_shown(sizes):
            with raising_as_traced():
                result = (python or self._python)(*positional, **named)
            if described is not None and (known := sizes or open_sizes()) is not None:
                described.append(self._described(result, known))
        after = [nest.flatten(value) for value in (*positional, *named.values())]
        if any(
            len(a) != len(b) or any(map(is_not, a, b)) for a, b in zip(before, after, strict=True)
        ):
            raise self._modified(args, kwargs, before, after)
        return result

    def _described(self, result: Any, sizes: SizeAccount) -> Any:
        """Returns a result with specs in the place of tensors."""
        structure = OutputStructure(result, self._python)

        def spec(tensor: EagerTensor) -> TensorSpec:
            return TensorSpec(sizes.shape_of(tensor), tensor.dtype)

        return structure.with_specs([spec(tensor) for tensor in structure.tensors], spec)

    def _relaxed_tensors(
        self, args: Any, kwargs: dict[str, Any], tensors: Sequence[EagerTensor]
    ) -> list[tuple[EagerTensor, TensorShape]]:
        """Returns the tensors whose sizes are not those of earlier calls, each with what is known.

        For these TensorFlow has one function of unknown sizes.
        """
        key = key_of((args, kwargs), [])
        like = [types_in(known) for known in (*self._traces, key) if relaxed(known) == relaxed(key)]
        found = []
        for place, tensor in enumerate(tensors):
            sizes = zip(*[types[place].shape for types in like], strict=True)
            shape = TensorShape([own[0] if len(set(own)) == 1 else None for own in sizes])
            if not shape.is_fully_defined():
                found.append((tensor, shape))
        return found

    def _modified(self, args: Any, kwargs: Any, before: list[Any], after: list[Any]) -> ValueError:
        names = self._parameters.names(args, kwargs)
        changed = [
            name
            for name, a, b in zip(names, before, after, strict=True)
            if len(a) != len(b) or any(map(is_not, a, b))
        ]
        shown = f"{getattr(self._python, '__qualname__', self.name)}{self._parameters.text()}"
        return ValueError(
            f"{shown} should not modify its Python input arguments. Modifying a copy is allowed. "
            f"The following parameter(s) were modified: {', '.join(changed)}"
        )

    def _keep(self, key: Any, args: Any, kwargs: dict[str, Any], trace: FunctionTrace) -> None:
        self._note_signature(key, args, kwargs, trace)
        shared = shared_key_of((args, kwargs))
        if shared is not None:
            self._shared_keys.add(shared)
            if trace.recorded is None:  # its Python runs at every call
                self._is_shared, key = True, shared
        self._traces[key] = trace
        plain = self._positional_count == len(args) and all(
            type(value) is EagerTensor for value in args
        )
        if plain and trace.is_replayable and not trace.draws_rewritten:
            self._fast_calls[tuple([value._type for value in args])] = trace.call

    def _what_changed(
        self, key: Any, args: Any, kwargs: dict[str, Any]
    ) -> tuple[ArgumentChange, ...]:
        known = [_argument_keys(old) for old in self._traces]
        return argument_changes(self._parameters.names(args, kwargs), _argument_keys(key), known)

    def _check_count(self, key: Any, args: Any, kwargs: dict[str, Any]) -> None:
        limit = self._settings["max_traces"]
        if limit is not None and len(self._traces) >= limit:
            raise hinted(
                RuntimeError(
                    f"{function_in_sentence(self._python)} would be recorded "
                    f"{len(self._traces) + 1} times, and "
                    f"max_traces is {limit}. "
                    + warning_text(self._what_changed(key, args, kwargs), users_line())
                ),
                "Pass tensors of the same shapes and dtypes, and numbers that change as tensors.",
            )

    # Signatures.

    @shortening
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Records the function for one signature.

        Args:
            *args: tensors, or `tf.TensorSpec`s that describe them, and Python values.
            **kwargs: the same by name.

        Returns:
            A function of tensors of this signature.

        Raises:
            TypeError: if the arguments do not fit.
        """
        if self._signature is not None and not args and not kwargs:
            args = self._signature.complete()
        args, kwargs = self._bind(args, kwargs)
        key = shared_key_of((args, kwargs)) or key_of((args, kwargs), [])
        with self._lock:
            made = self._concrete_functions.get(key)
            if made is None:
                made = self._concrete_functions[key] = self._make_concrete(key, args, kwargs)
        return made

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """Returns the function for each signature that it is known for: Keras exports these."""
        if self._signature is not None:
            self.get_concrete_function()
        for key in [key for key in self._traces if key not in self._concrete_functions]:
            with contextlib.suppress(LookupError):  # a key may not tell what an argument was
                args, kwargs = specs_of_key(key)
                self.get_concrete_function(*args, **kwargs)
        return list(self._concrete_functions.values())

    def _make_concrete(self, key: Any, args: Any, kwargs: dict[str, Any]) -> ConcreteFunction:
        trace = self._traces.get(key)
        if trace is None:
            if has_composite_specs((args, kwargs)):
                trace = self._record_examples(args, kwargs)
            else:
                trace = self._record_abstract(args, kwargs)
            if trace.recorded is trace.specs is None and has_text_specs((args, kwargs)):
                examples = self._record_examples(args, kwargs)
                trace.specs, trace.example = examples.specs, examples.example
            if trace.recorded is trace.specs is None and self._signature is not None:
                # As a call has found.
                trace.specs = next(
                    (t.specs for t in self._traces.values() if t.specs is not None), None
                )
            if has_unknown_sizes((args, kwargs)) or has_composite_specs((args, kwargs)):
                self._open_signatures.append(open_signature(args, kwargs))
            else:
                self._keep(key, args, kwargs, trace)
        if trace.recorded is trace.specs is None:
            trace.specs = self._described_by_examples(args, kwargs)
        made = self._concrete_of(args, kwargs, trace)
        self._signature_texts[key] = _texts(made)
        return made

    def _note_signature(
        self, key: Any, args: Any, kwargs: dict[str, Any], trace: FunctionTrace
    ) -> None:
        """Takes note of the signature of a call: as texts, which keep no argument alive."""
        if not (self._signature_texts and self._counts_as_traced(args, kwargs)):
            given = args if self._signature is None else self._signature.specs
            self._signature_texts[key] = _texts(self._concrete_of(given, kwargs, trace))

    def _concrete_of(
        self, args: Any, kwargs: dict[str, Any], trace: FunctionTrace
    ) -> ConcreteFunction:
        given = self._parameters.names(args, kwargs)
        arguments = with_specs(args, kwargs, given)

        def call(*values: Any) -> Any:
            positional, named = (
                values[: len(args)],
                dict(zip(kwargs, values[len(args) :], strict=True)),
            )
            return self._call(positional, named)

        return ConcreteFunction(
            call, f"__inference_{self.name}", arguments, given, trace.recorded,
            trace.result_specs(), self._parameters.is_varied, trace.why, trace.example,
        )  # fmt: skip

    def _record_examples(self, args: Any, kwargs: dict[str, Any]) -> FunctionTrace:
        """Records runs on values of two sizes where specs are no tensors: what differs is open."""
        trace = FunctionTrace(None, None, WHY_COMPOSITE)
        found: list[Any] = []
        count = self._tracing_count
        for size in EXAMPLE_SIZES:
            given: Any = with_examples((args, kwargs), size)
            if given is None:
                break
            try:
                recorded = self._record_abstract(given[0], given[1], known_parts(given))
            except Exception:  # of the user's function: texts have values, and these are not his
                if not is_textual(key_of(given, [])):
                    raise
                break
            found.append(recorded.result_specs())
            trace.example = recorded.recorded
        self._tracing_count = count + 1
        if len(found) == len(EXAMPLE_SIZES) and None not in found:
            trace.specs = nest.map_structure(_common_spec, *found)
        return trace

    def _described_by_examples(self, args: Any, kwargs: dict[str, Any]) -> Any:
        """Describes the result of a function that looks at values; None if that cannot be."""
        found: list[Any] = []
        count = self._tracing_count
        for number in EXAMPLE_NUMBERS:
            if len(found) == ENOUGH_EXAMPLES:
                break
            with (
                THREAD.temporarily(examples=ExampleValues(number)),
                contextlib.suppress(Exception),  # of the user's Python, which has no values
            ):
                found.append(self._record_abstract(args, kwargs).result_specs())
        self._tracing_count = count
        if not found or None in found:
            return None
        return functools.reduce(functools.partial(nest.map_structure, _common_spec), found)

    def _record_abstract(
        self, args: Any, kwargs: dict[str, Any], known: Sequence[Any] = ()
    ) -> FunctionTrace:
        """Records a run on tensors that have no values; rewritten, if it looks at one.

        Args:
            args: the arguments.
            kwargs: those by name.
            known: for each tensor among them itself, if its values are known, or None.
        """
        if has_composite_specs((args, kwargs)):
            self._tracing_count += 1
            return FunctionTrace(None, None, WHY_COMPOSITE)
        trace = self._recorded_abstract(args, kwargs, None, known)
        if trace.looked and (python := self._rewritten()) is not None:
            again = self._recorded_abstract(args, kwargs, python, known)
            if again.recorded is not None:
                again.rewritten = again.report = python
                return again
        return trace

    def _recorded_abstract(
        self, args: Any, kwargs: dict[str, Any], python: Callable[..., Any] | None,
        known: Sequence[Any],
    ) -> FunctionTrace:  # fmt: skip
        refusal, runs_left = self._refusal, MAX_RUNS_FOR_KNOWN_VALUES
        while True:
            running = RunningCall(refusal)
            THREAD.functions.append(running)
            try:
                trace = recorded_with_stand_ins(
                    functools.partial(self._recorded_body, args, kwargs, python, known),
                    [spec.shape for spec in tensor_specs((args, kwargs))],
                )
            except ValueWanted as wanted:
                if wanted.is_worth_another_run and not running.created and runs_left:
                    runs_left -= 1
                    continue  # a function within it will be a part of this one
                trace = _trace_of_look(wanted)
            finally:
                THREAD.functions.pop()
            self._tracing_count += 1
            if not running.created or refusal == MESSAGE_SINGLETON:
                return trace
            self._has_variables, refusal = True, MESSAGE_SINGLETON

    def _recorded_body(
        self, args: Any, kwargs: dict[str, Any], python: Callable[..., Any] | None,
        known: Sequence[Any], shapes: Sequence[tuple[int, ...]],
    ) -> FunctionTrace:  # fmt: skip
        def run(tensors: Sequence[EagerTensor]) -> Any:
            if known:
                pairs = zip(known, tensors, strict=True)
                tensors = [tensor if value is None else value for value, tensor in pairs]
            return self._on_tensors(
                args, kwargs, tensors, python, described,
                has_values=not has_unknown_sizes((args, kwargs)),
            )  # fmt: skip

        described: list[Any] = []
        specs: list[Any] = tensor_specs((args, kwargs))
        types = [type_of(s, spec.dtype._numpy) for s, spec in zip(shapes, specs, strict=True)]
        with function_draws():
            recorded, structure = record_body(
                run, self._python, types, self._tensor_names(args, kwargs)
            )
        for draw in recorded.draws.values():
            draw.is_spare = True  # nothing has run
        trace = FunctionTrace(recorded, structure, recorded.uncertain)
        trace.specs = described[-1] if described else None
        return trace

    def trace_report(self) -> TraceReport:
        """Tells why the function was recorded each time. Not in TensorFlow.

        Returns:
            A `TraceReport`, which shows itself as text: for each recording the line of the call,
            which argument was what before and is what now, what to write instead, how long the
            call took, and how many programs were compiled in it.

        >>> cube = tf.function(lambda x, n: x**3.0)
        >>> _ = cube(tf.constant(1.0), 1), cube(tf.constant(1.0), 2)
        >>> cube.trace_report()
        <lambda> (...) was recorded 2 times, in ... s
          1. at ...: ... s, ... compiled
          2. at ...: ... s, ... compiled
               n was the int 1 and is the int 2
               pass a tensor, tf.constant(2): a Python number is part of the program
        """
        return self._tracings.report(self._python)

    def statements(self) -> list[str]:
        """Returns what has become of the statements on tensors. Not in TensorFlow.

        Returns:
            A line for each `if`, `while`, `for` and the like of a function that has looked at
            values: the place, the text, and whether it is an instruction of the program or Python,
            and why. Nothing before the second call.

        >>> @tf.function
        ... def f(x):
        ...     kind = "a" if x > 2.0 else "b"
        ...     while x < 10.0:
        ...         x *= 2.0
        ...     return x if kind == "a" else -x
        >>> _ = f(tf.constant(3.0)), f(tf.constant(3.0))
        >>> for line in f.statements():
        ...     print(line)
        <...>:3: kind = "a" if x > 2.0 else "b"  # Python, because an expression is 'a' or 'b'
        <...>:4: while x < 10.0:  # an instruction
        """
        reports = [trace.report for trace in self._traces.values() if trace.report is not None]
        return list(dict.fromkeys(line for report in reports for line in report.lines()))

    def experimental_get_compiler_ir(
        self, *args: Any, **kwargs: Any
    ) -> Callable[[str], str | bytes]:
        """Returns a function that gives the program of a call as text.

        Args:
            *args: the arguments of the call.
            **kwargs: the same by name.

        Returns:
            A function of the stage: "hlo" as it is given to XLA, "stablehlo", or "optimized_hlo".

        Raises:
            ValueError: if the function was not made with `jit_compile=True`, or its Python runs at
                every call.

        >>> f = tf.function(lambda x: x + 1.0, jit_compile=True)
        >>> "add" in f.experimental_get_compiler_ir(tf.constant(1.0))("hlo")
        True
        """
        if not self._settings["jit_compile"]:
            raise ValueError(
                "Compiler IR can only be returned for functions marked with 'jit_compile=True'"
            )
        args, kwargs = self._bind(args, kwargs)
        tensors: list[EagerTensor] = []
        key = key_of((args, kwargs), tensors)
        if key not in self._traces:
            self.get_concrete_function(*args, **kwargs)
        trace = self._traces[key]
        if trace.recorded is None:
            raise ValueError(not_one_program(function_in_sentence(self._python), trace.why))
        return functools.partial(trace.text, tensors)

    def program(self, *args: Any, full: bool = False, **kwargs: Any) -> ProgramListing:
        """Returns what was recorded for some arguments, which shows itself as a table.

        TensorFlow has `graph` of concrete functions. See `ConcreteFunction.program`.

        Args:
            *args: arguments, or `tf.TensorSpec`s that describe them; without any, the signature
                that was recorded last.
            full: show every op and value, not your lines.
            **kwargs: arguments by name.

        Returns:
            A `ProgramListing`.

        Raises:
            ValueError: if nothing has been recorded, or Python runs at every call.

        >>> square = tf.function(lambda x: x * x)
        >>> _ = square(tf.constant([1.0, 2.0]))
        >>> square.program()
        Recorded program: 1 op, 1 value from outside; 2 FLOP, results of 8 B
          from outside: float32[2] x
          ops  FLOP  bytes  line  what
          1    2     8 B    ...   tf.math.multiply
        """
        if args or kwargs or self._parameters.count == 0 or self._signature is not None:
            return self.get_concrete_function(*args, **kwargs).program(full)
        name = function_in_sentence(self._python)
        trace = next(reversed(self._traces.values()), None)
        if trace is None:
            raise ValueError(MESSAGE_NOT_CALLED.format(name))
        if trace.recorded is None:
            raise ValueError(not_one_program(name, trace.why))
        return trace.recorded.listing(full)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the signatures that the function was called or asked for with, as text.

        Args:
            verbose: a line for each argument, and the captures.

        >>> f = tf.function(lambda x: x + 1.0)
        >>> _ = f(tf.constant(1.0)), f(tf.constant([1.0, 2.0]))
        >>> print(f.pretty_printed_concrete_signatures(verbose=False))
        (x: TensorSpec(shape=(), dtype=tf.float32, name=None)) -> TensorSpec(...)
        (x: TensorSpec(shape=(2,), dtype=tf.float32, name=None)) -> TensorSpec(...)
        """
        found = [texts[not verbose] for texts in self._signature_texts.values()]
        return ("\n\n" if verbose else "\n").join(found)

    # Methods of classes.

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if isinstance(instance, CompositeTensor):  # an argument as others
            return types.MethodType(self, instance)
        known = self._methods.get(id(instance))
        if known is None:
            specs = None if self._signature is None else self._signature.specs
            method = Method(
                self._python, instance, functools.partial(self._methods.pop, id(instance))
            )
            known = Function(method, self._name, specs, **self._settings)
            self._methods[id(instance)] = known
        return known

    # What it is.

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function."""
        return self._python

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The `tf.TensorSpec`s that were given for the arguments, or None."""
        return None if self._signature is None else self._signature.specs

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._name or getattr(self._python, "__name__", "function")

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters of the Python function."""
        return FunctionSpec(self._python, self.input_signature)

    def experimental_get_tracing_count(self) -> int:
        """Returns how often the Python was recorded, for different arguments.

        Recordings for several shapes that one spec with unknown dimensions describes count as one.
        """
        return self._tracing_count

    def __repr__(self) -> str:
        """Says which Python it is, and where that is, in the place of TensorFlow's address."""
        return f"<tf.function {function_in_sentence(self._python)}>"

    # Copies begin anew: what was recorded belongs to the variables it was recorded with.

    def __reduce__(self) -> str | tuple[Any, ...]:
        module = sys.modules.get(getattr(self._python, "__module__", ""))
        if getattr(module, self.name, None) is self:
            return self.name  # found by its name, as Python functions are
        specs = None if self._signature is None else self._signature.specs
        return _again, (self._python, self._name, specs, self._settings)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Function":
        specs = None if self._signature is None else self._signature.specs
        python = copy.deepcopy(self._python, memo)
        return Function(python, self._name, specs, **self._settings)


def _python_of(value: Any) -> Any:
    """Returns the Python of a function or a method; other values as they are."""
    if isinstance(value, Function):
        value = value._python
    if isinstance(value, Method):
        value = value._function
    if isinstance(value, functools.partial):
        value = value.func
    return value.__func__ if isinstance(value, types.MethodType) else value


def _named_in(function: types.FunctionType) -> list[Any]:
    """Returns the values that a function names: those of its module, and of functions around it."""
    found = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # it has none yet
            found.append(cell.cell_contents)
    codes = [function.__code__]
    for code in codes:
        found += [function.__globals__.get(name) for name in code.co_names]
        codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return found


def _names_any(code: Any, names: Sequence[str]) -> bool:
    """Whether a function's code, or that of functions within it, has one of some names in it."""
    if not isinstance(code, types.CodeType):
        return False
    return any(name in code.co_names for name in names) or any(
        _names_any(constant, names) for constant in code.co_consts
    )


def _argument_keys(key: Any) -> list[Any]:
    """Returns the key of each argument, by position and by name, in the key of a call."""
    return [*key[1][1:], *(part for _, part in key[2][1:])]


def _again(python: Any, name: Any, specs: Any, settings: dict[str, Any]) -> Function:
    return Function(python, name, specs, **settings)


def _common_spec(one: Any, other: Any) -> Any:
    """Returns a spec that includes two, or what both are."""
    return one.most_specific_compatible_type(other) if isinstance(one, TypeSpec) else one


def _texts(made: ConcreteFunction) -> tuple[str, str]:
    return made.pretty_printed_signature(True), made.pretty_printed_signature(False)
