"""What a gradient is given: targets, sources and upstream gradients, checked and converted."""

from collections.abc import Sequence
from typing import Any

from tapefacade._core import nest
from tapefacade._core.conversion import convert
from tapefacade._core.dispatch import CompositeTensor
from tapefacade._core.dtypes import as_dtype
from tapefacade._core.error_texts import (
    invalid,
    no_dtype,
    refused_input,
    reshape_sizes,
    shape_text,
)
from tapefacade._core.tensor import EagerTensor, Tensor, from_host, hinted
from tapefacade._ops.array.shaping import broadcast_to, reshape
from tapefacade._ops.math.arithmetic import add
from tapefacade._state.variable import ResourceVariable, Variable
from tapefacade._tape.derivatives.derivative import ones_like

# What is no nest: the classes of a source or target that stands for itself.
SINGLE_TYPES = (EagerTensor, ResourceVariable)
HEAP_TYPE = 1 << 9  # among the flags of classes that are made in Python

MESSAGE_SOURCE = "A source of a gradient must be a tf.Tensor or tf.Variable."
MESSAGE_KERAS = (
    " This is of plain Keras on JAX: write `keras = tf.keras` (or `from tapefacade import keras`) "
    "in the place of `import keras`."
)
MESSAGE_MODEL = " Write `model.trainable_variables` for those of a model."


def no_tensor(value: Any) -> str:
    """Words as TensorFlow that a value is neither a tensor nor a variable."""
    return f"{class_name(value)!r} object has no attribute '_id'"


def flat_sources(sources: Any) -> Any:
    """Returns what is true if sources are one tensor or variable (SINGLE) or a list of these."""
    kind = type(sources)
    if kind in SINGLE_TYPES:
        return SINGLE_TYPES
    if kind is list or kind is tuple:
        for source in sources:
            if type(source) not in SINGLE_TYPES:
                return False
        return len(sources) > 0
    return False


def differentiated(item: Any) -> Any:
    """Returns the tensor that carries the gradient of a ragged or sparse tensor; others as is."""
    return item._differentiated() if isinstance(item, CompositeTensor) else item


def with_gradient(source: Any, gradient: Any) -> Any:
    """Returns the gradient for a source, given that for what is `differentiated`."""
    if isinstance(source, CompositeTensor) and gradient is not None:
        return source._with_gradient(gradient)
    return gradient


def gradient_parts(item: Any) -> list[Any]:
    """Returns the tensors that carry the gradients of a value; others as they are."""
    return item._gradient_parts() if isinstance(item, CompositeTensor) else [item]


def watched_parts(item: Any) -> list[Any]:
    """Returns the tensors of a value that a tape is to watch; others as they are."""
    return item._watched_parts() if isinstance(item, CompositeTensor) else [item]


def with_gradients(sources: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
    """Returns the gradient for each source, given those for the `gradient_parts` of all."""
    rest = iter(gradients)
    results = []
    for source in sources:
        if isinstance(source, CompositeTensor):
            own = [next(rest) for _ in source._gradient_parts()]
            results.append(source._with_gradients(own))
        else:
            results.append(next(rest))
    return results


def checked_sources(sources: list[Any]) -> list[Any]:
    """Returns the sources.

    Raises:
        TypeError: if one is None or a string.
        AttributeError: if one is something else than a tensor or variable.
    """
    for source in sources:
        if source is None or isinstance(source, str):
            raise hinted(
                TypeError(no_dtype(source)),
                MESSAGE_SOURCE,
            )
        if not isinstance(source, Tensor | Variable):
            raise hinted(
                AttributeError(no_tensor(source)),
                MESSAGE_SOURCE + _keras_hint(source),
            )
    return sources


def _keras_hint(source: Any) -> str:
    """Says what to write instead of a variable of plain Keras, or of a model."""
    if hasattr(source, "trainable_variables"):
        return MESSAGE_MODEL
    kind = type(source)
    is_variable = kind.__module__.startswith("keras.") and kind.__name__.endswith("Variable")
    return MESSAGE_KERAS if is_variable else ""


def class_name(value: Any) -> str:
    """Returns the name of a class as Python's messages give it: with the module if it is in C."""
    kind = type(value)
    in_python = kind.__module__ == "builtins" or kind.__flags__ & HEAP_TYPE
    return kind.__name__ if in_python else f"{kind.__module__}.{kind.__name__}"


def upstream_gradients(targets: list[Any], output_gradients: Any) -> list[Any]:
    """Returns the upstream gradient of each target, or None for ones."""
    for target in targets:
        if not isinstance(target, Tensor | Variable):
            as_dtype(target)  # TensorFlow asks first whether it is one
            missing = "_id" if hasattr(target, "dtype") else "dtype"
            raise hinted(
                AttributeError(f"{class_name(target)!r} object has no attribute {missing!r}"),
                "A target of a gradient must be a tf.Tensor or tf.Variable.",
            )
    if output_gradients is None:
        return [None] * len(targets)
    given = [part for item in nest.flatten(output_gradients) for part in gradient_parts(item)]
    results = []
    for target, gradient in zip(targets, given, strict=False):
        if isinstance(gradient, Tensor | Variable):
            gradient = convert(gradient)
        else:
            gradient = convert(gradient, target.dtype)
        if gradient.dtype is not target.dtype:
            raise refused_input("Mul", 1, gradient.dtype.kernel_name, target.dtype.kernel_name)
        if gradient.shape != target.shape:
            gradient = _in_shape(gradient, target)
        results.append(gradient)
    return results + [None] * (len(targets) - len(results))


def _in_shape(gradient: EagerTensor, target: Any) -> EagerTensor:
    """Gives an upstream gradient the shape of its target, as TensorFlow's gradients do."""
    wanted = target.shape.as_list()
    if gradient._type.size == target.shape.num_elements():
        return reshape(gradient, wanted)
    if gradient._type.size == 1:
        return broadcast_to(reshape(gradient, []), wanted)
    sizes = reshape_sizes(gradient._type.size, target.shape.num_elements())
    given = shape_text(gradient._type.shape)
    hint = f"The output gradient has the shape {given}, its target {shape_text(wanted)}."
    raise hinted(invalid(f"{sizes} [Op:Reshape]"), hint)


def value_of(item: Any) -> EagerTensor:
    """Returns the tensor of a tensor or variable, without reading the variable."""
    return item._tensor if isinstance(item, Variable) else item


def same_for_same(results: list[Any], sources: Sequence[Any]) -> list[Any]:
    """Returns one tensor for a source that is given several times, as TensorFlow does."""
    if len(set(map(id, sources))) == len(sources):
        return results
    known: dict[int, Any] = {}
    return [
        known.setdefault(id(source), result)
        for source, result in zip(sources, results, strict=True)
    ]


def with_itself(
    results: list[Any],
    targets: Sequence[Any],
    slots: Sequence[int | None],
    sources: Sequence[Any],
    upstream: Sequence[Any],
) -> list[Any]:
    """Adds d x / d x, which is 1 also where the tape knows nothing of x, and for integers."""
    results = list(results)
    for target, slot, gradient in zip(targets, slots, upstream, strict=True):
        if slot is not None and target._type.inexact:
            continue
        for place, source in enumerate(sources):
            if source is target:
                own = from_host(ones_like(target._type)) if gradient is None else gradient
                before = results[place]
                results[place] = own if before is None else add(before, own)
    return results
