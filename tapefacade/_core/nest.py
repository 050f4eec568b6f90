"""Nested structures: the functions of `tf.nest`, which see lists, dicts and the like as trees."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, MappingView, MutableMapping, Sequence
from enum import Enum
from typing import Any

from tapefacade._core.dispatch import Composite, parts, with_parts


def different_lengths(first: Any, second: Any) -> str:
    """Says that two structures differ in length."""
    return (
        "The two structures don't have the same number of elements. First structure: "
        f"{describe(first)}. Second structure: {describe(second)}"
    )


def describe(value: Any) -> str:
    """Shows a value and its type."""
    return f"type={type(value).__name__.rpartition('.')[2]} str={value!s}"


def type_name(value: Any) -> str:
    """Names a type as C does: types that are written in C carry their module."""
    value_type = type(value)
    is_python_class = value_type.__flags__ & (1 << 9)
    if is_python_class or value_type.__module__ == "builtins":
        return value_type.__name__
    return f"{value_type.__module__}.{value_type.__name__}"


def truncate(value: Any) -> str:
    """Shows the beginning of a value."""
    text = str(value)
    return text if len(text) <= 100 else text[:100] + "..."


class _NestKind(Enum):
    """How the children of a value are found and put back."""

    LEAF = 0
    SEQUENCE = 1
    MAPPING = 2
    VIEW = 3
    NAMEDTUPLE = 4
    ATTRS = 5
    PROTOCOL = 6


_KINDS: dict[type, _NestKind] = {
    list: _NestKind.SEQUENCE,
    tuple: _NestKind.SEQUENCE,
    dict: _NestKind.MAPPING,
}
_LEAF_TYPES: set[type] = {int, float, bool, str, bytes, type(None)}
_MAX_KINDS = 4096  # Types made at run time must not fill the memory.


def is_nested(seq: Any) -> bool:
    """Tells whether a value is a structure with children, even if it has none of them.

    Lists, tuples, other sequences, mappings, their views, attrs classes and classes with the
    methods `__tf_flatten__` and `__tf_unflatten__` are; strings, arrays, sets and None are not.

    Args:
        seq: any value.

    Returns:
        True if it is a structure.

    >>> is_nested([]), is_nested("text"), is_nested({1, 2})
    (True, False, False)
    """
    return _kind(seq) is not _NestKind.LEAF


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Lists the leaves of a structure, those of a mapping in the order of its sorted keys.

    Args:
        structure: a structure, or a single leaf.
        expand_composites: take ragged and sparse tensors apart.

    Returns:
        A list of the leaves.

    Raises:
        TypeError: if the keys of a mapping can't be sorted.

    >>> flatten({"b": [1, (2, None)], "a": 3})
    [3, 1, 2, None]
    """
    if _is_flat(structure) and not expand_composites:
        return list(structure)
    leaves: list[Any] = []
    _collect(structure, leaves)
    return [part for leaf in leaves for part in parts(leaf)] if expand_composites else leaves


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Puts the values of a flat sequence in the place of the leaves of a structure.

    Args:
        structure: the structure to imitate, or a single leaf.
        flat_sequence: as many values as there are leaves, in the order of `flatten`.
        expand_composites: put ragged and sparse tensors together.

    Returns:
        A new structure; mappings keep the order of their keys.

    Raises:
        TypeError: if `flat_sequence` is no sequence.
        ValueError: if there are too many or too few values.

    >>> pack_sequence_as({"b": [0, 0], "a": 0}, [1, 2, 3])
    {'b': [2, 3], 'a': 1}
    """
    if expand_composites:
        return _pack_parts(structure, flat_sequence)
    if not is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {truncate(flat_sequence)}\ninto a structure, but found "
            f"incompatible type `{type(flat_sequence)}` instead."
        )
    if not is_nested(structure):
        if len(flat_sequence) != 1:
            raise ValueError(
                f"The target structure is of type `{type(structure)}`\n  {truncate(structure)}\n"
                f"However the input is a sequence ({type(flat_sequence)}) of length "
                f"{len(flat_sequence)}.\n  {truncate(flat_sequence)}\nnest cannot guarantee that "
                "it is safe to map one to the other."
            )
        return flat_sequence[0]
    try:
        end, children = _pack_children(structure, flat_sequence, 0)
    except IndexError:
        end, children = -1, []
    if end != len(flat_sequence):
        raise _miscounted(structure, flat_sequence, expand_composites=False)
    return sequence_like(structure, children)


def _pack_parts(structure: Any, flat_sequence: Any) -> Any:
    rest = iter(flat_sequence)
    try:
        leaves = [with_parts(leaf, rest) for leaf in flatten(structure)]
        is_complete = not list(rest)
    except StopIteration:
        leaves, is_complete = [], False
    if not is_complete:
        raise _miscounted(structure, flat_sequence, expand_composites=True)
    return pack_sequence_as(structure, leaves)


def _miscounted(structure: Any, flat_sequence: Any, expand_composites: bool) -> ValueError:
    return ValueError(
        f"Could not pack sequence. Structure had {len(flatten(structure, expand_composites))} "
        f"atoms, but flat_sequence had {len(flat_sequence)} items.  Structure: {structure}, "
        f"flat_sequence: {flat_sequence}."
    )


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Calls a function with the leaves at the same place of one or several structures.

    Args:
        func: takes one leaf of each structure.
        *structure: the structures, all of the same form.
        **kwargs: `check_types`, whether the types of sequences must agree, True by default, and
            `expand_composites`, whether to take ragged and sparse tensors apart.

    Returns:
        A structure of the form of the first one, made of the results.

    Raises:
        TypeError: if `func` can't be called, or the types of the structures differ.
        ValueError: if no structure is given, or the structures differ in form.

    >>> map_structure(lambda x, y: x + y, {"a": 1, "b": (2, 3)}, {"a": 10, "b": (20, 30)})
    {'a': 11, 'b': (22, 33)}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        unknown = "`, `".join(kwargs)
        valid = "`check_types` and `expand_composites`"
        raise ValueError(f"Only valid keyword arguments are {valid}, not: `{unknown}`")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    leaves = zip(*[flatten(one, expand) for one in structure], strict=False)
    return pack_sequence_as(structure[0], [func(*entries) for entries in leaves], expand)


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that two structures have the same form.

    Args:
        nest1: a structure, or a single leaf.
        nest2: the other one.
        check_types: whether the types of sequences and the keys of mappings must agree, too;
            lists agree with subclasses of list, and mappings with one another.
        expand_composites: whether ragged tensors and the like must be of one type, but for sizes;
            otherwise they agree with any leaf.

    Raises:
        ValueError: if the form differs.
        TypeError: if the type of a sequence differs.

    >>> assert_same_structure([1, (2, 3)], [4, (5, 6)])
    >>> assert_same_structure([1, 2], [1])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: The two structures don't have the same nested structure...
    """
    try:
        _check_same(nest1, nest2, bool(check_types))
        if expand_composites:
            for pair in zip(flatten(nest1), flatten(nest2), strict=True):
                _check_composites(*pair)
    except (ValueError, TypeError) as error:
        form1 = map_structure(lambda _: _DOT, nest1)
        form2 = map_structure(lambda _: _DOT, nest2)
        raise type(error)(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {describe(nest1)}\n\n"
            f"Second structure: {describe(nest2)}\n\n"
            f"More specifically: {error}\n"
            f"Entire first structure:\n{form1}\n"
            f"Entire second structure:\n{form2}"
        ) from None


