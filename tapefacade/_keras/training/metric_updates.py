"""Updates of metrics: after Ctrl-C all or nothing is done, and tracebacks show one line of them.

The losses of single outputs are averaged over the batches, as TensorFlow does.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

from tapefacade._core.tracebacks import shortening
from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.training.optimizer_update import whole_call
from tapefacade._trace.recording import THREAD

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


def with_means_of_batches(build: Callable[..., None], mean: type) -> Callable[..., None]:
    """Makes `build` of compiled losses, which have a mean for each output.

    Keras gives them the sizes of batches. In a function TensorFlow does not know these, and each
    batch counts once, also a last one that has less examples.

    Args:
        build: Keras's own.
        mean: Keras's class of means.
    """
    update = vars(mean)[UPDATE]

    def update_state(self: Any, values: Any, sample_weight: Any = None) -> Any:
        return update(self, values, None if THREAD.functions else sample_weight)

    of_batches = type(mean.__name__, (mean,), {UPDATE: update_state})

    @functools.wraps(build)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        build(self, *args, **kwargs)
        for metric in self.metrics:
            metric.__class__ = of_batches

    return made
