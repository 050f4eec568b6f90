"""A function for one signature, as `get_concrete_function` gives it."""

from collections.abc import Callable, Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.specs import TypeSpec
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._function.binding import type_text
from tapefacade._function.recorded import Recorded
from tapefacade._state.variable import Variable


class ConcreteFunction:
    """A function that was recorded for one signature.

    It is called with the arguments of the signature; Python values that are part of it may be left
    out. Made by `get_concrete_function` of a `tf.function`.

    >>> square = tf.function(lambda x: x * x)
    >>> concrete = square.get_concrete_function(tf.TensorSpec([], tf.float32))
    >>> concrete(tf.constant(3.0)).numpy()
    np.float32(9.0)

    See https://www.tensorflow.org/api_docs/python/tf/types/experimental/ConcreteFunction.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        name: str,
        arguments: tuple[tuple[Any, ...], dict[str, Any]],
        names: Sequence[str],
        recorded: Recorded | None,
        outputs: Any,
    ) -> None:
        self._call = call
        self._name = name
        self._arguments = arguments  # specs in the place of tensors
        self._names = list(names)
        self._recorded = recorded
        self._outputs = outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Raises:
            TypeError: if the arguments do not fit its signature.
        """
        return self._call(*self._completed(args, kwargs))

    def _completed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Returns the arguments by position, with the Python values of the signature."""
        own, named = self._arguments
        values = [*own, *named.values()]
        if len(args) < len(values) and not kwargs:
            waiting = iter(args)
            tensors = [value for value in values if _has_specs(value)]
            if len(tensors) == len(args):
                return [next(waiting) if _has_specs(value) else value for value in values]
        given = dict(zip(self._names, args, strict=False))
        twice = [name for name in kwargs if name in given]
        unknown = [name for name in kwargs if name not in self._names]
        given.update(kwargs)
        missing = [
            name
            for name, value in zip(self._names, values, strict=True)
            if name not in given and _has_specs(value)
        ]
        reason = ""
        if len(args) > len(values):
            reason = "too many positional arguments"
        elif twice:
            reason = f"multiple values for argument '{twice[0]}'"
        elif unknown:
            reason = f"got an unexpected keyword argument '{unknown[0]}'"
        elif missing:
            reason = f"missing a required argument: '{missing[0]}'"
        if reason:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} "
                f"and kwargs: {kwargs} for signature: {self.pretty_printed_signature(False)}."
            )
        return [given.get(name, v) for name, v in zip(self._names, values, strict=True)]

    # What it is.

    @property
    def name(self) -> bytes:
        """The name of the function."""
        return self._name.encode()

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments and keyword arguments, with a `tf.TensorSpec` for each tensor."""
        return self._arguments

    @property
    def structured_outputs(self) -> Any:
        """The result, with a `tf.TensorSpec` for each tensor."""
        return self._outputs

    @property
    def inputs(self) -> list[TensorSpec]:
        """A `tf.TensorSpec` for each tensor among the arguments and captures."""
        own = [s for s in nest.flatten(self._arguments) if isinstance(s, TensorSpec)]
        return own + [TensorSpec(c.shape, c.dtype) for c in self.captured_inputs]

    @property
    def outputs(self) -> list[Any]:
        """A `tf.TensorSpec` for each tensor in the result."""
        return [spec for spec in nest.flatten(self._outputs) if isinstance(spec, TypeSpec)]

    @property
    def output_dtypes(self) -> Any:
        """The dtype of each tensor in the result."""
        return nest.map_structure(lambda spec: getattr(spec, "dtype", None), self._outputs)

    @property
    def output_shapes(self) -> Any:
        """The shape of each tensor in the result."""
        return nest.map_structure(lambda spec: getattr(spec, "shape", None), self._outputs)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the function reads or assigns."""
        if self._recorded is None:
            return ()
        assigned = [variable for variable, _ in self._recorded.assigned]
        return tuple({id(v): v for v in (*self._recorded.reads, *assigned)}.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of the variables that are trainable."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def captured_inputs(self) -> list[EagerTensor | Variable]:
        """The variables and the tensors from outside that the function uses."""
        captures = self._recorded.captures.values() if self._recorded else ()
        return [*self.variables, *captures]

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns the arguments and the result as text.

        Args:
            verbose: a line for each, and the captures.
        """
        own, named = self._arguments
        values = zip(self._names, [*own, *named.values()], strict=True)
        arguments = [f"{name}: {type_text(value)}" for name, value in values]
        result = type_text(self._outputs)
        if not verbose:
            return f"({', '.join(arguments)}) -> {result}"
        lines = [
            f"  {name} (POSITIONAL_OR_KEYWORD): {text}"
            for name, text in (argument.split(": ", 1) for argument in arguments)
        ]
        captures = [
            f"  {id(capture)}: {TensorSpec(capture.shape, capture.dtype)}"
            for capture in self.captured_inputs
        ]
        return "\n".join(
            ["Input Parameters:", *(lines or ["  None"]), "Output Type:", f"  {result}",
             "Captures:", *(captures or ["  None"])]
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(False)} at {id(self):#X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"


def _has_specs(value: Any) -> bool:
    return any(isinstance(leaf, TypeSpec) for leaf in nest.flatten(value))
