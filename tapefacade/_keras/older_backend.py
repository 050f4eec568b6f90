"""Being written."""

from tapefacade._keras.older_notice import Patches


def apply(patches: Patches) -> None:
    """Does nothing yet.

    Args:
        patches: sets the attributes.
    """