class _Dot:
    """Stands for a leaf in messages."""

    def __repr__(self) -> str:
        return "."


_DOT = _Dot()


def _kind(value: Any) -> _NestKind:
    """Finds how to look into a value, from a table of the types seen so far."""
    value_type = type(value)
    kind = _KINDS.get(value_type)
    if kind is None:
        kind = _classify(value)
        # A proxy, which claims to be of another class, can be of several kinds.
        if value.__class__ is value_type:
            if len(_KINDS) >= _MAX_KINDS:
                _KINDS.clear()
                _LEAF_TYPES.clear()
            _KINDS[value_type] = kind
            if kind is _NestKind.LEAF:
                _LEAF_TYPES.add(value_type)
    return kind


def _classify(value: Any) -> _NestKind:
    """Decides how to look into a value, in TensorFlow's order of precedence."""
    value_type = type(value)
    if isinstance(value, Mapping):
        return _NestKind.MAPPING
    if isinstance(value, MappingView):
        return _NestKind.VIEW
    if hasattr(value_type, "__attrs_attrs__"):
        return _NestKind.ATTRS
    if isinstance(value, tuple) and _is_field_list(getattr(value, "_fields", None)):
        return _NestKind.NAMEDTUPLE
    if hasattr(value_type, "__tf_flatten__") and hasattr(value_type, "__tf_unflatten__"):
        return _NestKind.PROTOCOL
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return _NestKind.SEQUENCE
    return _NestKind.LEAF


