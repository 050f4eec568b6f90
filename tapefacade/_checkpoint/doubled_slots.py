"""Slots of Keras optimizers that stand twice in files of TensorFlow: the first ones are left out.

If an optimizer is restored before the variables of a subclassed model are made, TensorFlow 2.21
makes the first variable of each such model twice, and of models within models more often. The
optimizer gets all of them, and saves slots for all; what it trains are the last ones. TensorFlow's
own `restore` refuses such files ("incompatible tensor").
"""

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

TRAINED, VARIABLES = "_trainable_variables", "_variables"  # attributes of Keras's optimizers
MESSAGE_DOUBLED = (
    "\nSlots of an optimizer bear one name in the file: TensorFlow writes such files when an "
    "optimizer was restored before the variables of a model were made, and was saved again. If "
    "that was so, restore a file from before it, or leave the optimizer out of what is restored."
)


class SavedObject(NamedTuple):
    """What a checkpoint holds of an object.

    Attributes:
        children: the names of its parts, and their places in the checkpoint.
        keys: the keys of its values by name.
    """

    children: list[tuple[str, int]]
    keys: dict[str, str]


def saved_objects(graph: Any) -> list[SavedObject]:
    """Returns the objects of a checkpoint without what stands twice.

    Args:
        graph: the `TrackableObjectGraph`.
    """
    objects = [
        SavedObject(
            [(child.local_name, child.node_id) for child in node.children],
            {own.name: own.checkpoint_key for own in node.attributes},
        )
        for node in graph.nodes
    ]
    optimizers = _optimizers(objects)
    if not optimizers:
        return objects
    reached, names = _reached(objects), _full_names(graph)
    for optimizer in optimizers:
        lists = {name: _elements(objects[place]) for name, place in optimizer.children}
        trained = lists.pop(TRAINED)
        del lists[VARIABLES]
        aligned = [listed for listed in lists.values() if len(listed) == len(trained)]
        slots = [[names[place] for place in row] for row in zip(*aligned, strict=True)]
        slots = slots or [[]] * len(trained)
        doubled = [
            i
            for i, first in enumerate(trained)
            if first not in reached
            and any(
                second in reached
                and slots[i] == slots[j]
                and _is_made_again(names[first], names[second])
                for j, second in enumerate(trained[i + 1 :], i + 1)
            )
        ]
        left_out = {listed[i] for listed in (trained, *aligned) for i in doubled}
        for name, place in optimizer.children:
            if name in (TRAINED, VARIABLES) or lists[name] in aligned:
                kept = [child for child in _elements(objects[place]) if child not in left_out]
                objects[place].children[:] = [(str(i), child) for i, child in enumerate(kept)]
        for place in left_out:
            objects[place].keys.clear()
    return objects


def hint_for_doubled_slots(objects: list[SavedObject], graph: Any) -> str:
    """Returns what may be wrong with a checkpoint whose values do not fit, or "".

    Files without the model do not tell which of doubled slots are the right ones.

    Args:
        objects: what `saved_objects` has found in the checkpoint.
        graph: the `TrackableObjectGraph`.
    """
    names = _full_names(graph)
    for optimizer in _optimizers(objects):
        slots = [names[place] for place in _elements(objects[dict(optimizer.children)[VARIABLES]])]
        if len(set(slots)) < len(slots):
            return MESSAGE_DOUBLED
    return ""


def _optimizers(objects: Iterable[SavedObject]) -> list[SavedObject]:
    return [
        found for found in objects if {TRAINED, VARIABLES} <= {name for name, _ in found.children}
    ]


def _elements(saved: SavedObject) -> list[int]:
    """Returns the places of a list's elements in their order; none if it is no list."""
    if not all(name.isdecimal() for name, _ in saved.children):
        return []
    return [place for _, place in sorted(saved.children, key=lambda child: int(child[0]))]


def _reached(objects: list[SavedObject]) -> set[int]:
    """Returns the places of what is a part of something else than an optimizer."""
    reached, waiting = {0}, deque([0])
    while waiting:
        for name, place in objects[waiting.popleft()].children:
            if name != TRAINED and place not in reached:
                reached.add(place)
                waiting.append(place)
    return reached


def _full_names(graph: Any) -> list[str]:
    return [node.attributes[0].full_name if node.attributes else "" for node in graph.nodes]


def _is_made_again(first: str, second: str) -> bool:
    """Whether two names are of one variable: first made by a model, then by its layer."""
    (model, _, name), (layer, _, again) = first.rpartition("/"), second.rpartition("/")
    return name == again and layer.startswith(f"{model}/")
