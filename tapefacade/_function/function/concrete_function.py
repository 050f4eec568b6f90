"""A function for one signature, as `get_concrete_function` gives it."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.error_texts import invalid
from tapefacade._core.missing_members import lacks
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.type_spec import TypeSpec
from tapefacade._definition.op import function
from tapefacade._extension.extension_type import ExtensionTypeSpec
from tapefacade._function.function import function_types
from tapefacade._function.function.input_signature import (
    binding_error,
    cast_to,
    leaf_names,
    signature_text,
    type_text,
)
from tapefacade._function.function.recorded_program import RecordedProgram
from tapefacade._state.variable import Variable
from tapefacade._trace.program_listing import ProgramListing


def not_one_program(function: str, why: Any) -> str:
    """Words that there is nothing to show of a function whose Python runs at every call."""
    return f"{function} is not one program: {why}."


def _component_specs(spec: Any) -> Any:
    """Returns the specs of the tensors that make a value, or the spec of what is one tensor."""
    if isinstance(spec, TensorSpec) or not isinstance(spec, TypeSpec):
        return spec
    found = nest.flatten(spec, expand_composites=True)
    if not all(isinstance(part, TensorSpec) for part in found):
        return spec
    return tuple(found) if isinstance(spec, ExtensionTypeSpec) else found


@function("types.experimental.ConcreteFunction")
@lacks(
    {
        "function_type": "Write `structured_input_signature` and `structured_outputs`.",
        "function_def graph inference_fn from_func_graph": (
            "Call the function itself; `program()` lists what it does."
        ),
        "replace_capture_with_deferred_capture set_external_captures set_variables": (
            "Make what is captured a parameter of the function."
        ),
    }
)
class ConcreteFunction(function_types.Callable):
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
        recorded: RecordedProgram | None,
        outputs: Any,
        varied: bool,
        why: str = "",
        example: RecordedProgram | None = None,
    ) -> None:
        self._call = call
        self._name = name
        self._arguments = arguments  # specs in the place of tensors
        self._names = list(names)
        self._signature = _signature(self._names, len(arguments[0]), varied)
        self._varied = varied
        self._recorded = recorded
        self._used = recorded or example  # of which the variables are known
        self._why = why  # why Python runs at every call, if it does
        self._outputs = outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Raises:
            TypeError: if the arguments do not fit its signature.
            InvalidArgumentError: if a tensor has another dtype.
        """
        return self._call(*self._bound(args, kwargs))

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Returns the arguments by position: as the function takes them, or the tensors alone."""
        try:
            given = self._structured(args, kwargs)
        except TypeError as first:
            try:
                given = self._flat(args, kwargs)
            except TypeError as second:
                raise TypeError(
                    f"{first}\nFallback to flat signature also failed due to: {second}"
                ) from None
        self._check_dtypes(given)
        return given

    def _values(self) -> list[Any]:
        own, named = self._arguments
        return [*own, *named.values()]

    def _structured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        signature = self.pretty_printed_signature(False)
        try:
            bound = self._signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise binding_error(str(error), args, kwargs, signature) from None
        positional = [bound[name] for name in self._names[: len(self._arguments[0])]]
        named = [bound[name] for name in self._names[len(self._arguments[0]) :]]
        found = []
        for value, spec in zip([*positional, *named], self._values(), strict=True):
            try:
                found.append(cast_to(value, spec, checked=False))
            except (TypeError, ValueError, AttributeError) as error:
                raise binding_error(str(error), args, kwargs, signature) from None
        return found

    def _flat(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        expanded = [nest.map_structure(_parts, value) for value in self._values()]
        names = [
            name
            for own, value in zip(self._names, expanded, strict=True)
            for name in leaf_names(own, nest.map_structure(_nameless, value))
        ]
        text = f"{self._name.removeprefix('__inference_')}({', '.join(names)})"
        given = dict(zip(names, args, strict=False))
        if len(args) > len(names):
            raise TypeError(f"{text} takes {len(names)} positional arguments, got {len(args)}.")
        for name in kwargs:
            if name in given:
                raise TypeError(f"{text} got two values for {name!r}.")
        unknown = sorted(set(kwargs) - set(names))
        if unknown:
            raise TypeError(f"{text} got unexpected keyword arguments: {', '.join(unknown)}.")
        given.update(kwargs)
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(f"{text} missing required arguments: {', '.join(missing)}.")
        for place, name in enumerate(names):
            if not isinstance(given[name], EagerTensor | Variable):
                raise TypeError(
                    f"{text}: expected argument #{place}(zero-based) to be a Tensor; got "
                    f"{type(given[name]).__name__} ({given[name]})."
                )
        rest = iter([given[name] for name in names])
        return nest.map_structure(lambda leaf: _of_tensors(leaf, rest), self._values())

    def _check_dtypes(self, given: list[Any]) -> None:
        specs = nest.flatten(self._values())
        for place, (value, spec) in enumerate(zip(nest.flatten(given), specs, strict=False)):
            if isinstance(spec, TensorSpec) and value.dtype is not spec.dtype:
                raise invalid(
                    f"cannot compute {self._name} as input #{place}(zero-based) was expected to be "
                    f"a {spec.dtype.kernel_name} tensor but is a {value.dtype.kernel_name} tensor "
                    f"[Op:{self._name}]"
                )

    # What it is.

    @property
    def name(self) -> bytes:
        """The name of the function."""
        return self._name.encode()

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Does nothing: there are no graphs, and a function is found by who calls it.

        Args:
            g: accepted for TensorFlow's sake.
            overwrite: accepted for TensorFlow's sake.
        """

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Does nothing: there are no graphs.

        Args:
            g: accepted for TensorFlow's sake.
        """

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
        leaves = nest.flatten(self._arguments, expand_composites=True)
        own = [spec for spec in leaves if isinstance(spec, TensorSpec)]
        return own + [TensorSpec(c.shape, c.dtype) for c in self.captured_inputs]

    @property
    def outputs(self) -> list[Any]:
        """A `tf.TensorSpec` for each tensor in the result."""
        leaves = nest.flatten(self._outputs, expand_composites=True)
        return [spec for spec in leaves if isinstance(spec, TypeSpec)]

    @property
    def output_dtypes(self) -> Any:
        """The dtype of each tensor in the result."""
        return nest.map_structure(lambda spec: getattr(spec, "dtype", None), self._components())

    @property
    def output_shapes(self) -> Any:
        """The shape of each tensor in the result."""
        return nest.map_structure(
            lambda spec: getattr(spec, "shape", TensorShape(None)), self._components()
        )

    def _components(self) -> Any:
        """Returns the specs of the results, those of ragged tensors and the like taken apart."""
        return nest.map_structure(_component_specs, self._outputs)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the function reads or assigns."""
        if self._used is None:
            return ()
        assigned = [variable for variable, _ in self._used.assigned]
        return tuple({id(v): v for v in (*self._used.reads, *assigned)}.values())

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
        parameters = self._signature.parameters.values()
        values = dict(zip(self._names, self._values(), strict=True))
        result = type_text(self._outputs)
        if not verbose:
            shown = signature_text(
                [(parameter, f": {type_text(values[parameter.name])}") for parameter in parameters]
            )
            return f"{shown} -> {result}"
        lines = [f"  {p.name} ({p.kind.name}): {type_text(values[p.name])}" for p in parameters]
        captures = [
            f"  {id(capture)}: {TensorSpec(capture.shape, capture.dtype)}"
            for capture in self.captured_inputs
        ]
        return "\n".join(
            ["Input Parameters:", *(lines or ["  None"]), "Output Type:", f"  {result}",
             "Captures:", *(captures or ["  None"])]
        )  # fmt: skip

    def program(self, full: bool = False) -> ProgramListing:
        """Returns what was recorded, which shows itself as a table; TensorFlow has `graph`.

        Args:
            full: show every op and value, where a line stands for all its ops, and what repeats
                for its repetitions.

        Returns:
            A `ProgramListing`, whose `parts` are the lines with their ops, floating-point
            operations and bytes of results, and whose `rows` are texts for every op.

        Raises:
            ValueError: if the Python of the function runs at every call, as it looks at a value.

        >>> square = tf.function(lambda x: x * x)
        >>> square.get_concrete_function(tf.TensorSpec([], tf.float32)).program()
        Recorded program: 1 op, 1 value from outside; 1 FLOP, results of 4 B
          from outside: float32 x
          ops  FLOP  bytes  line  what
          1    1     4 B    ...   tf.math.multiply
        """
        recorded = self._recorded
        if recorded is None:
            raise ValueError(not_one_program(self._name.removeprefix("__inference_"), self._why))
        return recorded.listing(full)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(False)} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"


def _parts(leaf: Any) -> Any:
    """Returns the specs of the tensors that a ragged or sparse tensor is made of."""
    return leaf.flatten() if isinstance(leaf, TypeSpec) else leaf


def _of_tensors(leaf: Any, tensors: Iterator[Any]) -> Any:
    return leaf.from_tensors(tensors) if isinstance(leaf, TypeSpec) else leaf


def _nameless(leaf: Any) -> Any:
    return TensorSpec(leaf.shape, leaf.dtype) if isinstance(leaf, TensorSpec) else leaf


def _signature(names: Sequence[str], count: int, varied: bool) -> inspect.Signature:
    """Returns the parameters of a concrete function; `varied`: there is no fixed number of them."""
    by_position = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if varied:
        by_position = inspect.Parameter.POSITIONAL_ONLY
    return inspect.Signature(
        [inspect.Parameter(name, by_position) for name in names[:count]]
        + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names[count:]]
    )
