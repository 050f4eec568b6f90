"""The variables of `tf.while_loop`: structures of tensors and arrays, as a list of tensors."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.error_texts import MESSAGE_NONE, choice_no_scalar
from tapefacade._core.tensor import EagerTensor
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.array.tensor_array import TensorArray
from tapefacade._state.variable import Variable

WHY_SHAPE_CHANGES = "a loop variable changes its shape"
WHY_BODY_GONE = "the body uses a tensor that is gone"
WHY_WRITES_OUTSIDE = "the body writes to a tf.TensorArray from outside"
WHY_GROWS = "a tf.TensorArray among the loop variables may grow"
MESSAGE_DTYPE = (
    "Loop var {0} enters the loop with type {1} but has type {2} after 1 iteration. {0} type "
    "should remain constant."
)
MESSAGE_SHAPE = (
    "Input tensor `{}` enters the loop with shape {}, but has shape {} after one iteration. To "
    "allow the shape to vary across iterations, use the `shape_invariants` argument of "
    "tf.while_loop to specify a less-specific shape."
)


class LoopVariables:
    """What one iteration of a loop hands to the next, taken apart.

    Attributes:
        state: a tensor for each part; of an array the stacked elements, None where their shape is
            not known yet.
        growing: the places of arrays that are empty and may grow.
    """

    def __init__(self, values: Any, is_graph: bool, room: int = 1) -> None:
        """Takes the variables apart.

        Args:
            values: their structure.
            is_graph: whether TensorFlow would make a graph.
            room: how many elements an array that grows will have.
        """
        self._values = values
        self._is_graph = is_graph
        self._leaves = nest.flatten(values, expand_composites=True)
        self.growing = [k for k, leaf in enumerate(self._leaves) if is_graph and _may_grow(leaf)]
        for place in self.growing:
            self._leaves[place] = _FilledArray.like(self._leaves[place], room)
        self.state: list[EagerTensor | None] = [_tensor(leaf) for leaf in self._leaves]
        self._composite = any(isinstance(leaf, CompositeTensor) for leaf in nest.flatten(values))
        self._result: Any = None  # the structure of what the body returns

    @property
    def arrays(self) -> list[int]:
        """The places of the arrays."""
        return [k for k, leaf in enumerate(self._leaves) if isinstance(leaf, TensorArray)]

    def packed(self, tensors: Sequence[EagerTensor | None]) -> Any:
        """Returns the structure with other tensors, for the condition and the body."""
        leaves = [
            leaf._copy(tensor) if isinstance(leaf, TensorArray) else tensor
            for leaf, tensor in zip(self._leaves, tensors, strict=True)
        ]
        return nest.pack_sequence_as(self._values, leaves, expand_composites=True)

    def taken(self, result: Any) -> list[Any]:
        """Takes what the body returns apart, and keeps its structure."""
        leaves = nest.flatten(result, expand_composites=True)
        if not self._composite:
            self._result = nest.map_structure(lambda leaf: None, result)
        return [_stacked(leaf) if isinstance(leaf, TensorArray) else leaf for leaf in leaves]

    def result(self, tensors: Sequence[EagerTensor], any_iterations: bool = True) -> Any:
        """Returns the result of the loop.

        Args:
            tensors: its parts.
            any_iterations: whether there may have been iterations.
        """
        leaves = []
        whole = nest.flatten(self._values, expand_composites=True)
        for leaf, tensor in zip(whole, tensors, strict=True):
            if isinstance(leaf, TensorArray):
                array = leaf._copy(None) if self._is_graph else leaf
                if any_iterations:
                    array._put(tensor)
                leaves.append(array)
            else:
                leaves.append(tensor)
        form = self._values
        if any_iterations and not self._is_graph and self._result is not None:
            form = self._result
        return nest.pack_sequence_as(form, leaves, expand_composites=True)


class NotOneProgramError(Exception):
    """A loop cannot be one instruction; the text says why."""


class _FilledArray(TensorArray):
    """An array in the body of a loop, each iteration of which writes the next element.

    There is room for the elements of all iterations. Whatever would show that is refused.
    """

    @classmethod
    def like(cls, array: TensorArray, room: int) -> "_FilledArray":
        """Returns an array with the elements' type and shape of an empty one."""
        made: Any = array._copy(None)
        made.__class__, made._items, made._dynamic_size = cls, [None] * room, False
        return made

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotOneProgramError(WHY_GROWS)

    size = read = stack = gather = concat = unstack = scatter = split = _refuse


def _may_grow(leaf: Any) -> bool:
    return isinstance(leaf, TensorArray) and leaf.dynamic_size and not leaf._length


def _stacked(array: TensorArray) -> EagerTensor | None:
    return array._stacked() if isinstance(array, _FilledArray) else array.stack()


def _tensor(leaf: Any) -> EagerTensor | None:
    """Returns the tensor that stands for a part.

    Raises:
        NotOneProgramError: if there is none.
    """
    if type(leaf) is EagerTensor:
        return leaf
    if isinstance(leaf, TensorArray):
        if leaf.dynamic_size or not leaf._length:
            raise NotOneProgramError(WHY_GROWS)
        return leaf._stacked()
    if isinstance(leaf, bool | int):
        return convert(leaf)
    raise NotOneProgramError(f"a loop variable is a {type(leaf).__name__}")


def has_settled(values: Any) -> bool:
    """Whether all loop variables are what they will be: after an iteration numbers are tensors.

    Python's integers count as tensors: they are used for counting.
    """
    leaves = nest.flatten(values, expand_composites=True)
    return not any(
        isinstance(leaf, Variable) or not isinstance(leaf, EagerTensor | TensorArray | bool | int)
        for leaf in leaves
    )


def as_tensors(values: Any) -> Any:
    """Converts what is no tensor, as TensorFlow does at the beginning of a loop in a function."""

    def converted(leaf: Any) -> Any:
        if isinstance(leaf, TensorArray | CompositeTensor):
            return leaf
        if leaf is None:
            raise ValueError(MESSAGE_NONE)
        return leaf._root.value() if isinstance(leaf, Variable) else convert(leaf)

    return nest.map_structure(converted, values)


def finished(values: Any) -> Any:
    """Converts what a loop of Python returns."""
    return nest.map_structure(
        lambda leaf: leaf if isinstance(leaf, TensorArray | CompositeTensor) else convert(leaf),
        values,
    )


def flag_of(answer: Any, is_graph: bool, refuse: Callable[[str], Exception]) -> EagerTensor:
    """Returns the answer of a condition as a boolean scalar.

    Raises:
        NotOneProgramError: if it is no tensor.
    """
    leaves = nest.flatten(answer)
    if is_graph and len(leaves) == 1 and not isinstance(leaves[0], EagerTensor):
        leaves = [convert(leaves[0])]
    if len(leaves) != 1 or type(leaves[0]) is not EagerTensor:
        raise NotOneProgramError("the condition of a loop is no tensor")
    (flag,) = leaves
    if flag.dtype.name != "bool":
        if is_graph:
            raise refuse(flag.dtype.kernel_name)
        flag = cast(flag, "bool")
    if flag._type.size != 1 and is_graph:
        raise choice_no_scalar(flag._type.shape)
    if flag._type.size != 1:
        raise NotOneProgramError("the condition of a loop is no scalar")
    return reshape(flag, []) if flag._type.shape else flag
