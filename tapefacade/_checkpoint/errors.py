"""Errors about files of checkpoints."""

from tapefacade._core import errors


def not_found(prefix: str) -> errors.OpError:
    """Says that there is no checkpoint."""
    return errors.NotFoundError(
        None,
        None,
        "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
        f"{prefix}",
    )


def damaged_file(path: str, what: str) -> errors.OpError:
    """Says that a file is no part of a checkpoint, or no more."""
    return errors.DataLossError(None, None, f"{path}: {what}")


def missing_value(key: str) -> errors.OpError:
    """Says that a checkpoint has no such value."""
    return errors.NotFoundError(None, None, f"Key {key} not found in checkpoint")
