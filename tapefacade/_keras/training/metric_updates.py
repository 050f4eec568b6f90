"""Updates of metrics: after Ctrl-C all or nothing is done, and tracebacks show one line of them."""

from collections.abc import Iterator
from typing import Any

from tapefacade._core.tracebacks import shortening
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.training.optimizer_update import whole_call

UPDATE = "update_state"


def change(patches: AttributePatches, metric: type) -> None:
    """Changes the updates of Keras's metrics, and of those that are written later.

    Args:
        patches: takes note of what is changed.
        metric: Keras's base class.
    """

    def init_subclass(cls: type, **options: Any) -> None:
        super(metric, cls).__init_subclass__(**options)
        if UPDATE in vars(cls):
            setattr(cls, UPDATE, shortening(whole_call(vars(cls)[UPDATE])))

    for cls in _with_subclasses(metric):
        if UPDATE in vars(cls):
            patches.set(cls, UPDATE, shortening(whole_call(vars(cls)[UPDATE])))
    patches.set(metric, "__init_subclass__", classmethod(init_subclass))


def _with_subclasses(cls: type) -> Iterator[type]:
    yield cls
    for inner in cls.__subclasses__():
        yield from _with_subclasses(inner)
