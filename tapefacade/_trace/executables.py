"""Compiled functions, shared by all programs that are equal."""

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.sharding import NamedSharding, PartitionSpec

from tapefacade._core.process_group import PROCESSES
from tapefacade._trace.collective_steps import collectives_text
from tapefacade._trace.compilation_cache import JAX_CONFIG, through_cache
from tapefacade._trace.compiler_options import falling_back, options_for
from tapefacade._trace.garbage_collection import YOUNG_OBJECTS
from tapefacade._trace.jax_transformation import NO_TRACE, current_trace
from tapefacade._trace.named_axes import EFFECT_ORDER
from tapefacade._trace.slices import Slice, Step, adopt_lines, evaluate

# Compiled functions that are kept; the least recently used goes first. Each takes about 1.5 MiB,
# most of it what JAX keeps of its lowering.
MAX_EXECUTABLES = 1024
# Of those that have only run soon after they were made, as with shapes that never come again.
MAX_FLEETING_EXECUTABLES = 256
MAX_DISPATCHES_OF_FLEETING = 64
# The classes of arrays on a device; known when a program has run: asking JAX for an array at import
# would start its backend.
CONCRETE: set[type] = set()


class Statistics:
    """Exact counts since the start of the process, for tests and reports."""

    def __init__(self) -> None:
        self.compiled = 0  # programs traced and compiled
        self.dispatched = 0  # programs run
        self.recorded = 0  # instructions never seen before at their place
        self.steps = 0  # recordings with tapes that have ended
        self.seconds_early = 0.0  # in programs that were not compiled: traced, computed by NumPy
        self.seconds_in_background = 0.0  # of compiling there


STATISTICS = Statistics()


class InputLayout(NamedTuple):
    """How the inputs of a slice arrive: on their own, or in the vector of their dtype.

    Attributes:
        arrays: the places of those that come on their own.
        vectors: for each dtype the places of those in its vector, and the row of each: equal
            numbers may share one.
    """

    arrays: tuple[int, ...]
    vectors: tuple[tuple[np.dtype[Any], tuple[int, ...], tuple[int, ...]], ...]


def alone_in_rows(places: dict[np.dtype[Any], list[int]]) -> Any:
    """Returns the vectors of a layout in which every number has a row of its own."""
    return tuple([(d, tuple(found), tuple(range(len(found)))) for d, found in places.items()])


# Ops whose results are the elements of their first input.
KEEPING_ELEMENTS = frozenset(("cast", "expanddims", "expand_dims", "reshape", "squeeze"))


class IndexLimit(NamedTuple):
    """Indices among the arguments, which `Program.wrong_indices` looks at.

    Attributes:
        argument: the place of the indices among the arguments.
        step: the step that takes them.
        limit: how many there are to choose from.
    """

    argument: int
    step: int
    limit: int


def index_limits(part: Slice, layout: InputLayout) -> tuple[IndexLimit, ...]:
    """Finds the arguments whose elements some step takes for indices, as a loss takes labels."""
    places = [i for i, step in enumerate(part.steps) if step.operation.takes_indices]
    if not places:
        return ()
    types, count = part.types(), len(part.inputs)
    makers = [step for step in part.steps for _ in step.types]  # of the slots behind the inputs
    found = []
    for place in places:
        step = part.steps[place]
        limit = step.operation.index_limit(step.static, [types[slot] for slot in step.inputs])
        slot = step.inputs[0]
        while slot >= count and makers[slot - count].operation.kernel.lower() in KEEPING_ELEMENTS:
            slot = makers[slot - count].inputs[0]
        if limit is not None and slot in layout.arrays:
            found.append(IndexLimit(layout.arrays.index(slot), place, limit))
    return tuple(found)