def _is_field_list(fields: Any) -> bool:
    return isinstance(fields, tuple) and all(isinstance(field, str) for field in fields)


def _is_flat(structure: Any) -> bool:
    """Tells whether this is a list or tuple of leaves, of types that were all seen before."""
    structure_type = type(structure)
    return (structure_type is list or structure_type is tuple) and _LEAF_TYPES.issuperset(
        map(type, structure)
    )


def _children(structure: Any, kind: _NestKind) -> Iterable[Any]:
    """Gives the values one level below, those of a mapping in the order of its sorted keys."""
    if kind is _NestKind.MAPPING:
        return [structure[key] for key in sorted(structure.keys())]
    if kind is _NestKind.ATTRS:
        return [getattr(structure, field.name) for field in type(structure).__attrs_attrs__]
    if kind is _NestKind.PROTOCOL:
        return structure.__tf_flatten__()[1]
    return structure


def _collect(structure: Any, leaves: list[Any]) -> None:
    """Appends the leaves of a structure to a list."""
    kind = _kind(structure)
    if kind is _NestKind.LEAF:
        leaves.append(structure)
        return
    for child in _children(structure, kind):
        _collect(child, leaves)


def _pack_children(structure: Any, flat: Any, index: int) -> tuple[int, list[Any]]:
    """Builds what replaces the children of a structure from the values of `flat` at `index`.

    Args:
        structure: the structure to imitate.
        flat: the values.
        index: where the values for this structure begin.

    Returns:
        The index after the last value used, and the new children.

    Raises:
        TypeError: if the keys of a mapping can't be sorted.
    """
    if type(flat) is list and _is_flat(structure) and index + len(structure) <= len(flat):
        end = index + len(structure)
        return end, flat[index:end]
    kind = _kind(structure)
    try:
        children = _children(structure, kind)
    except TypeError:
        if kind is not _NestKind.MAPPING:
            raise
        raise TypeError("nest only supports dicts with sortable keys.") from None
    packed = []
    for child in children:
        if _kind(child) is _NestKind.LEAF:
            packed.append(flat[index])
            index += 1
        else:
            index, grandchildren = _pack_children(child, flat, index)
            packed.append(sequence_like(child, grandchildren))
    return index, packed


def sequence_like(instance: Any, children: list[Any]) -> Any:
    """Makes a structure like `instance` from other children, in the order of `_children`."""
    kind = _kind(instance)
    if kind is _NestKind.MAPPING:
        return _rebuild_mapping(instance, dict(zip(sorted(instance), children, strict=True)))
    if kind is _NestKind.VIEW or isinstance(instance, range):
        return children
    if kind in (_NestKind.NAMEDTUPLE, _NestKind.ATTRS):
        return type(instance)(*children)
    if kind is _NestKind.PROTOCOL:
        metadata = instance.__tf_flatten__()[0]
        return instance.__tf_unflatten__(metadata, tuple(children))
    return type(instance)(children)


