"""What a recorded instruction does: the interface between the trace and the ops."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapefacade._core.gradient_rules import DIFFERENTIABLE, Gradient
from tapefacade._core.tensor_type import TensorType

if TYPE_CHECKING:
    from tapefacade._trace.slices import Slice


@dataclasses.dataclass(frozen=True)
class Check:
    """An error that depends on values.

    Attributes:
        values: the parameters whose values decide.
        test: has the implementation's parameters; returns `(ok, *details)`, `ok` a scalar bool
            array, or True where nothing can be wrong with such types.
        error: makes the exception of the NumPy values of the details and the static parameters.
        asserts: whether the op exists in order to raise, so that eager code does not wait for it.
        stays: whether TensorFlow runs it in a function in which nobody uses its result.
    """

    values: tuple[str, ...]
    test: Callable[..., tuple[Any, ...]]
    error: Callable[..., Exception]
    asserts: bool = False
    stays: bool = False


class Operation:
    """A pure function of arrays that can be recorded; hashed by identity."""

    name: str = ""
    kernel: str = ""
    gradient: Gradient = DIFFERENTIABLE
    check: Check | None = None
    is_check_of_input: bool = False  # whether its check belongs to the op that made its first input
    # Whether its first input is indices that are looked at if they are on the host when it runs,
    # which nobody has to wait for. A wrong one gives `error`, with all of them and their limit.
    takes_indices: bool = False
    acts: bool = False  # runs for what it does, though nobody wants its result
    is_moving: bool = False  # whether `on_host` computes it
    stands_apart: bool = False  # whether it repeats where what lies around it does not
    mesh: Any = None  # the devices that it runs on, if they are several
    is_collective: bool = False  # whether all replicas take part in it
    bodies: "Sequence[Slice]" = ()  # the programs of a loop
    size: int = 1  # about how many steps it has when it is unfolded
    replayable: bool = True  # whether a tape that was not there can differentiate a recording of it

    def infer(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[tuple[TensorType, ...], Any]:
        """Returns the types of the outputs, and their structure (None: one tensor).

        Raises:
            Exception: what TensorFlow raises for such inputs.
        """
        raise TypeError(f"{self.name} says nothing about its outputs")

    def resized(
        self, types: Sequence[TensorType], slots_of: "Callable[[Slice, Sequence[TensorType]], Any]"
    ) -> Sequence[TensorType] | None:
        """Returns the types of the first outputs if inputs have sizes that they did not have.

        Args:
            types: those of the inputs.
            slots_of: returns the types of all slots of a slice, for inputs of some types.

        Returns:
            None if `infer` tells it.
        """
        return None

    def evaluate(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any]:
        """Computes the outputs, a flat sequence, from JAX arrays."""
        raise TypeError(f"{self.name} cannot be computed")

    def evaluate_with_forward(
        self, arrays: Sequence[Any], static: tuple[Any, ...]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        """Computes the outputs, and the values in the program's earlier slots (the ghosts)."""
        return self.evaluate(arrays, static), ()

    def unfolded(self, static: tuple[Any, ...]) -> "Slice | None":
        """Returns a slice of smaller operations that computes the same; None if there is none."""
        return None

    def by_numpy(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any] | None:
        """Computes the outputs from NumPy arrays, as shape arithmetic; None if it cannot."""
        return None

    def on_host(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> Sequence[Any] | None:
        """Computes the outputs from NumPy arrays, where only data is moved; None if it cannot."""
        return None

    def checked(self, static: tuple[Any, ...], types: Sequence[TensorType]) -> bool:
        """Whether the check can fail for inputs of these types."""
        return self.check is not None

    def test(self, arrays: Sequence[Any], static: tuple[Any, ...]) -> tuple[Any, ...]:
        """Runs `check.test`."""
        raise TypeError(f"{self.name} has no check")

    def asserts(self, static: tuple[Any, ...]) -> bool:
        """Whether eager code raises the error of the check at once."""
        return self.check is not None and self.check.asserts

    def stays(self, static: tuple[Any, ...]) -> bool:
        """Whether it runs in a function in which nobody uses its result."""
        return self.acts or (self.check is not None and self.check.stays)

    def index_limit(self, static: tuple[Any, ...], types: Sequence[TensorType]) -> int | None:
        """Returns how many there are to choose from, for an op that takes indices."""
        return None

    def error(self, details: Sequence[Any], static: tuple[Any, ...]) -> Exception:
        """Makes the exception of a check that failed."""
        raise TypeError(f"{self.name} has no check")

    def blocked(self, static: tuple[Any, ...], count: int) -> frozenset[int]:
        """Returns the positions of the inputs through which no gradient flows."""
        return frozenset()

    def dependencies(
        self, static: tuple[Any, ...], types: Sequence[TensorType]
    ) -> tuple[frozenset[int], ...] | None:
        """Returns for each output the inputs it depends on; None if every output on all."""
        return None
