"""The graph of the objects in a checkpoint: who is whose part, and under which keys values are."""

from collections import deque
from typing import Any, NamedTuple

from tapefacade._checkpoint.array_files import Array
from tapefacade._checkpoint.tensorflow_files.messages import CHECKPOINTS
from tapefacade._checkpoint.tracking import children, require_texts, values
from tapefacade._core.operands import is_variable

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
ATTRIBUTES = "/.ATTRIBUTES/"


class Objects(NamedTuple):
    """The objects that are found from a root.

    Attributes:
        objects: the objects; the root comes first, what is nearer to it before what is farther.
        paths: the names on the way to each, from the root.
        links: for each object the names of its parts and their places among the objects.
    """

    objects: list[Any]
    paths: list[tuple[str, ...]]
    links: list[dict[str, int]]


def find_objects(root: Any, attached: dict[str, Any]) -> Objects:
    """Finds the objects of a checkpoint.

    Args:
        root: the root.
        attached: further parts of the root.
    """
    found = Objects([root], [()], [{}])
    places = {identity(root): 0}
    waiting = deque([0])
    while waiting:
        place = waiting.popleft()
        value = found.objects[place]
        parts = children(value) if place else {**children(value), **attached}
        for name, part in parts.items():
            known = places.get(identity(part))
            if known is None:
                known = places[identity(part)] = len(found.objects)
                found.objects.append(part)
                found.paths.append((*found.paths[place], name))
                found.links.append({})
                waiting.append(known)
            found.links[place][name] = known
    return found


def identity(value: Any) -> int:
    """Returns what tells objects apart: two names of one variable are one."""
    return id(getattr(value, "_root", value) if is_variable(value) else value)


def description_and_values(found: Objects) -> tuple[Any, dict[str, Array]]:
    """Returns the description of the objects, and their values by key.

    Raises:
        ValueError: if an object cannot be saved.
    """
    graph = CHECKPOINTS["TrackableObjectGraph"]()
    arrays: dict[str, Array] = {}
    for value, path, links in zip(*found, strict=True):
        require_texts(value)
        node = graph.nodes.add()
        for name, place in links.items():
            node.children.add(node_id=place, local_name=name)
        for own in values(value):
            key = f"{key_of_path(path)}{ATTRIBUTES}{escaped_name(own.name)}"
            node.attributes.add(name=own.name, full_name=own.full_name, checkpoint_key=key)
            arrays.update((key + end, array) for end, array in own.tensors.items())
    mark_values(graph)
    return graph, arrays


def mark_values(graph: Any) -> None:
    """Notes for each object whether there are values in it or its parts."""
    nodes = list(graph.nodes)
    parents: list[list[int]] = [[] for _ in nodes]
    for place, node in enumerate(nodes):
        for child in node.children:
            parents[child.node_id].append(place)
    waiting = [place for place, node in enumerate(nodes) if node.attributes]
    marked = set(waiting)
    while waiting:
        for parent in parents[waiting.pop()]:
            if parent not in marked:
                marked.add(parent)
                waiting.append(parent)
    for place, node in enumerate(nodes):
        node.has_checkpoint_values.SetInParent()
        if place in marked:
            node.has_checkpoint_values.value = True


def escaped_name(name: str) -> str:
    """Returns a name without slashes.

    >>> escaped_name("a/b.c")
    'a.Sb..c'
    """
    return name.replace(".", "..").replace("/", ".S")


def key_of_path(path: tuple[str, ...]) -> str:
    """Returns what the keys of an object's values begin with."""
    return "/".join(map(escaped_name, path))


def shown_paths(graph: Any) -> list[str]:
    """Returns for each object of a checkpoint the way to it, for messages."""
    names = {0: "(root)"}
    waiting = deque([0])
    nodes = list(graph.nodes)
    while waiting:
        place = waiting.popleft()
        for child in nodes[place].children:
            if child.node_id not in names:
                names[child.node_id] = f"{names[place]}.{child.local_name}"
                waiting.append(child.node_id)
    return [names.get(place, "(unknown)") for place in range(len(nodes))]