def _rebuild_mapping(instance: Any, values: dict[Any, Any]) -> Any:
    """Makes a mapping like `instance`, with its order of keys, from other values."""
    mapping_type = type(instance)
    if isinstance(instance, MutableMapping):
        result: Any = mapping_type()
        if isinstance(instance, defaultdict):
            result.default_factory = instance.default_factory
        for key in instance:
            result[key] = values[key]
        return result
    try:
        return mapping_type((key, values[key]) for key in instance)
    except TypeError as error:
        raise TypeError(
            f"Error creating an object of type {mapping_type} like {instance}. Note that it must "
            "accept a single positional argument representing an iterable of key-value pairs, in "
            f"addition to self. Cause: {error}"
        ) from None


def _only_one_nested(inner: Any, leaf: Any) -> str:
    return (
        f'Substructure "{describe(inner)}" is a sequence, while substructure '
        f'"{describe(leaf)}" is not'
    )


def _check_same(first: Any, second: Any, check_types: bool) -> None:
    """Compares two structures; the exception tells the place where they differ."""
    if type(first) is type(second) and _is_flat(first) and _is_flat(second):
        if len(first) != len(second):
            raise ValueError(different_lengths(first, second))
        return
    kind1, kind2 = _kind(first), _kind(second)
    if (kind1 is _NestKind.LEAF) != (kind2 is _NestKind.LEAF):
        inner, leaf = (second, first) if kind1 is _NestKind.LEAF else (first, second)
        raise ValueError(_only_one_nested(inner, leaf))
    if kind1 is _NestKind.LEAF:
        return
    if check_types:
        _check_types(first, second, kind1, kind2)
    children1 = list(_children(first, kind1))
    children2 = list(_children(second, kind2))
    for child1, child2 in zip(children1, children2, strict=False):
        _check_same(child1, child2, check_types)
    if len(children1) != len(children2):
        raise ValueError(different_lengths(first, second))


def _has_parts(value: Any) -> bool:
    if not isinstance(value, Composite):
        return False
    found = parts(value)
    return len(found) != 1 or found[0] is not value


def _check_composites(first: Any, second: Any) -> None:
    """Compares the types of two values made of tensors, or specs of such."""
    is_composite = [_has_parts(first), _has_parts(second)]
    if not any(is_composite):
        return
    if not all(is_composite):
        inner, leaf = (first, second) if is_composite[0] else (second, first)
        raise ValueError(_only_one_nested(inner, leaf))
    specs = [getattr(v, "_type_spec", v) for v in (first, second)]
    if not all(hasattr(spec, "most_specific_common_supertype") for spec in specs):
        return  # a value that has no spec
    if specs[0].most_specific_common_supertype(specs[1:]) is None:
        raise ValueError(
            f"Incompatible CompositeTensor TypeSpecs: {describe(specs[0])} vs. {describe(specs[1])}"
        )


def _check_types(first: Any, second: Any, kind1: _NestKind, kind2: _NestKind) -> None:
    """Compares the types of two structures, and the keys of two mappings."""
    if kind1 is _NestKind.MAPPING and kind2 is _NestKind.MAPPING:
        if len(first) != len(second) or any(key not in second for key in first):
            raise ValueError(
                "The two dictionaries don't have the same set of keys. First structure has keys "
                f"{describe(list(first))}, while second structure has keys "
                f"{describe(list(second))}"
            )
        return
    if kind1 is _NestKind.NAMEDTUPLE and kind2 is _NestKind.NAMEDTUPLE:
        same = type(first).__name__ == type(second).__name__ and first._fields == second._fields
    else:
        same = type(first) is type(second) or (isinstance(first, list) and isinstance(second, list))
    if not same:
        raise TypeError(
            "The two namedtuples don't have the same sequence type. First structure "
            f"{describe(first)} has type {type_name(first)}, while second structure "
            f"{describe(second)} has type {type_name(second)}"
        )
