"""`tensorflow.python.util.nest`: one structure taken apart as deep as another, and paths."""

from collections.abc import Callable, Iterator, Mapping, MappingView
from typing import Any

from tapefacade._core import nest
from tapefacade._core.dispatch import CompositeTensor, parts
from tapefacade._core.nest import sequence_like as sequence_like
from tapefacade._core.tensor_spec import TensorSpec
from tapefacade._core.type_spec import TypeSpec

Path = tuple[Any, ...]
MESSAGE_NOT_NESTED = (
    "If shallow structure is a sequence, input must also be a sequence. Input has type: {}."
)
MESSAGE_TYPES = (
    "The two structures don't have the same sequence type. Input structure has type {}, while "
    "shallow structure has type {}."
)
MESSAGE_LENGTHS = (
    "The two structures don't have the same sequence length. Input structure has length {}, while "
    "shallow structure has length {}."
)
MESSAGE_KEYS = (
    "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the "
    "following keys that are not in the input_tree: {}."
)


def is_mapping(value: Any) -> bool:
    """Tells whether a structure is a mapping, as a dictionary is."""
    return isinstance(value, Mapping)


def is_mapping_view(value: Any) -> bool:
    """Tells whether a structure is a view of a mapping, such as `dictionary.values()`."""
    return isinstance(value, MappingView)


def is_attrs(value: Any) -> bool:
    """Tells whether a value's class was made by the package attrs."""
    return hasattr(type(value), "__attrs_attrs__")


