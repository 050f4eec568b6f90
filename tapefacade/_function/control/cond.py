"""`tf.cond`: one of two functions runs."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.error_texts import choice_no_scalar, invalid
from tapefacade._core.random_keys import body_draws
from tapefacade._core.tensor import EagerTensor
from tapefacade._core.tensor_shape import as_shape
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.tensor_type import TensorType
from tapefacade._definition.op import function
from tapefacade._function.control.bodies import Body, body_of
from tapefacade._function.control.branch_op import record_branches
from tapefacade._function.control.row_loops import WHY_SOURCES, in_graph, needs_python
from tapefacade._ops.array.casting import cast
from tapefacade._ops.array.shaping import reshape
from tapefacade._ops.array.tensor_array import TensorArray, unchanged_arrays
from tapefacade._state.variable import Variable
from tapefacade._trace.frames import ValueWanted
from tapefacade._trace.program_listing import place
from tapefacade._trace.recording import THREAD
from tapefacade._trace.tree import users_line
from tapefacade._trace.value_origins import note_origin

WHY_GONE = "a branch uses a tensor that is gone"


class GraphTensorName:
    """What a tensor of a graph is called; it has no value."""

    def __init__(self, name: str, type_: TensorType) -> None:
        self.name = name
        self.type = type_

    @property
    def _shape(self) -> Any:
        return as_shape(self.type.shape)

    @property
    def _type_spec(self) -> TensorSpec:
        return TensorSpec(self._shape, self.type.dtype)

    def __str__(self) -> str:
        return f'Tensor("{self.name}", shape={self._shape}, dtype={self.type.dtype.name})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape} dtype={self.type.dtype.name}>"


def numbered(name: str, number: int) -> str:
    """Returns TensorFlow's name of one of several operations of a kind."""
    return f"{name}_{number}:0" if number else f"{name}:0"


def symbols_of(body: Body, name: str) -> Any:
    """Returns what a body returns, with symbols in the place of tensors."""
    types: Sequence[TensorType] = body.program.types[: body.count]
    symbols = [GraphTensorName(numbered(name, k), type_) for k, type_ in enumerate(types)]
    try:
        return body.structure.with_tensors(symbols)
    except (ValueError, TypeError):  # a ragged or sparse tensor, which takes tensors only
        return symbols


def flat_symbols(structure: Any) -> list[GraphTensorName]:
    """Returns the symbols in a structure."""
    leaves = nest.flatten(structure, expand_composites=True)
    return [leaf for leaf in leaves if isinstance(leaf, GraphTensorName)]


MESSAGE_NO_BOOL = (
    "Input 'pred' passed {} expected bool while building NodeDef 'cond/switch_pred/_2' using "
    "Op<name=Switch; signature=data:T, pred:bool -> output_false:T, output_true:T; attr=T:type>"
)
MESSAGE_DIFFER = (
    "{0} and {1} arguments to {2} must have the same number, type, and overall structure of return "
    "values.\n\n{0} output: {3}\n{1} output: {4}\n\nError details:\n{5}"
)
WHY_LOOKED = "the Python of a branch looks at a value ({})"
WHY_TEXTS = "branches of a choice give texts or other objects"
WHY_SHAPES = "the branches of a tf.cond have results of different shapes"
WHY_ARRAYS = "a branch writes into a tf.TensorArray"


class ChoiceNames(NamedTuple):
    """How messages call a choice.

    Attributes:
        function: the public function.
        kind: what TensorFlow calls it in its graphs.
        names: the branches.
    """

    function: str
    kind: str
    names: tuple[str, ...]


COND = ChoiceNames("tf.cond", "cond", ("true_fn", "false_fn"))


@function("cond")
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: None = None,
) -> Any:
    """Calls one of two functions, depending on a condition.

    In eager code the chosen function is called, and nothing else happens. In a `tf.function` both
    are recorded, and the condition chooses between them whenever the function is called, without
    Python. Gradients flow through the chosen one; assignments, random ops, assertions and
    `tf.print` happen in the chosen one only.

    Unlike TensorFlow's, branches of a `tf.function` whose results have different shapes, or whose
    Python looks at values, have the Python of the function run at every call.

    Args:
        pred: a boolean scalar.
        true_fn: a function without arguments that returns tensors, or a structure of them.
        false_fn: another one; in a `tf.function` with results of the same structure and dtypes.
        name: ignored.

    Returns:
        What the chosen function returns.

    Raises:
        TypeError: if one of the functions cannot be called; in a `tf.function` also if `pred` is a
            Python bool, or the results differ in structure or dtype.

    >>> x = tf.constant(3.0)
    >>> tf.cond(x > 2, lambda: x * 2, lambda: x - 1).numpy()
    np.float32(6.0)

    See https://www.tensorflow.org/api_docs/python/tf/cond.
    """
    for branch, what in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if branch is None:
            raise TypeError(f"cond(): '{what}' argument required")
        if not callable(branch):
            raise TypeError(f"'{what}' must be callable.")
    assert true_fn is not None
    assert false_fn is not None
    if THREAD.recording.frame is not None:
        if isinstance(pred, bool) and in_graph():
            raise TypeError("pred must not be a Python bool", pred)
        condition = convert(pred)
        if in_graph() and condition.dtype.name != "bool":
            raise invalid(MESSAGE_NO_BOOL.format(condition.dtype.kernel_name))
        if type(condition) is EagerTensor:
            made, result = chosen(_scalar(condition), (true_fn, false_fn), COND)
            if made:
                return result
    result = true_fn() if is_true(pred) else false_fn()
    if THREAD.recording.blocks and type(result) is EagerTensor and result._recording is None:
        note_origin(result, f"{place(users_line())}: this branch of tf.cond gives a constant")
    return result


