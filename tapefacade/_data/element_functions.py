"""The functions that users give to datasets, and how they are called.

As in TensorFlow, the Python of a function runs once, on tensors without values, when the dataset
is made; what it records is called for each element, or for many rows at once. Where Python looks at
values (texts, files, `if x > 0`), it runs for each element.
"""

import contextlib
import copy
import dis
import functools
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from tapefacade._core import dtypes
from tapefacade._core.error_texts import MESSAGE_SINGLETON
from tapefacade._core.random_keys import (
    Counts,
    FunctionDraws,
    draws_by_place,
    function_draws,
    rehearsing,
)
from tapefacade._core.registry import FUNCTIONS
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import TensorShape
from tapefacade._core.tensor_spec import HandleSpec, TensorSpec
from tapefacade._core.tensor_type import TensorType, type_of
from tapefacade._core.traced_errors import raising_as_traced
from tapefacade._data.element_structures import (
    as_tensors,
    fresh,
    is_dense,
    leaves,
    mapped,
    packer,
    spec_of_element,
    tensor_of,
    with_computed_values,
)
from tapefacade._data.node import SHARING, DatasetNode
from tapefacade._data.random_numbers import PROBING_STATE
from tapefacade._function.control.bodies import Body, body_of
from tapefacade._function.function.compiled_program import CompiledProgram
from tapefacade._function.function.stand_in_sizes import (
    is_unknown,
    recorded_with_stand_ins,
    stand_in_shape,
)
from tapefacade._function.function.unknown_sizes import OpenSizes, unknown_sizes_shown
from tapefacade._trace.frames import RunningCall, ValueWanted
from tapefacade._trace.recording import THREAD, Recording

Array = np.ndarray[Any, Any]
MAX_BODIES = 256  # programs of one function, for elements of different shapes
ROWS_BEFORE_BATCHED_CALLS = 64  # rows for which no program of its own is worth its compilation


@functools.cache
def _host() -> Any:
    return None if jax.default_backend() == "cpu" else jax.local_devices(backend="cpu")[0]


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """Makes a block whose ops are no part of what the program records, and run on the host."""
    outer = THREAD.recording
    functions, THREAD.functions = THREAD.functions, [RunningCall(MESSAGE_SINGLETON)]
    THREAD.recording = Recording()
    host = _host()
    try:
        with jax.default_device(host) if host is not None else contextlib.nullcontext():
            yield
            THREAD.recording.flush()
    finally:
        THREAD.recording = outer
        THREAD.functions = functions


OPCODES_THAT_ASSIGN = ("STORE_DEREF", "DELETE_DEREF", "STORE_GLOBAL", "DELETE_GLOBAL")