class Executable:
    """A compiled slice, shared by all programs that are equal to it."""

    def __init__(self, part: Slice, layout: InputLayout, donated: tuple[int, ...] = ()) -> None:
        self.part = part
        self.donated = donated  # the arguments whose buffers it takes
        self.layout = layout
        self.is_checked = any(step.operation.check is not None for step in part.steps)
        self.acts = any(step.operation.acts for step in part.steps)
        self.is_plain = not (self.is_checked or self.acts)
        self.index_limits = index_limits(part, layout)
        self.returns_at_once = self.is_plain and not self.index_limits
        self.check_order: list[int] = []  # the steps that are checked, known when it is compiled
        self.made = self.used = 0  # when, in dispatches
        self.call: Any = None
        # What computes it until it is compiled, and while it is if it has run in pieces.
        self.first_runs: Any = None
        self.runs_in_pieces: Any = None
        self._forms: list[Any] | None = None  # JAX's functions, that the first call will use
        YOUNG_OBJECTS.make_room(len(part.inputs) + len(part.outputs))

    @functools.cached_property
    def shardings(self) -> list[NamedSharding]:
        """How the program divides values among devices, where it says so itself."""
        found = [static for step in self.part.steps for static in step.static[:1]]
        meshes = [step.operation.mesh for step in self.part.steps]
        return [
            *[static for static in found if isinstance(static, NamedSharding)],
            *[NamedSharding(mesh, PartitionSpec()) for mesh in meshes if mesh is not None],
        ]

    @functools.cached_property
    def everywhere(self) -> NamedSharding | None:
        """Where what stays the same is to be: on all devices of the program, if it has several.

        JAX would copy it to the others at every call, and leave its fast path for that.
        """
        meshes = {sharding.mesh for sharding in self.shardings}
        mesh = meshes.pop() if len(meshes) == 1 else None
        return (
            None if mesh is None or mesh.is_multi_process else NamedSharding(mesh, PartitionSpec())
        )

    @functools.cached_property
    def together(self) -> str:
        """What it does together with other processes."""
        return collectives_text(self.part)

    def is_apart(self, arguments: Sequence[Any]) -> bool:
        """Whether arguments lie on other devices than the rest."""
        held = [value.sharding for value in arguments if isinstance(value, jax.Array)]
        return len({frozenset(s.device_set) for s in (*held, *self.shardings)}) > 1

    def traced(self, *arguments: Any) -> Any:
        """Returns what JAX is to compile for such arguments, which the first call will look for.

        Args:
            *arguments: the arguments, or their types.
        """
        self._forms = self._chosen(arguments)
        return self._forms[0].trace(*arguments)

    def _chosen(self, arguments: Sequence[Any]) -> list[Any]:
        """Returns JAX's function with options, if there are some, and that without."""
        plain = jax.jit(self._run, donate_argnums=self.donated)
        if JAX_CONFIG.jax_disable_jit or current_trace(None) is not NO_TRACE:
            return [plain]
        options = options_for(plain.trace(*arguments).jaxpr)  # JAX keeps what it has traced
        if not options:
            return [plain]
        return [jax.jit(self._run, donate_argnums=self.donated, compiler_options=options), plain]

    def prepare(self) -> Any:
        """Returns the function for the first call, anew if it was dropped; `call` is for others."""
        self.call = self._wrapped(self._first)
        EXECUTABLES.keep(self)
        return self.call

    def _first(self, *arguments: Any) -> Any:
        """Compiles the program, and runs it."""
        forms, self._forms = self._forms or self._chosen(arguments), None
        self.call = self._wrapped(falling_back(*forms))
        return falling_back(*map(through_cache, forms))(*arguments)

    def _wrapped(self, call: Any) -> Any:
        for wrap in WRAPPERS:
            call = wrap(self, call)
        return functools.partial(self._in_step, call) if PROCESSES.count > 1 else call

    def _in_step(self, call: Any, *arguments: Any) -> Any:
        """Calls what may be a program of all processes: then all of them take part."""
        meets = any(sharding.mesh.is_multi_process for sharding in self.shardings) or any(
            isinstance(value, jax.Array)
            and not isinstance(value, Tracer)
            and not (value.is_fully_replicated or value.is_fully_addressable)
            for value in arguments
        )
        return PROCESSES.meet(self.together, call, *arguments) if meets else call(*arguments)

    def _is_on_several_devices(self) -> bool:
        return any(step.operation.mesh is not None for step in self.part.steps)

    def _run(self, *arguments: Any) -> Any:
        """Computes the outputs, one alone as it is; with checks, also what these say."""
        STATISTICS.compiled += 1
        values: list[Any] = [None] * len(self.part.inputs)
        for place, value in zip(self.layout.arrays, arguments, strict=False):
            values[place] = strong(value, self.part.inputs[place].numpy_dtype)
        vectors = arguments[len(self.layout.arrays) :]
        for vector, (_, places, rows) in zip(vectors, self.layout.vectors, strict=True):
            numbers = [vector[row] for row in range(max(rows) + 1)]
            for place, row in zip(places, rows, strict=True):
                values[place] = numbers[row]
        passed: list[Any] = []
        details: list[Any] = []
        known: dict[Any, tuple[Sequence[Any], list[Any]]] = {}

        def apply(step: Step, arrays: list[Any]) -> Sequence[Any]:
            # Equal steps are traced once: an optimizer corrects its rate for each variable. The
            # arrays are kept, so that no other one gets their numbers.
            key = step.operation, step.static, *map(id, arrays)
            if key in known:
                return known[key][0]
            is_unlike = self.acts
            if step.operation.check is not None:
                ok, *rest = step.operation.test(arrays, step.static)
                if ok is not True:
                    passed.append(ok)
                    details.append((step, rest))
                    is_unlike = True
            outputs = step.operation.evaluate(arrays, step.static)
            if not is_unlike:
                known[key] = outputs, arrays
            return outputs

        with EFFECT_ORDER.temporarily(is_kept=not self._is_on_several_devices()):
            slots = evaluate(self.part, values, apply)
        types = self.part.types()
        outputs = [strong(slots[slot], types[slot].numpy_dtype) for slot in self.part.outputs]
        if not self.is_checked:
            return outputs if len(outputs) != 1 else outputs[0]
        order = {id(step): index for index, step in enumerate(self.part.steps)}
        self.check_order = [order[id(step)] for step, _ in details]
        return outputs, jnp.stack(passed) if passed else None, [rest for _, rest in details]


