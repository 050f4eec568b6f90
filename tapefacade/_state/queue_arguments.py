"""The arguments of queues: the shapes and the names of their components."""

from typing import Any

from tapefacade._core.shapes import TensorShape, as_shape
from tapefacade._core.tensor import invalid_argument


def as_shapes(shapes: Any, dtypes: list[Any], partial: bool) -> list[TensorShape]:
    """Returns a shape for each component, an unknown one where none is given.

    Args:
        shapes: a shape, a list of shapes, or None.
        dtypes: the dtypes of the components.
        partial: whether there have to be shapes, which may have unknown sizes.

    Raises:
        ValueError: if a shape is missing, or is not known where it has to be.
        InvalidArgumentError: if there are not as many shapes as components.
    """
    if partial:
        return _partial_shapes(shapes, dtypes)
    if shapes is None:
        return [TensorShape(None) for _ in dtypes]
    listed = _listed(shapes)
    if not all(shape.is_fully_defined() for shape in listed):
        raise ValueError(f"All shapes must be fully defined: {listed}")
    if len(listed) != len(dtypes):
        kinds = ", ".join(getattr(dtype, "kernel_name", str(dtype)) for dtype in dtypes)
        sizes = ", ".join(f"[{','.join(map(str, shape))}]" for shape in listed)
        raise invalid_argument(
            f"Different number of component types.  Types: {kinds}, Shapes: [{sizes}]"
        )
    return listed


def _listed(shapes: Any) -> list[TensorShape]:
    if isinstance(shapes, TensorShape):
        return [shapes]
    if not isinstance(shapes, list | tuple):
        raise TypeError(
            f"Shapes must be a TensorShape or a list or tuple of TensorShapes, got {type(shapes)}."
        )
    if all(size is None or isinstance(size, int) for size in shapes):
        return [as_shape(shapes)]
    return [as_shape(shape) for shape in shapes]


def _partial_shapes(shapes: Any, dtypes: list[Any]) -> list[TensorShape]:
    if not isinstance(shapes, list | tuple) or any(shape is None for shape in shapes):
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if len(shapes) != len(dtypes):
        raise ValueError(
            f"Shapes must be provided for all components, but received {len(dtypes)} dtypes and "
            f"{len(shapes)} shapes."
        )
    return [as_shape(shape) for shape in shapes]


def checked_names(names: Any, dtypes: list[Any]) -> list[str] | None:
    """Returns the names of the components, None if they have none.

    Args:
        names: a list of names, or a single one.
        dtypes: the dtypes of the components.

    Raises:
        ValueError: if there are not as many names as components.
    """
    if names is None:
        return None
    listed = list(names) if isinstance(names, list | tuple) else [names]
    if len(listed) != len(dtypes):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(listed)},len(dtypes)={len(dtypes)}"
        )
    return listed
