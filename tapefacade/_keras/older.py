"""What programs of Keras 2 write: a thin layer over Keras 3 accepts it, and says so once."""

from tapefacade._keras import (
    older_backend,
    older_callbacks,
    older_files,
    older_layers,
    older_losses,
    older_models,
    older_names,
    older_optimizers,
    older_slots,
)
from tapefacade._keras.older_notice import Patches

PARTS = (
    older_optimizers,
    older_slots,
    older_layers,
    older_losses,
    older_models,
    older_files,
    older_callbacks,
    older_backend,
    older_names,
)


def apply(patches: Patches) -> None:
    """Makes Keras accept the spellings of Keras 2.

    Args:
        patches: sets the attributes, and can undo it.
    """
    for part in PARTS:
        part.apply(patches)