def strong(value: Any, dtype: np.dtype[Any]) -> Any:
    """Removes JAX's weak type, which would make the next program compile again."""
    value = jnp.asarray(value)
    if value.dtype != dtype:
        raise TypeError(f"an op computed {value.dtype} where it announced {dtype}")
    return lax.convert_element_type(value, dtype) if jax.typeof(value).weak_type else value


class _Executables:
    """All compiled functions, by what they compute."""

    def __init__(self) -> None:
        self._found: dict[Any, Executable] = {}
        self._lock = threading.RLock()  # an interrupt at the end of a block leaves it held

    def get(self, part: Slice, layout: InputLayout, donated: tuple[int, ...] = ()) -> Executable:
        executable = self._found.get((part, layout, donated))
        if executable is None:
            return Executable(part, layout, donated)
        adopt_lines(executable.part, part)
        return executable

    def has(self, part: Slice, layout: InputLayout) -> bool:
        """Whether a function is compiled."""
        found = self._found.get((part, layout, ()))
        return found is not None and found.call is not None

    def prepare_anew(self) -> None:
        """Lets every function be prepared again, when `WRAPPERS` have changed."""
        with self._lock:
            for executable in self._found.values():
                executable.call = None

    def keep(self, executable: Executable) -> None:
        """Takes in what is, or will be, compiled; the least recently used goes."""
        with self._lock:
            key = executable.part, executable.layout, executable.donated
            if key not in self._found:
                executable.made = STATISTICS.dispatched
            executable.used = max(executable.used, STATISTICS.dispatched)
            self._found[key] = executable
            if len(self._found) > MAX_FLEETING_EXECUTABLES:
                fleeting = [
                    key
                    for key, held in self._found.items()
                    if held.used - held.made < MAX_DISPATCHES_OF_FLEETING
                ]
                if len(fleeting) > MAX_FLEETING_EXECUTABLES:
                    self._drop_oldest(fleeting)
            if len(self._found) > MAX_EXECUTABLES:
                self._drop_oldest(self._found)

    def _drop_oldest(self, keys: Iterable[Any]) -> None:
        oldest = min(keys, key=lambda key: self._found[key].used)
        self._found.pop(oldest).call = None


EXECUTABLES = _Executables()
# What is put around every compiled function: `tf.debugging.enable_check_numerics` looks at results.
WRAPPERS: list[Callable[[Executable, Any], Any]] = []


def outputs_of(result: Any, executable: Executable) -> list[Any]:
    """Returns the outputs among what a compiled function has returned."""
    if executable.is_checked:
        return result[0]
    return result if len(executable.part.outputs) != 1 else [result]