def with_frozen_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function whose free and global names keep the values that they have now.

    Args:
        function: any callable. One that is no Python function, or that assigns such names, is
            returned as it is.
    """
    if not isinstance(function, types.FunctionType):
        return function
    codes = list(_codes_within(function.__code__))
    if any(_assigns_free_names(code) for code in codes):
        return function
    given = function.__globals__
    names = {name for code in codes for name in code.co_names} | {"__builtins__", "__name__"}
    kept = {name: given[name] for name in names if name in given}
    cells = tuple([_copy_of_cell(cell) for cell in function.__closure__ or ()])
    made = types.FunctionType(
        function.__code__, kept, function.__name__, function.__defaults__, cells
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__dict__.update(function.__dict__)
    return made


def _codes_within(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yields the code of a function and of those within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes_within(constant)


def _assigns_free_names(code: types.CodeType) -> bool:
    """Whether code assigns names that are not its own."""
    return any(
        instruction.opname in OPCODES_THAT_ASSIGN and instruction.argval not in code.co_cellvars
        for instruction in dis.get_instructions(code)
    )


def _copy_of_cell(cell: types.CellType) -> types.CellType:
    try:
        return types.CellType(cell.cell_contents)
    except ValueError:  # it is empty: the function is defined within what it is called by
        return cell


class UserFunction:
    """A function of elements.

    Attributes:
        python: the function.
        spec: a nest of the specs of what it returns; None where only its results tell.
    """

    def __init__(
        self, python: Callable[..., Any], where: str, argument: Any, several: int = 0
    ) -> None:
        """Records the function, if that is possible before there are elements.

        Args:
            python: the function.
            where: what it was given to, for messages.
            argument: the specs of its arguments; None if they are not known.
            several: the number of arguments; 0 for one, which is unpacked if it is a tuple.
        """
        if not callable(python):
            raise TypeError(f"`map_func` must be callable, but it is {python!r}")
        self.python = python
        self.where = where
        self._several = several
        self.spec: Any = None
        self._bodies: dict[Any, RecordedFunction | None] = {}
        self._lock = threading.RLock()
        if argument is not None:
            self._record_before(argument)
        self.python = with_frozen_names(python)

    def _record_before(self, argument: Any) -> None:
        flat = leaves(argument)
        if not all(is_dense(spec) and spec.shape.rank is not None for spec in flat):
            return
        known = all(spec.shape.is_fully_defined() for spec in flat)

        def record(shapes: Sequence[tuple[int, ...]]) -> "RecordedFunction | None":
            pairs = zip(shapes, flat, strict=True)
            types = tuple([type_of(shape, spec.dtype._numpy) for shape, spec in pairs])
            found = self._recorded(types, argument, () if known else flat)
            if known:
                self._bodies[types, _form_key(argument)] = found
            return found

        with raising_as_traced():
            found = recorded_with_stand_ins(record, [spec.shape for spec in flat])
        if found is not None:
            self.spec = found.spec

    def _recorded(
        self, types: tuple[TensorType, ...], form: Any, given: Sequence[Any] = ()
    ) -> "RecordedFunction | None":
        """Records the function on placeholders; None if its Python has to run for each element.

        Args:
            types: the types of what an element consists of.
            form: the structure of an element.
            given: the specs of what an element consists of, where they leave sizes open.
        """
        pack = packer(form)
        specs: list[Any] = []

        def step(tensors: list[EagerTensor]) -> Any:
            shapes = [spec.shape for spec in given]
            sizes = OpenSizes([*zip(tensors, shapes, strict=True)], False) if given else None
            with contextlib.nullcontext() if sizes is None else unknown_sizes_shown(sizes):
                result = self._called(pack(list(tensors)))
                if any(hasattr(leaf, "_is_element") for leaf in leaves(result)):
                    raise ValueWanted(f"{self.where} returns a dataset")
                specs.append(known_specs(result, sizes) if sizes else spec_of_element(result))
            return result

        try:
            with apart(), rehearsing(), function_draws():
                body = body_of(step, self.python, types, [f"args_{k}" for k in range(len(types))])
        except ValueWanted:
            return None
        if body.uncertain or not body.is_complete:
            return None
        return RecordedFunction(body, specs[-1])

    def _called(self, element: Any) -> Any:
        """Calls the Python, and makes an element of what it returns."""
        if self._several or type(element) is tuple:
            result = self.python(*element)
        else:
            result = self.python(element)
        if isinstance(result, list):
            result = tuple(result)
        try:
            return as_tensors(result)
        except (TypeError, ValueError):
            raise TypeError(
                f"Unsupported return value from function passed to {self.where}: {result}."
            ) from None

    def for_types(self, types: Any, element: Any) -> "RecordedFunction | None":
        """Returns what was recorded for elements of such types."""
        key = (types, _form_key(element))
        if key not in self._bodies:
            with self._lock:
                if len(self._bodies) >= MAX_BODIES:  # of lengths without end
                    return None
                if key not in self._bodies:
                    self._bodies[key] = self._recorded(types, element)
        return self._bodies[key]

    def in_python(self, element: Any, counts: Counts) -> Any:
        """Runs the Python with an element.

        Args:
            element: the element.
            counts: how far its random ops have come in this iteration.
        """
        try:
            with apart(), draws_by_place(counts):
                return with_computed_values(self._called(fresh(element)))
        except Exception as error:  # whatever the user's Python raises says where it happened
            raise self.noted(error) from None

    def noted(self, error: Exception) -> Exception:
        """Adds to an error where it comes from."""
        note = f"This happened in the function that was given to {self.where}."
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        return error

    def started(self) -> "FunctionInIteration":
        """Returns the function for one iteration: its random ops begin anew."""
        if SHARING.found is None:
            return FunctionInIteration(self)
        return SHARING.found.setdefault(self, FunctionInIteration(self))


class RecordedFunction:
    """What a function records for arguments of some types."""

    def __init__(self, body: Body, spec: Any) -> None:
        self.body = body
        self.spec = spec
        self.pack = packer(spec)
        recorded = body.recorded
        self.draws = bool(recorded.draws)
        self.rows = (
            all(map(is_dense, leaves(spec)))
            and not (recorded.variables or recorded.assigned or recorded.acts)
            and not recorded.effects
        )
        self._compiled: CompiledProgram | None = None

    def compiled(self, counts: Counts) -> CompiledProgram:
        """Returns the program for one iteration.

        Args:
            counts: how far its random ops have come in it, for elements of other shapes as well:
                TensorFlow has one function for all.
        """
        if self.draws:
            return CompiledProgram(self.anew(counts).recorded)
        if self._compiled is None:
            self._compiled = CompiledProgram(self.body.recorded)
        return self._compiled

    def anew(self, counts: Counts | None = None) -> Body:
        """Returns the body with random ops that begin anew, or with their next keys in `counts`."""
        if not self.draws:
            return self.body
        body = copy.copy(self.body)
        body.recorded = copy.copy(body.recorded)
        body.recorded.draws = {}
        ops = None if counts is None else FunctionDraws(counts)
        for slot, draw in self.body.recorded.draws.items():
            again = body.recorded.draws[slot] = draw.elsewhere(ops)
            if ops is not None:
                again.is_spare = True
            else:
                again.source = draw.source.copy()
        return body


class FunctionInIteration:
    """A function during one iteration over a dataset."""

    def __init__(self, function: UserFunction) -> None:
        self._function = function
        self._compiled: dict[Any, tuple[CompiledProgram, Any] | None] = {}
        self._counts: Counts = {}  # how far its random ops have come

    def __call__(self, element: Any) -> Any:
        """Calls the function with an element, whose result is on the host."""
        flat = leaves(element)
        for leaf in flat:
            if type(leaf) is not EagerTensor:
                return self._function.in_python(element, self._counts)
        types = tuple([leaf._type for leaf in flat])
        key = (types, _form_key(element))
        if key not in self._compiled:
            found = self._function.for_types(types, element)
            pair = None if found is None else (found.compiled(self._counts), found.body.structure)
            self._compiled[key] = pair
        pair = self._compiled[key]
        if pair is None:
            return self._function.in_python(element, self._counts)
        compiled, structure = pair
        try:
            with _on_host():
                return with_computed_values(structure.with_tensors(compiled.call(flat)))
        except Exception as error:  # whatever the user's ops raise says where it happened
            raise self._function.noted(error) from None


def _on_host() -> Any:
    host = _host()
    return contextlib.nullcontext() if host is None else jax.default_device(host)


def known_specs(element: Any, sizes: OpenSizes) -> Any:
    """Returns the nest of the specs of an element, None in the place of sizes that are open."""

    def spec_of_part(part: Any) -> Any:
        if type(part) is EagerTensor:
            return TensorSpec(sizes.shape_of(part), part.dtype)
        return spec_of_element(part)

    return mapped(spec_of_part, element)


def spec_without_unknown_sizes(spec: Any) -> Any:
    """Returns a spec without the sizes that come from unknown ones."""
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        return spec
    sizes = [None if is_unknown(size) else size for size in spec.shape.as_list()]
    return TensorSpec(TensorShape(sizes), spec.dtype)


def _form_key(value: Any) -> Any:
    """Returns the structure of an element, as a key."""
    if isinstance(value, dict):
        return (dict, *[(key, _form_key(value[key])) for key in sorted(value)])
    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        return (type(value), *map(_form_key, value))
    return None


def boolean_scalar(spec: Any) -> bool:
    """Whether a function returns a truth value."""
    return (
        isinstance(spec, TensorSpec)
        and spec.dtype is dtypes.bool
        and spec.shape.is_compatible_with([])
    )


# -- functions that return datasets --------------------------------------------------------------


def spec_of_dataset(function: UserFunction, argument: Any) -> Any:
    """Returns the specs of the elements of the datasets that a function gives.

    The function is called with zeros for that, as TensorFlow calls it without values.

    Args:
        function: the function.
        argument: the specs of its arguments.

    Returns:
        A nest of specs; None if they are not known.
    """
    if argument is None:
        return None
    try:
        with PROBING_STATE.temporarily(on=True):
            found = function.in_python(mapped(_stand_in, argument), {})
            spec = node_of(found, function.where).known_spec()
    except Exception:  # of the user's function, for which zeros may be no values
        return None
    return None if spec is None else mapped(spec_without_unknown_sizes, spec)


def _stand_in(spec: Any) -> Any:
    """Returns a value of zeros that stands in for elements of a type."""
    if isinstance(spec, HandleSpec):
        return FUNCTIONS["data.Dataset"]._held([], getattr(spec, "element_spec", None))
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        raise TypeError
    shape = stand_in_shape(spec.shape.as_list())
    made = np.zeros(shape, spec.dtype._numpy)
    if spec.dtype is dtypes.string:
        made.fill(b"")
    return tensor_of(made)


def node_of(found: Any, where: str) -> DatasetNode:
    """Returns the node of what a function gave.

    Raises:
        TypeError: if it is no dataset.
    """
    node = getattr(found, "_node", None)
    if not isinstance(node, DatasetNode):
        raise TypeError(
            f"Invalid `map_func` of `{where}`: it must return a `Dataset` object, and got "
            f"{type(found).__name__}."
        )
    return node


def as_number(key: Any) -> int:
    """Reads the number that a key or a choice is."""
    return int(key._numpy_array())