def is_true(pred: Any) -> bool:
    """Looks at a condition, as TensorFlow's eager code does."""
    if isinstance(pred, bool):
        return pred
    value = pred if isinstance(pred, EagerTensor | Variable) else convert(pred)
    return bool(value.numpy())


def _scalar(condition: EagerTensor) -> EagerTensor:
    if condition._type.size != 1:
        raise choice_no_scalar(condition._type.shape)
    flag = cast(condition, "bool")
    return reshape(flag, []) if flag._type.shape else flag


def chosen(
    index: EagerTensor, branches: Sequence[Callable[[], Any]], words: ChoiceNames
) -> tuple[bool, Any]:
    """Records all branches in a function, to be chosen from when it runs.

    Args:
        index: a boolean scalar, or an integer one within the range.
        branches: functions without arguments.
        words: how messages call them.

    Returns:
        Whether they are recorded; if not, Python has to choose. And the results.

    Raises:
        TypeError: if the branches' results differ in structure or dtype, in a `tf.function`.
        ValueError: if they differ in number.
    """
    recording = THREAD.recording
    bodies: list[Body] = []
    why = ""
    try:
        for branch in branches:
            with unchanged_arrays() as arrays, body_draws():
                bodies.append(
                    body_of(lambda _, branch=branch: _without_arrays(branch()), branch, [])
                )
            if arrays:
                why = WHY_ARRAYS
    except ValueWanted as wanted:
        why = WHY_LOOKED.format(wanted.line)
    if not why:
        error = _difference(bodies, words)
        if error is not None and in_graph():
            raise error
        why = "branches differ" if error is not None else _obstacle(bodies)
    if why:
        recording.observe(why)
        return False, None
    results = record_branches(index, bodies, in_graph())
    return True, bodies[0].structure.with_tensors(results)


def _without_arrays(result: Any) -> Any:
    if any(isinstance(leaf, TensorArray) for leaf in nest.flatten(result)):
        THREAD.recording.observe(WHY_ARRAYS)
    return result


def _obstacle(bodies: Sequence[Body]) -> str:
    """Says why branches cannot be one instruction; "" if they can."""
    first = bodies[0]
    if THREAD.recording.watchers() and any(needs_python(body) for body in bodies):
        return WHY_SOURCES
    for body in bodies:
        if not body.is_complete:
            return WHY_GONE
        if not body.structure.has_same_objects(first.structure):
            return WHY_TEXTS
        if body.program.types[: body.count] != first.program.types[: first.count]:
            return WHY_SHAPES
        new = body.program.types[body.count :]
        if any(v._type is not type_ for v, type_ in zip(body.assigned, new, strict=True)):
            return WHY_SHAPES
    return ""


def _difference(bodies: Sequence[Body], words: ChoiceNames) -> Exception | None:
    """Returns TensorFlow's error if the results of branches differ but for their shapes."""
    counts = [body.count for body in bodies]
    if len({body.structure.leaf_count for body in bodies}) > 1:
        lines = [f"len(graphs[{k}].outputs): {count}\n" for k, count in enumerate(counts)]
        return ValueError(
            f"Lengths of branch outputs of {words.kind} must match.\n{''.join(lines)}"
        )
    inner = "cond/Identity" if words.kind == "cond" else "switch_case/indexed_case/Identity"
    first = symbols_of(bodies[0], inner)
    for body, name in zip(bodies[1:], words.names[1:], strict=True):
        other = symbols_of(body, inner)
        try:
            nest.assert_same_structure(first, other, expand_composites=True)
            _require_same_dtypes(first, other)
        except (ValueError, TypeError) as error:
            return TypeError(
                MESSAGE_DIFFER.format(words.names[0], name, words.function, first, other, error)
            )
    return None


def _require_same_dtypes(first: Any, other: Any) -> None:
    for one, two in zip(flat_symbols(first), flat_symbols(other), strict=True):
        types: tuple[TensorType, TensorType] = one.type, two.type
        if types[0].numpy_dtype != types[1].numpy_dtype:
            raise TypeError(f"{one} and {two} have different types")
