"""What programs of Keras 2 write: a thin layer over Keras 3 accepts it, and says so once."""

from tapefacade._keras.attribute_patches import AttributePatches
from tapefacade._keras.keras2 import (
    backend,
    callbacks,
    files,
    layers,
    losses,
    models,
    names,
    optimizer_slots,
    optimizers,
)

PARTS = (
    optimizers,
    optimizer_slots,
    layers,
    losses,
    models,
    files,
    callbacks,
    backend,
    names,
)


def apply(patches: AttributePatches) -> None:
    """Makes Keras accept the spellings of Keras 2.

    Args:
        patches: sets the attributes, and can undo it.
    """
    for part in PARTS:
        part.apply(patches)
