"""What a function can be asked for: the function for one signature, and its program as text."""

import functools
import threading
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core.generators import function_draws
from tapefacade._core.tensor import EagerTensor
from tapefacade._function.binding import Parameters
from tapefacade._function.concrete import ConcreteFunction
from tapefacade._function.input_signature import InputSignature
from tapefacade._function.kinds import PolymorphicFunction
from tapefacade._function.signatures import key_of
from tapefacade._function.tracing import Trace, record_body
from tapefacade._function.unknown import (
    abstract_types,
    has_unknown_sizes,
    known_spec,
    wide_key,
    with_specs,
)
from tapefacade._trace.frames import Running, ValueWanted
from tapefacade._trace.recording import THREAD

MESSAGE_SINGLETON = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the "
    "tf.Variable is only created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)


class Signatures(PolymorphicFunction):
    """The part of a function that answers questions about it without calling it."""

    _python: Callable[..., Any]
    _parameters: Parameters
    _signature: InputSignature | None
    _settings: dict[str, Any]
    _traces: dict[Any, Trace]
    _concrete: dict[Any, ConcreteFunction]
    _printed: dict[Any, tuple[str, str]]
    _wide: list[Any]
    _tracings: int
    _has_variables: bool
    _lock: threading.RLock

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the function."""

    @property
    @abstractmethod
    def _refusal(self) -> str: ...

    @abstractmethod
    def _bind(self, args: Any, kwargs: Any) -> tuple[Any, dict[str, Any]]: ...

    @abstractmethod
    def _call(self, args: Any, kwargs: Any) -> Any: ...

    @abstractmethod
    def _keep(self, key: Any, args: Any, kwargs: Any, trace: Trace) -> None: ...

    @abstractmethod
    def _is_known(self, args: Any, kwargs: dict[str, Any]) -> bool: ...

    @abstractmethod
    def _tensor_names(self, args: Any, kwargs: Any) -> list[str]: ...

    @abstractmethod
    def _on_tensors(self, args: Any, kwargs: Any, tensors: Sequence[EagerTensor]) -> Any: ...

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
        key = key_of((args, kwargs), [])
        with self._lock:
            made = self._concrete.get(key)
            if made is None:
                made = self._concrete[key] = self._make_concrete(key, args, kwargs)
        return made

    def _make_concrete(self, key: Any, args: Any, kwargs: dict[str, Any]) -> ConcreteFunction:
        trace = self._traces.get(key)
        if trace is None:
            trace = self._record_abstract(args, kwargs)
            if has_unknown_sizes((args, kwargs)):
                self._wide.append(wide_key(args, kwargs))
            else:
                self._keep(key, args, kwargs, trace)
        made = self._concrete_of(args, kwargs, trace)
        self._printed[key] = _texts(made)
        return made

    def _note(self, key: Any, args: Any, kwargs: dict[str, Any], trace: Trace) -> None:
        """Takes note of the signature of a call: as texts, which keep no argument alive."""
        if not (self._printed and self._is_known(args, kwargs)):
            given = args if self._signature is None else self._signature.specs
            self._printed[key] = _texts(self._concrete_of(given, kwargs, trace))

    def _concrete_of(self, args: Any, kwargs: dict[str, Any], trace: Trace) -> ConcreteFunction:
        recorded = trace.recorded
        outputs = None
        if recorded is not None and trace.structure is not None:
            specs = [known_spec(recorded.type_of(slot)) for slot in recorded.results]
            outputs = trace.structure.with_tensors(specs)
        given = self._parameters.names(args, kwargs)
        arguments = with_specs(args, kwargs, given)

        def call(*values: Any) -> Any:
            positional, named = (
                values[: len(args)],
                dict(zip(kwargs, values[len(args) :], strict=True)),
            )
            return self._call(positional, named)

        return ConcreteFunction(
            call, f"__inference_{self.name}", arguments, given, recorded, outputs,
            self._parameters.is_varied, trace.why,
        )  # fmt: skip

    def _record_abstract(self, args: Any, kwargs: dict[str, Any]) -> Trace:
        """Records a run on tensors that have no values."""
        for refusal in (self._refusal, MESSAGE_SINGLETON):
            running = Running(refusal)
            THREAD.functions.append(running)
            try:
                with function_draws():
                    recorded, structure = record_body(
                        functools.partial(self._on_tensors, args, kwargs), self._python,
                        abstract_types((args, kwargs)), self._tensor_names(args, kwargs),
                    )  # fmt: skip
                for draw in recorded.draws.values():
                    draw.is_spare = True  # nothing has run
                trace = Trace(recorded, structure, recorded.uncertain)
            except ValueWanted as wanted:
                trace = Trace(None, None, f"{wanted.line} looked at a value")
            finally:
                THREAD.functions.pop()
            self._tracings += 1
            if not running.created:
                break
            self._has_variables = True
        return trace

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
            raise ValueError(f"{self._python} is not one program: {trace.why}.")
        return functools.partial(trace.text, tensors)

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
        found = [texts[not verbose] for texts in self._printed.values()]
        return ("\n\n" if verbose else "\n").join(found)


def _texts(made: ConcreteFunction) -> tuple[str, str]:
    return made.pretty_printed_signature(True), made.pretty_printed_signature(False)