def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Tells whether a structure is a named tuple.

    Args:
        instance: the structure.
        strict: demands a direct subclass of tuple.
    """
    fields = getattr(instance, "_fields", None)
    named = isinstance(instance, tuple) and isinstance(fields, tuple)
    return named and (not strict or type(instance).__bases__ == (tuple,))


def same_namedtuples(first: Any, second: Any) -> bool:
    """Tells whether two named tuples have the same name and fields."""
    return type(first).__name__ == type(second).__name__ and first._fields == second._fields


def is_nested_or_composite(value: Any) -> bool:
    """Tells whether a value is a structure, or is made of several tensors, or a spec of such."""
    return nest.is_nested(value) or _is_composite(value)


def yield_items(structure: Any) -> Iterator[tuple[Any, Any]]:
    """Lists keys and values one level below, those of a mapping by their sorted keys.

    Args:
        structure: a structure.

    Yields:
        Pairs: keys of mappings, fields of named tuples, numbers.

    >>> list(yield_items({"b": 1, "a": [2]}))
    [('a', [2]), ('b', 1)]
    """
    if is_mapping(structure):
        yield from ((key, structure[key]) for key in sorted(structure))
    elif is_namedtuple(structure):
        yield from ((field, getattr(structure, field)) for field in structure._fields)
    elif is_attrs(structure):
        yield from ((a.name, getattr(structure, a.name)) for a in structure.__attrs_attrs__)
    else:
        yield from enumerate(_children(structure))


def yield_values(structure: Any) -> Iterator[Any]:
    """Lists the values one level below, those of a mapping by their sorted keys."""
    yield from (value for _, value in yield_items(structure))


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that `shallow_tree` is the upper part of `input_tree`.

    Args:
        shallow_tree: the structure that is less deep.
        input_tree: the structure that goes on below its leaves.
        check_types: demands the same types of sequences.
        expand_composites: takes sparse and ragged tensors for structures of their tensors.

    Raises:
        TypeError: if the types of sequences differ.
        ValueError: if the lengths or keys differ.

    >>> assert_shallow_structure([1, 2], [[3], {"a": 4}])
    """
    for _ in _yield_up_to(shallow_tree, input_tree, check_types, expand_composites, checked=True):
        pass


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """Lists what is in `input_tree` where `shallow_tree` has leaves, with the paths there.

    Args:
        shallow_tree: the structure that is less deep.
        input_tree: the structure that is listed.
        check_types: demands the same types of sequences.
        expand_composites: takes sparse and ragged tensors for structures of their tensors.

    >>> flatten_with_tuple_paths_up_to([0, {"a": 0}], [[1], {"a": 2}])
    [((0,), [1]), ((1, 'a'), 2)]
    """
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return list(_yield_up_to(shallow_tree, input_tree, check_types, expand_composites))


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """Lists what is in `input_tree` where `shallow_tree` has leaves.

    Args:
        shallow_tree: the structure that is less deep.
        input_tree: the structure that is listed.
        check_types: demands the same types of sequences.
        expand_composites: takes sparse and ragged tensors for structures of their tensors.

    >>> flatten_up_to([0, {"a": 0}], [[1], {"a": 2}])
    [[1], 2]
    """
    found = flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites)
    return [value for _, value in found]


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[Path, Any]]:
    """Lists the leaves with the paths to them.

    Args:
        structure: the structure.
        expand_composites: takes sparse and ragged tensors for structures of their tensors.

    >>> flatten_with_tuple_paths({"a": [1, 2]})
    [(('a', 0), 1), (('a', 1), 2)]
    """
    return list(_yield_up_to(structure, structure, True, expand_composites))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Lists the leaves with the paths to them as texts.

    Args:
        structure: the structure.
        separator: what stands between the parts of a path.
        expand_composites: takes sparse and ragged tensors for structures of their tensors.

    >>> flatten_with_joined_string_paths({"a": [1, 2]})
    [('a/0', 1), ('a/1', 2)]
    """
    found = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), value) for path, value in found]


def yield_flat_paths(structure: Any, expand_composites: bool = False) -> Iterator[Path]:
    """Lists the paths to the leaves, in the order of `tf.nest.flatten`.

    Args:
        structure: the structure.
        expand_composites: takes sparse and ragged tensors for structures of their tensors.

    >>> list(yield_flat_paths({"a": [1, 2]}))
    [('a', 0), ('a', 1)]
    """
    yield from (path for path, _ in flatten_with_tuple_paths(structure, expand_composites))


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Calls a function with the path and what structures have where `shallow_tree` has a leaf.

    Args:
        shallow_tree: the structure of the result.
        func: a function of a path and of one value of each input.
        *inputs: structures that have `shallow_tree` as their upper part.
        **kwargs: `check_types` and `expand_composites`; others are handed to `func`.

    Returns:
        The results, in the structure of `shallow_tree`.

    Raises:
        ValueError: if there are no inputs.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    flat = [flatten_with_tuple_paths_up_to(shallow_tree, x, check_types, expand) for x in inputs]
    results = [
        func(row[0][0], *(value for _, value in row), **kwargs) for row in zip(*flat, strict=True)
    ]
    return nest.pack_sequence_as(shallow_tree, results, expand_composites=expand)


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """Calls a function with what structures have where `shallow_tree` has a leaf.

    Args:
        shallow_tree: the structure of the result.
        func: a function of one value of each input.
        *inputs: structures that have `shallow_tree` as their upper part.
        **kwargs: `check_types` and `expand_composites`; others are handed to `func`.

    Returns:
        The results, in the structure of `shallow_tree`.

    >>> map_structure_up_to([0, 0], len, [[1, 2], "abc"])
    [2, 3]
    """

    def call(_: Path, *values: Any, **named: Any) -> Any:
        return func(*values, **named)

    return map_structure_with_tuple_paths_up_to(shallow_tree, call, *inputs, **kwargs)


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Calls a function with the path to each leaf, and the leaves there.

    Args:
        func: a function of a path and of one leaf of each structure.
        *structure: structures that are alike.
        **kwargs: `check_types` and `expand_composites`; others are handed to `func`.

    Returns:
        The results, in the structure of the first.
    """
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Calls a function with the path to each leaf as a text, and the leaves there.

    Args:
        func: a function of a path and of one leaf of each structure.
        *structure: structures that are alike.
        **kwargs: `check_types` and `expand_composites`; others are handed to `func`.

    Returns:
        The results, in the structure of the first.

    >>> map_structure_with_paths(lambda path, x: f"{path}={x}", {"a": [1, 2]})
    {'a': ['a/0=1', 'a/1=2']}
    """

    def call(path: Path, *values: Any, **named: Any) -> Any:
        return func("/".join(map(str, path)), *values, **named)

    return map_structure_with_tuple_paths(call, *structure, **kwargs)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """Finds the upper part of a structure into which a function says to look.

    Args:
        traverse_fn: a function of a structure, which returns whether to look into it, or a
            structure of such answers for what is one level below.
        structure: the structure.
        expand_composites: takes sparse and ragged tensors for structures of their tensors.

    Returns:
        A structure of False and True; False stands for what is not looked into.

    Raises:
        TypeError: if the function returns anything else.

    >>> get_traverse_shallow_structure(lambda s: isinstance(s, list), [1, (2, 3)])
    [False, False]
    """
    answer = traverse_fn(structure)
    if not nest.is_nested(structure):
        if not isinstance(answer, bool):
            raise TypeError(
                f"traverse_fn returned structure: {answer} for non-structure: {structure}"
            )
        return answer
    if not nest.is_nested(answer):
        if not isinstance(answer, bool):
            raise TypeError(
                f"traverse_fn returned a non-bool scalar: {answer} for input: {structure}"
            )
        if not answer:
            return False
        below = [
            get_traverse_shallow_structure(traverse_fn, value, expand_composites)
            for value in yield_values(structure)
        ]
        return sequence_like(structure, below)
    assert_shallow_structure(answer, structure, expand_composites=expand_composites)
    below = []
    for asked, value in zip(yield_values(answer), yield_values(structure), strict=True):
        if not isinstance(asked, bool):
            raise TypeError(
                f"traverse_fn didn't return a depth=1 structure of bools.  saw: {answer}  for "
                f"structure: {structure}"
            )
        below.append(
            get_traverse_shallow_structure(traverse_fn, value, expand_composites)
            if asked
            else False
        )
    return sequence_like(structure, below)


def list_to_tuple(structure: Any) -> Any:
    """Replaces the lists in a structure by tuples.

    Args:
        structure: the structure.

    >>> list_to_tuple([1, {"a": [2]}])
    (1, {'a': (2,)})
    """
    if not nest.is_nested(structure):
        return structure
    below = [list_to_tuple(value) for value in yield_values(structure)]
    return tuple(below) if isinstance(structure, list) else sequence_like(structure, below)


def flatten_dict_items(dictionary: Any) -> dict[Any, Any]:
    """Makes a flat dictionary of one whose keys and values are structures.

    Args:
        dictionary: a dictionary; a key that is a structure has a value that is one like it.

    Returns:
        A dictionary from the leaves of the keys to those of the values.

    Raises:
        TypeError: if `dictionary` is none.
        ValueError: if a key and its value differ, or a key comes twice.

    >>> flatten_dict_items({(4, (5,)): ("a", ("b",)), "k": 1})
    {4: 'a', 5: 'b', 'k': 1}
    """
    if not is_mapping(dictionary):
        raise TypeError(
            "FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, "
            f"instead of '{type(dictionary).__name__}'."
        )
    found: dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys, values = ([key], [value])
        if nest.is_nested(key):
            keys, values = nest.flatten(key), nest.flatten(value)
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
                f"{len(values)} elements. Key: {keys}, value: {values}."
            )
        for name, leaf in zip(keys, values, strict=True):
            if name in found:
                raise ValueError(f"Could not flatten dictionary: key {name} is not unique.")
            found[name] = leaf
    return found


def _is_composite(value: Any) -> bool:
    composite = isinstance(value, CompositeTensor)
    return composite or (isinstance(value, TypeSpec) and not isinstance(value, TensorSpec))


def _children(structure: Any) -> Any:
    if hasattr(type(structure), "__tf_flatten__"):
        return structure.__tf_flatten__()[1]
    return structure


def _expanded(value: Any) -> list[Any]:
    """The tensors that a composite is made of, or the specs that its spec is made of."""
    if isinstance(value, TypeSpec):
        return nest.flatten(value._component_specs)
    return parts(value)


def _yield_up_to(
    shallow: Any, tree: Any, check_types: bool, expand: bool, path: Path = (), checked: bool = False
) -> Iterator[tuple[Path, Any]]:
    """Walks both structures; `checked` compares them, which a caller has done before otherwise."""
    if expand and _is_composite(shallow):
        if checked and check_types and type(shallow) is not type(tree):
            raise TypeError(MESSAGE_TYPES.format(type(tree), type(shallow)))
        yield from (((*path, k), part) for k, part in enumerate(_expanded(tree)))
        return
    if not nest.is_nested(shallow):
        yield path, tree
        return
    if checked:
        _check_level(shallow, tree, check_types)
    below = dict(yield_items(tree))
    for key, value in yield_items(shallow):
        lower = (
            list(below.values())[key]
            if checked and key not in below and isinstance(key, int)
            else below[key]
        )
        yield from _yield_up_to(value, lower, check_types, expand, (*path, key), checked)


def _check_level(shallow: Any, tree: Any, check_types: bool) -> None:
    """Compares the uppermost level of two structures."""
    if not nest.is_nested(tree):
        raise TypeError(MESSAGE_NOT_NESTED.format(type(tree)))
    if check_types and not _same_type(shallow, tree):
        raise TypeError(MESSAGE_TYPES.format(type(tree), type(shallow)))
    if is_mapping(shallow) and is_mapping(tree):
        missing = [key for key in shallow if key not in tree]
        if missing:
            raise ValueError(MESSAGE_KEYS.format(sorted(missing)))
    lengths = [sum(1 for _ in yield_values(structure)) for structure in (tree, shallow)]
    if lengths[0] != lengths[1]:
        raise ValueError(MESSAGE_LENGTHS.format(*lengths))


def _same_type(shallow: Any, tree: Any) -> bool:
    if isinstance(tree, type(shallow)) or (is_mapping(shallow) and is_mapping(tree)):
        return True
    if is_namedtuple(shallow) and is_namedtuple(tree):
        return same_namedtuples(shallow, tree)
    return isinstance(shallow, list) and isinstance(tree, list)
